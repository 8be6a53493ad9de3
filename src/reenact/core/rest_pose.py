"""The rest pose of a skeleton in the world."""

from __future__ import annotations

from reenact.core.arrays import Float
from reenact.core.rotations import multiply, rotate
from reenact.core.skeleton import Skeleton


def pose_at_rest(skeleton: Skeleton) -> tuple[Float, Float]:
    """World positions (J, 3) and rotations (J, 4) of the rest pose."""
    rotations, points = skeleton.rest.copy(), skeleton.offsets.copy()
    for joint in range(1, len(skeleton)):
        parent = skeleton.parents[joint]
        points[joint] = points[parent] + rotate(rotations[parent], skeleton.offsets[joint])
        rotations[joint] = multiply(rotations[parent], skeleton.rest[joint])
    return points, rotations
