"""Weighted rotation differences of the joints, with the differences of their angular velocities and of the root's velocity.

Mobility specification A2 (equations 3.7 to 3.13, after Lee et al. 2002 with the joint weights of Wang and Bodenheimer 2003)::

    d = sum w |log(q'^-1 q)| + o sum w |r - r'| + p |v - v'|

over the joints, r their angular velocities, v the root's velocity in the facing frame. The root counts as a joint through its
orientation without heading, and through its angular velocity in its own axes, so turning counts and the direction of the recording does
not. Logs are full rotation vectors: angles here are twice those of the specification's half-angle formula, and thresholds on them double.
The cost of a jump (3.9 to 3.13) is `transition_costs` of this metric.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from reenact import kernels
from reenact.analysis.metrics.protocol import joined_starts
from reenact.core.arrays import Float32
from reenact.core.clip import Clip
from reenact.core.heading import factor_heading
from reenact.core.joint_weights import JointWeights
from reenact.core.parameters import check_ranges, option
from reenact.core.rotations import about_y, conjugate, log, multiply, normalize, rotate
from reenact.core.skeleton import Skeleton

ANGLE_WEIGHTS = JointWeights(
    {
        "hips": 1.0,
        "left_upper_leg": 1.0,
        "right_upper_leg": 1.0,
        "left_upper_arm": 0.7884,
        "right_upper_arm": 0.7884,
        "left_lower_leg": 0.0901,
        "right_lower_leg": 0.0901,
        "left_lower_arm": 0.0247,
        "right_lower_arm": 0.0247,
    }
)
"""Hip joints, shoulders, knees and elbows as Wang and Bodenheimer (2003) found them to matter for the smoothness of transitions, as the
specification recalls them (not verified against the paper), and the root with weight 1."""


@dataclass(frozen=True, slots=True)
class AngleParameters:
    """How velocities count beside angles."""

    joint_speed: float = option(
        0.15, "weight of a joint's angular velocity against its angle, as a time", unit="s", low=0
    )
    root_speed: float = option(0.7, "weight of the root's velocity: radians for each metre per second", low=0)

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True, slots=True, eq=False)
class AngleFeatures:
    """Rotations and velocities of weighted joints.

    Attributes:
        rotations: (N, K, 4) float32 unit quaternions; the root's without heading.
        speeds: (N, K + 1, 3) float32: angular velocities in rad/s in each joint's own axes, then the root's velocity in m/s in the facing
            frame. Both are steps from the frame before; the first frame of a clip has its successor's.
        weights: (K,) float32.
        starts: (C + 1,) first frame of each clip, then N.
    """

    rotations: Float32
    speeds: Float32
    weights: Float32
    starts: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.rotations)


@dataclass(frozen=True)
class AngleMetric:
    """Distances in radians (full angles) between frames, by the rotations of their joints and how fast they change.

    Attributes:
        weights: by joint or role; not normalised, as in the sources.
        parameters: weights of the velocities; `balanced` sets them from data.
    """

    weights: JointWeights = ANGLE_WEIGHTS
    parameters: AngleParameters = field(default_factory=AngleParameters)
    name = "joint-angles"
    unit = "rad"

    def describe(self, clip: Clip) -> AngleFeatures:
        """Features of every frame."""
        joints, weights = self._weights(clip.skeleton)
        found, tilts = factor_heading(clip)
        local = clip.rotations.astype(np.float64)
        hips = clip.skeleton.roles.get("hips", 0)
        rotations = normalize(local[:, joints])
        if 0 in joints:
            rotations[:, joints.index(0)] = normalize(tilts)
        speeds = np.zeros((len(clip), len(joints) + 1, 3))
        if len(clip) > 1:
            steps = log(normalize(multiply(conjugate(local[:-1, joints]), local[1:, joints])))
            places = clip.root.astype(np.float64) if hips == 0 else clip.world(np.float64).positions[:, hips]
            speeds[1:, :-1] = steps * clip.fps
            speeds[1:, -1] = rotate(about_y(-found.angles[:-1]), np.diff(places, axis=0)) * clip.fps
            speeds[0] = speeds[1]
        return AngleFeatures(
            rotations.astype(np.float32), speeds.astype(np.float32), weights.astype(np.float32), (0, len(clip))
        )

    def join(self, features: Sequence[AngleFeatures]) -> AngleFeatures:
        """Features of several clips, end to end."""
        starts = joined_starts(features)
        rotations, speeds = (np.concatenate([getattr(f, name) for f in features]) for name in ("rotations", "speeds"))
        return AngleFeatures(rotations, speeds, features[0].weights, starts)

    def tile(self, a: AngleFeatures, b: AngleFeatures, rows: slice, columns: slice) -> Float32:
        """(R, C) distances in radians."""
        turned, moving = b.rotations[columns], b.speeds[columns]
        out = np.empty((len(a.rotations[rows]), len(turned)), np.float32)
        speeds = np.append(a.weights * self.parameters.joint_speed, self.parameters.root_speed).astype(np.float32)
        return kernels.metrics.joint_angles(
            np.ascontiguousarray(a.rotations[rows]),
            np.ascontiguousarray(np.moveaxis(turned, 0, -1)),
            a.weights,
            np.ascontiguousarray(a.speeds[rows]),
            np.ascontiguousarray(np.moveaxis(moving, 0, -1)),
            speeds,
            out,
        )

    def balanced(self, features: AngleFeatures, pairs: int = 100_000, seed: int = 0) -> AngleMetric:
        """The same metric with velocities that count as much as angles: medians of the three terms over random pairs are made equal."""
        random = np.random.default_rng(seed)
        i, j = random.integers(0, len(features), (2, pairs))
        chord = np.abs(np.einsum("nki,nki->nk", features.rotations[i], features.rotations[j]))
        angle = float(np.median((2 * np.arccos(np.minimum(chord, 1))) @ features.weights))
        apart = np.linalg.norm(features.speeds[i] - features.speeds[j], axis=2)
        speed, root = float(np.median(apart[:, :-1] @ features.weights)), float(np.median(apart[:, -1]))
        share = [angle / term if term > 1e-9 else 0.0 for term in (speed, root)]
        return AngleMetric(self.weights, AngleParameters(*share))

    def _weights(self, skeleton: Skeleton) -> tuple[list[int], np.ndarray]:
        given = self.weights
        if given is ANGLE_WEIGHTS and not any(role in skeleton.roles for role in given.position):
            given = JointWeights(dict.fromkeys(skeleton.names, 1.0))
        full = given.of(skeleton)
        joints = np.flatnonzero(full)
        return joints.tolist(), full[joints]
