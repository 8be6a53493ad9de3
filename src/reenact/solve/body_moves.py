"""The small smooth move of the body that lets its legs come to where the feet are held.

A least-squares problem over all frames at once. The unknown is what the body is moved by in each frame. Wanted are: little of it; little
acceleration, measured by what the body does by itself, so that one that stands still is not jolted; knees that are bent much as before;
and what they are bent by to change without pops, measured by what the knees do by themselves. The bend of a nearly straight knee changes
without bound with the reach of its leg; near there a damped one stands for it, which goes on below zero where the leg is too short.

Frames only feel their next two neighbours, so each step of the iteration (Gauss and Newton's) is one banded system.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Bool, Float

_ROUNDS = 8
_DAMPED = 0.06  # radians of bend below which a knee's is damped
_BODY = 0.025  # metres the body is moved that weigh as much as ...
_KNEE = 0.1  # ... so many radians of a knee
_SHARE = (0.2, 0.2)  # of what body and knees are pushed by themselves: an added push that weighs as much
_LEAST = (0.25, 1.5)  # m/s^2, at least
_LEVER = 0.2  # metres a knee moves for a radian of bend, about
_LOOSE = 0.7  # of that for a foot in the air
_PINNED = 1e5
_FIRM = 0.001  # metres from where the body shall be over the ground that weigh as much
_SETTLED = 2e-5  # metres


@dataclass(frozen=True, slots=True, eq=False)
class Legs:
    """Legs, and where their ankles shall be: (F, L, 3) metres each.

    Attributes:
        hips, knees, ankles: as they are.
        targets: where the ankles shall be.
        planted: (F, L) frames in which a foot is held.
        active: (F,) frames in which the body may move.
        pushes: m/s^2, how hard the hips and the knees are mostly pushed in the motion as it is.
    """

    hips: Float
    knees: Float
    ankles: Float
    targets: Float
    planted: Bool
    active: Bool
    pushes: tuple[float, float]


def move_body(legs: Legs, fps: float, most: float, offset: Float | None = None, *, reach_only: bool = False) -> Float:
    """(F, 3) metres the body is moved, smooth over time; nothing in frames that are not active.

    Args:
        legs: see `Legs`.
        fps: frames per second.
        most: metres it may be moved, beyond the offset.
        offset: (F, 3) metres over the ground that it shall be moved by in any case, smooth over time and zero in frames that are
            not active.
        reach_only: the body is where it should be: it is moved for legs that do not reach, but not to spare knees.
    """
    moved = np.zeros((len(legs.hips), 3))
    if legs.active.any() and most > 0:
        moved = _limited(_spare_knees(legs, fps, moved, reach_only=reach_only), most)
    if offset is None or not offset.any():
        return moved
    if most <= 0:
        return offset.copy()
    # where the body goes over the ground is given now; how high it is then spares the knees
    firm = np.any(offset != 0.0, axis=1)
    return offset + _limited(
        _spare_knees(legs, fps, offset, moved + offset, firm, reach_only=reach_only) - offset, most
    )


def _limited(shift: Float, most: float) -> Float:
    """Moves (F, 3), ever closer to the limit and never beyond."""
    size, half = np.linalg.norm(shift, axis=1), 0.5 * most
    less = np.where(size > half, half * (1 + np.tanh((size - half) / half)) / np.maximum(size, 1e-12), 1.0)
    return shift * less[:, None]


def _spare_knees(
    legs: Legs,
    fps: float,
    start: Float,
    given: Float | None = None,
    firm: Bool | None = None,
    *,
    reach_only: bool = False,
) -> Float:
    """(F, 3) metres, the least moves beyond `start` (F, 3) that spare the knees; over the ground as `given` in frames that are firm."""
    frames, shift = len(legs.hips), start.copy()
    first, second = np.linalg.norm(legs.knees - legs.hips, axis=2), np.linalg.norm(legs.ankles - legs.knees, axis=2)
    full, scale = first + second, np.maximum(first * second, 1e-9)
    own, _ = _bend(full, scale, np.linalg.norm(legs.ankles - legs.hips, axis=2))
    calm_body, calm_knee = (
        fps * fps / max(share * push, least) for share, push, least in zip(_SHARE, legs.pushes, _LEAST, strict=True)
    )
    calm_knee *= _LEVER
    stay = np.where(legs.active, 1.0 / _BODY, _PINNED)
    for _ in range(_ROUNDS):
        way = legs.targets - legs.hips - shift[:, None]
        far = np.maximum(np.linalg.norm(way, axis=2), 1e-9)
        aim = way / far[..., None]
        bend, slope = _bend(full, scale, far)
        # bend + gradient . step
        off, gradient = bend - own, -slope[..., None] * aim
        if reach_only:
            short = bend < _DAMPED
            off, gradient = np.where(short, bend - _DAMPED, 0.0), np.where(short[..., None], gradient, 0.0)
        system = _Banded(frames)
        system.add(stay, np.eye(3)[None], shift - start)
        if given is not None and firm is not None:
            system.add(np.where(firm, 1.0 / _FIRM, 0.0), np.eye(3)[None, [0, 2]], (shift - given)[:, [0, 2]])
        system.add_second_difference(calm_body, np.broadcast_to(np.eye(3), (frames, 3, 3)), shift - start)
        for n in range(first.shape[1]):
            row = gradient[:, n, None, :]
            weight = np.where(legs.planted[:, n], 1.0, _LOOSE) * legs.active / _KNEE
            system.add(weight, row, off[:, n, None])
            system.add_second_difference(
                calm_knee, row * legs.active[:, None, None], (off[:, n] * legs.active)[:, None]
            )
        step = system.solve()
        shift = shift + step
        if float(np.abs(step).max()) < _SETTLED:
            break
    shift[~legs.active] = 0.0
    return shift


def _bend(full: Float, scale: Float, reach: Float) -> tuple[Float, Float]:
    """The damped bend of knees in radians, and its slope by the reach in radians per metre."""
    square = (full**2 - reach**2) / scale  # (2 sin(bend / 2))^2, below zero beyond reach
    wide = np.abs(square) + _DAMPED**2
    bend = square / np.sqrt(wide)
    slope = (0.5 * np.abs(square) + _DAMPED**2) / wide**1.5 * (-2 * reach / scale)
    return bend, slope


class _Banded:
    """Normal equations of rows that couple a frame with its next two, three unknowns a frame."""

    def __init__(self, frames: int) -> None:
        self.blocks = np.zeros((3, frames, 3, 3))  # [k, t]: between frame t and frame t + k
        self.right = np.zeros((frames, 3))

    def add(self, weight: Float, rows: Float, residual: Float) -> None:
        """Rows (F or 1, M, 3) of frame t alone with residuals (F, M), weighted (F,)."""
        square = weight**2
        self.blocks[0] += square[:, None, None] * np.einsum("fmi,fmj->fij", rows, rows)
        self.right -= square[:, None] * np.einsum(
            "fmi,fm->fi", np.broadcast_to(rows, (len(weight), *rows.shape[1:])), residual
        )

    def add_second_difference(self, weight: float, rows: Float, residual: Float) -> None:
        """The second difference over frames of rows (F, M, 3) with residuals (F, M), weighted."""
        frames = len(rows)
        if frames < 3:
            return
        square, parts = weight * weight, (1.0, -2.0, 1.0)
        bent = residual[:-2] - 2 * residual[1:-1] + residual[2:]
        for a in range(3):
            near = rows[a : frames - 2 + a]
            self.right[a : frames - 2 + a] -= square * parts[a] * np.einsum("fmi,fm->fi", near, bent)
            for b in range(a, 3):
                other = rows[b : frames - 2 + b]
                self.blocks[b - a, a : frames - 2 + a] += (
                    square * parts[a] * parts[b] * np.einsum("fmi,fmj->fij", near, other)
                )

    def solve(self) -> Float:
        """(F, 3) the unknowns."""
        from scipy.linalg import solveh_banded

        frames = len(self.right)
        size = 3 * frames
        lower = np.zeros((9, size))  # lower[i - j, j] = A[i, j]
        for k in range(3):
            block = self.blocks[k]
            for i in range(3):
                for j in range(3):
                    down = 3 * k + j - i  # row of frame t + k, column of frame t: A[3 (t + k) + j, 3 t + i]
                    if down < 0:
                        continue
                    count = frames - k
                    lower[down, 3 * np.arange(count) + i] = block[:count, i, j]
        return solveh_banded(lower, self.right.reshape(-1), lower=True, overwrite_ab=True, check_finite=False).reshape(
            -1, 3
        )
