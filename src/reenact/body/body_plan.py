"""The plan of a human body: how long and how thick its parts are, and where its joints are while it is modelled.

Lengths are shares of body height of Drillis and Contini (1966), as in the sample skeleton. The body is modelled standing on the floor and
facing +Z, arms spread half way down and legs a little apart: skin then has the shortest way to any pose.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from reenact.core.arrays import Float64

ADULT = 1.78
"""Metres, the height that the tables of widths belong to."""

ARM_ANGLE = math.radians(42)
"""How far the arms hang below the level while the body is modelled."""

_LEG_ANGLE = math.radians(3.5)
_WIDEST = math.radians(16)
_THIGH = 0.086  # metres, half width of an adult's thigh in its upper half, where two of them touch first


@dataclass(frozen=True, slots=True)
class BodyLengths:
    """Lengths of a body in metres; of both sides alike.

    Attributes:
        ankle: height of the ankle above the sole.
        shank, thigh: ankle to knee, knee to hip joint.
        hip_half: from the middle to a hip joint.
        hips: from the hip joints up to the joint of the pelvis, and ahead.
        neck: from the joint of the pelvis to the base of the neck, up and ahead.
        head: from the base of the neck to the joint of the head, up and ahead.
        crown: from the joint of the head to the top of the skull.
        shoulder: from the joint of the pelvis to the shoulder joint, up and ahead.
        shoulder_half: from the middle to a shoulder joint.
        upper_arm, forearm, hand: shoulder to elbow, elbow to wrist, wrist to finger tips.
        heel, ball, toe: from the ankle back to the heel, ahead to the joint of the toes and to the tip of the foot.
        ball_height: of the joint of the toes above the sole.
    """

    ankle: float = 0.039
    shank: float = 0.246
    thigh: float = 0.245
    hip_half: float = 0.052
    hips: tuple[float, float] = (0.0, 0.0)
    neck: tuple[float, float] = (0.320, -0.0114)
    head: tuple[float, float] = (0.060, 0.0103)
    crown: float = 0.090
    shoulder: tuple[float, float] = (0.288, -0.0114)
    shoulder_half: float = 0.1095
    upper_arm: float = 0.186
    forearm: float = 0.146
    hand: float = 0.108
    heel: float = 0.0365
    ball: float = 0.073
    toe: float = 0.1155
    ball_height: float = 0.0114

    @property
    def height(self) -> float:
        """From the soles to the crown of the head, standing straight."""
        return self.ankle + self.shank + self.thigh + self.hips[0] + self.neck[0] + self.head[0] + self.crown

    def scaled(self, factor: float) -> BodyLengths:
        """All lengths multiplied."""
        return self.times(**{one.name: factor for one in fields(BodyLengths)})

    def rounded(self, step: float) -> BodyLengths:
        """All lengths to whole multiples of a step in metres."""

        def near(value: float) -> float:
            return round(float(value) / step) * step

        found: dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(BodyLengths)}
        told: dict[str, Any] = {
            name: tuple(map(near, value)) if isinstance(value, tuple) else near(value) for name, value in found.items()
        }
        return BodyLengths(**told)

    def times(self, **factors: float) -> BodyLengths:
        """Some lengths multiplied."""
        found = {}
        for name, factor in factors.items():
            value = getattr(self, name)
            found[name] = tuple(part * factor for part in value) if isinstance(value, tuple) else value * factor
        return replace(self, **found)


@dataclass(frozen=True, slots=True)
class BodyGirths:
    """How thick the parts of a body are, as multiples of an adult's of the same size; `bust` is 0 for a flat chest.

    Attributes:
        size: metres, the height of an adult whose parts are as thick.
        head, neck, chest, waist, hips, upper_arm, forearm, hand, thigh, shank, foot: multiples.
        bust: how much of a bust there is.
        hair: long, short or none.
    """

    size: float = ADULT
    head: float = 1.0
    neck: float = 1.0
    chest: float = 1.0
    waist: float = 1.0
    hips: float = 1.0
    upper_arm: float = 1.0
    forearm: float = 1.0
    hand: float = 1.0
    thigh: float = 1.0
    shank: float = 1.0
    foot: float = 1.0
    bust: float = 0.0
    hair: str = "short"

    @property
    def unit(self) -> float:
        """What the metres of an adult's tables are multiplied with."""
        return self.size / ADULT

    @property
    def trunk(self) -> tuple[float, float, float, float]:
        """Around the hips, the waist (from where to where) and the chest."""
        return self.hips, self.waist, self.waist, self.chest

    @property
    def mean(self) -> float:
        """About how much thicker the whole body is than an adult's."""
        return (self.chest + self.waist + self.hips + self.thigh + self.shank + self.upper_arm) / 6


@dataclass(frozen=True)
class BodyPlan:
    """Lengths and girths, and what follows from them. Points are those of the left side (+X), on the floor at height 0."""

    lengths: BodyLengths
    girths: BodyGirths

    @cached_property
    def leg_angle(self) -> float:
        """How far the legs are apart, each from straight down: enough that thick thighs do not grow into one another."""
        wide = 1.12 * _THIGH * self.girths.unit * self.girths.thigh
        spread = (wide - self.lengths.hip_half) / (0.45 * self.lengths.thigh)
        return min(max(_LEG_ANGLE, math.asin(min(max(spread, 0.0), 1.0))), _WIDEST)

    @property
    def leg(self) -> Float64:
        """Unit vector from the hip joint to the ankle."""
        return np.array([math.sin(self.leg_angle), -math.cos(self.leg_angle), 0.0])

    @property
    def arm(self) -> Float64:
        """Unit vector from the shoulder joint to the finger tips."""
        return np.array([math.cos(ARM_ANGLE), -math.sin(ARM_ANGLE), 0.0])

    @cached_property
    def points(self) -> dict[str, Float64]:
        """Joints by role (of the left side without it), and the crown, chin, finger tips, heel and tip of the foot."""
        own = self.lengths
        down = math.cos(self.leg_angle) * (own.thigh + own.shank)
        hip = np.array([own.hip_half, own.ankle + down, 0.0])
        pelvis = np.array([0.0, hip[1] + own.hips[0], own.hips[1]])

        def from_pelvis(way: tuple[float, float]) -> Float64:
            return pelvis + (0.0, *way)

        neck = from_pelvis(own.neck)
        head = neck + (0.0, *own.head)
        shoulder = from_pelvis(own.shoulder) + (own.shoulder_half, 0.0, 0.0)
        knee, ankle = hip + own.thigh * self.leg, hip + (own.thigh + own.shank) * self.leg
        elbow = shoulder + own.upper_arm * self.arm
        wrist = elbow + own.forearm * self.arm
        return {
            "hips": pelvis,
            "neck": neck,
            "head": head,
            "crown": head + (0.0, own.crown, 0.0),
            "chin": head - (0.0, 0.04 / 0.09 * own.crown, 0.0),
            "upper_arm": shoulder,
            "lower_arm": elbow,
            "hand": wrist,
            "fingers": wrist + own.hand * self.arm,
            "upper_leg": hip,
            "lower_leg": knee,
            "foot": ankle,
            "toes": np.array([ankle[0], own.ball_height, ankle[2] + own.ball]),
            "heel": np.array([ankle[0], 0.0, ankle[2] - own.heel]),
            "toe_tip": np.array([ankle[0], 0.0, ankle[2] + own.toe]),
        }
