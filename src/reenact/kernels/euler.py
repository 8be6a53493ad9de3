"""Euler angles to quaternions and back, for whole clips and any mix of Tait-Bryan orders.

Angles are given in any unit: `half_turn` is the unit's value of 180 degrees (180.0 or pi). For axes (i, j, k) the rotation is
R_i(a) R_j(b) R_k(c); `parity` is +1 when i, j, k is an even permutation of x, y, z and -1 otherwise.
"""

from __future__ import annotations

import math

import numpy as np

from reenact.kernels.compiling import inlined_kernel, kernel

# atan(x) = x * P(x^2) on 0..1, error below 2e-12: a Chebyshev fit, see tests/kernels/test_euler.py
_A0, _A1, _A2, _A3, _A4 = (
    0.9999999999994469,
    -0.3333333329139111,
    0.19999996735277775,
    -0.14285620387883058,
    0.11109728065203067,
)
_A5, _A6, _A7, _A8, _A9 = (
    -0.09078737671402339,
    0.07622380042767855,
    -0.06389090030636949,
    0.050903019536293045,
    -0.03586752640744911,
)
_A10, _A11, _A12, _A13 = 0.02048178468300058, -0.008561297152306425, 0.002272134122278086, -0.000283186004482671


@kernel
def half_angle_sines(angles, half_turn, sines, cosines):
    """Sine and cosine of half of every angle: flat arrays of one length. Branch-free, so it runs in vector registers."""
    inverse = 1.0 / half_turn
    to_half = 0.5 * math.pi / half_turn
    for i in range(angles.shape[0]):
        turns = np.rint(angles[i] * inverse)
        h = (angles[i] - turns * half_turn) * to_half  # in -pi/4..pi/4
        s = h * h
        sine = h * (
            1.0 + s * (-1.0 / 6 + s * (1.0 / 120 + s * (-1.0 / 5040 + s * (1.0 / 362880 - s * (1.0 / 39916800)))))
        )
        cosine = 1.0 + s * (
            -0.5 + s * (1.0 / 24 + s * (-1.0 / 720 + s * (1.0 / 40320 + s * (-1.0 / 3628800 + s * (1.0 / 479001600)))))
        )
        quarter = turns - 4.0 * np.floor(turns * 0.25)  # quarter turns of the half angle, 0..3
        odd = (quarter == 1.0) | (quarter == 3.0)
        a = cosine if odd else sine
        b = sine if odd else cosine
        sines[i] = -a if quarter >= 2.0 else a
        cosines[i] = -b if (quarter == 1.0) | (quarter == 2.0) else b


@kernel
def compose(sines, cosines, columns, axes, parities, first, out):
    """Quaternions out[first + t, j] from half-angle sines (T, C); `columns` (J, 3) pick each joint's angles, -1 for none."""
    for j in range(columns.shape[0]):
        ca, cb, cc = columns[j, 0], columns[j, 1], columns[j, 2]
        i, k, m = axes[j, 0] + 1, axes[j, 1] + 1, axes[j, 2] + 1
        e = parities[j]
        if ca < 0 and cb < 0 and cc < 0:
            for t in range(sines.shape[0]):
                q = out[first + t, j]
                q[0], q[1], q[2], q[3] = 1.0, 0.0, 0.0, 0.0
            continue
        for t in range(sines.shape[0]):
            s, c, q = sines[t], cosines[t], out[first + t, j]
            sa, ka = (s[ca], c[ca]) if ca >= 0 else (0.0, 1.0)
            sb, kb = (s[cb], c[cb]) if cb >= 0 else (0.0, 1.0)
            sc, kc = (s[cc], c[cc]) if cc >= 0 else (0.0, 1.0)
            q[0] = ka * kb * kc - e * sa * sb * sc
            q[i] = sa * kb * kc + e * ka * sb * sc
            q[k] = ka * sb * kc - e * sa * kb * sc
            q[m] = ka * kb * sc + e * sa * sb * kc


