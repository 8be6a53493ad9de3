"""Pose pairs, components, chains, least-cost sequences and map entries against their plain twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.csgraph import connected_components, floyd_warshall

from reenact.kernels import components, least_cost, map_entries, mobility_twins, pose_pairs, state_actions


class _Poses:
    """Random records that change little from pose to pose, in a few clips."""

    def __init__(self, seed: int, lengths: tuple[int, ...] = (17, 1, 2, 23, 12)) -> None:
        rng = self.rng = np.random.default_rng(seed)
        poses = sum(lengths)
        joints = int(rng.integers(1, 4))
        vectors = np.cumsum(rng.normal(0, 0.2, (poses, 3 * (joints + 1))), axis=0)
        turned = rng.normal(0, 0.15, (poses, joints, 4))
        turned[..., 0] += 1
        turned /= np.linalg.norm(turned, axis=-1, keepdims=True)
        turned *= rng.choice([-1, 1], (poses, joints, 1))  # of either sign
        self.records = (
            vectors.astype(np.float32),
            turned.reshape(poses, -1).astype(np.float32),
            rng.uniform(0.1, 1, joints).astype(np.float32),
            np.repeat(np.arange(len(lengths), dtype=np.int32), lengths),
            rng.integers(0, 2, poses).astype(np.uint8) if seed % 2 else np.zeros(poses, np.uint8),
        )
        self.poses = poses


@given(
    st.integers(0, 10_000), st.sampled_from([0, 1, 3]), st.sampled_from([0, 2, 15]), st.sampled_from([0.8, 2.0, 9.0])
)
def test_pairs_are_those_of_brute_force(seed, most, exclude, limit) -> None:
    case = _Poses(seed)
    caps = np.full(case.poses, limit, np.float32)
    parts = [
        pose_pairs.search_pairs(*case.records, exclude, first, last, caps, most)
        for first, last in ((0, 11), (11, 30), (30, case.poses))
    ]
    pairs = [(int(i), int(j)) for sources, targets, _ in parts for i, j in zip(sources, targets, strict=True)]
    assert len(pairs) == len(set(pairs)), "a jump was proposed twice"
    wanted = mobility_twins.search_pairs(*case.records, exclude, caps - 1e-4, most)
    assert wanted <= set(pairs)
    costs = mobility_twins.jump_costs(*case.records, exclude)
    for sources, targets, found in parts:
        np.testing.assert_allclose(found, costs[sources, targets], atol=2e-3)
        assert np.all(found <= limit + 1e-5)
    if not most:
        assert set(pairs) <= mobility_twins.search_pairs(*case.records, exclude, caps + 1e-4, 0)


@given(st.integers(0, 10_000), st.sampled_from([1, 4]))
def test_caps_are_no_lower_than_the_cheapest_jumps_need(seed, most) -> None:
    case = _Poses(seed)
    near = np.stack([case.rng.permutation(case.poses)[:20] for _ in range(case.poses)]).astype(np.int32)
    caps = pose_pairs.first_caps(*case.records, 3, 5.0, most, near)
    costs = np.sort(mobility_twins.jump_costs(*case.records, 3), axis=1)[:, most - 1]
    assert np.all(caps <= 5.0)
    assert np.all(caps >= np.minimum(costs, 5.0) - 1e-5)


@given(st.integers(0, 10_000), st.integers(1, 3))
def test_local_minima_are_those_of_brute_force(seed, reach) -> None:
    case = _Poses(seed)
    sources, targets, _ = pose_pairs.search_pairs(
        *case.records, 2, 0, case.poses, np.full(case.poses, 9, np.float32), 0
    )
    got = pose_pairs.are_least(*case.records[:4], sources, targets, reach)
    wanted = mobility_twins.are_least(*case.records[:4], sources, targets, reach)
    np.testing.assert_array_equal(got, wanted)
    assert not len(sources) or got.any()


class _Graph:
    """A random directed graph; some edges cost nothing, and many as much as others."""

    def __init__(self, seed: int, most: int = 30) -> None:
        rng = self.rng = np.random.default_rng(seed)
        self.nodes = int(rng.integers(1, most))
        degrees = rng.integers(0, 4, self.nodes)
        self.pointers = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
        self.targets = rng.integers(0, self.nodes, int(degrees.sum())).astype(np.int32)
        self.frames = rng.integers(1, 5, len(self.targets)).astype(np.int32)
        self.costs = rng.integers(1, 6, len(self.targets)).astype(np.int32)
        # recorded motion: the first edge of a node leads to the next one for nothing
        self.free = np.full(self.nodes, -1, np.int32)
        for node in np.flatnonzero((degrees > 0) & (rng.random(self.nodes) < 0.6)):
            if node + 1 < self.nodes:
                edge = self.pointers[node]
                self.targets[edge], self.costs[edge], self.free[node] = node + 1, 0, edge

    @property
    def sources(self) -> np.ndarray:
        return np.repeat(np.arange(self.nodes), np.diff(self.pointers))


def _same_partition(a: np.ndarray, b: np.ndarray) -> bool:
    return len(np.unique(np.stack([a, b]), axis=1).T) == len(np.unique(a)) == len(np.unique(b))


@settings(max_examples=200)
@given(st.integers(0, 10_000))
def test_components_are_those_of_reachability_and_of_scipy(seed) -> None:
    graph = _Graph(seed)
    kept = graph.rng.random(len(graph.targets)) < 0.8
    count, component = components.strong_components(graph.pointers, graph.targets, kept)
    wanted, lowest = mobility_twins.strong_components(graph.pointers, graph.targets, kept)
    assert count == wanted
    assert _same_partition(component, lowest)
    ones = np.ones(int(kept.sum()))
    matrix = sparse.csr_matrix((ones, (graph.sources[kept], graph.targets[kept])), shape=(graph.nodes, graph.nodes))
    assert connected_components(matrix, connection="strong")[0] == count


def test_a_path_of_a_million_nodes_is_no_trouble() -> None:
    count = 1_000_000
    pointers = np.minimum(np.arange(count + 1), count - 1).astype(np.int64)
    found, component = components.strong_components(pointers, np.arange(1, count, dtype=np.int32))
    assert found == count
    assert len(np.unique(component)) == count
    ring = np.append(np.arange(1, count, dtype=np.int32), np.int32(0))
    assert components.strong_components(np.arange(count + 1), ring)[0] == 1


@given(st.integers(0, 10_000))
def test_buckets_heap_and_relaxation_agree(seed) -> None:
    graph = _Graph(seed)
    source = int(graph.rng.integers(graph.nodes))
    edges = (graph.pointers, graph.targets, graph.costs.astype(np.float64), graph.frames)
    wanted, times = mobility_twins.least_costs(*edges, [source])
    costs, frames, last = least_cost.least_costs(*edges, np.array([source], np.int32))
    np.testing.assert_array_equal(costs, wanted)
    np.testing.assert_array_equal(frames[np.isfinite(costs)], times[np.isfinite(costs)])
    whole = least_cost.least_whole_costs(graph.pointers, graph.targets, graph.costs, graph.frames, graph.free, source)
    np.testing.assert_array_equal(np.where(whole[0] < 0, np.inf, whole[0]), wanted)
    np.testing.assert_array_equal(whole[1], frames)
    np.testing.assert_array_equal(whole[2], last)
    for node in np.flatnonzero(last >= 0):  # the way to a node's parent is a least-cost one, too
        parent = graph.sources[last[node]]
        assert costs[parent] + graph.costs[last[node]] == costs[node]
        assert frames[parent] + graph.frames[last[node]] == frames[node]


def test_costs_on_three_hundred_nodes_are_those_of_floyd_and_warshall() -> None:
    graph = _Graph(3, most=301)
    dense = np.full((graph.nodes, graph.nodes), np.inf)
    np.minimum.at(dense, (graph.sources, graph.targets), graph.costs + 1e-4)  # SciPy takes 0 for no edge
    wanted = floyd_warshall(np.where(np.isinf(dense), 0, dense))
    for source in range(0, graph.nodes, 7):
        found = least_cost.least_whole_costs(
            graph.pointers, graph.targets, graph.costs, graph.frames, graph.free, source
        )
        np.testing.assert_array_equal(np.where(found[0] < 0, np.inf, found[0]), np.round(wanted[source]))


@given(st.integers(0, 10_000), st.booleans(), st.integers(1, 6))
def test_cut_trees_are_the_least_cost_trees_down_to_the_horizon(seed, exact, horizon) -> None:
    graph = _Graph(seed)
    given_edges = (graph.pointers, graph.targets, graph.costs, graph.costs.astype(np.float64), graph.frames, graph.free)
    trees, counts, depths = least_cost.cut_trees(*given_edges, 0, graph.nodes, horizon, exact)
    at = 0
    for source in range(graph.nodes):
        _, _, last = least_cost.least_costs(
            graph.pointers, graph.targets, graph.costs.astype(np.float64), graph.frames, np.array([source], np.int32)
        )
        wanted = {}
        for node in np.flatnonzero(last >= 0):
            way = [int(node)]
            while way[-1] != source:
                way.append(int(graph.sources[last[way[-1]]]))
            if len(way) - 1 <= horizon:
                wanted[int(node)] = (len(way) - 1, way[1], int(last[node]))
        tree, depth = trees[at : at + counts[source]], depths[at : at + counts[source]]
        parents = np.where(tree[:, 1] < 0, source, tree[np.maximum(tree[:, 1], 0), 0])
        got = {
            int(node): (int(deep), int(parent), int(edge))
            for (node, _, edge), deep, parent in zip(tree, depth, parents, strict=True)
        }
        assert got == wanted
        assert np.all(np.diff(depth) >= 0)
        at += counts[source]
    assert at == len(trees)


@settings(max_examples=60)
@given(st.integers(0, 10_000))
def test_chains_are_followed_to_the_next_state(seed) -> None:
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(4, 40))
    degrees = rng.choice([1, 1, 2, 3], nodes)
    pointers = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
    targets = np.concatenate(
        [np.append((node + 1) % nodes, rng.integers(0, nodes, degree - 1)) for node, degree in enumerate(degrees)]
    ).astype(np.int32)
    costs, is_state = rng.uniform(0, 1, len(targets)).astype(np.float32), degrees > 1
    increments = rng.normal(0, 0.3, (nodes, 3)).astype(np.float32)
    found = state_actions.follow_chains(pointers, targets, costs, increments, is_state)
    if not is_state.any():
        assert found is not None
        assert len(found[0]) == 0
        return
    ends, starts, totals, moves, poses = found
    wanted = mobility_twins.follow_chains(pointers, targets, costs, increments, is_state)
    assert len(ends) == len(wanted)
    for action, (end, cost, move, passed) in enumerate(wanted):
        assert ends[action] == end
        assert totals[action] == pytest.approx(cost)
        assert poses[starts[action] : starts[action + 1]].tolist() == passed
        np.testing.assert_allclose(moves[action, :2], move[:2], atol=1e-9)
        np.testing.assert_allclose(np.exp(1j * moves[action, 2]), np.exp(1j * move[2]), atol=1e-9)


def test_a_chain_without_a_state_at_its_end_is_noticed() -> None:
    pointers = np.array([0, 2, 3, 4], np.int64)  # 0 decides, and 1 and 2 go round for ever
    targets = np.array([1, 2, 2, 1], np.int32)
    is_state = np.array([True, False, False])
    assert (
        state_actions.follow_chains(pointers, targets, np.zeros(4, np.float32), np.zeros((3, 3), np.float32), is_state)
        is None
    )


@given(st.integers(0, 10_000))
def test_entries_are_unrolled_like_their_twin(seed) -> None:
    graph = _Graph(seed)
    given_edges = (graph.pointers, graph.targets, graph.costs, graph.costs.astype(np.float64), graph.frames, graph.free)
    trees, counts, _ = least_cost.cut_trees(*given_edges, 0, graph.nodes, 5, True)
    begins = np.concatenate([[0], np.cumsum(counts)])
    owners = np.repeat(np.arange(graph.nodes, dtype=np.int32), counts)
    places = (np.arange(len(trees)) - begins[owners]).astype(np.int32)
    edges = len(graph.targets)
    local = (np.arange(edges) - graph.pointers[graph.sources]).astype(np.uint16)
    moves = graph.rng.normal(0, 0.4, (edges, 3)).astype(np.float32)
    labels = graph.rng.integers(0, 3, (edges, 2)).astype(np.int32)
    parents, actions = np.ascontiguousarray(trees[:, 1]), np.ascontiguousarray(trees[:, 2])
    costs = graph.costs.astype(np.float32)
    entries = (begins, parents, actions, owners, places, local, moves, graph.frames, costs, labels, 5)
    sequences, ends, frames, sums, carried = map_entries.unroll_entries(*entries)
    for entry, (sequence, move, time, cost, count) in enumerate(mobility_twins.unroll_entries(*entries)):
        assert sequences[entry].tolist() == sequence
        np.testing.assert_allclose(ends[entry, :2], move[:2], atol=1e-9)
        np.testing.assert_allclose(np.exp(1j * ends[entry, 2]), np.exp(1j * move[2]), atol=1e-9)
        assert (frames[entry], carried[entry].tolist()) == (time, count)
        assert sums[entry] == pytest.approx(cost)
