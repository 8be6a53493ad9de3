"""Legs of another skeleton spread so that its feet stand as wide as the source's.

The hip joints of two skeletons of one size lie 16 or 34 cm apart, depending on who made them. Legs that point where the source's do would
then cross, or straddle. Each leg is turned about the axis ahead of the pelvis by a small constant angle; knees stay bent as they are.
"""

from __future__ import annotations

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip, World
from reenact.core.cutting import leg_length
from reenact.core.foot_plants import FootPlants
from reenact.core.skeleton import Skeleton

_LEAST = 0.01  # metres per side: less is not seen
_MOST = np.radians(12.0)
_LEGS = ("left_upper_leg", "right_upper_leg", "left_foot", "right_foot")


def leg_spread(
    source: Clip,
    mapped: Clip,
    plants: FootPlants | None,
    scale: float,
    least: float = 0.0,
    worlds: tuple[World, World] | None = None,
) -> float:
    """Radians by which each leg has to be turned outwards.

    Args:
        source: the motion.
        mapped: the motion on the target's skeleton, bone by bone.
        plants: foot plants of the source; without them every frame counts.
        scale: of lengths, from source to target.
        least: metres that the feet stand apart at least, so that broad shoes do not stand in one another.
        worlds: forward kinematics of both in float64, when at hand.
    """
    if not (source.skeleton.has_roles(*_LEGS) and mapped.skeleton.has_roles(*_LEGS)):
        return 0.0
    standing: Bool = np.ones(len(source), np.bool_)
    if plants is not None and (plants.left.plant | plants.right.plant).any():
        standing = plants.left.plant | plants.right.plant
    worlds = (source.world(np.float64), mapped.world(np.float64)) if worlds is None else worlds
    theirs, own = (_width(clip.skeleton, world) for clip, world in zip((source, mapped), worlds, strict=True))
    wanted = max(float(np.median(scale * theirs[standing])), least) if least else None
    if wanted is None:
        wider = 0.5 * float(np.median((scale * theirs - own)[standing]))
    else:
        wider = 0.5 * (wanted - float(np.median(own[standing])))
    if abs(wider) < _LEAST:
        return 0.0
    return float(np.clip(np.arcsin(np.clip(wider / leg_length(mapped), -1.0, 1.0)), -_MOST, _MOST))


def spread_legs(turned: dict[int, Float], pelvis: Float, legs: dict[str, int], angle: float) -> None:
    """Turn the legs outwards, in place.

    Args:
        turned: joint -> (F, 4) its rotation in the world.
        pelvis: (F, 4) the body's frame at the hips: x to the left, y up, z ahead.
        legs: role -> joint; those of thighs and shanks are turned.
        angle: radians.
    """
    ahead = R.rotate(pelvis, np.array([0.0, 0.0, 1.0]))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        turn = R.exp(sign * angle * ahead)
        for part in ("upper", "lower"):
            joint = legs.get(f"{side}_{part}_leg")
            if joint is not None and joint in turned:
                turned[joint] = R.multiply(turn, turned[joint])


def _width(skeleton: Skeleton, world: World) -> Float:
    """(F,) metres that the left ankle lies to the left of the right one, along the line through the hip joints."""
    places = {role: world.positions[:, skeleton.roles[role]] for role in _LEGS}
    across = R.normalize(places["left_upper_leg"] - places["right_upper_leg"])
    return np.einsum("fi,fi->f", places["left_foot"] - places["right_foot"], across)
