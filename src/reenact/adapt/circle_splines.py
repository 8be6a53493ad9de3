"""Curves through points that are bent as little as the circles through their neighbours (Séquin, Lee and Yen 2005), and corrections
smoothed by them (Lyard 2008, section 4.10.2).

Between two points the curve passes from the circle through the first three to the circle through the last three, so that tangents and
curvatures agree where pieces meet; a piece depends on four points alone. It holds in any number of dimensions.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from reenact import kernels
from reenact.core import filters
from reenact.core.arrays import Bool, Float, Int

_AVERAGED = 5  # samples
_ROUNDS = 8
_APART = 4  # samples: control points are no nearer to each other, or curves jump
_LITTLE = 2e-3  # radians that a curve may be below what was asked for


def curve_at(points: Float, times: Float) -> Float:
    """(N, D - 1) values at times (N,) of the curve through points (K, D), whose first column is time and rises.

    At both ends the missing neighbour is mirrored.
    """
    if len(points) == 1:
        return np.broadcast_to(points[0, 1:], (len(times), points.shape[1] - 1)).copy()
    return kernels.circle_splines.curve_at(points, times)


def smooth_corrections(raw: Float, times: Float, wanted: Float) -> Float:
    """(N, D) corrections at wanted times, smooth, and nowhere between two extremes less than the largest raw one there.

    Control points are the extremes of the size of averaged corrections, at maxima lifted to what was asked for; where a raw correction is
    larger than the curve it becomes a control point, too, until there is none.

    Args:
        raw: (F, D) radians, as every frame asks for.
        times: (F,) frames, rising.
        wanted: (N,) frames.
    """
    size = np.linalg.norm(raw, axis=1)
    if not size.any():
        return np.zeros((len(wanted), raw.shape[1]))
    average = filters.mean(raw, min(_AVERAGED, 2 * ((len(raw) - 1) // 2) + 1), axis=0, edge="nearest")
    control = _extremes(np.linalg.norm(average, axis=1))
    values = np.where((size > np.linalg.norm(average, axis=1))[:, None], raw, average)
    for _ in range(_ROUNDS):
        at = np.flatnonzero(control)
        points = np.column_stack([times[at], values[at]])
        over = size - np.linalg.norm(curve_at(points, times), axis=1)
        fresh, changed = control.copy(), False
        for first, last in pairwise(at):
            if last - first > 1:
                worst = first + 1 + int(size[first + 1 : last].argmax())
                if over[worst] > _LITTLE:
                    near = first if worst - first < _APART else last if last - worst < _APART else worst
                    if near == worst:
                        fresh[worst] = True
                    values[near] = raw[worst]  # a control point right beside is lifted instead
                    changed = True
        if not changed:
            break
        control = fresh
    at = np.flatnonzero(control)
    return curve_at(np.column_stack([times[at], values[at]]), wanted)


def _extremes(size: Float) -> Bool:
    """(F,) local minima and maxima, both ends, and the ends of plateaus; far enough apart: large ones first, the ends in any case."""
    signs: Int = np.sign(np.round(np.diff(size), 9)).astype(np.int64)
    turning = np.flatnonzero(signs[1:] != signs[:-1]) + 1
    kept = np.zeros(len(size), np.bool_)
    kept[[0, -1]] = True
    for at in sorted(turning, key=lambda n: -size[n]):
        if not kept[max(at - _APART + 1, 0) : at + _APART].any():
            kept[at] = True
    return kept
