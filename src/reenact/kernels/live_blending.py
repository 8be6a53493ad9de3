"""One step of a blend along a registration curve: where all motions are, how they lie on each other, and their mean pose.

Frames of all motions lie one after the other; motion j owns rows first[j] to first[j + 1] - 1. A placement is (turn, x, z): a turn about
the vertical axis, counter-clockwise seen from above, then a shift on the floor. The NumPy twin of these steps is `blend.playing.play`,
which makes whole clips.
"""

from __future__ import annotations

import math

from reenact.kernels.compiling import kernel
from reenact.kernels.piecewise import curve_inverse, curve_value
from reenact.kernels.rotation_means import mean_rotation, orient

SLOWEST = 0.2
"""Share of the heaviest motion's own way along the curve that is gone in any case."""


@kernel
def advance(values, slopes, step, u, weights, frames):
    """Where u gets to in a time of so many frames, each motion's rate by its weight; not beyond the end.

    Weights below 0 could make time stand still: a share of the heaviest motion's own way is always gone.
    """
    after, least, heaviest = u, 0.0, -1.0
    for j in range(len(weights)):
        if weights[j] != 0.0:
            here = curve_value(values, slopes, step, j, u)
            way = curve_inverse(values, slopes, step, j, here + frames) - u
            after += weights[j] * way
            if weights[j] > heaviest:
                heaviest, least = weights[j], SLOWEST * way
    return min(max(after, u + least), step * (len(values) - 1))


@kernel
def _cubic(t):
    """Weights of the frame before, this, the next and the one after, at a share t between this and the next."""
    t2, t3 = t * t, t * t * t
    a, b = -0.5 * t3 + t2 - 0.5 * t, 1.5 * t3 - 2.5 * t2 + 1.0
    return a, b, -1.5 * t3 + 2.0 * t2 + 0.5 * t, 0.5 * (t3 - t2)


@kernel
def _neighbours(first, end, frame):
    """Row before a fractional frame, and the share to the next."""
    last = end - first - 1
    frame = min(max(frame, 0.0), float(last))
    below = min(int(frame), max(last - 1, 0))
    return first + below, frame - below


@kernel
def place(alignment, bends, step, floor, first, values, slopes, reference, u, out):
    """Out (k, 3) = the placements that lay every motion on the reference at u.

    alignment, bends: (K, 3 k) values and slopes of turn and gap at the knots; floor: (rows, 2) roots as recorded.
    """
    for j in range(len(first) - 1):
        row, share = _neighbours(first[j], first[j + 1], curve_value(values, slopes, step, j, u))
        after = min(row + 1, first[j + 1] - 1)
        out[j, 1] = floor[row, 0] + share * (floor[after, 0] - floor[row, 0])
        out[j, 2] = floor[row, 1] + share * (floor[after, 1] - floor[row, 1])
    x, z = out[reference, 1], out[reference, 2]
    for j in range(len(first) - 1):
        if j == reference:
            out[j, 0] = out[j, 1] = out[j, 2] = 0.0
            continue
        turn = curve_value(alignment, bends, step, 3 * j, u)
        sine, cosine = math.sin(turn), math.cos(turn)
        own_x, own_z = out[j, 1], out[j, 2]
        out[j, 0] = turn
        out[j, 1] = x + curve_value(alignment, bends, step, 3 * j + 1, u) - (cosine * own_x + sine * own_z)
        out[j, 2] = z + curve_value(alignment, bends, step, 3 * j + 2, u) - (cosine * own_z - sine * own_x)


@kernel
def travel(before, now, pivot_x, pivot_z, weights, whole):
    """Move `whole` (3,) by the weighted mean of what each motion alone would do between two sets of placements (k, 3)."""
    turn = x = z = 0.0
    for j in range(len(weights)):
        if weights[j] == 0.0:
            continue
        change = before[j, 0] - now[j, 0]
        turn += weights[j] * (change - 2.0 * math.pi * round(change / (2.0 * math.pi)))
        sine, cosine = math.sin(-now[j, 0]), math.cos(-now[j, 0])
        dx, dz = pivot_x - now[j, 1], pivot_z - now[j, 2]
        own_x, own_z = cosine * dx + sine * dz, cosine * dz - sine * dx
        sine, cosine = math.sin(before[j, 0]), math.cos(before[j, 0])
        x += weights[j] * (cosine * own_x + sine * own_z + before[j, 1])
        z += weights[j] * (cosine * own_z - sine * own_x + before[j, 2])
    sine, cosine = math.sin(turn), math.cos(turn)
    x -= cosine * pivot_x + sine * pivot_z
    z -= cosine * pivot_z - sine * pivot_x
    sine, cosine = math.sin(whole[0]), math.cos(whole[0])
    whole[1] += cosine * x + sine * z
    whole[2] += cosine * z - sine * x
    whole[0] += turn


