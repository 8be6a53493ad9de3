"""Curves through points that rise where the points do (Fritsch, Butland 1984), as `scipy.interpolate.PchipInterpolator` makes them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.floating]


def monotone_curve(knots: Float, values: Float, at: Float) -> Float:
    """Values at `at` of a curve through `values` (N,) at rising `knots` (N,), N >= 3: smooth, and without turns between the points."""
    steps = np.diff(knots)
    rises = np.diff(values) / steps
    slopes = np.zeros(len(knots))
    before, after = rises[:-1], rises[1:]
    same = before * after > 0
    first, second = 2 * steps[1:] + steps[:-1], steps[1:] + 2 * steps[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes[1:-1] = np.where(same, (first + second) / (first / before + second / after), 0.0)
    slopes[0] = _end_slope(steps[0], steps[1], rises[0], rises[1])
    slopes[-1] = _end_slope(steps[-1], steps[-2], rises[-1], rises[-2])
    piece = np.clip(np.searchsorted(knots, at, side="right") - 1, 0, len(steps) - 1)
    wide, rise, slope = steps[piece], rises[piece], slopes[piece]
    t = at - knots[piece]
    bend = (3 * rise - 2 * slope - slopes[piece + 1]) / wide
    twist = (slope + slopes[piece + 1] - 2 * rise) / wide**2
    return values[piece] + t * (slope + t * (bend + t * twist))


def _end_slope(near: float, far: float, rise: float, next_rise: float) -> float:
    """A slope at an end from three points, held back where it would overshoot."""
    slope = ((2 * near + far) * rise - near * next_rise) / (near + far)
    if np.sign(slope) != np.sign(rise):
        return 0.0
    if np.sign(rise) != np.sign(next_rise) and abs(slope) > 3 * abs(rise):
        return 3 * rise
    return slope
