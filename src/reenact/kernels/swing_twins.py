"""Plain NumPy twins of the kernels in `kernels.swings`: the readable definition, and the reference of their tests."""

from __future__ import annotations

import numpy as np


def _rise(t):
    t = np.clip(t, 0.0, 1.0)
    return t * t * t * (t * (6 * t - 15) + 10)


def _swings(planted):
    edges = np.flatnonzero(np.diff(np.concatenate([[1], planted.astype(np.int8), [1]])))
    return zip(edges[::2], edges[1::2], strict=True)


def nearness(planted, wide):
    """1 while a foot is planted, falling to 0 beside its plants; see `kernels.swings.nearness`."""
    near, count = np.ones(len(planted)), len(planted)
    for start, end in _swings(planted):
        frames = np.arange(start, end)
        since = frames - start + 1 if start > 0 else np.full(end - start, np.inf)
        until = end - frames if end < count else np.full(end - start, np.inf)
        reach = min(wide, 0.5 * (end - start + 1)) if start > 0 and end < count else wide
        near[start:end] = 1.0 - _rise(np.minimum(since, until) / reach)
    return near


def bridge(values, planted, near):
    """The values while a foot is planted, from one plant to the next in the air; see `kernels.swings.bridge`."""
    out = values.copy()
    for start, end in _swings(planted):
        first, last = start - 1, end
        before = values[first] if first >= 0 else values[last] if last < len(values) else values.mean(axis=0)
        after = values[last] if last < len(values) else before
        share = _rise((np.arange(start, end) - first) / (last - first))[:, None]
        own = before + share * (after - before)
        out[start:end] = own + near[start:end, None] * (values[start:end] - own)
    return out
