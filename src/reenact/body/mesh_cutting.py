"""Cutting the triangles of a closed mesh along a line on it; the mesh stays closed."""

from __future__ import annotations

import numpy as np

from reenact.core.arrays import Bool, Float64, Int32

_SNAP = 0.28  # of an edge: a vertex this near to the line is moved onto it instead of cutting the edge


def cut_along(vertices: Float64, faces: Int32, values: Float64) -> tuple[Float64, Int32, Int32, Bool]:
    """Cut the triangles of a mesh where `values` (V,) are zero.

    Returns:
        vertices, faces, for each face the one it was part of, and whether it lies where values are negative.
    """
    vertices, values = _snapped(vertices, faces, values)
    sides = np.sign(values).astype(np.int8)
    corner_sides = sides[faces]
    mixed = (corner_sides.min(axis=1) < 0) & (corner_sides.max(axis=1) > 0)
    whole = np.flatnonzero(~mixed)
    kept, origin = [faces[whole]], [whole]
    starts = faces[mixed]
    edges = np.sort(np.stack([starts, np.roll(starts, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    crossing = sides[edges[:, 0]] * sides[edges[:, 1]] < 0
    keys, place = np.unique(edges[crossing], axis=0, return_inverse=True)
    share = values[keys[:, 0]] / (values[keys[:, 0]] - values[keys[:, 1]])
    added = vertices[keys[:, 0]] * (1 - share[:, None]) + vertices[keys[:, 1]] * share[:, None]
    middle = np.full(len(edges), -1, np.int64)
    middle[crossing] = len(vertices) + place.ravel()
    for corners, cuts, face in zip(starts, middle.reshape(-1, 3), np.flatnonzero(mixed), strict=True):
        parts = _parts(corners.tolist(), cuts.tolist())
        kept.append(np.array(parts))
        origin.append(np.full(len(parts), face))
    vertices = np.concatenate([vertices, added])
    values = np.concatenate([values, np.zeros(len(added))])
    found = np.concatenate(kept).astype(np.int32)
    return vertices, found, np.concatenate(origin).astype(np.int32), values[found].sum(axis=1) < 0


def _parts(corners: list[int], cuts: list[int]) -> list[tuple[int, int, int]]:
    """The triangles that one is cut into; `cuts` are the new vertices on the edges that begin at each corner, or -1."""
    if sum(cut >= 0 for cut in cuts) == 1:
        k = next(k for k in range(3) if cuts[k] >= 0)
        a, b, c = corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]
        return [(a, cuts[k], c), (cuts[k], b, c)]
    k = next(k for k in range(3) if cuts[k] >= 0 and cuts[k - 1] >= 0)  # the corner that lies alone on its side
    a, b, c = corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]
    return [(a, cuts[k], cuts[k - 1]), (cuts[k], b, c), (cuts[k], c, cuts[k - 1])]


def _snapped(vertices: Float64, faces: Int32, values: Float64) -> tuple[Float64, Float64]:
    """Vertices near the line moved onto it, with the value 0 there."""
    pairs = np.concatenate([faces, np.roll(faces, -1, axis=1)]).reshape(2, -1).T
    pairs = np.concatenate([pairs, pairs[:, ::-1]])
    a, b = values[pairs[:, 0]], values[pairs[:, 1]]
    share = np.where(a * b < 0, a / np.where(a == b, 1.0, a - b), np.inf)
    order = np.lexsort((pairs[:, 1], share, pairs[:, 0]))
    first = np.unique(pairs[order, 0], return_index=True)[1]
    chosen = order[first]
    chosen = chosen[share[chosen] < _SNAP]
    moved, other = pairs[chosen].T
    vertices, values = vertices.copy(), values.copy()
    vertices[moved] += share[chosen, None] * (vertices[other] - vertices[moved])
    values[moved] = 0.0
    return vertices, values
