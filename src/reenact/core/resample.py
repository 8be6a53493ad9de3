"""Resampling in time."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from reenact import kernels
from reenact.core import filters
from reenact.core.arrays import Float, Float32
from reenact.core.clip import Clip, JointTranslations
from reenact.core.parameters import check_ranges, option
from reenact.core.rotations import make_continuous, normalize
from reenact.errors import ParameterError

_MOST_ROTATIONS = 250_000_000  # frames times joints of a result: 4 GB


@dataclass(frozen=True, slots=True)
class ResampleParameters:
    """Give `fps` (the motion keeps its duration) or `frames` (the motion gets that many frames and keeps its rate: it plays
    slower or faster).
    """

    fps: float | None = option(None, "new frame rate; the duration stays", unit="Hz", above=0, high=100_000)
    frames: int | None = option(
        None, "new number of frames; the rate stays, so the motion slows or speeds up", unit="frames", low=1
    )
    method: Literal["linear", "smooth"] = option(
        "linear",
        "linear: positions linear, rotations slerp; smooth: cubic through the frames, low-passed first when the rate falls",
    )

    def __post_init__(self) -> None:
        check_ranges(self)
        if (self.fps is None) == (self.frames is None):
            raise ParameterError("give either fps or frames", where="fps")


def resample(clip: Clip, parameters: ResampleParameters) -> Clip:
    """The same motion at another frame rate, or stretched to another number of frames.

    With `fps`, frame k lies at time k / fps and the last frame is the last that falls within the recording. With `frames`, the
    first and last frames are kept. Resampling to the same rate or count gives the frames back unchanged.
    """
    if len(clip) == 0:
        raise ParameterError("the clip has no frames", where=clip.name)
    span = len(clip) - 1
    if parameters.fps is not None:
        step = clip.fps / parameters.fps
        count = math.floor(span / step + 1e-9) + 1
        _check_size(count, clip)
        at = np.minimum(np.arange(count) * step, span)
        fps = parameters.fps
    else:
        assert parameters.frames is not None
        _check_size(parameters.frames, clip)
        at = np.linspace(0, span, parameters.frames)
        step = span / max(parameters.frames - 1, 1)
        fps = clip.fps
    return sample_at(clip, at, fps, parameters.method, blur=max(step, 1.0))


def _check_size(count: int, clip: Clip) -> None:
    most = _MOST_ROTATIONS // len(clip.skeleton)
    if count > most:
        raise ParameterError(f"the result would have {count} frames, at most {most} are made", where=clip.name)


def sample_at(
    clip: Clip, at: Float, fps: float, method: Literal["linear", "smooth"] = "linear", blur: float = 1.0
) -> Clip:
    """The clip at fractional frames `at` (N,), as a new clip with rate `fps`; times beyond the ends hold the end frames.

    Args:
        clip: the motion.
        at: fractional frame numbers, in any order.
        fps: rate of the result.
        method: see `ResampleParameters`.
        blur: for "smooth", how many old frames one new frame stands for; above 1 the motion is low-passed first.
    """
    at = np.clip(np.asarray(at, dtype=np.float64), 0, len(clip) - 1)
    whole = np.rint(at)
    at = np.where(np.abs(at - whole) < 1e-7, whole, at)  # exact frames come out exactly
    moved = clip.translations
    if method == "linear":
        before = np.minimum(np.floor(at), max(len(clip) - 2, 0)).astype(np.int64)
        t = (at - before).astype(np.float32)
        rotations = np.empty((len(at), len(clip.skeleton), 4), np.float32)
        kernels.quaternions.slerp_frames(clip.rotations, before, t, rotations)
        for end in (0.0, 1.0):  # keep recorded frames bit for bit
            exact = t == np.float32(end)
            rotations[exact] = clip.rotations[np.minimum(before[exact] + int(end), len(clip) - 1)]
        root = _between(clip.root, before, t)
        values = None if moved is None else _between(moved.values, before, t)
    else:
        rotations = normalize(_cubic(_low_pass(make_continuous(clip.rotations), blur), at)).astype(np.float32)
        root = _cubic(_low_pass(clip.root, blur), at)
        values = None if moved is None else _cubic(_low_pass(moved.values, blur), at)
    translations = None if moved is None or values is None else JointTranslations(moved.joints, values)
    sampled = replace(clip, rotations=rotations, root=root, translations=translations, fps=fps)
    return sampled if clip.plants is None else sampled.with_plants(clip.plants.picked(np.rint(at), fps))


def _between(values: Float32, before: np.ndarray, t: Float32) -> Float32:
    after = np.minimum(before + 1, len(values) - 1)
    t = t.reshape(-1, *([1] * (values.ndim - 1)))
    return (values[before] * (1 - t) + values[after] * t).astype(np.float32, copy=False)


def _cubic(values: Float, at: Float) -> Float32:
    """Cubic Hermite through the frames with central-difference slopes: C1, local, exact on the frames."""
    last = len(values) - 1
    i = np.minimum(np.floor(at), max(last - 1, 0)).astype(np.int64)
    t = (at - i).reshape(-1, *([1] * (values.ndim - 1)))
    p0, p1 = values[i].astype(np.float64), values[np.minimum(i + 1, last)].astype(np.float64)
    before, after = values[np.maximum(i - 1, 0)], values[np.minimum(i + 2, last)]
    m0 = np.where((i == 0).reshape(t.shape), p1 - p0, (p1 - before) / 2)
    m1 = np.where((i >= last - 1).reshape(t.shape), p1 - p0, (after - p0) / 2)
    t2, t3 = t * t, t * t * t
    out = (2 * t3 - 3 * t2 + 1) * p0 + (t3 - 2 * t2 + t) * m0 + (3 * t2 - 2 * t3) * p1 + (t3 - t2) * m1
    return out.astype(np.float32)


def _low_pass(values: Float, blur: float) -> Float:
    """Zero-phase Gaussian whose -3 dB point is the new Nyquist rate, ends extended by point reflection so they stay put."""
    if blur <= 1.0 or len(values) < 3:
        return values
    sigma = math.sqrt(math.log(2)) / math.pi * blur  # |H(f)| = 1/sqrt(2) at f = 1 / (2 blur) per frame
    reach = min(len(values) - 1, math.ceil(4 * sigma))
    v = values.astype(np.float64)
    head, tail = 2 * v[0] - v[reach:0:-1], 2 * v[-1] - v[-2 : -2 - reach : -1]
    smooth = filters.gaussian(np.concatenate([head, v, tail]), sigma, axis=0)
    return smooth[reach : reach + len(v)]
