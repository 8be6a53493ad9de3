"""Foot plants: when which point of which foot stands still on the floor. The one contact type for every method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reenact.core.arrays import Bool, Float32, Float64, frozen
from reenact.errors import ParameterError

SIDES = ("left", "right")

CARRIED = "carried"
"""Source of plants that come from those of the clips a motion was made of."""

IN_PLACE = "in place"
"""Source of plants of a motion whose way over the floor was taken out: they tell when feet touch, but the feet slide, as on a treadmill."""


def intervals_of(mask: ArrayLike) -> list[tuple[int, int]]:
    """Half-open ranges [start, end) of frames in which `mask` (F,) is true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.asarray(mask, dtype=np.int8), [0]])))
    return [(int(start), int(end)) for start, end in zip(edges[::2], edges[1::2], strict=True)]


def mask_of(intervals: ArrayLike, frames: int) -> Bool:
    """(F,) mask of half-open ranges."""
    mask = np.zeros(frames, np.bool_)
    for start, end in np.asarray(intervals, dtype=np.int64).reshape(-1, 2):
        if not 0 <= start < end <= frames:
            raise ParameterError(f"frames {start} to {end} are not a part of 0 to {frames}")
        mask[start:end] = True
    return mask


@dataclass(frozen=True, slots=True, eq=False)
class FootContact:
    """Contacts of one foot.

    Attributes:
        heel: (F,) the heel point is planted.
        ball: (F,) the ball point is planted. A skeleton without toes has one point: then both are equal.
        confidence: (F,) float32 0..1, how sure the state of each frame is; 1 where it was given by hand or planned.
    """

    heel: Bool
    ball: Bool
    confidence: Float32 = field(default=None)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        count = len(self.heel)
        object.__setattr__(self, "heel", frozen(self.heel, np.bool_, (count,), "heel"))
        object.__setattr__(self, "ball", frozen(self.ball, np.bool_, (count,), "ball"))
        sure = np.ones(count, np.float32) if self.confidence is None else self.confidence
        object.__setattr__(self, "confidence", frozen(sure, np.float32, (count,), "confidence"))

    @property
    def plant(self) -> Bool:
        """(F,) any point of the foot is planted."""
        return self.heel | self.ball

    def intervals(self) -> list[tuple[int, int]]:
        """Half-open ranges of frames in which the foot is planted."""
        return intervals_of(self.plant)


@dataclass(frozen=True, slots=True, eq=False)
class Floor:
    """The floor as a plane: points p with normal . p = height.

    Attributes:
        height: metres, signed distance of the plane from the origin along its normal.
        normal: (3,) float64 unit vector, upwards.
        confidence: 0..1.
    """

    height: float = 0.0
    normal: Float64 = field(default=None)  # type: ignore[assignment]
    confidence: float = 1.0

    def __post_init__(self) -> None:
        up = (0.0, 1.0, 0.0) if self.normal is None else self.normal
        object.__setattr__(self, "normal", frozen(up, np.float64, (3,), "normal"))

    def moved(self, turn: ArrayLike, shift: ArrayLike) -> Floor:
        """The plane turned about the origin by a matrix (3, 3), then shifted by (3,)."""
        normal = np.asarray(turn, dtype=np.float64) @ self.normal
        return Floor(self.height + float(normal @ np.asarray(shift, dtype=np.float64)), normal, self.confidence)

    def above(self, points: ArrayLike) -> Float64:
        """Heights (...) of points (..., 3) above the floor, metres."""
        return np.asarray(points, dtype=np.float64) @ self.normal - self.height


@dataclass(frozen=True, slots=True, eq=False)
class FootPlants:
    """Contacts of both feet of a clip, and the floor they stand on.

    Attributes:
        left, right: contacts; all false for a foot the skeleton does not have.
        fps: frames per second of the clip they belong to.
        floor: the floor.
        source: where they come from: a detector's name, "file", "plan", "carried".
    """

    left: FootContact
    right: FootContact
    fps: float
    floor: Floor = field(default_factory=lambda: Floor())
    source: str = ""

    def __post_init__(self) -> None:
        if len(self.left.heel) != len(self.right.heel):
            raise ParameterError(f"the feet have {len(self.left.heel)} and {len(self.right.heel)} frames")

    def __len__(self) -> int:
        return len(self.left.heel)

    def foot(self, side: str) -> FootContact:
        """The foot of a side, "left" or "right"."""
        if side not in SIDES:
            raise ParameterError(f"side must be left or right, not {side!r}")
        return self.left if side == "left" else self.right

    def cut(self, start: int, end: int) -> FootPlants:
        """The plants of frames [start, end)."""
        feet = [
            FootContact(f.heel[start:end], f.ball[start:end], f.confidence[start:end]) for f in (self.left, self.right)
        ]
        return FootPlants(feet[0], feet[1], self.fps, self.floor, self.source)

    def picked(self, frames: ArrayLike, fps: float | None = None) -> FootPlants:
        """The plants of these frames, in this order, of a clip of that rate."""
        at = np.asarray(frames, dtype=np.int64)
        feet = [FootContact(f.heel[at], f.ball[at], f.confidence[at]) for f in (self.left, self.right)]
        source = IN_PLACE if self.source == IN_PLACE else CARRIED
        return FootPlants(feet[0], feet[1], self.fps if fps is None else fps, self.floor, source)

    def standing(self) -> FootPlants:
        """The plants in which a foot stands on the floor, for all that hold or judge feet: none of a motion in place, else these."""
        if self.source != IN_PLACE:
            return self
        none = np.zeros(len(self), np.bool_)
        return replace(self, left=FootContact(none, none), right=FootContact(none, none))

    def mirrored(self) -> FootPlants:
        """Left and right exchanged, and the floor reflected in the plane x = 0."""
        floor = replace(self.floor, normal=self.floor.normal * (-1.0, 1.0, 1.0))
        return FootPlants(self.right, self.left, self.fps, floor, self.source)

    def as_dict(self) -> dict[str, Any]:
        """Plain values: half-open ranges of frames by foot; `heel` and `ball` hold those of the points."""
        points = {
            part: {side: [list(span) for span in intervals_of(getattr(self.foot(side), part))] for side in SIDES}
            for part in ("heel", "ball")
        }
        return {
            "fps": self.fps,
            "frames": len(self),
            "left": [list(span) for span in self.left.intervals()],
            "right": [list(span) for span in self.right.intervals()],
            "floor": {
                "height": self.floor.height,
                "normal": [float(number) for number in self.floor.normal],
                "confidence": self.floor.confidence,
            },
            **points,
            "detector": self.source,
        }

    def on_floor(self, floor: Floor) -> FootPlants:
        """The same contacts on another floor."""
        return replace(self, floor=floor)


def join_plants(parts: Sequence[FootPlants]) -> FootPlants:
    """Plants of clips one after the other; the floor is the first one's. Beside clips that go, those in place have none."""
    source = IN_PLACE if all(part.source == IN_PLACE for part in parts) else CARRIED
    parts = parts if source == IN_PLACE else [part.standing() for part in parts]
    feet = [_join([part.foot(side) for part in parts]) for side in SIDES]
    return FootPlants(feet[0], feet[1], parts[0].fps, parts[0].floor, source)


def _join(parts: Sequence[FootContact]) -> FootContact:
    heel, ball, sure = (np.concatenate([getattr(p, name) for p in parts]) for name in ("heel", "ball", "confidence"))
    return FootContact(heel, ball, sure)
