"""Curves through a few keys that are nothing outside a range: how an edit at some frames is spread over the frames between.

"multiresolution" adds uniform cubic B-splines from coarse to fine until the keys are met, each level taking what the one before left (the
hierarchical displacement of Lee and Shin 1999): what keys ask for stays a local matter, and the curve hardly swings beyond them. "cubic" is
the one cubic spline through all keys, flat at both ends of the range: the smoothest curve there is, but a key far from the middle of its
range makes it swing to several times what was asked for. "monotone" never swings beyond the keys (Fritsch and Carlson 1980); its
acceleration jumps at keys.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from reenact.core.arrays import Float
from reenact.errors import ParameterError

Spline = Literal["multiresolution", "cubic", "monotone"]
SPLINES = ("multiresolution", "cubic", "monotone")

_COARSEST = 4  # spans of the first level
_LEVELS = 30
_MET = 1e-12
_REACHED = (
    0.1  # of the squares of its weights: below this a key is not met by a level (in the middle of the range it is 0.4)
)


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
    scale = max(float(np.abs(values).max(initial=0.0)), 1e-30)
    spans = _COARSEST
    for _ in range(_LEVELS):
        which, weights = _basis((keys - start) / (end - start) * spans, spans)
        control = _share_out(which, weights, left, spans - 3)
        left = left - np.einsum("ki,kid->kd", weights, control[which])
        places, shares = _basis((at - start) / (end - start) * spans, spans)
        result += np.einsum("ni,nid->nd", shares, control[places])
        if np.abs(left).max() <= _MET * scale:
            break
        spans *= 2
    return result


def _share_out(which: np.ndarray, weights: Float, wanted: Float, count: int) -> Float:
    """(count, D) control points of a level: each key asks its own for the least change that meets it; where several ask, they share.

    Keys so near an end of the range that the splines of this level hardly reach them wait for a finer one (the multilevel B-splines of
    Lee, Wolberg and Shin 1997).
    """
    power = np.einsum("ki,ki->k", weights, weights)
    squares = np.where((power >= _REACHED)[:, None], weights * weights, 0.0)
    asked = (squares * weights / np.maximum(power, _REACHED)[:, None])[..., None] * wanted[:, None]
    total, control = np.zeros(count), np.zeros((count, wanted.shape[1]))
    np.add.at(total, which, squares)
    np.add.at(control, which, asked)
    return control / np.where(total > 1e-12, total, np.inf)[:, None]


def _basis(u: Float, spans: int) -> tuple[np.ndarray, Float]:
    """Uniform cubic B-splines over 0..spans, only the spans - 3 that lie within: zero and flat at both ends.

    Returns:
        (N, 4) numbers of those that reach each place, and (N, 4) their values there; 0 for those that would lie partly outside.
    """
    first = np.floor(u).astype(int)
    t = u - first
    weights = np.stack([(1 - t) ** 3, 3 * t**3 - 6 * t**2 + 4, -3 * t**3 + 3 * t**2 + 3 * t + 1, t**3], axis=1) / 6
    which = first[:, None] + np.arange(-3, 1)
    inside = (which >= 0) & (which < spans - 3)
    return np.clip(which, 0, spans - 4), np.where(inside, weights, 0.0)
