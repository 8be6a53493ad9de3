"""The path of corresponding frames through a grid of distances: dynamic time warping that keeps a slope limit.

Registration specification A5. The limit is the most steps along one clip alone that may follow each other. "exact" carries the run of such
steps in the state of the dynamic program and finds the cheapest path that keeps the limit, or says that there is none. "greedy" is the rule
of Aherne's thesis (2005): plain time warping, whose way back takes the next best step where the best would exceed the limit; it is not the
cheapest, and at the borders it cannot keep its own limit. It is there to reproduce that work.
"""

from __future__ import annotations

import math

import numpy as np

from reenact import kernels
from reenact.core.arrays import Float
from reenact.errors import ParameterError

MOST_SLOPE = 15
_PASSES = 50  # of the iteration for free ends, which needs 3 to 5


class InfeasiblePath(ParameterError):
    """No path through a grid keeps the slope limit.

    Attributes:
        smallest: the smallest limit that would do.
    """

    def __init__(self, rows: int, columns: int, slope_limit: int, more: str = "") -> None:
        self.smallest = smallest_slope_limit(rows, columns)
        super().__init__(
            f"{rows} samples cannot be matched with {columns} under a slope limit of {slope_limit}; the smallest limit that can is "
            f"{self.smallest}{more}",
            where="slope_limit",
        )


def smallest_slope_limit(rows: int, columns: int) -> int:
    """The smallest limit with which all of one clip can be matched with all of the other, first with first and last with last."""
    longer, shorter = max(rows, columns) - 1, min(rows, columns) - 1
    return max(math.ceil((longer - shorter) / (shorter + 1)), 0)


def _check(distances: Float, slope_limit: int) -> None:
    if distances.ndim != 2 or 0 in distances.shape:
        raise ParameterError(f"a grid of distances has frames on both sides, not shape {distances.shape}")
    if slope_limit < 0:
        raise ParameterError(f"slope_limit must be at least 0, not {slope_limit}", where="slope_limit")
    if not np.isfinite(distances).all():
        i, j = np.argwhere(~np.isfinite(distances))[0]
        raise ParameterError(f"the distance of frames {i} and {j} is not a number")


def find_path(distances: Float, slope_limit: int) -> np.ndarray:
    """The cheapest path (P, 2) int64 from the first cell to the last that keeps the limit; ties go to the diagonal.

    Args:
        distances: (m, n), all finite.
        slope_limit: the most steps in one direction that follow each other.

    Raises:
        InfeasiblePath: no path keeps the limit, which is so exactly when `slope_limit < smallest_slope_limit(m, n)`.
    """
    _check(distances, slope_limit)
    rows, columns = distances.shape
    if slope_limit < smallest_slope_limit(rows, columns):
        raise InfeasiblePath(rows, columns, slope_limit)
    pointers, _, _, _ = kernels.warping.accumulate(distances, slope_limit)
    return kernels.warping.trace(pointers, slope_limit, rows - 1, columns - 1)


def find_greedy_path(distances: Float, slope_limit: int) -> np.ndarray:
    """The path (P, 2) of the thesis' rule: see the module. It may break the limit."""
    _check(distances, slope_limit)
    return kernels.warping.trace_greedily(distances, slope_limit)


def longest_run(path: np.ndarray) -> int:
    """The most steps in one direction that follow each other on a path (P, 2)."""
    steps = np.diff(path, axis=0)
    longest = 0
    for alone in (steps[:, 1] == 0, steps[:, 0] == 0):
        run = 0
        for step in alone.tolist():
            run = run + 1 if step else 0
            longest = max(longest, run)
    return longest


