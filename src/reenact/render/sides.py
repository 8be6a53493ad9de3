"""Which joints belong to the left, the right or the middle of a body: by roles, then by names."""

from __future__ import annotations

import re

import numpy as np

from reenact.core.arrays import Int32
from reenact.core.skeleton import Skeleton

MIDDLE, LEFT, RIGHT, FACE = 0, 1, 2, 3

_LETTER = re.compile(r"^[lLrR](?=[a-zA-Z_.\- :])|(?<=[_.\- :])[lLrR](?=$|[_.\- :\d])|(?<=[a-z])[LR](?=[A-Z_]|$)")


def joint_sides(skeleton: Skeleton) -> Int32:
    """(J,) int32 of MIDDLE, LEFT, RIGHT.

    A joint takes the side of its own role or name, else of its parent. A word (`LeftArm`, `b_RightLeg01_019`) is trusted; a single
    letter (`lfemur`, `Arm.R`, `hand_l`) only when the joint of the other side exists too, so that `lowerback` is no left limb.
    """
    folded = {_without_digits(name) for name in skeleton.names}
    roles = {joint: role for role, joint in skeleton.roles.items()}
    sides = np.zeros(len(skeleton), np.int32)
    for joint, name in enumerate(skeleton.names):
        role = roles.get(joint, "")
        own = _side_of_role(role) if role else _side_of_name(name, folded)
        parent = int(skeleton.parents[joint])
        sides[joint] = own if own or role or parent < 0 else sides[parent]
    return sides


def _side_of_role(role: str) -> int:
    return LEFT if role.startswith("left_") else RIGHT if role.startswith("right_") else MIDDLE


def _without_digits(name: str) -> str:
    return re.sub(r"\d+", "", name)


def _side_of_name(name: str, folded: set[str]) -> int:
    lower = name.lower()
    if ("left" in lower) != ("right" in lower):
        return LEFT if "left" in lower else RIGHT
    plain = _without_digits(name)
    for found in _LETTER.finditer(plain):
        letter = found.group()
        other = {"l": "r", "L": "R", "r": "l", "R": "L"}[letter]
        if plain[: found.start()] + other + plain[found.end() :] in folded:
            return LEFT if letter in "lL" else RIGHT
    return MIDDLE
