"""Equations of splines against plain sums."""

from __future__ import annotations

import numpy as np

from reenact import kernels
from reenact.adapt.control_points import place_control_points


def test_bands_are_those_of_the_dense_matrix():
    rng = np.random.default_rng(0)
    frames, dofs, rows = 30, 3, 80
    control = place_control_points(frames, 30.0, 0.15)
    first, weights = control.basis(np.arange(frames))
    at = np.sort(rng.integers(0, frames, rows)).astype(np.int32)
    values, slopes = rng.normal(size=rows), rng.normal(size=(rows, dofs))
    points = rng.normal(size=(control.count, dofs))
    squares, pulls = np.zeros((frames, dofs, dofs)), np.zeros((frames, dofs))
    kernels.spline_equations.add_residuals(at, values, slopes, squares, pulls)
    lower, right = np.zeros((4 * dofs, control.count * dofs)), np.zeros(control.count * dofs)
    kernels.spline_equations.add_frames(squares, pulls, first, weights, lower, right)
    kernels.spline_equations.add_calm(points, 0.3, lower, right)

    dense = np.zeros((rows, control.count * dofs))
    for row in range(rows):
        for a in range(4):
            k = first[at[row]] + a
            dense[row, k * dofs : (k + 1) * dofs] += weights[at[row], a] * slopes[row]
    bends = np.zeros((control.count - 2, control.count))
    for k in range(control.count - 2):
        bends[k, k : k + 3] = np.sqrt(0.3) * np.array([1, -2, 1])
    bends = np.kron(bends, np.eye(dofs))
    matrix = dense.T @ dense + bends.T @ bends
    side = -dense.T @ values - bends.T @ (bends @ points.ravel())
    for band in range(len(lower)):
        np.testing.assert_allclose(lower[band, : matrix.shape[0] - band], np.diag(matrix, -band), atol=1e-10)
    np.testing.assert_allclose(right, side, atol=1e-10)
    np.testing.assert_allclose(np.tril(matrix, -len(lower)), 0, atol=1e-12)
