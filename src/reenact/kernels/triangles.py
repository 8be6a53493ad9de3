"""Triangles in a picture: which of them is nearest to the eye at every place of a grid."""

from __future__ import annotations

import math

import numpy as np

from reenact.kernels.compiling import kernel


@kernel
def _nearest_faces(corners, depth, faces, owner, shares, front):
    tall, wide = owner.shape
    for t in range(faces.shape[0]):
        i, j, k = faces[t, 0], faces[t, 1], faces[t, 2]
        ax, ay, bx, by, cx, cy = (
            corners[i, 0],
            corners[i, 1],
            corners[j, 0],
            corners[j, 1],
            corners[k, 0],
            corners[k, 1],
        )
        area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
        if not area < 0:
            continue
        first = max(math.ceil(max(min(ax, bx, cx), 0.0) - 0.5), 0)
        last = min(math.floor(min(max(ax, bx, cx), np.float64(wide)) - 0.5), wide - 1)
        top = max(math.ceil(max(min(ay, by, cy), 0.0) - 0.5), 0)
        bottom = min(math.floor(min(max(ay, by, cy), np.float64(tall)) - 0.5), tall - 1)
        for y in range(top, bottom + 1):
            py = y + 0.5
            for x in range(first, last + 1):
                px = x + 0.5
                wa = ((bx - px) * (cy - py) - (cx - px) * (by - py)) / area
                wb = ((cx - px) * (ay - py) - (ax - px) * (cy - py)) / area
                wc = 1.0 - wa - wb
                if wa < -1e-9 or wb < -1e-9 or wc < -1e-9:
                    continue
                near = wa * depth[i] + wb * depth[j] + wc * depth[k]
                if near < front[y, x]:
                    front[y, x] = near
                    owner[y, x] = t
                    shares[y, x, 0], shares[y, x, 1], shares[y, x, 2] = wa, wb, wc


def nearest_faces(corners, depth, faces, wide, tall):
    """For every place of a grid, in the middle of its cell: the nearest triangle over it, or -1, and the shares of its corners.

    The y of the grid goes down, so triangles that look at the eye run clockwise in it; others are not seen. Of two as near the first is.

    Args:
        corners: (V, 2) float64, where the vertices are, in cells.
        depth: (V,) float64, how far from the eye.
        faces: (T, 3) int32.
        wide: cells across.
        tall: cells down.

    Returns:
        (tall * wide,) int64 faces, (tall * wide, 3) float32 shares.
    """
    owner = np.full((tall, wide), -1, np.int64)
    shares = np.zeros((tall, wide, 3), np.float32)
    _nearest_faces(corners, depth, faces, owner, shares, np.full((tall, wide), np.inf))
    return owner.reshape(-1), shares.reshape(-1, 3)
