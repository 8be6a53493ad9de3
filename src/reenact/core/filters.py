"""Filters along one axis, in NumPy alone: `scipy.ndimage` does the same, but importing it takes longer than most of what is asked of it.

Names of edges are those of SciPy: "nearest" repeats the end values, "reflect" mirrors with the end value twice, "mirror" with it once,
"constant" takes zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reenact import kernels

Edge = Literal["nearest", "reflect", "mirror", "constant"]
Array = NDArray[Any]

_PADDING: dict[Edge, Any] = {"reflect": "symmetric", "mirror": "reflect"}


def gaussian(
    values: Array,
    sigma: float,
    axis: int = -1,
    edge: Edge = "reflect",
    truncate: float = 4.0,
    radius: int | None = None,
) -> Array:
    """Values weighed by a bell of `sigma` samples, cut off after `radius` of them (default: `truncate` sigmas)."""
    reach = int(truncate * sigma + 0.5) if radius is None else radius
    return _weighed(values, bell(float(sigma), reach), axis, edge)


@lru_cache(maxsize=64)
def bell(sigma: float, reach: int) -> NDArray[np.float64]:
    """(2 reach + 1,) weights of a bell of `sigma` samples whose sum is 1."""
    steps = np.arange(-reach, reach + 1)
    weights = np.exp(-0.5 / (sigma * sigma) * steps**2) if sigma > 0 else (steps == 0).astype(np.float64)
    weights /= weights.sum()
    weights.setflags(write=False)
    return weights


def weigh(padded: Array, weights: Array) -> NDArray[np.float64]:
    """(N, ...) weighed sums over the first axis of samples (N + K - 1, ...), for K weights."""
    shape = (len(padded) - len(weights) + 1, *padded.shape[1:])
    out = np.empty(shape)
    flat = np.ascontiguousarray(padded).reshape(-1)
    kernels.weighing.weigh(flat, weights, out.size // max(shape[0], 1), out.reshape(-1))
    return out


def mean(values: Array, size: int, axis: int = -1, edge: Edge = "reflect") -> Array:
    """Means over `size` samples, an odd number."""
    return _weighed(values, np.full(size, 1.0 / size), axis, edge)


def maximum(values: Array, size: int, axis: int = -1, edge: Edge = "reflect") -> Array:
    """Maxima over `size` samples: of an even number one more before than after."""
    return _along(values, axis, lambda rows: _maxima(_padded(rows, size // 2, edge, (size - 1) // 2), size))


def median(values: Array, size: int, edge: Edge = "reflect") -> Array:
    """Medians (N,) over `size` samples, an odd number."""
    padded = _padded(np.asarray(values), size // 2, edge)
    return np.median(np.lib.stride_tricks.sliding_window_view(padded, size), axis=1).astype(values.dtype)


def widened(mask: Array, before: int, after: int | None = None) -> NDArray[np.bool_]:
    """(N,) which samples have a True one at most `before` samples later or `after` (default: as many) earlier."""
    after = before if after is None else after
    out, times = np.zeros(len(mask), np.bool_), np.flatnonzero(mask)
    marks = np.zeros(len(mask) + 1, np.int64)
    np.add.at(marks, np.maximum(times - before, 0), 1)
    np.add.at(marks, np.minimum(times + after + 1, len(mask)), -1)
    out[:] = np.cumsum(marks[:-1]) > 0
    return out


def distance_to(mask: Array) -> NDArray[np.float64]:
    """(N,) samples to the nearest True one of a mask; infinity when there is none."""
    times = np.flatnonzero(mask)
    if not len(times):
        return np.full(len(mask), np.inf)
    here = np.arange(len(mask))
    after = np.searchsorted(times, here)
    later = times[np.minimum(after, len(times) - 1)]
    earlier = times[np.maximum(after - 1, 0)]
    return np.minimum(np.abs(later - here), np.abs(here - earlier)).astype(np.float64)


def polynomial_derivatives(values: Array, size: int, degree: int, derivative: int, spacing: float) -> Array:
    """Derivatives along the first axis by polynomials of a degree fitted to `size` samples around each (Savitzky, Golay 1964).

    At the ends the polynomial of the first or last `size` samples goes on.
    """
    half = size // 2
    steps = np.arange(-half, half + 1, dtype=np.float64)
    powers = np.vander(steps, degree + 1, increasing=True)
    fit = np.linalg.pinv(powers)  # coefficients of the polynomial from the samples
    kinds = np.arange(degree + 1)
    falling = np.ones(degree + 1)
    for n in range(derivative):
        falling *= np.maximum(kinds - n, 0)
    at = np.where(kinds >= derivative, np.power.outer(steps, np.maximum(kinds - derivative, 0)) * falling, 0.0)
    weights = at @ fit / spacing**derivative  # (size, size): row n is the derivative at sample n of the window
    values = np.asarray(values, dtype=np.float64)
    out = np.empty_like(values)
    count = len(values) - 2 * half
    inside = out[half : half + count]
    inside[:] = weights[half, 0] * values[:count]
    for n in range(1, size):
        inside += weights[half, n] * values[n : n + count]
    out[:half] = np.tensordot(weights[:half], values[:size], 1)
    out[len(values) - half :] = np.tensordot(weights[half + 1 :], values[-size:], 1)
    return out


def _weighed(values: Array, weights: Array, axis: int, edge: Edge) -> Array:
    def run(rows: Array) -> Array:
        padded = _padded(rows, len(weights) // 2, edge).astype(np.float64, copy=False)
        return weigh(padded, weights).astype(values.dtype, copy=False)

    return _along(values, axis, run)


def _maxima(padded: Array, size: int) -> Array:
    """Maxima over windows of the first axis: of windows twice as long from those at both their ends, until they are long enough."""
    width = 1
    while 2 * width <= size:
        padded, width = np.maximum(padded[:-width], padded[width:]), 2 * width
    rest = size - width
    return np.maximum(padded[: len(padded) - rest], padded[rest:]) if rest else padded


def _padded(rows: Array, before: int, edge: Edge, after: int | None = None) -> Array:
    after = before if after is None else after
    if edge in ("nearest", "constant") or len(rows) == 1:
        count = len(rows)
        out = np.empty((before + count + after, *rows.shape[1:]), rows.dtype)
        out[before : before + count] = rows
        out[:before], out[before + count :] = (0, 0) if edge == "constant" else (rows[0], rows[-1])
        return out
    return np.pad(rows, [(before, after)] + [(0, 0)] * (rows.ndim - 1), mode=_PADDING[edge])


def _along(values: Array, axis: int, run: Callable[[Array], Array]) -> Array:
    values = np.asarray(values)
    if values.ndim == 0 or not values.shape[axis]:
        return values.copy()
    if axis == 0 or values.ndim == 1:
        return run(values)
    return np.moveaxis(run(np.moveaxis(values, axis, 0)), 0, axis)
