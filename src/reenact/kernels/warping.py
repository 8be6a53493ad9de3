"""Dynamic time warping on a grid of distances, with a limit on the steps in one direction that follow each other.

A path goes from cell to cell by diagonal steps, steps down (the row grows) and steps right (the column grows). Besides the cell, the state
of a path is the run of equal steps it arrived by: none (diagonal), 1..s down, 1..s right. All states of a row follow from the row above
and, since runs are bounded, from s sweeps along the row; each sweep is a plain loop that the compiler vectorises. Of every cell only three
things are remembered, in one byte for s up to 7 (else two): the best state among diagonal and down, the best among diagonal and right, and
which of the two is better.
"""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import kernel


@kernel
def _accumulate(d, offset, limit, bits, first_rows, first_columns, pointers, top, side, final):
    rows, columns = d.shape
    inf = np.inf
    whole = np.full(columns, inf)  # best of all states, the row above
    no_down = np.full(columns, inf)  # best that may begin a run down, the row above
    down = np.full((limit + 1, columns), inf)  # runs down, the row above; entry 0 is the diagonal
    right = np.full((limit + 1, columns), inf)
    best_down, best_right = np.empty(columns), np.empty(columns)
    which_down, which_right = np.empty(columns, pointers.dtype), np.empty(columns, pointers.dtype)
    here = np.empty(columns)
    for i in range(rows):
        row = d[i]
        for j in range(columns):
            here[j] = row[j] - offset
        for q in range(limit, 1, -1):
            longer, shorter = down[q], down[q - 1]
            for j in range(columns):
                longer[j] = here[j] + shorter[j]
        if limit > 0:
            begun = down[1]
            for j in range(columns):
                begun[j] = here[j] + no_down[j]
        diagonal = down[0]
        for j in range(columns - 1, 0, -1):
            diagonal[j] = here[j] + whole[j - 1]
        diagonal[0] = here[0] if i < first_rows else inf
        if i == 0:
            for j in range(first_columns):
                diagonal[j] = here[j]
        for j in range(columns):
            best_down[j] = diagonal[j]
            which_down[j] = 0
        for q in range(1, limit + 1):
            run = down[q]
            for j in range(columns):
                nearer = run[j] < best_down[j]
                best_down[j] = run[j] if nearer else best_down[j]
                which_down[j] = q if nearer else which_down[j]
        for j in range(columns):
            best_right[j] = diagonal[j]
            which_right[j] = 0
        for q in range(1, limit + 1):
            run = right[q]
            before = best_down if q == 1 else right[q - 1]
            run[0] = inf
            for j in range(1, columns):
                run[j] = here[j] + before[j - 1]
            for j in range(columns):
                nearer = run[j] < best_right[j]
                best_right[j] = run[j] if nearer else best_right[j]
                which_right[j] = q if nearer else which_right[j]
        out = pointers[i]
        for j in range(columns):
            nearer = best_right[j] < best_down[j]
            whole[j] = best_right[j] if nearer else best_down[j]
            no_down[j] = best_right[j]
            out[j] = which_down[j] + (which_right[j] << bits) + ((1 if nearer else 0) << (2 * bits))
        side[i] = whole[columns - 1]
    for j in range(columns):
        top[j] = whole[j]
    final[0] = down[0, columns - 1]
    for q in range(1, limit + 1):
        final[q] = down[q, columns - 1]
        final[limit + q] = right[q, columns - 1]


@kernel
def _trace(pointers, bits, limit, row, column, state, path):
    mask = (1 << bits) - 1
    count = 0
    i, j = row, column
    if state < 0:
        cell = int(pointers[i, j])
        state = (cell >> bits) & mask if cell >> (2 * bits) else cell & mask
        state = state + limit if cell >> (2 * bits) and state > 0 else state
    while True:
        path[count, 0] = i
        path[count, 1] = j
        count += 1
        if state == 0:
            if i == 0 or j == 0:
                return count
            i -= 1
            j -= 1
            cell = int(pointers[i, j])
            if cell >> (2 * bits):
                state = (cell >> bits) & mask
                state = state + limit if state > 0 else 0
            else:
                state = cell & mask
        elif state <= limit:
            i -= 1
            if state > 1:
                state -= 1
            else:
                state = (int(pointers[i, j]) >> bits) & mask
                state = state + limit if state > 0 else 0
        else:
            j -= 1
            if state > limit + 1:
                state -= 1
            else:
                state = int(pointers[i, j]) & mask


