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
def _contact_scores(points, speeds, travel, normal, height, offsets, ground, base, share, lift, scores, heights):
    frames, count = speeds.shape
    longest = 0
    lasting = np.zeros(count, np.int64)
    for f in range(frames):
        limit = base + share * travel[f]
        for i in range(count):
            up = points[f, i, 0] * normal[0] + points[f, i, 1] * normal[1] + points[f, i, 2] * normal[2]
            up = up - height - offsets[i] - ground[f, i]
            heights[f, i] = up
            slow, low = speeds[f, i] / limit, up / lift
            scores[f, i] = slow if (slow > low or slow != slow) else low
            lasting[i] = lasting[i] + 1 if (slow < 1 and low > 1) else 0
            longest = max(longest, lasting[i])
    return longest


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
        Scores (F, P) and heights over the ground (F, P), float32, and for how many frames at most a point is slow but high.
    """
    scores, heights = np.empty(speeds.shape, np.float32), np.empty(speeds.shape, np.float32)
    longest = _contact_scores(
        points, speeds, travel, normal, height, offsets, ground, base, share, lift, scores, heights
    )
    return scores, heights, longest


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
    The deviation is nan when there is no such time. White noise of deviation s in every coordinate gives about 3.77 s and 1.5 s; a
    point that rolls or drifts gives far more of the second than of the first.
    """
    frames, count = speeds.shape
    room = frames * count + 1
    return _stillness(points, speeds, limit, window, np.empty(room, np.float64), np.empty(room, np.float64))


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
def _confidences(scores, mask, first, most, out):
    for f in range(scores.shape[0]):
        a, b = scores[f, first], scores[f, first + 1]
        score = b if (b < a or a != a) else a
        if not np.isfinite(score):
            out[f] = 0.0
            continue
        sure = 1 - 0.5 * score * score if score < 1 else 1 - 0.5 / (score * score)
        if score < 0:
            sure = 1.0
        if (mask[f, first] or mask[f, first + 1]) != (score < 1):
            sure = 1 - sure
        out[f] = min(sure, most)


def contact_confidences(scores, mask, first, most):
    """How sure the state of a foot is in every frame (F,) float32: far from the limit is sure, one half is a guess, 0 is unknown.

    A state held against the frame's own score is at most a half sure.

    Args:
        scores: (F, P).
        mask: (F, P) contacts.
        first: column of the foot's heel; the next is its ball.
        most: no frame is surer.
    """
    out = np.empty(len(scores), np.float32)
    _confidences(scores, mask, first, float(most), out)
    return out


@kernel
def _fit_floor(points, speeds, limit, every, bands, below, stiff, steepest, standing, offsets, which, place, rest):
    frames, count = speeds.shape
    found, seen = 0, 0
    for f in range(frames):
        for i in range(count):
            if speeds[f, i] < limit:
                x, y, z = points[f, i, 0], points[f, i, 1], points[f, i, 2]
                if np.isfinite(x) and np.isfinite(y) and np.isfinite(z):
                    if seen % every == 0:
                        place[found, 0], place[found, 1], place[found, 2] = x, y, z
                        which[found] = i
                        found += 1
                    seen += 1
    middle = np.zeros(3, np.float64)
    if found == 0:
        return middle, 0.0, 0.0, 0.0, 0, 0
    for n in range(found):
        for k in range(3):
            middle[k] += place[n, k]
    middle /= found
    for n in range(found):
        rest[n] = place[n, 1] - middle[1]
    level = np.percentile(rest[:found], 10)
    a, b = 0.0, 0.0
    kept = found
    for band in bands:
        kept = 0
        s1, sx, sz, sxx, sxz, szz, sy, sxy, szy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for n in range(found):
            x, z = place[n, 0] - middle[0], place[n, 2] - middle[2]
            y = place[n, 1] - middle[1] - offsets[which[n]]
            off = y - level - a * x - b * z
            if off < band and off > -below * band:
                kept += 1
                s1 += 1.0
                sx += x
                sz += z
                sxx += x * x
                sxz += x * z
                szz += z * z
                sy += y
                sxy += x * y
                szy += z * y
        if kept < 4:
            break
        old = level + 0.0, a + 0.0, b + 0.0
        cx, cz, cy = sx / s1, sz / s1, sy / s1
        # centred normal equations; the ridge acts on the slopes alone
        vxx, vxz, vzz = sxx / s1 - cx * cx + stiff, sxz / s1 - cx * cz, szz / s1 - cz * cz + stiff
        vxy, vzy = sxy / s1 - cx * cy, szy / s1 - cz * cy
        determinant = vxx * vzz - vxz * vxz
        a = min(max((vxy * vzz - vzy * vxz) / determinant, -steepest), steepest)
        b = min(max((vzy * vxx - vxy * vxz) / determinant, -steepest), steepest)
        level = cy - a * cx - b * cz
        lowest = 1e9
        for i in range(count):
            mine = 0
            for n in range(found):
                if which[n] != i:
                    continue
                x, z = place[n, 0] - middle[0], place[n, 2] - middle[2]
                over = place[n, 1] - middle[1] - level - a * x - b * z
                was = place[n, 1] - middle[1] - offsets[i] - old[0] - old[1] * x - old[2] * z
                if was < band and was > -below * band:
                    rest[mine] = over
                    mine += 1
            if mine:
                offsets[i] = min(max(np.median(rest[:mine]), -standing), standing)
            lowest = min(lowest, offsets[i])
        for i in range(count):
            offsets[i] -= lowest
        level += lowest
    return middle, level, a, b, kept, found


def fit_floor(points, speeds, limit, *, most, bands, below, stiff, steepest, standing):
    """A plane under the slow samples of points, by trimmed least squares in a band that narrows.

    Args:
        points: (F, P, 3).
        speeds: (F, P).
        limit: samples slower than this are used.
        most: of them, thinned evenly.
        bands: (B,) heights over the plane that still count, pass by pass.
        below: as many times the band may lie below it.
        stiff: ridge on the slopes, square metres.
        steepest: largest slope along an axis.
        standing: largest height of a point over the plane while it stands.

    Returns:
        middle (3,), level, slope along x, slope along z, offsets (P,), samples on the plane, samples: the plane is
        y = middle y + level + slope x (x - middle x) + slope z (z - middle z).
    """
    count = speeds.shape[1]
    slow = int(np.count_nonzero(speeds < limit))
    every = max(1, -(-slow // most))
    room = slow // every + 2
    offsets = np.zeros(count, np.float64)
    middle, level, a, b, kept, found = _fit_floor(
        points, speeds, limit, every, bands, below, stiff, steepest, standing, offsets,
        np.empty(room, np.int64), np.empty((room, 3), np.float64), np.empty(room, np.float64),
    )  # fmt: skip
    return middle, level, a, b, offsets, kept, found
