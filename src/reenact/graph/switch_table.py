"""What switches between the sequences of every node cost: worked out once for a graph, looked up by every search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Float32, Float64

MOST = 4000
"""Sequences of a node up to which all its pairs are kept; those of a larger node are worked out when they are asked for."""

_ROWS = 1000  # sequences of a large node that are compared with all others at once


@dataclass(frozen=True, slots=True, eq=False)
class SwitchTable:
    """Errors between the alignment frames of sequences that lie in one node.

    Attributes:
        errors: squared distances of all pairs of a node's sequences, row by row, one node after the other; inf for sequences of one
            clip that are too near each other for a switch.
        base: (K,) int64 where a node's pairs begin; -1 for a node that is too large to be kept.
        place: (S,) int64 the number of each sequence within its node.
        nearest: (S,) the least error to another sequence of the node that can be switched to; inf where there is none.
    """

    errors: Float32
    base: np.ndarray
    place: np.ndarray
    nearest: Float64


def make_switch_table(
    rows: Float32,
    joints: np.ndarray,
    clips: np.ndarray,
    order: np.ndarray,
    bounds: np.ndarray,
    apart: np.ndarray,
    most: int = MOST,
) -> SwitchTable:
    """The table of a graph.

    Args:
        rows: (N, D) features of all frames.
        joints: (S,) frame at which each sequence is left and entered.
        clips: (S,) the clip of each sequence.
        order: (S,) sequences, those of one node together.
        bounds: (K + 1,) node k holds order[bounds[k]:bounds[k + 1]].
        apart: (C,) sequences of one clip that are nearer than this many frames cannot be switched between.
        most: see `MOST`.
    """
    sizes = np.diff(bounds)
    kept = np.where(sizes <= most, sizes.astype(np.int64) ** 2, 0)
    base = np.where(sizes <= most, np.concatenate([[0], np.cumsum(kept)[:-1]]), -1).astype(np.int64)
    errors = np.empty(int(kept.sum()), np.float32)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - np.repeat(bounds[:-1], sizes)
    nearest = np.full(len(order), np.inf)
    for node in range(len(sizes)):
        members = order[bounds[node] : bounds[node + 1]]
        points = rows[joints[members]].astype(np.float64)
        points -= points.mean(axis=0)
        lengths = np.einsum("ij,ij->i", points, points)
        for low in range(0, len(members), _ROWS):
            some = slice(low, min(low + _ROWS, len(members)))
            gaps = np.maximum(lengths[some, None] + lengths - 2 * (points[some] @ points.T), 0.0)
            same = clips[members[some], None] == clips[members]
            near = np.abs(joints[members[some], None] - joints[members]) < apart[clips[members[some]], None]
            gaps[same & near] = np.inf
            if base[node] >= 0:
                start = int(base[node]) + low * len(members)
                errors[start : start + gaps.size] = gaps.ravel()
            nearest[members[some]] = gaps.min(axis=1, initial=np.inf)
    # no more than the rounding of single precision above what a search will find
    return SwitchTable(errors, base, place, np.where(np.isfinite(nearest), nearest * (1 - 1e-6), np.inf))
