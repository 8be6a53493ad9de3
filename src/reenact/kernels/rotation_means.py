"""Weighted means of several rotations: signs and order of the inputs do not matter."""

from __future__ import annotations

import math

import numpy as np

from reenact.kernels.compiling import kernel

ROUNDS = 30
NEAR = 0.9
"""Half-angle cosine above which the mean is reached from any of the inputs; below it the start is the least-squares mean."""

LONG_WAY = -0.5
"""Half-angle cosine (240 degrees) from which a motion that came to lie the long way round goes over to the short one."""


@kernel
def _least_squares(q, w, out):
    """The dominant eigenvector of sum w q q^T (Markley 2007) over weights above 0, by squaring the matrix again and again."""
    m, square = np.zeros((4, 4)), np.empty((4, 4))
    for n in range(q.shape[0]):
        for a in range(4):
            for b in range(4):
                m[a, b] += max(w[n], 0.0) * q[n, a] * q[n, b]
    for _ in range(12):
        trace = m[0, 0] + m[1, 1] + m[2, 2] + m[3, 3]
        for a in range(4):
            for b in range(4):
                total = 0.0
                for c in range(4):
                    total += m[a, c] * m[c, b]
                square[a, b] = total / (trace * trace)
        m, square = square, m
    best = 0
    for a in range(1, 4):
        if m[a, a] > m[best, best]:
            best = a
    size = math.sqrt(m[best, 0] ** 2 + m[best, 1] ** 2 + m[best, 2] ** 2 + m[best, 3] ** 2)
    for a in range(4):
        out[a] = m[best, a] / size


@kernel
def mean_rotation(q, w, signed, out):
    """The mean of quaternions q (k, 4) with weights w (k,) that sum to 1 into out (4,); returns the largest angle between two of them.

    The mean minimises the weighted squares of angles (Karcher): from a start, the mean of the rotations that lead to the inputs is
    applied until it is nothing. With two inputs that is the point of the short arc between them, and with a weight a little below 0 the
    point beyond the arc's end. Inputs without weight do not count.
    `signed`: the signs of the inputs say which way round they lie to each other; else each way is the short one.
    """
    count = q.shape[0]
    heaviest, narrowest = 0, 1.0
    for n in range(1, count):
        if w[n] > w[heaviest]:
            heaviest = n
    used = 0
    for n in range(count):
        if w[n] == 0.0:
            continue
        used += 1
        for m in range(n):
            if w[m] != 0.0:
                dot = abs(q[n, 0] * q[m, 0] + q[n, 1] * q[m, 1] + q[n, 2] * q[m, 2] + q[n, 3] * q[m, 3])
                narrowest = min(narrowest, dot)
    for c in range(4):
        out[c] = q[heaviest, c]
    if used < 2:
        return 0.0
    if used > 2 and narrowest < NEAR and not signed:
        _least_squares(q, w, out)
    for _ in range(ROUNDS):
        ow, ox, oy, oz = out[0], out[1], out[2], out[3]
        vx = vy = vz = 0.0
        for n in range(count):
            if w[n] == 0.0:
                continue
            a, b, c, d = q[n, 0], q[n, 1], q[n, 2], q[n, 3]
            # conjugate(out) * q
            s = ow * a + ox * b + oy * c + oz * d
            x = ow * b - ox * a - oy * d + oz * c
            y = ow * c + ox * d - oy * a - oz * b
            z = ow * d - ox * c + oy * b - oz * a
            if s < 0.0 and not signed:
                s, x, y, z = -s, -x, -y, -z
            sine = math.sqrt(x * x + y * y + z * z)
            scale = w[n] if sine < 1e-12 else w[n] * math.atan2(sine, s) / sine
            vx, vy, vz = vx + scale * x, vy + scale * y, vz + scale * z
        half = math.sqrt(vx * vx + vy * vy + vz * vz)
        scale = 1.0 if half < 1e-12 else math.sin(half) / half
        s, x, y, z = math.cos(half), vx * scale, vy * scale, vz * scale
        out[0] = ow * s - ox * x - oy * y - oz * z
        out[1] = ow * x + ox * s + oy * z - oz * y
        out[2] = ow * y - ox * z + oy * s + oz * x
        out[3] = ow * z + ox * y - oy * x + oz * s
        if half < 1e-11 or used == 2:  # two inputs: the first step is exact
            break
    size = math.sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3])
    for c in range(4):
        out[c] /= size
    return 2.0 * math.acos(min(narrowest, 1.0))


@kernel
def _flip(q, other, least):
    """Turn the sign of q (4,) in place when its product with another falls below `least`."""
    if q[0] * other[0] + q[1] * other[1] + q[2] * other[2] + q[3] * other[3] < least:
        for c in range(4):
            q[c] = -q[c]


@kernel
def orient(q, before):
    """Choose the signs of q (k, 4) in place: each runs on from `before` (k, 4), which is updated; all 0: from the first of q.

    Where two motions are about half a turn apart the short way round changes from frame to frame, and their mean would jump from one side
    to the other. So the way is kept until the other one has become much shorter.
    """
    for n in range(len(q)):
        known = before[n, 0] != 0.0 or before[n, 1] != 0.0 or before[n, 2] != 0.0 or before[n, 3] != 0.0
        if known:
            _flip(q[n], before[n], 0.0)
        _flip(q[n], q[0], LONG_WAY if known else 0.0)
        for c in range(4):
            before[n, c] = q[n, c]


@kernel
def mean_rotations(q, w, out, apart):
    """Means of whole clips at once.

    q (F, k, J, 4), w (F, k), out (F, J, 4) with signs that run on from frame to frame, apart (F, J) the largest angle between inputs.
    """
    frames, count, joints = q.shape[0], q.shape[1], q.shape[2]
    one, before = np.empty((count, 4), q.dtype), np.empty((count, 4), q.dtype)
    for j in range(joints):
        for f in range(frames):
            for n in range(count):
                for c in range(4):
                    one[n, c] = q[f, n, j, c]
            if f == 0:
                # signs by the mean of the first frame: the order of the motions does not matter
                apart[f, j] = mean_rotation(one, w[f], False, out[f, j])
                for n in range(count):
                    _flip(one[n], out[f, j], 0.0)
                    for c in range(4):
                        before[n, c] = one[n, c]
            else:
                orient(one, before)
                apart[f, j] = mean_rotation(one, w[f], True, out[f, j])
                _flip(out[f, j], out[f - 1, j], 0.0)
