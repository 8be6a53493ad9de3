"""Samples on two feet that stay where they are, and those made of single steps: stand, turn, side step, start, stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from reenact.core.arrays import Float
from reenact.samples.assembling import About, Timeline, finish_sample, lay_out
from reenact.samples.gait import gait
from reenact.samples.layers import breathe, key_curve, wander
from reenact.samples.plan import FootPlan, Span
from reenact.samples.posing import posture_rise
from reenact.samples.posture import Posture, blend_postures, gait_posture, lean, stand_posture
from reenact.samples.steps import SETTLE, StepScript, WalkStep, plan_walk, shift
from reenact.samples.truth import Sample
from reenact.samples.walking import Course

Layer = Callable[[Posture, Timeline], Posture]


def sway(line: Timeline, rng: np.random.Generator, size: float = 0.006) -> Timeline:
    """The timeline with the pressure wandering by some millimetres, as under anyone who stands."""
    drift = np.stack([wander(line.times, rng, 0.7), 1.3 * wander(line.times, rng, 0.6)], axis=1)
    return replace(line, pressure=line.pressure + size * drift)


def make_stand(
    about: About,
    seconds: float,
    fps: float,
    rng: np.random.Generator,
    layer: Layer | None = None,
    shifting: float = 0.0,
    label: str = "stand",
) -> Sample:
    """Standing, perhaps with something done by the upper body; `shifting` metres of weight shift from leg to leg."""
    script = StepScript()
    plan = script.finish(seconds, (Span(label, -SETTLE, seconds + SETTLE),))
    line = sway(lay_out(plan, fps), rng)
    posture = breathe(stand_posture(len(line.times)), line.times, rng)
    low = np.zeros(len(line.times))
    if shifting:
        side = key_curve(
            line.times,
            [
                (0.0, 0.0),
                (1.2, 1.0),
                (0.42 * seconds, 1.0),
                (0.6 * seconds, -1.0),
                (0.85 * seconds, -1.0),
                (seconds, 0.0),
            ],
            0.2,
        )
        line = replace(line, pressure=line.pressure + np.stack([shifting * side, 0 * side], axis=1))
        posture = lean(
            posture,
            pelvis=np.stack([0 * side, 4 * side, -5 * side], axis=1),
            chest=np.stack([0 * side, 2 * side, 2 * side], axis=1),
        )
        low = -0.012 * np.abs(side)
    if layer is not None:
        posture = layer(posture, line)
    return finish_sample(about, plan, line, posture, low + posture_rise(posture))


def look_around(posture: Posture, line: Timeline) -> Posture:
    """The head turns left, right and up; the chest goes along a little."""
    yaw = key_curve(line.times, [(0.8, 0.0), (1.6, 55.0), (2.6, 60.0), (3.7, -50.0), (4.7, -55.0), (5.6, 0.0)], 0.1)
    pitch = key_curve(line.times, [(0.8, 0.0), (2.2, 5.0), (4.2, -14.0), (5.6, 0.0)], 0.1)
    turn = np.stack([pitch, yaw, 0 * yaw], axis=1)
    return lean(posture, pelvis=0.08 * turn, chest=0.28 * turn, head=turn)


def make_turn(about: About, degrees: float, fps: float, rng: np.random.Generator) -> Sample:
    """Turning on the spot with small steps; positive turns left. The foot on the inner side goes first."""
    script = StepScript()
    turn = np.radians(degrees)
    inner, outer = ("left", "right") if turn > 0 else ("right", "left")
    pairs = max(int(np.ceil(abs(degrees) / 60)), 1)
    when, heading = 0.9, 0.0
    for _ in range(pairs):
        heading += turn / pairs
        for side in (inner, outer):
            place = shift((0.0, 0.0), heading, 0.095 if side == "left" else -0.095, 0.0)
            script.step(side, when, when + 0.34, place, heading, clearance=0.03, strike_pitch=np.radians(-6), wide=0.02)
            when += 0.52
    seconds = when + 1.1
    plan = script.finish(
        seconds,
        (Span("stand", -SETTLE, 0.9), Span("other", 0.9, when - 0.1), Span("stand", when - 0.1, seconds + SETTLE)),
    )
    line = sway(lay_out(plan, fps), rng, 0.004)
    posture = breathe(stand_posture(len(line.times)), line.times, rng)
    rate = np.gradient(line.heading, 1 / fps)
    ahead = np.degrees(np.interp(line.times + 0.28, line.times, line.heading) - line.heading)
    posture = lean(
        posture,
        chest=np.stack([0 * ahead, 0.35 * ahead, 0 * ahead], axis=1),
        head=np.stack([0 * ahead, ahead, 0 * ahead], axis=1),
    )
    low = -0.012 * np.clip(np.abs(rate) / np.radians(90), 0, 1)
    return finish_sample(about, plan, line, posture, low + posture_rise(posture))


def make_side_steps(about: About, direction: float, count: int, fps: float, rng: np.random.Generator) -> Sample:
    """Side steps: the leading foot steps out, the other follows. Direction +1 goes left."""
    script = StepScript()
    lead, trail = ("left", "right") if direction > 0 else ("right", "left")
    when, middle = 1.0, 0.0
    for k in range(count):
        length = 0.36 + 0.02 * float(rng.standard_normal())
        middle += direction * length
        outer, inner = middle + direction * 0.095, middle - direction * 0.095
        script.step(
            lead,
            when,
            when + 0.36,
            (outer, 0.0),
            0.0,
            clearance=0.04,
            strike_pitch=np.radians(-8),
            lift_pitch=np.radians(-18),
        )
        script.step(
            trail,
            when + 0.50,
            when + 0.84,
            (inner, 0.0),
            0.0,
            clearance=0.04,
            strike_pitch=np.radians(-8),
            lift_pitch=np.radians(-18),
        )
        when += 1.0 if k < count - 1 else 0.9
    seconds = when + 1.0
    plan = script.finish(
        seconds, (Span("stand", -SETTLE, 1.0), Span("other", 1.0, when), Span("stand", when, seconds + SETTLE))
    )
    line = sway(lay_out(plan, fps), rng, 0.003)
    posture = breathe(stand_posture(len(line.times)), line.times, rng)
    busy = line.ramp(0.7, 1.2) * (1 - line.ramp(when - 0.2, when + 0.5))
    rocking = np.gradient(line.share, 1 / fps)
    posture = lean(
        posture,
        chest=np.stack([4 * busy, 0 * busy, 0.4 * rocking * busy], axis=1),
        pelvis=np.stack([3 * busy, 0 * busy, 0 * busy], axis=1),
    )
    return finish_sample(about, plan, line, posture, posture_rise(posture) - 0.035 * busy)


def make_walk_between(
    about: About,
    first: str,
    steps: list[WalkStep],
    fps: float,
    rng: np.random.Generator,
    *,
    begin: float,
    rest: float,
    speed: float,
    cut: tuple[float, float] = (0.0, 0.0),
    layer: Layer | None = None,
) -> Sample:
    """A walk from stand to stand; `cut` seconds are left off at the start and the end, for a start or a stop alone."""
    plan = plan_walk(first, steps, begin=begin, rest=rest, speed=speed)
    plan = replace(plan, start=plan.start + cut[0], end=plan.end - cut[1])
    line = lay_out(plan, fps, speed)
    active = _activity(plan, line)
    line = sway(line, rng, 0.003)
    still = breathe(stand_posture(len(line.times)), line.times, rng)
    moving = gait_posture("walk", line.phase, np.full(len(line.times), speed))
    posture = blend_postures(still, moving, active)
    ahead = np.degrees(np.interp(line.times + 0.3, line.times, line.heading) - line.heading)
    rate = np.gradient(line.heading, 1 / fps)
    tilt = -np.degrees(np.arctan(0.6 * speed * rate / 9.81)) * active
    posture = lean(
        posture,
        chest=np.stack([_push(line, active), 0.4 * ahead, tilt], axis=1),
        head=np.stack([0 * ahead, ahead, 0.4 * tilt], axis=1),
    )
    extra = np.zeros(len(line.times))
    if layer is not None:
        plain = posture_rise(posture)
        posture = layer(posture, line)
        extra = posture_rise(posture) - plain
    table = gait("walk").curve("com", line.phase, speed)[:, 2]
    mean = gait("walk").curve("com", np.arange(32) / 32, speed)[:, 2].mean()
    return finish_sample(about, plan, line, posture, active * (table - mean - 0.012) + extra)


def _activity(plan: FootPlan, line: Timeline) -> Float:
    """(F,) 0 in the stands, 1 in the walk between them."""
    lifts = [plan.of(side)[0].lift for side in ("left", "right")]
    strikes = sorted(s.strike for side in ("left", "right") for s in plan.of(side)[1:])
    begin = min(lifts)
    rising = line.ramp(begin - 0.25, begin + 0.75)
    return rising * (1 - line.ramp(strikes[-2] - 0.35, strikes[-1] + 0.35))


def _push(line: Timeline, active: Float) -> Float:
    """(F,) degrees the chest leans with speeding up and slowing down."""
    return 14 * np.gradient(active, 1 / line.fps) / 4


def even_steps(speed: float, count: int) -> list[WalkStep]:
    """Steps of a steady walk."""
    course = Course("walk", speed, 1.0)
    return [WalkStep(speed * course.stride / 2, course.stride / 2)] * count
