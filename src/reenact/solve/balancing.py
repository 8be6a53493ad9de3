"""A body at rest brought over its feet: the horizontal shift that pulls its centre of mass towards the ground they enclose.

Only rest is mended (see `analysis.support`): in motion a body may be beside its feet, and a walk is for most of each step. The shift is
smooth over time and never longer than allowed; the planted feet stay where they are, the legs are solved anew.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.analysis.leg_gaps import LEG_RADIUS
from reenact.analysis.limbs import find_limbs
from reenact.analysis.support import Support, find_support
from reenact.analysis.units import HUMAN_LEG
from reenact.body.segments import centre_of_mass
from reenact.core import filters
from reenact.core.arrays import Float
from reenact.core.clip import World
from reenact.core.foot_plants import FootPlants
from reenact.core.skeleton import Skeleton
from reenact.errors import SkeletonError
from reenact.solve.feet import Foot, track_foot

_CARRIED = 0.86  # of a move of the hips, what the centre of mass makes of it while both feet stand: legs follow by half and less
_INSIDE = 0.004  # metres that a body is brought inside, so that it is not just on the edge
_BESIDE = 0.3  # seconds beside rest in which the shift is there already
_CALM = 0.2  # seconds, width of the low-pass over the shift


def body_scale(skeleton: Skeleton) -> float:
    """Size of the body: its leg over a grown person's; 1 where no legs are known."""
    limbs = find_limbs(skeleton)
    return limbs.leg / HUMAN_LEG if limbs is not None and limbs.leg > 0 else 1.0


def measure_support(world: World, skeleton: Skeleton, plants: FootPlants, feet: Sequence[Foot]) -> Support:
    """Where the weight of a motion is against its planted feet; a foot is as wide as two of `LEG_RADIUS`.

    Args:
        world: the motion, float64.
        skeleton: its joints.
        plants: when the feet are planted.
        feet: the feet.

    Raises:
        SkeletonError: the skeleton lacks roles that the centre of mass needs.
    """
    mass, limbs = centre_of_mass(world, skeleton), find_limbs(skeleton)
    if limbs is None:
        raise SkeletonError("the skeleton has no legs")
    tracks = [track_foot(world, foot) for foot in feet]
    down = [(track.heel, track.ball, plants.foot(foot.side).plant) for foot, track in zip(feet, tracks, strict=True)]
    hips = world.positions[:, limbs.hips, 1]
    return find_support(mass, down, hips, limbs.leg, plants.fps, beyond=LEG_RADIUS * body_scale(skeleton))


def balance_offset(support: Support, fps: float, most: float) -> Float:
    """(F, 3) metres, smooth over time and horizontal: what the body is moved by so that it rests above its feet.

    Args:
        support: see `measure_support`.
        fps: frames per second.
        most: metres it may be moved.
    """
    offset = np.zeros((len(support.rest), 3))
    out = support.rest & (support.distance > 0)
    if not out.any() or most <= 0:
        return offset
    way = np.where(out[:, None], support.inwards, 0.0)
    size = np.linalg.norm(way, axis=1, keepdims=True)
    longer = np.minimum((size + _INSIDE) / _CARRIED, most)
    way = np.where(size > 0, way * longer / np.maximum(size, 1e-12), 0.0)
    frames, resting = np.arange(len(way)), np.flatnonzero(support.rest)
    at = np.searchsorted(resting, frames)
    left, right = resting[np.maximum(at - 1, 0)], resting[np.minimum(at, len(resting) - 1)]
    nearest = np.where(np.abs(frames - left) < np.abs(frames - right), left, right)
    way = np.where((np.abs(frames - nearest) <= _BESIDE * fps)[:, None], way[nearest], 0.0)
    offset[:, [0, 2]] = filters.gaussian(way, _CALM * fps, axis=0, edge="nearest")
    return offset
