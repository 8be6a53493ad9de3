"""The alignment curve: how each motion is turned and shifted on the floor to lie on the reference, all along the time warp.

Kovar and Gleicher (2003), registration specification A7. What is smoothed is the turn and the gap between the aligned root and the
reference's root, never the shift itself: a character that stands r metres from the origin moves by r times the error of the turn, so a
smoothed shift would be wrong far from the origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reenact import kernels
from reenact.blend.slope_fit import integrals_at
from reenact.blend.time_warp import TimeWarp
from reenact.core.arrays import Float, Float64, frozen

_SURE = 0.1  # confidence below which a turn means nothing


@dataclass(frozen=True, slots=True, eq=False)
class AlignmentCurve:
    """Transforms A_j(u) that lay motion j on the reference: first a turn about the vertical axis, then a shift.

    Attributes:
        warp: the time warp whose u it shares.
        roots: for each motion (F, 2) float64 metres, x and z of the joint that carries the body, as recorded.
        reference: the motion that stays where it is.
        values: (K, k, 3) float64 at the warp's knots: turn in radians (unwrapped), then x and z of the aligned root minus the
            reference's root, in metres.
        slopes: (K, k, 3) per frame of u; between knots they run straight.
    """

    warp: TimeWarp
    roots: tuple[Float64, ...]
    reference: int
    values: Float64
    slopes: Float64

    def __post_init__(self) -> None:
        shape = (*self.warp.values.shape, 3)
        object.__setattr__(self, "values", frozen(self.values, np.float64, shape, "values"))
        object.__setattr__(self, "slopes", frozen(self.slopes, np.float64, shape, "slopes"))
        object.__setattr__(self, "roots", tuple(frozen(r, np.float64, (None, 2), "roots") for r in self.roots))

    def _gaps_at(self, u: ArrayLike) -> Float64:
        at = np.atleast_1d(np.asarray(u, dtype=np.float64))
        flat = (len(self.values), -1)
        found = kernels.piecewise.evaluate(self.values.reshape(flat), self.slopes.reshape(flat), self.warp.step, at)
        return found.reshape(len(at), -1, 3)

    def turns_at(self, u: ArrayLike) -> Float64:
        """(N, k) turns in radians at `u` (N,); continuous, 0 for the reference."""
        return self._gaps_at(u)[:, :, 0]

    def offsets_at(self, u: ArrayLike) -> Float64:
        """(N, k, 2) metres, x and z of each aligned root minus the reference's root at `u` (N,)."""
        return self._gaps_at(u)[:, :, 1:]

    def roots_at(self, u: ArrayLike) -> Float64:
        """(N, k, 2) metres, x and z of the roots as recorded, at the frames that belong to `u` (N,)."""
        frames = self.warp.frames_at(np.atleast_1d(np.asarray(u, dtype=np.float64)))
        return np.stack([between(root, at) for root, at in zip(self.roots, frames.T, strict=True)], axis=1)

    def placements_at(self, u: ArrayLike) -> Float64:
        """(N, k, 3) transforms (turn, x, z) at `u` (N,): p -> turn(p) + (x, z); (0, 0, 0) for the reference."""
        gaps, roots = self._gaps_at(u), self.roots_at(u)
        turned = turn_floor(roots, gaps[:, :, 0])
        gaps[:, :, 1:] += roots[:, self.reference, None] - turned
        gaps[:, self.reference] = 0.0
        return gaps


def turn_floor(points: Float, turns: Float) -> Float64:
    """Points (..., 2) (x, z) turned by `turns` (...) radians about the vertical axis, counter-clockwise seen from above."""
    sine, cosine = np.sin(turns), np.cos(turns)
    x, z = points[..., 0], points[..., 1]
    return np.stack([cosine * x + sine * z, cosine * z - sine * x], axis=-1)


def between(values: Float, frames: Float) -> Float64:
    """Values (F, ...) at fractional frames (N,), straight between frames and held beyond the ends."""
    at = np.clip(frames, 0, len(values) - 1)
    before = np.minimum(at.astype(np.int64), max(len(values) - 2, 0))
    share = (at - before).reshape(-1, *([1] * (values.ndim - 1)))
    return values[before] * (1 - share) + values[np.minimum(before + 1, len(values) - 1)] * share


def fit_alignment_curve(
    warp: TimeWarp,
    path: ArrayLike,
    roots: Sequence[Float64],
    reference: int,
    turns: Float64,
    shifts: Float64,
    confidence: Float64,
    *,
    smoothing: float = 0.3,
) -> AlignmentCurve:
    """The alignment curve nearest to the alignments of the cells of a path.

    Args:
        warp: the time warp of that path.
        path: (P, k) corresponding frames.
        roots: for each motion (F, 2) metres, x and z of the root.
        reference: index of the motion that stays.
        turns: (P, k) radians, each cell's best turn; the reference's do not matter.
        shifts: (P, k, 2) metres, each cell's best shift.
        confidence: (P, k) 0..1, how well the turn is determined; cells below a tenth do not count, their neighbours bridge them.
        smoothing: weight of the differences of neighbouring slopes.
    """
    frames = np.asarray(path, dtype=np.float64)
    u = (frames - frames[0]).mean(axis=1)
    pieces = len(warp.values) - 1
    matrix = np.column_stack([np.ones(len(u)), integrals_at(u, warp.step, pieces)])
    penalty = np.diff(np.eye(pieces + 2), axis=0)[1:] * warp.step
    here = between(roots[reference], frames[:, reference])
    values = np.zeros((*warp.values.shape, 3))
    slopes = np.zeros_like(values)
    for motion in range(warp.motions):
        if motion == reference:
            continue
        there = between(roots[motion], frames[:, motion])
        targets = np.empty((len(u), 3))
        targets[:, 0] = unwrap_sure(turns[:, motion], confidence[:, motion])
        targets[:, 1:] = turn_floor(there, turns[:, motion]) + shifts[:, motion] - here
        weights = np.where(confidence[:, motion] < _SURE, 1e-6, confidence[:, motion])
        weighted = matrix * weights[:, None]
        normal = weighted.T @ matrix + smoothing * penalty.T @ penalty + 1e-9 * np.eye(pieces + 2)
        found = np.linalg.solve(normal, weighted.T @ targets)
        slopes[:, motion] = found[1:]
        rises = np.cumsum(0.5 * warp.step * (found[1:-1] + found[2:]), axis=0)
        values[:, motion] = found[0] + np.vstack([np.zeros(3), rises])
    return AlignmentCurve(warp, tuple(roots), reference, values, slopes)


def unwrap_sure(turns: Float64, confidence: Float64) -> Float64:
    """Turns (P,) with whole circles added so that neighbours lie near; cells without a sure turn take the nearest sure one's."""
    sure = np.flatnonzero(confidence >= _SURE)
    if len(sure) == 0:
        return np.unwrap(turns)
    order = np.arange(len(turns))
    nearest = sure[np.argmin(np.abs(order[:, None] - sure[None]), axis=1)] if len(sure) < len(turns) else order
    unwrapped = np.empty(len(turns))
    unwrapped[sure] = np.unwrap(turns[sure])
    return unwrapped[nearest]
