"""Feet that carry the body above or below the floor: what the lowest point that stands still is off by, against the rest of the clip."""

from __future__ import annotations

import numpy as np

from reenact.analysis.quality.examined import Examined
from reenact.analysis.quality.findings import Part, measured
from reenact.analysis.quality.limits import QualityLimits
from reenact.core.arrays import Float
from reenact.core.derivatives import differentiate
from reenact.core.foot_plants import intervals_of
from reenact.core.smoothing import smooth

_STILL = 0.25  # m/s up to which a point carries the body, of whatever height
_CALM = 0.02  # seconds, width of the low-pass before speeds are taken
_LEAST = 0.15  # seconds
_MANY = 10  # frames in which somebody stands, to tell a level
_MOST = 8


def check_support_level(
    part: Part, examined: Examined, deviations: Float, reported: list[tuple[int, int]], limits: QualityLimits
) -> None:
    """`floor.support`: for a while the lowest foot that stands still is off the level at which feet mostly stand in this clip.

    Recordings differ in how level they are, so the limit follows what the level mostly varies by in the clip itself: `support_mm` in a
    walk on an even floor, up to `float_mm` where feet stand now here, now there.

    Args:
        part: what was found so far; findings and the measure `support_mm_max` are added.
        examined: the clip.
        deviations: (F, 2 S) metres by which heels and balls are above the height at which each mostly stands; NaN: not known.
        reported: ranges of frames for which something was said about the floor already.
        limits: see `QualityLimits`.
    """
    part.measures["support_mm_max"] = None
    fps = examined.clip.fps
    if len(deviations) < 3:
        return
    paths = np.asarray(examined.foot_paths, np.float64)
    speed = np.linalg.norm(differentiate(smooth(paths, _CALM * fps), fps), axis=2)
    standing = np.where((speed < _STILL) & ~np.isnan(deviations), 1000 * deviations, np.inf).min(axis=1)
    known = np.isfinite(standing)
    if np.count_nonzero(known) < _MANY:
        return
    usual = float(np.median(standing[known]))
    spread = 1.4826 * float(np.median(np.abs(standing[known] - usual)))
    least, most = limits.support_mm * examined.scale, limits.float_mm * examined.scale
    limit = float(np.clip(limits.support_spread * spread, least, max(least, most)))
    off = np.where(known, standing - usual, 0.0)
    part.bounds["support_mm_max"] = limit
    worst, level, told = 0.0, limits.level_mm * examined.scale, 0
    for sign in (1.0, -1.0):
        for start, end in intervals_of((sign * off > limit) & (sign * off < level)):
            if end - start < examined.samples(_LEAST):
                continue
            value = float(np.median(sign * off[start:end]))
            worst = max(worst, value)
            if told >= _MOST or any(start < b and end > a for a, b in reported):
                continue
            told += 1
            where = "above" if sign > 0 else "below"
            part.findings.append(
                measured(
                    "floor.support", "warning", f"the body stands on a foot {where} the floor of the rest of the clip", value,
                    limit, "mm", limits.reason("support_mm"), frames=(start, end),
                )
            )  # fmt: skip
    part.measures["support_mm_max"] = worst
