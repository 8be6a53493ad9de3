"""The pose in which a skeleton stands: what tells how its joints lie in the body, whatever way its bones point.

A T-pose, an A-pose, arms at the sides: which one does not matter, as long as the body is upright (or stands on four legs) and its legs
point down. The rest pose is one on most characters; recordings often have one put before them instead.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.skeleton import Skeleton

_DOWN = 0.6  # cosine between legs and the vertical
_LEVEL = 0.5  # sine of what the line of the hips may be tilted by
_TRUNK = 0.6  # sine of the trunk's rise, below which it is level
_UP = (0.0, 1.0, 0.0)


def rest_of(clip: Clip) -> Clip:
    """The rest pose of a clip's skeleton, one frame."""
    return posed(clip.skeleton, clip.skeleton.rest, clip.fps)


def posed(skeleton: Skeleton, rotations: Float, fps: float = 30.0, root: Float | None = None) -> Clip:
    """One frame: local rotations (J, 4), the root at a place (3,)."""
    place = np.zeros((1, 3)) if root is None else np.asarray(root)[None]
    return Clip(skeleton, np.asarray(rotations)[None].astype(np.float32), place.astype(np.float32), fps)


def standing_pose(clip: Clip) -> Clip | None:
    """The pose in which a clip's skeleton stands, facing ahead, one frame: its rest pose, or the pose put before the recording.

    None where neither is one: all bones in one line, say.
    """
    added = clip.origin.added_pose
    poses = [rest_of(clip)] if added is None else [rest_of(clip), posed(clip.skeleton, added.rotations, clip.fps)]
    return next((facing_ahead(pose) for pose in poses if stands(pose)), None)


def stands(pose: Clip) -> bool:
    """Whether the first frame is a body that stands: hips level, legs down, and shoulders or head not below the hips."""
    roles = pose.skeleton.roles
    places = pose.world(np.float64).positions[0]
    if not all(f"{side}_{part}" in roles for side in ("left", "right") for part in ("upper_leg", "lower_leg")):
        return False
    left, right = (places[roles[f"{side}_upper_leg"]] for side in ("left", "right"))
    across = left - right
    width = float(np.linalg.norm(across))
    if width < 1e-6 or abs(across[1]) > _LEVEL * width:
        return False
    for side in ("left", "right"):
        end = places[roles.get(f"{side}_foot", roles[f"{side}_lower_leg"])]
        leg = end - places[roles[f"{side}_upper_leg"]]
        if -leg[1] < _DOWN * max(float(np.linalg.norm(leg)), 1e-9):
            return False
    top = next((roles[role] for role in ("neck", "head", "chest") if role in roles), None)
    return top is None or bool(places[top, 1] > 0.5 * (left[1] + right[1]) - 0.5 * width)


def goes_on_four(pose: Clip) -> bool:
    """Whether a body stands with its trunk level, as animals do: they stand on their toes."""
    roles, places = pose.skeleton.roles, pose.world(np.float64).positions
    top = next((roles[role] for role in ("neck", "chest", "head") if role in roles), None)
    if top is None or "hips" not in roles:
        return False
    trunk = places[:, top] - places[:, roles["hips"]]
    return bool(np.median(trunk[:, 1] / np.maximum(np.linalg.norm(trunk, axis=1), 1e-9)) < _TRUNK)


def facing_ahead(pose: Clip) -> Clip:
    """The first frame turned about the vertical so that left is +x, where its hips tell."""
    roles = pose.skeleton.roles
    one = replace(
        pose,
        rotations=pose.rotations[:1],
        root=pose.root[:1],
        translations=None if pose.translations is None else pose.translations[:1],
    )
    if not pose.skeleton.has_roles("left_upper_leg", "right_upper_leg"):
        return one
    places = one.world(np.float64).positions[0]
    across = places[roles["left_upper_leg"]] - places[roles["right_upper_leg"]]
    turn = R.from_axis_angle(_UP, float(np.arctan2(across[2], across[0])))
    rotations = one.rotations.astype(np.float64)
    rotations[:, 0] = R.multiply(turn, rotations[:, 0])
    root = R.rotate(turn, one.root.astype(np.float64))
    return replace(one, rotations=rotations.astype(np.float32), root=root.astype(np.float32))
