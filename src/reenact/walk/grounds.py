"""What feet stand on: the floor, a slope, stairs along the way, or a field of heights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Float
from reenact.errors import ParameterError

_UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """The floor. Other grounds give other heights; all of them are metres above it."""

    @property
    def is_even(self) -> bool:
        """A foot that goes straight from one footprint to the next passes above it."""
        return True

    @property
    def is_climbed(self) -> bool:
        """Feet go from level to level: what is higher than both ends of a swing lies beyond it."""
        return False

    @property
    def is_stepped_over(self) -> bool:
        """Something lies between two footprints: the foot passes over it where it is highest."""
        return False

    def at(self, place: Float, along: float, direction: float) -> tuple[float, Float]:
        """Height, and the normal (3,) a foot stands on, at a place (x, z) that lies `along` metres on a way in a direction."""
        return 0.0, _UP

    def heights(self, places: Float, along: Float) -> Float:
        """(N,) heights at places (N, 2) that lie `along` (N,) metres on the way."""
        return np.zeros(len(places))


@dataclass(frozen=True, slots=True, eq=False)
class Slope(Ground):
    """A slope along the way.

    Attributes:
        angle: radians, positive upwards.
        begin: metres along the way from which on it rises; the floor before.
    """

    angle: float
    begin: float = -np.inf

    def at(self, place: Float, along: float, direction: float) -> tuple[float, Float]:
        """See `Ground.at`."""
        if along < self.begin:
            return 0.0, _UP
        height = float(self.heights(np.asarray(place)[None], np.array([along]))[0])
        sine, cosine = np.sin(self.angle), np.cos(self.angle)
        return height, np.array([-sine * np.sin(direction), cosine, -sine * np.cos(direction)])

    def heights(self, places: Float, along: Float) -> Float:
        """See `Ground.heights`."""
        from_here = along - self.begin if np.isfinite(self.begin) else along
        return np.where(along >= self.begin, np.tan(self.angle) * from_here, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Stairs(Ground):
    """Stairs along the way: treads of one depth, one after the other.

    Attributes:
        rise: metres from tread to tread, negative downwards.
        depth: metres of a tread.
        count: steps.
        begin: metres along the way at which the first riser stands.
    """

    rise: float
    depth: float
    count: int
    begin: float

    @property
    def is_climbed(self) -> bool:
        """See `Ground.is_climbed`."""
        return True

    @property
    def is_even(self) -> bool:
        """See `Ground.is_even`."""
        return False

    def step_at(self, along: Float) -> Float:
        """How many risers lie behind."""
        return np.clip(np.floor((np.asarray(along) - self.begin) / self.depth) + 1, 0, self.count)

    def at(self, place: Float, along: float, direction: float) -> tuple[float, Float]:
        """See `Ground.at`."""
        return float(self.rise * self.step_at(np.array(along))), _UP

    def heights(self, places: Float, along: Float) -> Float:
        """See `Ground.heights`."""
        return self.rise * self.step_at(along)

    def treads(self) -> Float:
        """(count, 3) metres: where each tread begins and ends along the way, and its height."""
        begins = self.begin + self.depth * np.arange(self.count)
        return np.stack([begins, begins + self.depth, self.rise * np.arange(1, self.count + 1)], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Obstacle(Ground):
    """Something on the floor that is stepped over.

    Attributes:
        begin: metres along the way at which it lies.
        depth: metres along the way.
        height: metres.
    """

    begin: float
    depth: float
    height: float

    @property
    def is_even(self) -> bool:
        """See `Ground.is_even`."""
        return False

    @property
    def is_stepped_over(self) -> bool:
        """See `Ground.is_stepped_over`."""
        return True

    def heights(self, places: Float, along: Float) -> Float:
        """See `Ground.heights`."""
        return np.where((along >= self.begin) & (along <= self.begin + self.depth), self.height, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Terrain(Ground):
    """A field of heights.

    Attributes:
        field: (rows, columns) metres; rows go along z, columns along x.
        cell: metres between neighbours.
        origin: (x, z) metres of the first.
    """

    field: Float
    cell: float
    origin: tuple[float, float]

    @property
    def is_even(self) -> bool:
        """See `Ground.is_even`."""
        return False

    def at(self, place: Float, along: float, direction: float) -> tuple[float, Float]:
        """See `Ground.at`."""
        here = np.asarray(place, dtype=np.float64)
        around = here + 0.06 * np.array([[0.0, 0.0], [1, 0], [-1, 0], [0, 1], [0, -1]])
        height, east, west, north, south = self.heights(around, np.zeros(5))
        normal = np.array([-(east - west) / 0.12, 1.0, -(north - south) / 0.12])
        return float(height), normal / np.linalg.norm(normal)

    def heights(self, places: Float, along: Float) -> Float:
        """See `Ground.heights`: between the cells, the edge's beyond it."""
        from scipy.ndimage import map_coordinates

        x, z = ((places[:, axis] - self.origin[axis]) / self.cell for axis in (0, 1))
        return map_coordinates(self.field, [z, x], order=1, mode="nearest")


def read_stairs(text: str) -> tuple[float, float, int]:
    """Rise, depth and number of steps from text such as "0.17x0.29x6"."""
    words = text.lower().replace("×", "x").replace("m", "").split("x")
    try:
        rise, depth, count = float(words[0]), float(words[1]), int(words[2]) if len(words) == 3 else 1000
    except (ValueError, IndexError):
        raise ParameterError(
            f"stairs are RISExDEPTHxCOUNT in metres, such as 0.17x0.29x6, not {text!r}", where="stairs"
        ) from None
    if len(words) > 3 or not (0.02 <= abs(rise) <= 0.5 and 0.15 <= depth <= 2.0 and 1 <= count <= 1000):
        raise ParameterError(
            f"stairs rise by 0.02 to 0.5 m (negative: down), are 0.15 to 2 m deep, and have 1 to 1000 steps, not {text!r}",
            where="stairs",
        )
    return rise, depth, count
