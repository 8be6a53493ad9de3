"""Whether a clip stays on one level floor, which a mobility map takes for granted.

Poses of somebody who climbs or goes up steps stand at other heights, and a jump from the floor to such a pose would lift the body into
the air.
"""

from __future__ import annotations

import numpy as np

from reenact.analysis.foot_points import find_foot_points
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.errors import SkeletonError

OFF = 0.13
"""Share of the height of the hips by which a planted foot may stand above or below where it usually does."""

MOST = 0.1
"""Share of the planted frames that may stand farther off."""


def share_off_level(clip: Clip, plants: FootPlants | None) -> float:
    """The share of the frames with a planted heel or ball in which it stands on another level than it mostly does; 0 without feet."""
    if plants is None:
        return 0.0
    try:
        points = find_foot_points(clip.skeleton, clip)
    except SkeletonError:
        return 0.0
    world = clip.world(np.float64)
    hips = world.positions[:, clip.skeleton.roles.get("hips", 0), 1]
    levels: list[np.ndarray] = []
    for side in points.sides:
        foot = plants.foot(side)
        for point, planted in ((points.heel[side], foot.heel), (points.ball[side], foot.ball)):
            if not planted.any():
                continue
            place = np.asarray(point.place, dtype=np.float64)
            heights = (world.positions[:, point.joint] + R.rotate(world.rotations[:, point.joint], place))[planted, 1]
            levels.append(heights - np.median(heights))
    if not levels:
        return 0.0
    tall = float(np.median(hips) - plants.floor.height)
    return float(np.mean(np.abs(np.concatenate(levels)) > OFF * max(tall, 0.1)))
