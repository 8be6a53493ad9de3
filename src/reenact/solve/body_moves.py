"""The small smooth move of the body that lets its legs come to where the feet are held.

A least-squares problem over all frames at once. The unknown is what the body is moved by in each frame. Wanted are: little of it; little
acceleration, measured by what the body does by itself, so that one that stands still is not jolted; knees that are bent much as before;
and what they are bent by to change without pops, measured by what the knees do by themselves. The bend of a nearly straight knee changes
without bound with the reach of its leg; near there a damped one stands for it, which goes on below zero where the leg is too short.

Frames only feel their next two neighbours, so each step of the iteration (Gauss and Newton's) is one banded system. The bend of a straight
knee turns round within a fraction of a millimetre of reach, which would throw such steps about; so the first ones see it damped
much more, where all is nearly linear, and a step that does not lessen what is wanted is made shorter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact import kernels
from reenact.core.arrays import Bool, Float

_DAMPED = 0.06  # radians of bend below which a knee's is damped
_FIRST_DAMPED, _GRADES = 1.0, 10  # the same in the first step, and steps until it is as above
_ROUNDS = 10  # steps after that
_HALVINGS = 4  # of a step that is too long
_BODY = 0.025  # metres the body is moved that weigh as much as ...
_KNEE = 0.1  # ... so many radians of a knee
_GLITCH = 10.0  # times what body and knees mostly are pushed: beyond that a recording jumps
_SHARE = (0.2, 0.2)  # of what body and knees are pushed by themselves: an added push that weighs as much
_LEAST = (0.25, 1.5)  # m/s^2, at least
_LEVER = 0.2  # metres a knee moves for a radian of bend, about
_ADULT = 0.85  # metres, the legs for which lengths here are meant; for others they are as much longer or shorter
_LOOSE = 0.7  # of that for a foot in the air
_PINNED = 1e5
_FIRM = 0.001  # metres from where the body shall be over the ground that weigh as much
_SETTLED = 2e-5  # metres
_DAMPINGS = np.array([*np.geomspace(_FIRST_DAMPED, _DAMPED, _GRADES), *[_DAMPED] * _ROUNDS])


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


def move_body(
    legs: Legs,
    fps: float,
    most: float,
    offset: Float | None = None,
    *,
    reach_only: bool = False,
    over_ground: float | None = None,
    kept: tuple[Bool, Float] | None = None,
    upright: float = 1.0,
) -> Float:
    """(F, 3) metres the body is moved, smooth over time; nothing in frames that are not active.

    Args:
        legs: see `Legs`.
        fps: frames per second.
        most: metres it may be moved, beyond the offset.
        offset: (F, 3) metres over the ground that it shall be moved by in any case, smooth over time and zero in frames that are
            not active.
        reach_only: the body is where it should be: it is moved for legs that do not reach, but not to spare knees.
        over_ground: metres that the body is moved over the ground which weigh as much as 0.1 radians of a knee; default: it is moved
            as freely there as upwards.
        kept: (F,) frames in which it is moved as it was before, and (F, 3) metres of that; without an offset.
        upright: how many times as much as usual it matters that knees are bent much as before.
    """
    moved = np.zeros((len(legs.hips), 3))
    if legs.active.any() and most > 0:
        firm = None if over_ground is None else legs.active
        known = None if kept is None else (kept[0], _unlimited(kept[1], most))
        width = over_ground or _FIRM
        moved = _spare_knees(
            legs, fps, moved, moved, firm, reach_only=reach_only, width=width, upright=upright, kept=known
        )
        moved = _limited(moved, most)
    if offset is None or not offset.any():
        return moved
    if most <= 0:
        return offset.copy()
    # where the body goes over the ground is given now; how high it is then spares the knees
    firm = np.any(offset != 0.0, axis=1)
    spared = _spare_knees(legs, fps, offset, moved + offset, firm, reach_only=reach_only, upright=upright)
    return offset + _limited(spared - offset, most)


def _calmness(legs: Legs, lengths: tuple[Float, Float, Float], lever: float, fps: float) -> tuple[Float, Float]:
    """Weights of the second differences that begin in each frame, of the body (F,) and of what the knees are bent by (F, L).

    Where hips or knees are pushed harder by themselves than they mostly are (a landing, a frame in which a recording jumps) as much
    harder a push counts as little.
    """
    full, scale, own = lengths
    square = np.maximum((full**2 - own**2) / scale, 0.0)
    bends = square / np.sqrt(square + _DAMPED**2)
    hips = np.linalg.norm(_second_differences(legs.hips.mean(axis=1)), axis=1)
    pushes = hips * fps * fps, np.abs(_second_differences(bends)) * lever * fps * fps
    body, knee = (
        fps * fps / np.maximum(share * np.maximum(push - _GLITCH * mostly, mostly), least)
        for share, push, mostly, least in zip(_SHARE, pushes, legs.pushes, _LEAST, strict=True)
    )
    return body, lever * knee


def _second_differences(values: Float) -> Float:
    """(F, ...) the second difference that begins in each frame; nothing in the last two."""
    out = np.zeros_like(values)
    out[:-2] = np.diff(values, 2, axis=0)
    return out


def _limited(shift: Float, most: float) -> Float:
    """Moves (F, 3), ever closer to the limit and never beyond."""
    size, half = np.linalg.norm(shift, axis=1), 0.5 * most
    less = np.where(size > half, half * (1 + np.tanh((size - half) / half)) / np.maximum(size, 1e-12), 1.0)
    return shift * less[:, None]


def _unlimited(shift: Float, most: float) -> Float:
    """The moves (F, 3) that are limited to these."""
    size, half = np.linalg.norm(shift, axis=1), 0.5 * most
    over = half * (1 + np.arctanh(np.clip(size / half - 1.0, 0.0, 1.0 - 1e-9)))
    return shift * np.where(size > half, over / np.maximum(size, 1e-12), 1.0)[:, None]


def _spare_knees(
    legs: Legs,
    fps: float,
    start: Float,
    given: Float | None = None,
    firm: Bool | None = None,
    *,
    reach_only: bool = False,
    width: float = _FIRM,
    kept: tuple[Bool, Float] | None = None,
    upright: float = 1.0,
) -> Float:
    """(F, 3) metres, the least moves beyond `start` (F, 3) that spare the knees; over the ground as `given` in frames that are firm.

    `width` are metres from there that weigh as much as 0.1 radians of a knee; for `kept` see `move_body`.
    """
    first, second = np.linalg.norm(legs.knees - legs.hips, axis=2), np.linalg.norm(legs.ankles - legs.knees, axis=2)
    legs_as_they_are = (
        legs.targets - legs.hips,
        first + second,
        np.maximum(first * second, 1e-9),
        np.linalg.norm(legs.ankles - legs.hips, axis=2),
    )
    size = float(np.mean(first + second)) / _ADULT
    calm_body, calm_knee = _calmness(legs, legs_as_they_are[1:], size * _LEVER, fps)
    stay = np.where(legs.active, 1.0 / (size * _BODY), _PINNED)
    loose = np.where(legs.planted, 1.0, _LOOSE) * upright / _KNEE
    firm = np.zeros(len(start), np.bool_) if given is None or firm is None else firm
    given = start if given is None else given
    still, begun = (np.zeros(len(start), np.bool_), start) if kept is None else kept
    begun = np.where(still[:, None], begun, start)

    shift = kernels.body_moves.spare_knees(
        *legs_as_they_are, legs.active, start, given, firm, stay, loose, calm_body, calm_knee, width, reach_only,
        _DAMPINGS, _HALVINGS, _SETTLED, begun, still,
    )  # fmt: skip
    shift[~(legs.active | still)] = 0.0
    return shift
