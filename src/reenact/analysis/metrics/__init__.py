"""Distances between poses: one protocol, three metrics.

Features once, distances as often as wanted::

    metric = PointCloudMetric()
    features = metric.describe(clip)
    distances = distance_matrix(metric, features)

`EffectorMetric` (neutral frame, end effectors), `PointCloudMetric` (windows, best alignment on the floor), `AngleMetric` (joint
rotations and velocities). Distances are metres or radians, float32, and come in tiles.
"""

from __future__ import annotations

from reenact.analysis.metrics.effectors import EFFECTOR_WEIGHTS, EffectorMetric, EffectorParameters
from reenact.analysis.metrics.joint_angles import ANGLE_WEIGHTS, AngleMetric, AngleParameters
from reenact.analysis.metrics.point_clouds import Alignment, PointCloudMetric, PointCloudParameters
from reenact.analysis.metrics.protocol import (
    PoseFeatures,
    PoseMetric,
    describe_clips,
    distance_matrix,
    iterate_tiles,
    nearest_frames,
    transition_costs,
)

__all__ = [
    "ANGLE_WEIGHTS",
    "EFFECTOR_WEIGHTS",
    "Alignment",
    "AngleMetric",
    "AngleParameters",
    "EffectorMetric",
    "EffectorParameters",
    "PointCloudMetric",
    "PointCloudParameters",
    "PoseFeatures",
    "PoseMetric",
    "describe_clips",
    "distance_matrix",
    "iterate_tiles",
    "nearest_frames",
    "transition_costs",
]
