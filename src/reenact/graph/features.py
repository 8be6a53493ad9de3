"""Features of poses: what two frames are compared by (reuse 3.5.1 and 3.5.2).

The frame error of the thesis (equation 4.1) is E(i, j) = sum over end effectors of w |p_i - p_j|^2 + w' |v_i - v_j|^2 + w'' |a_i - a_j|^2
in the neutral frame: the body moved to the origin, keeping its height, and turned to face forward. With every coordinate multiplied by the root of its
weight it is a squared Euclidean distance, which is what this module makes. Errors are given to people as sqrt(E), in metres.

Clips of several subjects are compared on one skeleton, that of the first clip, with root paths scaled by leg length: as a transition
between them will be made (`core.cutting.fit_to`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from reenact.core.arrays import Float, Float32, Float64
from reenact.core.clip import Clip
from reenact.core.cutting import leg_length
from reenact.core.heading import find_headings
from reenact.core.joint_weights import JointWeights
from reenact.core.parameters import check_ranges, option
from reenact.core.rotations import about_y, rotate
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError

KINDS = ("position", "velocity", "acceleration")
"""What is compared of every end effector, in the order of the features."""

DEFAULT_WEIGHTS = JointWeights(
    {"hips": 1.0, "head": 1.0, "left_toes": 1.0, "right_toes": 1.0, "left_hand": 0.1, "right_hand": 0.1}
)
"""Root, head and feet define a posture, hands may differ (thesis 4.2.1; the values are the specification's)."""

_INSTEAD = {"left_toes": "left_foot", "right_toes": "right_foot", "head": "neck"}


@dataclass(frozen=True, slots=True)
class MetricParameters:
    """How poses are compared."""

    tau: float = option(
        0.05,
        "how far ahead motion counts: velocities weigh tau^2, accelerations (tau^2 / 2)^2 times positions",
        unit="s",
        low=0,
        high=1,
    )
    window: float = option(0.1, "width of the Savitzky-Golay filter that takes derivatives", unit="s", low=0, high=1)
    velocity: Literal["world", "locked"] = option(
        "world",
        "world: velocities on the floor, seen from the body; locked: of the body with its root locked, as in the thesis",
    )
    weights: JointWeights | None = option(
        None, "weights of end effectors; default: root, head and toes 1, hands 0.1", hidden=True
    )

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.velocity not in ("world", "locked"):
            raise ParameterError(f"velocity must be world or locked, not {self.velocity!r}", where="velocity")


@dataclass(frozen=True, slots=True, eq=False)
class Effectors:
    """End effectors that are compared on a skeleton.

    Attributes:
        names: (E,) joint names.
        joints: (E,) joint indices.
        weights: (E, 3) of squared differences of positions, velocities (s^2) and accelerations (s^4); positions sum to 1.
    """

    names: tuple[str, ...]
    joints: tuple[int, ...]
    weights: Float64

    def __len__(self) -> int:
        return len(self.names)


def find_effectors(skeleton: Skeleton, parameters: MetricParameters) -> Effectors:
    """Joints and weights of the comparison. Without given weights: those of `DEFAULT_WEIGHTS` the skeleton has, else root and leaf joints."""
    given = parameters.weights
    weights = given or _defaults_on(skeleton)
    rows: dict[int, tuple[float, float, float]] = {}
    for name, weight in weights.position.items():
        joint = skeleton.joint(name)
        if joint in rows:
            raise ParameterError(f"the weights name the joint {skeleton.names[joint]!r} twice", where=name)
        rows[joint] = (
            weight,
            weights.velocity.get(name, weight * parameters.tau**2),
            weights.acceleration.get(name, weight * (parameters.tau**2 / 2) ** 2),
        )
    table = np.array(list(rows.values()), dtype=np.float64)
    return Effectors(tuple(skeleton.names[joint] for joint in rows), tuple(rows), table / table[:, 0].sum())


def _defaults_on(skeleton: Skeleton) -> JointWeights:
    found: dict[str, float] = {}
    for role, weight in DEFAULT_WEIGHTS.position.items():
        name = role if role in skeleton.roles else _INSTEAD.get(role, role)
        if name in skeleton.roles:
            found[name] = weight
    if len(found) < 3:
        leaves = [joint for joint in range(len(skeleton)) if not skeleton.children[joint]]
        found = {skeleton.names[joint]: 1.0 for joint in (0, *leaves)}
    return JointWeights(found)


def fit_to_skeleton(clip: Clip, skeleton: Skeleton) -> Clip:
    """The clip's rotations on another skeleton of the same tree, its root path scaled by leg length; the frame rate stays."""
    if clip.skeleton is skeleton:
        return clip
    if not clip.skeleton.same_tree(skeleton):
        raise SkeletonError(
            f"its skeleton differs from that of the first clip ({skeleton.difference(clip.skeleton)}); map it to that skeleton first",
            where=clip.name,
        )
    fitted = replace(clip, skeleton=skeleton)
    factor = leg_length(fitted) / leg_length(clip)
    return replace(fitted, root=clip.root * np.float32(factor))


def neutral_positions(
    clip: Clip, joints: Sequence[int], floor: float = 0.0
) -> tuple[Float64, Float64, Float64]:
    """Joints in the neutral frame: positions (F, E, 3) in metres, world positions (F, E, 3), headings (F,) in radians.

    The body stands at x = z = 0 and faces +Z; heights are above `floor` (metres).
    """
    world = clip.world(np.float64).positions
    angles = find_headings(clip).angles
    carrier = world[:, clip.skeleton.roles.get("hips", 0)]
    places = world[:, list(joints)]
    base = carrier * (1.0, 0.0, 1.0) + (0.0, floor, 0.0)
    local = rotate(about_y(-angles)[:, None], places - base[:, None])
    return local, places, angles


def clip_features(
    clip: Clip, effectors: Effectors, parameters: MetricParameters | None = None, floor: float = 0.0
) -> Float32:
    """Features (F, 9 E) float32 of every frame: for each effector position, velocity and acceleration times the roots of their weights.

    Squared distances of rows are frame errors E in square metres.

    Args:
        clip: the motion, on the skeleton the effectors were found on.
        effectors: what is compared.
        parameters: how.
        floor: height of the floor, metres.
    """
    parameters = parameters or MetricParameters()
    local, places, angles = neutral_positions(clip, effectors.joints, floor)
    flat = (len(clip), 3 * len(effectors))
    moved = local if parameters.velocity == "locked" else places
    speeds, pulls = (
        _derivative(moved.reshape(flat), clip.fps, parameters.window, order).reshape(local.shape) for order in (1, 2)
    )
    if parameters.velocity == "world":
        away = about_y(-angles)[:, None]
        speeds, pulls = rotate(away, speeds), rotate(away, pulls)
    both = np.stack([local, speeds, pulls], axis=2) * np.sqrt(effectors.weights)[:, :, None]
    features = both.reshape(len(clip), 9 * len(effectors)).astype(np.float32)
    if not np.all(np.isfinite(features)):
        frame = int(np.flatnonzero(~np.all(np.isfinite(features), axis=1))[0])
        raise ParameterError(f"frame {frame} holds numbers that are not finite", where=clip.name)
    return features


def _derivative(values: Float, fps: float, window: float, order: int) -> Float64:
    """Derivative along frames by a cubic Savitzky-Golay filter about `window` seconds wide; zero where a clip is too short."""
    from scipy.signal import savgol_filter

    frames = len(values)
    if frames <= order:
        return np.zeros(values.shape)
    width = max(round(window * fps) // 2 * 2 + 1, 5)
    width = min(width, frames - 1 + frames % 2)
    degree = min(3, width - 1)
    if degree < order:  # two frames: one velocity
        return np.gradient(values, 1 / fps, axis=0) if order == 1 else np.zeros(values.shape)
    return savgol_filter(values, width, degree, deriv=order, delta=1 / fps, axis=0)


def frame_errors(features: Float, others: Float) -> Float64:
    """Frame errors E (F, G) in square metres between rows of features (F, D) and (G, D)."""
    a, b = np.asarray(features, dtype=np.float64), np.asarray(others, dtype=np.float64)
    middle = a.mean(axis=0) if len(a) else 0.0
    a, b = a - middle, b - middle  # less cancellation in the product below
    errors = np.einsum("id,id->i", a, a)[:, None] + np.einsum("id,id->i", b, b)[None] - 2 * (a @ b.T)
    return np.maximum(errors, 0.0)


def split_error(first: Float, second: Float, effectors: Effectors) -> Float64:
    """The frame error of two feature rows (9 E,) by effector and kind: (E, 3) square metres, in the order of `KINDS`."""
    gaps = (np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)).reshape(len(effectors), 3, 3)
    return np.sum(gaps**2, axis=2)
