"""A character's mesh in the poses of a motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from reenact import kernels
from reenact.core import rotations
from reenact.core.arrays import Float32, Float64
from reenact.core.clip import Clip, World
from reenact.errors import ParameterError

if TYPE_CHECKING:
    from reenact.body.character import Character

Method = Literal["linear", "dual"]
"""How the moves of several joints become one: the mean of their matrices (linear blend skinning, Magnenat-Thalmann et al. 1988), which
thins twisted forearms and sharp elbows, or the mean of their dual quaternions (Kavan et al. 2007), which keeps them full."""


@dataclass(frozen=True, slots=True, eq=False)
class Skinned:
    """A mesh in F poses.

    Attributes:
        vertices: (F, V, 3) float32 metres.
        normals: (F, V, 3) float32 unit vectors; None when they were not asked for.
    """

    vertices: Float32
    normals: Float32 | None = None


def skin(
    character: Character,
    motion: Clip | World,
    frames: ArrayLike | slice | None = None,
    method: Method = "linear",
    *,
    normals: bool = False,
) -> Skinned:
    """The mesh of a character in the frames of a motion.

    Args:
        character: whose mesh; the motion must have its joints.
        motion: a clip, or joints in the world.
        frames: which frames, all when None.
        method: how the moves of several joints are blended. "dual" takes them as turns and shifts; a scale within the bind matrices is
            applied before.
        normals: give the normals of the vertices, too, by the inverse transposes of the moves.

    Raises:
        ParameterError: the motion has other joints, or the method is unknown.
    """
    world = motion.world() if isinstance(motion, Clip) else motion
    positions, turns = np.asarray(world.positions, np.float64), np.asarray(world.rotations, np.float64)
    if frames is not None:
        chosen = frames if isinstance(frames, slice) else np.atleast_1d(np.asarray(frames))
        positions, turns = positions[chosen], turns[chosen]
    if positions.shape[1] != len(character.skeleton):
        raise ParameterError(f"the pose has {positions.shape[1]} joints, the character {len(character.skeleton)}")
    if method not in ("linear", "dual"):
        raise ParameterError(f"method must be linear or dual, not {method!r}", where="method")
    directions = _normals_of(character) if normals else None
    if method == "dual":
        return _skin_dual(character, positions, turns, directions)
    binds, follows = character.inverse_binds, character.influences
    matrices = rotations.to_matrix(turns)
    moves = np.einsum("fjab,jbc->fjac", matrices, binds[:, :3])
    moves[..., 3] += positions
    listed = follows.starts, follows.joints, follows.weights
    points = kernels.skinning.blend_points(moves.astype(np.float32), *listed, character.vertices)
    if directions is None:
        return Skinned(points)
    across = matrices @ np.swapaxes(np.linalg.inv(binds[:, :3, :3]), 1, 2)
    return Skinned(points, kernels.skinning.blend_directions(across.astype(np.float32), *listed, directions))


def _skin_dual(character: Character, positions: Float64, turns: Float64, directions: Float32 | None) -> Skinned:
    axes, stretches = _without_stretch(character.inverse_binds[:, :3, :3])
    points, follows = character.vertices, character.influences
    listed = follows.starts, follows.joints, follows.weights
    if np.abs(stretches - np.eye(3)).max() > 1e-6:
        still = np.concatenate([stretches, np.zeros((len(stretches), 3, 1))], axis=2)[None].astype(np.float32)
        points = kernels.skinning.blend_points(still, *listed, points)[0]
        if directions is not None:
            back = np.swapaxes(np.linalg.inv(stretches), 1, 2)[None].astype(np.float32)
            directions = kernels.skinning.blend_directions(back, *listed, directions)[0]
    real = rotations.multiply(turns, np.broadcast_to(rotations.from_matrix(axes), turns.shape))
    shifts = positions + rotations.rotate(turns, np.broadcast_to(character.inverse_binds[:, :3, 3], positions.shape))
    dual = rotations.multiply(np.concatenate([np.zeros((*shifts.shape[:2], 1)), 0.5 * shifts], axis=2), real)
    halves = np.concatenate([real, dual], axis=2).astype(np.float32)
    return Skinned(*kernels.skinning.blend_dual(halves, *listed, points, directions))


def _without_stretch(matrices: Float64) -> tuple[Float64, Float64]:
    """Rotations (J, 3, 3) and stretches (J, 3, 3) whose product each matrix is (polar decomposition)."""
    left, sizes, right = np.linalg.svd(matrices)
    flipped = np.linalg.det(left @ right) < 0
    left[flipped, :, 2] *= -1
    sizes[flipped, 2] *= -1
    return left @ right, np.swapaxes(right, 1, 2) @ (sizes[:, :, None] * right)


def _normals_of(character: Character) -> Float32:
    if character.normals is not None:
        return character.normals
    from reenact.body.mesh_normals import vertex_normals

    return vertex_normals(character.vertices, character.faces)
