"""Paths of a few points of a body, and how fast they move."""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import kernel


@kernel
def _point_paths(rotations, root, chain, above, offsets, slots, moved, point_links, point_offsets, out):
    frames, links, points = rotations.shape[0], chain.shape[0], point_links.shape[0]
    there = np.empty((links, 3), rotations.dtype)
    turned = np.empty((links, 4), rotations.dtype)
    any_moved = moved.shape[1] > 0
    for f in range(frames):
        local = rotations[f]
        for k in range(4):
            turned[0, k] = local[chain[0], k]
        for k in range(3):
            there[0, k] = root[f, k]
        for n in range(1, links):
            p, j = above[n], chain[n]
            w, x, y, z = turned[p, 0], turned[p, 1], turned[p, 2], turned[p, 3]
            if any_moved and slots[n] >= 0:
                m = moved[f, slots[n]]
                ox, oy, oz = m[0], m[1], m[2]
            else:
                ox, oy, oz = offsets[n, 0], offsets[n, 1], offsets[n, 2]
            cx, cy, cz = y * oz - z * oy, z * ox - x * oz, x * oy - y * ox
            cx, cy, cz = cx + cx, cy + cy, cz + cz
            there[n, 0] = there[p, 0] + ox + w * cx + (y * cz - z * cy)
            there[n, 1] = there[p, 1] + oy + w * cy + (z * cx - x * cz)
            there[n, 2] = there[p, 2] + oz + w * cz + (x * cy - y * cx)
            a, b, c, d = local[j, 0], local[j, 1], local[j, 2], local[j, 3]
            turned[n, 0] = w * a - x * b - y * c - z * d
            turned[n, 1] = w * b + x * a + y * d - z * c
            turned[n, 2] = w * c - x * d + y * a + z * b
            turned[n, 3] = w * d + x * c - y * b + z * a
        for i in range(points):
            p = point_links[i]
            w, x, y, z = turned[p, 0], turned[p, 1], turned[p, 2], turned[p, 3]
            ox, oy, oz = point_offsets[i, 0], point_offsets[i, 1], point_offsets[i, 2]
            cx, cy, cz = y * oz - z * oy, z * ox - x * oz, x * oy - y * ox
            cx, cy, cz = cx + cx, cy + cy, cz + cz
            out[f, i, 0] = there[p, 0] + ox + w * cx + (y * cz - z * cy)
            out[f, i, 1] = there[p, 1] + oy + w * cy + (z * cx - x * cz)
            out[f, i, 2] = there[p, 2] + oz + w * cz + (x * cy - y * cx)


def plan_paths(parents, joints):
    """Which joints lie between some joints and the root: (chain, above, links), the joints needed in order, each one's parent within the
    chain, and the place of each asked joint in it.
    """
    up = parents.tolist()
    needed: set[int] = {0}
    for joint in joints:
        joint = int(joint)
        while joint > 0 and joint not in needed:
            needed.add(joint)
            joint = up[joint]
    chain = sorted(needed)
    link = {joint: n for n, joint in enumerate(chain)}
    above = [-1] + [link[up[joint]] for joint in chain[1:]]
    links = [link[int(joint)] for joint in joints]
    return np.array(chain, np.int64), np.array(above, np.int64), np.array(links, np.int64)


def point_paths(rotations, root, offsets, plan, places, moved_joints=None, moved=None):
    """World positions (F, P, 3) of points fixed to joints, computing only the joints between them and the root.

    Args:
        rotations: (F, J, 4) float32 or float64 wxyz, local; sets the result's type.
        root: (F, 3), same type.
        offsets: (J, 3).
        plan: of `plan_paths`, for the joint each point is fixed to.
        places: (P, 3) its place in that joint's frame.
        moved_joints: (K,) joints whose offset varies; with `moved` (F, K, 3).
        moved: their positions in the parent's frame.
    """
    chain, above, links = plan
    kind = rotations.dtype
    slots = np.full(len(chain), -1, np.int64)
    if moved is None or moved_joints is None:
        moved = np.empty((1, 0, 3), kind)
    else:
        for n, joint in enumerate(moved_joints):
            slots[chain == joint] = n
    out = np.empty((len(rotations), len(links), 3), kind)
    _point_paths(
        rotations, root, chain, above, offsets[chain].astype(kind), slots, moved, links, places.astype(kind), out
    )
    return out


