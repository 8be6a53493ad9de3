"""One tempo for two motions within a blend: steps of a slow walk and of a quick one come at the same time."""

from __future__ import annotations

import numpy as np

from reenact.core.arrays import Float
from reenact.core.foot_plants import SIDES, FootPlants, intervals_of
from reenact.core.ramps import Shape, rise

_MOST = 2.0  # how many times quicker or slower a motion is played at most
_NEAR = 2.5  # seconds round the blend in which strides are looked for


def match_tempo(
    frames_a: Float,
    frames_b: Float,
    plants: tuple[FootPlants | None, FootPlants | None],
    lengths: tuple[int, int],
    shape: Shape,
) -> tuple[Float, Float]:
    """Fractional frames of both clips over a blend so that their strides take the same time; unchanged where one has no strides.

    The first clip begins at its own tempo and ends at the second's, the second the other way round, so nothing changes outside.

    Args:
        frames_a, frames_b: (N,) frames at their own tempo.
        plants: contacts of both.
        lengths: frames of both clips.
        shape: how the tempo changes.
    """
    strides = [_stride(p, frames) for p, frames in zip(plants, (frames_a, frames_b), strict=True)]
    if strides[0] is None or strides[1] is None:
        return frames_a, frames_b
    ratio = float(np.clip(strides[0] / strides[1], 1 / _MOST, _MOST))  # how much quicker the second is
    count = len(frames_a)
    weight = rise((np.arange(count - 1) + 0.5) / (count - 1), shape)
    quicker = ratio**weight  # tempo of the blend against the first clip
    new_a = frames_a[0] + np.concatenate([[0.0], np.cumsum(quicker)])
    new_b = frames_b[-1] - np.concatenate([np.cumsum((quicker / ratio)[::-1])[::-1], [0.0]])
    if new_a[-1] > lengths[0] - 1 or new_b[0] < 0:
        return frames_a, frames_b
    return new_a, new_b


def _stride(plants: FootPlants | None, frames: Float) -> float | None:
    """Frames from one strike of a foot to its next near the blend: the median over both feet."""
    if plants is None:
        return None
    reach = _NEAR * plants.fps
    found = []
    for side in SIDES:
        strikes = np.array([start for start, _ in intervals_of(plants.foot(side).plant) if start > 0])
        near = strikes[(strikes > frames[0] - reach) & (strikes < frames[-1] + reach)]
        found += np.diff(near).tolist()
    return float(np.median(found)) if found else None
