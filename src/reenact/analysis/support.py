"""Support: how far the centre of mass is from being above the planted feet, and when that means anything.

A body that stands still falls unless its weight is above the ground its feet enclose. One that moves need not obey: a walk falls from foot
to foot, and its centre of mass is beside the foot that carries it for most of a step. So the distance is known in every frame in which a
foot is planted, but only rest is judged by it: the centre of mass is slow for some time and the hips are up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Bool, Float
from reenact.core.derivatives import differentiate
from reenact.core.foot_plants import intervals_of

REST = 0.4
"""Seconds for which a body must be slow to be at rest."""

_STILL = 0.08  # m/s of the centre of mass: slower is rest
_STANDING = 0.75  # of a leg: hips lower than this over the feet sit or kneel
_TOES = 0.6  # of the way from heel to ball: how far the foot reaches beyond the ball
_SIDES = 16
_DIRECTIONS = np.stack([np.cos(np.arange(_SIDES) * 2 * np.pi / _SIDES), np.sin(np.arange(_SIDES) * 2 * np.pi / _SIDES)])
_ROUNDS = 6


@dataclass(frozen=True, slots=True, eq=False)
class Support:
    """Where the weight is against the feet.

    Attributes:
        distance: (F,) metres, how far the centre of mass is outside the ground that the planted feet enclose, seen from above; below
            zero inside, infinite where no foot is planted.
        rest: (F,) frames in which the body stands still, so that it should not be outside.
        inwards: (F, 2) metres, the short way (x, z) from the centre of mass to that ground; zero inside and where no foot is planted.
    """

    distance: Float
    rest: Bool
    inwards: Float


def find_support(
    mass: Float,
    feet: Sequence[tuple[Float, Float, Bool]],
    hips: Float,
    leg: float,
    fps: float,
    *,
    beyond: float = 0.0,
    bad: Bool | None = None,
) -> Support:
    """The centre of mass against the convex hull of the planted feet, whose sides face sixteen directions.

    Args:
        mass: (F, 3) metres, centre of mass.
        feet: heel and ball (F, 3) in metres, and the frames (F,) in which the foot is planted.
        hips: (F,) metres, height of the hips.
        leg: metres, length of a leg.
        fps: frames per second.
        beyond: metres that a foot reaches to the sides of the line from heel to toes: half its width.
        bad: (F,) frames in which the body is not known, which are no rest.
    """
    reach = np.full((len(mass), _SIDES), -np.inf)
    lowest = np.full(len(mass), np.inf)
    for heel, ball, planted in feet:
        lowest = np.minimum(lowest, np.minimum(heel[:, 1], ball[:, 1]))
        for point in (heel, ball + _TOES * (ball - heel)):
            along = point[:, [0, 2]] @ _DIRECTIONS + beyond
            reach = np.where(planted[:, None], np.maximum(reach, along), reach)
    place = mass[:, [0, 2]]
    distance = (place @ _DIRECTIONS - reach).max(axis=1)
    known = np.isfinite(distance)
    rest = known & (hips - lowest > _STANDING * leg)
    if len(mass) > 2:
        rest &= np.linalg.norm(differentiate(mass, fps), axis=1) < _STILL
    if bad is not None:
        rest &= ~bad
    for start, end in intervals_of(rest):
        if end - start < max(1, round(REST * fps)):  # slow for a moment, as in a turn or between steps, is no rest
            rest[start:end] = False
    inside = place.copy()
    rows = np.flatnonzero(known & (distance > 0))
    for _ in range(_ROUNDS):  # onto one side after the other, the one that is farthest away first
        over = inside[rows] @ _DIRECTIONS - reach[rows]
        worst = over.argmax(axis=1)
        inside[rows] -= np.maximum(over[np.arange(len(rows)), worst], 0.0)[:, None] * _DIRECTIONS.T[worst]
    return Support(distance, rest, inside - place)
