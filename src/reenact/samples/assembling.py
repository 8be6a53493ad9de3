"""From a plan of the feet to a finished sample."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.ndimage import gaussian_filter1d

from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip
from reenact.samples.balance import solve_balance
from reenact.samples.feet import FootMotion, move_foot
from reenact.samples.plan import SIDES, FootPlan, Stance, left_share
from reenact.samples.posing import Pose, pose_body, standing_height
from reenact.samples.posture import Posture
from reenact.samples.skeleton import BALL_AHEAD, sample_skeleton
from reenact.samples.truth import FootTruth, Sample, SampleTruth

PRESSURE = 0.045
"""Metres before the ankle at which a standing foot carries the weight."""

_HEEL_PRESSURE, _FLAT_PRESSURE, _BALL_PRESSURE = 0.0, PRESSURE + 0.02, BALL_AHEAD + 0.03
_HEEL_PITCH = 0.3  # radians of strike pitch at which the heel alone takes the first load
_BALL_PITCH = 0.6  # radians of heel rise at which the ball alone carries the foot's load
_PASSING = 0.3  # seconds the pressure takes between the middle of the foot and an end of it


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """Everything about the feet that the rest of the body follows, over the frames of plan and margins.

    Attributes:
        times: (F,) seconds.
        fps: frames per second.
        feet: both feet.
        share: (F,) share of the weight on the left foot.
        phase: (F,) of the stride, growing: whole numbers at left strikes, halves at right strikes.
        heading: (F,) radians, from the feet.
        pressure: (F, 2) x and z of the point that carries the weight.
        flight: (F,) no foot is down.
    """

    times: Float
    fps: float
    feet: dict[str, FootMotion]
    share: Float
    phase: Float
    heading: Float
    pressure: Float
    flight: Bool

    def ramp(self, start: float, end: float) -> Float:
        """(F,) smooth 0 to 1 between two times."""
        return ease((self.times - start) / (end - start))


def ease(u: Float) -> Float:
    """Smooth step 0 to 1 with no velocity and no acceleration at its ends."""
    u = np.clip(u, 0, 1)
    return u**3 * (10 - 15 * u + 6 * u**2)


def lay_out(plan: FootPlan, fps: float, speed: float = 1.2) -> Timeline:
    """Move the feet over the whole plan and derive weight, phase, heading and pressure."""
    begin = min(s.strike for s in (plan.left[0], plan.right[0]))
    finish = max(s.lift for s in (plan.left[-1], plan.right[-1]))
    before = int(np.floor((plan.start - begin) * fps))
    after = int(np.floor((finish - plan.start) * fps))
    times = plan.start + np.arange(-before, after + 1) / fps
    feet = {side: move_foot(plan.of(side), times, speed) for side in SIDES}
    share = left_share(plan, times)
    under = {side: _pressure_under(plan.of(side), feet[side], times) for side in SIDES}
    pressure = share[:, None] * under["left"] + (1 - share)[:, None] * under["right"]
    toe_out = {
        side: 0.5 * (feet["left"].yaw[0] - feet["right"].yaw[0]) * (1 if side == "left" else -1) for side in SIDES
    }
    heading = 0.5 * sum(feet[side].yaw - toe_out[side] for side in SIDES)
    heading = gaussian_filter1d(heading, 0.1 * fps, mode="nearest")
    flight = ~(feet["left"].down | feet["right"].down)
    return Timeline(times, fps, feet, share, stride_phase(plan, times), heading, pressure, flight)


def _pressure_under(stances: tuple[Stance, ...], foot: FootMotion, times: Float) -> Float:
    """(F, 2) pressure point of one foot; between stances it goes along with the foot."""
    keys: list[tuple[float, float]] = []
    for k, stance in enumerate(stances):
        first = PRESSURE if k == 0 else _end_pressure(stance.strike_pitch)
        last = PRESSURE if k == len(stances) - 1 else _end_pressure(stance.lift_pitch)
        keys.append((stance.strike, first))
        if stance.lift - stance.strike > 3 * _PASSING:
            keys += [(stance.strike + _PASSING, PRESSURE), (stance.lift - _PASSING, PRESSURE)]
        keys.append((stance.lift, last))
    when, ahead = np.array(keys).T
    offset = np.interp(times, when, ahead)
    strikes = np.array([s.strike for s in stances])
    which = np.clip(np.searchsorted(strikes, times, side="right") - 1, 0, len(stances) - 1)
    place = np.array([s.place for s in stances])
    swinging = ~foot.down
    base = np.where(swinging[:, None], foot.ankle[:, [0, 2]], place[which])
    return base + offset[:, None] * np.stack([np.sin(foot.yaw), np.cos(foot.yaw)], axis=1)


def _end_pressure(pitch: float) -> float:
    if pitch < 0:
        return PRESSURE + (_BALL_PRESSURE - PRESSURE) * min(-pitch / _BALL_PITCH, 1.0)
    return _FLAT_PRESSURE + (_HEEL_PRESSURE - _FLAT_PRESSURE) * min(pitch / _HEEL_PITCH, 1.0)


def stride_phase(plan: FootPlan, times: Float) -> Float:
    """(F,) phase of the stride from the strikes of both feet."""
    events = [(s.strike, 0.0) for s in plan.left[1:]] + [(s.strike, 0.5) for s in plan.right[1:]]
    events.sort()
    events = [
        e for k, e in enumerate(events) if k == 0 or e[0] - events[k - 1][0] > 1e-3
    ]  # a jump lands on both feet at once
    if len(events) < 2:
        return np.zeros_like(times)
    phase = [events[0][1]]
    for (_, now), (_, later) in itertools.pairwise(events):
        phase.append(phase[-1] + ((later - now) % 1.0 or 1.0))
    when = np.array([e[0] for e in events])
    rate = 0.5 / np.median(np.diff(when))
    when = np.concatenate([[when[0] - 20], when, [when[-1] + 20]])
    phase = np.array([phase[0] - 20 * rate, *phase, phase[-1] + 20 * rate])
    return PchipInterpolator(when, phase)(times)


@dataclass(frozen=True, slots=True)
class About:
    """What people are told about a sample."""

    name: str
    type: str
    tags: tuple[str, ...]
    description: str
    speed: float = float("nan")


def finish_sample(
    about: About,
    plan: FootPlan,
    line: Timeline,
    posture: Posture,
    height: Float,
    *,
    adjust: Callable[[Float], Float] | None = None,
    lead_feet: Callable[[dict[str, FootMotion], Float], dict[str, FootMotion]] | None = None,
) -> Sample:
    """Pose the body, cut the margins off and write the truth down.

    Args:
        about: name, tags, description.
        plan: the feet.
        line: the plan laid out.
        posture: the upper body over the line's frames.
        height: (F,) wanted height of the centre of mass above that of a relaxed stand, metres.
        adjust: changes the horizontal centre of mass (F, 2), for a body that does not rest on its feet alone.
        lead_feet: changes the feet while they are in the air, given them and the centre of mass (F, 3): kicks, a leg held up.
    """
    tall = standing_height() + height
    centre = solve_balance(line.pressure, tall, line.fps)
    if adjust is not None:
        centre = adjust(centre)
    target = np.stack([centre[:, 0], tall, centre[:, 1]], axis=1)
    if lead_feet is not None:
        line = replace(line, feet=lead_feet(line.feet, target))
    keep = (line.times >= plan.start - 1e-9) & (line.times < plan.end - 1e-9)
    pose = pose_body(line.heading, posture, line.feet, target, line.flight, keep, line.fps)
    return _cut(about, plan, line, pose, keep)


def _cut(about: About, plan: FootPlan, line: Timeline, pose: Pose, keep: Bool) -> Sample:
    times = line.times[keep]
    labels = np.full(len(times), "other", dtype="<U5")
    for span in plan.labels:
        labels[(times >= span.start - 1e-9) & (times < span.end - 1e-9)] = span.label
    cycles = [
        int(np.ceil((when - times[0]) * line.fps - 1e-6)) for when in plan.cycles if times[0] <= when <= times[-1]
    ]
    feet = {}
    for side in SIDES:
        foot = line.feet[side]
        feet[side] = FootTruth(foot.heel[keep], foot.ball[keep], foot.heel_place[keep], foot.ball_place[keep])
    truth = SampleTruth(
        feet["left"],
        feet["right"],
        labels,
        np.array(cycles, dtype=np.int64),
        pose.centre[keep].astype(np.float32),
        0.0,
        about.speed,
    )
    clip = Clip(sample_skeleton(), pose.rotations[keep], pose.root[keep], line.fps, about.name)
    return Sample(clip, truth, about.type, about.tags, about.description)
