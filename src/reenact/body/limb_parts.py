"""The parts of a body that move as one piece each, found by joint roles, and the skin that belongs to each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from reenact.body.character import Character
from reenact.core.arrays import Int32
from reenact.core.skeleton import Skeleton
from reenact.errors import SkeletonError

Group = Literal["trunk", "head", "left_arm", "right_arm", "left_leg", "right_leg"]
GROUPS: tuple[Group, ...] = ("trunk", "head", "left_arm", "right_arm", "left_leg", "right_leg")
"""The limbs of a body: what grows together, and what can run through each other."""

_SIDED = (
    ("upper_arm", "upper_arm", "arm"),
    ("lower_arm", "forearm", "arm"),
    ("hand", "hand", "arm"),
    ("upper_leg", "thigh", "leg"),
    ("lower_leg", "shank", "leg"),
    ("foot", "foot", "leg"),
)


@dataclass(frozen=True, slots=True)
class LimbPart:
    """One part.

    Attributes:
        name: "chest", "left_thigh", ...
        kind: without the side; every piece of the trunk is "trunk".
        group: the limb it belongs to.
        joint: the joint it moves with.
        joints: all joints that belong to it: fingers to the hand, toes to the foot, collar bones to the chest.
        axis: joint at the far end of its bone, or -1 where no joint is known there.
    """

    name: str
    kind: str
    group: Group
    joint: int
    joints: tuple[int, ...]
    axis: int


def limb_parts(skeleton: Skeleton) -> tuple[LimbPart, ...]:
    """Parts of a body from the pelvis up, then head, arms and legs, as far as their joints are known by role.

    Every joint of the trunk between hips and chest is a part of its own, so that a bent back bends what follows it; every other joint
    belongs to the part of the nearest joint above it that has one.

    Raises:
        SkeletonError: hips, an arm or a leg are not known.
    """
    roles = skeleton.roles
    if "hips" not in roles or not any(f"{side}_upper_leg" in roles for side in ("left", "right")):
        found = ", ".join(roles) or "none"
        raise SkeletonError(f"a body has hips and a leg at least, known by role; the skeleton has {found}")
    heads: dict[int, tuple[str, str, Group, int]] = {}
    trunk = _trunk(skeleton)
    for place, joint in enumerate(trunk):
        name = "pelvis" if place == 0 else "chest" if place == len(trunk) - 1 else f"spine{place}"
        far = trunk[place + 1] if place + 1 < len(trunk) else roles.get("neck", roles.get("head", -1))
        heads[joint] = name, "trunk", "trunk", far
    top = roles.get("neck", roles.get("head", -1))
    if top >= 0:
        heads[top] = "head", "head", "head", -1
    for side in ("left", "right"):
        chain = [roles.get(f"{side}_{role}", -1) for role, _, _ in _SIDED]
        for place, (_role, name, limb) in enumerate(_SIDED):
            if chain[place] >= 0:
                last = limb == "arm" and place == 2
                far = roles.get(f"{side}_toes", -1) if name == "foot" else -1 if last else chain[place + 1]
                heads[chain[place]] = f"{side}_{name}", name, f"{side}_{limb}", far  # type: ignore[assignment]
    owner = np.full(len(skeleton), -1)
    for joint in range(len(skeleton)):
        if joint in heads:
            owner[joint] = joint
        elif skeleton.parents[joint] >= 0:
            owner[joint] = owner[skeleton.parents[joint]]
    owner[owner < 0] = roles["hips"]
    made = []
    for joint, (name, kind, group, far) in heads.items():
        made.append(LimbPart(name, kind, group, joint, tuple(np.flatnonzero(owner == joint).tolist()), far))
    return tuple(sorted(made, key=lambda part: GROUPS.index(part.group)))


def _trunk(skeleton: Skeleton) -> list[int]:
    """Joints from the hips up to the chest; of the hips alone where nothing above them is known."""
    roles = skeleton.roles
    top = roles.get("chest")
    if top is None and "neck" in roles:
        top = int(skeleton.parents[roles["neck"]])
    if top is None:
        top = roles.get("spine", roles["hips"])
    line = skeleton.ancestors(top)
    if roles["hips"] not in line:
        return [roles["hips"]]
    return list(line[: line.index(roles["hips"]) + 1])[::-1]


def part_of_joints(skeleton: Skeleton, parts: tuple[LimbPart, ...]) -> Int32:
    """(J,) number of the part that each joint belongs to."""
    found = np.zeros(len(skeleton), np.int32)
    for number, part in enumerate(parts):
        found[list(part.joints)] = number
    return found


def part_of_vertices(character: Character, parts: tuple[LimbPart, ...]) -> Int32:
    """(V,) number of the part whose joints a vertex follows most."""
    of_joint = part_of_joints(character.skeleton, parts)
    shares = np.zeros((len(character.vertices), len(parts)))
    rows = np.arange(len(character.vertices))
    for influence in range(character.weights.shape[1]):
        np.add.at(shares, (rows, of_joint[character.weight_joints[:, influence]]), character.weights[:, influence])
    return shares.argmax(axis=1).astype(np.int32)
