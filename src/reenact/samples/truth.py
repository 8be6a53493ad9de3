"""A sample and what is known about it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Bool, Float, Float32, frozen
from reenact.core.clip import Clip

LABELS = ("stand", "walk", "run", "jump", "other")
"""Gait classes a frame can have."""


@dataclass(frozen=True, slots=True, eq=False)
class FootTruth:
    """One foot, from the plan.

    Attributes:
        heel: (F,) the heel point is planted.
        ball: (F,) the ball point is planted.
        heel_place: (F, 3) float64 metres, where the heel point is planted; nan where it is not.
        ball_place: (F, 3) likewise for the ball point.
    """

    heel: Bool
    ball: Bool
    heel_place: Float
    ball_place: Float

    def __post_init__(self) -> None:
        count = len(self.heel)
        object.__setattr__(self, "heel", frozen(self.heel, np.bool_, (count,), "heel"))
        object.__setattr__(self, "ball", frozen(self.ball, np.bool_, (count,), "ball"))
        object.__setattr__(self, "heel_place", frozen(self.heel_place, np.float64, (count, 3), "heel_place"))
        object.__setattr__(self, "ball_place", frozen(self.ball_place, np.float64, (count, 3), "ball_place"))

    @property
    def planted(self) -> Bool:
        """(F,) any point of the foot is planted."""
        return self.heel | self.ball


@dataclass(frozen=True, slots=True, eq=False)
class SampleTruth:
    """What is known about a sample because it was planned so; nothing here comes from a detector.

    Attributes:
        left, right: contacts of the feet. The points are those of `samples.skeleton.foot_points`.
        labels: (F,) strings out of `LABELS`.
        cycles: (C,) int frames at which a gait cycle begins (strikes of the left foot; every landing for hops), ascending.
        centre_of_mass: (F, 3) metres, by the masses of `body.segments`.
        floor: height of the floor, metres.
        speed: metres per second asked for over the ground; nan where the motion has no single speed.
    """

    left: FootTruth
    right: FootTruth
    labels: np.ndarray
    cycles: np.ndarray
    centre_of_mass: Float32
    floor: float = 0.0
    speed: float = float("nan")

    def foot(self, side: str) -> FootTruth:
        """The foot of a side, "left" or "right"."""
        return self.left if side == "left" else self.right

    @property
    def flight(self) -> Bool:
        """(F,) no foot is planted."""
        return ~(self.left.planted | self.right.planted)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One clip of the sample library.

    Attributes:
        clip: the motion.
        truth: what is known about it.
        type: the one gait class that describes it best, out of `LABELS`.
        tags: words to find it by.
        description: for people.
    """

    clip: Clip
    truth: SampleTruth
    type: str
    tags: tuple[str, ...]
    description: str

    @property
    def name(self) -> str:
        """Name of the clip."""
        return self.clip.name
