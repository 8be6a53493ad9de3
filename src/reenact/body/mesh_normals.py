"""Normals of faces and vertices of a triangle mesh."""

from __future__ import annotations

import numpy as np

from reenact.core.arrays import Float, Float32, Float64, Int32


def face_normals(vertices: Float, faces: Int32) -> Float64:
    """(T, 3) unit normals, by the right-hand rule; zero for a face without an area."""
    normals = _crossed(vertices, faces)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)


def vertex_normals(vertices: Float, faces: Int32) -> Float32:
    """(V, 3) float32 unit normals, the faces around a vertex weighted by their areas; up (+Y) where there is none."""
    corners = _crossed(vertices, faces)
    found = np.zeros((len(vertices), 3))
    for axis in range(3):
        for corner in range(3):
            found[:, axis] += np.bincount(faces[:, corner], corners[:, axis], len(vertices))
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    found = np.divide(found, lengths, out=np.tile([0.0, 1.0, 0.0], (len(vertices), 1)), where=lengths > 0)
    return found.astype(np.float32)


def _crossed(vertices: Float, faces: Int32) -> Float64:
    corners = np.asarray(vertices, np.float64)[faces]
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
