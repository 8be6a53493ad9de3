"""The way of a body over the floor without the sway of its gait, and places told by how far along it and how far beside it they lie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.heading import find_headings
from reenact.core.ramps import rise
from reenact.core.smoothing import smooth

_SWAY = 0.25  # seconds, width of the low-pass that takes the sway out
_CALM = 0.1  # seconds, width of the low-pass over how far it has come
_TURNS = 0.15  # seconds, width of the low-pass over its direction: a body that starts or stops turns without a jerk
_RESTS = 0.15  # m/s below which it is at rest
_STANDS = 0.22  # m/s below which a body goes nowhere: its direction is that of the frames beside


@dataclass(frozen=True, slots=True, eq=False)
class TravelPath:
    """The way of a body.

    Attributes:
        points: (F, 2) metres (x, z), in every frame.
        along: (F,) metres gone since the first frame.
        directions: (F,) radians, headings of the way: 0 along +Z, growing towards +X; continuous.
    """

    points: Float
    along: Float
    directions: Float

    @property
    def length(self) -> float:
        """Metres from the first frame to the last."""
        return float(self.along[-1] - self.along[0])

    def direction_at(self, along: ArrayLike) -> Float:
        """Radians, the direction after so many metres; straight on beyond both ends."""
        return np.interp(np.asarray(along, dtype=np.float64), *self._knots(self.directions))

    def point_at(self, along: ArrayLike) -> Float:
        """(..., 2) metres, the place after so many metres; straight on beyond both ends."""
        along = np.asarray(along, dtype=np.float64)
        inside = np.clip(along, self.along[0], self.along[-1])
        x, z = (np.interp(inside, *self._knots(self.points[:, axis])) for axis in (0, 1))
        beyond = (along - inside)[..., None] * unit(self.direction_at(along))
        return np.stack([x, z], axis=-1) + beyond

    def place(self, point: ArrayLike, frame: int, reach: float = 1.5) -> tuple[float, float]:
        """(metres along, metres to the left) of a point (x, z) that the body passes about a frame.

        Args:
            point: (2,) metres.
            frame: about when; of a way that crosses itself only the part near here counts.
            reach: metres along the way on either side that are looked at.
        """
        point = np.asarray(point, dtype=np.float64)
        near = np.flatnonzero(np.abs(self.along - self.along[frame]) <= reach)
        best = near[int(np.argmin(np.linalg.norm(self.points[near] - point, axis=1)))]
        along = float(self.along[best])
        for _ in range(3):  # the foot of the perpendicular, beyond the ends as well
            direction = unit(self.direction_at(along))
            along += float((point - self.point_at(along)) @ direction)
        direction = unit(self.direction_at(along))
        return along, float((point - self.point_at(along)) @ to_the_left(direction))

    def _knots(self, values: Float) -> tuple[Float, Float]:
        """What is known where the body gets on: a body that stands is in one place for many frames."""
        first = np.concatenate([[True], np.diff(self.along) > 1e-9])
        first[-1] |= self.along[-1] > self.along[first][-1]
        return self.along[first], values[first]


@dataclass(frozen=True, slots=True)
class TightTurn:
    """A turn within half a metre: frames `start` to `end`, and by how many radians."""

    start: int
    end: int
    angle: float


def tightest_turn(path: TravelPath, within: float = 0.5) -> TightTurn:
    """The most that a way turns within so many metres."""
    best = TightTurn(0, 0, 0.0)
    ends = np.searchsorted(path.along, path.along + within, side="right") - 1
    for start, end in enumerate(ends):
        directions = path.directions[start : end + 1]
        low, high = int(np.argmin(directions)), int(np.argmax(directions))
        angle = float(directions[high] - directions[low])
        if angle > best.angle + 1e-9:
            best = TightTurn(start + min(low, high), start + max(low, high), angle)
    return best


def unit(direction: ArrayLike) -> Float:
    """(..., 2) unit vectors (x, z) of headings."""
    direction = np.asarray(direction, dtype=np.float64)
    return np.stack([np.sin(direction), np.cos(direction)], axis=-1)


def to_the_left(direction: Float) -> Float:
    """(..., 2) the vectors (x, z) to the left of directions: facing +Z, left is +X."""
    return np.stack([direction[..., 1], -direction[..., 0]], axis=-1)


def find_path(clip: Clip) -> TravelPath:
    """The way of a clip's hips over the floor, sway taken out. Where the body stands, its direction is that of its next steps."""
    hips = clip.skeleton.roles.get("hips", 0)
    ground = clip.root.astype(np.float64) if hips == 0 else clip.world(np.float64).positions[:, hips]
    points = smooth(ground[:, [0, 2]], _SWAY * clip.fps)
    steps = np.diff(points, axis=0)
    sizes = np.linalg.norm(steps, axis=1)
    going = np.flatnonzero(sizes * clip.fps > _STANDS)
    if not len(going):
        facing = float(find_headings(clip).angles[0]) if len(clip) else 0.0
        return TravelPath(points, np.zeros(len(points)), np.full(len(points), facing))
    turned = np.unwrap(np.arctan2(steps[going, 0], steps[going, 1]))
    directions = smooth(np.interp(np.arange(len(points)), going + 0.5, turned), _TURNS * clip.fps)
    goes = rise(
        (sizes * clip.fps - _RESTS) / (_STANDS - _RESTS)
    )  # a body at rest drifts to and fro, which leads nowhere
    along = smooth(np.concatenate([[0.0], np.cumsum(goes * sizes)]), _CALM * clip.fps)
    along = np.maximum.accumulate(along - along[0])
    return TravelPath(points, along, directions)
