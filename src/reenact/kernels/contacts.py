"""Hot loops of foot contacts: scores, the bookkeeping of contact masks, confidences."""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import kernel
from reenact.kernels.medians import median


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
def _blur(points, half, out):
    """Running means over `half` frames on both sides (fewer at the ends) of the columns of `out`."""
    frames, count = out.shape[0], out.shape[1]
    for f in range(frames):
        reach = min(half, f, frames - 1 - f)
        for i in range(count):
            for k in range(3):
                total = 0.0
                for g in range(f - reach, f + reach + 1):
                    total += points[g, i, k]
                out[f, i, k] = total / (2 * reach + 1)


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
                if (side == 0 and a == 0) or (side == 1 and b == frames):
                    continue  # the clip's end cuts it off: nothing is seen of its landing or lifting
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
                    place[k] = median(axis, found)
                for n in range(found):
                    x = points[chosen[n], i, 0] - place[0]
                    y = points[chosen[n], i, 1] - place[1]
                    z = points[chosen[n], i, 2] - place[2]
                    distances[n] = np.sqrt(x * x + y * y + z * z)
                reach = tolerance + deviations * median(distances, found)
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
        least: frames; shorter contacts are dropped unless the clip begins or ends in them. Ends at the clip's own are not trimmed.
    """
    mask = np.zeros(scores.shape, np.bool_)
    _hold(scores, heights, points, enter, leave, gap, lift, core, window, tolerance, deviations, least, mask)
    return mask


@kernel
def _stillness(points, speeds, limit, window):
    frames, count = speeds.shape
    # at most one of two frames begins a slow time; of each, every third frame and one place
    shakes = np.empty(count * (frames // 2 + 1), np.float64)
    spreads = np.empty(count * (frames // (window + 1) + 1), np.float64)
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
            for g in range(max(a, 1), min(f, frames - 1), 3):  # a third of them tells as much
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
                place[k] = median(axis, window)
            for n in range(window):
                total = 0.0
                for k in range(3):
                    off = points[a + n, i, k] - place[k]
                    total += off * off
                axis[n] = np.sqrt(total)
            spreads[spread] = median(axis, window)
            spread += 1
    shake = median(shakes, shaken) if shaken else 0.0
    wide = median(spreads, spread) if spread else np.nan
    return shake, wide


def stillness(points, speeds, limit, window):
    """How still points (F, P, 3) are while slower than `limit`: (median second difference, median deviation from their place), metres.

    The deviation is the median distance from the median place over the first `window` frames of every slow time that is that long.
    The deviation is nan when there is no such time. White noise of deviation s in every coordinate gives about 3.77 s and 1.5 s; a
    point that rolls or drifts gives far more of the second than of the first.
    """
    return _stillness(points, speeds, limit, window)


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
