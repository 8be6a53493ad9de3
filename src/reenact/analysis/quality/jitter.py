"""Jitter: how much of each joint's motion is noise."""

from __future__ import annotations

import numpy as np

from reenact.analysis.quality.examined import Examined
from reenact.analysis.quality.findings import Part, measured
from reenact.analysis.quality.limits import QualityLimits
from reenact.core.arrays import Float

_QUANTILE, _NORMAL = 0.25, 0.31864  # of |x| of a normal distribution, over its deviation
_DIFFERENCE = np.array([1.0, -8.0, 28.0, -56.0, 70.0, -56.0, 28.0, -8.0, 1.0])  # the eighth
_LEAST_FRAMES = 20
_RATE = 60.0  # Hz: at lower rates quick motion looks more like noise, and the limit grows


def check_jitter(examined: Examined, limits: QualityLimits) -> Part:
    """Noise of the worst joint (`jitter.noise`), from eighth differences of the positions.

    Of white noise of deviation s the eighth difference has deviation 113 s, while smooth motion has nearly none; the lower quartile
    over the frames keeps quick moments from counting, as noise is always there.
    """
    part = Part(measures={"jitter_mm": None})
    frames = np.flatnonzero(~examined.bad)
    if len(frames) < _LEAST_FRAMES:
        return part
    noise = joint_noise(examined.positions) * 1000
    worst = int(np.argmax(noise))
    limit = limits.jitter_mm * examined.scale * max(1.0, _RATE / examined.clip.fps)
    part.measures["jitter_mm"] = float(noise[worst])
    part.bounds["jitter_mm"] = limit
    part.measures["jitter_mm_median"] = float(np.median(noise))
    if noise[worst] > limit:
        many = int(np.count_nonzero(noise > limit))
        what = "the joint trembles" if many == 1 else f"{many} joints tremble, this one most"
        part.findings.append(
            measured(
                "jitter.noise", "warning", what, float(noise[worst]), limit, "mm", limits.reason("jitter_mm"),
                frames=(0, len(examined.clip)), joint=examined.name(worst),
            )
        )  # fmt: skip
    return part


def joint_noise(positions: Float) -> Float:
    """(J,) metres: deviation of the noise in positions (F, J, 3), root mean square over the axes."""
    x = positions.astype(np.float64)
    last = len(_DIFFERENCE) - 1
    rough = sum(factor * x[n : len(x) - last + n] for n, factor in enumerate(_DIFFERENCE))
    gain = _NORMAL * np.linalg.norm(_DIFFERENCE)
    each = np.quantile(np.abs(rough), _QUANTILE, axis=0) / gain
    return np.sqrt(np.mean(each**2, axis=1))
