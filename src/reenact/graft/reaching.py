"""Hands at the places where the source has them: on another body, or on a torso or head that is not the source's.

Copied rotations put the hands of longer arms elsewhere: clapping hands miss each other, a telephone leaves the ear. Here a hand is asked
to be where it was against the shoulders, the head and the hips, each counting by how near the hand was to it, and the arm is solved for
that place (`solve.limb`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip, World
from reenact.core.skeleton import Skeleton
from reenact.core.tree import Tree
from reenact.graft.chain_choice import chest_of
from reenact.solve.limb import limb_of, place_limb

_NEAR = 0.22  # metres for an arm of 0.55 m: a hand this near to head or hips counts by it as much as by the shoulders
_ARM = 0.55


def reach_hands(grafted: Clip, mapped: Clip, original: Clip, sides: Sequence[str]) -> tuple[Float, Float]:
    """Rotations (F, J, 4) of a clip with the hands where the source has them, and what was left undone, (F,) metres.

    Args:
        grafted: the base with the source's limbs.
        mapped: the source on the same skeleton, frame by frame the same.
        original: the source on its own skeleton, likewise.
        sides: the arms that may be bent.
    """
    scales = tuple(
        _length(grafted.skeleton, *way) / max(_length(original.skeleton, *way), 1e-6)
        for way in ((f"{sides[0]}_upper_arm", f"{sides[0]}_hand"), ("hips", "head"))
    )
    worlds = [clip.world(np.float64) for clip in (grafted, mapped, original)]
    rotations, left = grafted.rotations.astype(np.float64), np.zeros(len(grafted))
    for side in sides:
        goal = _goal(side, (grafted, mapped, original), worlds, scales)
        limb = limb_of(grafted.skeleton, f"{side}_arm")
        solved, residual = place_limb(grafted, limb, goal, world=worlds[0])
        changed = [limb.root, limb.mid, limb.end]
        rotations[:, changed] = solved[:, changed]
        left = np.maximum(left, residual)
    return rotations, left


def _goal(side: str, clips: Sequence[Clip], worlds: Sequence[World], scales: Sequence[float]) -> Float:
    """(F, 3) where a hand should be: a mean over what it is near to in the source.

    From the shoulders it is as far away as the arms are longer, from head and hips as the trunk is.
    """
    skeletons = [clip.skeleton for clip in clips]
    hand = worlds[2].positions[:, skeletons[2].roles[f"{side}_hand"]]
    near = _NEAR * _length(skeletons[2], f"{side}_upper_arm", f"{side}_hand") / _ARM
    total, weights = np.zeros_like(hand), np.zeros(len(hand))
    for part in ("shoulders", "head", "hips"):
        joints = [_joint(skeleton, part) for skeleton in skeletons]
        if min(joints) < 0:
            continue
        places = [_place(world, skeleton, part) for world, skeleton in zip(worlds, skeletons, strict=True)]
        turn = R.multiply(worlds[0].rotations[:, joints[0]], R.conjugate(worlds[1].rotations[:, joints[1]]))
        away = hand - places[2]
        weight = 1.0 if part == "shoulders" else (near / np.maximum(np.linalg.norm(away, axis=1), 0.25 * near)) ** 4
        total += np.broadcast_to(weight, len(hand))[:, None] * (
            places[0] + R.rotate(turn, scales[part != "shoulders"] * away)
        )
        weights += weight
    return total / weights[:, None]


def _joint(skeleton: Skeleton, part: str) -> int:
    """The joint whose rotation tells how a part is turned."""
    return chest_of(skeleton) if part == "shoulders" else skeleton.roles.get(part, -1)


def _place(world: World, skeleton: Skeleton, part: str) -> Float:
    """(F, 3) where a part is: midway between the shoulder joints, or the joint itself."""
    if part != "shoulders":
        return world.positions[:, skeleton.roles[part]]
    left, right = skeleton.require_roles("left_upper_arm", "right_upper_arm")
    return 0.5 * (world.positions[:, left] + world.positions[:, right])


def _length(skeleton: Skeleton, top: str, bottom: str) -> float:
    """Metres along the bones from one role down to another; 1 where they are not known."""
    if not skeleton.has_roles(top, bottom):
        return 1.0
    first, last = skeleton.require_roles(top, bottom)
    if first not in skeleton.ancestors(last):
        return 1.0
    way = Tree(skeleton.parents).path(first, last)[1:]
    return float(np.linalg.norm(skeleton.offsets[list(way)], axis=1).sum())
