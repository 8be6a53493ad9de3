"""Rising curves made of parabolas on pieces of one length: values, slopes and the exact inverse.

A curve is given by its values and slopes at the knots, (K, k) float64 for k curves over one parameter; between knots slopes run straight,
so that the value at the next knot is the trapezoid's. `curve_value`, `curve_slope` and `curve_inverse` take one number and one curve, and
are meant to be called by other kernels too.
"""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import kernel


@kernel
def curve_value(values, slopes, step, curve, u):
    """Value of one curve at `u`, which is held to the curve's ends."""
    last = len(values) - 2
    u = min(max(u, 0.0), step * (last + 1))
    piece = min(int(u / step), last)
    t = u - piece * step
    bend = (slopes[piece + 1, curve] - slopes[piece, curve]) / (2.0 * step)
    return values[piece, curve] + t * (slopes[piece, curve] + t * bend)


@kernel
def curve_slope(slopes, step, curve, u):
    """Slope of one curve at `u`, which is held to the curve's ends."""
    last = len(slopes) - 2
    u = min(max(u, 0.0), step * (last + 1))
    piece = min(int(u / step), last)
    share = u / step - piece
    return slopes[piece, curve] * (1.0 - share) + slopes[piece + 1, curve] * share


@kernel
def curve_inverse(values, slopes, step, curve, value):
    """The `u` at which a rising curve has a value; beyond its ends the curve goes on straight."""
    last = len(values) - 1
    if value <= values[0, curve]:
        return (value - values[0, curve]) / slopes[0, curve]
    if value >= values[last, curve]:
        return last * step + (value - values[last, curve]) / slopes[last, curve]
    low, high = 0, last
    while high - low > 1:
        middle = (low + high) // 2
        if values[middle, curve] <= value:
            low = middle
        else:
            high = middle
    slope = slopes[low, curve]
    bend = (slopes[low + 1, curve] - slope) / (2.0 * step)
    rise = value - values[low, curve]
    root = np.sqrt(max(slope * slope + 4.0 * bend * rise, 0.0))
    return low * step + min(2.0 * rise / (slope + root), step)  # the form of the quadratic's root that never cancels


@kernel
def _step_on(values, slopes, step, u, weights, rate, least):
    weighted = heaviest = 0.0
    most = 0
    for curve in range(len(weights)):
        if weights[curve] != 0.0:
            there = curve_value(values, slopes, step, curve, u) + rate
            way = curve_inverse(values, slopes, step, curve, there) - u
            weighted += weights[curve] * way
            if weights[curve] > weights[most] or curve == most:
                most, heaviest = curve, way
    return u + max(weighted, least * heaviest)


@kernel
def _values(values, slopes, step, at, out):
    for n in range(len(at)):
        for curve in range(values.shape[1]):
            out[n, curve] = curve_value(values, slopes, step, curve, at[n])


@kernel
def _slopes(slopes, step, at, out):
    for n in range(len(at)):
        for curve in range(slopes.shape[1]):
            out[n, curve] = curve_slope(slopes, step, curve, at[n])


@kernel
def _inverses(values, slopes, step, curve, wanted, out):
    for n in range(len(wanted)):
        out[n] = curve_inverse(values, slopes, step, curve, wanted[n])


def step_on(values, slopes, step, u, weights, rate, least):
    """Where `u` is a frame later in a blend of k curves: by the weighted mean of the ways on which each of them rises by `rate`, and
    at least by the share `least` of the heaviest one's.
    """
    return _step_on(values, slopes, step, u, weights, rate, least)


def evaluate(values, slopes, step, at):
    """Values (N, k) of k curves at `at` (N,) float64; see the module."""
    out = np.empty((len(at), values.shape[1]))
    _values(values, slopes, step, at, out)
    return out


def evaluate_slopes(slopes, step, at):
    """Slopes (N, k) at `at` (N,) float64."""
    out = np.empty((len(at), slopes.shape[1]))
    _slopes(slopes, step, at, out)
    return out


def invert(values, slopes, step, curve, wanted):
    """Parameters (N,) at which rising curve number `curve` has the values `wanted` (N,) float64."""
    out = np.empty(len(wanted))
    _inverses(values, slopes, step, curve, wanted, out)
    return out
