"""Foot plants by ankles that stand still (Aherne 2005, section 4.3.3; registration A8): the detector registration curves were made with.

A foot is planted over a run of frames in which its ankle is slow and low: no faster than a speed, no higher than a little above the lowest
it gets in the clip. A run is left only when the ankle is clearly faster; short breaks are closed, short runs dropped. Left and right
are looked at on their own. The source gives no limits; these were measured on recordings of walks and jogs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.analysis.foot_points import FootPoints
from reenact.analysis.plants_threshold import joint_signals
from reenact.core.arrays import Bool, Float64
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants, intervals_of
from reenact.core.parameters import check_ranges, option


@dataclass(frozen=True, slots=True)
class StaticPlantParameters:
    """Limits of a still ankle."""

    speed: float = option(0.45, "an ankle slower than this can begin a plant", unit="m/s", above=0)
    leave: float = option(1.3, "how many times that speed ends it", low=1, high=10)
    height: float = option(0.05, "most over the ankle's low level", unit="m", above=0)
    percentile: float = option(5.0, "the low level: this percentile of the ankle's heights", low=0, high=100)
    least: float = option(0.1, "shorter plants are dropped", unit="s", low=0, high=10)
    gap: float = option(0.1, "breaks up to this are closed", unit="s", low=0, high=10)
    span: float = option(1 / 30, "time over which a speed is measured", unit="s", above=0, high=1)
    toes: bool = option(False, "look at the toes by the same rule, for the ball; else the foot stands as a whole")
    scaled: bool = option(False, "scale height and speed by the leg over 0.82 m")

    def __post_init__(self) -> None:
        check_ranges(self)


def detect_static(
    clip: Clip, parameters: StaticPlantParameters | None = None, points: FootPoints | None = None
) -> FootPlants:
    """Foot plants of a clip by ankles that stand still, with confidence 1 throughout.

    Raises:
        SkeletonError: no feet.
    """
    asked = parameters or StaticPlantParameters()
    signals = joint_signals(clip, "constant", asked.speed, asked.scaled, points)
    joints = signals.positions.astype(np.float64)
    speeds, scale = _speeds(joints, clip.fps, asked.span), signals.scale
    finite: Bool = np.asarray(np.isfinite(joints).all(axis=-1))
    mask = np.zeros(joints.shape[:2], np.bool_)
    for n in range(joints.shape[1]):
        if n % 2 and not asked.toes:  # heel and ball by turns
            mask[:, n] = mask[:, n - 1]
            continue
        if not finite[:, n].any():
            continue
        level = np.percentile(joints[finite[:, n], n, 1], asked.percentile)
        low = finite[:, n] & (joints[:, n, 1] < level + asked.height * scale)
        still = low & (speeds[:, n] < asked.speed * scale)
        holds = low & (speeds[:, n] <= asked.leave * asked.speed * scale)
        mask[:, n] = _runs(still, holds, round(asked.gap * clip.fps), asked.least * clip.fps)
    return signals.plants(mask, clip.fps, "static")


def _speeds(joints: Float64, fps: float, span: float) -> Float64:
    """(F, P) metres per second over about `span` seconds around each frame, from frame to frame at least."""
    frames = len(joints)
    if frames < 2:
        return np.zeros(joints.shape[:2])
    step = max(1, round(span * fps))
    first = np.clip(np.arange(frames) - (step + 1) // 2, 0, frames - 1)
    last = np.clip(first + step, 0, frames - 1)
    first = np.minimum(first, np.maximum(last - step, 0))
    return np.linalg.norm(joints[last] - joints[first], axis=-1) * fps / (last - first)[:, None]


def _runs(still: Bool, holds: Bool, gap: int, least: float) -> Bool:
    """(F,) from the first still frame of each run of `holds` to its end; breaks of up to `gap` frames closed, then short runs dropped."""
    mask = np.zeros(len(still), np.bool_)
    for start, end in intervals_of(holds):
        inside = np.flatnonzero(still[start:end])
        if len(inside):
            mask[start + inside[0] : end] = True
    for start, end in intervals_of(~mask):
        if start > 0 and end < len(mask) and end - start <= gap:
            mask[start:end] = True
    for start, end in intervals_of(mask):
        if end - start < least - 1e-9:
            mask[start:end] = False
    return mask
