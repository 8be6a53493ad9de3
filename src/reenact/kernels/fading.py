"""Corrections that are known in some frames only and fade beside them."""

from __future__ import annotations

import math

import numpy as np

from reenact.kernels.compiling import inlined_kernel, kernel


@inlined_kernel
def _left(t):
    """1 at 0, 0 from 1 on, no jump in slope or curvature."""
    return 1.0 - t * t * t * (t * (6.0 * t - 15.0) + 10.0) if t < 1.0 else 0.0


@kernel
def _fade(values, known, length, look, stop, calm, grain, out):
    frames, width = values.shape
    slope, curve = np.empty(width), np.empty(width)
    for f in range(frames):
        for d in range(width):
            out[f, d] = values[f, d] if known[f] else 0.0
    f = 0
    before = -1  # the last known frame of the range before
    while f < frames:
        if not known[f]:
            f += 1
            continue
        start = f
        while f < frames and known[f]:
            f += 1
        end = f
        after = end
        while after < frames and not known[after]:
            after += 1
        for side in range(2):
            step = -1 if side == 0 else 1
            edge = start if side == 0 else end - 1
            room = length
            if side == 0 and before >= 0:
                room = min(length, float(edge - before))
            if side == 1 and after < frames:
                room = min(length, float(after - edge))
            count = min(math.ceil(room) - 1, edge if side == 0 else frames - 1 - edge)
            if count < 1:
                continue
            # a parabola through the last value, fitted to some before it
            used = min(end - start, look) - 1
            s2 = s3 = s4 = 0.0
            for n in range(1, used + 1):
                s2 += n * n
                s3 += 0.5 * n * n * n
                s4 += 0.25 * n * n * n * n
            size = speed = 0.0
            for d in range(width):
                last = values[edge, d]
                slope[d] = curve[d] = 0.0
                if used >= 3:
                    a = b = 0.0
                    for n in range(1, used + 1):
                        off = values[edge - step * n, d] - last
                        a -= n * off
                        b += 0.5 * n * n * off
                    # s2 slope - s3 curve = a; -s3 slope + s4 curve = b
                    scale = 1.0 / (s2 * s4 - s3 * s3)
                    slope[d] = scale * (s4 * a + s3 * b)
                    curve[d] = scale * (s3 * a + s2 * b)
                elif used >= 1:
                    slope[d] = last - values[edge - step, d]
                size += last * last
                speed += slope[d] * slope[d]
            speed = math.sqrt(speed)
            most = 2.0 * (math.sqrt(size) + grain) / stop
            less = most / speed if speed > most else 1.0
            brake, ease = min(room, stop), min(room, calm)
            for n in range(1, count + 1):
                keep = _left(n / room)
                go = less * n * _left(n / brake)
                push = less * 0.5 * n * n * _left(n / ease)
                for d in range(width):
                    out[edge + step * n, d] += keep * values[edge, d] + go * slope[d] + push * curve[d]
        before = end - 1


def fade(values, known, length, look, stop, calm, grain):
    """Values (F, D) as they are in known frames (F,), fading to zero beside them; see `solve.fading.fade_between`.

    Args:
        values: float64; only known frames count.
        known: bool.
        length: frames of the fade.
        look: frames at the end of a known range that tell its slope and curvature.
        stop, calm: frames in which slope and curvature are given up.
        grain: a slope may carry a value no farther than about half of itself and this.
    """
    out = np.empty_like(values)
    _fade(values, known, float(length), int(look), float(stop), float(calm), float(grain), out)
    return out
