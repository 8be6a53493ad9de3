"""Symmetric equations whose matrix has few diagonals."""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import kernel


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
