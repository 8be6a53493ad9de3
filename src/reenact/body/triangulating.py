"""Polygons of any number of corners as triangles."""

from __future__ import annotations

import numpy as np

from reenact.core.arrays import Float, Float64, Int, Int32

_MOST_CLIPPED = 2000  # corners; a larger polygon is fanned out


def triangulate(points: Float, corners: Int, starts: Int) -> tuple[Int32, Int32]:
    """Triangles of polygons, as places in `corners`, and the polygon of each.

    Quads are cut along the diagonal that leaves both halves on the same side, else along the shorter one; polygons that are not convex by
    clipping ears (Meisters 1975).

    Args:
        points: (N, 3).
        corners: (C,) the point of each corner, polygon after polygon, each with at least three.
        starts: (F + 1,) where each polygon begins.
    """
    counts = np.diff(starts)
    order, found = [], []
    places = np.asarray(points, np.float64)[corners]
    for count in np.unique(counts):
        faces = np.flatnonzero(counts == count)
        first = np.asarray(starts)[faces]
        if count == 3:
            local = np.broadcast_to([[0, 1, 2]], (len(faces), 1, 3))
        elif count == 4:
            local = _cut_quads(places[first[:, None] + np.arange(4)])
        else:
            local = np.array([_clip_ears(places[at : at + count]) for at in first])
        found.append((first[:, None, None] + local).reshape(-1, 3))
        order.append(np.repeat(faces, count - 2))
    if not found:
        return np.zeros((0, 3), np.int32), np.zeros(0, np.int32)
    triangles, polygons = np.concatenate(found), np.concatenate(order)
    sorting = np.argsort(polygons, kind="stable")
    return triangles[sorting].astype(np.int32), polygons[sorting].astype(np.int32)


def _cut_quads(quads: Float64) -> Int:
    """(Q, 2, 3) corners of the halves of quads (Q, 4, 3)."""
    first, second = np.array([[0, 1, 2], [0, 2, 3]]), np.array([[0, 1, 3], [1, 2, 3]])

    def folded(halves: Int) -> Float64:
        sides = quads[:, halves]
        normals = np.cross(sides[:, :, 1] - sides[:, :, 0], sides[:, :, 2] - sides[:, :, 0])
        return np.einsum("qk,qk->q", normals[:, 0], normals[:, 1])

    lengths = [np.linalg.norm(quads[:, b] - quads[:, a], axis=1) for a, b in ((0, 2), (1, 3))]
    ours, other = folded(first) > 0, folded(second) > 0
    turned = np.where(ours == other, lengths[1] < lengths[0], other)
    return np.where(turned[:, None, None], second, first)


def _clip_ears(polygon: Float64) -> Int:
    """(n - 2, 3) corners of the triangles of one polygon (n, 3)."""
    count = len(polygon)
    fan = np.stack([np.zeros(count - 2, int), np.arange(1, count - 1), np.arange(2, count)], axis=1)
    if count > _MOST_CLIPPED:
        return fan
    after = np.roll(polygon, -1, axis=0)
    normal = np.cross(polygon, after).sum(axis=0)  # Newell's
    axis = int(np.abs(normal).argmax())
    flat = np.delete(polygon, axis, axis=1)
    if (normal[axis] > 0) == (axis == 1):
        flat = flat[:, ::-1]  # counter-clockwise in the plane
    before, next_one = np.roll(flat, 1, axis=0), np.roll(flat, -1, axis=0)
    if (_turn(before, flat, next_one) >= 0).all():
        return fan
    left, found = list(range(count)), []
    while len(left) > 3:
        ear = _find_ear(flat, left)
        size = len(left)
        found.append((left[ear - 1], left[ear], left[(ear + 1) % size]))
        del left[ear]
    return np.array([*found, tuple(left)])


def _find_ear(flat: Float64, left: list[int]) -> int:
    points = flat[left]
    before, after = np.roll(points, 1, axis=0), np.roll(points, -1, axis=0)
    for at in np.flatnonzero(_turn(before, points, after) > 0):
        a, b, c = before[at], points[at], after[at]
        inside = (_turn(a, b, points) >= 0) & (_turn(b, c, points) >= 0) & (_turn(c, a, points) >= 0)
        inside &= ~((points == a).all(axis=1) | (points == b).all(axis=1) | (points == c).all(axis=1))
        if not inside.any():
            return int(at)
    return int(np.argmax(_turn(before, points, after)))  # it crosses itself: any cut is as good


def _turn(a: Float64, b: Float64, c: Float64) -> Float64:
    """Positive where a, b, c turn to the left."""
    ab, ac = b - a, c - a
    return ab[..., 0] * ac[..., 1] - ab[..., 1] * ac[..., 0]
