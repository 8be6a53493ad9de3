"""Symmetric equations whose matrix has few diagonals."""

from __future__ import annotations

import math

import numpy as np

from reenact.kernels.compiling import kernel

_NINE = 9


@kernel
def _solve_nine(rows, right, solution):
    """The same for nine diagonals, by far the most asked for: `rows` (N + 8, 9) ends in zeros, loops are as long as they are."""
    count = right.shape[0]
    for j in range(count):
        pivot = rows[j, 0]
        if not pivot > 0.0:
            return False
        pivot = 1.0 / math.sqrt(pivot)
        for i in range(9):
            rows[j, i] *= pivot
        for k in range(1, 9):
            share = rows[j, k]
            for i in range(9 - k):
                rows[j + k, i] -= share * rows[j, i + k]
    for j in range(count):
        solution[j] = right[j]
    for j in range(count):
        value = solution[j] / rows[j, 0]
        solution[j] = value
        for i in range(1, 9):
            solution[j + i] -= rows[j, i] * value
    for j in range(count - 1, -1, -1):
        value = solution[j]
        for i in range(1, 9):
            value -= rows[j, i] * solution[j + i] if j + i < count else 0.0
        solution[j] = value / rows[j, 0]
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
    if len(lower) == _NINE:
        count = len(right)
        rows, padded = np.zeros((count + _NINE - 1, _NINE)), np.zeros(count + _NINE - 1)
        rows[:count] = lower.T
        if not _solve_nine(rows, np.ascontiguousarray(right, dtype=np.float64), padded):
            raise np.linalg.LinAlgError("the matrix is not positive definite")
        return padded[:count]
    solution = np.array(right, dtype=np.float64)
    if not _solve_banded(np.ascontiguousarray(lower, dtype=np.float64), solution):
        raise np.linalg.LinAlgError("the matrix is not positive definite")
    return solution
