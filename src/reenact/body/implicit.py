"""Shapes as fields that are negative inside, about zero on the surface and grow outwards about as fast as the way from it.

A limb is a `Loft`: elliptic sections along a straight line, each with its own half widths to either side, to the front and to the back.
Shapes are joined by `smooth_union`, which rounds the crease between them (Quilez, polynomial smooth minimum).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from reenact.core.arrays import Float, Float64

Field = Callable[[Float64], Float64]
"""(N, 3) points -> (N,) values."""

_TINY = 1e-12


class Shape(Protocol):
    """A field with a box around its inside."""

    def __call__(self, points: Float64, /) -> Float64:
        """(N,) values at points (N, 3)."""
        ...

    @property
    def box(self) -> tuple[Float64, Float64]:
        """Lowest and highest corner of a box around the inside."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Loft:
    """Elliptic sections along a straight line.

    Attributes:
        start: (3,) metres, where the line is 0.
        along: (3,) unit vector of the line.
        across: (3,) unit vector at right angles to it: the first axis of the sections. The second is along x across.
        places: (S,) ascending metres along the line of the sections.
        sections: (S, 4) metres, half widths towards +across, -across, +second axis and -second axis.
        caps: metres by which rounded ends reach beyond the first and the last section.
        square: 2 for ellipses; a larger power makes sections boxier.
    """

    start: Float64
    along: Float64
    across: Float64
    places: Float64
    sections: Float64
    caps: tuple[float, float]
    square: float = 2.0

    @property
    def box(self) -> tuple[Float64, Float64]:
        """See `Shape`."""
        wide = float(self.sections.max()) * 2 ** (0.5 - 1 / self.square)
        ends = self.start + np.array([self.places[0], self.places[-1]])[:, None] * self.along
        room = wide + max(self.caps)
        return ends.min(axis=0) - room, ends.max(axis=0) + room

    def __call__(self, points: Float64, /) -> Float64:
        """See `Shape`."""
        away = points - self.start
        at = away @ self.along
        first, second = away @ self.across, away @ np.cross(self.along, self.across)
        widths = smooth_table(self.places, self.sections, at)
        a = np.where(first >= 0, widths[:, 0], widths[:, 1])
        b = np.where(second >= 0, widths[:, 2], widths[:, 3])
        beyond = np.where(at < self.places[0], (self.places[0] - at) / self.caps[0], 0.0)
        beyond = np.where(at > self.places[-1], (at - self.places[-1]) / self.caps[1], beyond)
        end = np.where(at < self.places[0], self.caps[0], self.caps[1])
        x, y = np.abs(first / a), np.abs(second / b)
        if self.square == 2.0:
            flat = x * x + y * y
            steep = (x / a) ** 2 + (y / b) ** 2
        else:
            power = self.square
            sums = np.maximum(x**power + y**power, _TINY)
            flat = sums ** (2 / power)
            steep = (x ** (power - 1) / a) ** 2 + (y ** (power - 1) / b) ** 2
            steep *= sums ** (2 * (2 / power - 1))
        whole = np.sqrt(flat + beyond * beyond)
        slope = np.sqrt(steep + (beyond / end) ** 2)
        inner = np.minimum(a, b)
        return np.where(slope > 1e-3 / inner, whole * (whole - 1) / np.maximum(slope, _TINY), (whole - 1) * inner)


@dataclass(frozen=True, slots=True, eq=False)
class Capsule:
    """Two balls and what lies between them.

    Attributes:
        start, end: (3,) metres.
        radii: metres at either end.
    """

    start: Float64
    end: Float64
    radii: tuple[float, float]

    @property
    def box(self) -> tuple[Float64, Float64]:
        """See `Shape`."""
        room = max(self.radii)
        return np.minimum(self.start, self.end) - room, np.maximum(self.start, self.end) + room

    def __call__(self, points: Float64, /) -> Float64:
        """See `Shape`."""
        way = self.end - self.start
        share = np.clip((points - self.start) @ way / max(float(way @ way), _TINY), 0, 1)
        radius = self.radii[0] + share * (self.radii[1] - self.radii[0])
        return np.linalg.norm(points - self.start - share[:, None] * way, axis=1) - radius


@dataclass(frozen=True, slots=True, eq=False)
class Ellipsoid:
    """A ball stretched along three axes.

    Attributes:
        centre: (3,) metres.
        radii: (3,) metres along the axes.
        axes: (3, 3) the axes as rows.
    """

    centre: Float64
    radii: Float64
    axes: Float64

    @property
    def box(self) -> tuple[Float64, Float64]:
        """See `Shape`."""
        room = np.sqrt(((self.axes * self.radii[:, None]) ** 2).sum(axis=0))
        return self.centre - room, self.centre + room

    def __call__(self, points: Float64, /) -> Float64:
        """See `Shape`."""
        own = (points - self.centre) @ self.axes.T / self.radii
        whole = np.linalg.norm(own, axis=1)
        slope = np.linalg.norm(own / self.radii, axis=1)
        inner = float(self.radii.min())
        return np.where(slope > 1e-3 / inner, whole * (whole - 1) / np.maximum(slope, _TINY), (whole - 1) * inner)


def ball(centre: Float, radii: Float) -> Ellipsoid:
    """A ball stretched along X, Y and Z."""
    return Ellipsoid(np.asarray(centre, np.float64), np.asarray(radii, np.float64), np.eye(3))


def smooth_table(places: Float64, values: Float64, at: Float64) -> Float64:
    """(N, C) values (S, C) at `places` (S,), between them along cubic splines that are level at the ends; beyond those the end values."""
    steps = np.diff(places)
    count = len(places)
    system = np.eye(count)
    right = np.zeros_like(values)
    inner = np.arange(1, count - 1)
    system[inner, inner - 1], system[inner, inner + 1] = steps[1:], steps[:-1]
    system[inner, inner] = 2 * (steps[1:] + steps[:-1])
    rise = np.diff(values, axis=0) / steps[:, None]
    right[1:-1] = 3 * (rise[:-1] * steps[1:, None] + rise[1:] * steps[:-1, None])
    slopes = np.linalg.solve(system, right)
    at = np.clip(at, places[0], places[-1])
    slot = np.clip(np.searchsorted(places, at, side="right") - 1, 0, count - 2)
    step = steps[slot, None]
    t = (at - places[slot])[:, None] / step
    low, high = values[slot], values[slot + 1]
    cubic = (2 * t - 3) * t * t
    return (
        (cubic + 1) * low
        - cubic * high
        + step * (((t - 2) * t + 1) * t * slopes[slot] + (t - 1) * t * t * slopes[slot + 1])
    )


def smooth_union(first: Float64, second: Float64, width: float | Float64) -> Float64:
    """(N,) the field of two shapes together, the crease between them filled over `width` metres."""
    gap = np.maximum(width - np.abs(first - second), 0.0) / np.maximum(width, _TINY)
    return np.minimum(first, second) - gap * gap * width * 0.25


def smooth_cut(first: Float64, second: Float64, width: float) -> Float64:
    """(N,) the field of what lies in both shapes, the edge rounded over `width` metres."""
    return -smooth_union(-first, -second, width)


def near(shape: Shape, points: Float64, room: float) -> Float64:
    """(N,) the field of a shape, but only within `room` metres of its box; farther away a lower bound of the way to it."""
    low, high = shape.box
    way = np.maximum(np.maximum(low - points, points - high), 0.0)
    far = np.sqrt((way * way).sum(axis=1))
    close = far <= room
    found = far + room
    if close.any():
        found[close] = shape(points[close])
    return found
