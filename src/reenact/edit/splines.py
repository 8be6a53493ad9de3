"""Curves through a few keys that are nothing outside a range: how an edit at some frames is spread over the frames between.

"cubic" is the one cubic spline through all keys, flat at both ends of the range: the smoothest curve there is. "multiresolution" adds
uniform cubic B-splines from coarse to fine until the keys are met, each level taking what the one before left (the hierarchical
displacement of Lee and Shin 1999): many keys close together stay a local matter, but a single key far from the middle of its range
swings further beyond it than with "cubic", which is why that is the default. "monotone" never swings beyond the keys (Fritsch and
Carlson 1980); its acceleration jumps at keys.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from reenact.core.arrays import Float
from reenact.errors import ParameterError

Spline = Literal["cubic", "multiresolution", "monotone"]
SPLINES = ("cubic", "multiresolution", "monotone")

_COARSEST = 4  # spans of the first level
_LEVELS = 12
_MET = 1e-12


def spread_keys(
    keys: Float, values: Float, start: float, end: float, at: Float, spline: Spline = "multiresolution"
) -> Float:
    """Values (N, D) at places `at` (N,) of a smooth curve through keys, zero with zero slope at `start` and `end` and zero outside.

    Args:
        keys: (K,) places, ascending, all strictly between `start` and `end`.
        values: (K, D) what the curve must be there.
        start, end: range.
        at: (N,) places wanted.
        spline: see the module.
    """
    keys, values, at = (np.asarray(v, dtype=np.float64) for v in (keys, values, at))
    if np.any(np.diff(keys) <= 0) or keys[0] <= start or keys[-1] >= end:
        raise ParameterError(
            f"keys must ascend and lie between {start:g} and {end:g}, not {keys.tolist()}", where="keys"
        )
    inside = (at > start) & (at < end)
    result = np.zeros((len(at), values.shape[1]))
    if spline == "multiresolution":
        result[inside] = _by_levels(keys, values, start, end, at[inside])
        return result
    from scipy.interpolate import CubicSpline, PchipInterpolator

    places = np.concatenate([[start], keys, [end]])
    ends = np.zeros((1, values.shape[1]))
    through = np.concatenate([ends, values, ends])
    if spline == "cubic":
        curve = CubicSpline(places, through, bc_type="clamped")
    else:
        curve = PchipInterpolator(places, through)
    result[inside] = curve(at[inside])
    return result


def _by_levels(keys: Float, values: Float, start: float, end: float, at: Float) -> Float:
    left, result = values.copy(), np.zeros((len(at), values.shape[1]))
    spans = _COARSEST
    scale = max(float(np.abs(values).max(initial=0.0)), 1e-30)
    for level in range(_LEVELS):
        basis = _basis((keys - start) / (end - start) * spans, spans)
        last = level == _LEVELS - 1 or (spans >= 2 * _finest(keys, start, end))
        # a level that cannot meet all keys takes the least-squares share; the smallest control points that do it
        control = np.linalg.lstsq(basis, left, rcond=1e-9)[0]
        result += _basis((at - start) / (end - start) * spans, spans) @ control
        left = left - basis @ control
        if np.abs(left).max() <= _MET * scale or last:
            break
        spans *= 2
    return result


def _finest(keys: Float, start: float, end: float) -> int:
    """Spans of a level that has a control point of its own for every key."""
    nearest = float(np.diff(np.concatenate([[start], keys, [end]])).min())
    return int(np.ceil((end - start) / nearest)) * 2


def _basis(u: Float, spans: int) -> Float:
    """(N, spans - 3) uniform cubic B-splines over 0..spans, only those that lie within: zero and flat at both ends."""
    index = np.arange(spans - 3)
    t = np.asarray(u, dtype=np.float64)[:, None] - index[None]
    piece = np.zeros_like(t)
    for k, poly in enumerate(
        (
            lambda x: x**3,
            lambda x: -3 * x**3 + 3 * x**2 + 3 * x + 1,
            lambda x: 3 * x**3 - 6 * x**2 + 4,
            lambda x: (1 - x) ** 3,
        )
    ):
        within = (t >= k) & (t < k + 1)
        piece = np.where(within, poly(t - k) / 6, piece)
    return piece
