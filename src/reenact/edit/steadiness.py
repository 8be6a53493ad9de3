"""How a clip travels and turns for most of its action, and whether a part of it does so too.

Who loops a walk wants the walk, not the U-turn in it: a cycle is steady when it travels and turns about as its clip typically does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.analysis.action import action_density
from reenact.core import filters
from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip
from reenact.core.placement import find_headings

_SMOOTH = 0.5  # seconds over which the way of the hips is smoothed: about a step, so that their sway is no way
_SPAN = 1.0  # seconds over which speed and turn are taken to find what is typical
_SPEED = (0.1, 0.25)  # m/s, and share of the typical speed, by which a steady cycle may differ
_TURN = (np.radians(20.0), 0.25)  # radians a second, and share of the typical turn
_STRAIGHT, _MUCH = (
    np.radians(15.0),
    0.3,
)  # radians a second that are no turn, and share of the action that makes them typical
_WALKS = 0.3  # m/s from which on going straight is told from standing


@dataclass(frozen=True, slots=True, eq=False)
class Travel:
    """How a clip travels.

    Attributes:
        hips: (F, 2) where the hips are over the floor, metres.
        way: (F,) metres over the floor since its first frame, along the path.
        heading: (F,) radians, unwrapped.
        fps: frames per second.
        speed: m/s, typical: half of the clip's action travels faster, half more slowly.
        turn: radians a second, typical: of what goes straight on, where much of the action does, else as the speed.
    """

    hips: Float
    way: Float
    heading: Float
    fps: float
    speed: float
    turn: float

    def departure(self, start: np.ndarray | int, end: np.ndarray | int) -> Float:
        """By how much frames [start, end) travel or turn otherwise than the clip: 0 not at all, 1 as much as still counts as steady."""
        speed, turn = self.pace(start, end)
        return np.maximum(
            np.abs(speed - self.speed) / (_SPEED[0] + _SPEED[1] * self.speed),
            np.abs(turn - self.turn) / (_TURN[0] + _TURN[1] * abs(self.turn)),
        )

    def steady(self, start: np.ndarray | int, end: np.ndarray | int) -> Bool:
        """Whether frames [start, end) travel and turn like the clip; for arrays of starts and ends one for each pair."""
        return np.asarray(self.departure(start, end) <= 1.0)

    def pace(self, start: np.ndarray | int, end: np.ndarray | int) -> tuple[Float, Float]:
        """Mean speed (m/s) and turn (radians a second) of frames [start, end)."""
        seconds = (np.asarray(end) - start) / self.fps
        return (self.way[end] - self.way[start]) / seconds, (self.heading[end] - self.heading[start]) / seconds

    def describe(self, start: int, end: int) -> str:
        """In words, how frames [start, end) differ from the clip; empty when they are steady."""
        if self.steady(start, end):
            return ""
        speed, turn = (float(value) for value in self.pace(start, end))
        return (
            f"the cycle travels at {speed:.2f} m/s and turns {np.degrees(turn):.0f} degrees a second, "
            f"most of the clip at {self.speed:.2f} m/s and {np.degrees(self.turn):.0f} degrees a second"
        )


def find_travel(clip: Clip, places: Float) -> Travel:
    """How a clip travels and turns; `places` (F, J, 3) are the world positions of its joints."""
    hips = places[:, clip.skeleton.roles.get("hips", 0)][:, [0, 2]]
    half = min(max(1, round(_SMOOTH * clip.fps / 2)), len(clip) - 1)
    padded = np.pad(hips, [(half, half), (0, 0)], mode="reflect", reflect_type="odd")
    path = filters.mean(padded, 2 * half + 1, axis=0)[half : half + len(hips)]
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    heading = np.unwrap(find_headings(clip).angles)
    reach = min(max(1, round(_SPAN * clip.fps / 2)), (len(clip) - 1) // 2)
    middle = np.arange(reach, len(clip) - reach)
    weights = action_density(clip, places)[middle]
    seconds = 2 * reach / clip.fps
    speeds = (way[middle + reach] - way[middle - reach]) / seconds
    turns = (heading[middle + reach] - heading[middle - reach]) / seconds
    straight = (np.abs(turns) < _STRAIGHT) & (speeds > _WALKS)
    if (
        weights[straight].sum() >= _MUCH * weights.sum() > 0.0
    ):  # who walks straight on and turns then, walks straight on
        turn = _weighted_median(turns[straight], weights[straight])
    else:
        turn = _weighted_median(turns, weights)
    return Travel(hips, way, heading, clip.fps, _weighted_median(speeds, weights), turn)


def _weighted_median(values: Float, weights: Float) -> float:
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return float(values[order[int(np.searchsorted(total, total[-1] / 2))]])
