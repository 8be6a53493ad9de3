"""Samples of a steady gait: walks, runs, march, sneak, with or without an action, and walking backwards."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reenact.core.arrays import Bool
from reenact.samples.assembling import About, Timeline, finish_sample, lay_out
from reenact.samples.posing import posture_rise
from reenact.samples.posture import Posture, hang_arm, lean
from reenact.samples.standing import Layer
from reenact.samples.truth import FootTruth, Sample, SampleTruth
from reenact.samples.walking import Course, bob, follow_posture, plan_course


@dataclass(frozen=True, slots=True)
class Manner:
    """How a steady gait departs from the average.

    Attributes:
        sink: metres the body is lower.
        bob: factor on the rise and fall of the body.
        layer: what the upper body does instead.
    """

    sink: float = 0.0
    bob: float = 1.0
    layer: Layer | None = None


def make_course(
    about: About, course: Course, fps: float, rng: np.random.Generator, manner: Manner | None = None
) -> Sample:
    """A steady gait, already in full motion in the first frame and still in the last."""
    manner = manner or Manner()
    plan = plan_course(course, rng)
    line = lay_out(plan, fps, course.speed)
    posture = follow_posture(course, line)
    height = manner.bob * bob(course, line) - manner.sink
    if manner.layer is not None:
        before = posture_rise(posture)
        posture = manner.layer(posture, line)
        height = height + (posture_rise(posture) - before if course.kind == "walk" else 0.0)
    return finish_sample(about, plan, line, posture, height)


def march(posture: Posture, line: Timeline) -> Posture:
    """Chest up, straight arms swung high."""
    swing = np.sin(2 * np.pi * (line.phase - 0.25))
    arms = {side: hang_arm(10 + (38 if side == "left" else -38) * swing, 6, 8, side) for side in posture.arms}
    return lean(replace(posture, arms=arms, elbows={side: 0 * swing + np.radians(14) for side in arms}), chest=-3)


def sneak(posture: Posture, line: Timeline) -> Posture:
    """Bent forward, head up, hands before the chest."""
    swing = np.sin(2 * np.pi * (line.phase - 0.25))
    arms = {side: hang_arm(34 + (10 if side == "left" else -10) * swing, 16, 18, side) for side in posture.arms}
    bent = {side: np.radians(82 + (8 if side == "left" else -8) * swing) for side in arms}
    posture = replace(posture, arms=arms, elbows=bent)
    look = np.stack([16 + 0 * swing, 14 * np.sin(2 * np.pi * line.times / 4.1), 0 * swing], axis=1)
    return lean(posture, pelvis=14, chest=26, head=look)


def calm_arms(posture: Posture, line: Timeline) -> Posture:
    """Arms that hardly swing, for walking backwards."""
    swing = np.sin(2 * np.pi * (line.phase - 0.25))
    arms = {side: hang_arm(4 + (7 if side == "left" else -7) * swing, 12, 8, side) for side in posture.arms}
    return lean(replace(posture, arms=arms), chest=2)


def reverse_sample(sample: Sample, about: About) -> Sample:
    """The sample played backwards.

    Walking backwards is, joint by joint, nearly walking forwards in reverse (Thorstensson 1986; Winter, Pluck and Yang 1989), and the
    pendulum that carries the body does not care for the direction of time. The foot now lands on the toes and leaves over the heel.
    """
    clip, truth = sample.clip, sample.truth

    def back(foot: FootTruth) -> FootTruth:
        return FootTruth(foot.heel[::-1], foot.ball[::-1], foot.heel_place[::-1], foot.ball_place[::-1])

    left = back(truth.left)
    reversed_truth = SampleTruth(
        left,
        back(truth.right),
        truth.labels[::-1].copy(),
        landings(left.planted),
        truth.centre_of_mass[::-1].copy(),
        truth.floor,
        truth.speed,
    )
    moved = replace(clip, rotations=clip.rotations[::-1].copy(), root=clip.root[::-1].copy(), name=about.name)
    return Sample(moved, reversed_truth, about.type, about.tags, about.description)


def landings(planted: Bool) -> np.ndarray:
    """Frames at which a foot comes down."""
    return np.flatnonzero(planted[1:] & ~planted[:-1]) + 1
