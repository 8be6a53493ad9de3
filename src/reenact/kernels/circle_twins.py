"""Plain NumPy twin of `kernels.circle_splines`: the readable definition, and the reference of its tests."""

from __future__ import annotations

import numpy as np

from reenact.kernels.circle_splines import BISECTIONS


def tangent(before, at, after):
    """Unit tangent at the middle one of three points, of the circle through them."""
    first, second = at - before, after - at
    way = first / max(float(first @ first), 1e-30) + second / max(float(second @ second), 1e-30)
    return way / max(float(np.linalg.norm(way)), 1e-30)


def piece(before, start, end, after, u):
    """(N, D) places between `start` and `end` at `u` (N,) from 0 to 1; the other two points are their neighbours."""
    chord = end - start
    length = float(np.linalg.norm(chord))
    if length < 1e-15:
        return np.broadcast_to(start, (len(u), len(start))).copy()
    way = chord / length
    first = tangent(before, start, end)
    second = tangent(start, end, after)
    mirrored = 2 * float(second @ way) * way - second  # the second circle's tangent at the start
    weight = np.sin(0.5 * np.pi * u) ** 2
    between = np.arccos(np.clip(float(first @ mirrored), -1, 1))
    if between < 1e-9:
        tangents = np.broadcast_to(first, (len(u), len(first)))
    else:
        tangents = (
            np.sin((1 - weight) * between)[:, None] * first + np.sin(weight * between)[:, None] * mirrored
        ) / np.sin(between)
    along = np.clip(tangents @ way, -1, 1)
    angle = np.arccos(along)
    across = tangents - along[:, None] * way
    size = np.linalg.norm(across, axis=1)
    across = np.divide(across, size[:, None], out=np.zeros_like(across), where=size[:, None] > 1e-12)
    straight = angle < 1e-8
    safe = np.where(straight, 1.0, angle)
    share = np.where(straight, u, np.sin(u * safe) / np.sin(safe))
    left = (1 - u) * angle
    return start + length * share[:, None] * (np.cos(left)[:, None] * way + np.sin(left)[:, None] * across)


def curve_at(points, times):
    """See `kernels.circle_splines.curve_at`."""
    padded = np.concatenate([[2 * points[0] - points[1]], points, [2 * points[-1] - points[-2]]])
    found = np.empty((len(times), points.shape[1] - 1))
    places = np.clip(np.searchsorted(points[:, 0], times, side="right") - 1, 0, len(points) - 2)
    for k in np.unique(places):
        own = np.flatnonzero(places == k)
        four = padded[k : k + 4]
        low, high = np.zeros(len(own)), np.ones(len(own))
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            later = piece(*four, middle)[:, 0] < times[own]
            low, high = np.where(later, middle, low), np.where(later, high, middle)
        found[own] = piece(*four, 0.5 * (low + high))[:, 1:]
    return found
