"""The way of a body over the floor without the sway of its gait, and places told by how far along it and how far beside it they lie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip
from reenact.core.foot_plants import intervals_of
from reenact.core.heading import find_headings
from reenact.core.ramps import rise
from reenact.core.smoothing import smooth

_SWAY = 0.25  # seconds, width of the low-pass that takes the sway out
_JOINS = 0.15  # seconds, width of the low-pass over how far it has come, and over what it does beside the way
_TURNS = 0.15  # seconds, width of the low-pass over its direction: a body that starts or stops turns without a jerk
_STANDS = 0.22  # m/s below which a body goes nowhere
_SLOW = 0.6  # m/s below which a body that goes otherwise than it mostly does does not go its way
_ELSEWHERE = 0.3  # metres that a part of the way counts as farther from a point for each metre that is not where the body is then
_OTHERWISE, _OPPOSITE = 0.7, 1.9  # radians from where it mostly goes, as seen from where it faces: when slow, and ever


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
            frame: about when; of a way that crosses itself or comes back the part near here counts.
            reach: metres along the way on either side that are looked at.
        """
        point = np.asarray(point, dtype=np.float64)
        off = np.abs(self.along - self.along[frame])
        near = np.flatnonzero(off <= reach)
        best = near[int(np.argmin(np.linalg.norm(self.points[near] - point, axis=1) + _ELSEWHERE * off[near]))]
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
    """The way of a clip's hips over the floor, sway taken out.

    Where the body hardly goes anywhere, or goes for a moment otherwise than it mostly does as seen from where it faces (a step back, a
    shuffle, a turn on the spot), the way turns as the body does and gets on only as far as the body gets on along it. What it does there
    beside the way stays beside it, as sway does.
    """
    hips = clip.skeleton.roles.get("hips", 0)
    ground = clip.root.astype(np.float64) if hips == 0 else clip.world(np.float64).positions[:, hips]
    points = smooth(ground[:, [0, 2]], _SWAY * clip.fps)
    facing = smooth(find_headings(clip).angles, _SWAY * clip.fps)
    velocity = np.gradient(points, axis=0) * clip.fps if len(points) > 1 else np.zeros_like(points)
    speed = np.linalg.norm(velocity, axis=1)
    goes = _goes_on(velocity, speed, facing)
    if not goes.any():
        return TravelPath(points, np.zeros(len(points)), np.full(len(points), facing[0] if len(facing) else 0.0))
    known = np.flatnonzero(goes)
    off = np.interp(
        np.arange(len(points)),
        known,
        _wrapped(np.arctan2(*velocity[known].T) - facing[known], _mostly(velocity[known], facing[known])),
    )
    directions = smooth(facing + off, _TURNS * clip.fps)
    way, gone = _beside_the_way(points, velocity / clip.fps, directions, goes)
    points = points + smooth(way - points, _JOINS * clip.fps)
    along = smooth(gone, _JOINS * clip.fps)
    return TravelPath(points, np.maximum.accumulate(along - along[0]), directions)


def _goes_on(velocity: Float, speed: Float, facing: Float) -> Bool:
    """(F,) frames in which a body gets on in the direction it mostly goes as seen from where it faces."""
    going = speed > _STANDS
    if not going.any():
        return going
    mostly = _mostly(velocity[going], facing[going])
    off = np.abs(_wrapped(np.arctan2(velocity[:, 0], velocity[:, 1]) - facing - mostly, 0.0))
    return going & ((speed > _SLOW) | (off < _OTHERWISE)) & (off < _OPPOSITE)


def _mostly(velocity: Float, facing: Float) -> float:
    """Radians from where bodies face to where they go, the faster the weightier."""
    speed = np.linalg.norm(velocity, axis=1)
    off = np.arctan2(velocity[:, 0], velocity[:, 1]) - facing
    return float(np.angle(np.sum(speed * speed * np.exp(1j * off))))


def _wrapped(angles: Float, middle: float) -> Float:
    """Angles within half a circle of one."""
    return middle + np.angle(np.exp(1j * (angles - middle)))


def _beside_the_way(points: Float, steps: Float, directions: Float, goes: Bool) -> tuple[Float, Float]:
    """The way (F, 2) that a body is guided along, and how far (F,) it has come on it.

    Args:
        points: (F, 2) metres, where the body is.
        steps: (F, 2) metres that it goes in a frame.
        directions: (F,) radians of the way.
        goes: (F,) it gets on; elsewhere the way leads straight from where that ends to where it goes on.
    """
    way, count = points.copy(), len(points)
    ahead = np.einsum("fi,fi->f", steps, unit(directions))
    forward = np.where(goes, np.linalg.norm(steps, axis=1), 0.0)
    for start, end in intervals_of(~goes):
        inside = np.arange(start, end)
        gained = np.maximum.accumulate(np.maximum(np.cumsum(ahead[start:end]), 0.0))
        forward[start:end] = np.diff(gained, prepend=0.0)
        if start == 0:
            way[inside] = points[end] - (gained[-1] - gained)[:, None] * unit(directions[end])
        elif end == count:
            way[inside] = points[start - 1] + gained[:, None] * unit(directions[start - 1])
        else:
            share = rise((inside - start + 1) / (end - start + 1))[:, None]
            way[inside] = points[start - 1] + share * (points[end] - points[start - 1])
    gone = np.concatenate([[0.0], np.cumsum(0.5 * (forward[1:] + forward[:-1]))])
    return way, gone
