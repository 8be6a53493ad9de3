"""Measures of a transition from outside: a file that was made, against the two recordings it was made of."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import bvh_motion as bvh


@dataclass(frozen=True)
class Joined:
    """A transition: both recordings, what was made, where they meet."""

    first: bvh.Motion
    second: bvh.Motion
    made: bvh.Motion
    report: dict[str, Any]

    @cached_property
    def points(self) -> tuple[dict, dict, dict]:
        """Paths of heels and balls of both recordings and of what was made."""
        return (
            bvh.foot_points(self.first, self.first),
            bvh.foot_points(self.second, self.second),
            bvh.foot_points(self.made, self.first),
        )

    @property
    def window(self) -> slice:
        """Frames of the blend."""
        return slice(*self.report["window_frames"])

    @property
    def later(self) -> int:
        """Frame of the second recording less the frame of the result that shows it."""
        return self.report["into"] - self.report["at"]

    @property
    def untouched(self) -> int:
        """The frame after which the second recording plays as it is."""
        return max(self.window.stop, self.report["changed_frames"][1]) + 2

    def push(self) -> float:
        """Of the joint that is pushed hardest, as a multiple of its hardest push in the recordings."""
        near = slice(max(0, self.window.start - 4), self.window.stop + 4)
        return bvh.hardest_push(self.made, [self.first, self.second], near)[0]

    def slides(self) -> float:
        """Seconds for which the body slides on its feet, beyond what the recordings do there."""
        first, second, made = self.points
        floor = bvh.levels(first)
        there = slice(max(0, self.window.start + self.later), self.window.stop + self.later)
        recorded = max(
            bvh.seconds_of_slides(self.first, first, floor, self.window),
            bvh.seconds_of_slides(self.second, second, bvh.levels(second), there),
        )
        return bvh.seconds_of_slides(self.made, made, floor, self.window) - recorded

    def held_height(self) -> float:
        """Millimetres by which a planted ball stands higher or lower above its floor than in either recording at that time."""
        first, second, made = self.points
        worst = 0.0
        for plant in self.report["plants"]:
            near = self.window.start - 20 < plant["start"] < self.window.stop + 20
            if plant["point"] != "ball" or not near:
                continue
            key, start, end = (plant["foot"], "ball"), plant["start"], plant["end"]
            height = np.median(made[key][start:end, 1]) - bvh.levels(first)[key]
            recorded = [
                np.median(points[key][max(0, start + shift) : end + shift, 1]) - bvh.levels(points)[key]
                for points, shift in ((first, 0), (second, self.later))
                if start + shift + 2 < len(points[key]) and end + shift > 2
            ]
            worst = max(worst, 1000 * min(abs(height - other) for other in recorded))
        return worst

    def floor_shift(self) -> float:
        """Millimetres between the floor that the second recording stands on in the result and that of the first."""
        first, second, made = self.points
        end = len(self.made)
        here = bvh.levels(made, slice(self.untouched, end))
        there = bvh.levels(second, slice(self.untouched + self.later, end + self.later))
        floors = bvh.levels(first), bvh.levels(second)
        balls = [(side, "ball") for side in bvh.SIDES]
        return 1000 * abs(
            float(np.mean([(here[ball] - floors[0][ball]) - (there[ball] - floors[1][ball]) for ball in balls]))
        )

    def pitch(self) -> float:
        """Degrees by which feet that are flat in the second recording are tilted in the result."""
        worst = 0.0
        for side in bvh.SIDES:
            flat = bvh.flat_frames(self.first, side), bvh.flat_frames(self.second, side)
            late = flat[1][(flat[1] >= self.untouched + self.later) & (flat[1] < len(self.made) + self.later)]
            assert min(len(flat[0]), len(late)) >= 10
            here = np.median(bvh.foot_pitch(self.made, side)[late - self.later])
            there = np.median(bvh.foot_pitch(self.second, side)[late])
            usual = [
                np.median(bvh.foot_pitch(source, side)[frames])
                for source, frames in zip((self.first, self.second), flat, strict=True)
            ]
            worst = max(worst, abs((here - usual[0]) - (there - usual[1])))
        return worst

    def lost(self) -> float:
        """Share of the second recording that does not play."""
        return self.report["into"] / len(self.second)
