"""Banded equations against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import solveh_banded

from reenact.kernels.banded import solve_banded, solve_threes


@pytest.mark.parametrize(("band", "count"), [(1, 5), (2, 9), (7, 60), (4, 3), (9, 60), (9, 5)])
def test_solutions(band: int, count: int) -> None:
    random = np.random.default_rng(band)
    lower = random.normal(size=(band, count))
    lower[0] = 2 * band + random.random(count)
    for n in range(1, band):
        lower[n, max(count - n, 0) :] = 0.0
    right = random.normal(size=count)
    assert_allclose(solve_banded(lower.copy(), right), solveh_banded(lower[: min(band, count)], right, lower=True))


def test_a_matrix_that_is_not_definite() -> None:
    for pivot in (-1.0, 0.0, np.nan):
        with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
            solve_banded(np.array([[1.0, pivot, 1.0], [0.1, 0.1, 0.0]]), np.ones(3))


@pytest.mark.parametrize("frames", [1, 2, 3, 40])
def test_frames_of_three(frames: int) -> None:
    random, count = np.random.default_rng(frames), 3 * frames
    half = np.kron(np.tri(frames) - np.tri(frames, k=-3), np.ones((3, 3))) * random.normal(size=(count, count))
    matrix = half @ half.T + 0.1 * np.eye(count)  # frames have to do with the two beside them
    rows, solution = np.zeros((count + 6, 9)), np.zeros(count + 6)
    for right in range(min(9, count)):
        rows[: count - right, right] = np.diagonal(matrix, right)
    solution[:count] = random.normal(size=count)
    wanted = np.linalg.solve(matrix, solution[:count])
    assert solve_threes(rows, solution)
    assert_allclose(solution[:count], wanted, rtol=1e-7, atol=1e-9)
    assert not solve_threes(np.zeros((count + 6, 9)), solution)