@kernel
def pose(
    rotations,
    roots,
    points,
    first,
    values,
    slopes,
    step,
    u,
    weights,
    placements,
    one,
    signs,
    out_r,
    out_root,
    out_points,
):
    """The mean pose of the motions laid on each other at u.

    rotations (rows, J, 4) with signs that run on, roots (rows, 3), points (rows, M, 3); placements (k, 3); one (J, k, 4) is
    scratch, signs (J, k, 4) are the rotations of the last step, all 0 before the first.
    """
    count, joints, moving = len(weights), rotations.shape[1], points.shape[1]
    out_root[:] = 0.0
    out_points[:] = 0.0
    for j in range(count):
        row, share = _neighbours(first[j], first[j + 1], curve_value(values, slopes, step, j, u))
        a, b, c, d = _cubic(share)
        r0, r2 = max(row - 1, first[j]), min(row + 1, first[j + 1] - 1)
        r3 = min(row + 2, first[j + 1] - 1)
        x = a * roots[r0, 0] + b * roots[row, 0] + c * roots[r2, 0] + d * roots[r3, 0]
        y = a * roots[r0, 1] + b * roots[row, 1] + c * roots[r2, 1] + d * roots[r3, 1]
        z = a * roots[r0, 2] + b * roots[row, 2] + c * roots[r2, 2] + d * roots[r3, 2]
        sine, cosine = math.sin(placements[j, 0]), math.cos(placements[j, 0])
        out_root[0] += weights[j] * (cosine * x + sine * z + placements[j, 1])
        out_root[1] += weights[j] * y
        out_root[2] += weights[j] * (cosine * z - sine * x + placements[j, 2])
        for m in range(moving):
            for n in range(3):
                value = a * points[r0, m, n] + b * points[row, m, n] + c * points[r2, m, n] + d * points[r3, m, n]
                out_points[m, n] += weights[j] * value
        for i in range(joints):
            size = 0.0
            for n in range(4):
                value = (
                    a * rotations[r0, i, n]
                    + b * rotations[row, i, n]
                    + c * rotations[r2, i, n]
                    + d * rotations[r3, i, n]
                )
                one[i, j, n] = value
                size += value * value
            size = 1.0 / math.sqrt(size)
            for n in range(4):
                one[i, j, n] *= size
        _turn(placements[j, 0], one[0, j])
    for i in range(joints):
        orient(one[i], signs[i])
        mean_rotation(one[i], weights, True, out_r[i])


@kernel
def _turn(angle, q):
    """Turn a rotation about the vertical axis, in place."""
    c, s = math.cos(0.5 * angle), math.sin(0.5 * angle)
    w, x, y, z = q[0], q[1], q[2], q[3]
    q[0], q[1], q[2], q[3] = c * w - s * y, c * x + s * z, c * y + s * w, c * z - s * x


@kernel
def carry(whole, rotations, root):
    """Move a pose by a placement, in place."""
    sine, cosine = math.sin(whole[0]), math.cos(whole[0])
    x, z = root[0], root[2]
    root[0], root[2] = cosine * x + sine * z + whole[1], cosine * z - sine * x + whole[2]
    _turn(whole[0], rotations[0])


@kernel
def step_stream(
    rotations,
    roots,
    points,
    floor,
    first,
    values,
    slopes,
    alignment,
    bends,
    step,
    reference,
    weights,
    frames,
    state,
    placements,
    before,
    one,
    signs,
    out_r,
    out_root,
    out_points,
):
    """Advance one player by so many frames and write its pose in the world.

    state (4,): u, then the placement (turn, x, z) of the whole; placements (k, 3) those of the last step, which are updated.
    """
    for n in range(placements.shape[0]):
        for k in range(3):
            before[n, k] = placements[n, k]
    state[0] = advance(values, slopes, step, state[0], weights, frames)
    place(alignment, bends, step, floor, first, values, slopes, reference, state[0], placements)
    pose(
        rotations,
        roots,
        points,
        first,
        values,
        slopes,
        step,
        state[0],
        weights,
        placements,
        one,
        signs,
        out_r,
        out_root,
        out_points,
    )
    travel(before, placements, out_root[0], out_root[2], weights, state[1:])
    carry(state[1:], out_r, out_root)


@kernel
def mix(share, rotations, root, points, other_r, other_root, other_points, pair, weights):
    """Mix a pose into another, in place: the first where share is 0. pair (2, 4) and weights (2,) are scratch."""
    weights[0], weights[1] = 1.0 - share, share
    for i in range(len(rotations)):
        pair[0] = rotations[i]
        pair[1] = other_r[i]
        mean_rotation(pair, weights, False, rotations[i])
    for n in range(3):
        root[n] += share * (other_root[n] - root[n])
        for m in range(len(points)):
            points[m, n] += share * (other_points[m, n] - points[m, n])
