"""Rotations: unit quaternions (wxyz), rotation vectors, matrices, Euler angles, 6-D columns, swing and twist.

All functions are batched over leading axes, broadcast like NumPy, keep float32 and float64 and take angles in radians. The rotation
vector (`log`, `exp`) is the full angle times the axis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from reenact import kernels
from reenact.core.arrays import Float, Float32
from reenact.errors import ParameterError

EULER_ORDERS = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz")
"""The six Tait-Bryan orders, then the six proper Euler ones. "zyx" is Rz(a) Ry(b) Rx(c), BVH's `Zrotation Yrotation Xrotation`."""

_KERNEL_FROM = (
    4096  # rows from which the compiled kernel is worth its rounding: q times its inverse is not quite (1, 0, 0, 0)
)

_ROUNDING = (
    1.3e-7  # what rounding its parts to float32 adds to the squared length of a unit quaternion, at most (2 ** -23)
)


def _floating(values: ArrayLike) -> Float:
    array = np.asarray(values)
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def identity(*shape: int, dtype: type = np.float64) -> Float:
    """Identity quaternions: an array of the given shape, with 4 numbers for each."""
    q = np.zeros((*shape, 4), dtype)
    q[..., 0] = 1
    return q


def normalize(q: ArrayLike) -> Float:
    """Unit quaternions (or vectors); a zero stays zero."""
    q = _floating(q)
    length = np.sqrt(np.einsum("...i,...i->...", q, q))[..., None]
    return q / np.where(length > 0, length, 1)


def unit_float32(q: ArrayLike) -> Float32:
    """Unit quaternions (..., 4) as float32 for files: no longer than rounding makes them, no component beyond 1, and zero the identity.

    Quaternions that are unit to the last bit of float32 stay bit for bit as they are.
    """
    given = np.asarray(q)
    single = np.asarray(given, dtype=np.float32)
    square = np.einsum("...i,...i->...", single, single, dtype=np.float64)
    off = np.abs(square - 1) > _ROUNDING  # a component beyond 1 adds twice as much
    if not off.any():
        return single
    unit = normalize(given[off].astype(np.float64))
    unit[~unit.any(axis=-1)] = identity()
    single = single.copy()
    single[off] = np.clip(unit, -1, 1)
    return single


def conjugate(q: ArrayLike) -> Float:
    """Inverse of unit quaternions."""
    return _floating(q) * np.array([1, -1, -1, -1], dtype=_floating(q).dtype)


def multiply(a: ArrayLike, b: ArrayLike) -> Float:
    """Hamilton product: the rotation b, then a."""
    a, b = _floating(a), _floating(b)
    if a.dtype != b.dtype:
        a, b = a.astype(np.float64), b.astype(np.float64)
    shape = a.shape if a.shape == b.shape else np.broadcast_shapes(a.shape, b.shape)
    if math.prod(shape) < 4 * _KERNEL_FROM:
        return kernels.twins.multiply(a, b)
    out = np.empty((math.prod(shape[:-1]), 4), a.dtype)
    kernels.quaternions.multiply(_rows(a, shape), _rows(b, shape), out)
    return out.reshape(shape)


def _rows(values: Float, shape: tuple[int, ...]) -> Float:
    """Quaternions or vectors one below the other: (1, D) where one stands for all, else as many as `shape` has."""
    if values.ndim == 2 and values.shape == shape:
        return np.ascontiguousarray(values)
    if values.size == shape[-1]:
        return np.ascontiguousarray(values).reshape(1, shape[-1])
    return np.ascontiguousarray(np.broadcast_to(values, shape)).reshape(-1, shape[-1])


def rotate(q: ArrayLike, v: ArrayLike) -> Float:
    """Vectors (..., 3) turned by quaternions (..., 4)."""
    q, v = _floating(q), _floating(v)
    if q.dtype != v.dtype:
        q, v = q.astype(np.float64), v.astype(np.float64)
    shape = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
    out = np.empty((math.prod(shape), 3), q.dtype)
    kernels.quaternions.rotate(_rows(q, (*shape, 4)), _rows(v, (*shape, 3)), out)
    return out.reshape(*shape, 3)


def angle_between(a: ArrayLike, b: ArrayLike) -> Float:
    """Angle in radians, 0..pi, between rotations; exact for small angles."""
    return np.linalg.norm(log(multiply(conjugate(a), b)), axis=-1)


