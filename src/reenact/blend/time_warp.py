"""The time-warp curve: which frame of each motion belongs to which, as smooth curves that never stand still.

Kovar and Gleicher (2003), registration specification A6. The parameter u runs from 0 to U in frames; it is the mean of the motions' own
frames along the path of correspondences, so that the slopes of k motions sum to k. Each motion's frame is a quadratic spline of u whose
slope stays above a floor, and can be inverted exactly: each piece is a parabola.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reenact import kernels
from reenact.blend.slope_fit import fit_slopes, integrals_at
from reenact.core.arrays import Float, Float64, frozen
from reenact.errors import ParameterError

_FEWEST_PIECES = 4
_FIXED = 1e6  # weight of a row of the path that must be met, the others have 1
_LEAST_SHARE = 0.9  # of the slowest motion's own mean slope: the floor when lengths differ too much for the usual one


@dataclass(frozen=True, slots=True, eq=False)
class TimeWarp:
    """Frames S_j(u) of k motions, u in 0..`length`; strictly rising.

    A kernel can evaluate it: `kernels.piecewise.curve_value(warp.values, warp.slopes, warp.step, motion, u)` and so on.

    Attributes:
        step: from knot to knot, in frames of u.
        values: (K, k) float64, frames at the knots.
        slopes: (K, k) float64, slopes there; between knots they run straight.
    """

    step: float
    values: Float64
    slopes: Float64

    def __post_init__(self) -> None:
        object.__setattr__(self, "slopes", frozen(self.slopes, np.float64, (None, None), "slopes"))
        object.__setattr__(self, "values", frozen(self.values, np.float64, self.slopes.shape, "values"))
        if len(self.values) < 2 or not self.step > 0 or not np.all(self.slopes > 0):
            raise ParameterError("a time warp needs two knots or more, a step and slopes above zero")

    @classmethod
    def from_slopes(cls, start: ArrayLike, slopes: ArrayLike, step: float) -> TimeWarp:
        """The curves that begin at frames `start` (k,) and have these slopes (K, k) at the knots."""
        at = np.asarray(slopes, dtype=np.float64)
        rises = np.cumsum(0.5 * step * (at[:-1] + at[1:]), axis=0)
        values = np.vstack([np.zeros(at.shape[1]), rises]) + np.asarray(start, dtype=np.float64)
        return cls(float(step), values, at)

    @property
    def length(self) -> float:
        """U: where the curve ends, in frames."""
        return self.step * (len(self.values) - 1)

    @property
    def motions(self) -> int:
        """Number of motions, k."""
        return self.values.shape[1]

    @property
    def start(self) -> Float64:
        """(k,) first frames."""
        return self.values[0]

    @property
    def end(self) -> Float64:
        """(k,) last frames."""
        return self.values[-1]

    def frames_at(self, u: ArrayLike) -> Float64:
        """(N, k) frames of the motions at `u` (N,), or (k,) at one u; beyond its ends the curve holds."""
        at = np.asarray(u, dtype=np.float64)
        found = kernels.piecewise.evaluate(self.values, self.slopes, self.step, np.atleast_1d(at))
        return found[0] if at.ndim == 0 else found

    def step_on(self, u: float, weights: Float64, rate: float, least: float) -> float:
        """Where u is a frame of a blend later, see `blend.timing`; at least the share `least` of the heaviest motion's way is gone."""
        return float(kernels.piecewise.step_on(self.values, self.slopes, self.step, u, weights, rate, least))

    def slopes_at(self, u: ArrayLike) -> Float64:
        """(N, k) frames of each motion per frame of u, or (k,) at one u."""
        at = np.asarray(u, dtype=np.float64)
        found = kernels.piecewise.evaluate_slopes(self.slopes, self.step, np.atleast_1d(at))
        return found[0] if at.ndim == 0 else found

    def inverse(self, motion: int, frames: ArrayLike) -> Float64:
        """(N,) the u at which a motion is at these frames, or a 0-d array for one frame.

        Exact to rounding. Beyond its ends a curve goes on straight, so a step of one frame from the end leads beyond `length`.
        """
        wanted = np.asarray(frames, dtype=np.float64)
        found = kernels.piecewise.invert(self.values, self.slopes, self.step, motion, np.atleast_1d(wanted))
        return found[0] if wanted.ndim == 0 else found


def slope_floor(slope_limit: int) -> float:
    """The least slope of two motions at which one is never more than slope_limit + 1 times as fast as the other."""
    return 2.0 / (slope_limit + 2.0)


def fit_time_warp(
    path: ArrayLike,
    slope_limit: int = 3,
    *,
    knot_spacing: float = 6.0,
    smoothing: float = 0.3,
    floor: float | None = None,
    fixed: int | None = None,
) -> TimeWarp:
    """The time warp nearest to a path of corresponding frames.

    Two motions: the difference of their frames is fitted, its slope kept within 2 (1 - floor); the slopes of the two then sum to 2
    exactly and their ratio never exceeds slope_limit + 1. More motions: each is fitted by itself with its slope above the floor.

    Args:
        path: (P, k) frames that correspond, none of them ever falling, all of them rising from the first row to the last.
        slope_limit: the path's own limit of steps in one direction; it sets the floor.
        knot_spacing: frames of u from knot to knot, about.
        smoothing: weight of the differences of neighbouring slopes.
        floor: least slope; None: 2 / (slope_limit + 2). It is lowered when the lengths of the motions ask for it (`lowered_floor`).
        fixed: a row of the path that the curve must meet, as far as its slopes allow.

    Raises:
        ParameterError: the path is too short or falls.
    """
    at = np.asarray(path, dtype=np.float64)
    if at.ndim != 2 or at.shape[1] < 2 or len(at) < 2:
        raise ParameterError(f"a path needs two rows or more of the frames of two motions or more, not {at.shape}")
    if np.any(np.diff(at, axis=0) < 0) or np.any(at[-1] <= at[0]):
        raise ParameterError("the path falls back in time, or leaves a motion standing")
    start = at[0]
    rises = at - start
    u = rises.mean(axis=1)
    length = float(u[-1])
    pieces = max(_FEWEST_PIECES, round(length / knot_spacing))
    step = length / pieces
    matrix = integrals_at(u, step, pieces)
    weights = None
    if fixed is not None:
        weights = np.ones(len(u))
        weights[fixed] = _FIXED
    least = lowered_floor(rises[-1], slope_floor(slope_limit) if floor is None else floor)
    if at.shape[1] == 2:
        most = 2.0 * (1.0 - least)
        gap = rises[:, 0] - rises[:, 1]
        slopes = fit_slopes(matrix, gap, step, float(gap[-1]), -most, most, smoothing, weights)
        found = np.column_stack([1.0 + 0.5 * slopes, 1.0 - 0.5 * slopes])
    else:
        each = [fit_slopes(matrix, r, step, float(r[-1]), least, smoothing=smoothing, weights=weights) for r in rises.T]
        found = np.column_stack(each)
    return TimeWarp.from_slopes(start, found, step)


def lowered_floor(lengths: Float | Sequence[float], floor: float) -> float:
    """The floor that lets motions of these lengths (frames from first to last) correspond: the given one, or less for unequal lengths."""
    spans = np.asarray(lengths, dtype=np.float64)
    return min(floor, _LEAST_SHARE * float(spans.min() / spans.mean()))
