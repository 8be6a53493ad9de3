"""Weighted positions, velocities and accelerations of the end effectors, seen from the body (reuse specification 3.5.1, 3.5.2).

Every frame is brought into the neutral frame: the hips over the origin at their own height, facing +Z. The error of two frames is::

    E = sum w |p - p'|^2 + sum w' |v - v'|^2 + sum w'' |a - a'|^2

over the effectors (Shanbhag 2009, equation 4.1): the squared Euclidean distance of two feature vectors, so all pairs are one matrix
product. Distances are sqrt(E), in metres: with weights that sum to 1, a weighted mean distance of the effectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from reenact import kernels
from reenact.analysis.metrics.protocol import joined_starts
from reenact.core.arrays import Float, Float32, Float64
from reenact.core.clip import Clip
from reenact.core.derivatives import differentiate, differentiate_twice
from reenact.core.filters import polynomial_derivatives
from reenact.core.heading import headings
from reenact.core.joint_weights import JointWeights
from reenact.core.parameters import check_ranges, option
from reenact.core.rotations import about_y, rotate
from reenact.core.skeleton import Skeleton

EFFECTOR_WEIGHTS = JointWeights(
    {
        "hips": 1.0,
        "head": 1.0,
        "left_toes": 1.0,
        "right_toes": 1.0,
        "left_hand": 0.1,
        "right_hand": 0.1,
    }
)
"""Root, head and feet define the posture, hands may differ. Without toes the ankles count."""


@dataclass(frozen=True, slots=True)
class EffectorParameters:
    """What counts, and how much."""

    look_ahead: float = option(
        0.05,
        "time by which velocities and accelerations are weighed: w' = t^2 w, w'' = (t^2 / 2)^2 w, as in Taylor's series",
        unit="s",
        low=0,
    )
    window: float = option(
        13 / 120,
        "length of the cubic fit that gives velocity and acceleration (Savitzky and Golay 1964)",
        unit="s",
        low=0,
    )

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True, slots=True, eq=False)
class EffectorFeatures:
    """Feature vectors.

    Attributes:
        values: (N, D) float64: the root of each weight times positions, then velocities, then accelerations.
        squares: (N,) float64, their squared lengths.
        starts: (C + 1,) first frame of each clip, then N.
    """

    values: Float64
    squares: Float64
    starts: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class EffectorMetric:
    """Distances in metres between frames, by their end effectors in the neutral frame.

    Attributes:
        weights: by joint or role; normalised so that the positions' weights sum to 1.
        parameters: time scales.
    """

    weights: JointWeights = EFFECTOR_WEIGHTS
    parameters: EffectorParameters = field(default_factory=EffectorParameters)
    name = "effectors"
    unit = "m"

    def describe(self, clip: Clip) -> EffectorFeatures:
        """Features of every frame."""
        joints, weights = self._weights(clip.skeleton)
        world = clip.world(np.float64).positions
        hips = world[:, clip.skeleton.roles.get("hips", 0)]
        points = world[:, joints]
        speeds, pulls = _derivatives(points, clip.fps, self.parameters.window)
        home = about_y(-headings(clip))[:, None]
        parts = (rotate(home, part) for part in (points - hips[:, None] * (1.0, 0.0, 1.0), speeds, pulls))
        values = np.concatenate([part * np.sqrt(w)[:, None] for part, w in zip(parts, weights, strict=True)], axis=1)
        values = np.ascontiguousarray(values.reshape(len(clip), -1), dtype=np.float64)
        return EffectorFeatures(values, np.einsum("fi,fi->f", values, values), (0, len(clip)))

    def velocity_root(self, skeleton: Skeleton, joint: int) -> float:
        """What velocities of an effector are multiplied with in the features, seconds; 0 where they do not count."""
        joints, (_, speed, _) = self._weights(skeleton)
        return float(np.sqrt(speed[joints.index(joint)])) if joint in joints else 0.0

    def join(self, features: Sequence[EffectorFeatures]) -> EffectorFeatures:
        """Features of several clips, end to end."""
        starts = joined_starts(features)
        values, squares = (np.concatenate([getattr(part, name) for part in features]) for name in ("values", "squares"))
        return EffectorFeatures(values, squares, starts)

    def tile(self, a: EffectorFeatures, b: EffectorFeatures, rows: slice, columns: slice) -> Float32:
        """(R, C) distances in metres; the products are float64, as small distances are differences of large squares."""
        products = a.values[rows] @ b.values[columns].T
        return kernels.metrics.root_of_gap(products, a.squares[rows], b.squares[columns]).astype(np.float32)

    def _weights(self, skeleton: Skeleton) -> tuple[list[int], tuple[Float64, Float64, Float64]]:
        """The effectors, and the weights of their positions, velocities and accelerations."""
        given = self.weights
        if given is EFFECTOR_WEIGHTS:
            swapped = {
                (role.replace("toes", "foot") if role not in skeleton.roles else role): weight
                for role, weight in given.position.items()
            }
            if not any(role in skeleton.roles for role in swapped):
                swapped = {name: 1.0 for joint, name in enumerate(skeleton.names) if not skeleton.children[joint]}
            given = JointWeights(swapped)
        full = given.of(skeleton)
        joints = np.flatnonzero(full)
        position = full[joints] / full.sum()
        t = self.parameters.look_ahead
        speed, pull = t * t * position, (t * t / 2) ** 2 * position
        for part, found in ((given.velocity, speed), (given.acceleration, pull)):
            for name, weight in part.items():
                found[joints == skeleton.joint(name)] = weight / full.sum()
        return joints.tolist(), (position, speed, pull)


def _derivatives(points: Float, fps: float, window: float) -> tuple[Float, Float]:
    """World velocities and accelerations (F, K, 3) by a cubic through `window` seconds; differences where a clip is shorter."""
    samples = 2 * (round(window * fps) // 2) + 1
    if samples < 5:
        samples = 5
    if len(points) < samples or window == 0:
        return differentiate(points, fps), differentiate_twice(points, fps)
    return polynomial_derivatives(points, samples, 3, 1, 1 / fps), polynomial_derivatives(
        points, samples, 3, 2, 1 / fps
    )
