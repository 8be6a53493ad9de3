"""Steady walking and running along a line or a circle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Float
from reenact.samples.assembling import Timeline
from reenact.samples.gait import GRAVITY, gait
from reenact.samples.plan import FootPlan, Span, Stance
from reenact.samples.posing import standing_height
from reenact.samples.posture import Posture, gait_posture, lean

TOE_OUT = np.radians(7.0)
"""The foot points outwards by about 7 degrees (Murray, Drought and Kory 1964)."""

MARGIN = 3.0
"""Seconds of gait before and after what is kept, so that the body is in its steady motion at both ends."""

_FLAT, _RISE = {"walk": 0.20, "run": 0.22}, {"walk": 0.50, "run": 0.42}  # shares of the stance
_CADENCE = {
    "walk": 1.06,
    "run": 1.0,
}  # the sample person's legs want walking steps a little shorter than the average of the recordings
_UNDER = {"walk": 0.46, "run": 0.44}  # share of the stance at which the body is over the ankle


@dataclass(frozen=True, slots=True)
class Course:
    """A steady gait.

    Attributes:
        kind: "walk" or "run".
        speed: metres per second.
        seconds: length of the clip.
        radius: metres of the circle, positive to the left; inf goes straight.
        cadence: factor on the measured stride frequency for this speed (below 1: longer, slower steps).
        width: factor on the measured width.
        clearance: metres the feet are lifted further (march, sneak).
        tuck: radians the swinging foot hangs down further.
        strike_pitch: radians, or None for the measured one.
        lift_pitch: radians, or None for the measured one.
        duty: share of the stride a foot is down, or None for the measured one.
        flat, rise: shares of the stance at which the sole is down and begins to leave, or None.
    """

    kind: str
    speed: float
    seconds: float
    radius: float = float("inf")
    cadence: float = 1.0
    width: float = 1.0
    clearance: float = 0.0
    tuck: float = 0.0
    strike_pitch: float | None = None
    lift_pitch: float | None = None
    duty: float | None = None
    flat: float | None = None
    rise: float | None = None
    variation: float = 1.0

    @property
    def stride(self) -> float:
        """Seconds of a stride."""
        return 1 / (gait(self.kind).frequency(self.speed) * self.cadence * _CADENCE[self.kind])

    @property
    def duty_factor(self) -> float:
        """Share of the stride a foot is down."""
        return gait(self.kind).duty(self.speed) if self.duty is None else self.duty


def plan_course(course: Course, rng: np.random.Generator) -> FootPlan:
    """Footsteps of a steady gait; places vary by some millimetres from step to step, as they do in people."""
    table = gait(course.kind)
    cycle, duty = course.stride, course.duty_factor
    strike_pitch = table.strike_pitch(course.speed) if course.strike_pitch is None else course.strike_pitch
    lift_pitch = table.lift_pitch(course.speed) if course.lift_pitch is None else course.lift_pitch
    flat = _FLAT[course.kind] if course.flat is None else course.flat
    rise = _RISE[course.kind] if course.rise is None else course.rise
    first = -int(np.ceil(MARGIN / cycle)) - 1
    last = int(np.ceil((course.seconds + MARGIN) / cycle)) + 1
    stances: dict[str, list[Stance]] = {"left": [], "right": []}
    cycles = []
    for k in range(first, last):
        for side, sign, shift in (("left", 1.0, 0.0), ("right", -1.0, 0.5)):
            strike = (k + shift) * cycle
            down = duty * cycle
            jitter = rng.normal(0, [0.004, 0.006, 0.012]) * course.variation
            along = course.speed * (strike + _UNDER[course.kind] * down) + jitter[1]
            across = sign * (0.5 * table.width() * course.width) + jitter[0]
            (x, z), turned = follow(course, along, across)
            if shift == 0.0:
                cycles.append(strike)
            pitches = strike_pitch + 2 * jitter[2], lift_pitch + 2 * jitter[2]
            stances[side].append(
                Stance(
                    *(side, (x, z), turned + sign * TOE_OUT + jitter[2]),
                    *(strike, strike + flat * down, strike + rise * down, strike + down),
                    *(pitches[0], pitches[1], course.kind, course.clearance, course.tuck),
                )
            )
    whole = (stances["left"][0].strike, stances["right"][-1].lift)
    label = Span(course.kind, *whole)
    return FootPlan(tuple(stances["left"]), tuple(stances["right"]), 0.0, course.seconds, (label,), tuple(cycles))


def follow(course: Course, along: float, across: float) -> tuple[tuple[float, float], float]:
    """Place (x, z) and heading of a foot when the body is `along` metres on its way; `across` counts to the left.

    On a circle the body leans inwards, so that the feet go on a wider circle than the centre of mass: the pendulum of
    `solve_balance` asks for a radius larger by the factor 1 + w^2 h / g, with w the turning rate and h the height of the centre.
    """
    if np.isinf(course.radius):
        return (across, along), 0.0
    angle = along / course.radius
    wider = course.radius * (1 + (course.speed / course.radius) ** 2 * standing_height() / GRAVITY)
    outer = wider - across
    return (wider - outer * np.cos(angle), outer * np.sin(angle)), angle


def bob(course: Course, line: Timeline) -> Float:
    """(F,) metres the centre of mass rises and falls about its mean.

    Walking: the measured curve. Running: twice integrated from a push of half a sine on the floor (Blickhan 1989), so that the flight
    is free fall.
    """
    if course.kind == "walk":
        up = gait("walk").curve("com", line.phase, course.speed)[:, 2]
        return up - gait("walk").curve("com", np.arange(32) / 32, course.speed)[:, 2].mean()
    step, down = course.stride / 2, course.stride * course.duty_factor
    return bounce(np.mod(line.times, step), step, down)


def bounce(since: Float, step: float, down: float) -> Float:
    """(F,) height about the landing height at times `since` landing: half-sine push for `down` seconds, free fall until `step`."""
    push = GRAVITY * step * np.pi / (2 * down)  # the impulse over the stance carries the weight over the whole step
    w = np.pi / down
    fall = GRAVITY * (step - down) / 2  # speed at landing
    on = since < down
    t = np.where(on, since, down)
    low = -fall * t - GRAVITY * t**2 / 2 + push / w * (t - np.sin(w * t) / w)
    after = np.where(on, 0.0, since - down)
    return low + fall * after - GRAVITY * after**2 / 2


def follow_posture(course: Course, line: Timeline) -> Posture:
    """The measured upper body, leaning into the curve and looking ahead along it."""
    posture = gait_posture(course.kind, line.phase, np.full(len(line.times), course.speed))
    if np.isinf(course.radius):
        return posture
    tilt = -np.degrees(np.arctan(course.speed**2 / (GRAVITY * course.radius)))
    ahead = np.degrees(np.clip(0.35 * course.speed / course.radius, -0.5, 0.5))
    return lean(posture, pelvis=(0, 0, 0.5 * tilt), chest=(0, 0.3 * ahead, 0.7 * tilt), head=(0, ahead, 0.3 * tilt))
