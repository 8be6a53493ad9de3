"""Spines of other numbers of joints: what lies between two joints that belong together is taken from where it lies along the way.

A spine of three joints on one of six: joints as far up as one of the source's turn as that does, those between two of them share the
bend. A spine that is cut into more pieces and put together again comes back as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import World
from reenact.core.skeleton import Skeleton

TRUNK = ("hips", "spine", "chest", "neck", "head")
"""Roles of the trunk, from below."""

_SAME = 0.02  # of the way, in which two joints lie at the same place


def joints_between(skeleton: Skeleton, above: int, below: int) -> list[tuple[int, float]]:
    """(joint, share of the way along the bones) of the joints between two of a chain, from above; empty where they are no chain."""
    chain = skeleton.ancestors(below)
    if above == below or above not in chain:
        return []
    inner = list(reversed(chain[: chain.index(above)]))
    ways = np.cumsum([float(np.linalg.norm(skeleton.offsets[joint])) for joint in inner])
    total = max(float(ways[-1]), 1e-9)
    return [(joint, float(way) / total) for joint, way in zip(inner[:-1], ways[:-1], strict=True)]


def spine_turns(
    pairs: Mapping[str, tuple[int, int]],
    skeletons: tuple[Skeleton, Skeleton],
    world: World,
    bodies: Mapping[str, Float],
    standing: tuple[World, World],
) -> dict[int, Float]:
    """Joint of the target -> (F, 4) its rotation in the world, for joints of the trunk that have no partner.

    Args:
        pairs: role -> (joint of the source, joint of the target).
        skeletons: source and target.
        world: the source's motion.
        bodies: role -> (F, 4) the frame of that part of the body in the source's motion.
        standing: either body as it stands, one frame: there all parts of the trunk have the same frame.
    """
    found: dict[int, Float] = {}
    known = [role for role in TRUNK if role in pairs and role in bodies]
    for near, far in pairwise(known):
        (a, b), (c, d) = pairs[near], pairs[far]
        if b == d:
            continue
        targets = joints_between(skeletons[1], b, d)
        if not targets:
            continue
        keys = [(0.0, bodies[near])]
        for joint, share in joints_between(skeletons[0], a, c):
            turn = R.conjugate(standing[0].rotations[0, joint])
            keys.append((share, R.multiply(world.rotations[:, joint], turn)))
        keys.append((1.0, bodies[far]))
        for joint, share in targets:
            found[joint] = R.multiply(_between(keys, share), standing[1].rotations[0, joint])
    return found


def _between(keys: list[tuple[float, Float]], share: float) -> Float:
    """(F, 4) the frame at a share of the way."""
    for place, frame in keys[1:-1]:
        if abs(place - share) < _SAME:
            return frame
    for (low, first), (high, second) in pairwise(keys):
        if low <= share <= high and high > low:
            part = (share - low) / (high - low)
            return R.slerp(first, second, np.full(len(first), part))
    return keys[-1][1]
