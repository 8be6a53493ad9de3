"""The grid of distances between the frames of two motions, and the alignment that goes with each.

Registration specification A2 to A4: each frame is the cloud of its joints and end sites over a few neighbouring frames; the distance of two
frames is the root mean square distance of their points after the best turn and shift on the floor, in metres.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from reenact.analysis.metrics.point_clouds import (
    Alignment,
    PointCloudFeatures,
    PointCloudMetric,
    PointCloudParameters,
)
from reenact.analysis.metrics.protocol import distance_matrix
from reenact.core.arrays import Float, Float32, Float64
from reenact.core.clip import Clip
from reenact.core.joint_weights import JointWeights
from reenact.core.resample import sample_at
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError

PointWeights = str | JointWeights
"""A preset of `MARKER_WEIGHTS`, or weights joint by joint."""

MARKER_WEIGHTS = ("equal", "lower-body", "mass")
"""Presets: every joint and end site alike; hips and legs four times the rest; each segment's share of the body's mass."""

_BONE_POINTS = 0.05 * np.eye(3)  # metres along the axes of a joint: any turn of it moves two of the three
_UPPER = 0.25  # weight of what is above the hips in the preset "lower-body"


@dataclass(frozen=True, eq=False)
class DistanceGrid:
    """Distances of every frame of one motion to every frame of another.

    Attributes:
        distances: (m, n) float32 metres.
        metric: what they were measured with.
        one: features of the first motion's frames.
        other: features of the second's.
    """

    distances: Float32
    metric: PointCloudMetric
    one: PointCloudFeatures
    other: PointCloudFeatures

    @property
    def shape(self) -> tuple[int, int]:
        """Frames of the first motion, frames of the second."""
        return self.distances.shape[0], self.distances.shape[1]

    @cached_property
    def mean(self) -> float:
        """Mean distance of all cells, metres."""
        return float(self.distances.mean(dtype=np.float64))

    @cached_property
    def alignment(self) -> Alignment:
        """Turn, shift and confidence of every cell: how the second motion's frame is laid over the first's. Made when first asked for."""
        return self.metric.align(self.one, self.other, slice(None), slice(None))

    @property
    def turn(self) -> Float64:
        """(m, n) radians."""
        return np.asarray(self.alignment.turn, dtype=np.float64)

    @property
    def shift(self) -> Float64:
        """(m, n, 2) metres along x and z."""
        return np.asarray(self.alignment.shift, dtype=np.float64)

    @property
    def confidence(self) -> Float64:
        """(m, n) 0..1, how well the turn is determined."""
        return np.asarray(self.alignment.confidence, dtype=np.float64)

    def align_cells(self, cells: np.ndarray) -> Alignment:
        """Turn (P,), shift (P, 2) and confidence (P,) of single cells (P, 2)."""
        return self.metric.align_cells(self.one, self.other, cells[:, 0], cells[:, 1])

    def along(self, path: np.ndarray) -> Float64:
        """(P,) distances on a path (P, 2) of cells, metres."""
        return self.distances[path[:, 0], path[:, 1]].astype(np.float64)

    def shown(self) -> Float32:
        """(m, n) distances scaled to 0..1, for pictures only: a path found on these would be another one."""
        low, high = float(self.distances.min()), float(self.distances.max())
        return (self.distances - np.float32(low)) / np.float32(max(high - low, 1e-12))

    def transposed(self) -> DistanceGrid:
        """The same grid with the motions exchanged."""
        return DistanceGrid(np.ascontiguousarray(self.distances.T), self.metric, self.other, self.one)


def sample_frames(frames: int, fps: float, rate: float, samples: int | None = None) -> Float64:
    """(m,) fractional frames at which a clip is compared: evenly from its first frame to its last.

    Args:
        frames: of the clip.
        fps: of the clip.
        rate: samples per second, about: the last frame is always one of them.
        samples: so many instead.
    """
    span = frames - 1
    count = samples if samples is not None else round(span * rate / fps) + 1
    return np.linspace(0.0, span, max(count, 2)) if frames > 1 else np.zeros(1)


def marker_points(clip: Clip, markers: Literal["joints", "bones"] = "joints") -> Float64:
    """(F, P, 3) world positions of all joints, then all end sites, metres; with "bones" three more about each joint that show its twist."""
    world = clip.world(np.float64)
    skeleton = clip.skeleton
    found = [world.point(int(j), at) for j, at in zip(skeleton.end_joints, skeleton.end_offsets, strict=True)]
    if markers == "bones":
        found += [world.point(joint, at) for joint in range(len(skeleton)) for at in _BONE_POINTS]
    if not found:
        return world.positions.astype(np.float64, copy=False)
    return np.concatenate([world.positions, np.stack(found, axis=1)], axis=1, dtype=np.float64)


def marker_weights(
    skeleton: Skeleton,
    weights: PointWeights = "equal",
    markers: Literal["joints", "bones"] = "joints",
) -> Float64:
    """(P,) weights of `marker_points`, sum 1; the end sites of a joint and the points about it weigh as much as the joint each.

    Raises:
        ParameterError: no such preset.
        SkeletonError: the skeleton lacks the roles that the preset needs, or a joint that is named.
    """
    joints = np.ones(len(skeleton))
    if isinstance(weights, JointWeights):
        joints = weights.of(skeleton)
    elif weights not in MARKER_WEIGHTS:
        raise ParameterError(f"weights must be {', '.join(MARKER_WEIGHTS)}, not {weights!r}", where="weights")
    elif weights == "lower-body":
        hips, left, right = skeleton.require_roles("hips", "left_upper_leg", "right_upper_leg")
        joints[:] = _UPPER
        joints[[hips, *skeleton.subtree(left), *skeleton.subtree(right)]] = 1.0
    elif weights == "mass":
        joints = _mass_shares(skeleton)
    parts = [joints, joints[skeleton.end_joints]]
    if markers == "bones":
        parts.append(np.repeat(joints, len(_BONE_POINTS)))
    total = np.concatenate(parts)
    return total / total.sum()


def _mass_shares(skeleton: Skeleton) -> Float64:
    """(J,) masses of the segments, shared out to the joints at their two ends; other joints have none."""
    from reenact.body.segments import HEAD_MASS, LIMB_SEGMENTS, TRUNK_SEGMENTS

    skeleton.require_roles("hips", "head", "left_upper_leg", "right_upper_leg", "left_upper_arm", "right_upper_arm")
    masses = np.zeros(len(skeleton))
    for side in ("left", "right"):
        for segment in LIMB_SEGMENTS:
            near = skeleton.roles.get(f"{side}_{segment.near}")
            if near is None:
                continue
            far = skeleton.roles.get(f"{side}_{segment.far}", near)
            masses[near] += segment.mass * (1 - segment.centre)
            masses[far] += segment.mass * segment.centre
    middle = skeleton.roles.get("chest", skeleton.roles["hips"])
    trunk = sum(mass for _, mass, _ in TRUNK_SEGMENTS)
    masses[skeleton.roles["hips"]] += 0.5 * trunk
    masses[middle] += 0.5 * trunk
    masses[skeleton.roles["head"]] += HEAD_MASS
    return masses


def describe_samples(
    clip: Clip,
    at: Float64,
    rate: float,
    window: int = 2,
    taper: Literal["even", "triangle"] = "even",
    weights: PointWeights = "equal",
    markers: Literal["joints", "bones"] = "joints",
) -> tuple[PointCloudMetric, PointCloudFeatures]:
    """The metric, and a clip's features at fractional frames `at` (m,), with windows of `window` samples to either side."""
    metric = PointCloudMetric(PointCloudParameters(frames=2 * window + 1, span=0.0, taper=taper))
    exact = len(at) == len(clip) and np.array_equal(at, np.arange(len(clip)))
    sampled = clip if exact else sample_at(clip, at, rate)
    shares = None if weights == "equal" else marker_weights(clip.skeleton, weights, markers)
    return metric, metric.describe_points(marker_points(sampled, markers), rate, shares)


def measure_grid(metric: PointCloudMetric, one: PointCloudFeatures, other: PointCloudFeatures) -> DistanceGrid:
    """Distances of all frames of one motion to all of another, tile by tile."""
    return DistanceGrid(distance_matrix(metric, one, other), metric, one, other)


def align_clouds(one: Float, other: Float) -> Alignment:
    """The one turn and shift that best lay a cloud (P, 3) of points on another: of single frames, or of whole motions at once.

    Aherne (2005) lays whole clips on each other so, point by point, to show the alignment.

    Returns:
        turn (1,), shift (1, 2), confidence (1,).
    """
    metric = PointCloudMetric(PointCloudParameters(frames=1, span=0.0))
    here = np.zeros(1, np.int64)
    return metric.align_cells(
        metric.describe_points(one[None], 1.0), metric.describe_points(other[None], 1.0), here, here
    )
