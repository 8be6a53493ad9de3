"""Where the root joint of a clip is, while every other joint stays where it is in the world; and a root above skeletons that have none.

Clips have their root in one of three places: it is the hips, it travels with them, or it stands still while the hips below it travel.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip, JointTranslations
from reenact.core.heading import find_headings
from reenact.core.skeleton import IDENTITY, Skeleton

ROOT_NAMES = ("root", "root_motion", "root_joint")
"""Names of a joint that is added above the hips: the first that is free."""


def carry_root(clip: Clip) -> Clip:
    """The clip itself when its root is the hips; else, where the hips hang on the root and move there, the root brought below them.

    World positions and rotations of every joint but the root stay what they are. Blending needs it: a root far from the body would
    swing the body about when its rotation is blended.
    """
    skeleton = clip.skeleton
    hips = skeleton.roles.get("hips", 0)
    moved = clip.translations
    if hips == 0 or skeleton.parents[hips] != 0 or len(skeleton.children[0]) != 1:
        return clip
    if moved is None or hips not in moved.joints:
        return clip
    places = clip.world(np.float64).positions[:, hips] * (1.0, 0.0, 1.0)
    places[:, 1] = clip.root[:, 1]
    return put_root(clip, places, R.about_y(find_headings(clip).angles))


def put_root(clip: Clip, places: Float, turns: Float) -> Clip:
    """The clip with its root joint elsewhere; all other joints keep their places and rotations in the world. Plants stay.

    Args:
        clip: any clip.
        places: (F, 3) metres, where the root joint shall be.
        turns: (F, 4) its world rotations.
    """
    skeleton, world = clip.skeleton, clip.world(np.float64)
    below, back = list(skeleton.children[0]), R.conjugate(turns)
    rotations = clip.rotations.astype(np.float64)
    rotations[:, 0] = turns
    moved: dict[int, Float] = {}
    if clip.translations is not None:
        moved = {int(joint): clip.translations.values[:, n] for n, joint in enumerate(clip.translations.joints)}
    for joint in below:
        rotations[:, joint] = R.multiply(back, world.rotations[:, joint])
        moved[joint] = R.rotate(back, world.positions[:, joint] - places)
    translations = clip.translations
    if moved:
        joints = sorted(moved)
        values = np.stack([moved[joint] for joint in joints], axis=1).astype(np.float32)
        translations = JointTranslations(np.array(joints, np.int32), values)
    changed = replace(
        clip, rotations=rotations.astype(np.float32), root=places.astype(np.float32), translations=translations
    )
    return changed.with_plants(clip.plants)


def add_root(clip: Clip) -> Clip:
    """The clip on a skeleton with one more joint above its root, which stands at the origin; joints keep their places. Plants stay.

    Channel layouts of a file that had no such joint are forgotten.
    """
    body, count = clip.skeleton, len(clip)
    name = next((one for one in ROOT_NAMES if one not in body.names), "")
    number = 2
    while not name:
        name = f"root_{number}" if f"root_{number}" not in body.names else ""
        number += 1
    skeleton = Skeleton(
        (name, *body.names),
        np.array([-1, *(body.parents + 1)], np.int32),
        np.concatenate([np.zeros((1, 3)), body.offsets]),
        np.concatenate([[IDENTITY], body.rest]),
        body.end_joints + 1,
        body.end_offsets,
        {role: joint + 1 for role, joint in body.roles.items()},
    )
    joints, values = np.array([1], np.int32), clip.root[:, None]
    if clip.translations is not None:
        joints = np.concatenate([joints, clip.translations.joints + 1])
        values = np.concatenate([values, clip.translations.values], axis=1)
    turns = np.tile(np.array(IDENTITY, np.float32), (count, 1, 1))
    added = replace(
        clip,
        skeleton=skeleton,
        rotations=np.concatenate([turns, clip.rotations], axis=1),
        root=np.zeros((count, 3), np.float32),
        translations=JointTranslations(joints, values),
        origin=replace(clip.origin, channels=(), adds_offset=False, added_pose=None, acclaim=()),
    )
    return added.with_plants(clip.plants)
