"""Labels of gait from planted feet and the motion of the body: the rules of `analysis.gait_steps`, run by run of equal tokens.

How runs are kept is told in `kernels.gait_tokens`.
"""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import kernel
from reenact.kernels.gait_tokens import BOTH, LEFT, NONE, Body, StepLimits, is_one_foot, read_tokens, sample
from reenact.kernels.medians import median, select

__all__ = ["Body", "StepLimits", "label_steps"]

STAND, WALK, RUN, JUMP, OTHER = 0, 1, 2, 3, 4


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
        if is_one_foot(token[n]) and token[n + 1] == NONE and labels[begin[n + 1]] == JUMP:
            labels[begin[n] : begin[n + 1]] = JUMP


@kernel
def _leads_ahead(token, start, end, body, frames, least):
    free = 1 if token == LEFT else 0
    a, b, at = sample(body, start - 1), sample(body, end), sample(body, (start + end) // 2)
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
    a, b = sample(body, start - 1), sample(body, end)
    reach = (limits.fidget * body.leg) ** 2
    for s in range(a, b + 1):
        total = 0.0
        for k in range(3):
            away = body.feet[s, free, k] - body.feet[a, free, k]
            total += away * away
        if not total < reach:
            return False
    first, last = sample(body, start), sample(body, end)
    turned = body.forward[first, 0] * body.forward[last, 0] + body.forward[first, 1] * body.forward[last, 1]
    return turned > limits.same_heading


@kernel
def _turns(start, end, body, turning):
    first, last = sample(body, start), sample(body, end)
    a, b = body.forward[first], body.forward[last]
    known = (a[0] != 0 or a[1] != 0) and (b[0] != 0 or b[1] != 0)
    return known and a[0] * b[0] + a[1] * b[1] < turning


@kernel
def _check_walks(token, begin, count, body, fps, limits, labels):
    still = limits.still * fps
    steps, leads, found = np.empty(count, np.int64), np.empty(count, np.bool_), 0
    for n in range(count):
        if is_one_foot(token[n]) and labels[begin[n]] == WALK:
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
        a, b = sample(body, start), sample(body, end) + 1
        for f in range(a, b):
            room[f - a] = body.speed[f]
        if median(room, b - a) <= limits.travel * body.leg:
            labels[start:end] = STAND


@kernel
def _has_leap(token, begin, count, start, end, leap):
    found = False
    for n in range(count):
        long = token[n] == NONE and begin[n + 1] - begin[n] >= leap
        found |= long and begin[n] >= start and begin[n + 1] <= end
    return found


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
        inside = before == after and before in (WALK, RUN) and kind != OTHER and end - start < stride
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
    usual = select(room, count, round(0.9 * (count - 1)))
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
    token, begin, count = read_tokens(left_heel, left_ball, right_heel, right_ball, body, fps, limits)
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
