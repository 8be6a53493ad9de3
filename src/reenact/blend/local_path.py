"""The best piece of a path through a grid: corresponding frames that begin and end wherever it pays.

Local alignment (Smith and Waterman 1981) under the slope limit of registration: every cell has a gain, positive where frames are alike, and
the path with the largest sum is found. A diagonal step counts twice, so that going round a corner gains nothing.
"""

from __future__ import annotations

import numpy as np

from reenact.core.arrays import Float64


def find_local_path(gains: Float64, slope_limit: int) -> np.ndarray:
    """(P, 2) int64 cells of the path with the largest gain; empty when no cell has any.

    Args:
        gains: (m, n) what each cell is worth.
        slope_limit: the most steps in one direction that follow each other, 1 or more.
    """
    rows, columns = gains.shape
    lost = -np.inf
    down = np.full((slope_limit + 1, columns), lost)  # gains by the run down that leads there; entry 0 is the diagonal
    above = np.full(columns, lost)  # best of all states, the row above
    may_go_down = np.full(columns, lost)  # best that may begin a run down
    which_down, which_right = (np.zeros((rows, columns), np.int8) for _ in range(2))
    by_right, begins = (np.zeros((rows, columns), np.bool_) for _ in range(2))
    best, end = 0.0, None
    for i, here in enumerate(gains):
        for run in range(slope_limit, 1, -1):
            down[run] = here + down[run - 1]
        down[1] = here + may_go_down
        before = np.concatenate([[lost], above[:-1]])
        begins[i] = before <= 0
        down[0] = 2 * here + np.maximum(before, 0.0)
        which_down[i], best_down = down.argmax(axis=0), down.max(axis=0)
        right = np.full((slope_limit + 1, columns), lost)
        right[0], last = down[0], best_down
        for run in range(1, slope_limit + 1):
            right[run, 1:] = here[1:] + last[:-1]
            last = right[run]
        which_right[i], may_go_down = right.argmax(axis=0), right.max(axis=0)
        by_right[i] = may_go_down > best_down
        above = np.maximum(best_down, may_go_down)
        j = int(np.argmax(above))
        if above[j] > best:
            best, end = float(above[j]), (i, j)
    if end is None:
        return np.zeros((0, 2), np.int64)
    (i, j), path = end, []
    right_run = bool(by_right[i, j])
    run = int((which_right if right_run else which_down)[i, j])
    while True:
        path.append((i, j))
        if run == 0:
            if begins[i, j]:
                return np.array(path[::-1], np.int64)
            i, j = i - 1, j - 1
            right_run = bool(by_right[i, j])
            run = int((which_right if right_run else which_down)[i, j])
        else:
            i, j, run = (i, j - 1, run - 1) if right_run else (i - 1, j, run - 1)
            if run == 0:  # a run of the one kind may follow the other, or a diagonal
                right_run = not right_run
                run = int((which_right if right_run else which_down)[i, j])
