"""Normal equations for the control points of cubic splines (`adapt.space_time`): residuals summed by frame, then spread over points."""

from __future__ import annotations

from reenact.kernels.compiling import kernel


@kernel
def _add_residuals(frames, values, slopes, squares, pulls):
    count = slopes.shape[1]
    for r in range(len(frames)):
        f = frames[r]
        for d in range(count):
            slope = slopes[r, d]
            if slope == 0.0:
                continue
            pulls[f, d] -= slope * values[r]
            for e in range(d + 1):
                squares[f, d, e] += slope * slopes[r, e]


def add_residuals(frames, values, slopes, squares, pulls):
    """Add residuals to the sums of their frames.

    Args:
        frames: (R,) int32.
        values: (R,) float64.
        slopes: (R, D).
        squares: (F, D, D) of which the lower triangles are written: slopes times slopes.
        pulls: (F, D): minus slopes times values.
    """
    _add_residuals(frames, values, slopes, squares, pulls)


@kernel
def _add_frames(squares, pulls, first, weights, lower, right):
    count = squares.shape[1]
    for f in range(squares.shape[0]):
        for a in range(4):
            row = (first[f] + a) * count
            for d in range(count):
                right[row + d] += weights[f, a] * pulls[f, d]
            for b in range(a + 1):
                column = (first[f] + b) * count
                weight = weights[f, a] * weights[f, b]
                for d in range(count):
                    for e in range(count):
                        band = row + d - column - e
                        if band >= 0:
                            square = squares[f, d, e] if d >= e else squares[f, e, d]
                            lower[band, column + e] += weight * square


def add_frames(squares, pulls, first, weights, lower, right):
    """Spread the sums of frames over the control points they depend on.

    Args:
        squares, pulls: see `add_residuals`.
        first: (F,) int32, first of the four control points.
        weights: (F, 4) float64.
        lower: (4 D, K D) lower bands of the matrix: lower[i, j] is its element (j + i, j); variables are ordered by control point.
        right: (K D,).
    """
    _add_frames(squares, pulls, first, weights, lower, right)


@kernel
def _add_calm(points, weight, lower, right):
    count, dofs = points.shape
    parts = (1.0, -2.0, 1.0)
    for k in range(count - 2):
        for d in range(dofs):
            bend = points[k, d] - 2.0 * points[k + 1, d] + points[k + 2, d]
            for a in range(3):
                right[(k + a) * dofs + d] -= weight * parts[a] * bend
                for b in range(a + 1):
                    lower[(a - b) * dofs, (k + b) * dofs + d] += weight * parts[a] * parts[b]


def add_calm(points, weight, lower, right):
    """Add second differences of control points (K, D), squared and times a weight."""
    _add_calm(points, float(weight), lower, right)
