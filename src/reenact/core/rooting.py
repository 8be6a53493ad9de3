"""Clips whose root joint stands still while the hips below it travel: the same motion with a root that travels along."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reenact.core import rotations as R
from reenact.core.clip import Clip, JointTranslations
from reenact.core.heading import find_headings


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
    world = clip.world(np.float64)
    heading = find_headings(clip).angles
    turn, back = R.about_y(heading), R.about_y(-heading)
    root = world.positions[:, hips] * (1.0, 0.0, 1.0)
    root[:, 1] = clip.root[:, 1]
    rotations = clip.rotations.astype(np.float64)
    rotations[:, 0] = turn
    rotations[:, hips] = R.multiply(back, world.rotations[:, hips])
    values = moved.values.copy()
    where = int(np.searchsorted(moved.joints, hips))
    values[:, where] = R.rotate(back, world.positions[:, hips] - root)
    carried = replace(
        clip,
        rotations=rotations.astype(np.float32),
        root=root.astype(np.float32),
        translations=JointTranslations(moved.joints, values),
    )
    return carried.with_plants(clip.plants)
