"""Plain NumPy twin of the kernel in `kernels.triangles`: the readable definition, and the reference of its tests."""

from __future__ import annotations

import numpy as np


def nearest_faces(corners, depth, faces, wide, tall):
    """For every place of a grid the nearest triangle over it; see `kernels.triangles.nearest_faces`."""
    owner = np.full((tall, wide), -1, np.int64)
    shares = np.zeros((tall, wide, 3), np.float32)
    front = np.full((tall, wide), np.inf)
    places = np.stack(np.meshgrid(np.arange(wide) + 0.5, np.arange(tall) + 0.5), axis=-1)
    for t, face in enumerate(faces):
        a, b, c = corners[face]
        area = _cross(b - a, c - a)
        if not area < 0:
            continue
        weights = np.stack([_cross(b - places, c - places), _cross(c - places, a - places)], axis=-1) / area
        weights = np.concatenate([weights, 1 - weights.sum(axis=-1, keepdims=True)], axis=-1)
        near = weights @ depth[face]
        here = (weights >= -1e-9).all(axis=-1) & (near < front)
        owner[here], shares[here], front[here] = t, weights[here], near[here]
    return owner.reshape(-1), shares.reshape(-1, 3)


def _cross(a, b):
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