@kernel
def from_euler(angles, half_turn, columns, axes, parities, out):
    """Quaternions (F, J, 4) from channel values (F, C) of any unit."""
    frames, width = angles.shape
    tile = max(1, min(frames, 4096 // max(width, 1)))
    sines, cosines = np.empty((tile, width)), np.empty((tile, width))
    for first in range(0, frames, tile):
        count = min(tile, frames - first)
        half_angle_sines(
            angles[first : first + count].ravel(), half_turn, sines[:count].reshape(-1), cosines[:count].reshape(-1)
        )
        compose(sines[:count], cosines[:count], columns, axes, parities, first, out)


@inlined_kernel
def _atan2(y, x):
    ax, ay = abs(x), abs(y)
    swap = ay > ax
    low = ax if swap else ay
    high = ay if swap else ax
    r = low / (high if high > 0.0 else 1.0)
    s = r * r
    p = _A13
    p = p * s + _A12
    p = p * s + _A11
    p = p * s + _A10
    p = p * s + _A9
    p = p * s + _A8
    p = p * s + _A7
    p = p * s + _A6
    p = p * s + _A5
    p = p * s + _A4
    p = p * s + _A3
    p = p * s + _A2
    p = p * s + _A1
    p = p * s + _A0
    angle = r * p
    angle = 0.5 * math.pi - angle if swap else angle
    angle = math.pi - angle if x < 0.0 else angle
    return -angle if y < 0.0 else angle


@kernel
def to_euler(rotations, axes, parities, half_turn, previous, out):
    """Angles (F, 3 J) of each rotation (F, J, 4): half-sums and half-differences, exact at and near gimbal lock.

    Of the two triples that give the same rotation, and of all full turns, the one nearest the frame before is taken, so that
    channels stay continuous. `previous` (3 J,) holds the angles before the first frame (NaN for none) and is updated.
    """
    frames, joints = rotations.shape[0], rotations.shape[1]
    unit = half_turn / math.pi
    turn = 2.0 * half_turn
    tile = 64
    raw = np.empty((3, tile))
    near = np.empty((2, tile))
    w, x, y, z = np.empty(tile), np.empty(tile), np.empty(tile), np.empty(tile)
    for first in range(0, frames, tile):
        count = min(tile, frames - first)
        for j in range(joints):
            i, k, m = axes[j, 0] + 1, axes[j, 1] + 1, axes[j, 2] + 1
            e = parities[j]
            for t in range(count):
                q = rotations[first + t, j]
                w[t], x[t], y[t], z[t] = q[0], q[i], e * q[k], q[m]
            for t in range(count):  # contiguous and branch-free: runs in vector registers
                plus_cos, plus_sin = w[t] + y[t], x[t] + z[t]
                minus_cos, minus_sin = w[t] - y[t], x[t] - z[t]
                n_plus = plus_cos * plus_cos + plus_sin * plus_sin
                n_minus = minus_cos * minus_cos + minus_sin * minus_sin
                near[0, t], near[1, t] = n_plus, n_minus
                half_sum = _atan2(plus_sin, plus_cos)
                half_difference = _atan2(minus_sin, minus_cos)
                raw[0, t] = (half_sum + half_difference) * unit
                raw[2, t] = (half_sum - half_difference) * unit
                raw[1, t] = e * (2.0 * _atan2(math.sqrt(n_plus), math.sqrt(n_minus)) - 0.5 * math.pi) * unit
            a0, b0, c0 = previous[3 * j], previous[3 * j + 1], previous[3 * j + 2]
            for t in range(count):
                a, b, c = raw[0, t], raw[1, t], raw[2, t]
                if a0 != a0:  # no frame before: the principal triple
                    a -= turn * np.rint(a / turn)
                    c -= turn * np.rint(c / turn)
                else:
                    if near[1, t] < 1e-10:  # gimbal lock: only a + c is known, keep the difference
                        total = a + c - turn * np.rint((a + c - a0 - c0) / turn)
                        a, c = 0.5 * (total + a0 - c0), 0.5 * (total - a0 + c0)
                    elif near[0, t] < 1e-10:  # only a - c is known, keep the sum
                        total = a - c - turn * np.rint((a - c - a0 + c0) / turn)
                        a, c = 0.5 * (a0 + c0 + total), 0.5 * (a0 + c0 - total)
                    a -= turn * np.rint((a - a0) / turn)
                    b -= turn * np.rint((b - b0) / turn)
                    c -= turn * np.rint((c - c0) / turn)
                    if abs(a - a0) + abs(b - b0) + abs(c - c0) > half_turn:
                        u, v, w2 = a + half_turn, half_turn - b, c + half_turn
                        u -= turn * np.rint((u - a0) / turn)
                        v -= turn * np.rint((v - b0) / turn)
                        w2 -= turn * np.rint((w2 - c0) / turn)
                        if abs(u - a0) + abs(v - b0) + abs(w2 - c0) < abs(a - a0) + abs(b - b0) + abs(c - c0):
                            a, b, c = u, v, w2
                row = out[first + t]
                row[3 * j], row[3 * j + 1], row[3 * j + 2] = a, b, c
                a0, b0, c0 = a, b, c
            previous[3 * j], previous[3 * j + 1], previous[3 * j + 2] = a0, b0, c0
