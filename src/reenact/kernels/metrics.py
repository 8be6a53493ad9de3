"""Tiles of pose distances: what is left to do after, or instead of, the matrix products."""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import kernel

# arccos(x) = sqrt(1 - x) * p(x) on 0..1 within 2e-8 (Abramowitz and Stegun 1964, 4.4.46): exact where angles are small, and no call
_P0, _P1, _P2, _P3 = 1.5707963050, -0.2145988016, 0.0889789874, -0.0501743046
_P4, _P5, _P6, _P7 = 0.0308918810, -0.0170881256, 0.0066700901, -0.0012624911


@kernel
def _aligned_clouds(cosine, sine, height, offsets, weights, sums_a, sums_b, means_a, means_b, sums, out):
    rows, columns = out.shape
    c, s, y = sums[0], sums[1], sums[2]
    for i in range(rows):
        for j in range(columns):
            c[j] = 0.0
            s[j] = 0.0
            y[j] = 0.0
        for k in range(len(offsets)):
            shift = offsets[k]
            weight = weights[k]
            gc = cosine[i + shift, shift : shift + columns]
            gs = sine[i + shift, shift : shift + columns]
            gy = height[i + shift, shift : shift + columns]
            for j in range(columns):
                c[j] += weight * gc[j]
                s[j] += weight * gs[j]
                y[j] += weight * gy[j]
        x0, z0, a0 = means_a[i, 0], means_a[i, 1], sums_a[i]
        row = out[i]
        for j in range(columns):
            x1, z1 = means_b[0, j], means_b[1, j]
            along = c[j] - x0 * x1 - z0 * z1
            across = s[j] - x0 * z1 + z0 * x1
            row[j] = a0 + sums_b[j] - 2.0 * y[j] - 2.0 * np.sqrt(along * along + across * across)


@kernel
def _root_of_gap(out, squares_a, squares_b):
    for i in range(out.shape[0]):
        row = out[i]
        a = squares_a[i]
        for j in range(out.shape[1]):
            row[j] = np.sqrt(max(a + squares_b[j] - 2.0 * row[j], 0.0))


@kernel
def _root(values):
    for i in range(values.shape[0]):
        row = values[i]
        for j in range(values.shape[1]):
            row[j] = np.sqrt(max(row[j], np.float32(0.0)))


@kernel
def _joint_angles(q_a, q_b, angle_weights, v_a, v_b, speed_weights, out):
    rows, columns = out.shape
    one, half, two = np.float32(1.0), np.float32(0.5), np.float32(2.0)
    p0, p1, p2, p3 = np.float32(_P0), np.float32(_P1), np.float32(_P2), np.float32(_P3)
    p4, p5, p6, p7 = np.float32(_P4), np.float32(_P5), np.float32(_P6), np.float32(_P7)
    for i in range(rows):
        row = out[i]
        for j in range(columns):
            row[j] = 0.0
        for k in range(len(angle_weights)):
            weight = angle_weights[k]
            aw, ax, ay, az = q_a[i, k, 0], q_a[i, k, 1], q_a[i, k, 2], q_a[i, k, 3]
            bw, bx, by, bz = q_b[k, 0], q_b[k, 1], q_b[k, 2], q_b[k, 3]
            for j in range(columns):
                dw, dx, dy, dz = aw - bw[j], ax - bx[j], ay - by[j], az - bz[j]
                near = dw * dw + dx * dx + dy * dy + dz * dz
                dw, dx, dy, dz = aw + bw[j], ax + bx[j], ay + by[j], az + bz[j]
                gap = half * min(near, dw * dw + dx * dx + dy * dy + dz * dz)  # 1 - |q . q'|, exact for small angles
                x = max(one - gap, np.float32(0.0))
                p = ((((((p7 * x + p6) * x + p5) * x + p4) * x + p3) * x + p2) * x + p1) * x + p0
                row[j] += weight * (two * np.sqrt(gap) * p)
        for k in range(len(speed_weights)):
            weight = speed_weights[k]
            ax, ay, az = v_a[i, k, 0], v_a[i, k, 1], v_a[i, k, 2]
            bx, by, bz = v_b[k, 0], v_b[k, 1], v_b[k, 2]
            for j in range(columns):
                dx, dy, dz = ax - bx[j], ay - by[j], az - bz[j]
                row[j] += weight * np.sqrt(dx * dx + dy * dy + dz * dz)


def aligned_clouds(cosine, sine, height, offsets, weights, sums_a, sums_b, means_a, means_b, out):
    """Squared distances (R, C) of windows after the best turn and shift on the floor, from products of single frames.

    Args:
        cosine: (R + s, C + s) float64, sum over the points of x x' + z z' of every frame of one side with every one of the other.
        sine: likewise of x z' - z x'.
        height: likewise of y y'.
        offsets: (W,) int64 ascending from 0 to s: the frames of a window, counted from its first.
        weights: (W,) float64, the window's taper, sum 1.
        sums_a: (R,) float64, weighted squares of each window's points: x and z centred, y not.
        sums_b: (C,) likewise of the other side.
        means_a: (R, 2) float64, weighted means of x and z of each window.
        means_b: (2, C) likewise of the other side.
        out: (R, C) float32 or float64.
    """
    sums = np.empty((3, out.shape[1]))
    _aligned_clouds(cosine, sine, height, offsets, weights, sums_a, sums_b, means_a, means_b, sums, out)
    return out


def root_of_gap(out, squares_a, squares_b):
    """sqrt(|a|^2 + |b|^2 - 2 a.b) in place, from products a.b in `out` (R, C) and squares (R,) and (C,)."""
    _root_of_gap(out, squares_a, squares_b)
    return out


def root(values):
    """Square roots in place, (R, C) float32; what is below zero counts as zero."""
    _root(values)
    return values


def joint_angles(q_a, q_b, angle_weights, v_a, v_b, speed_weights, out):
    """Weighted sums of rotation angles and of differences of vectors, (R, C).

    Args:
        q_a: (R, K, 4) float32 unit quaternions.
        q_b: (K, 4, C) float32, those of the other side with the frames last.
        angle_weights: (K,) float32, a radian's weight.
        v_a: (R, L, 3) float32 vectors.
        v_b: (L, 3, C) float32.
        speed_weights: (L,) float32.
        out: (R, C) float32.
    """
    _joint_angles(q_a, q_b, angle_weights, v_a, v_b, speed_weights, out)
    return out
