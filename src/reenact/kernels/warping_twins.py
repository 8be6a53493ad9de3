"""Plain twins of the kernels of `kernels.warping` and `kernels.piecewise`."""

from __future__ import annotations

import math

import numpy as np


def best_cost(d, limit, first_rows=1, first_columns=1):
    """(m, n) least costs of slope-limited paths to every cell, and the path to each: every state of every cell, one by one.

    Returns:
        dict: cell -> (cost, path), without the cells that no path reaches.
    """
    rows, columns = d.shape
    reached: dict[tuple[int, int], dict[tuple[int, int], tuple[float, list]]] = {}
    for i in range(rows):
        for j in range(columns):
            here: dict[tuple[int, int], tuple[float, list]] = {}  # (steps down in a row, steps right in a row)
            if (j == 0 and i < first_rows) or (i == 0 and j < first_columns):
                here[0, 0] = (float(d[i, j]), [(i, j)])
            for di, dj in ((1, 1), (1, 0), (0, 1)):
                for (down, right), (cost, path) in reached.get((i - di, j - dj), {}).items():
                    state = (down + 1 if dj == 0 else 0, right + 1 if di == 0 else 0)
                    total = cost + float(d[i, j])
                    if max(state) <= limit and total < here.get(state, (math.inf, []))[0]:
                        here[state] = (total, [*path, (i, j)])
            if here:
                reached[i, j] = here
    return {cell: min(states.values(), key=lambda found: found[0]) for cell, states in reached.items()}


def step_on(values, slopes, step, u, weights, rate, least):
    """See `kernels.piecewise.step_on`."""
    frames = evaluate(values, slopes, step, np.array([u]))[0] + rate
    ways = (
        np.array([invert(values, slopes, step, curve, frames[curve : curve + 1])[0] for curve in range(len(weights))])
        - u
    )
    return u + max(weights @ ways, least * ways[np.argmax(weights)])


def evaluate(values, slopes, step, at):
    """See `kernels.piecewise.evaluate`."""
    at = np.clip(at, 0, step * (len(values) - 1))
    piece = np.minimum((at / step).astype(int), len(values) - 2)
    t = (at - piece * step)[:, None]
    return values[piece] + t * slopes[piece] + t * t * (slopes[piece + 1] - slopes[piece]) / (2 * step)


def evaluate_slopes(slopes, step, at):
    """See `kernels.piecewise.evaluate_slopes`."""
    knots = np.arange(len(slopes)) * step
    return np.column_stack([np.interp(at, knots, own) for own in slopes.T])


def invert(values, slopes, step, curve, wanted):
    """See `kernels.piecewise.invert`: by bisection."""
    end = step * (len(values) - 1)
    low, high = np.zeros(len(wanted)), np.full(len(wanted), end)
    for _ in range(60):
        middle = 0.5 * (low + high)
        below = evaluate(values, slopes, step, middle)[:, curve] < wanted
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    before = np.minimum(wanted - values[0, curve], 0) / slopes[0, curve]
    after = np.maximum(wanted - values[-1, curve], 0) / slopes[-1, curve]
    return 0.5 * (low + high) + before + after
