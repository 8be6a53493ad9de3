"""What a foot does between its plants: how near they are, and the way from one to the next."""

from __future__ import annotations

import math

import numpy as np

from reenact.kernels.compiling import inlined_kernel, kernel


@inlined_kernel
def _rise(t):
    """0 up to 0, 1 from 1 on, no jump in slope or curvature."""
    t = min(max(t, 0.0), 1.0)
    return t * t * t * (t * (6.0 * t - 15.0) + 10.0)


@kernel
def _nearness(planted, wide, out):
    frames = planted.shape[0]
    f = 0
    while f < frames:
        if planted[f]:
            out[f] = 1.0
            f += 1
            continue
        start = f
        while f < frames and not planted[f]:
            f += 1
        reach = wide
        if start > 0 and f < frames:
            reach = min(wide, 0.5 * (f - start + 1))
        for k in range(start, f):
            beside = math.inf
            if start > 0:
                beside = float(k - start + 1)
            if f < frames:
                beside = min(beside, float(f - k))
            out[k] = 1.0 - _rise(beside / reach)


def nearness(planted, wide):
    """(F,) 1 while a foot is planted, falling to 0 within `wide` frames beside its plants, or half of a swing between two.

    Args:
        planted: (F,) bool.
        wide: frames, a number.
    """
    out = np.empty(len(planted))
    _nearness(planted, float(wide), out)
    return out


@kernel
def _bridge(values, planted, near, middle, out):
    frames, width = values.shape
    f = 0
    while f < frames:
        if planted[f]:
            for d in range(width):
                out[f, d] = values[f, d]
            f += 1
            continue
        first = f - 1
        while f < frames and not planted[f]:
            f += 1
        for k in range(first + 1, f):
            share = _rise((k - first) / (f - first))
            for d in range(width):
                before = values[first, d] if first >= 0 else (values[f, d] if f < frames else middle[d])
                after = values[f, d] if f < frames else before
                own = before + share * (after - before)
                out[k, d] = own + near[k] * (values[k, d] - own)


def bridge(values, planted, near):
    """(F, D) the values while a foot is planted and near it; in the air from what they were to what they will be.

    Args:
        values: (F, D) float64.
        planted: (F,) bool; where there is none the mean of the values stands for it.
        near: (F,) float64 0..1.
    """
    out = np.empty(values.shape)
    middle = np.zeros(values.shape[1]) if planted.any() else values.mean(axis=0)
    _bridge(values, planted, near, middle, out)
    return out
