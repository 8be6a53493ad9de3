"""Motions of two skeletons as motions of their common parts: one joint for each role that both know, so that they can be compared.

Joints are where they were, to the micrometre; their axes are those of the skeleton they come from.
"""

from __future__ import annotations

import numpy as np

from reenact.core import rotations as R
from reenact.core.clip import Clip, JointTranslations
from reenact.core.rest_pose import pose_at_rest
from reenact.core.roles import ROLES
from reenact.core.skeleton import Skeleton

_ABOVE = {
    "spine": "hips",
    "chest": "spine",
    "neck": "chest",
    "head": "neck",
    "shoulder": "chest",
    "upper_arm": "shoulder",
    "lower_arm": "upper_arm",
    "hand": "lower_arm",
    "upper_leg": "hips",
    "lower_leg": "upper_leg",
    "foot": "lower_leg",
    "toes": "foot",
}


def common_roles(*skeletons: Skeleton) -> tuple[str, ...]:
    """Roles that all of them know, the hips first; empty without hips."""
    shared = [role for role in ROLES if all(role in one.roles for one in skeletons)]
    return tuple(shared) if "hips" in shared else ()


def on_roles(clip: Clip, roles: tuple[str, ...], scale: float = 1.0) -> Clip:
    """A motion of the joints of some roles, called by them, its lengths multiplied by `scale`."""
    joints = [clip.skeleton.roles[role] for role in roles]
    parents = [-1 if role == "hips" else roles.index(_next_above(role, roles)) for role in roles]
    world = clip.world(np.float64)
    places, turned = scale * world.positions[:, joints], world.rotations[:, joints]
    up = np.array(parents[1:])
    local = turned.copy()
    local[:, 1:] = R.multiply(R.conjugate(turned[:, up]), turned[:, 1:])
    ways = R.rotate(R.conjugate(turned[:, up]), places[:, 1:] - places[:, up])
    _, at_rest = pose_at_rest(clip.skeleton)
    rest = np.array(at_rest[joints], np.float64)
    rest[1:] = R.multiply(R.conjugate(at_rest[joints][up]), at_rest[joints][1:])
    offsets = np.concatenate([scale * clip.skeleton.offsets[joints[:1]], ways.mean(axis=0)])
    skeleton = Skeleton(
        roles, np.array(parents, np.int32), offsets, rest, roles={role: n for n, role in enumerate(roles)}
    )
    moved = JointTranslations(np.arange(1, len(roles), dtype=np.int32), ways.astype(np.float32))
    rotations = R.make_continuous(R.normalize(local)).astype(np.float32)
    made = Clip(skeleton, rotations, places[:, 0].astype(np.float32), clip.fps, clip.name, moved, clip.origin)
    return made.with_plants(clip.plants)


def _next_above(role: str, roles: tuple[str, ...]) -> str:
    """The nearest role above one, of those there are."""
    side, _, part = role.partition("_")
    sided = side in ("left", "right")
    above = _ABOVE[part if sided else role]
    if sided and above in ("shoulder", "upper_arm", "lower_arm", "upper_leg", "lower_leg", "foot"):
        above = f"{side}_{above}"
    return above if above in roles else _next_above(above, roles)
