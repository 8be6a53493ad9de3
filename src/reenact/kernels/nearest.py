"""The row of a table that is nearest to a point, by looking at every row."""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import kernel


@kernel
def nearest_row(table, usable, point):
    """(row, squared distance) of the nearest usable row of `table` (N, D) float32 to `point` (D,) float32; the first of equals, -1 if none.

    A row is left as soon as it is farther than the best.
    """
    best, row = np.inf, -1
    width = table.shape[1]
    for n in range(table.shape[0]):
        if not usable[n]:
            continue
        far = 0.0
        for k in range(width):
            gap = float(table[n, k]) - float(point[k])
            far += gap * gap
            if k % 8 == 7 and far >= best:
                break
        if far < best:
            best, row = far, n
    return row, best
