"""Knees that pop: a nearly straight leg that bends and straightens within a frame or two."""

from __future__ import annotations

import numpy as np

from reenact.analysis.quality.examined import Examined, mean_around
from reenact.analysis.quality.findings import Part, measured
from reenact.analysis.quality.limits import QualityLimits
from reenact.core.arrays import Float
from reenact.core.clip import World
from reenact.core.foot_plants import intervals_of
from reenact.core.rotations import conjugate, normalize, rotate

_AROUND = 0.2  # seconds on either side that tell what is usual
_HOLE = 2  # frames around a pop that it disturbs itself
_RATE = 120.0  # Hz: the limit is for this rate; at lower ones a knee changes more from frame to frame
_MOST = 8
_LOCKED = 0.5  # degrees from straight within which a knee is locked
_WARNS, _MOST_LOCKED = 1.25, 2.0  # times the limit up to which a pop is an info: of any knee, and of a locked one


def check_knees(examined: Examined, limits: QualityLimits) -> Part:
    """Changes of a knee's bend within a frame, far beyond those around (`pop.knee`): a warning from a quarter above the limit on.

    Solvers of recordings often lock a knee that would be bent through, and let it go with a jump: such jumps out of and into a straight
    leg are an info, up to twice the limit.
    """
    part = Part(measures={"knee_pop_deg_max": None})
    legs = _legs(examined)
    if not legs or len(examined.clip) < 7:
        return part
    world = examined.world
    highest, told = 0.0, 0
    limit = limits.knee_pop_deg * max(1.0, (_RATE / examined.clip.fps) ** 2)
    part.bounds["knee_pop_deg_max"] = _WARNS * limit
    for side, leg in legs.items():
        bend, change = _bend(world, leg), np.zeros(len(examined.clip))
        change[1:-1] = np.abs(np.diff(bend, 2))
        change[examined.bad] = 0.0
        usual = mean_around(change[:, None], examined.samples(_AROUND, 5), _HOLE)[:, 0]
        pops = (change > limit) & (change > limits.pop_ratio * (usual + 0.2))
        for start, end in intervals_of(pops):
            frames = (max(start - 1, 0), end + 1)
            worst = float(change[start:end].max())
            locked = bool((np.abs(bend[slice(*frames)]) < _LOCKED).any())
            bearable = worst <= (_MOST_LOCKED if locked else _WARNS) * limit
            highest = max(highest, 0.0 if bearable else worst)
            told += 1
            if told > _MOST:
                continue
            what = "the knee pops out of a locked leg" if locked else "the knee pops"
            part.findings.append(
                measured(
                    "pop.knee", "info" if bearable else "warning", what, worst, limit, "deg", limits.reason("knee_pop_deg"), frames=frames,
                    joint=f"{side} knee",
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


def _bend(world: World, leg: tuple[int, int, int]) -> Float:
    """(F,) degrees a knee is bent; 0 is straight, negative bent through: one that passes through straight does not turn round there."""
    hip, knee, ankle = (world.positions[:, joint].astype(np.float64) for joint in leg)
    thigh, shank = knee - hip, ankle - knee
    across = rotate(conjugate(world.rotations[:, leg[0]].astype(np.float64)), np.cross(thigh, shank))
    axis = normalize(across.sum(axis=0) + 1e-12)
    return np.degrees(np.arctan2(across @ axis, np.einsum("fi,fi->f", thigh, shank)))
