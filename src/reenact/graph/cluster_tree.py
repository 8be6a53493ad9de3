"""The cluster tree: frames merged two by two, nearest first, within each constraint state (reuse 3.5.4 and 3.5.5)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from reenact import kernels
from reenact.compute.serial import Serial
from reenact.core.arrays import Float64, frozen
from reenact.errors import ParameterError

if TYPE_CHECKING:
    from reenact.compute.executor import Executor

Linkage = Literal["centroid", "median"]

_OPERATIONS = 200_000  # of a product of matrices that no library spreads over threads


@dataclass(frozen=True, slots=True, eq=False)
class ClusterTree:
    """A binary forest over N frames: one tree for each constraint state.

    Attributes:
        frames: N; ids below it are frames.
        pairs: (M, 2) int64: merge k joins two clusters into cluster N + k.
        errors: (M,) float64 metres: sqrt(E) between the two representatives when they were merged.
        bounds: (M,) float64 metres: the largest error in the cluster's subtree. Centroids can come nearer by merging, so errors alone
            need not grow towards the root; bounds do.
        limit: metres; the tree is complete up to this error (inf: up to one root for each state).
        disturbed: share of the frames that could lie elsewhere in a tree of the same frames built at once (see `graph.extending`); 0 for
            one that was.
    """

    frames: int
    pairs: np.ndarray
    errors: Float64
    bounds: Float64
    limit: float = np.inf
    disturbed: float = 0.0

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "pairs", frozen(self.pairs, np.int64, (None, 2), "pairs"))
        put(self, "errors", frozen(self.errors, np.float64, (len(self.pairs),), "errors"))
        put(self, "bounds", frozen(self.bounds, np.float64, (len(self.pairs),), "bounds"))

    def __len__(self) -> int:
        return len(self.pairs)

    def parents(self) -> np.ndarray:
        """(N + M,) int64: the cluster each cluster was merged into, -1 for roots."""
        above = np.full(self.frames + len(self.pairs), -1, np.int64)
        made = self.frames + np.arange(len(self.pairs))
        above[self.pairs[:, 0]] = above[self.pairs[:, 1]] = made
        return above

    def cut(self, error: float) -> np.ndarray:
        """Nodes at an error: (N,) int32, for each frame the number of its node, counted in the order of their first frames.

        Walking down from a root, the first cluster whose bound is within `error` (metres) is a node. A larger error never gives more.
        """
        if not (np.isfinite(error) and error >= 0):
            raise ParameterError(f"error must be at least 0 m, not {error}", where="error")
        if error > self.limit:
            raise ParameterError(
                f"the tree was built up to an error of {self.limit:g} m, it cannot be cut at {error:g} m; build it again",
                where="error",
            )
        above = self.parents()
        inside = np.concatenate([np.zeros(self.frames, np.bool_), self.bounds <= error])
        top = np.where((above >= 0) & inside[above], above, np.arange(len(above)))
        while True:
            higher = top[top]
            if np.array_equal(higher, top):
                break
            top = higher
        _, first, label = np.unique(top[: self.frames], return_index=True, return_inverse=True)
        rank = np.empty(len(first), np.int32)
        rank[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.int32)
        return rank[label]

    def node_count(self, error: float) -> int:
        """How many nodes a cut at an error (metres) gives."""
        return self.frames - int(np.sum(self.bounds <= min(error, self.limit)))


def build_cluster_tree(
    features: ArrayLike,
    states: ArrayLike,
    *,
    linkage: Linkage = "centroid",
    limit: float = np.inf,
    progress: Callable[[int, int], None] | None = None,
    executor: Executor | None = None,
) -> ClusterTree:
    """Merge the frames of each state, nearest first, until one cluster is left or none are within `limit`.

    The pair merged next is always the nearest of all in its state (Kruskal-like, thesis 4.2.3); a merged cluster is represented by
    the mean of its frames ("centroid", the default) or by the mean of its two parts ("median"). Exact, without a matrix of distances.

    Args:
        features: (N, D), see `clip_features`.
        states: (N,) integers; frames of different states are never merged.
        linkage: "centroid" or "median".
        limit: metres; largest sqrt(E) at which clusters are merged.
        progress: called with frames done and frames in all.
        executor: works on the states; default: this process, one after the other.
    """
    features, states = np.asanyarray(features), np.asarray(states)  # of a mapped file its file is known
    if linkage not in ("centroid", "median"):
        raise ParameterError(f"linkage must be centroid or median, not {linkage!r}", where="linkage")
    if features.ndim != 2 or states.shape != (len(features),):
        raise ParameterError(f"features {features.shape} and states {states.shape} do not speak of the same frames")
    sizes = np.ones(len(features))
    pairs, errors = merge_by_state(features, sizes, states, linkage, limit, progress, executor)
    return ClusterTree(len(features), pairs, errors, subtree_bounds(len(features), pairs, errors), limit)


def merge_by_state(
    points: np.ndarray,
    sizes: np.ndarray,
    states: np.ndarray,
    linkage: Linkage,
    limit: float,
    progress: Callable[[int, int], None] | None = None,
    executor: Executor | None = None,
) -> tuple[np.ndarray, Float64]:
    """Merges (M, 2) of points (n, D) that stand for `sizes` frames, state by state, and their errors (M,) in metres."""
    all_pairs, all_errors = [np.empty((0, 2), np.int64)], [np.empty(0)]
    made = done = 0
    found = np.unique(states)
    task = functools.partial(_merge_state, linkage, limit)
    shared = {"points": points, "sizes": sizes, "states": states}
    work = executor or Serial()
    for state, (pairs, heights) in zip(found, work.map(task, found.tolist(), shared, words="clustering"), strict=True):
        members = np.flatnonzero(states == state)
        inner = pairs >= len(members)
        ids = np.where(inner, pairs - len(members) + len(points) + made, members[np.where(inner, 0, pairs)])
        all_pairs.append(ids)
        all_errors.append(np.sqrt(heights))
        made += len(pairs)
        done += len(members)
        if progress is not None:
            progress(done, len(points))
    return np.concatenate(all_pairs), np.concatenate(all_errors)


def _merge_state(
    linkage: Linkage, limit: float, state: int, shared: Mapping[str, np.ndarray]
) -> tuple[np.ndarray, Float64]:
    """Merges of the points of one state, numbered among themselves, and their squared errors."""
    members = np.flatnonzero(shared["states"] == state)
    turned = _turned(shared["points"][members])
    return kernels.clustering.agglomerate(
        turned, shared["sizes"][members], float(limit) ** 2, linkage == "median", own=True
    )


def _turned(points: np.ndarray) -> Float64:
    """Points in their principal axes, largest first: distances stay, and a search can give up after a few coordinates.

    In small blocks: there is one copy of all points and not two, and products so small are calculated alike with any number of threads.
    """
    centred = points.astype(np.float64)
    centred -= centred.mean(axis=0)
    width = centred.shape[1]
    block = max(_OPERATIONS // width**2, 1)
    spread = np.zeros((width, width))
    for start in range(0, len(centred), block):
        rows = centred[start : start + block]
        spread += rows.T @ rows
    _, axes = np.linalg.eigh(spread)
    axes = np.ascontiguousarray(axes[:, ::-1])
    for start in range(0, len(centred), block):
        centred[start : start + block] = centred[start : start + block] @ axes
    return centred


def subtree_bounds(frames: int, pairs: np.ndarray, errors: Float64) -> Float64:
    """(M,) the largest error in each cluster's subtree."""
    return kernels.clustering.largest_below(frames, pairs, errors)
