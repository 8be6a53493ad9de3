"""Paths of a few points of a body, and how fast they move."""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import inlined_kernel, kernel

_BLOCK = 32  # frames side by side: enough for whole vector registers, few enough to stay in the nearest cache


@inlined_kernel
def _placed(px, py, pz, w, x, y, z, ox, oy, oz):
    """A parent's place + its rotation (w, x, y, z) of an offset: v + 2 w (u x v) + 2 u x (u x v)."""
    cx, cy, cz = y * oz - z * oy, z * ox - x * oz, x * oy - y * ox
    cx, cy, cz = cx + cx, cy + cy, cz + cz
    return (
        px + ox + w * cx + (y * cz - z * cy),
        py + oy + w * cy + (z * cx - x * cz),
        pz + oz + w * cz + (x * cy - y * cx),
    )


@inlined_kernel
def _place(parent, ox, oy, oz, out):
    # rows taken out first: then the compiler sees that they do not overlap, and takes several frames at once
    px, py, pz, pw, pi, pj, pk = parent[0], parent[1], parent[2], parent[3], parent[4], parent[5], parent[6]
    x_out, y_out, z_out = out[0], out[1], out[2]
    for b in range(_BLOCK):
        x_out[b], y_out[b], z_out[b] = _placed(px[b], py[b], pz[b], pw[b], pi[b], pj[b], pk[b], ox, oy, oz)


@inlined_kernel
def _turn(parent, turn, out):
    """Of a block of frames: the parent's rotation times the joint's own."""
    pw, pi, pj, pk = parent[3], parent[4], parent[5], parent[6]
    tw, ti, tj, tk = turn[0], turn[1], turn[2], turn[3]
    w_out, i_out, j_out, k_out = out[3], out[4], out[5], out[6]
    for b in range(_BLOCK):
        w, x, y, z = pw[b], pi[b], pj[b], pk[b]
        a, i, j, k = tw[b], ti[b], tj[b], tk[b]
        w_out[b] = w * a - x * i - y * j - z * k
        i_out[b] = w * i + x * a + y * k - z * j
        j_out[b] = w * j - x * k + y * a + z * i
        k_out[b] = w * k + x * j - y * i + z * a


@kernel
def _point_paths(rotations, root, chain, above, offsets, slots, moved, point_links, point_offsets, out):
    frames, links, points = rotations.shape[0], chain.shape[0], point_links.shape[0]
    needed = np.zeros(links, np.bool_)  # links whose rotation anything hangs on
    for n in range(1, links):
        needed[above[n]] = True
    for i in range(points):
        for k in range(3):
            if point_offsets[i, k] != 0:
                needed[point_links[i]] = True
    # of each link x, y, z of its place, then w, x, y, z of its rotation
    world = np.zeros((links, 7, _BLOCK), rotations.dtype)
    turn = np.zeros((4, _BLOCK), rotations.dtype)
    any_moved = moved.shape[1] > 0
    for first in range(0, frames, _BLOCK):
        size = min(_BLOCK, frames - first)
        for n in range(links):
            mine, joint = world[n], chain[n]
            if needed[n]:
                for b in range(size):
                    for k in range(4):
                        turn[k, b] = rotations[first + b, joint, k]
            if n == 0:
                for b in range(size):
                    for k in range(3):
                        mine[k, b] = root[first + b, k]
                for k in range(4):
                    for b in range(_BLOCK):
                        mine[3 + k, b] = turn[k, b]
                continue
            parent = world[above[n]]
            if any_moved and slots[n] >= 0:
                for b in range(size):
                    at = moved[first + b, slots[n]]
                    mine[0, b], mine[1, b], mine[2, b] = _placed(
                        parent[0, b], parent[1, b], parent[2, b], parent[3, b], parent[4, b], parent[5, b],
                        parent[6, b], at[0], at[1], at[2],
                    )  # fmt: skip
            else:
                _place(parent, offsets[n, 0], offsets[n, 1], offsets[n, 2], mine)
            if needed[n]:
                _turn(parent, turn, mine)
        for i in range(points):
            parent = world[point_links[i]]
            if point_offsets[i, 0] != 0 or point_offsets[i, 1] != 0 or point_offsets[i, 2] != 0:
                _place(parent, point_offsets[i, 0], point_offsets[i, 1], point_offsets[i, 2], turn)
                parent = turn
            for b in range(size):
                for k in range(3):
                    out[first + b, i, k] = parent[k, b]


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
    rotations, root = np.ascontiguousarray(rotations), np.ascontiguousarray(root)  # one piece of machine code for all
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
    frames, count, width = points.shape[0], out.shape[1], points.shape[1] * 3
    flat = points.reshape(frames * width)
    slope = np.empty(_BLOCK * width, points.dtype)
    total = 0.0
    for k in range(1, half + 1):
        total += 2.0 * k * k
    scale = points.dtype.type(fps / total)
    for first in range(half, frames - half, _BLOCK):
        size = min(_BLOCK, frames - half - first)
        slope[:] = 0.0
        for k in range(1, half + 1):
            # one long loop over all coordinates of some frames, which the compiler takes several at a time
            after, before = flat[(first + k) * width :], flat[(first - k) * width :]
            times = points.dtype.type(k)
            for n in range(size * width):
                slope[n] += times * (after[n] - before[n])
        for f in range(size):
            for i in range(count):
                at = f * width + 3 * i
                x, y, z = slope[at], slope[at + 1], slope[at + 2]
                out[first + f, i] = scale * np.sqrt(x * x + y * y + z * z)
    if frames == 0:
        return
    # at the ends there is less to go by: the line of the first or last whole window, as a shorter one would take noise for motion
    if frames > 2 * half:
        for i in range(count):
            out[:half, i] = out[half, i]
            out[frames - half :, i] = out[frames - 1 - half, i]
        return
    middle, weight = 0.5 * (frames - 1), frames * (frames * frames - 1) / 12.0 if frames > 1 else 1.0
    for i in range(count):
        x, y, z = 0.0, 0.0, 0.0
        for f in range(frames):
            x += (f - middle) * points[f, i, 0]
            y += (f - middle) * points[f, i, 1]
            z += (f - middle) * points[f, i, 2]
        out[:, i] = fps / weight * np.sqrt(x * x + y * y + z * z)


def slope_speeds(points, fps, half):
    """Speeds (F, P) float32 of points (F, P, 3): slopes of lines fitted over `half` frames before and after.

    The first and last `half` frames have the speed of the nearest frame that is so far from the end; in shorter clips all frames have the
    speed of one line through all of them.
    """
    points = np.ascontiguousarray(points)
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
