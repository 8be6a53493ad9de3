"""Curves over time from a few control points: uniform cubic B-splines, whose every value depends on four of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Bool, Float, Float64, Int, Int32

REACH = 4
"""Control points that a value depends on."""


@dataclass(frozen=True, slots=True, eq=False)
class ControlPoints:
    """Where the control points of a clip are.

    Attributes:
        count: how many.
        spacing: frames from one to the next.
    """

    count: int
    spacing: float

    @property
    def frames(self) -> Float:
        """(K,) the frame at which each counts most; the first and last two lie outside the clip."""
        return (np.arange(self.count) - 1) * self.spacing

    def basis(self, frames: Float | Int) -> tuple[Int32, Float]:
        """For frames (F,): the first of the four control points each depends on (F,), and its weights (F, 4)."""
        at = np.asarray(frames, np.float64) / self.spacing
        first = np.clip(np.floor(at).astype(np.int32), 0, self.count - REACH)
        u = at - first
        weights = np.stack([(1 - u) ** 3, 3 * u**3 - 6 * u**2 + 4, -3 * u**3 + 3 * u**2 + 3 * u + 1, u**3], axis=1) / 6
        return first, weights

    def values(self, points: Float, frames: Float | Int) -> Float64:
        """(F, D) values at frames of curves with control points (K, D)."""
        first, weights = self.basis(frames)
        return np.einsum("fk,fkd->fd", weights, points[first[:, None] + np.arange(REACH)])

    def touched(self, frames: Int, beside: int = 0) -> Bool:
        """(K,) control points that the values at some frames depend on, and so many beside."""
        found = np.zeros(self.count, np.bool_)
        if len(frames):
            first, _ = self.basis(frames)
            for n in range(-beside, REACH + beside):
                found[np.clip(np.unique(first) + n, 0, self.count - 1)] = True
        return found


def place_control_points(frames: int, fps: float, seconds: float) -> ControlPoints:
    """Control points for a clip, about so many seconds apart."""
    spans = max(1, round((frames - 1) / max(seconds * fps, 1.0)))
    spacing = max(frames - 1, 1) / spans
    return ControlPoints(spans + REACH - 1, spacing)
