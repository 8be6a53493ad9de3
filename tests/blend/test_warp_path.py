"""Paths through grids of distances: cheapest, within their limits, or refused with the limit that would do."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.blend.warp_path import (
    InfeasiblePath,
    find_free_path,
    find_greedy_path,
    find_path,
    find_path_through,
    longest_run,
    smallest_slope_limit,
)
from reenact.errors import ParameterError

MOVES = ((1, 1), (1, 0), (0, 1))


def every_path(rows: int, columns: int, limit: int, starts=((0, 0),), ends=None) -> list[list[tuple[int, int]]]:
    """All legal paths, by walking every way."""
    ends = {(rows - 1, columns - 1)} if ends is None else set(ends)
    found = []

    def walk(path: list[tuple[int, int]], run: int, last: tuple[int, int]) -> None:
        if path[-1] in ends:
            found.append(list(path))
        for move in MOVES:
            i, j = path[-1][0] + move[0], path[-1][1] + move[1]
            length = 0 if move == (1, 1) else run + 1 if move == last else 1
            if i < rows and j < columns and length <= limit:
                path.append((i, j))
                walk(path, length, move)
                path.pop()

    for start in starts:
        walk([start], 0, (1, 1))
    return found


def cost(d: np.ndarray, path) -> float:
    return float(sum(d[i, j] for i, j in path))


def legal(path: np.ndarray, limit: int) -> bool:
    steps = np.diff(path, axis=0)
    return bool(np.all((steps >= 0) & (steps <= 1)) and np.all(steps.sum(axis=1) >= 1) and longest_run(path) <= limit)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_cheapest_of_all_paths_on_every_small_grid(limit: int) -> None:
    rng = np.random.default_rng(limit)
    for rows, columns in itertools.product(range(1, 7), range(1, 7)):
        paths = every_path(rows, columns, limit)
        assert bool(paths) == (limit >= smallest_slope_limit(rows, columns))
        for _ in range(3):
            d = rng.random((rows, columns))
            if not paths:
                with pytest.raises(InfeasiblePath):
                    find_path(d, limit)
                continue
            found = find_path(d, limit)
            assert legal(found, limit)
            assert cost(d, found) == pytest.approx(min(cost(d, path) for path in paths), abs=1e-12)


def test_rules_hold_on_large_grids() -> None:
    rng = np.random.default_rng(7)
    for _ in range(500):
        rows, columns, limit = int(rng.integers(2, 101)), int(rng.integers(2, 141)), int(rng.integers(1, 6))
        d = rng.random((rows, columns))
        if limit < smallest_slope_limit(rows, columns):
            with pytest.raises(InfeasiblePath, match="the smallest limit that can is"):
                find_path(d, limit)
            continue
        path = find_path(d, limit)
        assert legal(path, limit)
        assert path[0].tolist() == [0, 0]
        assert path[-1].tolist() == [rows - 1, columns - 1]


@given(st.integers(1, 60), st.integers(1, 60))
def test_the_smallest_limit_is_the_one_named(rows: int, columns: int) -> None:
    d = np.ones((rows, columns))
    smallest = smallest_slope_limit(rows, columns)
    assert legal(find_path(d, smallest), smallest)
    if smallest > 0:
        said = f"{rows} samples cannot be matched with {columns} under a slope limit of {smallest - 1}; "
        said += f"the smallest limit that can is {smallest}"
        with pytest.raises(InfeasiblePath, match=re.escape(said)):
            find_path(d, smallest - 1)


def test_cost_does_not_rise_with_the_limit() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        d = rng.random((40, 55))
        costs = [cost(d, find_path(d, limit)) for limit in range(1, 16)]
        assert all(b <= a + 1e-9 for a, b in itertools.pairwise(costs))


def test_ties_go_to_the_diagonal() -> None:
    assert find_path(np.zeros((5, 5)), 3).tolist() == [[n, n] for n in range(5)]


def test_greedy_keeps_the_ends_and_may_break_its_limit() -> None:
    rng = np.random.default_rng(1)
    broken = 0
    for _ in range(100):
        d = rng.random((30, 50))
        path = find_greedy_path(d, 3)
        assert legal(path, 100)
        assert path[0].tolist() == [0, 0]
        assert path[-1].tolist() == [29, 49]
        broken += longest_run(path) > 3
        assert cost(d, path) >= cost(d, find_path(d, 100)) - 1e-9
    assert broken > 0


def test_greedy_without_need_of_a_limit_is_plain_time_warping() -> None:
    d = np.random.default_rng(2).random((20, 24))
    assert cost(d, find_greedy_path(d, 100)) == pytest.approx(cost(d, find_path(d, 100)))


@pytest.mark.parametrize(
    ("rows", "columns", "slack", "cover"), [(4, 5, 1, 0.6), (5, 5, 2, 0.6), (5, 4, 2, 0.8), (4, 6, 3, 0.5)]
)
def test_free_ends_have_the_least_mean_of_all(rows: int, columns: int, slack: int, cover: float) -> None:
    rng = np.random.default_rng(rows * columns)
    starts = {(i, 0) for i in range(min(slack + 1, rows))} | {(0, j) for j in range(min(slack + 1, columns))}
    ends = {(rows - 1 - i, columns - 1) for i in range(min(slack + 1, rows))}
    ends |= {(rows - 1, columns - 1 - j) for j in range(min(slack + 1, columns))}
    axis = 0 if rows <= columns else 1
    paths = [
        path
        for path in every_path(rows, columns, 2, starts, ends)
        if path[-1][axis] - path[0][axis] + 1 >= cover * min(rows, columns)
    ]
    for _ in range(15):
        d = rng.random((rows, columns)) ** 2
        found = find_free_path(d, 2, (slack, slack), (slack, slack), cover)
        best = min(cost(d, path) / len(path) for path in paths)
        assert legal(found, 2)
        assert tuple(found[0]) in starts
        assert tuple(found[-1]) in ends
        assert cost(d, found) / len(found) == pytest.approx(best, abs=1e-12)


def test_free_ends_without_slack_stay_in_the_corners() -> None:
    d = np.random.default_rng(5).random((12, 15))
    path = find_free_path(d, 3, (0, 0), (0, 0))
    assert path[[0, -1]].tolist() == [[0, 0], [11, 14]]
    fixed = find_path(d, 3)
    assert cost(d, path) / len(path) <= cost(d, fixed) / len(fixed)


def test_free_ends_can_match_what_fixed_ends_cannot() -> None:
    d = np.random.default_rng(6).random((5, 26))
    with pytest.raises(InfeasiblePath):
        find_path(d, 3)
    assert legal(find_free_path(d, 3, (0, 8), (0, 8)), 3)
    with pytest.raises(InfeasiblePath):
        find_free_path(d, 1, (0, 3), (0, 3))


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_through_a_cell_is_the_cheapest_that_passes_it(limit: int) -> None:
    rng = np.random.default_rng(limit)
    for rows, columns in ((4, 4), (5, 6), (6, 4)):
        paths = every_path(rows, columns, limit)
        d = rng.random((rows, columns))
        for cell in itertools.product(range(rows), range(columns)):
            passing = [path for path in paths if cell in path]
            if not passing:
                with pytest.raises(ParameterError, match="no path through cell"):
                    find_path_through(d, limit, cell)
                continue
            found = find_path_through(d, limit, cell)
            assert legal(found, limit)
            assert list(cell) in found.tolist()
            assert cost(d, found) == pytest.approx(min(cost(d, path) for path in passing), abs=1e-12)


def test_bad_grids_are_refused() -> None:
    with pytest.raises(ParameterError, match="frames on both sides"):
        find_path(np.zeros((0, 3)), 3)
    holed = np.zeros((4, 4))
    holed[2, 3] = np.nan
    with pytest.raises(ParameterError, match="frames 2 and 3 is not a number"):
        find_path(holed, 3)
    with pytest.raises(ParameterError, match="at least 0, not -1"):
        find_path(np.zeros((4, 4)), -1)
    with pytest.raises(ParameterError, match="cell 4, 0 is not on a grid of 4 times 4"):
        find_path_through(np.zeros((4, 4)), 3, (4, 0))
