"""Symmetric equations whose matrix has few diagonals."""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import kernel


@kernel
def solve_threes(rows, solution):
    """Solve symmetric equations of frames of three numbers each that have to do with the next two frames; False where there is no solution.

    Gauss' elimination of a frame at a time, its numbers in registers: a third of the time of one column after the other.

    Args:
        rows: (3 F + 6, 9) float64, row `g` has the elements (g, g) ... (g, g + 8) of the matrix; those beyond the next two frames and
            beyond the last are zero. Used up.
        solution: (3 F + 6,) the right side, the last six zero; the solution afterwards.
    """
    frames = solution.shape[0] // 3 - 2
    for f in range(frames):
        g = 3 * f
        h, k = g + 1, g + 2
        a0 = rows[g, 0]
        if not a0 > 0.0:
            return False
        a1, a2, a3, a4 = rows[g, 1], rows[g, 2], rows[g, 3], rows[g, 4]
        a5, a6, a7, a8 = rows[g, 5], rows[g, 6], rows[g, 7], rows[g, 8]
        a0 = 1.0 / a0
        p1, p2 = a1 * a0, a2 * a0
        b0 = rows[h, 0] - p1 * a1
        if not b0 > 0.0:
            return False
        b0 = 1.0 / b0
        b1, b2, b3 = rows[h, 1] - p1 * a2, rows[h, 2] - p1 * a3, rows[h, 3] - p1 * a4
        b4, b5, b6, b7 = rows[h, 4] - p1 * a5, rows[h, 5] - p1 * a6, rows[h, 6] - p1 * a7, rows[h, 7] - p1 * a8
        q1 = b1 * b0
        c0 = rows[k, 0] - p2 * a2 - q1 * b1
        if not c0 > 0.0:
            return False
        c0 = 1.0 / c0
        c1, c2 = rows[k, 1] - p2 * a3 - q1 * b2, rows[k, 2] - p2 * a4 - q1 * b3
        c3, c4 = rows[k, 3] - p2 * a5 - q1 * b4, rows[k, 4] - p2 * a6 - q1 * b5
        c5, c6 = rows[k, 5] - p2 * a7 - q1 * b6, rows[k, 6] - p2 * a8 - q1 * b7
        p3, p4, p5, p6, p7, p8 = a3 * a0, a4 * a0, a5 * a0, a6 * a0, a7 * a0, a8 * a0
        q3, q4, q5, q6, q7, q8 = b2 * b0, b3 * b0, b4 * b0, b5 * b0, b6 * b0, b7 * b0
        r3, r4, r5, r6, r7, r8 = c1 * c0, c2 * c0, c3 * c0, c4 * c0, c5 * c0, c6 * c0
        rows[g + 3, 0] -= p3 * a3 + q3 * b2 + r3 * c1
        rows[g + 3, 1] -= p3 * a4 + q3 * b3 + r3 * c2
        rows[g + 3, 2] -= p3 * a5 + q3 * b4 + r3 * c3
        rows[g + 3, 3] -= p3 * a6 + q3 * b5 + r3 * c4
        rows[g + 3, 4] -= p3 * a7 + q3 * b6 + r3 * c5
        rows[g + 3, 5] -= p3 * a8 + q3 * b7 + r3 * c6
        rows[g + 4, 0] -= p4 * a4 + q4 * b3 + r4 * c2
        rows[g + 4, 1] -= p4 * a5 + q4 * b4 + r4 * c3
        rows[g + 4, 2] -= p4 * a6 + q4 * b5 + r4 * c4
        rows[g + 4, 3] -= p4 * a7 + q4 * b6 + r4 * c5
        rows[g + 4, 4] -= p4 * a8 + q4 * b7 + r4 * c6
        rows[g + 5, 0] -= p5 * a5 + q5 * b4 + r5 * c3
        rows[g + 5, 1] -= p5 * a6 + q5 * b5 + r5 * c4
        rows[g + 5, 2] -= p5 * a7 + q5 * b6 + r5 * c5
        rows[g + 5, 3] -= p5 * a8 + q5 * b7 + r5 * c6
        rows[g + 6, 0] -= p6 * a6 + q6 * b5 + r6 * c4
        rows[g + 6, 1] -= p6 * a7 + q6 * b6 + r6 * c5
        rows[g + 6, 2] -= p6 * a8 + q6 * b7 + r6 * c6
        rows[g + 7, 0] -= p7 * a7 + q7 * b6 + r7 * c5
        rows[g + 7, 1] -= p7 * a8 + q7 * b7 + r7 * c6
        rows[g + 8, 0] -= p8 * a8 + q8 * b7 + r8 * c6
        x = solution[g]
        y = solution[h] - p1 * x
        z = solution[k] - p2 * x - q1 * y
        solution[g + 3] -= p3 * x + q3 * y + r3 * z
        solution[g + 4] -= p4 * x + q4 * y + r4 * z
        solution[g + 5] -= p5 * x + q5 * y + r5 * z
        solution[g + 6] -= p6 * x + q6 * y + r6 * z
        solution[g + 7] -= p7 * x + q7 * y + r7 * z
        solution[g + 8] -= p8 * x + q8 * y + r8 * z
        solution[g], solution[h], solution[k] = x * a0, y * b0, z * c0
        rows[g, 1], rows[g, 2], rows[g, 3], rows[g, 4] = p1, p2, p3, p4
        rows[g, 5], rows[g, 6], rows[g, 7], rows[g, 8] = p5, p6, p7, p8
        rows[h, 1], rows[h, 2], rows[h, 3], rows[h, 4] = q1, q3, q4, q5
        rows[h, 5], rows[h, 6], rows[h, 7] = q6, q7, q8
        rows[k, 1], rows[k, 2], rows[k, 3], rows[k, 4], rows[k, 5], rows[k, 6] = r3, r4, r5, r6, r7, r8
    for f in range(frames - 1, -1, -1):
        g = 3 * f
        h, k = g + 1, g + 2
        s, t, u = solution[g + 3], solution[g + 4], solution[g + 5]
        v, w, o = solution[g + 6], solution[g + 7], solution[g + 8]
        x = rows[g, 3] * s + rows[g, 4] * t + rows[g, 5] * u + rows[g, 6] * v + rows[g, 7] * w + rows[g, 8] * o
        y = rows[h, 2] * s + rows[h, 3] * t + rows[h, 4] * u + rows[h, 5] * v + rows[h, 6] * w + rows[h, 7] * o
        z = rows[k, 1] * s + rows[k, 2] * t + rows[k, 3] * u + rows[k, 4] * v + rows[k, 5] * w + rows[k, 6] * o
        z = solution[k] - z
        y = solution[h] - y - rows[h, 1] * z
        solution[g] = solution[g] - x - rows[g, 1] * y - rows[g, 2] * z
        solution[h], solution[k] = y, z
    return True


