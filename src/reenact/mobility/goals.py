"""What a character is asked to do: go to a place, follow something that moves, follow a path, stay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from reenact.core.arrays import Float
from reenact.core.placement import Placement
from reenact.errors import ParameterError

REACHED = 0.5
"""Metres from a goal at which it counts as reached, where nothing else is said."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A place on the floor for one moment.

    Attributes:
        position: x, z in metres.
        heading: radians to face there; None: any.
        radius: metres; within it the goal is reached.
        moving: it is on the move and only leads the way: there is nothing to reach and nowhere to stand.
    """

    position: tuple[float, float]
    heading: float | None = None
    radius: float = REACHED
    moving: bool = False

    def __post_init__(self) -> None:
        numbers = np.asarray(self.position, dtype=np.float64)
        if numbers.shape != (2,) or not np.all(np.isfinite(numbers)):
            raise ParameterError(
                f"a goal is two finite numbers x, z in metres, not {self.position!r}", where="position"
            )
        if not 0.05 <= self.radius <= 100:
            raise ParameterError(f"radius must be 0.05 to 100 m, not {self.radius:g}", where="radius")
        if self.heading is not None and not np.isfinite(self.heading):
            raise ParameterError(f"heading must be a finite angle, not {self.heading!r}", where="heading")

    def distance(self, placement: Placement) -> float:
        """Metres from where somebody stands."""
        (x, z), (a, b) = placement.position, self.position
        return float(np.hypot(a - x, b - z))

    def is_reached(self, placement: Placement) -> bool:
        """Somebody stands within its radius."""
        return not self.moving and self.distance(placement) <= self.radius


class Aim(Protocol):
    """Something that says, moment by moment, where to go."""

    def at(self, seconds: float, placement: Placement) -> Goal:
        """The goal at a time after the beginning, for somebody who stands there."""
        ...


@dataclass(frozen=True, slots=True)
class Stay:
    """A goal that stays the same."""

    goal: Goal

    def at(self, seconds: float, placement: Placement) -> Goal:
        """The goal."""
        return self.goal


@dataclass(frozen=True, slots=True)
class Follow:
    """Something that moves: `where(seconds)` gives its x, z."""

    where: Callable[[float], ArrayLike]

    def at(self, seconds: float, placement: Placement) -> Goal:
        """Where it is now."""
        x, z = np.asarray(self.where(seconds), dtype=np.float64)
        return Goal((float(x), float(z)), moving=True)


class AlongPath:
    """A path of straight lines: the goal runs ahead of the character along it, and stays at its end.

    Attributes:
        points: (P, 2) x, z in metres.
        ahead: metres that the goal is ahead of the place of the path that was passed last.
        passed: metres of the path that are behind the character; it never runs back.
    """

    def __init__(self, points: ArrayLike, *, ahead: float = 2.5, radius: float = REACHED) -> None:
        """A path through points x, z.

        Raises:
            ParameterError: fewer than two different points, or numbers that are not finite.
        """
        found = np.asarray(points, dtype=np.float64)
        if found.ndim != 2 or found.shape[1] != 2 or not np.all(np.isfinite(found)):
            raise ParameterError("a path is a list of points x, z in metres", where="points")
        keep = np.concatenate([[True], np.linalg.norm(np.diff(found, axis=0), axis=1) > 1e-9])
        found = found[keep]
        if len(found) < 2:
            raise ParameterError("a path needs two different points", where="points")
        self.points, self.ahead, self.radius = found, float(ahead), float(radius)
        self._lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(found, axis=0), axis=1))])
        self.passed = 0.0

    @property
    def length(self) -> float:
        """Metres from end to end."""
        return float(self._lengths[-1])

    def place(self, along: float) -> Float:
        """(2,) the point so many metres along the path."""
        return np.array([np.interp(along, self._lengths, self.points[:, k]) for k in (0, 1)])

    def at(self, seconds: float, placement: Placement) -> Goal:
        """The goal for somebody who stands there; moves `passed` on."""
        window = np.linspace(self.passed, min(self.passed + 2 * self.ahead, self.length), 41)
        places = np.array([self.place(one) for one in window])
        gaps = np.linalg.norm(places - np.asarray(placement.position), axis=1)
        self.passed = float(window[int(np.argmin(gaps))])
        along = self.passed + self.ahead
        x, z = self.place(along)
        return Goal((float(x), float(z)), radius=self.radius, moving=along < self.length)
