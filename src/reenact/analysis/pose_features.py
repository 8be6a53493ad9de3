"""Poses and speeds as points: how alike two frames are is the distance between them."""

from __future__ import annotations

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.derivatives import differentiate
from reenact.core.placement import find_headings

_VELOCITY = 0.12  # seconds: what a difference of 1 m/s counts in metres is this


def pose_features(clip: Clip, places: Float | None = None) -> Float:
    """(F, D) positions (metres) and scaled velocities of joints seen from where the body stands and faces, over the root of D / 6.

    Args:
        clip: the motion.
        places: (F, J, 3) world positions of its joints, when they are known.
    """
    world = clip.world(np.float64).positions if places is None else places
    joints = sorted({*clip.skeleton.roles.values()}) or list(range(len(clip.skeleton)))
    heading = find_headings(clip).angles
    away = R.about_y(-heading)[:, None]
    stand = world[:, clip.skeleton.roles.get("hips", 0)] * (1.0, 0.0, 1.0)
    places = R.rotate(away, world[:, joints] - stand[:, None])
    speeds = R.rotate(away, differentiate(world[:, joints], clip.fps)) * _VELOCITY
    both = np.concatenate([places, speeds], axis=1).reshape(len(clip), -1)
    return both / np.sqrt(len(joints))
