"""The limits that walks and paths are held to, and whether a report says in words where one is passed.

A figure over its limit is *said* where a doubt of the report speaks of it, else *silent*. The words that are looked for are below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants, intervals_of
from reenact.solve.feet import Foot, find_feet, track_foot


@dataclass(frozen=True)
class Limit:
    """A figure's limit.

    Attributes:
        figure: name of the figure.
        most: what it may be.
        words: any of them in a doubt says it.
    """

    figure: str
    most: float
    words: tuple[str, ...]


LIMITS = (
    Limit("step_error", 0.02, ("steps come out",)),
    Limit("lift_error", 0.02, ("feet are lifted",)),
    Limit("slip_mm", 2.0, ("slips by",)),
    Limit("sole_mm", 10.0, ("sole is",)),
    Limit("through_mm", 10.0, ("through the ground",)),
    Limit("knee_acceleration", 1.5, ("a knee is bent",)),
    Limit("backward_degrees", 0.5, ("bends backwards",)),
    Limit("off_goal_mm", 10.0, ("the goal is missed",)),
    Limit("beside_m", 0.05, ("beside the path",)),
    Limit("off_direction_degrees", 15.0, ("off the direction",)),
)
"""What issue and specification (A15) ask for."""


def over(figures: dict[str, Any], doubts: list[str]) -> tuple[list[str], list[str]]:
    """Names of the figures over their limits: those that doubts speak of, and those they do not."""
    said, silent = [], []
    for limit in LIMITS:
        if limit.figure in figures and figures[limit.figure] > limit.most:
            spoken = any(word in doubt for doubt in doubts for word in limit.words)
            (said if spoken else silent).append(limit.figure)
    return said, silent


def slips_mm(clip: Clip, plants: FootPlants) -> float:
    """The farthest that a planted heel or ball gets over the map from where it came down; counted here, not by the method."""
    world, worst = clip.world(np.float64), 0.0
    for foot in find_feet(clip.skeleton, clip):
        track, contact = track_foot(world, foot), plants.foot(foot.side)
        for places, mask in ((track.heel, contact.heel), (track.ball, contact.ball)):
            for start, end in intervals_of(mask):
                flat = places[start:end][:, [0, 2]]
                away = np.linalg.norm(flat[:, None] - flat[None, :: max((end - start) // 40, 1)], axis=2)
                worst = max(worst, float(away.max()))
    return 1000 * worst


def backward_degrees(result: Clip, recorded: Clip) -> float:
    """How far a knee bends the wrong way, beyond what it does in the recording: by the hinge that the recorded knee turns about.

    The hinge is the main axis of what turns the thigh into the shank, in the frame of the thigh.
    """
    worst = 0.0
    for foot in find_feet(recorded.skeleton, recorded):
        hinge, own = _bends(recorded, foot, None)
        _, new = _bends(result, foot, hinge)
        worst = max(worst, float(np.degrees(max(-new.min(), 0.0) - max(-own.min(), 0.0))))
    return worst


def _bends(clip: Clip, foot: Foot, hinge: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The hinge in the frame of the thigh, and (F,) radians of the knee about it; positive is the way it mostly bends."""
    from reenact.core import rotations as R

    world = clip.world(np.float64)
    hip, knee, ankle = (world.positions[:, joint] for joint in (foot.leg.root, foot.leg.mid, foot.leg.end))
    frame = R.conjugate(world.rotations[:, foot.leg.root])
    thigh, shank = R.rotate(frame, knee - hip), R.rotate(frame, ankle - knee)
    thigh, shank = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (thigh, shank))
    turns = np.cross(thigh, shank)
    if hinge is None:
        bent = np.linalg.norm(turns, axis=1) > np.sin(0.3)
        axis = np.mean(turns[bent] if bent.any() else turns, axis=0)
        axis /= max(float(np.linalg.norm(axis)), 1e-9)
    else:
        axis = hinge
    return axis, np.arctan2(turns @ axis, np.einsum("fi,fi->f", thigh, shank))
