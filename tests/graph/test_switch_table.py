"""Errors between the sequences of every node."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.graph.switch_table import make_switch_table


def some_sequences(seed: int = 0, count: int = 60, nodes: int = 7):
    rng = np.random.default_rng(seed)
    rows = rng.normal(3.0, 0.2, size=(40 * count, 9)).astype(np.float32)
    joints = np.sort(rng.choice(len(rows), count, replace=False)).astype(np.int64)
    clips = np.sort(rng.integers(0, 5, count)).astype(np.int64)
    of = rng.integers(0, nodes, count)
    order = np.argsort(of, kind="stable").astype(np.int64)
    bounds = np.searchsorted(of[order], np.arange(nodes + 1)).astype(np.int64)
    return rows, joints, clips, order, bounds, np.full(5, 200, np.int64), of


def brute(rows, joints, s: int, t: int) -> float:
    return float(np.sum((rows[joints[s]].astype(np.float64) - rows[joints[t]]) ** 2))


@pytest.mark.parametrize("most", [4000, 0])
def test_against_every_pair_by_itself(most: int) -> None:
    rows, joints, clips, order, bounds, apart, of = some_sequences()
    table = make_switch_table(rows, joints, clips, order, bounds, apart, most)
    for s in range(len(joints)):
        others = []
        for t in np.flatnonzero(of == of[s]):
            if most:
                size = bounds[of[s] + 1] - bounds[of[s]]
                held = table.errors[table.base[of[s]] + table.place[s] * size + table.place[t]]
                near = clips[s] == clips[t] and abs(joints[s] - joints[t]) < apart[clips[s]]
                wanted = np.inf if near else brute(rows, joints, s, t)
                assert held == pytest.approx(wanted, rel=1e-5, abs=1e-5)
            if clips[s] != clips[t] or abs(joints[s] - joints[t]) >= apart[clips[s]]:
                others.append(brute(rows, joints, s, t))
        least = min(others, default=np.inf)
        assert table.nearest[s] == pytest.approx(least, rel=1e-4)
        assert table.nearest[s] <= least
    assert len(table.errors) == (sum(np.diff(bounds) ** 2) if most else 0)
    assert np.all((table.base >= 0) == bool(most))
