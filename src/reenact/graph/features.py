"""Features of the frames of several clips on one skeleton: what the cluster graph compares (reuse 3.5.1 and 3.5.2).

The metric is `analysis.metrics.effectors`: weighted positions, velocities and accelerations of end effectors in the neutral frame, whose
squared Euclidean distance is the frame error E of the thesis (equation 4.1). Errors are given to people as sqrt(E), in metres.

Clips of several subjects are compared on one skeleton, that of the first clip: just as a transition between them is made
(`solve.bringing`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from reenact.analysis.metrics.effectors import EFFECTOR_WEIGHTS, EffectorMetric, EffectorParameters
from reenact.core.arrays import Float32, Float64
from reenact.core.clip import Clip
from reenact.core.correspondence import match_joints
from reenact.core.joint_weights import JointWeights
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError

KINDS = ("position", "velocity", "acceleration")
"""What is compared of every end effector, in the order of the features."""

_INSTEAD = {"left_toes": "left_foot", "right_toes": "right_foot", "head": "neck"}


@dataclass(frozen=True, slots=True, eq=False)
class FrameMetric:
    """How frames are compared on a reference skeleton.

    Attributes:
        skeleton: on which every clip is laid before it is compared.
        metric: the effector metric with weights that name joints of that skeleton.
        effectors: (E,) names of the joints that count, in the order of the features.
    """

    skeleton: Skeleton
    metric: EffectorMetric
    effectors: tuple[str, ...]

    def features(self, clip: Clip, floor: float = 0.0) -> Float32:
        """Features (F, 9 E) of every frame: squared distances of rows are frame errors E in square metres.

        Args:
            clip: on the reference skeleton.
            floor: height of the floor the clip stands on, metres; heights are compared above it.
        """
        lifted = replace(clip, root=clip.root - np.array([0.0, floor, 0.0], np.float32)) if floor else clip
        _require_body(clip, self.skeleton)
        values = self.metric.describe(lifted).values
        if not np.all(np.isfinite(values)):
            frame = int(np.flatnonzero(~np.all(np.isfinite(values), axis=1))[0])
            raise ParameterError(f"frame {frame} holds numbers that are not finite", where=clip.name)
        return values.astype(np.float32)

    def travel_speeds(self, features: Float32) -> Float64 | None:
        """(N,) m/s at which the body travels over the floor in each frame, from the features; None where they do not tell."""
        hips = self.skeleton.roles.get("hips", 0)
        scale, name = self.metric.velocity_root(self.skeleton, hips), self.skeleton.names[hips]
        if scale <= 0 or name not in self.effectors:
            return None
        at = 3 * (len(self.effectors) + self.effectors.index(name))
        return np.hypot(features[:, at], features[:, at + 2]).astype(np.float64) / scale

    def energies(self, features: Float32) -> Float64 | None:
        """(N,) mean squared speeds of the effectors in each frame, seen from the hips as they travel, (m/s)^2; None where not known."""
        skeleton, count = self.skeleton, len(self.effectors)
        scales = np.array([self.metric.velocity_root(skeleton, skeleton.names.index(name)) for name in self.effectors])
        if not np.any(scales > 0):
            return None
        speeds = features[:, 3 * count : 6 * count].reshape(len(features), count, 3)[:, scales > 0].astype(np.float64)
        speeds /= scales[scales > 0, None]
        hips = skeleton.names[skeleton.roles.get("hips", 0)]
        counted = [name for name, scale in zip(self.effectors, scales, strict=True) if scale > 0]
        if hips in counted:
            speeds -= speeds[:, [counted.index(hips)]] * (1.0, 0.0, 1.0)
        return np.einsum("fei,fei->f", speeds, speeds) / len(counted)

    def split_error(self, first: ArrayLike, second: ArrayLike) -> Float64:
        """The frame error of two feature rows by kind and effector: (3, E) square metres, in the order of `KINDS`."""
        gaps = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
        return np.sum(gaps.reshape(3, len(self.effectors), 3) ** 2, axis=2)


def frame_metric(
    skeleton: Skeleton, parameters: EffectorParameters | None = None, weights: JointWeights | None = None
) -> FrameMetric:
    """The comparison on a reference skeleton.

    Args:
        skeleton: the reference.
        parameters: time scales of velocities and accelerations.
        weights: of joints or roles; default: root, head and toes 1, hands 0.1, on a skeleton without those its root and leaf joints.
    """
    chosen = weights or _defaults_on(skeleton)
    counted = np.flatnonzero(chosen.of(skeleton))
    metric = EffectorMetric(chosen, parameters or EffectorParameters())
    return FrameMetric(skeleton, metric, tuple(skeleton.names[joint] for joint in counted))


def _defaults_on(skeleton: Skeleton) -> JointWeights:
    found: dict[str, float] = {}
    for role, weight in EFFECTOR_WEIGHTS.position.items():
        name = role if role in skeleton.roles else _INSTEAD.get(role, role)
        if name in skeleton.roles:
            found[name] = weight
    if len(found) < 3:
        leaves = [joint for joint in range(len(skeleton)) if not skeleton.children[joint]]
        found = {skeleton.names[joint]: 1.0 for joint in (0, *leaves)}
    return JointWeights(found)


def _require_body(clip: Clip, skeleton: Skeleton) -> None:
    """Raise an error unless a clip stands on this very skeleton: frames of other bodies are mapped before they are compared."""
    moving = () if clip.translations is None else clip.translations.joints.tolist()
    if clip.skeleton.same_body(skeleton, moving=moving):
        return
    differ = skeleton.difference(clip.skeleton) or "other lengths or directions of bones"
    raise SkeletonError(
        f"its skeleton differs from that of the first clip ({differ}); {match_joints(clip.skeleton, skeleton).offer()}",
        where=clip.name,
    )
