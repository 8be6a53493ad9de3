"""Corrections that are known in some frames only: they leave with the velocity they have and fade to nothing beside them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from reenact.core.arrays import Bool, Float
from reenact.core.foot_plants import intervals_of
from reenact.core.ramps import rise

_LOOK = 0.05  # seconds inside a known range that tell the velocity and the acceleration at its end
_STOP, _CALM = 0.12, 0.06  # seconds in which that velocity and that acceleration are given up


def fade_between(values: Float, known: Bool, ramp: float, fps: float) -> Float:
    """Values (F, D) as they are in known frames (F,), fading beside them to zero within `ramp` seconds; exactly zero farther away.

    A range of known frames goes on with its value, velocity and acceleration while its weight falls from 1 to 0 by a quintic, so that
    there is no jump in either. Where two ranges are closer to each other than the ramp their weights share the gap.
    """
    out = np.where(known[:, None], values, 0.0)
    spans = intervals_of(known)
    frames = len(values)
    length = max(ramp * fps, 1.0)
    for number, (start, end) in enumerate(spans):
        before = spans[number - 1][1] if number else None
        after = spans[number + 1][0] if number + 1 < len(spans) else None
        for edge, step, stop in ((start, -1, before), (end - 1, 1, after)):
            room = length if stop is None else min(length, (edge - stop + 1) if step < 0 else (stop - edge))
            count = min(int(np.ceil(room)) - 1, edge if step < 0 else frames - 1 - edge)
            if count < 1:
                continue
            inner = values[start:end] if step > 0 else values[start:end][::-1]
            slope, curve = _end_motion(inner, fps)
            ahead = np.arange(1, count + 1)
            told = (1.0 - rise(ahead / room))[:, None] * inner[-1]
            told += (ahead * (1.0 - rise(ahead / min(room, _STOP * fps))))[:, None] * slope
            told += (0.5 * ahead * ahead * (1.0 - rise(ahead / min(room, _CALM * fps))))[:, None] * curve
            out[edge + step * ahead] += told
    return out


def faded_frames(known: Bool, ramp: float, fps: float) -> Bool:
    """(F,) the frames that `fade_between` does not leave at zero: the known ones and those within the ramp."""
    from scipy.ndimage import maximum_filter1d

    reach = max(int(np.ceil(ramp * fps)) - 1, 0)
    return maximum_filter1d(known.astype(np.uint8), 2 * reach + 1, mode="constant") > 0


def _end_motion(inner: Float, fps: float) -> tuple[Float, Float]:
    """Velocity and acceleration per frame at the last of some values (N, D), by a parabola through the last one."""
    count = min(len(inner), max(round(_LOOK * fps), 3))
    if count < 2:
        return np.zeros(inner.shape[1]), np.zeros(inner.shape[1])
    past = inner[-count:-1] - inner[-1]
    if count < 4:
        return -past[-1], np.zeros(inner.shape[1])
    slope, curve = _parabola(count) @ past
    return slope, curve


@lru_cache(maxsize=64)
def _parabola(count: int) -> Float:
    time = np.arange(1.0 - count, 0.0)
    return np.linalg.pinv(np.stack([time, 0.5 * time * time], axis=1))
