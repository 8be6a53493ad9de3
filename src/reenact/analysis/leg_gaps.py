"""Legs that run through each other: the gap between both feet and shins, taken as capsules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.analysis.quality.overlap import segment_distances
from reenact.core.arrays import Float

LEG_RADIUS = 0.035
"""Metres for a leg of 0.83 m: half the width of a slim foot and of a shin above the ankle. The calf of `check` is thicker, but feet and
ankles of recorded walks pass each other closer than two calves are wide."""


@dataclass(frozen=True, slots=True, eq=False)
class LegPlaces:
    """Knees, ankles, heels and balls of the left and the right leg, each (F, 2, 3) metres (or with more dimensions in front)."""

    knees: Float
    ankles: Float
    heels: Float
    balls: Float

    def moved(self, shift: Float) -> LegPlaces:
        """The legs with their feet moved by a shift of the same shape; the knees go half the way."""
        return LegPlaces(self.knees + 0.5 * shift, self.ankles + shift, self.heels + shift, self.balls + shift)

    def __getitem__(self, frames: slice | np.ndarray) -> LegPlaces:
        return LegPlaces(self.knees[frames], self.ankles[frames], self.heels[frames], self.balls[frames])


def leg_gaps(legs: LegPlaces, radius: float = LEG_RADIUS) -> Float:
    """(F,) metres between the surfaces of both legs below the knee, the least of foot and foot, foot and shin, shin and shin.

    Below zero they are in each other.

    Args:
        legs: see `LegPlaces`.
        radius: metres of the capsules around foot (heel to ball) and shin (knee to ankle).
    """
    feet = [(legs.heels[..., n, :], legs.balls[..., n, :]) for n in (0, 1)]
    shins = [(legs.knees[..., n, :], legs.ankles[..., n, :]) for n in (0, 1)]
    pairs = ((feet[0], feet[1]), (feet[0], shins[1]), (shins[0], feet[1]), (shins[0], shins[1]))
    return np.min([segment_distances(*a, *b) for a, b in pairs], axis=0) - 2 * radius
