"""Key frames to regular frames: frame rate detection and the three glTF interpolations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from reenact.core import rotations
from reenact.core.arrays import Float, Float64

Interpolation = Literal["LINEAR", "STEP", "CUBICSPLINE"]

USUAL_RATE = 30.0
"""Frames per second where the keys do not say."""

_RATES = (
    24.0,
    25.0,
    30.0,
    48.0,
    50.0,
    60.0,
    72.0,
    90.0,
    100.0,
    120.0,
    144.0,
    150.0,
    180.0,
    200.0,
    240.0,
    250.0,
    300.0,
    480.0,
    500.0,
)
_BROADCAST_RATES = (24000 / 1001, 30000 / 1001, 60000 / 1001, 120000 / 1001)
_NEAR = 0.02  # frames a key may lie beside a frame and still count as on it
_MOST = 0.8  # share of a channel's keys that must be spaced alike to say the rate
_FASTEST_GUESS = 120.0  # sparse keys lie on the frames of any rate that is high enough
_SLOWEST = 15.0  # keys rarer than this are the poses of an animator, not frames


@dataclass(frozen=True, slots=True)
class FrameGrid:
    """The regular frames an animation is read at: frame k at `start + k / fps` of the file's time.

    Attributes:
        start: seconds.
        fps: frames per second.
        frames: how many.
        sure: True when every key lies on a frame and the rate follows from the spacing of the keys.
        exact: True when every key lies on a frame.
    """

    start: float
    fps: float
    frames: int
    sure: bool
    exact: bool

    @property
    def times(self) -> Float64:
        """(F,) seconds of the file's time."""
        return self.start + np.arange(self.frames) / self.fps


def detect_grid(key_times: Sequence[Float]) -> FrameGrid:
    """The frame grid of an animation from the key times of its channels (each ascending, not empty).

    The spacing of the densest channel gives the rate when most of its keys share it. Without such a spacing it is the first usual
    rate on whose frames all keys lie, 30 first; else 30.
    """
    start = min(float(times[0]) for times in key_times)
    end = max(float(times[-1]) for times in key_times)
    if end <= start:
        return FrameGrid(start, USUAL_RATE, 1, sure=False, exact=True)
    every = np.unique(np.concatenate([np.asarray(times, dtype=np.float64) for times in key_times])) - start
    rate = _spacing_rate(max(key_times, key=len))
    if rate is not None:
        for fine in (rate, 2 * rate):
            if on_frames(every, fine):
                return FrameGrid(start, fine, round((end - start) * fine) + 1, sure=True, exact=True)
    for usual in (USUAL_RATE, *_RATES, *_BROADCAST_RATES) if rate is None else ():
        if usual <= _FASTEST_GUESS and on_frames(every, usual):
            return FrameGrid(start, usual, round((end - start) * usual) + 1, sure=False, exact=True)
    rate = rate or USUAL_RATE
    return FrameGrid(start, rate, math.floor((end - start) * rate + _NEAR) + 1, sure=False, exact=False)


def on_frames(times: Float64, rate: float) -> bool:
    """True when all times (from the first frame on) lie on frames."""
    at = times * rate
    near = _NEAR + at * 3e-7  # float32 times of long recordings are coarse
    return bool(np.all(np.abs(at - np.round(at)) <= near))


def _spacing_rate(times: Float) -> float | None:
    """The rate most keys are spaced at, or the usual rate within its accuracy; None when there is none or it is slow."""
    if len(times) < 4:
        return None
    times = np.asarray(times, dtype=np.float64)
    gaps = np.diff(times)
    rounding = 1.2e-7 * abs(times[-1])
    alike = np.abs(gaps - np.median(gaps)) <= _NEAR * np.median(gaps) + 2 * rounding
    if alike.mean() < _MOST:
        return None
    # Over a run of even keys the rounding of single times averages out.
    spacing = float(gaps[alike].mean())
    rate = 1 / spacing
    if not _SLOWEST <= rate <= 2000:
        return None
    usual = min((*_RATES, *_BROADCAST_RATES, round(rate)), key=lambda one: abs(one - rate))
    accuracy = max(1e-5, 1e-4 / len(times)) + 2 * rounding / (spacing * np.count_nonzero(alike))
    return float(usual) if abs(usual - rate) <= accuracy * rate else rate


class KeyPlan:
    """For one list of key times: between which keys each frame lies. Channels that share times share the plan."""

    def __init__(self, times: Float, grid: FrameGrid) -> None:
        at = grid.times
        times = np.asarray(times, dtype=np.float64)
        self.frames = grid.frames
        self.direct = len(times) == grid.frames and bool(
            np.abs(times - at).max() <= _NEAR / grid.fps + 3e-7 * abs(times[-1])
        )
        self.single = len(times) == 1
        if self.direct or self.single:
            return
        slack = 1e-3 / grid.fps + 2e-7 * np.abs(at)  # a frame that misses its key by rounding takes the key
        self.before = np.clip(np.searchsorted(times, at + slack, "right") - 1, 0, len(times) - 2)
        self.step = np.clip(np.searchsorted(times, at + slack, "right") - 1, 0, len(times) - 1)
        self.gap = times[self.before + 1] - times[self.before]
        share = np.clip((at - times[self.before]) / self.gap, 0, 1)
        near = slack / self.gap
        share = np.where(share <= near, 0.0, np.where(share >= 1 - near, 1.0, share))
        self.share = share

    def sample(self, values: Float, interpolation: Interpolation, *, turning: bool) -> Float:
        """(F, width) values at the frames, or (1, width) where there is a single key.

        Args:
            values: (keys, width), for CUBICSPLINE (keys, 3, width): in-tangent, value, out-tangent.
            interpolation: as the sampler says.
            turning: quaternions (wxyz): the short way round, made unit.
        """
        keys = values[:, 1] if interpolation == "CUBICSPLINE" else values
        if self.direct or self.single:
            return keys
        if interpolation == "STEP":
            return keys[self.step]
        a, b = keys[self.before], keys[self.before + 1]
        share = self.share.astype(values.dtype)
        if interpolation == "LINEAR":
            if turning:
                return rotations.slerp(a, b, share)
            return a + (b - a) * share[:, None]
        leave = values[self.before, 2] * self.gap[:, None]
        arrive = values[self.before + 1, 0] * self.gap[:, None]
        s = self.share[:, None]
        s2, s3 = s * s, s * s * s
        found = (2 * s3 - 3 * s2 + 1) * a + (s3 - 2 * s2 + s) * leave + (3 * s2 - 2 * s3) * b + (s3 - s2) * arrive
        return (rotations.normalize(found) if turning else found).astype(values.dtype)
