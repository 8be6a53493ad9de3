"""What a controller decided, when, and why."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from reenact.core.placement import Placement

FIRST, NEW_GOAL, BETTER, ENDED, ESCAPE, MATCH, NO_WAY_ON = (
    "first",
    "new goal",
    "better",
    "plan ended",
    "back to the map",
    "matches better",
    "recording ended",
)
"""Reasons for a decision."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the things that could be done.

    Attributes:
        number: of the option in the map, or of the pose.
        cost: what counts; the least is taken.
        parts: what it is made of, by name, weighted.
        ends: x, z where it leads, if that is known.
    """

    number: int
    cost: float
    parts: Mapping[str, float]
    ends: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision.

    Attributes:
        frame: of the motion, counted from 0.
        seconds: since the beginning.
        reason: why something was decided at all, one of the names above.
        pose: number in the database.
        placement: where the body stood.
        goal: x, z.
        chosen: what was taken.
        others: what came next, best first.
        options: how many there were.
        kept: what was decided before goes on.
    """

    frame: int
    seconds: float
    reason: str
    pose: int
    placement: Placement
    goal: tuple[float, float]
    chosen: Choice
    others: tuple[Choice, ...] = ()
    options: int = 0
    kept: bool = False

    def in_words(self) -> str:
        """The decision as a sentence or two: "why this"."""
        x, z = self.placement.position
        parts = ", ".join(f"{name} {value:.3g}" for name, value in self.chosen.parts.items() if abs(value) > 1e-9)
        said = (
            f"{self.seconds:.2f} s, at {x:.2f}, {z:.2f}: {self.reason}; of {self.options} options number {self.chosen.number} "
            f"costs least, {self.chosen.cost:.3g} ({parts or 'nothing counts'})"
        )
        if self.chosen.ends is not None:
            said += f", and leads to {self.chosen.ends[0]:.2f}, {self.chosen.ends[1]:.2f}"
        if self.others:
            other = self.others[0]
            more = {
                name: other.parts.get(name, 0.0) - value
                for name, value in self.chosen.parts.items()
                if abs(other.parts.get(name, 0.0) - value) > 1e-9
            }
            if more:
                name, value = max(more.items(), key=lambda item: item[1])
                dearer = other.cost - self.chosen.cost
                said += f". The next best, {other.number}, costs {dearer:.3g} more, most of all {name} ({value:+.3g})"
        return said + "."


@dataclass(slots=True)
class DecisionLog:
    """The last decisions, the oldest forgotten first.

    Attributes:
        most: how many are remembered.
        count: how many were made.
        changes: how many of them took up something new.
    """

    most: int = 1000
    count: int = 0
    changes: int = 0
    _kept: deque[Decision] = field(default_factory=deque)

    def add(self, decision: Decision) -> None:
        """Remember one."""
        self.count += 1
        self.changes += not decision.kept
        self._kept.append(decision)
        while len(self._kept) > self.most:
            self._kept.popleft()

    def __iter__(self) -> Iterator[Decision]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def last(self) -> Decision | None:
        """The one made last."""
        return self._kept[-1] if self._kept else None

    def why(self, frame: int | None = None) -> str:
        """Why the body does what it does in a frame (default: now): the last decision before it that took up something new."""
        for decision in reversed(self._kept):
            if (frame is None or decision.frame <= frame) and not decision.kept:
                return decision.in_words()
        return "nothing was decided yet"
