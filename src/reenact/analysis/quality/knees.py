"""Knees that pop: a nearly straight leg that bends and straightens within a frame or two."""

from __future__ import annotations

import numpy as np

from reenact.analysis.quality.examined import Examined, mean_around
from reenact.analysis.quality.findings import Part, measured
from reenact.analysis.quality.limits import QualityLimits
from reenact.core.arrays import Float
from reenact.core.foot_plants import intervals_of

_AROUND = 0.2  # seconds on either side that tell what is usual
_HOLE = 2  # frames around a pop that it disturbs itself
_RATE = 120.0  # Hz: the limit is for this rate; at lower ones a knee changes more from frame to frame
_MOST = 8


def check_knees(examined: Examined, limits: QualityLimits) -> Part:
    """Changes of a knee's bend within a frame, far beyond those around (`pop.knee`); a warning from twice the limit on, else an info."""
    part = Part(measures={"knee_pop_deg_max": None})
    legs = _legs(examined)
    if not legs or len(examined.clip) < 7:
        return part
    places = examined.positions.astype(np.float64)
    highest, told = 0.0, 0
    limit = limits.knee_pop_deg * max(1.0, (_RATE / examined.clip.fps) ** 2)
    part.bounds["knee_pop_deg_max"] = 2 * limit
    for side, leg in legs.items():
        change = np.zeros(len(places))
        change[1:-1] = np.abs(np.diff(_bend(places, leg), 2))
        change[examined.bad] = 0.0
        usual = mean_around(change[:, None], examined.samples(_AROUND, 5), _HOLE)[:, 0]
        pops = (change > limit) & (change > limits.pop_ratio * (usual + 0.2))
        highest = max(highest, float(change[pops].max(initial=0.0)))
        for start, end in intervals_of(pops)[: _MOST - told]:
            told += 1
            worst = float(change[start:end].max())
            part.findings.append(
                measured(
                    "pop.knee", "warning" if worst > 2 * limit else "info", "the knee pops", worst, limit, "deg",
                    limits.reason("knee_pop_deg"), frames=(max(start - 1, 0), end + 1), joint=f"{side} knee",
                )
            )  # fmt: skip
    part.measures["knee_pop_deg_max"] = highest
    return part


def _legs(examined: Examined) -> dict[str, tuple[int, int, int]]:
    """Side -> hip, knee and ankle, for the legs whose roles are known."""
    roles = examined.clip.skeleton.roles
    parts = ("upper_leg", "lower_leg", "foot")
    return {
        side: (roles[f"{side}_{parts[0]}"], roles[f"{side}_{parts[1]}"], roles[f"{side}_{parts[2]}"])
        for side in ("left", "right")
        if all(f"{side}_{part}" in roles for part in parts)
    }


def _bend(places: Float, leg: tuple[int, int, int]) -> Float:
    """(F,) degrees a knee is bent; 0 is straight."""
    hip, knee, ankle = (places[:, joint] for joint in leg)
    thigh, shank = knee - hip, ankle - knee
    across = np.linalg.norm(np.cross(thigh, shank), axis=1)
    return np.degrees(np.arctan2(across, np.einsum("fi,fi->f", thigh, shank)))
