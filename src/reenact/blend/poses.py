"""Poses of several motions at corresponding frames, laid over each other, and their weighted mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reenact.blend.alignment_curve import turn_floor
from reenact.blend.quaternion_mean import MeanRotations, mean_rotations
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float64
from reenact.core.clip import Clip, JointTranslations
from reenact.core.resample import sample_at

_HURRIED = 1.1  # frames of a clip for one of the result, from which on it is low-passed


@dataclass(frozen=True, slots=True, eq=False)
class Poses:
    """N poses of each of k motions on one skeleton.

    Attributes:
        rotations: (N, k, J, 4) float64 local rotations; the root's are its world rotations.
        roots: (N, k, 3) float64 metres.
        points: (N, k, M, 3) float64 metres, joints that move in their parent's frame in any of the motions.
        moving: (M,) those joints.
    """

    rotations: Float64
    roots: Float64
    points: Float64
    moving: tuple[int, ...]

    def where(self, frames: Bool, others: Poses) -> Poses:
        """These poses in some frames (N,), and others of the same motions elsewhere."""
        rotations, roots = others.rotations.copy(), others.roots.copy()
        rotations[frames], roots[frames] = self.rotations[frames], self.roots[frames]
        return replace(self, rotations=rotations, roots=roots)

    def placed(self, placements: Float64) -> Poses:
        """The poses turned about the vertical axis and shifted on the floor by (N, k, 3) turn, x, z."""
        rotations, roots = self.rotations.copy(), self.roots.copy()
        rotations[:, :, 0] = R.multiply(R.about_y(placements[..., 0]), self.rotations[:, :, 0])
        roots[..., [0, 2]] = turn_floor(self.roots[..., [0, 2]], placements[..., 0]) + placements[..., 1:]
        return replace(self, rotations=rotations, roots=roots)


@dataclass(frozen=True, slots=True, eq=False)
class MeanPoses:
    """The weighted mean of poses.

    Attributes:
        turned: (N, J, 4) local rotations, and how far the inputs lie apart.
        root: (N, 3) metres.
        points: (N, M, 3) metres.
        moving: (M,) joints of `points`.
    """

    turned: MeanRotations
    root: Float64
    points: Float64
    moving: tuple[int, ...]

    def as_clip(self, like: Clip, name: str, placements: Float64 | None = None, fps: float | None = None) -> Clip:
        """A clip of `like`'s skeleton, moved by (N, 3) turn, x, z; at `like`'s rate unless another is given."""
        rotations, root = self.turned.rotations.copy(), self.root.copy()
        if placements is not None:
            rotations[:, 0] = R.multiply(R.about_y(placements[:, 0]), rotations[:, 0])
            root[:, [0, 2]] = turn_floor(root[:, [0, 2]], placements[:, 0]) + placements[:, 1:]
        moved = None
        if self.moving:
            moved = JointTranslations(np.array(self.moving, np.int32), self.points.astype(np.float32))
        return replace(
            like,
            rotations=R.normalize(rotations).astype(np.float32),
            root=root.astype(np.float32),
            translations=moved,
            name=name,
            fps=like.fps if fps is None else fps,
        )


def sample_poses(clips: Sequence[Clip], frames: Float64, *, calm: bool = False) -> Poses:
    """The poses of k clips of one skeleton at fractional frames (N, k); exact on whole frames, smooth between them.

    With `calm`, a pose stands for several frames where a clip is hurried through, and is their mean: else its noise would be hurried, too.
    """
    moving = tuple(sorted({int(j) for c in clips if c.translations is not None for j in c.translations.joints}))
    count, motions = frames.shape
    rotations = np.empty((count, motions, len(clips[0].skeleton), 4))
    roots = np.empty((count, motions, 3))
    points = np.empty((count, motions, len(moving), 3))
    for motion, clip in enumerate(clips):
        part = _sample(clip, frames[:, motion], calm)
        rotations[:, motion], roots[:, motion] = part.rotations, part.root
        points[:, motion] = clip.skeleton.offsets[list(moving)]
        if part.translations is not None:
            points[:, motion, np.searchsorted(moving, part.translations.joints)] = part.translations.values
    return Poses(rotations, roots, points, moving)


def _sample(clip: Clip, at: Float64, calm: bool) -> Clip:
    """The clip at fractional frames (N,); with `calm` low-passed as far as it plays faster than recorded."""
    part = sample_at(clip, at, clip.fps, "smooth")
    if not calm or len(at) < 3:
        return part
    level = np.log2(np.maximum(np.abs(np.gradient(at)) / _HURRIED, 1.0))
    for n in range(1, math.ceil(level.max()) + 1):
        here = np.flatnonzero(level > n - 1)
        calmer = sample_at(clip, at[here], clip.fps, "smooth", blur=2.0**n)
        share = np.minimum(level[here] - (n - 1), 1.0)[:, None]
        rotations, root = part.rotations.copy(), part.root.copy()
        mixed = rotations[here] * (1 - share[..., None]) + calmer.rotations * share[..., None]
        rotations[here] = R.normalize(mixed)
        root[here] = root[here] * (1 - share) + calmer.root * share
        part = replace(part, rotations=rotations, root=root)
    return part


def mean_poses(poses: Poses, weights: Float64) -> MeanPoses:
    """The mean of poses with weights (N, k) of sum 1: positions by the plain mean, rotations by the mean on the sphere."""
    return MeanPoses(
        mean_rotations(poses.rotations, weights),
        np.einsum("nk,nki->ni", weights, poses.roots),
        np.einsum("nk,nkmi->nmi", weights, poses.points),
        poses.moving,
    )
