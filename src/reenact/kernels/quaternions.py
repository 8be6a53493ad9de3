"""Quaternion products and interpolation over flat (N, 4) arrays, wxyz."""

from __future__ import annotations

import math

import numpy as np

from reenact.kernels.compiling import kernel

_THIRD, _SIXTH = 1.0 / 3.0, 1.0 / 6.0
_COS = (1.0 / 24.0, 1.0 / 720.0, 1.0 / 40320.0, 1.0 / 3628800.0)
_SIN = (1.0 / 120.0, 1.0 / 5040.0, 1.0 / 362880.0, 1.0 / 39916800.0)
_OPPOSITE = -1.0 + 1e-9


@kernel
def multiply(a, b, out):
    """out[i] = a[i] * b[i]; `a` and `b` are (N, 4), either may have one row that is used for all."""
    step_a, step_b = (1 if a.shape[0] > 1 else 0), (1 if b.shape[0] > 1 else 0)
    for i in range(out.shape[0]):
        p, q, o = a[i * step_a], b[i * step_b], out[i]
        w, x, y, z = p[0], p[1], p[2], p[3]
        r, s, t, u = q[0], q[1], q[2], q[3]
        o[0] = w * r - x * s - y * t - z * u
        o[1] = w * s + x * r + y * u - z * t
        o[2] = w * t - x * u + y * r + z * s
        o[3] = w * u + x * t - y * s + z * r


@kernel
def rotate(q, v, out):
    """out[i] = v[i] turned by q[i]; `q` (N, 4), `v` and `out` (N, 3), either of the first two may have one row that is used for all."""
    step_q, step_v = (1 if q.shape[0] > 1 else 0), (1 if v.shape[0] > 1 else 0)
    for i in range(out.shape[0]):
        p, u, o = q[i * step_q], v[i * step_v], out[i]
        w, x, y, z = p[0], p[1], p[2], p[3]
        a, b, c = u[0], u[1], u[2]
        # v + w t + u x t with t = 2 u x v, u the vector part
        d, e, f = y * c - z * b, z * a - x * c, x * b - y * a
        d, e, f = d + d, e + e, f + f
        o[0] = a + w * d + (y * f - z * e)
        o[1] = b + w * e + (z * d - x * f)
        o[2] = c + w * f + (x * e - y * d)


@kernel
def exp(v, out):
    """out[i] = the unit quaternion of the rotation vector v[i]; `v` (N, 3), `out` (N, 4)."""
    for i in range(out.shape[0]):
        x, y, z = v[i, 0], v[i, 1], v[i, 2]
        square = 0.25 * (x * x + y * y + z * z)  # of half the angle
        if square < 0.04:  # by their series, which are exact to the last bit or so there
            s = square * square
            cosine = 1.0 - 0.5 * square + s * (_COS[0] - square * _COS[1] + s * (_COS[2] - square * _COS[3]))
            sine = 0.5 * (1.0 - square * _SIXTH + s * (_SIN[0] - square * _SIN[1] + s * (_SIN[2] - square * _SIN[3])))
        else:
            half = math.sqrt(square)
            cosine, sine = math.cos(half), 0.5 * math.sin(half) / half
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = cosine, x * sine, y * sine, z * sine


@kernel
def between(a, b, out):
    """out[i] = the shortest rotation from the direction of a[i] to that of b[i]; all float64, (N, 3), `out` (N, 4)."""
    for i in range(out.shape[0]):
        x, y, z = a[i, 0], a[i, 1], a[i, 2]
        p, q, r = b[i, 0], b[i, 1], b[i, 2]
        long, other = math.sqrt(x * x + y * y + z * z), math.sqrt(p * p + q * q + r * r)
        if long > 0.0:
            x, y, z = x / long, y / long, z / long
        if other > 0.0:
            p, q, r = p / other, q / other, r / other
        if x == p and y == q and z == r:  # exactly none: products that are added as they are made would leave a rest
            out[i, 0], out[i, 1], out[i, 2], out[i, 3] = 1.0, 0.0, 0.0, 0.0
            continue
        dot = x * p + y * q + z * r
        if dot < _OPPOSITE:  # about any normal
            w, p, q, r = 0.0, 0.0, 0.0, 0.0
            if abs(x) < 0.6:
                q, r = z, -y
            else:
                p, r = -z, x
        else:
            w, p, q, r = 1.0 + dot, y * r - z * q, z * p - x * r, x * q - y * p
        size = math.sqrt(w * w + p * p + q * q + r * r)
        if size > 0.0:
            w, p, q, r = w / size, p / size, q / size, r / size
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = w, p, q, r


@kernel
def slerp(a, b, t, out):
    """out[i] = spherical interpolation from a[i] to b[i] at t[i] in 0..1, the short way round; all (N, 4), t (N,)."""
    for i in range(out.shape[0]):
        p, q, o = a[i], b[i], out[i]
        dot = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]
        sign = 1.0
        if dot < 0.0:
            dot, sign = -dot, -1.0
        u = t[i]
        if dot > 0.9995:  # nearly equal: sines of so small angles by their series, which is quicker and does not cancel
            gap = max(1.0 - dot, 0.0)
            sixth = gap * (_THIRD + gap * _THIRD * _SIXTH)  # of the angle's square
            v = 1.0 - u
            uu, vv = u * u, v * v
            from_a = v + v * (1.0 - vv) * sixth * (1.0 + (0.7 - 0.3 * vv) * sixth)
            from_b = u + u * (1.0 - uu) * sixth * (1.0 + (0.7 - 0.3 * uu) * sixth)
        else:
            angle = math.acos(min(dot, 1.0))
            scale = 1.0 / math.sin(angle)
            from_a, from_b = math.sin((1.0 - u) * angle) * scale, math.sin(u * angle) * scale
        from_b *= sign
        w, x = from_a * p[0] + from_b * q[0], from_a * p[1] + from_b * q[1]
        y, z = from_a * p[2] + from_b * q[2], from_a * p[3] + from_b * q[3]
        norm = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
        o[0], o[1], o[2], o[3] = w * norm, x * norm, y * norm, z * norm


@kernel
def slerp_frames(rotations, before, t, out):
    """out[i, j] = slerp(rotations[before[i], j], rotations[before[i] + 1, j], t[i]): resampling of a whole clip.

    `before[i] + 1` is clamped to the last frame.
    """
    last = rotations.shape[0] - 1
    u = np.empty(rotations.shape[1], rotations.dtype)
    for i in range(out.shape[0]):
        first = before[i]
        u[:] = t[i]
        slerp(rotations[first], rotations[min(first + 1, last)], u, out[i])


@kernel
def make_continuous(rotations):
    """Flip signs in place so that each rotation (F, J, 4) lies in the half-space of the one before it."""
    for f in range(1, rotations.shape[0]):
        before, now = rotations[f - 1], rotations[f]
        for j in range(rotations.shape[1]):
            if (
                before[j, 0] * now[j, 0]
                + before[j, 1] * now[j, 1]
                + before[j, 2] * now[j, 2]
                + before[j, 3] * now[j, 3]
                < 0.0
            ):
                for k in range(4):
                    now[j, k] = -now[j, k]
