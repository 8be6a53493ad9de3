"""Poses of several motions at corresponding frames, laid over each other, and their weighted mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reenact.blend.alignment_curve import turn_floor
from reenact.blend.quaternion_mean import MeanRotations, mean_rotations
from reenact.core import rotations as R
from reenact.core.arrays import Float64
from reenact.core.clip import Clip, JointTranslations
from reenact.core.resample import sample_at


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


def sample_poses(clips: Sequence[Clip], frames: Float64) -> Poses:
    """The poses of k clips of one skeleton at fractional frames (N, k); exact on whole frames, smooth between them."""
    moving = tuple(sorted({int(j) for c in clips if c.translations is not None for j in c.translations.joints}))
    count, motions = frames.shape
    rotations = np.empty((count, motions, len(clips[0].skeleton), 4))
    roots = np.empty((count, motions, 3))
    points = np.empty((count, motions, len(moving), 3))
    for motion, clip in enumerate(clips):
        part = sample_at(clip, frames[:, motion], clip.fps, "smooth")
        rotations[:, motion], roots[:, motion] = part.rotations, part.root
        points[:, motion] = clip.skeleton.offsets[list(moving)]
        if part.translations is not None:
            points[:, motion, np.searchsorted(moving, part.translations.joints)] = part.translations.values
    return Poses(rotations, roots, points, moving)


def mean_poses(poses: Poses, weights: Float64) -> MeanPoses:
    """The mean of poses with weights (N, k) of sum 1: positions by the plain mean, rotations by the mean on the sphere."""
    return MeanPoses(
        mean_rotations(poses.rotations, weights),
        np.einsum("nk,nki->ni", weights, poses.roots),
        np.einsum("nk,nkmi->nmi", weights, poses.points),
        poses.moving,
    )