@kernel
def _solve_banded(lower, right):
    """Cholesky's factors in place of `lower` (B, N), the solution in place of `right` (N,); False where there is none."""
    band, count = lower.shape
    for j in range(count):
        pivot = lower[0, j]
        if not pivot > 0.0:
            return False
        pivot = np.sqrt(pivot)
        reach = min(band, count - j)
        lower[0, j] = pivot
        for i in range(1, reach):
            lower[i, j] /= pivot
        for k in range(1, reach):
            share = lower[k, j]
            if share != 0.0:
                for i in range(k, reach):
                    lower[i - k, j + k] -= share * lower[i, j]
    for j in range(count):
        value = right[j] / lower[0, j]
        right[j] = value
        for i in range(1, min(band, count - j)):
            right[j + i] -= lower[i, j] * value
    for j in range(count - 1, -1, -1):
        value = right[j]
        for i in range(1, min(band, count - j)):
            value -= lower[i, j] * right[j + i]
        right[j] = value / lower[0, j]
    return True


def solve_banded(lower, right):
    """Solution (N,) of symmetric, positive definite equations.

    Args:
        lower: (B, N) float64 diagonals of the matrix: lower[i, j] is its element (j + i, j). Used up.
        right: (N,) float64.

    Raises:
        numpy.linalg.LinAlgError: the matrix is not positive definite.
    """
    solution = np.array(right, dtype=np.float64)
    if not _solve_banded(np.ascontiguousarray(lower, dtype=np.float64), solution):
        raise np.linalg.LinAlgError("the matrix is not positive definite")
    return solution
