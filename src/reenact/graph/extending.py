"""Adding clips to a cluster graph: as good as building it anew, at a part of the work where few clips are added.

What lay close together in the kept tree (`LEVEL` of the graph's error) stays together; everything above is merged anew with the new
frames among it, up to the roots, and the error is chosen anew where it is to be chosen. That is what building anew would do, unless new
frames come between frames of those small clusters. How many frames that concerns is measured on the way, and added up over
extensions; when it is too many, the tree is built from all frames. Their features are kept with the graph, so that no clip is read again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from reenact.core.arrays import Float64
from reenact.graph.building import DescribedClip, graph_of_frames
from reenact.graph.cluster_graph import ClusterGraph
from reenact.graph.cluster_tree import ClusterTree, Linkage, build_cluster_tree, merge_by_state, subtree_bounds

if TYPE_CHECKING:
    from reenact.compute.executor import Executor

LEVEL = 0.35
"""Share of the graph's error up to which kept clusters stay as they are."""

MOST_DISTURBED = 0.02
"""Share of the frames whose small clusters new frames may disturb before the tree is built anew."""


@dataclass(frozen=True, slots=True, eq=False)
class Extension:
    """A graph with more clips, and how it came about.

    Attributes:
        graph: of the old clips and the new ones, in this order.
        rebuilt: the tree was built of all frames.
        disturbed: share of the frames, 0..1, whose small clusters new frames disturbed, since the tree was last built of all frames: what
            `rebuilt` was decided by.
    """

    graph: ClusterGraph
    rebuilt: bool
    disturbed: float


def extend_cluster_graph(
    graph: ClusterGraph,
    added: Sequence[DescribedClip],
    most_disturbed: float = MOST_DISTURBED,
    executor: Executor | None = None,
) -> Extension:
    """The graph with more clips.

    Args:
        graph: the graph so far.
        added: the new clips, described by the graph's own metric.
        most_disturbed: share of disturbed frames above which the tree is built anew; 1 always extends.
        executor: gathers the frames of every constraint state; default: this process.
    """
    if not added:
        return Extension(graph, False, graph.tree.disturbed)
    features = np.concatenate([graph.features, *(one.features for one in added)])
    states = np.concatenate([graph.states, *(one.states for one in added)])
    tree = _extended_tree(graph, features, states, executor)
    disturbed = tree.disturbed
    rebuilt = disturbed > most_disturbed
    if rebuilt:
        tree = build_cluster_tree(features, states, linkage=graph.parameters.linkage, executor=executor)
    clips = (*graph.clips, *(one.about for one in added))
    made = graph_of_frames(clips, graph.metric, features, states, tree, graph.parameters)
    return Extension(made, rebuilt, disturbed)


def _extended_tree(
    graph: ClusterGraph, features: np.ndarray, states: np.ndarray, executor: Executor | None = None
) -> ClusterTree:
    """The tree of all frames above small clusters that are kept; features (N, D) and states (N,) of the old frames, then the new."""
    old, linkage, level = graph.frames, graph.parameters.linkage, LEVEL * graph.error
    small = graph.tree.cut(level)
    order = np.argsort(small, kind="stable")
    sizes = np.bincount(small).astype(np.float64)
    firsts = order[np.concatenate([[0], np.cumsum(sizes[:-1])]).astype(np.int64)]
    count, new = len(sizes), len(features) - old
    points = np.concatenate([_representatives(graph, small, order, sizes, level), features[old:].astype(np.float64)])
    weights = np.concatenate([sizes, np.ones(new)])
    upper_states = np.concatenate([states[firsts], states[old:]])
    pairs, errors = merge_by_state(points, weights, upper_states, linkage, np.inf, executor=executor)
    upper = ClusterTree(len(points), pairs, errors, subtree_bounds(len(points), pairs, errors))
    together = upper.cut(level)
    mixed = (np.bincount(together[:count], minlength=together.max() + 1) > 0) & (np.bincount(together) > 1)
    disturbed = float(np.sum(sizes[mixed[together[:count]]])) / len(features)
    grown = graph.tree.disturbed * old / len(features)  # of the frames there were, as a share of all
    return replace(_grafted(graph.tree, small, level, new, upper), disturbed=min(grown + disturbed, 1.0))


def _representatives(
    graph: ClusterGraph, small: np.ndarray, order: np.ndarray, sizes: Float64, level: float
) -> Float64:
    """(K, D) what stands for each small cluster: the mean of its frames, or of its two parts where the linkage is so."""
    linkage: Linkage = graph.parameters.linkage
    features = graph.features.astype(np.float64)
    if linkage == "centroid":
        starts = np.concatenate([[0], np.cumsum(sizes[:-1])]).astype(np.int64)
        return np.add.reduceat(features[order], starts, axis=0) / sizes[:, None]
    kept = np.flatnonzero(graph.tree.bounds <= level)
    middles = dict[int, Float64]()
    for merge in kept:  # parts come before their whole
        one, other = (middles.pop(int(part), None) for part in graph.tree.pairs[merge])
        ends = graph.tree.pairs[merge]
        one = features[ends[0]] if one is None else one
        other = features[ends[1]] if other is None else other
        middles[graph.frames + int(merge)] = 0.5 * (one + other)
    found = features[order[np.concatenate([[0], np.cumsum(sizes[:-1])]).astype(np.int64)]]
    for cluster, middle in middles.items():
        found[small[_first_frame(graph.tree, cluster)]] = middle
    return found


def _first_frame(tree: ClusterTree, cluster: int) -> int:
    while cluster >= tree.frames:
        cluster = int(tree.pairs[cluster - tree.frames, 0])
    return cluster


def _grafted(tree: ClusterTree, small: np.ndarray, level: float, new: int, upper: ClusterTree) -> ClusterTree:
    """The old tree below the level, with the merges of its small clusters and the new frames on top."""
    old, frames = tree.frames, tree.frames + new
    kept = np.flatnonzero(tree.bounds <= level)
    place = np.full(old + len(tree), -1, np.int64)
    place[:old] = np.arange(old)
    place[old + kept] = frames + np.arange(len(kept))
    above = tree.parents()
    held = np.concatenate([np.ones(old, np.bool_), tree.bounds <= level])
    tops = np.flatnonzero(held & ((above < 0) | ~held[above]))
    inside = tops.copy()
    while np.any(deep := inside >= old):
        inside[deep] = tree.pairs[inside[deep] - old, 0]
    top_of = np.empty(upper.frames - new, np.int64)
    top_of[small[inside]] = place[tops]
    ids = np.concatenate([top_of, old + np.arange(new), frames + len(kept) + np.arange(len(upper))])
    pairs = np.concatenate([place[tree.pairs[kept]], ids[upper.pairs]])
    errors = np.concatenate([tree.errors[kept], upper.errors])
    return ClusterTree(frames, pairs, errors, subtree_bounds(frames, pairs, errors))
