"""Plans made step by step: starts, stops, turns, side steps, and standing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from reenact.samples.gait import gait
from reenact.samples.plan import SIDES, FootPlan, Span, Stance
from reenact.samples.walking import TOE_OUT

STAND_HALF = 0.095
"""Metres from the middle to each ankle in a stand."""

SETTLE = 2.5
"""Seconds of standing before and after what is kept."""


@dataclass(slots=True)
class _Down:
    """A foot on the floor whose lift is not yet known."""

    place: tuple[float, float]
    heading: float
    strike: float
    flat: float
    strike_pitch: float = 0.0
    style: str = "plain"
    clearance: float = 0.0
    tuck: float = 0.0
    wide: float = 0.0


@dataclass(slots=True)
class StepScript:
    """Builds a plan out of single steps, beginning with a stand at the origin facing `heading`.

    Attributes:
        heading: radians of the first stand.
        stride_apart: metres the left foot stands before the right one at first.
    """

    heading: float = 0.0
    stride_apart: float = 0.0
    half_width: float = STAND_HALF
    _down: dict[str, _Down] = field(default_factory=dict)
    _done: dict[str, list[Stance]] = field(default_factory=lambda: {"left": [], "right": []})

    def __post_init__(self) -> None:
        for side, sign in (("left", 1.0), ("right", -1.0)):
            place = shift((0.0, 0.0), self.heading, sign * self.half_width, sign * 0.5 * self.stride_apart)
            self._down[side] = _Down(place, self.heading + sign * TOE_OUT, -SETTLE, -SETTLE)

    def step(
        self,
        side: str,
        lift: float,
        strike: float,
        place: tuple[float, float],
        heading: float,
        *,
        rise: float = 0.12,
        land: float = 0.08,
        lift_pitch: float = np.radians(-25),
        strike_pitch: float = 0.0,
        style: str = "plain",
        clearance: float = 0.05,
        tuck: float = 0.0,
        wide: float = 0.0,
    ) -> None:
        """One step: the foot leaves at `lift`, having begun to roll `rise` seconds before, and is flat `land` seconds after `strike`."""
        down = self._down[side]
        self._done[side].append(self._close(side, down, max(down.flat, lift - rise), lift, lift_pitch))
        sign = 1.0 if side == "left" else -1.0
        self._down[side] = _Down(
            place, heading + sign * TOE_OUT, strike, strike + land, strike_pitch, style, clearance, tuck, wide
        )

    @staticmethod
    def _close(side: str, down: _Down, rise: float, lift: float, lift_pitch: float) -> Stance:
        times = (down.strike, down.flat, rise, lift)
        return Stance(
            side,
            down.place,
            down.heading,
            *times,
            down.strike_pitch,
            lift_pitch,
            down.style,
            down.clearance,
            down.tuck,
            down.wide,
        )

    def finish(self, seconds: float, labels: Sequence[Span], cycles: Sequence[float] = ()) -> FootPlan:
        """The plan of a clip of `seconds`; both feet stay where they are until well after its end."""
        end = seconds + SETTLE
        last = {side: self._close(side, self._down[side], end, end, 0.0) for side in SIDES}
        left, right = ((*self._done[side], last[side]) for side in SIDES)
        return FootPlan(left, right, 0.0, seconds, tuple(labels), tuple(cycles))

    def place_of(self, side: str) -> tuple[float, float]:
        """Where a foot stands now."""
        return self._down[side].place


def shift(place: tuple[float, float], heading: float, left: float, forward: float) -> tuple[float, float]:
    """A place (x, z) moved to the left and forward of a heading."""
    c, s = np.cos(heading), np.sin(heading)
    return (float(place[0] + left * c + forward * s), float(place[1] - left * s + forward * c))


@dataclass(frozen=True, slots=True)
class WalkStep:
    """One step of a walk: metres, seconds from strike to strike, and radians of turning to the left."""

    length: float
    duration: float
    turn: float = 0.0


def plan_walk(first: str, steps: Sequence[WalkStep], *, begin: float, rest: float, speed: float) -> FootPlan:
    """A walk from stand to stand.

    Args:
        first: the foot that steps first.
        steps: its steps; a closing step beside the other foot is added.
        begin: seconds of standing before the first foot lifts.
        rest: seconds of standing after the last strike.
        speed: m/s that picks the measured roll of the foot.
    """
    table = gait("walk")
    duty = table.duty(speed)
    half = 0.5 * table.width()
    script = StepScript(half_width=0.075)
    closing = WalkStep(0.0, steps[-1].duration * 1.15)
    side, heading, centre = first, 0.0, (0.0, 0.0)
    strike = begin
    lift = begin
    cycles: list[float] = []
    everything = [*steps, closing]
    for k, step in enumerate(everything):
        heading += step.turn
        centre = shift(centre, heading - 0.5 * step.turn, 0.0, step.length)
        begins = lift
        strike = (strike if k else begin) + step.duration * (1.0 if k else 0.85)
        sign = 1.0 if side == "left" else -1.0
        ends = k == len(everything) - 1
        brisk = min(step.length / max(step.duration * speed, 1e-6), 1.0)
        pitches = {
            "strike_pitch": table.strike_pitch(speed) * brisk,
            "lift_pitch": table.lift_pitch(speed) * (0.55 if k == 0 or ends else 1.0),
        }
        roll = {"rise": 0.5 * duty * 2 * step.duration * 0.85, "land": 0.2 * duty * 2 * step.duration}
        place = shift(centre, heading, sign * (0.075 if ends else half), 0.0)
        script.step(
            side,
            begins,
            strike,
            place,
            heading,
            **pitches,
            **roll,
            style="plain" if ends else "walk",
            clearance=0.03 if ends else 0.0,
        )
        if side == "left":
            cycles.append(strike)
        later = everything[k + 1] if k + 1 < len(everything) else step
        lift = strike + (duty - 0.5) * 2 * later.duration
        side = "right" if side == "left" else "left"
    labels = (
        Span("stand", -SETTLE, begin),
        Span("walk", begin, strike + 0.1),
        Span("stand", strike + 0.1, strike + rest + SETTLE),
    )
    return script.finish(strike + rest, labels, cycles)
