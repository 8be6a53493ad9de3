"""Hot loops of foot contacts: paths of a few points, their speeds, and the bookkeeping of contact masks."""

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


def point_paths(rotations, root, offsets, parents, joints, places, moved_joints=None, moved=None):
    """World positions (F, P, 3) of points fixed to joints, computing only the joints between them and the root.

    Args:
        rotations: (F, J, 4) float32 or float64 wxyz, local; sets the result's type.
        root: (F, 3), same type.
        offsets: (J, 3).
        parents: (J,) int32, -1 for joint 0 only.
        joints: (P,) the joint each point is fixed to.
        places: (P, 3) its place in that joint's frame.
        moved_joints: (K,) joints whose offset varies; with `moved` (F, K, 3).
        moved: their positions in the parent's frame.
    """
    needed: set[int] = {0}
    for joint in joints:
        joint = int(joint)
        while joint > 0 and joint not in needed:
            needed.add(joint)
            joint = int(parents[joint])
    chain = sorted(needed)
    link = {joint: n for n, joint in enumerate(chain)}
    above = np.array([-1] + [link[int(parents[joint])] for joint in chain[1:]], np.int64)
    slots = np.full(len(chain), -1, np.int64)
    if moved is None or moved_joints is None:
        moved = np.empty((1, 0, 3), rotations.dtype)
    else:
        for n, joint in enumerate(moved_joints):
            if int(joint) in link:
                slots[link[int(joint)]] = n
    out = np.empty((len(rotations), len(joints), 3), rotations.dtype)
    kind = rotations.dtype
    chain = np.array(chain, np.int64)
    _point_paths(
        rotations, root, chain, above, np.ascontiguousarray(offsets[chain], kind), slots, moved,
        np.array([link[int(joint)] for joint in joints], np.int64), np.ascontiguousarray(places, kind), out,
    )  # fmt: skip
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
def _contact_scores(points, speeds, travel, normal, height, offsets, ground, base, share, lift, scores, heights):
    frames, count = speeds.shape
    for f in range(frames):
        limit = base + share * travel[f]
        for i in range(count):
            up = points[f, i, 0] * normal[0] + points[f, i, 1] * normal[1] + points[f, i, 2] * normal[2]
            up = up - height - offsets[i] - ground[f, i]
            heights[f, i] = up
            slow, low = speeds[f, i] / limit, up / lift
            scores[f, i] = slow if (slow > low or slow != slow) else low


def contact_scores(points, speeds, travel, normal, height, offsets, ground, base, share, lift):
    """How far points are from standing still on the floor: the larger of speed and height over their limits, so below 1 is contact.

    Args:
        points: (F, P, 3) metres.
        speeds: (F, P) metres per second.
        travel: (F,) speed of the body; the limit of speed is base + share x travel.
        normal: (3,) of the floor.
        height: of the floor along its normal.
        offsets: (P,) height of each point over the floor while it stands.
        ground: (F, P) height of the ground under each point over the floor (steps).
        base: metres per second.
        share: of the body's speed.
        lift: limit of height, metres.

    Returns:
        Scores (F, P) and heights over the ground (F, P), float32.
    """
    scores, heights = np.empty(speeds.shape, np.float32), np.empty(speeds.shape, np.float32)
    _contact_scores(points, speeds, travel, normal, height, offsets, ground, base, share, lift, scores, heights)
    return scores, heights


