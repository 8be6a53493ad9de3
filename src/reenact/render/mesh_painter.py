"""Skinned meshes in a picture: triangles with smooth shading, hidden point by point, with soft edges.

Every pixel is looked at in several places, and for each place the nearest triangle over it is found.
"""

from __future__ import annotations

import math

import numpy as np

from reenact.body.mesh_normals import vertex_normals
from reenact.core.arrays import Float, Int32
from reenact.kernels.triangles import nearest_faces
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
    owner, shares = nearest_faces(at, depth, faces, wide, tall)
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
