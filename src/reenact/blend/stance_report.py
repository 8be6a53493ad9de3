"""What a clean-up says about the weight over the feet and about legs that run through each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reenact.analysis.leg_gaps import LEG_RADIUS, leg_gaps
from reenact.analysis.support import Support
from reenact.core.arrays import Bool, Float
from reenact.core.clip import World
from reenact.core.foot_plants import FootPlants, intervals_of
from reenact.core.skeleton import Skeleton
from reenact.errors import SkeletonError
from reenact.solve.adjusting import Adjusted
from reenact.solve.balancing import body_scale, measure_support
from reenact.solve.feet import Foot
from reenact.solve.parting import leg_places


def describe_stance(
    skeleton: Skeleton,
    before: World,
    after: World,
    plants: FootPlants,
    feet: Sequence[Foot],
    adjusted: Adjusted | None = None,
) -> dict[str, Any]:
    """`balance` and `overlap` of a clean-up.

    Args:
        skeleton: the joints.
        before, after: the motion and the result, float64.
        plants: those that are held.
        feet: the feet.
        adjusted: what was done about either.

    Returns:
        `balance`: `worst_mm` (how far the centre of mass is outside the planted feet, before and after, in frames at rest; below zero
        inside; None without rest), `out_s` (seconds of rest spent outside), `rest_s`, `shift_mm` (the most the body was moved for it),
        `distance_mm` (the result frame by frame, in motion as at rest; None where no foot is planted). None for a skeleton whose centre
        of mass is not known.
        `overlap`: `least_mm` (the least distance of the feet and shins of both legs, before and after; below zero they are in each
        other), `overlapping` (number of frames below zero), `both_planted` (how many of those that are left have both feet on the ground,
        where nothing is pushed), `frames` (half-open ranges of those that are left), `push_mm` (the most a foot was pushed aside),
        `distance_mm` (the result frame by frame). None unless both legs are known.
    """
    try:
        supports = [measure_support(world, skeleton, plants, feet) for world in (before, after)]
    except SkeletonError:
        supports = None
    places = [leg_places(world, feet) for world in (before, after)]
    gaps = [leg_gaps(legs, LEG_RADIUS * body_scale(skeleton)) for legs in places if legs is not None]
    offset, pushes = (None, None) if adjusted is None else (adjusted.offset, adjusted.pushes)
    return {
        "balance": None if supports is None else _balance(supports, plants.fps, _most(offset)),
        "overlap": _overlap(gaps, plants.left.plant & plants.right.plant, _most(pushes)) if gaps else None,
    }


def _most(moves: Float | None) -> float:
    """Millimetres, the longest of some moves (..., 3)."""
    return 0.0 if moves is None else round(1000 * float(np.linalg.norm(moves, axis=-1).max(initial=0.0)), 2)


def _balance(supports: Sequence[Support], fps: float, shift: float) -> dict[str, Any]:
    names = ("before", "after")
    rest = supports[0].rest  # of the recording: both are measured in the same frames
    worst = [1000 * float(one.distance[rest].max()) if rest.any() else None for one in supports]
    out = [float(np.count_nonzero(rest & (one.distance > 0))) / fps for one in supports]
    return {
        "worst_mm": {name: None if one is None else round(one, 1) for name, one in zip(names, worst, strict=True)},
        "out_s": {name: round(one, 3) for name, one in zip(names, out, strict=True)},
        "rest_s": round(float(np.count_nonzero(rest)) / fps, 3),
        "shift_mm": shift,
        "distance_mm": [round(1000 * float(one), 1) if np.isfinite(one) else None for one in supports[1].distance],
    }


def _overlap(gaps: Sequence[Float], planted: Bool, push: float) -> dict[str, Any]:
    names = ("before", "after")
    return {
        "least_mm": {name: round(1000 * float(one.min()), 1) for name, one in zip(names, gaps, strict=True)},
        "overlapping": {name: int(np.count_nonzero(one < 0)) for name, one in zip(names, gaps, strict=True)},
        "both_planted": int(np.count_nonzero((gaps[1] < 0) & planted)),
        "frames": [[int(start), int(end)] for start, end in intervals_of(gaps[1] < 0)],
        "push_mm": push,
        "distance_mm": [round(1000 * float(one), 1) for one in gaps[1]],
    }
