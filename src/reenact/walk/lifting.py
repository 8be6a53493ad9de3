"""Swinging feet lifted higher or lower (reuse specification 3.15.5), counted from the height at which their ankle stands.

    y' = y_rest + (1 + (f - 1) r) (y - y_rest)

with r rising from 0 at toe-off to 1 about where the ankle is highest and falling to 0 until the foot comes down, so that feet on the floor
stay as they are. Since r is below 1 for a while, f is set for each swing so that its highest moment is as high as asked for.
"""

from __future__ import annotations

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.ramps import rise
from reenact.core.smoothing import smooth
from reenact.solve.feet import FootTrack
from reenact.walk.step_plan import WalkPlan
from reenact.walk.walk_study import Swing, WalkStudy

_UP, _UP_LOWER, _DOWN = (
    0.32,
    0.24,
    0.5,
)  # of a swing: where r has risen (of feet lifted less), and where it begins to fall
_MOST, _ROUNDS = 2.2, 40  # times f - 1 that a swing is changed by at most
_NEAR = 1e-4  # metres
_LEAST, _BRIEF = 0.03, 0.2  # metres and seconds: a swing that is lifted less or takes less time is no step
_CALM = 0.02  # seconds, width of the low-pass over the lift


def lift_foot(study: WalkStudy, plan: WalkPlan, side: str, track: FootTrack) -> FootTrack:
    """The track of a foot with its swings lifted by the factors of the plan."""
    up, own = np.zeros(len(track)), study.tracks[side].ankle[:, 1]
    for swing, factor in zip(study.swings, plan.lifts, strict=True):
        if study.prints[swing.before].side != side or abs(factor - 1.0) < 1e-9 or not is_step(study, swing):
            continue
        up[swing.start : swing.end] = _raised(own, swing, float(factor), study.clip.fps)
    if not up.any():
        return track
    return track.moved(up[:, None] * (0.0, 1.0, 0.0), R.identity(len(track)))


def is_step(study: WalkStudy, swing: Swing) -> bool:
    """A swing that is lifted and takes its time; others are shuffles."""
    return swing.lift > _LEAST and swing.end - swing.start > _BRIEF * study.clip.fps


def _raised(heights: Float, swing: Swing, factor: float, fps: float) -> Float:
    """(N,) metres by which the ankle of a swing is raised."""
    frames = np.arange(swing.start, swing.end)
    t = (frames - swing.start + 1) / (swing.end - swing.start + 1)
    above = heights[frames] - np.interp(frames, [swing.start, swing.end], swing.rest)
    raised = smooth(np.maximum(above, 0.0), _CALM * fps)
    shape = rise(t / (_UP if factor > 1 else _UP_LOWER)) * (1.0 - rise((t - _DOWN) / (1.0 - _DOWN))) * raised
    wanted = factor * swing.lift
    low, high = sorted((0.0, max(_MOST * (factor - 1.0), -1.0)))
    gain = 0.0
    for _ in range(_ROUNDS):  # the highest moment grows with the gain
        gain = 0.5 * (low + high)
        peak = float(np.max(above + gain * shape))
        if abs(peak - wanted) < _NEAR:
            break
        low, high = (gain, high) if peak < wanted else (low, gain)
    return gain * shape
