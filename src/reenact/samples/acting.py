"""Actions: what the arms, the trunk and a free leg do, standing or on the way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reenact.core.arrays import Float
from reenact.samples.assembling import About, Timeline, ease, finish_sample, lay_out
from reenact.samples.feet import FootMotion
from reenact.samples.layers import breathe, key_curve, lead_hand
from reenact.samples.plan import Span
from reenact.samples.posing import posture_rise
from reenact.samples.posture import Posture, hang_arm, lean, stand_posture
from reenact.samples.standing import Layer, sway
from reenact.samples.steps import SETTLE, StepScript
from reenact.samples.truth import Sample

DOWN_OUT = (0.45, -0.8, -0.3)
"""Where an elbow usually points: down, a little out and back."""


def spell(line: Timeline, start: float, end: float, ramp: float = 0.55) -> Float:
    """(F,) weight of an action: 0, then 1 between two times, with smooth ramps inside."""
    return ease((line.times - start) / ramp) * (1 - ease((line.times - end + ramp) / ramp))


def wave(start: float, end: float, side: str = "right") -> Layer:
    """Waving with a raised hand at 1.7 Hz."""

    def apply(posture: Posture, line: Timeline) -> Posture:
        w = spell(line, start, end, 0.7)
        swing = np.sin(2 * np.pi * 1.7 * (line.times - start)) * ease((line.times - start - 0.45) / 0.5)
        target = np.stack([0.20 + 0.13 * swing, 0.24 - 0.03 * swing**2, 0.17 + 0 * swing], axis=1)
        posture = lead_hand(posture, side, target, w, elbow=(0.8, -0.55, 0.05), wrist=(0, 0, 12))
        sign = 1.0 if side == "left" else -1.0
        return lean(
            posture,
            chest=np.stack([-2 * w, 3 * sign * w, -2.5 * sign * w], axis=1),
            head=np.stack([-3 * w, 4 * sign * w, 0 * w], axis=1),
        )

    return apply


def reach(start: float, end: float, side: str = "right", high: float = 0.22) -> Layer:
    """Reaching for something in front, holding it a moment, coming back."""

    def apply(posture: Posture, line: Timeline) -> Posture:
        w = spell(line, start, end, 0.9)
        target = key_curve(
            line.times,
            [
                (start, (0.1, -0.4, 0.2)),
                (start + 0.9, (-0.02, high, 0.50)),
                (end - 0.9, (-0.02, high, 0.50)),
                (end, (0.1, -0.4, 0.2)),
            ],
            0.08,
        )
        sign = 1.0 if side == "left" else -1.0
        posture = lead_hand(posture, side, target, w, elbow=DOWN_OUT)
        return lean(
            posture,
            pelvis=np.stack([3 * w, -4 * sign * w, 0 * w], axis=1),
            chest=np.stack([9 * w, -14 * sign * w, 3 * sign * w], axis=1),
            head=np.stack([-2 * w, 0 * w, 0 * w], axis=1),
        )

    return apply


def drink(start: float, end: float, side: str = "right") -> Layer:
    """A cup is raised to the mouth, tipped, and put down to the chest again."""

    def apply(posture: Posture, line: Timeline) -> Posture:
        w = spell(line, start, end, 0.8)
        sip, back = start + 1.2, end - 1.3
        held, mouth = (0.02, -0.22, 0.30), (-0.16, 0.13, 0.20)
        target = key_curve(
            line.times,
            [(start, held), (start + 0.6, held), (sip, mouth), (back, mouth), (end - 0.7, held), (end, held)],
            0.08,
        )
        tip = key_curve(line.times, [(sip, 0.0), (sip + 0.5, 1.0), (back - 0.2, 1.0), (back + 0.2, 0.0)], 0.08)
        posture = lead_hand(posture, side, target, w, elbow=(0.7, -0.7, 0.0), wrist=(20, 0, 10))
        return lean(posture, chest=-2 * tip, head=-13 * tip)

    return apply


def carry(start: float, end: float) -> Layer:
    """A box held before the body with both hands."""

    def apply(posture: Posture, line: Timeline) -> Posture:
        w = spell(line, start, end, 0.8)
        for side in ("left", "right"):
            posture = lead_hand(posture, side, (-0.02, -0.27, 0.36), w, elbow=(0.35, -0.8, -0.5), wrist=(-50, 0, 0))
        return lean(posture, pelvis=-1.5 * w, chest=-5 * w, head=1.0 * w)

    return apply


def punches(starts: list[float]) -> Layer:
    """A guard and straight punches, left and right in turn, with the shoulders turned into each."""

    def apply(posture: Posture, line: Timeline) -> Posture:
        first, last = starts[0] - 0.9, starts[-1] + 1.3
        w = spell(line, first, last, 0.6)
        twist = np.zeros(len(line.times))
        for index, side in enumerate(("left", "right")):
            sign = 1.0 if side == "left" else -1.0
            keys: list[tuple[float, float]] = [(first, 0.0)]
            for when in starts[index::2]:
                keys += [(when - 0.14, 0.0), (when + 0.10, 1.0), (when + 0.16, 1.0), (when + 0.46, 0.0)]
            out = key_curve(line.times, keys, 0.03)
            guard, hit = np.array([-0.07, -0.02, 0.26]), np.array([-0.13, 0.06, 0.55])
            target = guard + out[:, None] * (hit - guard)
            pole = np.array([0.25, -0.9, 0.0]) + out[:, None] * np.array([0.75, 0.45, 0.0])
            posture = lead_hand(posture, side, target, w, elbow=pole, wrist=(30, 0, 0))
            twist -= sign * out
        twist *= w
        zero = 0 * twist
        return lean(
            posture,
            pelvis=np.stack([4 * w, 14 * twist, zero], axis=1),
            chest=np.stack([9 * w, 34 * twist, zero], axis=1),
            head=np.stack([4 * w, 4 * twist, zero], axis=1),
        )

    return apply


def make_kick(about: About, side: str, kicks: int, fps: float, rng: np.random.Generator) -> Sample:
    """Front kicks: the knee comes up, the shank snaps out and back, the foot is set down again."""
    sign = 1.0 if side == "left" else -1.0
    script = StepScript(half_width=0.10)
    starts = [1.2 + 2.6 * k for k in range(kicks)]
    length = 1.25
    for start in starts:
        script.step(
            side,
            start,
            start + length,
            script.place_of(side),
            0.0,
            rise=0.2,
            clearance=0.0,
            strike_pitch=np.radians(-12),
            lift_pitch=np.radians(-35),
        )
    seconds = starts[-1] + length + 1.2
    spans = [Span("stand", -SETTLE, seconds + SETTLE)] + [
        Span("other", start - 0.5, start + length + 0.3) for start in starts
    ]
    plan = script.finish(seconds, spans)
    line = sway(lay_out(plan, fps), rng, 0.002)
    posture = breathe(stand_posture(len(line.times)), line.times, rng)
    busy = sum(spell(line, start - 0.5, start + length + 0.5, 0.6) for start in starts)
    out = sum(
        key_curve(line.times, [(start + 0.3, 0.0), (start + 0.58, 1.0), (start + 0.85, 0.0)], 0.05) for start in starts
    )
    zero = 0 * busy
    posture = lean(
        posture,
        pelvis=np.stack([-14 * out, -sign * 10 * out, zero], axis=1),
        chest=np.stack([-6 * out + 3 * busy, sign * 8 * out, zero], axis=1),
        head=4 * out,
    )
    arms = {
        s: hang_arm(2 + 20 * busy + (25 * out if s != side else -18 * out), 9 + 14 * busy + 8 * out, 8, s)
        for s in posture.arms
    }
    posture = replace(posture, arms=arms, elbows={s: posture.elbows[s] + np.radians(72) * busy for s in posture.elbows})

    def kick(feet: dict[str, FootMotion], centre: Float) -> dict[str, FootMotion]:
        foot = feet[side]
        ankle, pitch = foot.ankle.copy(), foot.pitch.copy()
        for start in starts:
            inside = (line.times > start) & (line.times < start + length)
            path = [
                (0.0, 0.0, 0.0, 0.0),
                (0.30, -0.06, 0.34, -30.0),
                (0.43, 0.20, 0.48, -35.0),
                (0.58, 0.60, 0.66, -20.0),
                (0.74, 0.30, 0.50, -28.0),
            ]
            path += [(0.95, 0.03, 0.24, -20.0), (length, 0.0, 0.0, 0.0)]
            curve = key_curve(line.times - start, [(p[0], p[1:]) for p in path], 0.045)
            fade = (ease((line.times - start) / 0.12) * (1 - ease((line.times - start - length + 0.16) / 0.16)))[
                :, None
            ]
            curve = np.where(inside[:, None], curve * fade, 0.0)
            ankle[:, 2] += curve[:, 0]
            ankle[:, 1] += curve[:, 1]
            ankle[:, 0] -= sign * 0.07 * curve[:, 1]
            pitch += np.radians(curve[:, 2])
        return feet | {side: replace(foot, ankle=ankle, pitch=pitch)}

    return finish_sample(about, plan, line, posture, posture_rise(posture) - 0.02 * busy, lead_feet=kick)


def make_pick_up(about: About, fps: float, rng: np.random.Generator) -> Sample:
    """Something is picked up from the floor with both hands, by bending knees and back, and held before the body."""
    plan = StepScript(half_width=0.14).finish(
        6.5, (Span("stand", -SETTLE, 0.9), Span("other", 0.9, 4.6), Span("stand", 4.6, 9.1))
    )
    line = sway(lay_out(plan, fps), rng, 0.003)
    posture = breathe(stand_posture(len(line.times)), line.times, rng)
    bend = key_curve(line.times, [(0.9, 0.0), (2.2, 1.0), (2.7, 1.0), (4.2, 0.0)], 0.12)
    posture = lean(posture, pelvis=38 * bend, chest=72 * bend, head=48 * bend)
    w = spell(line, 1.0, 6.4, 0.9)
    hold, low = np.array([-0.05, -0.25, 0.36]), np.array([-0.07, -0.16, 0.49])
    target = hold + bend[:, None] * (low - hold)
    for side in ("left", "right"):
        posture = lead_hand(posture, side, target, w, elbow=(0.6, -0.6, -0.4), wrist=(-30, 0, 0))
    return finish_sample(about, plan, line, posture, posture_rise(posture) - 0.36 * bend)


def make_sit(about: About, fps: float, rng: np.random.Generator, seat: float = 0.46) -> Sample:
    """Sitting down on a chair that is not there (its seat `seat` metres high), sitting, getting up again."""
    plan = StepScript(half_width=0.12).finish(
        8.5, (Span("stand", -SETTLE, 1.0), Span("other", 1.0, 7.4), Span("stand", 7.4, 11.0))
    )
    line = sway(lay_out(plan, fps), rng, 0.003)
    posture = breathe(stand_posture(len(line.times)), line.times, rng)
    times = line.times
    sat = key_curve(times, [(1.3, 0.0), (2.7, 1.0), (5.6, 1.0), (6.9, 0.0)], 0.1)
    bow = key_curve(times, [(1.0, 0.0), (2.0, 1.0), (2.9, 0.10), (4.9, 0.10), (5.6, 1.0), (6.9, 0.0)], 0.1)
    posture = lean(posture, pelvis=26 * bow - 10 * sat, chest=38 * bow - 2 * sat, head=14 * bow - 1 * sat)
    rest = key_curve(times, [(1.3, 0.0), (2.8, 1.0), (5.4, 1.0), (6.7, 0.0)], 0.12)
    for side in ("left", "right"):
        posture = lead_hand(posture, side, (-0.02, -0.42, 0.27), rest, elbow=(0.55, -0.5, -0.6), wrist=(0, 0, 0))
    seated_hips = seat + 0.09
    drop = 0.925 - seated_hips  # the hip joints come down from standing height to just above the seat

    def onto_chair(centre: Float) -> Float:
        back = -0.20 * key_curve(times, [(1.5, 0.0), (2.7, 1.0), (5.2, 1.0), (6.0, 0.0)], 0.12)
        return centre + np.stack([0 * back, back], axis=1)

    return finish_sample(about, plan, line, posture, posture_rise(posture) - drop * sat, adjust=onto_chair)
