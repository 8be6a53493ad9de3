"""Labels of gait from planted feet and the motion of the body: the rules of `analysis.gait_steps`, run by run of equal tokens.

Runs are two arrays: `token` (which feet are planted: 0 none, 1 left, 2 right, 3 both) and `begin` (its first frame; one entry more than
there are runs, the last one the number of frames).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reenact.kernels.compiling import inlined_kernel, kernel
from reenact.kernels.medians import median

NONE, LEFT, RIGHT, BOTH = 0, 1, 2, 3
STAND, WALK, RUN, JUMP, OTHER = 0, 1, 2, 3, 4


class StepLimits(NamedTuple):
    """Limits of the rules; times in seconds, the meaning of each is told in `analysis.gait_steps`."""

    change: float
    doubt: float
    still: float
    crouch: float
    step: float
    lean: float
    sink: float
    shortest: float
    short: float
    spread: float
    most: float
    switch: float
    fidget: float
    same_heading: float
    brief: float
    long_step: float
    falling: float
    uneven: float
    bent: float
    travel: float
    gravity: float
    level: float
    bounce: float
    bounces: float
    leap: float
    staggered: float
    stride: float
    turning: float
    turns: int


class Body(NamedTuple):
    """What is known of the body, every `step` frames."""

    step: int
    hips: np.ndarray
    speed: np.ndarray
    travelled: np.ndarray
    forward: np.ndarray
    upright: np.ndarray
    feet: np.ndarray
    leg: float


@inlined_kernel
def _are_both_feet(a, b):
    return a + b == 3 and a != 0 and b != 0


@inlined_kernel
def _is_one_foot(token):
    return token == 1 or token == 2


@kernel
def _sample(body, frame):
    return min(len(body.hips) - 1, max(0, round(frame / body.step)))


@kernel
def _merge(token, begin, count):
    kept = 0
    for n in range(count):
        if kept and token[kept - 1] == token[n]:
            continue
        token[kept], begin[kept] = token[n], begin[n]
        kept += 1
    begin[kept] = begin[count]
    return kept


@kernel
def _find_runs(heels, balls, other_heels, other_balls, token, begin):
    frames, count, last = len(heels), 0, -1
    for f in range(frames):
        now = int(heels[f] or balls[f]) + 2 * int(other_heels[f] or other_balls[f])
        if now != last:
            token[count], begin[count] = now, f
            count += 1
            last = now
    begin[count] = frames
    return count


@kernel
def _height_at(body, at):
    """Of the hips at a sample between two."""
    last = len(body.hips) - 1
    if at <= 0:
        return float(body.hips[0, 1])
    if at >= last:
        return float(body.hips[last, 1])
    n = int(at)
    share = at - n
    return float(body.hips[n, 1]) * (1 - share) + float(body.hips[n + 1, 1]) * share


@kernel
def _drop_false_flights(token, begin, count, body, fps, limits):
    for n in range(count):
        if token[n] != NONE or count == 1:
            continue
        seconds = (begin[n + 1] - begin[n]) / fps
        if n == 0 or n == count - 1:
            least = limits.leap  # what the clip's end cuts off may be the rest of a step
        else:
            # the neighbour before may have just become both feet, which is then no change of feet
            least = limits.long_step if _are_both_feet(token[n - 1], token[n + 1]) else limits.brief
        if seconds < least:
            continue
        first = _height_at(body, (begin[n] - 0.5) / body.step)
        middle = _height_at(body, (begin[n] + begin[n + 1] - 1) / 2 / body.step)
        last = _height_at(body, (begin[n + 1] - 0.5) / body.step)
        if middle - (first + last) / 2 < limits.falling * limits.gravity * seconds * seconds / 8:
            token[n] = BOTH
    return _merge(token, begin, count)


@kernel
def _drop_cut_flights(token, begin, count, fps, limits):
    if count > 1:
        if token[0] == NONE and begin[1] - begin[0] < limits.short * fps:
            token[0] = token[1]
        if token[count - 1] == NONE and begin[count] - begin[count - 1] < limits.short * fps:
            token[count - 1] = token[count - 2]
    return _merge(token, begin, count)


@kernel
def _even_jumps(token, begin, count, fps, limits):
    leap = limits.leap * fps
    for n in range(1, count):
        if not _is_one_foot(token[n]):
            continue
        seconds = (begin[n + 1] - begin[n]) / fps
        last = n == count - 1
        lands = token[n - 1] == NONE and (last or token[n + 1] == BOTH)
        leaves = not last and token[n - 1] == BOTH and token[n + 1] == NONE
        if lands:
            leapt = begin[n] - begin[n - 1] >= leap
            # a clip that ends with the landing shows the first foot alone
            off_both = not last or (n >= 2 and token[n - 2] == BOTH)
            if (not last and seconds < limits.uneven) or (leapt and off_both and seconds < limits.staggered):
                token[n] = BOTH
        elif leaves and seconds < limits.uneven:
            token[n] = BOTH
    return _merge(token, begin, count)


@kernel
def _put_changes(token, begin, count, wide_token, wide_begin):
    """Copy of the runs with a frame of both feet put between a left and a right foot that follow each other directly."""
    put = 0
    for n in range(count):
        if put and _are_both_feet(wide_token[put - 1], token[n]) and begin[n] - wide_begin[put - 1] > 1:
            wide_token[put], wide_begin[put] = BOTH, begin[n] - 1
            put += 1
        wide_token[put], wide_begin[put] = token[n], begin[n]
        put += 1
    wide_begin[put] = begin[count]
    return put


@kernel
def _rise(body, begin, n, count, fps, limits):
    """Height of the hips in a change of feet over that in the middle of the steps around it."""
    before = (begin[n - 1] + begin[n] - 1) / 2
    after = (begin[n + 1] + begin[n + 2] - 1) / 2
    # of a step that the clip's end cuts off, or that a stand prolongs, the part next to the change
    before, after = (
        max(before, begin[n] - 1 - limits.stride / 4 * fps),
        min(after, begin[n + 1] + limits.stride / 4 * fps),
    )
    ends = _height_at(body, before / body.step) + _height_at(body, after / body.step)
    return _height_at(body, (begin[n] + begin[n + 1] - 1) / 2 / body.step) - ends / 2


@kernel
def _settle_changes(token, begin, count, body, fps, limits):
    """Changes from foot to foot made a double support or a flight by the likeliest sequence (Viterbi)."""
    change = limits.change * np.sqrt(limits.gravity * body.leg)
    back = np.zeros((count, 2), np.bool_)
    place = np.empty(count, np.int64)
    found = 0
    no, yes = 0.0, 0.0
    for n in range(1, count - 1):
        if (token[n] != BOTH and token[n] != NONE) or not _are_both_feet(token[n - 1], token[n + 1]):
            continue
        overlap = (begin[n + 1] - begin[n]) / fps * (1 if token[n] == BOTH else -1)
        a, b = _sample(body, begin[n]), _sample(body, begin[n + 1]) + 1
        speed = (body.travelled[b] - body.travelled[a]) / (b - a)
        pull = min(1.0, max(-1.0, (speed / change - 1) / limits.spread))
        rise = _rise(body, begin, n, count, fps, limits) / body.leg
        pull += limits.bounces * min(1.0, max(-1.0, (rise - limits.level) / limits.bounce))
        weight = min(limits.most, max(-limits.most, pull - overlap / max(limits.doubt, 1e-9)))
        back[found, 0], back[found, 1] = yes - limits.switch > no, yes >= no - limits.switch
        no, yes = max(no, yes - limits.switch) - weight, max(yes, no - limits.switch) + weight
        place[found] = n
        found += 1
    running = yes > no
    for k in range(found - 1, -1, -1):
        token[place[k]] = NONE if running else BOTH
        running = back[k, 1] if running else back[k, 0]
    return _merge(token, begin, count)


@kernel
def _condition(token, begin, count, fps, limits):
    """Short runs put right one by one, from the front, until nothing changes."""
    n = 1
    while n < count - 1:
        meant = token[n]
        if begin[n + 1] - begin[n] < limits.short * fps:
            before, after = token[n - 1], token[n + 1]
            if _is_one_foot(token[n]) and before + after == 3 and (before == NONE or after == NONE):
                meant = BOTH
            elif before == after:
                meant = before
        if meant == token[n]:
            n += 1
            continue
        token[n] = meant
        count = _merge(token, begin, count)
        n = max(1, n - 1)
    return count


@kernel
def _flight(take_off, landing, leapt):
    """What a flight is by the feet before and after it; -1 when the clip begins in the air."""
    if take_off < 0:
        return JUMP if landing == BOTH else RUN
    if take_off == landing:
        return JUMP
    if take_off == BOTH or landing == BOTH:
        return JUMP if leapt else OTHER
    return RUN


@kernel
def _run_machine(token, begin, count, leap, labels):
    """The published state machine; what stays unknown is "other", but for flights of at least `leap` frames."""
    state, entry, take_off, flight = OTHER, 0, -1, 0
    for n in range(1, count):
        was, now, at = token[n - 1], token[n], begin[n]
        if now == NONE:
            take_off, flight = int(was), at
        if was == NONE:
            verdict = _flight(take_off, now, at - flight >= leap)
            if state == OTHER:
                labels[entry:at] = verdict
                state, entry = verdict, at
            elif verdict != state:
                labels[entry:flight] = state
                labels[flight:at] = verdict
                state, entry = verdict, at
        elif state == OTHER:
            if now != NONE and (was == BOTH or now == BOTH):
                labels[entry:at] = WALK
                state, entry = WALK, at
        elif state == WALK:
            if now == NONE or not (was == BOTH or now == BOTH):
                labels[entry:at] = WALK
                state, entry = OTHER, at
        elif now != NONE:
            labels[entry:at] = state
            state, entry = OTHER, at
    last = token[count - 1]
    if state == OTHER and last == NONE and take_off == BOTH and begin[count] - begin[count - 1] >= leap:
        state = JUMP
    labels[entry:] = STAND if state == OTHER and last == BOTH else state


@kernel
def _join_hops(token, begin, count, labels):
    for n in range(count - 1):
        if _is_one_foot(token[n]) and token[n + 1] == NONE and labels[begin[n + 1]] == JUMP:
            labels[begin[n] : begin[n + 1]] = JUMP


@kernel
def _leads_ahead(token, start, end, body, frames, least):
    free = 1 if token == LEFT else 0
    a, b, at = _sample(body, start - 1), _sample(body, end), _sample(body, (start + end) // 2)
    x, z = body.feet[b, free, 0] - body.feet[a, free, 0], body.feet[b, free, 2] - body.feet[a, free, 2]
    ahead_x, ahead_z = body.forward[at, 0], body.forward[at, 1]
    if ahead_x == 0 and ahead_z == 0:
        return np.sqrt(x * x + z * z) >= least
    along, aside = abs(x * ahead_x + z * ahead_z), abs(x * ahead_z - z * ahead_x)
    cut = start == 0 or end >= frames  # a step the clip's end cuts off is judged by its direction
    return along > aside and (along >= least or (cut and along >= 0.2 * least))


@kernel
def _fidgets(token, start, end, body, limits):
    free = 1 if token == LEFT else 0
    a, b = _sample(body, start - 1), _sample(body, end)
    reach = (limits.fidget * body.leg) ** 2
    for s in range(a, b + 1):
        total = 0.0
        for k in range(3):
            away = body.feet[s, free, k] - body.feet[a, free, k]
            total += away * away
        if not total < reach:
            return False
    first, last = _sample(body, start), _sample(body, end)
    turned = body.forward[first, 0] * body.forward[last, 0] + body.forward[first, 1] * body.forward[last, 1]
    return turned > limits.same_heading


@kernel
def _turns(start, end, body, turning):
    first, last = _sample(body, start), _sample(body, end)
    a, b = body.forward[first], body.forward[last]
    known = (a[0] != 0 or a[1] != 0) and (b[0] != 0 or b[1] != 0)
    return known and a[0] * b[0] + a[1] * b[1] < turning


@kernel
def _check_walks(token, begin, count, body, fps, limits, labels):
    still = limits.still * fps
    steps, leads, found = np.empty(count, np.int64), np.empty(count, np.bool_), 0
    for n in range(count):
        if _is_one_foot(token[n]) and labels[begin[n]] == WALK:
            steps[found] = n
            leads[found] = _leads_ahead(token[n], begin[n], begin[n + 1], body, begin[count], limits.step * body.leg)
            found += 1
    walks = np.empty(found, np.bool_)
    for k in range(found):
        near, ahead = 0, 0
        for m in range(max(0, k - 1), min(found, k + 2)):
            if abs(steps[m] - steps[k]) <= 2:
                near += 1
                ahead += leads[m]
        walks[k] = ahead * 2 > near or (leads[k] and ahead * 2 >= near)
    # a walk that turns on the spot goes on walking, for some steps
    for _ in range(limits.turns):
        before = walks.copy()
        for k in range(found):
            beside = k > 0 and before[k - 1] and steps[k] - steps[k - 1] <= 2
            beside |= k + 1 < found and before[k + 1] and steps[k + 1] - steps[k] <= 2
            if beside and not walks[k]:
                walks[k] = _turns(begin[steps[k]], begin[steps[k] + 1], body, limits.turning)
    for k in range(found):
        if walks[k]:
            continue
        n = steps[k]
        start, end = begin[n], begin[n + 1]
        meant = STAND if _fidgets(token[n], start, end, body, limits) else OTHER
        if n and token[n - 1] == BOTH and start - begin[n - 1] < still:
            start = begin[n - 1]
        if n + 1 < count and token[n + 1] == BOTH and begin[n + 2] - end < still:
            end = begin[n + 2]
        for f in range(start, end):
            if labels[f] == WALK:
                labels[f] = meant


@kernel
def _part_stands(token, begin, count, body, fps, limits, labels, room):
    crouch = round(limits.crouch * fps)
    for n in range(count):
        if token[n] != BOTH or begin[n + 1] - begin[n] < limits.still * fps:
            continue
        start, end = begin[n], begin[n + 1]
        if n and token[n - 1] == NONE:
            start = min(end, start + crouch)
        if n + 1 < count and token[n + 1] == NONE:
            if labels[begin[n]] != JUMP and labels[begin[n + 1]] == JUMP:
                labels[max(start, end - crouch) : end] = JUMP
            end = max(start, end - crouch)
        if end - start < limits.still * fps:
            continue
        a, b = _sample(body, start), _sample(body, end) + 1
        room[: b - a] = body.speed[a:b]
        if median(room, b - a) <= limits.travel * body.leg:
            labels[start:end] = STAND


@kernel
def _has_leap(token, begin, count, start, end, leap):
    for n in range(count):
        if token[n] == NONE and begin[n] >= start and begin[n + 1] <= end and begin[n + 1] - begin[n] >= leap:
            return True
    return False


@kernel
def _drop_shreds(token, begin, count, labels, fps, limits):
    """Short parts between two of one type, and short ones that are nothing at an end, given to their neighbours."""
    frames = len(labels)
    shortest, stride, leap = limits.shortest * fps, limits.stride * fps, limits.leap * fps
    start, before = 0, -1
    while start < frames:
        kind, end = labels[start], start
        while end < frames and labels[end] == kind:
            end += 1
        after = int(labels[end]) if end < frames else -1
        now = int(kind)
        # less than a stride is no gait of its own within one that goes on, unless it is a leap
        inside = before == after and (before == WALK or before == RUN) and kind != OTHER and end - start < stride
        if inside and kind != STAND and not _has_leap(token, begin, count, start, end, leap):
            now = before
        elif end - start < shortest and kind != STAND:
            if before >= 0 and (before == after or (after < 0 and kind == OTHER)):
                now = before
            elif before < 0 <= after and kind == OTHER:
                now = after
        labels[start:end] = now
        before, start = now, end  # a part after it of that type is still judged by its own length


@kernel
def _check_posture(labels, body, fps, limits, room):
    count, frames = len(body.hips), len(labels)
    for s in range(count):
        room[s] = body.hips[s, 1]
    room[:count].sort()
    usual = room[round(0.9 * (count - 1))]
    lies, sinks = np.empty(count, np.bool_), np.empty(count, np.bool_)
    some = False
    for s in range(count):
        lies[s] = body.upright[s] < limits.lean
        low = usual - body.hips[s, 1] > (1 - limits.sink) * body.leg
        sinks[s] = low or body.upright[s] < limits.bent
        some |= lies[s] or sinks[s]
    if not some:
        return
    for f in range(frames):
        if lies[min(f // body.step, count - 1)]:
            labels[f] = OTHER
    near = max(1, round(limits.shortest * fps))
    crouched = np.empty(frames, np.bool_)
    for f in range(frames):
        crouched[f] = labels[f] == STAND and sinks[min(f // body.step, count - 1)]
    f = 0
    while f < frames:
        if not crouched[f]:
            f += 1
            continue
        start = f
        while f < frames and crouched[f]:
            f += 1
        jump = False
        for g in range(max(0, start - near), min(frames, f + near)):
            jump |= labels[g] == JUMP
        labels[start:f] = JUMP if jump else OTHER


@kernel
def _label_steps(left_heel, left_ball, right_heel, right_ball, body, fps, limits, labels, parts):
    frames = len(labels)
    token, begin = np.empty(frames, np.uint8), np.empty(frames + 1, np.int64)
    count = _find_runs(left_heel, left_ball, right_heel, right_ball, token, begin)
    count = _drop_false_flights(token, begin, count, body, fps, limits)
    count = _drop_cut_flights(token, begin, count, fps, limits)
    count = _even_jumps(token, begin, count, fps, limits)
    wide_token, wide_begin = np.empty(2 * count, np.uint8), np.empty(2 * count + 1, np.int64)
    count = _put_changes(token, begin, count, wide_token, wide_begin)
    token, begin = wide_token, wide_begin
    count = _settle_changes(token, begin, count, body, fps, limits)
    count = _condition(token, begin, count, fps, limits)
    room = np.empty(len(body.hips) + 1, np.float64)
    _run_machine(token, begin, count, limits.leap * fps, labels)
    _join_hops(token, begin, count, labels)
    _check_walks(token, begin, count, body, fps, limits, labels)
    _part_stands(token, begin, count, body, fps, limits, labels, room)
    _drop_shreds(token, begin, count, labels, fps, limits)
    _check_posture(labels, body, fps, limits, room)
    found = 0
    for f in range(frames):
        if f == 0 or labels[f] != labels[f - 1]:
            parts[found, 0], parts[found, 1] = labels[f], f
            found += 1
    return found


def label_steps(left_heel, left_ball, right_heel, right_ball, body, fps, limits):
    """Gait of every frame, as parts of equal label.

    Args:
        left_heel, left_ball, right_heel, right_ball: (F,) bool, F > 0.
        body: hips (S, 3), speed (S,), travelled (S + 1,), forward (S, 2), upright (S,), feet (S, 2, 3).
        fps: frames per second.
        limits: of the rules.

    Returns:
        (K, 2) int64: label (0 stand, 1 walk, 2 run, 3 jump, 4 other) and first frame of each part, neighbours different.
    """
    labels, parts = np.empty(len(left_heel), np.uint8), np.empty((len(left_heel), 2), np.int64)
    found = _label_steps(left_heel, left_ball, right_heel, right_ball, body, float(fps), limits, labels, parts)
    return parts[:found]
