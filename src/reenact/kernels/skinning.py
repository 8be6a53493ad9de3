"""Skinning: where the vertices of a mesh, and its normals, are when the joints that they follow have moved.

What each vertex follows is a list in one row: vertex v follows `joints[starts[v]:starts[v + 1]]` with `weights` of the same places.
"""

from __future__ import annotations

import math

import numpy as np

from reenact.kernels.compiling import kernel


@kernel
def _blend_points(moves, starts, joints, weights, points, out):
    for f in range(moves.shape[0]):
        move, to = moves[f], out[f]
        for v in range(points.shape[0]):
            a, b, c = points[v, 0], points[v, 1], points[v, 2]
            x = y = z = np.float32(0.0)
            for i in range(starts[v], starts[v + 1]):
                j, share = joints[i], weights[i]
                x += share * (move[j, 0, 0] * a + move[j, 0, 1] * b + move[j, 0, 2] * c + move[j, 0, 3])
                y += share * (move[j, 1, 0] * a + move[j, 1, 1] * b + move[j, 1, 2] * c + move[j, 1, 3])
                z += share * (move[j, 2, 0] * a + move[j, 2, 1] * b + move[j, 2, 2] * c + move[j, 2, 3])
            to[v, 0], to[v, 1], to[v, 2] = x, y, z


def blend_points(moves, starts, joints, weights, points):
    """Points (F, V, 3) moved by the weighted mean of the moves of their joints.

    Args:
        moves: (F, J, 3, 4) float32, what each joint does to a point (x, y, z, 1).
        starts: (V + 1,) int32.
        joints: (N,) int32.
        weights: (N,) float32.
        points: (V, 3) float32.
    """
    out = np.empty((len(moves), len(points), 3), np.float32)
    _blend_points(moves, starts, joints, weights, points, out)
    return out


@kernel
def _blend_directions(turns, starts, joints, weights, directions, out):
    for f in range(turns.shape[0]):
        turn, to = turns[f], out[f]
        for v in range(directions.shape[0]):
            a, b, c = directions[v, 0], directions[v, 1], directions[v, 2]
            x = y = z = np.float32(0.0)
            for i in range(starts[v], starts[v + 1]):
                j, share = joints[i], weights[i]
                x += share * (turn[j, 0, 0] * a + turn[j, 0, 1] * b + turn[j, 0, 2] * c)
                y += share * (turn[j, 1, 0] * a + turn[j, 1, 1] * b + turn[j, 1, 2] * c)
                z += share * (turn[j, 2, 0] * a + turn[j, 2, 1] * b + turn[j, 2, 2] * c)
            length = np.float32(math.sqrt(x * x + y * y + z * z))
            if length > 0:
                x, y, z = x / length, y / length, z / length
            to[v, 0], to[v, 1], to[v, 2] = x, y, z


def blend_directions(turns, starts, joints, weights, directions):
    """Unit vectors (F, V, 3) turned by the weighted mean of the turns of their joints; zero stays zero.

    Args:
        turns: (F, J, 3, 3) float32, what each joint does to a direction; of normals the inverse transposes of what it does to points.
        starts, joints, weights: see the module.
        directions: (V, 3) float32.
    """
    out = np.empty((len(turns), len(directions), 3), np.float32)
    _blend_directions(turns, starts, joints, weights, directions, out)
    return out


@kernel
def _blend_dual(duals, starts, joints, weights, points, directions, out, out_directions):
    zero = np.float32(0.0)
    two = np.float32(2.0)
    for f in range(duals.shape[0]):
        dual, to = duals[f], out[f]
        for v in range(points.shape[0]):
            w = x = y = z = zero
            dw = dx = dy = dz = zero
            for i in range(starts[v], starts[v + 1]):
                j, share = joints[i], weights[i]
                # q and -q are one rotation: the halves are summed on the side of what was summed so far
                if w * dual[j, 0] + x * dual[j, 1] + y * dual[j, 2] + z * dual[j, 3] < zero:
                    share = -share
                w += share * dual[j, 0]
                x += share * dual[j, 1]
                y += share * dual[j, 2]
                z += share * dual[j, 3]
                dw += share * dual[j, 4]
                dx += share * dual[j, 5]
                dy += share * dual[j, 6]
                dz += share * dual[j, 7]
            length = np.float32(math.sqrt(w * w + x * x + y * y + z * z))
            if length > zero:
                w, x, y, z = w / length, x / length, y / length, z / length
                dw, dx, dy, dz = dw / length, dx / length, dy / length, dz / length
            else:
                w = np.float32(1.0)
            a, b, c = points[v, 0], points[v, 1], points[v, 2]
            s, t, u = y * c - z * b + w * a, z * a - x * c + w * b, x * b - y * a + w * c
            to[v, 0] = a + two * (y * u - z * t + w * dx - dw * x + y * dz - z * dy)
            to[v, 1] = b + two * (z * s - x * u + w * dy - dw * y + z * dx - x * dz)
            to[v, 2] = c + two * (x * t - y * s + w * dz - dw * z + x * dy - y * dx)
            if directions.shape[0] > 0:
                a, b, c = directions[v, 0], directions[v, 1], directions[v, 2]
                s, t, u = y * c - z * b + w * a, z * a - x * c + w * b, x * b - y * a + w * c
                out_directions[f, v, 0] = a + two * (y * u - z * t)
                out_directions[f, v, 1] = b + two * (z * s - x * u)
                out_directions[f, v, 2] = c + two * (x * t - y * s)


def blend_dual(duals, starts, joints, weights, points, directions=None):
    """Points (F, V, 3), and directions or None, moved by blended dual quaternions (Kavan et al. 2007): always a turn and a shift.

    Args:
        duals: (F, J, 8) float32, each joint's rotation wxyz and the dual half of the move.
        starts, joints, weights: see the module; which joint of a vertex comes first tells the side of the rotations.
        points: (V, 3) float32.
        directions: (V, 3) float32, turned with them.
    """
    out = np.empty((len(duals), len(points), 3), np.float32)
    given = np.empty((0, 3), np.float32) if directions is None else directions
    turned = np.empty((len(duals), len(given), 3), np.float32)
    _blend_dual(duals, starts, joints, weights, points, given, out, turned)
    return out, None if directions is None else turned
