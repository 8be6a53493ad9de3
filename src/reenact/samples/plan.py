"""What is decided before anything moves: where and when each foot stands.

Every contact, gait class and cycle boundary of a sample is read from its plan, never detected.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Float
from reenact.errors import ParameterError

SIDES = ("left", "right")
_PAUSE = 0.9  # seconds on both feet after which the weight settles between them
_SETTLE = 0.45  # seconds of a shift of weight to or from standing


@dataclass(frozen=True, slots=True)
class Stance:
    """One foot on the floor from strike to lift.

    Attributes:
        side: "left" or "right".
        place: (x, z) metres, the ankle's place on the floor while the foot is flat.
        heading: radians, where the foot points.
        strike, flat, rise, lift: seconds, in this order: first touch, whole sole down, first part leaves, last part leaves.
        strike_pitch: radians at strike; toes up (positive) lands on the heel, toes down on the ball, 0 flat.
        lift_pitch: radians at lift; toes down (negative) leaves over the ball, toes up over the heel.
        style: shape of the swing that leads here: "walk", "run" (the measured ones), "plain" (a smooth arc) or "jump" (an arc that ends
            in a landing).
        clearance: metres the ankle is raised in that swing beyond the style.
        tuck: radians the foot points down (positive) in the middle of that swing beyond the style.
        wide: metres that swing passes sideways outwards (a foot led around the other).
    """

    side: str
    place: tuple[float, float]
    heading: float
    strike: float
    flat: float
    rise: float
    lift: float
    strike_pitch: float = 0.0
    lift_pitch: float = 0.0
    style: str = "plain"
    clearance: float = 0.0
    tuck: float = 0.0
    wide: float = 0.0

    def __post_init__(self) -> None:
        if not self.strike <= self.flat <= self.rise <= self.lift:
            raise ParameterError(
                f"strike, flat, rise, lift must come in order, not {self.strike}, {self.flat}, {self.rise}, {self.lift}"
            )


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the plan with one gait class.

    Attributes:
        label: "stand", "walk", "run", "jump" or "other".
        start, end: seconds.
    """

    label: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class FootPlan:
    """Stances of both feet in the order of time.

    Attributes:
        left, right: stances of each foot; those of one foot do not overlap.
        start, end: seconds of the motion that is kept; the plan may reach beyond, so that a walk is already steady at its start.
        labels: gait classes; time not covered is "other".
        cycles: seconds at which gait cycles begin.
    """

    left: tuple[Stance, ...]
    right: tuple[Stance, ...]
    start: float
    end: float
    labels: tuple[Span, ...] = ()
    cycles: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        for side in SIDES:
            stances = self.of(side)
            for before, after in itertools.pairwise(stances):
                if after.strike <= before.lift:
                    raise ParameterError(
                        f"the {side} foot strikes at {after.strike:.3f} s before it lifted at {before.lift:.3f} s"
                    )

    def of(self, side: str) -> tuple[Stance, ...]:
        """Stances of one foot."""
        return self.left if side == "left" else self.right


def left_share(plan: FootPlan, times: Float) -> Float:
    """(F,) share of the weight on the left foot: all on the only foot down, passing over while both are down, half in a long stand."""
    keys: list[tuple[float, float]] = []
    for side in SIDES:
        on = 1.0 if side == "left" else 0.0
        for stance in plan.of(side):
            for when in (stance.strike, stance.lift):
                held = any(
                    s.strike < when - 1e-6 and s.lift > when + 1e-6
                    for s in plan.of("right" if side == "left" else "left")
                )
                keys.append((when, 1 - on if held else on))  # the other foot still has the weight, or there is no other
    keys.sort()
    merged: list[tuple[float, float]] = []
    for when, share in keys:
        if merged and when - merged[-1][0] < 1e-4 and merged[-1][1] != share:
            merged[-1] = (when, 0.5)  # both feet at once: a jump
        else:
            merged.append((when, share))
    filled = [merged[0]]
    for before, after in itertools.pairwise(merged):
        both_down = all(
            any(s.strike <= before[0] + 1e-9 and after[0] <= s.lift + 1e-9 for s in plan.of(side)) for side in SIDES
        )
        if both_down and after[0] - before[0] > _PAUSE:
            filled += [(before[0] + _SETTLE, 0.5), (after[0] - _SETTLE, 0.5)]
        filled.append(after)
    first, last = filled[0], filled[-1]
    filled = [(first[0], 0.5), (first[0] + _SETTLE, 0.5), *filled[1:-1], (last[0] - _SETTLE, 0.5), (last[0], 0.5)]
    filled.sort()
    when, share = np.array(filled).T
    return np.interp(times, when, share)
