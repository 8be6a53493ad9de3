"""Plain NumPy twins of the kernels: the readable definition, the reference of their tests, and the choice for small inputs."""

from __future__ import annotations

import numpy as np


def multiply(a, b):
    """Hamilton product of quaternions (..., 4)."""
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    w = aw * bw - ax * bx - ay * by - az * bz
    out = np.empty((*w.shape, 4), w.dtype)
    out[..., 0] = w
    out[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    out[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    out[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return out


def rotate(q, v):
    """Vectors (..., 3) turned by quaternions (..., 4): v + w t + u x t with t = 2 u x v, u the vector part."""
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    a, b, c = v[..., 0], v[..., 1], v[..., 2]
    d, e, f = 2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)
    first = a + w * d + (y * f - z * e)
    out = np.empty((*first.shape, 3), first.dtype)
    out[..., 0] = first
    out[..., 1] = b + w * e + (z * d - x * f)
    out[..., 2] = c + w * f + (x * e - y * d)
    return out


def exp(v):
    """Unit quaternions (..., 4) of rotation vectors (..., 3)."""
    angle = np.sqrt(np.einsum("...i,...i->...", v, v))[..., None]
    half = 0.5 * angle
    small = angle < 1e-6
    factor = np.where(small, 0.5 - angle * angle / 48, np.sin(half) / np.where(small, 1, angle)).astype(v.dtype)
    return np.concatenate([np.cos(half), v * factor], axis=-1)


def between(a, b):
    """The shortest rotations (..., 4) from directions (..., 3) to others, both unit; opposite ones turn about any normal."""
    dot = np.einsum("...i,...i->...", a, b)[..., None]
    opposite = dot < -1 + 1e-9
    other = np.where(np.abs(a[..., :1]) < 0.6, np.array([1.0, 0, 0]), np.array([0, 1.0, 0])).astype(a.dtype)
    normal = np.cross(a, other)
    q = np.concatenate([np.where(opposite, 0, 1 + dot), np.where(opposite, normal, np.cross(a, b))], axis=-1)
    length = np.sqrt(np.einsum("...i,...i->...", q, q))[..., None]
    return q / np.where(length > 0, length, 1)


def slerp(a, b, t):
    """Spherical interpolation the short way round; `t` broadcasts against the leading axes."""
    t = np.asarray(t, dtype=a.dtype)[..., None]
    dot = np.einsum("...i,...i->...", a, b)[..., None]
    sign = np.where(dot < 0, -1, 1).astype(a.dtype)
    dot = np.minimum(np.abs(dot), 1)
    near = dot > 0.9995
    angle = np.arccos(np.where(near, 0, dot))
    sine = np.sin(angle)
    gap = 1 - dot
    sixth = gap * (2 + gap / 3) / 6  # of the angle's square, where it is small
    from_a, from_b = (
        np.where(near, u + u * (1 - u * u) * sixth * (1 + (0.7 - 0.3 * u * u) * sixth), np.sin(u * angle) / sine)
        for u in (1 - t, t)
    )
    from_b = from_b * sign
    q = from_a * a + from_b * b
    return (q / np.sqrt(np.einsum("...i,...i->...", q, q))[..., None]).astype(a.dtype)


def slerp_frames(rotations, before, t):
    """Rotations (F, J, 4) sampled between frames `before` and `before + 1`."""
    after = np.minimum(before + 1, len(rotations) - 1)
    return slerp(rotations[before], rotations[after], np.asarray(t)[:, None])


def make_continuous(rotations):
    """Signs chosen so that each rotation lies next to the one before."""
    out = rotations.copy()
    for f in range(1, len(out)):
        dots = np.einsum("ji,ji->j", out[f - 1], out[f])
        out[f][dots < 0] *= -1
    return out


def _axis_quaternion(angle, axis):
    q = np.zeros((*angle.shape, 4), angle.dtype)
    q[..., 0] = np.cos(angle / 2)
    q[..., axis + 1] = np.sin(angle / 2)
    return q


def from_euler(angles, axes):
    """Quaternions of angles (..., 3) in radians about the given axes, any of the twelve orders."""
    a, b, c = (_axis_quaternion(angles[..., n], axes[n]) for n in range(3))
    return multiply(multiply(a, b), c)


def to_euler(q, axes):
    """Angles (..., 3) in radians (Bernardes and Viollet 2022): half-sums and half-differences, exact near gimbal lock."""
    i, j, k = axes
    q = np.asarray(q)
    w = q[..., 0]
    proper = i == k
    if proper:
        k = 3 - i - j
    e = 1.0 if (j - i) % 3 == 1 else -1.0
    x, y, z = q[..., i + 1], q[..., j + 1], e * q[..., k + 1]
    if proper:
        # w = cos(b/2) cos((a+c)/2), x = cos(b/2) sin((a+c)/2), y = sin(b/2) cos((a-c)/2), z = sin(b/2) sin((a-c)/2)
        half_sum = np.arctan2(x, w)
        half_difference = np.arctan2(z, y)
        middle = 2 * np.arctan2(np.hypot(y, z), np.hypot(w, x))
    else:
        y, z = e * y, e * z
        half_sum = np.arctan2(x + z, w + y)
        half_difference = np.arctan2(x - z, w - y)
        middle = e * (2 * np.arctan2(np.hypot(w + y, x + z), np.hypot(w - y, x - z)) - np.pi / 2)
    angles = np.stack([half_sum + half_difference, middle, half_sum - half_difference], axis=-1)
    angles[..., 0] -= 2 * np.pi * np.rint(angles[..., 0] / (2 * np.pi))
    angles[..., 2] -= 2 * np.pi * np.rint(angles[..., 2] / (2 * np.pi))
    return angles


def forward_kinematics(rotations, root, offsets, parents, moved_joints=None, moved=None):
    """World positions (F, J, 3) and rotations (F, J, 4) of local rotations (F, J, 4) and root positions (F, 3)."""
    frames, joints = rotations.shape[:2]
    positions = np.empty((frames, joints, 3), rotations.dtype)
    world = np.empty_like(rotations)
    slots = {} if moved_joints is None else {int(joint): n for n, joint in enumerate(moved_joints)}
    positions[:, 0], world[:, 0] = root, rotations[:, 0]
    for j in range(1, joints):
        p = parents[j]
        offset = np.broadcast_to(offsets[j], (frames, 3))
        if moved is not None and j in slots:
            offset = moved[:, slots[j]]
        u, w = world[:, p, 1:], world[:, p, :1]
        t = 2 * np.cross(u, offset)
        positions[:, j] = positions[:, p] + offset + w * t + np.cross(u, t)
        world[:, j] = multiply(world[:, p], rotations[:, j])
    return positions, world


def parse_rows(text, width):
    """Numbers (rows, width) of the bytes of a motion block."""
    return np.array(bytes(text).split(), dtype=np.float64).reshape(-1, width)


def format_rows(values, decimals):
    """Bytes of rows of numbers with a fixed count of decimals."""
    return "".join(" ".join(f"{number:.{decimals}f}" for number in row) + "\n" for row in values).encode()


def parse_frames(text, names, counts):
    """Frame numbers (F,) and values (F, C) of the bytes of AMC frames: a number, then one line for each name."""
    size = 1 + sum(1 + count for count in counts)
    words = bytes(text).split()
    frames = [words[at : at + size] for at in range(0, len(words), size)]
    numbers, rows = [], []
    for frame in frames:
        numbers.append(int(frame[0]))
        row, at = [], 1
        for name, count in zip(names, counts, strict=True):
            if frame[at] != name:
                raise ValueError(f"expected {name!r}, found {frame[at]!r}")
            row += [float(word) for word in frame[at + 1 : at + 1 + count]]
            at += 1 + count
        rows.append(row)
    return np.array(numbers, np.int64), np.array(rows).reshape(len(rows), sum(counts))


def turn_axes(rotations, joints, frames):
    """Rotations (F, J, 4) with those of some joints conjugated by the quaternions `frames` (K, 4)."""
    out = rotations.copy()
    inverse = frames * np.array([1, -1, -1, -1])
    out[:, joints] = multiply(multiply(np.broadcast_to(frames, out[:, joints].shape), out[:, joints]), inverse)
    return out


def format_frames(values, names, counts, decimals, first):
    """Bytes of AMC frames numbered from `first`."""
    lines = []
    for f, row in enumerate(values):
        lines.append(f"{first + f}")
        column = 0
        for name, count in zip(names, counts, strict=True):
            lines.append(" ".join([name, *(f"{number:.{decimals}f}" for number in row[column : column + count])]))
            column += count
    return "".join(f"{line}\n" for line in lines).encode()


def weigh(padded, weights, width):
    """Sums over windows of samples of `width` numbers, one after the other."""
    count = padded.size - (weights.size - 1) * width
    return sum(weight * padded[n * width : n * width + count] for n, weight in enumerate(weights))


def push_sizes(places, joints, fps):
    """Sizes (F, N) of the accelerations of some joints; none at the ends."""
    out = np.zeros((len(places), len(joints)))
    out[1:-1] = np.linalg.norm(np.diff(places[:, joints], 2, axis=0) * fps**2, axis=2)
    return out


def lowest(positions, rotations, joints, points):
    """Heights (F,) of the lowest of points (P, 3) that ride on joints."""
    heights = [np.full((len(positions), 1), np.inf)]
    for joint, own in zip(joints, points, strict=True):
        turned = rotate(rotations[:, joint, None], own[None])
        heights.append(positions[:, joint, None, 1] + turned[..., 1])
    return np.concatenate(heights, axis=1).min(axis=1)
