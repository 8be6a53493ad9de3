"""Whole curves of turns optimised at once: Gauss-Newton steps over the control points of splines, damped, within bounds.

A per-frame repair glues a limb to what it would run through, and drops what it did there; a curve with few control points displaces its
whole path and keeps its shape. Every residual depends on four control points, so that the equations have few diagonals and a step costs as
much as the clip is long. Control points that no violated frame depends on are left at zero: a motion that needs nothing stays what it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from reenact import kernels
from reenact.adapt.control_points import REACH, ControlPoints
from reenact.adapt.degrees import Degrees, Posed
from reenact.adapt.terms import Term
from reenact.core.arrays import Bool, Float, Float64, Int32

_CALM = 4.0  # of a second difference of control points, against a radian of change
_FADE = 3  # control points beside those of violated frames that may move, so that a correction comes and goes softly
_STEP = 0.35  # radians that a control point moves in one step at most
_DAMPED, _LESS, _MORE = 1e-3, 0.4, 6.0
_ENOUGH = 2e-3  # of the objective: a step that gains less is the last
_TRIES = 4


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """Control points that were found.

    Attributes:
        points: (K, D) radians.
        costs: the objective before and after each step that was taken; it never rises.
        by_term: name of a term -> its part of the objective, before and after.
    """

    points: Float64
    costs: tuple[float, ...]
    by_term: dict[str, tuple[float, float]] = field(default_factory=dict)


def solve_curves(
    degrees: Degrees,
    control: ControlPoints,
    frames: Int32,
    wanted: Sequence[Term],
    kept: Sequence[Term],
    *,
    steps: int = 12,
    start: Float64 | None = None,
) -> Solved:
    """Curves of the degrees of freedom with as little as possible left of what is wanted, and as much as possible kept.

    Args:
        degrees: what turns, on the frames looked at.
        control: where control points are, by frames of the clip.
        frames: (F,) which frames of the clip are looked at.
        wanted: terms that are zero where nothing is wrong; without any residual nothing is done.
        kept: terms that hold the motion as it is.
        steps: most steps.
        start: (K, D) control points to begin with.
    """
    first, weights = control.basis(frames)
    points = np.zeros((control.count, len(degrees))) if start is None else start.copy()
    state = _State(degrees, control, first, weights, frames)
    posed = state.pose(points)
    found = [term.residuals(posed) for term in wanted]
    free = np.zeros(control.count, np.bool_) if start is None else np.abs(points).max(axis=1) > 0
    free |= state.freed([one.frames for one in found])
    if not free.any():
        return Solved(points, (0.0,))
    cost, parts = _cost(wanted, kept, found, posed, points)
    before, costs, damping = parts, [cost], _DAMPED
    for _ in range(steps):
        step = None
        matrix, right = state.equations(found, [term.residuals(posed) for term in kept], points)
        for _ in range(_TRIES):
            step = state.solve(matrix, right, free, damping, degrees)
            tried = np.clip(points + step, degrees.low, degrees.high)
            tried_pose = state.pose(tried)
            tried_found = [term.residuals(tried_pose) for term in wanted]
            tried_cost, tried_parts = _cost(wanted, kept, tried_found, tried_pose, tried)
            if tried_cost < cost:
                break
            damping *= _MORE
        else:
            break
        gained, points, posed, found, parts = cost - tried_cost, tried, tried_pose, tried_found, tried_parts
        cost, damping = tried_cost, max(damping * _LESS, 1e-9)
        costs.append(cost)
        more = free | state.freed([one.frames for one in found])
        if gained < _ENOUGH * cost and np.array_equal(more, free):
            break
        free = more
    return Solved(points, tuple(costs), {name: (before[name], parts[name]) for name in before})


def _cost(wanted, kept, found, posed: Posed, points: Float64) -> tuple[float, dict[str, float]]:
    parts: dict[str, float] = {}
    for term, one in zip(wanted, found, strict=True):
        parts[term.name] = parts.get(term.name, 0.0) + 0.5 * float(one.values @ one.values)
    for term in kept:
        one = term.residuals(posed)
        parts[term.name] = parts.get(term.name, 0.0) + 0.5 * float(one.values @ one.values)
    bends = _CALM * np.diff(points, 2, axis=0)
    parts["calm"] = 0.5 * float((bends * bends).sum())
    return sum(parts.values()), parts


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    degrees: Degrees
    control: ControlPoints
    first: Int32
    weights: Float
    frames: Int32

    def pose(self, points: Float64) -> Posed:
        values = np.einsum("fk,fkd->fd", self.weights, points[self.first[:, None] + np.arange(REACH)])
        return self.degrees.pose(values)

    def freed(self, violated: Sequence[Int32]) -> Bool:
        numbers = np.unique(np.concatenate([*violated, np.zeros(0, np.int32)]))
        return self.control.touched(self.frames[numbers], _FADE)

    def equations(self, found, held, points: Float64) -> tuple[Float64, Float64]:
        """Lower bands (4 D, K D) of the normal equations, and the right side (K D,)."""
        dofs, count = len(self.degrees), self.control.count
        squares, pulls = np.zeros((len(self.frames), dofs, dofs)), np.zeros((len(self.frames), dofs))
        for one in (*found, *held):
            kernels.spline_equations.add_residuals(one.frames, one.values, one.slopes, squares, pulls)
        lower, right = np.zeros((REACH * dofs, count * dofs)), np.zeros(count * dofs)
        kernels.spline_equations.add_frames(squares, pulls, self.first, self.weights, lower, right)
        kernels.spline_equations.add_calm(points, _CALM * _CALM, lower, right)
        return lower, right

    def solve(self, lower: Float64, right: Float64, free: Bool, damping: float, degrees: Degrees) -> Float64:
        dofs = len(degrees)
        matrix, side = lower.copy(), right.copy()
        matrix[0] *= 1 + damping
        matrix[0] += damping
        pinned = np.flatnonzero(~np.repeat(free, dofs))
        side[pinned] = 0.0
        matrix[:, pinned] = 0.0
        for band in range(1, len(matrix)):
            rows = pinned - band
            matrix[band, rows[rows >= 0]] = 0.0
        matrix[0, pinned] = 1.0
        step = kernels.banded.solve_banded(matrix, side).reshape(-1, dofs)
        size = np.abs(step).max()
        return step * min(1.0, _STEP / size) if size > 0 else step