def log(q: ArrayLike) -> Float:
    """Rotation vectors (full angle times axis, angle 0..pi) of unit quaternions."""
    q = _floating(q)
    q = np.where(q[..., :1] < 0, -q, q)
    v = q[..., 1:]
    sine = np.sqrt(np.einsum("...i,...i->...", v, v))[..., None]
    half = np.arctan2(sine, q[..., :1])
    small = sine < 1e-6
    return v * np.where(small, 2.0, 2 * half / np.where(small, 1, sine)).astype(q.dtype)


def exp(v: ArrayLike) -> Float:
    """Unit quaternions of rotation vectors."""
    v = _floating(v)
    if v.dtype != np.float64:
        return kernels.twins.exp(v)
    out = np.empty((v.size // 3, 4))
    kernels.quaternions.exp(np.ascontiguousarray(v).reshape(-1, 3), out)
    return out.reshape(*v.shape[:-1], 4)


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Float:
    """Quaternions that turn by `angle` about `axis` (need not have unit length)."""
    axis = normalize(axis)
    half = 0.5 * np.asarray(angle, dtype=axis.dtype)[..., None]
    return _join(np.cos(half), axis * np.sin(half))


def _join(w: Float, v: Float) -> Float:
    shape = np.broadcast_shapes(w.shape[:-1], v.shape[:-1])
    return np.concatenate([np.broadcast_to(w, (*shape, 1)), np.broadcast_to(v, (*shape, 3))], axis=-1)


def about_y(angle: ArrayLike) -> Float:
    """Quaternions of a turn about the up axis, counter-clockwise seen from above: heading 0 = +Z, +90 degrees = +X."""
    return from_axis_angle(np.array([0.0, 1.0, 0.0]), angle)


def between(a: ArrayLike, b: ArrayLike) -> Float:
    """The shortest rotations that turn directions `a` into directions `b`; opposite directions turn about any normal."""
    a, b = np.broadcast_arrays(_floating(a), _floating(b))
    if a.dtype != np.float64 or b.dtype != np.float64:
        return kernels.twins.between(normalize(a), normalize(b))
    out = np.empty((a.size // 3, 4))
    kernels.quaternions.between(np.ascontiguousarray(a).reshape(-1, 3), np.ascontiguousarray(b).reshape(-1, 3), out)
    return out.reshape(*a.shape[:-1], 4)


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Float:
    """Spherical interpolation, the short way round; `t` broadcasts against the leading axes."""
    a, b = _floating(a), _floating(b)
    if a.dtype != b.dtype:
        a, b = a.astype(np.float64), b.astype(np.float64)
    t = np.asarray(t, dtype=a.dtype)
    shape = (*np.broadcast_shapes(a.shape[:-1], b.shape[:-1], t.shape), 4)
    if math.prod(shape) >= 4 * _KERNEL_FROM:
        first, second = (np.ascontiguousarray(np.broadcast_to(q, shape)).reshape(-1, 4) for q in (a, b))
        out = np.empty_like(first)
        kernels.quaternions.slerp(first, second, np.ascontiguousarray(np.broadcast_to(t, shape[:-1])).reshape(-1), out)
        return out.reshape(shape)
    return kernels.twins.slerp(a, b, t)


def make_continuous(q: ArrayLike) -> Float:
    """The same rotations (F, ..., 4) with signs chosen so that each lies next to the one before."""
    q = np.array(_floating(q), copy=True, order="C")
    if len(q) > 1:
        dots = np.einsum("...i,...i->...", q[1:], q[:-1])
        flips = np.cumprod(np.where(dots < 0, -1, 1), axis=0)
        q[1:] *= flips[..., None].astype(q.dtype)
    return q


def mean(q: ArrayLike, weights: ArrayLike | None = None, axis: int = 0) -> Float:
    """The rotation nearest to all given ones in the least-squares sense; signs and order do not matter (Markley 2007)."""
    q = np.moveaxis(np.asarray(_floating(q), dtype=np.float64), axis, -2)
    w = np.ones(q.shape[-2]) if weights is None else np.asarray(weights, dtype=np.float64)
    outer = np.einsum("...n,...ni,...nj->...ij", w, q, q)
    _, vectors = np.linalg.eigh(outer)
    found = vectors[..., -1]
    return np.where(found[..., :1] < 0, -found, found)


def swing_twist(q: ArrayLike, axis: ArrayLike) -> tuple[Float, Float]:
    """(swing, twist) with q = swing * twist, twist about `axis`, swing about an axis square to it."""
    q, axis = _floating(q), normalize(axis)
    along = np.einsum("...i,...i->...", q[..., 1:], axis)[..., None]
    twist = np.concatenate([q[..., :1], along * axis], axis=-1)
    length = np.linalg.norm(twist, axis=-1, keepdims=True)
    none = length < 1e-12  # a half turn square to the axis: any twist fits, take none
    twist = np.where(none, identity(dtype=q.dtype.type), twist / np.where(none, 1, length))
    return multiply(q, conjugate(twist)), twist


def to_matrix(q: ArrayLike) -> Float:
    """Rotation matrices (..., 3, 3)."""
    w, x, y, z = np.moveaxis(_floating(q), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(m: ArrayLike) -> Float:
    """Unit quaternions of rotation matrices (..., 3, 3); the largest component is found first, so no case loses accuracy."""
    m = _floating(m)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    k = np.stack([xx + yy + zz, xx, yy, zz], axis=-1)
    best = np.argmax(k, axis=-1)
    yz, zx, xy = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    sxy, szx, syz = m[..., 1, 0] + m[..., 0, 1], m[..., 0, 2] + m[..., 2, 0], m[..., 2, 1] + m[..., 1, 2]
    rows = np.stack(
        [
            np.stack([1 + xx + yy + zz, yz, zx, xy], axis=-1),
            np.stack([yz, 1 + xx - yy - zz, sxy, szx], axis=-1),
            np.stack([zx, sxy, 1 - xx + yy - zz, syz], axis=-1),
            np.stack([xy, szx, syz, 1 - xx - yy + zz], axis=-1),
        ],
        axis=-2,
    )
    return normalize(np.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :])


def to_six(q: ArrayLike) -> Float:
    """The first two columns of the matrix, (..., 6): continuous, for learning (Zhou 2019)."""
    m = to_matrix(q)
    return np.concatenate([m[..., 0], m[..., 1]], axis=-1)


def from_six(d: ArrayLike) -> Float:
    """Unit quaternions of two columns (..., 6), made orthonormal by Gram-Schmidt."""
    d = _floating(d)
    x = normalize(d[..., :3])
    y = normalize(d[..., 3:] - np.einsum("...i,...i->...", x, d[..., 3:])[..., None] * x)
    return from_matrix(np.stack([x, y, np.cross(x, y)], axis=-1))


def order_axes(order: str) -> tuple[int, int, int]:
    """Axis indices of an Euler order, such as (2, 1, 0) for "zyx"."""
    if order.lower() not in EULER_ORDERS:
        raise ParameterError(f"Euler order {order!r} is not one of {', '.join(EULER_ORDERS)}")
    a, b, c = ("xyz".index(letter) for letter in order.lower())
    return a, b, c


def parity(axes: Sequence[int]) -> int:
    """+1 when the axes are an even permutation of x, y, z, else -1."""
    return 1 if (axes[1] - axes[0]) % 3 == 1 else -1


def from_euler(angles: ArrayLike, order: str) -> Float:
    """Quaternions of angles (..., 3) in radians: R_first(angles[0]) R_second(angles[1]) R_third(angles[2])."""
    angles = _floating(angles)
    axes = order_axes(order)
    if axes[0] != axes[2] and angles.size >= 3 * _KERNEL_FROM:
        flat = np.ascontiguousarray(angles.reshape(-1, 3), dtype=np.float64)
        out = np.empty((len(flat), 1, 4), angles.dtype)
        one = np.array([[0, 1, 2]], np.int32)
        kernels.euler.from_euler(flat, math.pi, one, np.array([axes], np.int32), np.array([float(parity(axes))]), out)
        return out.reshape(*angles.shape[:-1], 4)
    return kernels.twins.from_euler(angles, axes)


def to_euler(q: ArrayLike, order: str) -> Float:
    """Angles (..., 3) in radians with `from_euler(to_euler(q, order), order)` = q up to sign.

    The middle angle lies in -pi/2..pi/2 for Tait-Bryan orders and 0..pi for proper ones. At gimbal lock the third angle is what the
    half-angle formulas leave; the rotation is still exact.
    """
    return kernels.twins.to_euler(_floating(q), order_axes(order))