@kernel
def _accumulate_freely(d, total):
    rows, columns = d.shape
    for i in range(rows):
        for j in range(columns):
            best = 0.0 if i == 0 and j == 0 else np.inf
            if i > 0 and j > 0:
                best = total[i - 1, j - 1]
            if i > 0:
                best = min(best, total[i - 1, j])
            if j > 0:
                best = min(best, total[i, j - 1])
            total[i, j] = d[i, j] + best


@kernel
def _trace_greedily(total, limit, path):
    i, j = total.shape[0] - 1, total.shape[1] - 1
    count, run, last = 0, 0, 0
    costs = np.empty(3)
    while True:
        path[count, 0] = i
        path[count, 1] = j
        count += 1
        if i == 0 and j == 0:
            return count
        costs[0] = total[i - 1, j - 1] if i > 0 and j > 0 else np.inf
        costs[1] = total[i - 1, j] if i > 0 else np.inf
        costs[2] = total[i, j - 1] if j > 0 else np.inf
        move = int(np.argmin(costs))
        if move > 0 and move == last and run >= limit:
            costs[move] = np.inf
            other = int(np.argmin(costs))
            move = other if costs[other] < np.inf else move  # at the border there is no other way
        run = run + 1 if move == last else 1
        last = move
        i -= 1 if move != 2 else 0
        j -= 1 if move != 1 else 0


def accumulate(d, limit, offset=0.0, first_rows=1, first_columns=1):
    """Least costs of slope-limited paths to every cell, and what is needed to trace them.

    Args:
        d: (m, n) float32 or float64, costs of the cells.
        limit: the most steps down, and the most steps right, that may follow each other; 0 allows none.
        offset: taken off every cell.
        first_rows: paths may begin in the first column in rows below this.
        first_columns: paths may begin in the first row in columns below this.

    Returns:
        pointers: (m, n) uint8 or uint16, for `trace`.
        top: (n,) float64, least costs of paths that end in the last row.
        side: (m,) likewise in the last column.
        final: (2 limit + 1,) least costs in the last cell by state: diagonal, runs down, runs right.
    """
    d = np.ascontiguousarray(d)
    m, n = d.shape
    bits = max(int(limit).bit_length(), 1)
    pointers = np.empty((m, n), np.uint8 if 2 * bits + 1 <= 8 else np.uint16)
    top, side, final = np.empty(n), np.empty(m), np.empty(2 * limit + 1)
    _accumulate(d, float(offset), limit, bits, first_rows, first_columns, pointers, top, side, final)
    return pointers, top, side, final


def trace(pointers, limit, row, column, state=-1):
    """Cells (P, 2) int64 of the best path that ends in a cell, the first cell first.

    Args:
        pointers: from `accumulate` with the same `limit`.
        limit: the slope limit.
        row: where the path ends; a path must exist.
        column: likewise.
        state: how it arrives there (0 diagonal, q down, limit + q right); -1: as is best.
    """
    path = np.empty((row + column + 1, 2), np.int64)
    bits = max(int(limit).bit_length(), 1)
    count = _trace(pointers, bits, limit, row, column, state, path)
    return path[:count][::-1].copy()


def trace_greedily(d, limit):
    """Cells (P, 2) of plain time warping whose way back avoids runs longer than `limit` where it can: see `blend.warp_path`."""
    d = np.ascontiguousarray(d)
    total = np.empty(d.shape)
    _accumulate_freely(d, total)
    path = np.empty((d.shape[0] + d.shape[1] + 1, 2), np.int64)
    count = _trace_greedily(total, limit, path)
    return path[:count][::-1].copy()