def find_free_path(
    distances: Float,
    slope_limit: int,
    start_slack: tuple[int, int],
    end_slack: tuple[int, int],
    cover: float = 0.6,
) -> np.ndarray:
    """The path (P, 2) with the least mean distance that begins and ends near the corners.

    It begins on the first row or column at most `start_slack` frames from the first cell, and ends on the last row or column at most
    `end_slack` from the last cell. The mean, not the sum, is what is made least (a sum prefers short paths), by Dinkelbach's iteration
    (1967): take off the mean of the best path so far, and look for a path whose sum is below zero.

    Args:
        distances: (m, n).
        slope_limit: as for `find_path`.
        start_slack: frames of each clip that may be left out at its beginning.
        end_slack: likewise at its end.
        cover: share of the shorter clip that the path must cover.

    Raises:
        InfeasiblePath: no path keeps the limit even with these ends.
    """
    _check(distances, slope_limit)
    rows, columns = distances.shape
    if rows > columns:  # let the shorter clip be the rows
        starts, ends = (start_slack[1], start_slack[0]), (end_slack[1], end_slack[0])
        flipped = find_free_path(distances.T, slope_limit, starts, ends, cover)
        return flipped[:, ::-1].copy()
    sizes = (rows, columns, rows, columns)
    slack = [min(max(int(s), 0), size - 1) for s, size in zip((*start_slack, *end_slack), sizes, strict=True)]
    least = max(math.ceil(cover * rows - 1e-9), 1)
    best = None
    if slope_limit >= smallest_slope_limit(rows, columns):
        best = find_path(distances, slope_limit)
    level = math.inf if best is None else _mean(distances, best)
    for _ in range(_PASSES):
        found = _best_ends(distances, slope_limit, 0.0 if best is None else level, slack, least)
        if found is None:
            raise InfeasiblePath(rows, columns, slope_limit, ", and the slack of free ends does not help")
        mean = _mean(distances, found)
        if best is not None and mean >= level * (1 - 1e-12):
            break
        best, level = found, mean
    assert best is not None
    return best


def _mean(distances: Float, path: np.ndarray) -> float:
    return float(distances[path[:, 0], path[:, 1]].mean(dtype=np.float64))


def _best_ends(distances: Float, limit: int, offset: float, slack: list[int], least: int) -> np.ndarray | None:
    """The path with the least sum of distances less `offset`, among those that cover `least` rows.

    A path that begins in row i must end in row i + least - 1 or later. For beginnings so early that every allowed end will do, one sweep
    answers all of them; each later one has a sweep of its own.
    """
    rows, columns = distances.shape
    first_rows, first_columns, last_rows, last_columns = slack
    earliest_end = rows - 1 - last_rows
    together = min(max(earliest_end - least + 1, 0), first_rows)
    best, best_cost = None, math.inf
    for begin in [0, *range(together + 1, first_rows + 1)]:
        if begin + least > rows:
            break
        part = distances[begin:]
        starts = (together + 1, first_columns + 1) if begin == 0 else (1, 1)
        pointers, top, side, _ = kernels.warping.accumulate(part, limit, offset, *starts)
        lowest = max(earliest_end, begin + least - 1)
        ends = [(rows - 1, j, top[j]) for j in range(columns - 1 - last_columns, columns)]
        ends += [(i, columns - 1, side[i - begin]) for i in range(lowest, rows)]
        i, j, cost = min(ends, key=lambda end: end[2])
        if cost < best_cost:
            best_cost = cost
            best = kernels.warping.trace(pointers, limit, i - begin, j) + (begin, 0)
    return best


def find_path_through(distances: Float, slope_limit: int, cell: tuple[int, int]) -> np.ndarray:
    """The cheapest path (P, 2) from the first cell to the last that passes `cell` and keeps the limit, there too.

    Args:
        distances: (m, n).
        slope_limit: as for `find_path`.
        cell: row and column.

    Raises:
        ParameterError: the cell is outside the grid, or no path through it keeps the limit.
    """
    _check(distances, slope_limit)
    row, column = cell
    rows, columns = distances.shape
    if not (0 <= row < rows and 0 <= column < columns):
        raise ParameterError(f"cell {row}, {column} is not on a grid of {rows} times {columns} frames", where="cell")
    before, after = distances[: row + 1, : column + 1], distances[row:, column:][::-1, ::-1]
    pointers_in, _, _, arriving = kernels.warping.accumulate(before, slope_limit)
    pointers_out, _, _, leaving = kernels.warping.accumulate(after, slope_limit)
    cost = arriving[:, None] + leaving[None]
    runs = np.arange(1, slope_limit + 1)
    too_long = runs[:, None] + runs[None] > slope_limit
    for first in (1, slope_limit + 1):  # runs that go on through the cell
        part = slice(first, first + slope_limit)
        cost[part, part][too_long] = np.inf
    best = np.unravel_index(int(np.argmin(cost)), cost.shape)
    if not np.isfinite(cost[best]):
        raise ParameterError(
            f"no path through cell {row}, {column} keeps a slope limit of {slope_limit} on {rows} times {columns} frames",
            where="slope_limit",
        )
    head = kernels.warping.trace(pointers_in, slope_limit, row, column, int(best[0]))
    tail = kernels.warping.trace(pointers_out, slope_limit, rows - 1 - row, columns - 1 - column, int(best[1]))
    return np.concatenate([head, (np.array([rows - 1, columns - 1]) - tail)[::-1][1:]])
