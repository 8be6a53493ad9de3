"""Joint transforms as 4x4 matrices: modelling (parent from joint) and world (world from joint), with their inverses (reuse 3.1).

Matrices act on column vectors: `world[f, j] @ (x, y, z, 1)` is where a point of joint j's frame is in the world; the last column
holds the translation. A program that multiplies row vectors takes the transposes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from reenact.core import rotations as R
from reenact.core.arrays import Float, Float64, Int32
from reenact.core.clip import Clip
from reenact.core.pose_sampling import SampledPoses, sample_poses_of
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError


@dataclass(frozen=True, eq=False)
class JointMatrices:
    """Matrices of all joints in F poses, or in one pose; each kind is worked out when it is first asked for.

    Attributes:
        parents: (J,) int32.
        turns: (F, J, 4) float64 unit quaternions, local to the parent.
        places: (F, J, 3) float64 metres, each joint in its parent's frame; the root in the world.
        scales: (F or 1, J, 3) float64 along the joint's own axes, or None. A scale is inherited by the joints below.
        one: a single pose: the matrices have no axis of frames.
    """

    parents: Int32
    turns: Float
    places: Float64
    scales: Float64 | None = None
    one: bool = False

    @cached_property
    def modelling(self) -> Float64:
        """(F, J, 4, 4), of one pose (J, 4, 4): parent from joint; translation, then rotation, then scale."""
        return self._shaped(self._local)

    @cached_property
    def modelling_inverse(self) -> Float64:
        """(F, J, 4, 4), of one pose (J, 4, 4): joint from parent."""
        return self._shaped(self._local_inverse)

    @cached_property
    def world(self) -> Float64:
        """(F, J, 4, 4), of one pose (J, 4, 4): world from joint, the product of the modelling matrices from the root on."""
        return self._shaped(self._chain(self._local, outer_first=True))

    @cached_property
    def world_inverse(self) -> Float64:
        """(F, J, 4, 4), of one pose (J, 4, 4): joint from world, the product of the inverses in reverse order."""
        return self._shaped(self._chain(self._local_inverse, outer_first=False))

    @cached_property
    def _local(self) -> Float64:
        made = _affine(R.to_matrix(self.turns), self.places)
        if self.scales is not None:
            made[..., :3, :3] *= self.scales[..., None, :]
        return made

    @cached_property
    def _local_inverse(self) -> Float64:
        back = np.swapaxes(R.to_matrix(self.turns), -1, -2)
        if self.scales is not None:
            back = back / self.scales[..., :, None]
        return _affine(back, -np.einsum("...ij,...j->...i", back, self.places))

    def _chain(self, local: Float64, *, outer_first: bool) -> Float64:
        made = local.copy()
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                outer, inner = made[:, parent], local[:, joint]
                made[:, joint] = outer @ inner if outer_first else inner @ outer
        return made

    def _shaped(self, matrices: Float64) -> Float64:
        found = matrices[0] if self.one else matrices
        found.flags.writeable = False
        return found


def joint_matrices(
    motion: Clip | SampledPoses, frames: float | ArrayLike | None = None, *, scales: ArrayLike | None = None
) -> JointMatrices:
    """Modelling and world matrices of a clip, with inverses.

    Args:
        motion: the clip, or poses taken from clips.
        frames: one frame (its matrices are (J, 4, 4)), several, or all when None; between frames poses are interpolated.
        scales: () one number, (J,) or (J, 3) by joint, or (F, J, 3): a scale of every joint's frame that the joints below inherit. Clips
            themselves hold none: readers turn the scales of a file into lengths.

    Raises:
        ParameterError: frames outside the clip, or scales that are 0, not finite, or do not fit.
    """
    one = frames is not None and np.ndim(frames) == 0
    if isinstance(motion, SampledPoses):
        poses = motion if frames is None else _picked(motion, frames)
    else:
        poses = sample_poses_of(motion, np.arange(len(motion)) if frames is None else frames)
    skeleton = poses.skeleton
    places = np.tile(skeleton.offsets, (len(poses), 1, 1))
    places[:, 0] = poses.root
    places[:, list(poses.moving)] = poses.places
    turns = R.normalize(poses.rotations)
    return JointMatrices(skeleton.parents, turns, places, _scales(scales, *turns.shape[:2]), one)


def rest_matrices(skeleton: Skeleton) -> JointMatrices:
    """Matrices (J, 4, 4) of the rest pose; its `world_inverse` takes a skin's points into the joints' frames."""
    return JointMatrices(skeleton.parents, R.normalize(skeleton.rest)[None], skeleton.offsets[None], None, True)


def _picked(poses: SampledPoses, frames: float | ArrayLike) -> SampledPoses:
    at = np.atleast_1d(np.asarray(frames))
    if at.ndim != 1 or at.dtype.kind not in "iu" or np.any(at < 0) or np.any(at >= len(poses)):
        raise ParameterError(f"of {len(poses)} poses, {frames} cannot be taken", where="frames")
    return SampledPoses(poses.skeleton, poses.rotations[at], poses.root[at], poses.moving, poses.places[at])


def _scales(scales: ArrayLike | None, frames: int, joints: int) -> Float64 | None:
    if scales is None:
        return None
    given = np.asarray(scales, dtype=np.float64)
    if given.ndim == 1:
        given = given[:, None]
    try:
        full = np.broadcast_to(given, (frames if given.ndim == 3 else 1, joints, 3))
    except ValueError:
        raise ParameterError(
            f"scales must be one number, ({joints},), ({joints}, 3) or ({frames}, {joints}, 3), not {given.shape}",
            where="scales",
        ) from None
    if not np.all(np.isfinite(full)) or np.any(full == 0):
        raise ParameterError("scales must be finite and not 0, or nothing leads back", where="scales")
    return full


def _affine(turned: Float, moved: Float) -> Float64:
    made = np.zeros((*moved.shape[:-1], 4, 4))
    made[..., :3, :3], made[..., :3, 3], made[..., 3, 3] = turned, moved, 1.0
    return made
