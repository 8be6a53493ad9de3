"""Where a body travels, as seen from where it faces: forwards, backwards, to a side."""

from __future__ import annotations

import numpy as np

from reenact.core.arrays import Float64
from reenact.core.clip import Clip
from reenact.core.heading import find_headings

CHORD = 0.5
"""Seconds over which way and facing are taken: the sway of a step is no travel."""

_SLOWEST = 0.35  # leg lengths a second: a body that is slower goes nowhere


def local_velocity(clip: Clip) -> Float64:
    """(F, 2) m/s to the front and to the left, over half a second about each frame."""
    heading = find_headings(clip).angles
    root = clip.root[:, [0, 2]].astype(np.float64)
    lag = max(min(round(CHORD * clip.fps), len(root) - 1), 1)
    start = np.clip(np.arange(len(root)) - lag // 2, 0, max(len(root) - 1 - lag, 0))
    end = np.minimum(start + lag, len(root) - 1)
    velocity = (root[end] - root[start]) * clip.fps / np.maximum(end - start, 1)[:, None]
    total = np.concatenate([[0.0], np.cumsum(heading)])
    facing = (total[end + 1] - total[start]) / (end + 1 - start)
    front = velocity[:, 0] * np.sin(facing) + velocity[:, 1] * np.cos(facing)
    left = velocity[:, 0] * np.cos(facing) - velocity[:, 1] * np.sin(facing)
    return np.column_stack([front, left])


def angles_apart(one: Float64, other: Float64, leg: float) -> Float64:
    """(N,) radians between the directions of two local velocities (N, 2); 0 where one of the bodies goes nowhere.

    Args:
        one, other: m/s to the front and to the left.
        leg: metres, the length of a leg.
    """
    cross = one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]
    angles = np.abs(np.arctan2(cross, np.einsum("ni,ni->n", one, other)))
    slower = np.minimum(np.linalg.norm(one, axis=1), np.linalg.norm(other, axis=1))
    return np.where(slower > _SLOWEST * leg, angles, 0.0)


def course_in_words(velocity: Float64) -> str:
    """The direction of a mean local velocity (2,): "forwards", "forwards and to the left", "to the right", ..."""
    front, left = (float(value) for value in velocity)
    side = "to the left" if left > 0 else "to the right"
    along = "forwards" if front > 0 else "backwards"
    angle = np.degrees(np.arctan2(abs(left), abs(front)))
    if angle < 22.5:
        return along
    return side if angle > 67.5 else f"{along} and {side}"