@kernel
def _hold(scores, heights, points, enter, leave, gap, lift, core, window, tolerance, deviations, least, mask):
    frames, count = scores.shape
    distances = np.empty(window, np.float64)
    axis = np.empty(window, np.float64)
    place = np.empty(3, np.float64)
    chosen = np.empty(window, np.int64)
    for i in range(count):
        # hysteresis: stay while below `leave`, but only where `enter` is reached somewhere
        f = 0
        while f < frames:
            if not scores[f, i] < leave:
                f += 1
                continue
            a, reached = f, False
            while f < frames and scores[f, i] < leave:
                reached = reached or scores[f, i] < enter
                f += 1
            if reached:
                for g in range(a, f):
                    mask[g, i] = True
        # short gaps in which the point stays low
        f, last = 0, -1
        while f < frames:
            if mask[f, i]:
                if last >= 0 and 1 < f - last <= gap + 1:
                    low = True
                    for g in range(last + 1, f):
                        if not heights[g, i] < lift:
                            low = False
                    if low:
                        for g in range(last + 1, f):
                            mask[g, i] = True
                last = f
            f += 1
        # ends trimmed to where the point is at its place
        f = 0
        while f < frames:
            if not mask[f, i]:
                f += 1
                continue
            a = f
            while f < frames and mask[f, i]:
                f += 1
            b = f
            start, end = a, b
            for side in range(2):
                found = 0
                g = a if side == 0 else b - 1
                while a <= g < b and found < window:
                    if scores[g, i] < core:
                        chosen[found] = g
                        found += 1
                    g += 1 if side == 0 else -1
                if found < 2:
                    continue
                for k in range(3):
                    for n in range(found):
                        axis[n] = points[chosen[n], i, k]
                    place[k] = np.median(axis[:found])
                for n in range(found):
                    x = points[chosen[n], i, 0] - place[0]
                    y = points[chosen[n], i, 1] - place[1]
                    z = points[chosen[n], i, 2] - place[2]
                    distances[n] = np.sqrt(x * x + y * y + z * z)
                reach = tolerance + deviations * np.median(distances[:found])
                middle = chosen[found // 2]
                g = a if side == 0 else b - 1
                while g != middle:
                    x, y, z = points[g, i, 0] - place[0], points[g, i, 1] - place[1], points[g, i, 2] - place[2]
                    if x * x + y * y + z * z <= reach * reach:
                        break
                    g += 1 if side == 0 else -1
                if side == 0:
                    start = g
                else:
                    end = g + 1
            if end - start < least and a > 0 and b < frames:
                end = start
            for g in range(a, b):
                if g < start or g >= end:
                    mask[g, i] = False


def hold_contacts(scores, heights, points, *, enter, leave, gap, lift, core, window, tolerance, deviations, least):
    """Contacts (F, P) from scores: hysteresis, gaps closed, ends trimmed to the place the point stands at, short ones dropped.

    Args:
        scores: (F, P), small where a point stands.
        heights: (F, P) metres over the ground.
        points: (F, P, 3) metres.
        enter: a contact has a score below this somewhere.
        leave: and below this everywhere.
        gap: frames; shorter gaps are closed where the point stays lower than `lift`.
        lift: metres.
        core: score below which a frame tells the place.
        window: frames of the core, from each end, whose median is the place.
        tolerance: metres a point may be from its place at the ends,
        deviations: and this many median deviations of the core more.
        least: frames; shorter contacts are dropped unless the clip begins or ends in them.
    """
    mask = np.zeros(scores.shape, np.bool_)
    _hold(scores, heights, points, enter, leave, gap, lift, core, window, tolerance, deviations, least, mask)
    return mask


@kernel
def _stillness(points, speeds, limit, window, shakes, spreads):
    frames, count = speeds.shape
    axis = np.empty(window, np.float64)
    place = np.empty(3, np.float64)
    shaken, spread = 0, 0
    for i in range(count):
        f = 0
        while f < frames:
            if not speeds[f, i] < limit:
                f += 1
                continue
            a = f
            while f < frames and speeds[f, i] < limit:
                f += 1
            for g in range(max(a, 1), min(f, frames - 1)):
                total = 0.0
                for k in range(3):
                    bend = float(points[g + 1, i, k]) - 2.0 * points[g, i, k] + points[g - 1, i, k]
                    total += bend * bend
                shakes[shaken] = np.sqrt(total)
                shaken += 1
            if f - a < window:
                continue
            for k in range(3):
                for n in range(window):
                    axis[n] = points[a + n, i, k]
                place[k] = np.median(axis)
            for n in range(window):
                total = 0.0
                for k in range(3):
                    off = points[a + n, i, k] - place[k]
                    total += off * off
                axis[n] = np.sqrt(total)
            spreads[spread] = np.median(axis)
            spread += 1
    shake = np.median(shakes[:shaken]) if shaken else 0.0
    wide = np.median(spreads[:spread]) if spread else np.nan
    return shake, wide


def stillness(points, speeds, limit, window):
    """How still points (F, P, 3) are while slower than `limit`: (median second difference, median deviation from their place), metres.

    The deviation is the median distance from the median place over the first `window` frames of every slow time that is that long.
    The deviation is nan when there is no such time. White noise of deviation s in every coordinate gives about 3.77 s and 1.5 s; a point that rolls or drifts gives far more of the
    second than of the first.
    """
    frames, count = speeds.shape
    room = frames * count + 1
    return _stillness(points, speeds, limit, window, np.empty(room, np.float64), np.empty(room, np.float64))
