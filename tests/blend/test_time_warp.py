"""Time warps: strictly rising, exact at their ends, invertible, and as near to their points as bounds allow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from reenact.blend.slope_fit import fit_slopes, integrals_at
from reenact.blend.time_warp import TimeWarp, fit_time_warp, lowered_floor, slope_floor
from reenact.blend.warp_path import find_path, smallest_slope_limit
from reenact.errors import ParameterError

SEEDS = st.integers(0, 2**32 - 1)


@given(st.integers(8, 120), st.integers(8, 120), st.integers(1, 6), SEEDS)
def test_two_motions(rows: int, columns: int, limit: int, seed: int) -> None:
    limit = max(limit, smallest_slope_limit(rows, columns))
    path = find_path(np.random.default_rng(seed).random((rows, columns)), limit)
    warp = fit_time_warp(path, limit)
    floor = lowered_floor((rows - 1, columns - 1), slope_floor(limit))
    u = np.linspace(0, warp.length, 10_000)
    slopes = warp.slopes_at(u)
    assert slopes.min() >= floor - 1e-9
    np.testing.assert_allclose(slopes.sum(axis=1), 2, atol=1e-9)
    if floor == slope_floor(limit):
        assert (slopes[:, 0] / slopes[:, 1]).max() <= limit + 1 + 1e-6
        assert (slopes[:, 1] / slopes[:, 0]).max() <= limit + 1 + 1e-6
    np.testing.assert_allclose(warp.frames_at(0.0), 0, atol=1e-6)
    np.testing.assert_allclose(warp.frames_at(warp.length), [rows - 1, columns - 1], atol=1e-6)
    frames = warp.frames_at(u)
    np.testing.assert_allclose(np.gradient(frames[:, 0], u)[2:-2], slopes[2:-2, 0], atol=0.02)
    for motion in (0, 1):
        np.testing.assert_allclose(warp.inverse(motion, frames[:, motion]), u, atol=1e-6)


@given(st.integers(3, 5), st.integers(20, 60), SEEDS)
def test_many_motions(count: int, rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    steps = rng.integers(0, 2, (rows, count))
    steps[np.arange(rows), rng.integers(0, count, rows)] = 1
    path = np.cumsum(steps, axis=0) + 5
    path = path[: np.flatnonzero((path > path[0]).all(axis=1))[-1] + 1]
    warp = fit_time_warp(path, 3)
    floor = lowered_floor(path[-1] - path[0], slope_floor(3))
    u = np.linspace(0, warp.length, 2000)
    assert warp.slopes_at(u).min() >= floor - 1e-9
    np.testing.assert_allclose(warp.start, path[0], atol=1e-9)
    np.testing.assert_allclose(warp.end, path[-1], atol=1e-6)
    for motion in range(count):
        np.testing.assert_allclose(warp.inverse(motion, warp.frames_at(u)[:, motion]), u, atol=1e-6)


def test_a_straight_path_gives_a_straight_warp() -> None:
    path = np.column_stack([np.arange(50), 10 + np.arange(50)])
    warp = fit_time_warp(path, 3)
    np.testing.assert_allclose(warp.frames_at([0.0, 12.3, 49.0]), [[0, 10], [12.3, 22.3], [49, 59]], atol=1e-6)
    assert warp.length == pytest.approx(49)


def test_unequal_lengths_lower_the_floor() -> None:
    assert slope_floor(3) == pytest.approx(0.4)
    assert lowered_floor((100, 100), 0.4) == pytest.approx(0.4)
    assert lowered_floor((10, 190), 0.4) == pytest.approx(0.09)
    path = np.column_stack([np.linspace(0, 10, 191), np.arange(191)])
    warp = fit_time_warp(path, 3)
    np.testing.assert_allclose(warp.end, [10, 190], atol=1e-6)
    assert warp.slopes.min() >= 0.09 - 1e-9


@given(st.integers(4, 12), st.integers(20, 60), SEEDS)
def test_the_fit_is_the_best_within_its_bounds(pieces: int, points: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    step, low, high = 2.0, -0.8, 1.2
    at = np.sort(rng.random(points)) * pieces * step
    targets = np.cumsum(rng.normal(size=points))
    matrix = integrals_at(at, step, pieces)
    share = np.full(pieces + 1, step)
    share[[0, -1]] = step / 2
    rise = float(share.sum() * rng.uniform(0.8 * low, 0.8 * high))
    found = fit_slopes(matrix, targets, step, rise, low, high, 0.1)
    assert found.min() >= low - 1e-9
    assert found.max() <= high + 1e-9
    assert share @ found == pytest.approx(rise, abs=1e-9)
    heavy = 1e5
    gaps = np.sqrt(0.1) * np.diff(np.eye(pieces + 1), axis=0) * step
    oracle = lsq_linear(
        np.vstack([matrix, gaps, heavy * share]), np.concatenate([targets, np.zeros(pieces), [heavy * rise]]), (low, high), tol=1e-14
    )  # fmt: skip

    def cost(x: np.ndarray) -> float:
        return float(np.sum((matrix @ x - targets) ** 2) + np.sum((gaps @ x) ** 2))

    assert cost(found) <= cost(oracle.x) * (1 + 1e-5) + 1e-6


def test_integrals() -> None:
    slopes = np.array([1.0, 3.0, 0.5])
    rises = integrals_at(np.array([0.0, 1.0, 2.0, 4.0]), 2.0, 2) @ slopes
    np.testing.assert_allclose(rises, [0.0, 1.0 + 0.5, 4.0, 4.0 + 3.5])


def test_one_number_in_one_number_out() -> None:
    warp = TimeWarp.from_slopes([0.0, 3.0], [[1.0, 1.0], [1.5, 0.5], [1.0, 1.0]], 4.0)
    assert warp.frames_at(2.0).shape == (2,)
    assert warp.slopes_at(2.0).shape == (2,)
    assert float(warp.inverse(1, warp.frames_at(2.0)[1])) == pytest.approx(2.0)


def test_beyond_the_ends() -> None:
    warp = TimeWarp.from_slopes([0.0], [[2.0], [2.0]], 4.0)
    assert warp.frames_at(9.0)[0] == 8.0
    assert warp.frames_at(-1.0)[0] == 0.0
    assert float(warp.inverse(0, 10.0)) == 5.0
    assert float(warp.inverse(0, -2.0)) == -1.0


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ([[0, 0]], "two rows or more"),
        ([[0, 0], [1, 0]], "leaves a motion standing"),
        ([[0, 0], [2, 2], [1, 3]], "falls back in time"),
    ],
)
def test_bad_paths(path: list[list[int]], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        fit_time_warp(path, 3)


def test_impossible_rises_are_refused() -> None:
    with pytest.raises(ParameterError, match="no slopes from 0 to 1 rise by 9 over 8"):
        fit_slopes(np.zeros((1, 5)), np.zeros(1), 2.0, 9.0, 0.0, 1.0)
    with pytest.raises(ParameterError, match="slopes above zero"):
        TimeWarp.from_slopes([0.0], [[1.0], [0.0]], 1.0)
