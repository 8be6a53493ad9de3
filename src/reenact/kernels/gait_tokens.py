"""Runs of equal tokens from planted feet, put right by how the body moves: the first rules of `analysis.gait_steps`.

Runs are two arrays: `token` (which feet are planted: 0 none, 1 left, 2 right, 3 both) and `begin` (its first frame; one entry more than
there are runs, the last one the number of frames).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reenact.kernels.compiling import inlined_kernel, kernel

NONE, LEFT, RIGHT, BOTH = 0, 1, 2, 3


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
def are_both_feet(a, b):
    return a + b == 3 and a != 0 and b != 0


@inlined_kernel
def is_one_foot(token):
    return token == 1 or token == 2


@kernel
def sample(body, frame):
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
            least = limits.long_step if are_both_feet(token[n - 1], token[n + 1]) else limits.brief
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
        if not is_one_foot(token[n]):
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
        if put and are_both_feet(wide_token[put - 1], token[n]) and begin[n] - wide_begin[put - 1] > 1:
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
        if (token[n] != BOTH and token[n] != NONE) or not are_both_feet(token[n - 1], token[n + 1]):
            continue
        overlap = (begin[n + 1] - begin[n]) / fps * (1 if token[n] == BOTH else -1)
        a, b = sample(body, begin[n]), sample(body, begin[n + 1]) + 1
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
            if is_one_foot(token[n]) and before + after == 3 and (before == NONE or after == NONE):
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
def read_tokens(left_heel, left_ball, right_heel, right_ball, body, fps, limits):
    """Tokens, first frames and number of the runs of a clip."""
    frames = len(left_heel)
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
    return token, begin, count
