"""Feet that look as if they stood, held or not: what an onlooker sees sliding.

The plants of a detector are what is held; an onlooker does not know them. Here every heel or ball that is low and slow for a moment stands.
What such points move by says what a clean-up has left: plants that were let go, feet that turn, shuffle or step on slowly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reenact.core.arrays import Bool, Float
from reenact.core.derivatives import differentiate
from reenact.core.foot_plants import FootPlants, intervals_of
from reenact.solve.feet import Foot, FootTrack
from reenact.solve.result_quality import LIMITS, ground_diameter

_LOW = 0.04  # metres above where a point stands
_LEVEL = 5  # per cent of the frames in which it is lower than that
_SLOW = 0.35  # m/s
_CALM = 0.05  # seconds of the running mean before speeds are taken
_MOMENT = 0.08  # seconds: shorter gaps are closed, shorter stands are none
_LEAST = 0.12  # seconds that a stand lasts
_MANY = 0.2  # of the stands, that go without a word
_EDGE = 0.03  # seconds at either end, in which a foot comes and goes


def describe_standing(
    tracks: Mapping[str, FootTrack], feet: Sequence[Foot], asked: FootPlants, held: FootPlants, fps: float
) -> dict[str, Any]:
    """`standing`: how feet that look planted move.

    Args:
        tracks: side -> the foot in the result.
        feet: the feet.
        asked: the plants that were to be held.
        held: those that are.
        fps: frames per second.

    Returns:
        `stands`, how many; `drift_mm`, the median of what they move by on the ground; and `sliding`, a row for each that moves by
        more than the limit of slips: foot, point, start, end, drift_mm and why.
    """
    limit, drifts, rows = LIMITS["slip_mm"][1], [], []
    for foot in feet:
        track = tracks[foot.side]
        for name in ("heel", "ball")[: 1 if foot.single else 2]:
            path = getattr(track, name)
            for start, end in _stands(path, fps):
                edge = round(_EDGE * fps)
                drift = 1000 * ground_diameter(path[start + edge : end - edge][:, [0, 2]])
                drifts.append(drift)
                if drift > limit:
                    rows.append(
                        {
                            "foot": foot.side,
                            "point": name,
                            "start": start,
                            "end": end,
                            "drift_mm": round(drift, 1),
                            "why": _why(asked, held, foot, name, slice(start, end)),
                        }
                    )
    return {
        "stands": len(drifts),
        "drift_mm": round(float(np.median(drifts or [0.0])), 2),
        "sliding": sorted(rows, key=lambda row: -row["drift_mm"]),
    }


def doubt_standing(standing: Mapping[str, Any]) -> list[str]:
    """In words, that a good part of what looks planted slides; empty when it does not."""
    rows, count = standing["sliding"], standing["stands"]
    if len(rows) < _MANY * count or not rows:
        return []
    worst, limit = rows[0], LIMITS["slip_mm"][1]
    where = f"{worst['foot']} {worst['point']}, frames {worst['start']} to {worst['end']}: {worst['why']}"
    return [
        f"in {len(rows)} of {count} stands a point that looks planted moves by more than {limit:g} mm, "
        f"by {worst['drift_mm']:.0f} mm at most ({where})"
    ]


def _stands(path: Float, fps: float) -> list[tuple[int, int]]:
    """Ranges of frames in which a point (F, 3) is low and slow."""
    from scipy.ndimage import uniform_filter1d

    calm = uniform_filter1d(path, max(round(_CALM * fps), 1) | 1, axis=0, mode="nearest")
    low = calm[:, 1] < np.percentile(calm[:, 1], _LEVEL) + _LOW
    still: Bool = low & (np.linalg.norm(differentiate(calm, fps), axis=1) < _SLOW) if len(path) > 2 else low
    moment = int(_MOMENT * fps)
    for start, end in intervals_of(~still):
        if end - start < moment and start > 0 and end < len(still):
            still[start:end] = True
    return [(start, end) for start, end in intervals_of(still) if end - start > max(_LEAST * fps, moment)]


def _why(asked: FootPlants, held: FootPlants, foot: Foot, name: str, frames: slice) -> str:
    """Why a point that looks planted is not still."""
    before, after = asked.foot(foot.side), held.foot(foot.side)
    if np.mean(before.plant[frames] & ~after.plant[frames]) > 0.1:
        return "let go"
    point = getattr(before, name)[frames]
    if np.mean(point) < 0.5:
        return "it turns about the other end of the foot" if np.mean(before.plant[frames]) > 0.5 else "not planted"
    return (
        "it stands in several places"
        if len(intervals_of(getattr(after, name)[frames])) > 1
        else "it comes and goes slowly"
    )
