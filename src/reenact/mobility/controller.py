"""What every controller of a character has: a player of poses, an aim, a log; a step makes one frame."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from reenact.core.placement import Placement
from reenact.mobility.decisions import DecisionLog
from reenact.mobility.goals import Aim, Goal, Stay
from reenact.mobility.pose_player import PosePlayer, Shown

SAME = 0.05
"""Metres by which a goal may move and still be the same."""


@runtime_checkable
class Controller(Protocol):
    """Something that moves one character towards an aim, whatever it knows of motion."""

    player: PosePlayer
    log: DecisionLog

    def aim_at(self, aim: Aim | Goal | tuple[float, float]) -> None:
        """What is wanted from now on."""
        ...

    def step(self) -> Shown:
        """The next frame."""
        ...


class Aiming:
    """The part of a controller that knows what is wanted, and when that changes.

    Attributes:
        aim: what is wanted.
        goal: where to go at the moment.
        frame: frames made so far.
    """

    def __init__(self, player: PosePlayer, aim: Aim | Goal | tuple[float, float] | None) -> None:
        """Somebody who stands still until told otherwise."""
        self.player = player
        self.frame = 0
        self.aim: Aim = _as_aim(aim if aim is not None else Goal(player.placement.position))
        self.goal = self.aim.at(0.0, player.placement)
        self.asked_at = 0
        self._changed = True

    @property
    def seconds(self) -> float:
        """Time since the beginning."""
        return self.frame / self.player.database.fps

    @property
    def placement(self) -> Placement:
        """Where the body stands."""
        return self.player.placement

    def aim_at(self, aim: Aim | Goal | tuple[float, float]) -> None:
        """What is wanted from now on: a place x, z, a goal, or an aim that moves."""
        self.aim = _as_aim(aim)
        self._look()
        self._changed = True
        self.asked_at = self.frame

    def _look(self) -> None:
        """Take the goal of the moment."""
        before, self.goal = self.goal, self.aim.at(self.seconds, self.placement)
        (a, b), (x, z) = before.position, self.goal.position
        if (x - a) ** 2 + (z - b) ** 2 > SAME**2 or before.heading != self.goal.heading:
            if not self._changed:
                self.asked_at = self.frame
            self._changed = True


def _as_aim(aim: Aim | Goal | tuple[float, float]) -> Aim:
    if isinstance(aim, Goal):
        return Stay(aim)
    if isinstance(aim, tuple):
        return Stay(Goal((float(aim[0]), float(aim[1]))))
    return aim
