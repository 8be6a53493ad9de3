"""What every pose metric can do, and what can be done with any of them: whole matrices, tiles, transition costs, neighbours.

A metric turns clips into features once, and features into tiles of distances, as often as wanted. Whoever needs distances (registration,
graphs, loops) asks for tiles and never for single pairs, so all of the work is matrix products and compiled loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from reenact.core.arrays import Float32
from reenact.core.clip import Clip
from reenact.errors import ParameterError

TILE = 512
"""Frames along each side of a tile: its products stay in the second-level cache."""

F = TypeVar("F", bound="PoseFeatures")


class PoseFeatures(Protocol):
    """What a metric knows about the frames of one or several clips."""

    @property
    def starts(self) -> tuple[int, ...]:
        """First frame of each clip, then the number of frames: (C + 1,)."""
        ...

    def __len__(self) -> int: ...


class PoseMetric(Protocol, Generic[F]):
    """A distance between frames of motion.

    Attributes:
        name: for people and files.
        unit: of its distances: "m" or "rad".
    """

    name: str
    unit: str

    def describe(self, clip: Clip) -> F:
        """Features of every frame of a clip."""
        ...

    def join(self, features: Sequence[F]) -> F:
        """Features of several clips, end to end."""
        ...

    def tile(self, a: F, b: F, rows: slice, columns: slice) -> Float32:
        """(R, C) float32 distances of frames `rows` of `a` to frames `columns` of `b`."""
        ...


def describe_clips(metric: PoseMetric[F], clips: Sequence[Clip]) -> F:
    """Features of several clips on one joint tree, end to end."""
    if not clips:
        raise ParameterError("there is no clip to describe")
    for clip in clips[1:]:
        if not clip.skeleton.same_tree(clips[0].skeleton):
            told = clips[0].skeleton.difference(clip.skeleton)
            raise ParameterError(f"{clips[0].name!r} and {clip.name!r} have different skeletons: {told}")
    return metric.join([metric.describe(clip) for clip in clips])


def iterate_tiles(
    metric: PoseMetric[F], a: F, b: F | None = None, tile: int = TILE
) -> Iterator[tuple[slice, slice, Float32]]:
    """Tiles (rows, columns, distances) that cover the matrix once; of `a` with itself only those on and above the diagonal.

    Never more than one tile is in memory.
    """
    if tile < 1:
        raise ParameterError(f"tile must be at least 1 frame, not {tile}", where="tile")
    other = a if b is None else b
    for top in range(0, len(a), tile):
        rows = slice(top, min(top + tile, len(a)))
        for left in range(top if b is None else 0, len(other), tile):
            columns = slice(left, min(left + tile, len(other)))
            yield rows, columns, metric.tile(a, other, rows, columns)


def distance_matrix(
    metric: PoseMetric[F], a: F, b: F | None = None, *, tile: int = TILE, out: Float32 | None = None
) -> Float32:
    """(N, M) float32 distances of all frames of `a` to all of `b`; without `b` of `a` to itself: symmetric, zero on the diagonal.

    Args:
        metric: which.
        a: features from `metric.describe`.
        b: of the other side.
        tile: frames along the side of a tile.
        out: where to write, such as a memory-mapped file for a matrix larger than memory.
    """
    shape = (len(a), len(a if b is None else b))
    if out is None:
        out = np.empty(shape, np.float32)
    elif out.shape != shape:
        raise ParameterError(f"out must have shape {shape}, not {out.shape}", where="out")
    for rows, columns, distances in iterate_tiles(metric, a, b, tile):
        out[rows, columns] = distances
        if b is None and rows.start != columns.start:
            out[columns, rows] = distances.T
    if b is None:
        for top in range(0, len(a), tile):
            block = out[top : top + tile, top : top + tile]
            upper = np.triu(block, 1)
            block[:] = upper + upper.T
    return out


def transition_costs(metric: PoseMetric[F], a: F, b: F, rows: slice, columns: slice) -> Float32:
    """(R, C) cost of going from frame i of `a` on to frame j of `b`: the mean of d(i + 1, j) and d(i, j - 1).

    A jump is smooth when what i would have shown next looks like j, and what came before j looks like i (mobility specification A2,
    equations 3.9, 3.10, 3.12). The recorded continuation costs nothing. Infinite where i is the last or j the first frame of its clip.
    """
    top, bottom, _ = rows.indices(len(a))
    left, right, _ = columns.indices(len(b))
    costs = np.full((max(0, bottom - top), max(0, right - left)), np.inf, np.float32)
    if costs.size == 0:
        return costs
    down, back = min(bottom + 1, len(a)), max(left - 1, 0)
    block = metric.tile(a, b, slice(top, down), slice(back, right))
    inner = 0.5 * (block[1:, 1:] + block[:-1, :-1])  # frames top.. with columns back + 1..
    costs[: inner.shape[0], back + 1 - left :] = inner
    lasts, firsts = np.array(a.starts[1:]) - 1, np.array(b.starts[:-1])
    costs[lasts[(lasts >= top) & (lasts < bottom)] - top] = np.inf
    costs[:, firsts[(firsts >= left) & (firsts < right)] - left] = np.inf
    if a is b:  # rounding must not make the recorded way cost anything
        i = np.arange(top, bottom)
        i = i[(i + 1 >= left) & (i + 1 < right)]
        known = np.isfinite(costs[i - top, i + 1 - left])
        costs[i[known] - top, i[known] + 1 - left] = 0.0
    return costs


def nearest_frames(metric: PoseMetric[F], a: F, b: F, count: int = 1, tile: int = TILE) -> tuple[np.ndarray, Float32]:
    """For every frame of `a` the `count` nearest frames of `b`: (N, count) indices and distances, nearest first."""
    if not 1 <= count <= len(b):
        raise ParameterError(f"count must be 1 to {len(b)}, not {count}", where="count")
    best = np.full((len(a), count), np.inf, np.float32)
    which = np.zeros((len(a), count), np.int64)
    for rows, columns, distances in iterate_tiles(metric, a, b, tile):
        keep = min(count, distances.shape[1])
        nearest = np.argpartition(distances, keep - 1, axis=1)[:, :keep]
        joined = np.hstack([best[rows], np.take_along_axis(distances, nearest, 1)])
        numbers = np.hstack([which[rows], nearest + columns.start])
        order = np.argsort(joined, axis=1, kind="stable")[:, :count]
        best[rows], which[rows] = np.take_along_axis(joined, order, 1), np.take_along_axis(numbers, order, 1)
    return which, best


def joined_starts(features: Sequence[Any]) -> tuple[int, ...]:
    """Starts of several features end to end."""
    if not features:
        raise ParameterError("there are no features to join")
    starts = [0]
    for part in features:
        starts += [starts[-1] + end for end in part.starts[1:]]
    return tuple(starts)
