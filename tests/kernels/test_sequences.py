"""Alignment, best pairs and shortest walks against brute force."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reenact.graph.switch_table import make_switch_table
from reenact.kernels import sequence_twins, sequences


class _Case:
    """Random clips cut into sequences that share nodes."""

    def __init__(self, seed: int, clips: int = 4, length: int = 14, nodes: int = 5) -> None:
        rng = self.rng = np.random.default_rng(seed)
        self.features = rng.normal(size=(clips * length, 6)).astype(np.float32)
        starts, owners = [], []
        for clip in range(clips):
            inner = np.sort(rng.choice(np.arange(1, length), rng.integers(2, 6), replace=False))
            for start in (0, *inner):
                starts.append(clip * length + start)
                owners.append(clip)
        self.starts = np.array(starts, np.int64)
        self.clips = np.array(owners, np.int64)
        last = np.append(self.starts[1:], clips * length)
        self.ends = last.astype(np.int64)
        self.nodes = rng.integers(0, nodes, len(starts))
        self.nodes = np.unique(self.nodes, return_inverse=True)[1].astype(np.int64)
        self.order = np.argsort(self.nodes, kind="stable").astype(np.int64)
        self.bounds = np.searchsorted(self.nodes[self.order], np.arange(self.nodes.max() + 2)).astype(np.int64)
        self.joints = (self.starts + self.ends - 1) // 2
        self.least = np.full(clips, int(rng.integers(1, 5)), np.int64)
        self.rates = rng.uniform(30, 120, clips)


@given(st.integers(0, 500))
def test_alignment_is_the_best_tuple(seed) -> None:
    case = _Case(seed, clips=2, length=8, nodes=4)
    got = sequences.align_sequences(case.features, case.starts, case.ends, case.order, case.bounds)
    wanted = sequence_twins.align_sequences(case.features, case.starts, case.ends, case.order, case.bounds)

    def cost(frames):
        total = 0.0
        for first, last in zip(case.bounds, case.bounds[1:], strict=False):
            rows = case.features[frames[case.order[first:last]]].astype(np.float64)
            total += np.sum(np.diff(rows, axis=0) ** 2)
        return total

    np.testing.assert_allclose(cost(got), cost(wanted), rtol=1e-5)
    assert np.all((got >= case.starts) & (got < case.ends))


@given(st.integers(0, 500), st.sampled_from([0, 3]))
def test_best_pairs_are_those_of_brute_force(seed, apart) -> None:
    case = _Case(seed)
    count = len(case.starts)
    first, second = (case.rng.integers(0, count, 20) for _ in range(2))
    leave, enter = (case.rng.uniform(0, 3, len(case.features)) for _ in range(2))
    leave[case.rng.random(len(leave)) < 0.3] = np.inf
    gaps = np.full(20, apart, np.int64)
    given_ = (case.features, first, second, case.starts, case.ends, leave, enter, 0.7, gaps)
    pairs, costs, errors = sequences.best_pairs(*given_)
    wanted_pairs, wanted_costs, wanted_errors = sequence_twins.best_pairs(*given_)
    np.testing.assert_allclose(costs, wanted_costs, rtol=1e-5)
    np.testing.assert_array_equal(pairs, wanted_pairs)
    np.testing.assert_allclose(errors, wanted_errors, rtol=1e-4, atol=1e-6)


@given(st.integers(0, 2000), st.integers(1, 4), st.integers(1, 2), st.integers(1, 6))
def test_walks_cost_what_dijkstra_finds(seed, hops, fewest, wanted) -> None:
    case = _Case(seed, clips=5)
    count = len(case.starts)
    leave, enter, edge = np.full(count, np.inf), np.full(count, np.inf), case.rng.uniform(0, 0.5, count)
    leave[case.clips == 0] = case.rng.uniform(0, 1, np.sum(case.clips == 0))
    enter[case.clips == 4] = case.rng.uniform(0, 1, np.sum(case.clips == 4))
    edge[case.rng.random(count) < 0.1] = np.inf
    made = make_switch_table(
        case.features,
        case.joints,
        case.clips,
        case.order,
        case.bounds,
        case.least,
        most=int(case.rng.choice([0, 4000])),
    )
    shared = (
        case.features, case.joints, case.clips, case.nodes, case.order, case.bounds, leave, enter, 0.2, case.least, case.rates,
        1.0, 0.05, hops, fewest, wanted,
    )  # fmt: skip
    costs, walks = sequences.shortest_walks(*shared, edge, made.errors, made.base, made.place, made.nearest)
    np.testing.assert_allclose(costs, sequence_twins.shortest_walks(*shared, edge), rtol=1e-5)
    for walk in walks:
        assert case.clips[walk[0][2]] == 0
        assert case.clips[walk[-1][2]] == 4
        assert fewest <= walk[-1][0] <= hops
