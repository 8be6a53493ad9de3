"""Quadratic splines by their slopes at the knots, fitted to points under bounds on those slopes.

A uniform quadratic B-spline with clamped ends has a derivative that runs straight from knot to knot, so the slopes at the knots and the
value at the start say everything about it, and a bound on the derivative is a bound on each of them, no more and no less. The slopes at the
knots are the increments of the control values divided by their spans (Kovar and Gleicher 2003; registration specification A6), so that a
fit with bounded increments becomes least squares with plain bounds and one equation for the end value.
"""

from __future__ import annotations

import numpy as np

from reenact.core.arrays import Float64
from reenact.errors import ParameterError

_ROUNDS = 20  # times the number of unknowns: far more changes of the active set than ever happen


def integrals_at(at: Float64, step: float, pieces: int) -> Float64:
    """(N, pieces + 1) matrix that turns slopes at the knots into rises from 0 to `at` (N,), which lie in 0..step * pieces."""
    piece = np.clip((at / step).astype(np.int64), 0, pieces - 1)
    t = at - piece * step
    knots = np.arange(pieces + 1)
    inner = np.where((knots == 0) | (knots == pieces), 0.5, 1.0) * step
    whole = np.where(knots[None] < piece[:, None], inner[None], 0.0)  # hats that lie behind
    rows = np.arange(len(at))
    half = np.where(piece == 0, 0.0, 0.5 * step)
    whole[rows, piece] = half + t - t * t / (2 * step)
    whole[rows, piece + 1] = t * t / (2 * step)
    return whole


def fit_slopes(
    matrix: Float64,
    targets: Float64,
    step: float,
    rise: float,
    low: float,
    high: float = np.inf,
    smoothing: float = 0.3,
    weights: Float64 | None = None,
) -> Float64:
    """Slopes (K,) at the knots that come nearest to the rises `targets` (N,), rise by exactly `rise` in all and keep to their bounds.

    Args:
        matrix: (N, K) from `integrals_at`.
        targets: (N,) rises from the start.
        step: from knot to knot.
        rise: from the first to the last knot.
        low: smallest slope.
        high: largest slope.
        smoothing: weight of the squared differences of neighbouring slopes (times `step`: second differences of the control values).
        weights: (N,) of the targets; None: 1 each.

    Raises:
        ParameterError: when the bounds do not allow the rise.
    """
    count = matrix.shape[1]
    share = np.full(count, step)  # trapezoid: how much each slope adds to the rise
    share[[0, -1]] = 0.5 * step
    if not low * share.sum() - 1e-9 <= rise <= high * share.sum() + 1e-9:
        raise ParameterError(f"no slopes from {low:g} to {high:g} rise by {rise:g} over {share.sum():g}")
    weighted = matrix if weights is None else matrix * weights[:, None]
    gaps = np.diff(np.eye(count), axis=0) * step
    hessian = weighted.T @ matrix + smoothing * (gaps.T @ gaps) + 1e-9 * np.eye(count)
    return _active_set(hessian, weighted.T @ targets, share, rise, low, high)


def _active_set(hessian: Float64, linear: Float64, share: Float64, rise: float, low: float, high: float) -> Float64:
    """Minimum of x H x / 2 - g x with share . x = rise and low <= x <= high: primal active set, from an even slope."""
    count = len(linear)
    x = np.full(count, rise / share.sum())
    held = np.zeros(count, np.int8)  # -1 at the lower bound, 1 at the upper
    for _ in range(_ROUNDS * count):
        free = np.flatnonzero(held == 0)
        if len(free):
            target, price = _equality_solve(hessian, linear, share, rise, x, free)
            step, block = 1.0, -1
            move = target - x[free]
            with np.errstate(divide="ignore", invalid="ignore"):
                room = np.where(move < 0, (low - x[free]) / move, np.where(move > 0, (high - x[free]) / move, np.inf))
            nearest = int(np.argmin(room))
            if room[nearest] < 1.0:
                step, block = max(float(room[nearest]), 0.0), int(free[nearest])
            x[free] += step * move
            if block >= 0:
                held[block] = -1 if move[nearest] < 0 else 1
                x[block] = low if held[block] < 0 else high
                continue
        else:
            price = 0.0
        pull = (hessian @ x - linear - price * share) * held  # a bound that is pulled inwards is let go
        if not len(free):
            return x
        worst = int(np.argmax(pull))
        if pull[worst] <= 1e-9 * max(1.0, float(np.abs(linear).max())):
            return x
        held[worst] = 0
    return x


def _equality_solve(
    hessian: Float64, linear: Float64, share: Float64, rise: float, x: Float64, free: np.ndarray
) -> tuple[Float64, float]:
    """Minimum over the free unknowns with the others held, and the multiplier of the equation."""
    rest = np.ones(len(x), np.bool_)
    rest[free] = False
    pull = linear[free] - hessian[np.ix_(free, rest)] @ x[rest]
    both = np.linalg.solve(hessian[np.ix_(free, free)], np.column_stack([pull, share[free]]))
    wanted = rise - share[rest] @ x[rest]
    price = (wanted - share[free] @ both[:, 0]) / (share[free] @ both[:, 1])
    return both[:, 0] + price * both[:, 1], float(price)