@kernel
def _slope_speeds(points, fps, half, out):
    frames, count = points.shape[0], points.shape[1]
    for f in range(frames):
        reach = min(half, f, frames - 1 - f)
        for i in range(count):
            if reach == 0:
                a, b = max(0, f - 1), min(frames - 1, f + 1)
                steps = max(1, b - a)
                x = (points[b, i, 0] - points[a, i, 0]) / steps
                y = (points[b, i, 1] - points[a, i, 1]) / steps
                z = (points[b, i, 2] - points[a, i, 2]) / steps
            else:
                x, y, z = 0.0, 0.0, 0.0
                total = 0.0
                for k in range(1, reach + 1):
                    x += k * (points[f + k, i, 0] - points[f - k, i, 0])
                    y += k * (points[f + k, i, 1] - points[f - k, i, 1])
                    z += k * (points[f + k, i, 2] - points[f - k, i, 2])
                    total += 2.0 * k * k
                x, y, z = x / total, y / total, z / total
            out[f, i] = fps * np.sqrt(x * x + y * y + z * z)


def slope_speeds(points, fps, half):
    """Speeds (F, P) float32 of points (F, P, 3): slopes of lines fitted over `half` frames before and after (fewer at the ends)."""
    out = np.empty(points.shape[:2], np.float32)
    _slope_speeds(points, float(fps), int(half), out)
    return out


@kernel
def _travel(path, fps, half, out):
    frames = path.shape[0]
    for f in range(frames):
        a, b = max(0, f - half), min(frames - 1, f + half)
        x, z = path[b, 0] - path[a, 0], path[b, 2] - path[a, 2]
        speed = fps * np.sqrt(x * x + z * z) / max(1, b - a)
        out[f] = speed if np.isfinite(speed) else 0.0


def travel_speeds(path, fps, half):
    """Horizontal speeds (F,) float32 of a path (F, 3): from `half` frames before to `half` after; 0 where it is unknown."""
    out = np.empty(len(path), np.float32)
    _travel(path, float(fps), int(half), out)
    return out


@kernel
def _body_signals(paths, rate, half, travelled, speed, forward, upright):
    samples = paths.shape[0]
    travelled[0] = 0.0
    for n in range(samples):
        a, b = max(0, n - half), min(samples - 1, n + half)
        steps = max(1, b - a)
        x, z = float(paths[b, 0, 0]) - paths[a, 0, 0], float(paths[b, 0, 2]) - paths[a, 0, 2]
        speed[n] = rate * np.sqrt(x * x + z * z) / steps
        travelled[n + 1] = travelled[n] + speed[n]
        # to the left, turned by a quarter to the right: left = +X faces +Z
        x, z = float(paths[n, 1, 2]) - paths[n, 2, 2], float(paths[n, 1, 0]) - paths[n, 2, 0]
        wide = np.sqrt(x * x + z * z)
        forward[n, 0] = -x / wide if wide > 1e-9 else 0.0
        forward[n, 1] = z / wide if wide > 1e-9 else 0.0
        tall, long = 0.0, 0.0
        for k in range(3):
            bone = paths[n, 3, k] - 0.5 * (float(paths[n, 1, k]) + paths[n, 2, k])
            long += bone * bone
            if k == 1:
                tall = bone
        upright[n] = tall / np.sqrt(long) if long > 1e-18 else 1.0


def body_signals(paths, rate, half):
    """Speed, its sums, heading and lean of a body.

    Args:
        paths: (S, 4 or more, 3): hips, left and right hip joint, top of the trunk.
        rate: samples per second.
        half: speed is measured from this many samples before to as many after.

    Returns:
        speed (S,) over the floor, sums of it (S + 1,), forward (S, 2) unit vectors (x, z) or zeros, and the cosine between the trunk and
        up (S,), all float64.
    """
    count = len(paths)
    out = np.empty(count), np.empty(count + 1), np.empty((count, 2)), np.empty(count)
    _body_signals(paths, float(rate), int(half), out[1], out[0], out[2], out[3])
    return out
