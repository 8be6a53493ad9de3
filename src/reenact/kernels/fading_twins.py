"""Plain NumPy twin of the kernel in `kernels.fading`."""

from __future__ import annotations

import numpy as np


def _left(t):
    t = np.minimum(t, 1.0)
    return 1.0 - t**3 * (t * (6 * t - 15) + 10)


def _end_motion(inner, look):
    """Slope and curvature per frame at the last of some values (N, D), by a parabola through the last one."""
    count = min(len(inner), look)
    if count < 2:
        return np.zeros(inner.shape[1]), np.zeros(inner.shape[1])
    past = inner[-count:-1] - inner[-1]
    if count < 4:
        return -past[-1], np.zeros(inner.shape[1])
    time = np.arange(1.0 - count, 0.0)
    slope, curve = np.linalg.lstsq(np.stack([time, 0.5 * time * time], axis=1), past, rcond=None)[0]
    return slope, curve


def fade(values, known, length, look, stop, calm, grain):
    """Values fading beside known frames; see `kernels.fading.fade`."""
    out = np.where(known[:, None], values, 0.0)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], known.astype(np.int8), [0]])))
    spans = list(zip(edges[::2], edges[1::2], strict=True))
    for number, (start, end) in enumerate(spans):
        before = spans[number - 1][1] - 1 if number else None
        after = spans[number + 1][0] if number + 1 < len(spans) else None
        for edge, step, other in ((start, -1, before), (end - 1, 1, after)):
            room = length if other is None else min(length, abs(edge - other))
            count = min(int(np.ceil(room)) - 1, edge if step < 0 else len(values) - 1 - edge)
            if count < 1:
                continue
            inner = values[start:end] if step > 0 else values[start:end][::-1]
            slope, curve = _end_motion(inner, look)
            most = 2.0 * (np.linalg.norm(inner[-1]) + grain) / stop
            less = min(1.0, most / max(np.linalg.norm(slope), 1e-300))
            n = np.arange(1, count + 1)[:, None]
            told = _left(n / room) * inner[-1] + less * n * _left(n / min(room, stop)) * slope
            out[edge + step * n[:, 0]] += told + less * 0.5 * n * n * _left(n / min(room, calm)) * curve
    return out
