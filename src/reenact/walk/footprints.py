"""Footprints: every place on which a foot stands for a while, and what the foot does until the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Bool, Float
from reenact.core.clip import World
from reenact.core.foot_plants import FootPlants, intervals_of
from reenact.solve.feet import Foot, FootTrack, track_foot
from reenact.walk.travel_path import TravelPath

_SAME_PLACE = 0.08  # metres: a foot that is set down nearer than this to where it stood has not stepped
_BRIEF = 0.12  # seconds, unless it was in the air for longer
_STAYS, _LONG = (
    0.05,
    0.3,
)  # metres and seconds: a ball that stays so near to its place, for so long at most, has not left it


@dataclass(frozen=True, slots=True, eq=False)
class Footprint:
    """A place on which a foot stands.

    Attributes:
        side: "left" or "right".
        start, end: half-open range of frames in which a point of the foot is planted.
        place: (3,) metres, where the ball of the foot stands.
        heading: radians, where the foot points.
        along: metres along the way of the body.
        aside: metres to the left of it.
    """

    side: str
    start: int
    end: int
    place: Float
    heading: float
    along: float
    aside: float

    @property
    def middle(self) -> int:
        """The frame in the middle of it."""
        return (self.start + self.end) // 2


def find_footprints(
    tracks: dict[str, FootTrack], plants: FootPlants, path: TravelPath, fps: float
) -> tuple[Footprint, ...]:
    """The footprints of a motion in the order in which the feet come down.

    Args:
        tracks: side -> where the foot is.
        plants: when its points are planted.
        path: the way of the body.
        fps: frames per second.
    """
    found = []
    for side, track in tracks.items():
        contact = plants.foot(side)
        for start, end in _stances(track, contact.plant, fps):
            down = np.flatnonzero(contact.ball[start:end]) + start
            down = down if len(down) else np.arange(start, end)
            place = track.ball[down].mean(axis=0)
            way = (track.ball[down] - track.heel[down]).mean(axis=0)
            if np.hypot(way[0], way[2]) < 1e-3:  # heel and ball are one point: the foot points where the body goes
                heading = float(path.directions[(start + end) // 2])
            else:
                heading = float(np.arctan2(way[0], way[2]))
            along, aside = path.place(place[[0, 2]], (start + end) // 2)
            found.append(Footprint(side, start, end, place, heading, along, aside))
    return tuple(sorted(found, key=lambda one: (one.start, one.end)))


def _stances(track: FootTrack, planted: Bool, fps: float) -> list[tuple[int, int]]:
    """Planted ranges; those between which the foot hardly moves are one."""
    joined: list[tuple[int, int]] = []
    for start, end in intervals_of(planted):
        if joined:
            last, until = joined[-1]
            moved = np.linalg.norm((track.ball[start] - track.ball[until - 1])[[0, 2]])
            between = np.linalg.norm(track.ball[until - 1 : start + 1] - track.ball[until - 1], axis=1)
            stays = start - until <= _LONG * fps and between.max() < _STAYS
            if moved < _SAME_PLACE and (start - until <= _BRIEF * fps or stays):
                joined[-1] = (last, end)
                continue
        joined.append((start, end))
    return joined


def track_feet(world: World, feet: Sequence[Foot]) -> dict[str, FootTrack]:
    """Side -> where the foot is in every frame."""
    return {foot.side: track_foot(world, foot) for foot in feet}
