"""Knees and elbows of a blend kept within the bends their sources show.

Turns that are added to a motion, or carried on by their speed, may bend a knee through. What lies beyond the least and the most bend of
both sources within the window is pressed back, the farther the more; what lies within stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip, World
from reenact.core.skeleton import Skeleton
from reenact.errors import SkeletonError
from reenact.solve.limb import Limb, check_limb, find_hinge, limb_of

_BEYOND = np.radians(5.0)  # radians a bend may at most lie beyond those of the sources
_MOST = np.radians(140.0)  # radians any limb may bend


@dataclass(frozen=True, slots=True, eq=False)
class Hinge:
    """A limb that bends about one axis.

    Attributes:
        limb: its joints.
        axis: (3,) in the frame of the limb's root joint: lower x upper link of a limb bent the right way.
    """

    limb: Limb
    axis: Float


def find_hinges(skeleton: Skeleton, clips: Sequence[Clip]) -> tuple[Hinge, ...]:
    """Knees and elbows, as far as the skeleton has them; the clips tell about which axes they bend."""
    worlds = [clip.world() for clip in clips]
    found = []
    for name in ("left_leg", "right_leg", "left_arm", "right_arm"):
        try:
            limb = limb_of(skeleton, name)
            check_limb(skeleton, limb)
        except SkeletonError:
            continue
        found.append(Hinge(limb, find_hinge(skeleton, limb, worlds, forward=name.endswith("leg"))))
    return tuple(found)


def measure_bend(world: World, hinge: Hinge) -> Float:
    """(F,) radians a limb is bent about its hinge: 0 straight, below 0 bent through."""
    places = world.positions.astype(np.float64)
    limb = hinge.limb
    upper = R.normalize(places[:, limb.mid] - places[:, limb.root])
    lower = R.normalize(places[:, limb.end] - places[:, limb.mid])
    axis = R.rotate(world.rotations[:, limb.root].astype(np.float64), hinge.axis)
    side = np.einsum("fi,fi->f", np.cross(lower, upper), axis)
    return np.arctan2(side, np.einsum("fi,fi->f", lower, upper))


def keep_bends(blend: Clip, sources: Sequence[Clip], hinges: Sequence[Hinge]) -> Clip:
    """The blend with limbs that bend no less and no more than in its sources, but for a few degrees.

    Args:
        blend: frames of a window.
        sources: what it was made of, the frames that were used.
        hinges: limbs of their skeleton.
    """
    world, worlds = blend.world(np.float64), [source.world(np.float64) for source in sources]
    rotations = None
    for hinge in hinges:
        bend = np.unwrap(measure_bend(world, hinge))
        known = np.concatenate([measure_bend(one, hinge) for one in worlds])
        wanted = _pressed(bend, float(known.min()), float(max(known.max(), _MOST)))
        if np.abs(wanted - bend).max(initial=0.0) < 1e-6:
            continue
        rotations = blend.rotations.astype(np.float64) if rotations is None else rotations
        mid = hinge.limb.mid
        rotations[:, mid] = bent_by(blend, world, rotations[:, mid], hinge, wanted - bend)
    return blend if rotations is None else replace(blend, rotations=rotations.astype(np.float32))


def bent_by(clip: Clip, world: World, turns: Float, hinge: Hinge, more: Float) -> Float:
    """(F, 4) rotations of a limb's middle joint, which has `turns` (F, 4), with the limb bent by so much more (F,) radians."""
    above = int(clip.skeleton.parents[hinge.limb.mid])
    axis = R.rotate(world.rotations[:, hinge.limb.root], hinge.axis)
    axis = R.rotate(R.conjugate(world.rotations[:, above]), axis)
    return R.normalize(R.multiply(R.from_axis_angle(axis, -more), turns))


def _pressed(bend: Float, least: float, most: float) -> Float:
    """Bends within [least, most] as they are, others pressed to within some degrees beyond; no jump in slope."""
    below = least - _BEYOND * -np.expm1(np.minimum(bend - least, 0.0) / _BEYOND)
    above = most + _BEYOND * -np.expm1(-np.maximum(bend - most, 0.0) / _BEYOND)
    return np.where(bend < least, below, np.where(bend > most, above, bend))
