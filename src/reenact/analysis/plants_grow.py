"""Foot plants by seeds that grow (Shanbhag, section 5.5.1): independent of the threshold detector's order of tests.

Seeds are frames in which a joint's vertical motion changes sign near the ground; each grows both ways while the joint moves little from
frame to frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from reenact.analysis.foot_points import FootPoints
from reenact.analysis.plants_threshold import CMU_UNIT, joint_signals
from reenact.core.arrays import Bool, Float64
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants, intervals_of
from reenact.core.parameters import check_ranges, option


@dataclass(frozen=True, slots=True)
class GrowPlantParameters:
    """Thresholds for a leg of 0.82 m."""

    height: float = option(0.04, "largest distance of a seed from the resting height", unit="m", above=0)
    speed: float = option(0.6, "growth stops where the joint is faster", unit="m/s", above=0)
    floor: Literal["plane", "constant"] = option("plane", "resting height: a plane for each joint, or one number")
    scaled: bool = option(True, "scale height and speed by the leg over 0.82 m")

    def __post_init__(self) -> None:
        check_ranges(self)


GROW_THESIS = GrowPlantParameters(0.1 * CMU_UNIT, 6.8 * CMU_UNIT, "constant", False)
"""The source names no constants for this detector: those of its threshold detector, converted to metres."""


def detect_grow(
    clip: Clip, parameters: GrowPlantParameters | None = None, points: FootPoints | None = None
) -> FootPlants:
    """Foot plants of a clip by seeds and growth, with confidence 1 throughout.

    Raises:
        SkeletonError: no feet.
    """
    asked = parameters or GrowPlantParameters()
    signals = joint_signals(clip, asked.floor, asked.speed, asked.scaled, points)
    near = np.abs(signals.heights) < asked.height * signals.scale
    seeds = turning_points(signals.positions[..., 1].astype(np.float64)) & near
    mask = grow(seeds, signals.speeds < asked.speed * signals.scale)
    return signals.plants(mask, clip.fps, "seed-grow")


def turning_points(height: Float64) -> Bool:
    """(F, P) frames in which the vertical displacement changes sign or is none."""
    if len(height) < 3:
        return np.ones(height.shape, np.bool_)
    moves = np.sign(np.diff(height, axis=0))
    turns = np.zeros(height.shape, np.bool_)
    turns[1:-1] = moves[1:] * moves[:-1] <= 0
    turns[0], turns[-1] = moves[0] == 0, moves[-1] == 0
    return turns


def grow(seeds: Bool, slow: Bool) -> Bool:
    """The runs of `slow` (F, P) that hold a seed (F, P): what growing from every seed until the first failing frame finds."""
    mask = np.zeros(seeds.shape, np.bool_)
    for n in range(seeds.shape[1]):
        for start, end in intervals_of(slow[:, n]):
            if seeds[start:end, n].any():
                mask[start:end, n] = True
    return mask
