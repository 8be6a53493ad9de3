"""Jumps off both feet and hops on one: the flight is free fall, the crouch and the landing lead in and out of it smoothly."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import gaussian_filter1d

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.samples.assembling import About, Timeline, ease, finish_sample, lay_out
from reenact.samples.feet import FootMotion, hermite
from reenact.samples.gait import GRAVITY
from reenact.samples.layers import breathe, key_curve
from reenact.samples.plan import FootPlan, Span
from reenact.samples.posture import Posture, hang_arm, lean, stand_posture
from reenact.samples.skeleton import ANKLE_HEIGHT
from reenact.samples.standing import sway
from reenact.samples.steps import SETTLE, StepScript
from reenact.samples.truth import Sample
from reenact.samples.walking import bounce


@dataclass(frozen=True, slots=True)
class Jump:
    """A jump from stand to stand.

    Attributes:
        distance: metres forward between the places of the feet.
        flight: seconds in the air.
        crouch: metres the centre of mass goes down before.
        landing: metres it goes down after.
        arms: degrees the arms are thrown up forward.
    """

    distance: float
    flight: float
    crouch: float = 0.27
    landing: float = 0.24
    arms: float = 110.0


_TAKE_OFF_RISE, _TOUCH_RISE = 0.045, 0.0  # metres of the centre of mass above a stand when the feet leave and touch
_CROUCH_AT, _PUSH, _ABSORB, _RECOVER = (
    0.65,
    0.30,
    0.26,
    0.75,
)  # seconds of: going down, pushing off, going down, getting up
_STILL = 1.0


def make_jumps(about: About, jumps: list[Jump], fps: float, rng: np.random.Generator) -> Sample:
    """Jumps one after the other, with a stand before, between and after."""
    script = StepScript(half_width=0.11)
    spans = [Span("stand", -SETTLE, _STILL)]
    keys: list[tuple[Jump, float]] = []
    when, forward = _STILL, 0.0
    for jump in jumps:
        lift = when + _CROUCH_AT + _PUSH
        strike = lift + jump.flight
        forward += jump.distance
        for side, x in (("left", 0.11), ("right", -0.11)):
            script.step(
                *(side, lift, strike, (x, forward), 0.0),
                rise=0.2,
                land=0.1,
                lift_pitch=np.radians(-52),
                strike_pitch=np.radians(-14),
                style="jump",
                clearance=0.10 + 0.12 * jump.flight,
                tuck=np.radians(8),
            )
        keys.append((jump, when))
        end = strike + _ABSORB + _RECOVER
        spans += [Span("jump", when, end), Span("stand", end, end + 0.6)]
        when = end + 0.6
    seconds = when + 0.4
    spans[-1] = replace(spans[-1], end=seconds + SETTLE)
    plan = script.finish(seconds, spans)
    line = sway(lay_out(plan, fps), rng, 0.002)
    height = np.zeros(len(line.times))
    posture = breathe(stand_posture(len(line.times)), line.times, rng)
    for jump, start in keys:
        height += jump_height(line.times - start, jump)
        posture = _jump_posture(posture, line, jump, start)
    return finish_sample(about, plan, line, posture, height)


def jump_height(times: Float, jump: Jump) -> Float:
    """(F,) metres of the centre of mass above a stand; 0 is when the crouch begins. Quintic pieces, and free fall in flight."""
    fall = (_TAKE_OFF_RISE - _TOUCH_RISE) / jump.flight
    up = GRAVITY * jump.flight / 2 - fall
    down = up - GRAVITY * jump.flight
    marks = np.cumsum([0.0, _CROUCH_AT, _PUSH, jump.flight, _ABSORB, _RECOVER])
    states = [(0.0, 0.0, 0.0), (-jump.crouch, 0.0, 7.0), (_TAKE_OFF_RISE, up, -GRAVITY), (_TOUCH_RISE, down, -GRAVITY)]
    states += [(-jump.landing, 0.0, 6.0), (0.0, 0.0, 0.0)]
    height = np.zeros(len(times))
    for (t0, t1), a, b in zip(itertools.pairwise(marks), states[:-1], states[1:], strict=True):
        inside = (times >= t0) & (times < t1)
        span = t1 - t0
        ends = [np.array([value * span**k]) for state in (a, b) for k, value in enumerate(state)]
        height[inside] = hermite((times[inside] - t0) / span, *ends)[:, 0]
    return height


def _jump_posture(posture: Posture, line: Timeline, jump: Jump, start: float) -> Posture:
    low, off = start + _CROUCH_AT, start + _CROUCH_AT + _PUSH
    touch = off + jump.flight
    deep, end = touch + _ABSORB, touch + _ABSORB + _RECOVER
    depth, sink = jump.crouch / 0.27, jump.landing / 0.24
    trunk = key_curve(
        line.times,
        [
            (start, 0.0),
            (low, 38.0 * depth),
            (off, 4.0),
            (off + 0.5 * jump.flight, 8.0),
            (touch, 16.0),
            (deep, 36.0 * sink),
            (end, 0.0),
        ],
        0.05,
    )
    pelvis = key_curve(
        line.times, [(start, 0.0), (low, 24.0 * depth), (off, 0.0), (touch, 8.0), (deep, 20.0 * sink), (end, 0.0)], 0.05
    )
    posture = lean(posture, pelvis=pelvis, chest=trunk, head=0.25 * trunk)
    swing = key_curve(
        line.times,
        [
            (start, 0.0),
            (low - 0.1, -48.0),
            (off - 0.08, 0.6 * jump.arms),
            (off + 0.12, jump.arms),
            (touch, 0.55 * jump.arms),
            (deep, 25.0),
            (end - 0.1, 0.0),
        ],
        0.05,
    )
    out = key_curve(line.times, [(start, 9.0), (low, 14.0), (off, 16.0), (touch, 30.0), (deep, 24.0), (end, 9.0)], 0.05)
    elbow = key_curve(
        line.times, [(start, 17.0), (low, 22.0), (off, 35.0), (touch, 40.0), (deep, 38.0), (end, 17.0)], 0.05
    )
    active = ease((line.times - start) / 0.2) * (1 - ease((line.times - end + 0.2) / 0.2))
    arms, elbows = dict(posture.arms), dict(posture.elbows)
    for side in arms:
        thrown = hang_arm(swing + 2, out, 8, side)
        arms[side] = R.slerp(posture.arms[side], thrown, active)
        elbows[side] = (1 - active) * posture.elbows[side] + active * np.radians(elbow)
    return replace(posture, arms=arms, elbows=elbows)


def make_hops(about: About, side: str, count: int, length: float, fps: float, rng: np.random.Generator) -> Sample:
    """Hops forward on one leg; the other foot is held up behind."""
    other = "right" if side == "left" else "left"
    sign = 1.0 if side == "left" else -1.0
    down, air = 0.32, 0.26
    step = down + air
    script = StepScript()
    raise_at = 1.1
    first = raise_at + 0.9
    lands = [first + down + air + k * step for k in range(count)]
    for k, strike in enumerate(lands):
        place = (sign * 0.06, (k + 1) * length)
        script.step(
            side,
            strike - air,
            strike,
            place,
            0.0,
            rise=0.16,
            land=0.09,
            lift_pitch=np.radians(-45),
            strike_pitch=np.radians(-10),
            style="jump",
            clearance=0.06,
            tuck=0.1,
        )
    back = lands[-1] + 1.0
    script.step(
        other,
        raise_at,
        back,
        (-sign * 0.13, count * length),
        0.0,
        rise=0.2,
        clearance=0.0,
        strike_pitch=np.radians(-10),
    )
    seconds = back + 1.1
    spans = (Span("stand", -SETTLE, raise_at), Span("jump", raise_at, back), Span("stand", back, seconds + SETTLE))
    plan = script.finish(seconds, spans, [strike for strike in lands if side == "left"] or lands)
    line = _stand_on(lay_out(plan, fps), plan, side, raise_at, back)
    height = _hop_height(line.times, first, lands[-1], step, down)
    dip = line.ramp(raise_at, first) * (1 - line.ramp(lands[-1] + 0.3, back))
    posture = breathe(stand_posture(len(line.times)), line.times, rng)
    spread = 30 * dip + 10 * np.gradient(gaussian_filter1d(height, 2), 1 / fps) * dip
    posture = lean(posture, pelvis=6 * dip, chest=12 * dip)
    arms = {s: hang_arm(2 + 22 * dip, 9 + spread, 8, s) for s in posture.arms}
    posture = replace(posture, arms=arms, elbows={s: posture.elbows[s] + np.radians(35) * dip for s in posture.elbows})

    def hold(feet: dict[str, FootMotion], centre: Float) -> dict[str, FootMotion]:
        foot = feet[other]
        w = line.ramp(raise_at, raise_at + 0.6) * (1 - line.ramp(back - 0.65, back))
        held = centre + np.array([-sign * 0.10, 0.0, -0.22])
        held[:, 1] = ANKLE_HEIGHT + 0.30 + 0.7 * (centre[:, 1] - centre[0, 1])
        ankle = foot.ankle + w[:, None] * (held - foot.ankle)
        return feet | {other: replace(foot, ankle=ankle, pitch=foot.pitch - w * np.radians(28))}

    return finish_sample(about, plan, line, posture, height - 0.03 * dip, lead_feet=hold)


def _hop_height(times: Float, first: float, last: float, step: float, down: float) -> Float:
    """(F,) metres: dips before the first push and after the last landing are those of every hop, entered and left smoothly."""
    bottom = float(bounce(np.array([down / 2]), step, down)[0])
    rise = bounce(np.mod(times - first, step), step, down)
    middle, late = first + down / 2, last + down / 2
    height = np.where((times >= middle) & (times <= late), rise, 0.0)
    before = (times >= first - 0.5) & (times < middle)
    after = (times > late) & (times <= late + 0.6)
    pull = (GRAVITY * step * np.pi / (2 * down) - GRAVITY) * np.array([1.0])
    zero = np.zeros(1)
    span = middle - first + 0.5
    height[before] = hermite(
        (times[before] - first + 0.5) / span, zero, zero, zero, zero + bottom, zero, pull * span**2
    )[:, 0]
    height[after] = hermite((times[after] - late) / 0.6, zero + bottom, zero, pull * 0.36, zero, zero, zero)[:, 0]
    return height


def _stand_on(line: Timeline, plan: FootPlan, side: str, start: float, end: float) -> Timeline:
    """The timeline with all weight on one foot between two times, whatever the other foot does in the air."""
    share = line.share
    on = 1.0 if side == "left" else 0.0
    inside = (line.times >= start) & (line.times <= end)
    fixed = np.where(inside, on, share)
    foot = line.feet[side]
    stances = plan.of(side)
    strikes = np.array([s.strike for s in stances])
    which = np.clip(np.searchsorted(strikes, line.times, side="right") - 1, 0, len(stances) - 1)
    place = np.array([s.place for s in stances])[which] + 0.07 * np.stack([np.sin(foot.yaw), np.cos(foot.yaw)], axis=1)
    pressure = np.where(inside[:, None], place, line.pressure)
    return replace(line, share=fixed, pressure=pressure)
