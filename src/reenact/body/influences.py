"""What the vertices of a mesh follow, in one row without the entries that count for nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Float32, Int32


@dataclass(frozen=True, slots=True, eq=False)
class Influences:
    """The joints that each vertex follows, the strongest first.

    Attributes:
        starts: (V + 1,) int32; vertex v has the entries from `starts[v]` to `starts[v + 1]`.
        joints: (N,) int32.
        weights: (N,) float32, above 0; those of a vertex add up to 1.
    """

    starts: Int32
    joints: Int32
    weights: Float32

    @property
    def vertices(self) -> Int32:
        """(N,) the vertex of each entry."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))


def compact_influences(joints: Int32, weights: Float32) -> Influences:
    """The influences of a table (V, K) of joints and weights."""
    order = np.argsort(-weights, axis=1, kind="stable")
    joints, weights = np.take_along_axis(joints, order, 1), np.take_along_axis(weights, order, 1)
    counts = weights > 0
    starts = np.concatenate([[0], np.cumsum(counts.sum(axis=1))]).astype(np.int32)
    kept = weights[counts]
    sums = np.add.reduceat(kept, starts[:-1]) if len(kept) else kept
    kept = (kept / np.repeat(sums, np.diff(starts))).astype(np.float32) if len(kept) else kept.astype(np.float32)
    return Influences(starts, np.ascontiguousarray(joints[counts], np.int32), kept)


def table_of_influences(vertices: Int32, joints: Int32, weights: Float32, count: int) -> tuple[Int32, Float32]:
    """A table (V, K) of joints and weights from entries (N,) in any order; those of one vertex and one joint are added.

    Args:
        vertices, joints, weights: (N,) which vertex follows which joint how much.
        count: how many vertices there are; those without an entry get none.
    """
    size = int(joints.max()) + 1 if len(joints) else 1
    key, inverse = np.unique(vertices.astype(np.int64) * size + joints, return_inverse=True)
    summed = np.bincount(inverse, weights, len(key)) if len(key) else np.zeros(0)
    vertex, joint = key // size, key % size
    slot = np.arange(len(key)) - np.searchsorted(vertex, vertex)
    width = int(slot.max()) + 1 if len(slot) else 1
    table, shares = np.zeros((count, width), np.int32), np.zeros((count, width), np.float32)
    table[vertex, slot], shares[vertex, slot] = joint, summed
    return table, shares
