"""Plain NumPy twins of the kernels in `kernels.skinning`: the readable definition, and the reference of their tests."""

from __future__ import annotations

import numpy as np


def _vertex_of(starts):
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def blend_points(moves, starts, joints, weights, points):
    """Points moved by the weighted mean of the moves of their joints; see `kernels.skinning.blend_points`."""
    vertex = _vertex_of(starts)
    ends = np.concatenate([points, np.ones((len(points), 1), points.dtype)], axis=1)[vertex]
    parts = weights[:, None] * np.einsum("fnab,nb->fna", moves[:, joints], ends)
    out = np.zeros((len(moves), len(points), 3), moves.dtype)
    np.add.at(out, (slice(None), vertex), parts)
    return out


def blend_directions(turns, starts, joints, weights, directions):
    """Unit vectors turned by the weighted mean of the turns of their joints; see `kernels.skinning.blend_directions`."""
    vertex = _vertex_of(starts)
    parts = weights[:, None] * np.einsum("fnab,nb->fna", turns[:, joints], directions[vertex])
    out = np.zeros((len(turns), len(directions), 3), turns.dtype)
    np.add.at(out, (slice(None), vertex), parts)
    lengths = np.linalg.norm(out, axis=2, keepdims=True)
    return np.divide(out, lengths, out=np.zeros_like(out), where=lengths > 0)


def blend_dual(duals, starts, joints, weights, points, directions=None):
    """Points and directions moved by blended dual quaternions; see `kernels.skinning.blend_dual`."""
    out = np.empty((len(duals), len(points), 3), duals.dtype)
    turned = None if directions is None else np.empty_like(out)
    for f, dual in enumerate(duals):
        for v, point in enumerate(points):
            blended = np.zeros(8, duals.dtype)
            for i in range(starts[v], starts[v + 1]):
                one = dual[joints[i]]
                blended += weights[i] * (-one if blended[:4] @ one[:4] < 0 else one)
            length = np.linalg.norm(blended[:4])
            blended = blended / length if length > 0 else np.eye(8, dtype=duals.dtype)[0]
            w, r, dw, d = blended[0], blended[1:4], blended[4], blended[5:]
            out[f, v] = point + 2 * np.cross(r, np.cross(r, point) + w * point) + 2 * (w * d - dw * r + np.cross(r, d))
            if turned is not None:
                turned[f, v] = directions[v] + 2 * np.cross(r, np.cross(r, directions[v]) + w * directions[v])
    return out, turned
