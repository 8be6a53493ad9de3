"""Skinned meshes in a picture: triangles with smooth shading, hidden point by point, with soft edges.

Every pixel is looked at in several places. For each place the nearest triangle over it is found for all triangles at once: small ones are
tried on a square of places around them, in groups of squares of equal size; where several fall on one place, the nearest is written last.
"""

from __future__ import annotations

import math

import numpy as np

from reenact.body.mesh_normals import vertex_normals
from reenact.core.arrays import Float, Float32, Int, Int32
from reenact.render.camera import Camera
from reenact.render.canvas import Canvas
from reenact.render.mesh_paint import FlatPaint, MeshPaint

_FINE = 3  # places across a pixel, and down
_LIGHT = np.array([-0.45, -0.66, 0.60]) / math.sqrt(
    0.45**2 + 0.66**2 + 0.60**2
)  # in the picture: right, down, towards the eye
_SKY = 0.16  # light from above, wherever the lamp stands
_AMBIENT, _DIFFUSE = 0.50, 0.58
_RIM = 0.16  # darker where the skin turns away, so that limbs stand out from limbs
_MOST_PLACES = 4_000_000  # tried at once


def draw_mesh(canvas: Canvas, camera: Camera, vertices: Float, faces: Int32, paint: MeshPaint | FlatPaint) -> None:
    """Paint a mesh; what is nearer on the canvas already stays.

    Args:
        canvas: the picture.
        camera: the camera.
        vertices: (V, 3) metres.
        faces: (T, 3), counter-clockwise seen from outside.
        paint: its colours.
    """
    pixels, depth, _ = camera.project(vertices)
    if not np.isfinite(pixels).all() or (camera.perspective and depth.min() <= 0):
        return
    x0, y0 = np.maximum(np.floor(pixels.min(axis=0)).astype(int) - 1, 0)
    x1, y1 = np.minimum(np.ceil(pixels.max(axis=0)).astype(int) + 1, (canvas.width, canvas.height))
    if x0 >= x1 or y0 >= y1:
        return
    wide, tall = int(x1 - x0) * _FINE, int(y1 - y0) * _FINE
    at = (pixels - (x0, y0)) * _FINE
    owner, shares = _nearest(at, depth, faces, wide, tall)
    places = np.flatnonzero(owner >= 0)
    if not len(places):
        return
    found, shares = owner[places], shares[places]
    corners = faces[found]
    near = np.einsum("nk,nk->n", shares, depth[corners])
    bright = _brightness(vertex_normals(vertices, faces), camera)
    lit = np.einsum("nk,nk->n", shares, bright[corners])
    rows, columns = np.divmod(places, wide)
    rows, columns = rows // _FINE, columns // _FINE
    room = canvas.depth[y0:y1, x0:x1]
    colours, opaque = paint.at(found, shares)
    seen = (near < room[rows, columns]) & (opaque > 0)
    cell = rows[seen] * room.shape[1] + columns[seen]
    cells = room.size
    count = np.bincount(cell, minlength=cells)
    touched = np.flatnonzero(count)
    shade = np.minimum(colours[seen] * lit[seen, None], 255.0)
    part = canvas.colours[:, y0:y1, x0:x1]
    cover = count[touched] / _FINE**2
    r, c = np.divmod(touched, room.shape[1])
    for plane in range(3):
        mean = np.bincount(cell, shade[:, plane], cells)[touched] / count[touched]
        part[plane, r, c] += (cover * (mean - part[plane, r, c])).astype(np.float32)
    front = np.full(cells, np.inf)
    np.minimum.at(front, cell, near[seen])
    solid = touched[cover > 0.5]
    r, c = np.divmod(solid, room.shape[1])
    room[r, c] = np.minimum(room[r, c], front[solid])


def _brightness(normals: Float, camera: Camera) -> Float:
    """(V,) how bright points with these normals are."""
    right, up, back = (sum(axis[k] * normals[:, k] for k in range(3)) for axis in camera.axes)
    lamp = np.maximum(_LIGHT[0] * right - _LIGHT[1] * up + _LIGHT[2] * back, 0.0)
    rim = 1 - _RIM * (1 - np.clip(1.6 * back, 0, 1))
    return (_AMBIENT + _DIFFUSE * lamp + _SKY * np.clip(normals[:, 1], 0, 1)) * rim


def _nearest(at: Float, depth: Float, faces: Int32, wide: int, tall: int) -> tuple[Int, Float32]:
    """For every place of a grid: the nearest face over it, or -1, and (3,) shares of its corners."""
    owner = np.full(wide * tall, -1, np.int64)
    shares = np.zeros((wide * tall, 3), np.float32)
    front = np.full(wide * tall, np.inf)
    a, b, c = (at[faces[:, k]] for k in range(3))
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (c[:, 0] - a[:, 0]) * (b[:, 1] - a[:, 1])
    low = np.minimum(np.minimum(a, b), c)
    high = np.maximum(np.maximum(a, b), c)
    first = np.ceil(low - 0.5).astype(int)
    span = np.floor(high - 0.5).astype(int) - first + 1
    shown = (area < 0) & (span > 0).all(axis=1) & (high > 0).all(axis=1) & (low < (wide, tall)).all(axis=1)
    chosen = np.flatnonzero(shown)  # the picture's y goes down: faces that look at the eye run clockwise
    side = span[chosen].max(axis=1)
    largest = 1
    while len(chosen):
        group, rest = chosen[side <= largest], chosen[side > largest]
        step = max(1, _MOST_PLACES // (largest * largest))
        for start in range(0, len(group), step):
            _try(
                group[start : start + step],
                largest,
                (a, b, c),
                area,
                first,
                depth,
                faces,
                (wide, tall),
                owner,
                shares,
                front,
            )
        chosen, side = rest, span[rest].max(axis=1) if len(rest) else side[:0]
        largest *= 2
    return owner, shares


def _try(
    group: Int, size: int, corners: tuple[Float, Float, Float], area: Float, first: Int, depth: Float, faces: Int32,
    extent: tuple[int, int], owner: Int, shares: Float32, front: Float,
) -> None:  # fmt: skip
    """Try faces on squares of places and keep where they are nearest."""
    wide, tall = extent
    steps = np.arange(size)
    x = (first[group, 0, None] + np.tile(steps, size)[None]).astype(int)
    y = (first[group, 1, None] + np.repeat(steps, size)[None]).astype(int)
    a, b, c = (part[group] for part in corners)
    px, py = x + 0.5, y + 0.5
    turned = area[group, None]
    wa = ((b[:, None, 0] - px) * (c[:, None, 1] - py) - (c[:, None, 0] - px) * (b[:, None, 1] - py)) / turned
    wb = ((c[:, None, 0] - px) * (a[:, None, 1] - py) - (a[:, None, 0] - px) * (c[:, None, 1] - py)) / turned
    wc = 1 - wa - wb
    inside = (wa >= -1e-9) & (wb >= -1e-9) & (wc >= -1e-9) & (x >= 0) & (x < wide) & (y >= 0) & (y < tall)
    which, where = np.nonzero(inside)
    if not len(which):
        return
    weight = np.stack([wa[which, where], wb[which, where], wc[which, where]], axis=1)
    near = np.einsum("nk,nk->n", weight, depth[faces[group[which]]])
    place = y[which, where] * wide + x[which, where]
    order = np.argsort(-near, kind="stable")
    order = order[near[order] < front[place[order]]]
    owner[place[order]] = group[which[order]]
    shares[place[order]] = weight[order]
    front[place[order]] = near[order]
