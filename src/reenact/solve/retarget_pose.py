"""Poses put together from the world rotations of some joints: those in between share the bend, those without a partner keep their pose."""

from __future__ import annotations

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.skeleton import Skeleton


def local_rotations(target: Clip, turned: dict[int, Float]) -> Float:
    """(F, J, 4) local rotations from world rotations of some joints; the bend between two of them is shared by those in between."""
    skeleton = target.skeleton
    neutral = R.normalize(R.mean(target.rotations.astype(np.float64)))
    if skeleton.roles["hips"] != 0:
        neutral[0] = R.identity()
    count = len(next(iter(turned.values())))
    shared = _in_between(skeleton, turned)
    world = np.empty((count, len(skeleton), 4))
    for joint in range(len(skeleton)):
        parent = int(skeleton.parents[joint])
        if joint in turned:
            world[:, joint] = turned[joint]
        elif joint in shared:
            above, below, share = shared[joint]
            rest, end = (_chain(skeleton, neutral, above, j) for j in (joint, below))
            bend = R.multiply(R.multiply(R.conjugate(turned[above]), turned[below]), R.conjugate(end))
            part = R.slerp(R.identity(count), bend, np.full(count, share))
            world[:, joint] = R.multiply(R.multiply(turned[above], part), rest)
        else:
            world[:, joint] = neutral[joint] if parent < 0 else R.multiply(world[:, parent], neutral[joint])
    local = world.copy()
    local[:, 1:] = R.multiply(R.conjugate(world[:, skeleton.parents[1:]]), world[:, 1:])
    return R.normalize(local)


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


def _spine(skeleton: Skeleton) -> set[int]:
    return {skeleton.roles[role] for role in ("spine", "chest", "neck", "head") if role in skeleton.roles}


def _chain(skeleton: Skeleton, local: Float, above: int, joint: int) -> Float:
    """(4,) the rotation of a joint seen from one above it."""
    turn = R.identity()
    while joint != above:
        turn = R.multiply(local[joint], turn)
        joint = int(skeleton.parents[joint])
    return turn
