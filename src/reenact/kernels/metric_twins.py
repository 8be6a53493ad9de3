"""Plain NumPy twins of the kernels of `kernels.metrics`."""

from __future__ import annotations

import numpy as np


def aligned_clouds(cosine, sine, height, offsets, weights, sums_a, sums_b, means_a, means_b, out):
    """See `kernels.metrics.aligned_clouds`."""
    rows, columns = out.shape

    def slide(products):
        return sum(
            weight * products[shift : shift + rows, shift : shift + columns]
            for shift, weight in zip(offsets, weights, strict=True)
        )

    along = slide(cosine) - np.outer(means_a[:, 0], means_b[0]) - np.outer(means_a[:, 1], means_b[1])
    across = slide(sine) - np.outer(means_a[:, 0], means_b[1]) + np.outer(means_a[:, 1], means_b[0])
    out[:] = sums_a[:, None] + sums_b - 2 * slide(height) - 2 * np.hypot(along, across)
    return out


def root_of_gap(out, squares_a, squares_b):
    """See `kernels.metrics.root_of_gap`."""
    out[:] = np.sqrt(np.maximum(squares_a[:, None] + squares_b - 2 * out, 0))
    return out


def root(values):
    """See `kernels.metrics.root`."""
    values[:] = np.sqrt(np.maximum(values, 0))
    return values


def joint_angles(q_a, q_b, angle_weights, v_a, v_b, speed_weights, out):
    """See `kernels.metrics.joint_angles`; angles by arctan of the chords, which is exact for small and large ones."""
    q_b = np.moveaxis(q_b, -1, 0)[None]
    minus, plus = (np.linalg.norm(q_a[:, None] + sign * q_b, axis=-1) for sign in (-1, 1))
    angles = 4 * np.arctan2(np.minimum(minus, plus), np.maximum(minus, plus))
    apart = np.linalg.norm(v_a[:, None] - np.moveaxis(v_b, -1, 0)[None], axis=-1)
    out[:] = angles @ angle_weights + apart @ speed_weights
    return out
