"""Scale worked into the offsets of rigid joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact import kernels
from reenact.core import rotations
from reenact.core.arrays import Float, Float64

_SAME_SCALE = 1e-5  # scales this near to each other (relative) are one
_VISIBLE_SCALE = 1e-3  # less is rounding and not worth a word

Stretch = float | Float64
"""The scale a joint's rigid frame lost against its node's: one number, or matrices (F or 1, 3, 3)."""


def absorb_scale(
    parents: Sequence[int], turns: Sequence[Float], moves: Sequence[Float], scales: Sequence[Float]
) -> tuple[list[Float], list[Stretch]]:
    """Offsets of rigid joints that stand where scaled nodes stand.

    The rigid frame of a node keeps the product of the rotations alone. What it lost against the node's full frame is the stretch
    A = R^-1 L (L the product of all rotations and scales), which follows from the parent's: A_j = R_j^-1 A_p R_j S_j. The offset is
    then A_p times the node's translation. Where scales are uniform and fixed A is one number.

    Args:
        parents: parent of each node, -1 for a root, parents first.
        turns: for each node (F, 4) or (1, 4) local rotations wxyz.
        moves: for each node (F, 3) or (1, 3) local translations.
        scales: for each node (F, 3) or (1, 3) local scales.

    Returns:
        For each node its offset (F or 1, 3), and its stretch: a number or (F or 1, 3, 3).
    """
    offsets: list[Float] = []
    stretches: list[Stretch] = []
    for node, parent in enumerate(parents):
        outer = stretches[parent] if parent >= 0 else 1.0
        offsets.append(stretch_vectors(outer, moves[node]))
        scale = np.asarray(scales[node], dtype=np.float64)
        size = float(scale[0, 0])
        if not isinstance(outer, np.ndarray) and np.abs(scale - size).max() <= _SAME_SCALE * abs(size):
            stretches.append(outer if abs(size - 1) <= _SAME_SCALE else outer * size)
            continue
        matrix = rotations.to_matrix(np.asarray(turns[node], dtype=np.float64))
        inner = outer if isinstance(outer, np.ndarray) else outer * np.eye(3)[None]
        stretches.append(np.swapaxes(matrix, -1, -2) @ inner @ matrix * scale[:, None, :])
    return offsets, stretches


def stretch_vectors(stretch: Stretch, vectors: Float) -> Float:
    """Vectors (F or 1, 3) times a stretch; untouched by the number 1."""
    if not isinstance(stretch, np.ndarray):
        return vectors if stretch == 1.0 else vectors * stretch
    return np.einsum("fab,fb->fa", *_same_length(stretch, vectors))


def _same_length(stretch: Float64, vectors: Float) -> tuple[Float64, Float]:
    frames = max(len(stretch), len(vectors))
    return np.broadcast_to(stretch, (frames, 3, 3)), np.broadcast_to(vectors, (frames, 3))


def carry_root(turns: Sequence[Float], offsets: Sequence[Float]) -> tuple[Float, Float]:
    """World position of the root (F or 1, 3) and the rotation (F or 1, 4) over it.

    Args:
        turns: for each node above the root (F or 1, 4).
        offsets: for each of them and then the root (F or 1, 3), as `absorb_scale` gives them.
    """
    position, turn = np.zeros((1, 3)), rotations.identity(1)
    steps = list(zip([*turns, rotations.identity(1)], offsets, strict=True))
    start = 0
    while start < len(steps):
        end = start + 1
        still = all(len(part) == 1 for part in steps[start])
        while still and end < len(steps) and all(len(part) == 1 for part in steps[end]):
            end += 1
        here, turned = _walk_down(steps[start:end]) if end - start > 1 else (steps[start][1], steps[start][0])
        position = position + rotations.rotate(turn, np.asarray(here, dtype=np.float64))
        turn = rotations.multiply(turn, np.asarray(turned, dtype=np.float64))
        start = end
    return position, turn


def _walk_down(steps: list[tuple[Float, Float]]) -> tuple[Float, Float]:
    """Position (1, 3) and rotation (1, 4) of the last of a row of fixed nodes; a file may have very many over its root."""
    turns = np.array([turn for turn, _ in steps], dtype=np.float64).swapaxes(0, 1)
    offsets = np.array([offset[0] for _, offset in steps], dtype=np.float64)
    parents = np.arange(-1, len(steps) - 1, dtype=np.int32)
    positions, worlds = kernels.kinematics.forward_kinematics(
        np.ascontiguousarray(turns), offsets[:1], offsets, parents
    )
    return positions[:, -1], worlds[:, -1]


def is_plain(stretch: Stretch) -> bool:
    """True when a stretch is no scale at all, but for rounding."""
    return bool(np.abs(stretch - (np.eye(3) if isinstance(stretch, np.ndarray) else 1.0)).max() <= _VISIBLE_SCALE)


def scale_moves(stretch: Stretch) -> bool:
    """True when a stretch changes over the frames by more than rounding."""
    return isinstance(stretch, np.ndarray) and bool(
        np.abs(stretch - stretch[:1]).max() > _VISIBLE_SCALE * np.abs(stretch).max()
    )
