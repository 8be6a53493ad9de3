"""Poses put together from the world rotations of some joints: those in between share the bend, those without a partner keep their pose.

A joint within the spine shares the bend between its neighbours; one within an arm or a leg is there for the twist, and shares that alone:
elbows and knees bend where they are. Twist joints that hang beside the bone (leaves of a forearm, say) turn along with it as well.
"""

from __future__ import annotations

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.role_names import read_name
from reenact.core.roles import SIDED
from reenact.core.skeleton import Skeleton

_LIMB = tuple(f"{side}_{part}" for side in ("left", "right") for part in SIDED if part not in ("shoulder", "toes"))
_ON_BONE = 0.12  # of a bone's length that a twist joint beside it may lie off its line


def local_rotations(target: Clip, turned: dict[int, Float]) -> Float:
    """(F, J, 4) local rotations from world rotations of some joints; the bend between two of them is shared by those in between."""
    skeleton = target.skeleton
    neutral = R.normalize(R.mean(target.rotations.astype(np.float64)))
    if skeleton.roles["hips"] != 0 and len(target) > 1:  # where a motion happened to look to
        neutral[0] = R.identity()
    count = len(next(iter(turned.values())))
    shared, beside = _in_between(skeleton, turned), _twists_beside(skeleton, turned)
    limbs = {skeleton.roles[role] for role in _LIMB if role in skeleton.roles}
    world: list[Float] = []
    local = np.empty((count, len(skeleton), 4))
    for joint in range(len(skeleton)):
        parent = int(skeleton.parents[joint])
        if joint in turned:
            own = turned[joint]
        elif joint in shared:
            above, below, share = shared[joint]
            rest, end = (_chain(skeleton, neutral, above, j) for j in (joint, below))
            bend = R.multiply(R.multiply(R.conjugate(turned[above]), turned[below]), R.conjugate(end))
            if above in limbs:
                bend = _twist_about(bend, _axis(skeleton, neutral, above, below))
            own = R.multiply(R.multiply(turned[above], _part(bend, share)), rest)
        elif joint in beside:
            below, share = beside[joint]
            rest, end = (_chain(skeleton, neutral, parent, j) for j in (joint, below))
            bend = R.multiply(R.multiply(R.conjugate(turned[parent]), turned[below]), R.conjugate(end))
            twist = _twist_about(bend, _axis(skeleton, neutral, parent, below))
            own = R.multiply(R.multiply(turned[parent], _part(twist, share)), rest)
        else:
            local[:, joint] = neutral[joint]
            world.append(
                np.broadcast_to(neutral[joint], (count, 4)) if parent < 0 else _turn(world[parent], neutral[joint])
            )
            continue
        world.append(own)
        local[:, joint] = own if parent < 0 else R.multiply(R.conjugate(world[parent]), own)
    return R.normalize(local)


def _turn(rotations: Float, by: Float) -> Float:
    if rotations.strides[0] == 0:  # the same in every frame
        return np.broadcast_to(R.multiply(rotations[0], by), rotations.shape)
    return R.multiply(rotations, by)


def _part(bend: Float, share: float) -> Float:
    return R.slerp(R.identity(len(bend)), bend, np.full(len(bend), share))


def _twist_about(turn: Float, axis: Float) -> Float:
    """(F, 4) the part of a rotation that turns about an axis (3,)."""
    along = turn[:, 1:] @ axis
    twist = np.column_stack([turn[:, 0], along[:, None] * axis])
    twist[(np.abs(twist) < 1e-9).all(axis=1), 0] = 1.0
    return R.normalize(twist)


def _axis(skeleton: Skeleton, neutral: Float, above: int, below: int) -> Float:
    """(3,) the direction of the bone from one joint to another below it, in the axes of the first."""
    way = _place(skeleton, neutral, above, below)
    return R.normalize(way + np.array([0.0, 1e-12, 0.0]))


def _place(skeleton: Skeleton, neutral: Float, above: int, joint: int) -> Float:
    """(3,) metres of a joint in the axes of one above it."""
    place = np.zeros(3)
    while joint != above:
        place = skeleton.offsets[joint] + (R.rotate(neutral[joint], place) if place.any() else 0.0)
        joint = int(skeleton.parents[joint])
    return place


def _in_between(skeleton: Skeleton, turned: dict[int, Float]) -> dict[int, tuple[int, int, float]]:
    """Joint -> (known joint above, known joint below, share of the bend between them); the spine comes first where ways part."""
    found: dict[int, tuple[int, int, float]] = {}
    order = sorted(turned, key=lambda joint: (joint not in _spine(skeleton), joint))
    for below in order:
        chain = []
        for joint in skeleton.ancestors(below)[1:]:
            if joint in turned:
                for n, inner in enumerate(reversed(chain), 1):
                    found.setdefault(inner, (joint, below, n / (len(chain) + 1)))
                break
            chain.append(joint)
    return found


def _twists_beside(skeleton: Skeleton, turned: dict[int, Float]) -> dict[int, tuple[int, float]]:
    """Leaf on a limb's bone -> (the known joint at the bone's end, how far along the bone it lies)."""
    found: dict[int, tuple[int, float]] = {}
    for part, ahead in (("lower_arm", "hand"), ("lower_leg", "foot")):
        for side in ("left", "right"):
            near, far = (skeleton.roles.get(f"{side}_{one}") for one in (part, ahead))
            if near is None or far is None or near not in turned or far not in turned or skeleton.parents[far] != near:
                continue
            bone = skeleton.offsets[far]
            length = float(np.linalg.norm(bone))
            for joint in skeleton.children[near]:
                if joint in turned or not read_name(skeleton.names[joint]).helper:
                    continue
                along = float(skeleton.offsets[joint] @ bone) / max(length, 1e-9) ** 2
                off = float(np.linalg.norm(skeleton.offsets[joint] - along * bone))
                if 0.0 <= along <= 1.05 and off < _ON_BONE * length:
                    found[joint] = (far, min(along, 1.0))
    return found


def _spine(skeleton: Skeleton) -> set[int]:
    return {skeleton.roles[role] for role in ("spine", "chest", "neck", "head") if role in skeleton.roles}


def _chain(skeleton: Skeleton, local: Float, above: int, joint: int) -> Float:
    """(4,) the rotation of a joint seen from one above it."""
    turn = R.identity()
    while joint != above:
        turn = R.multiply(local[joint], turn)
        joint = int(skeleton.parents[joint])
    return turn
