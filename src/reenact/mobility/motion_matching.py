"""Motion matching: a few times a second the pose is looked for that continues best what the body does and goes where it should (Clavet
2016).

What games use today, behind the same interface as the mobility map. Nothing is prepared but a table of numbers; a search looks at all
poses.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial import KDTree

from reenact.core.arrays import Float
from reenact.core.heading import wrap
from reenact.core.placement import Placement
from reenact.errors import ParameterError
from reenact.kernels.nearest import nearest_row
from reenact.mobility.controller import Aiming
from reenact.mobility.decisions import FIRST, MATCH, NEW_GOAL, NO_WAY_ON, Choice, Decision, DecisionLog
from reenact.mobility.goals import Aim, Goal
from reenact.mobility.labels import label_bit
from reenact.mobility.matching_features import AHEAD, LAYOUT, MatchingParameters, MatchingTable, make_matching_table
from reenact.mobility.pose_database import PoseDatabase
from reenact.mobility.pose_player import PlayingParameters, PosePlayer, Shown

_NEAR = 5  # poses: a better match so near in the same clip is what plays anyway


class MatchSearch:
    """Finds the pose whose numbers are nearest."""

    def __init__(self, table: MatchingTable, way: str = "tree") -> None:
        """Prepare.

        Args:
            table: of all poses.
            way: "tree" or "all".

        Raises:
            ParameterError: no pose a search may end at.
        """
        if way not in ("tree", "all"):
            raise ParameterError(f"search must be tree or all, not {way!r}", where="search")
        self.table, self.way = table, way
        self._rows = np.flatnonzero(table.usable)
        if len(self._rows) == 0:
            raise ParameterError("motion matching needs clips longer than a second: no pose has a second left after it")
        self._tree = KDTree(table.features[self._rows].astype(np.float64)) if way == "tree" else None

    def nearest(self, point: Float) -> tuple[int, float]:
        """(pose, squared distance) of the nearest pose to (27,) scaled numbers."""
        if self._tree is None:
            row, far = nearest_row(self.table.features, self.table.usable, point.astype(np.float32))
            return int(row), float(far)
        far, at = self._tree.query(point)
        return int(self._rows[at]), float(far) ** 2

    @property
    def bytes(self) -> int:
        """Memory of the table, and of the tree as far as it can be told."""
        return self.table.features.nbytes * (3 if self._tree is not None else 1)


class MatchingController(Aiming):
    """A character led by motion matching."""

    def __init__(
        self,
        database: PoseDatabase,
        aim: Aim | Goal | tuple[float, float] | None = None,
        *,
        pose: int | None = None,
        placement: Placement | None = None,
        parameters: MatchingParameters | None = None,
        playing: PlayingParameters | None = None,
        search: MatchSearch | None = None,
    ) -> None:
        """A character.

        Args:
            database: poses it moves by.
            aim: what is wanted; default: stay.
            pose: that it begins in; default: a stand, where there is one.
            placement: where it begins.
            parameters: of the matching.
            playing: how poses become a motion.
            search: one made before, to be shared by many characters.
        """
        self.parameters = parameters or MatchingParameters()
        self.search = search or MatchSearch(make_matching_table(database, self.parameters), self.parameters.search)
        first = a_standing_pose(database, self.search.table.usable) if pose is None else pose
        super().__init__(PosePlayer(database, first, placement, playing), aim)
        self.log = DecisionLog()
        self.pace = self.parameters.speed or walking_pace(database)
        self._since = 0

    def step(self) -> Shown:
        """The next frame."""
        self._look()
        database, pose = self.player.database, self.player.pose
        ends = pose + 1 >= database.poses or database.is_last[pose] or database.is_first[pose + 1]
        self._since += 1
        following = pose + 1
        if ends or self._changed or self._since >= self.parameters.every * database.fps:
            reason = NO_WAY_ON if ends else NEW_GOAL if self._changed else MATCH
            following = self._decide(pose, ends, FIRST if self.frame == 0 else reason)
            self._since, self._changed = 0, False
        self.frame += 1
        return self.player.step(following, range(following + 1, min(following + 12, database.poses)))

    def wanted(self, pose: int) -> Float:
        """(27,) scaled numbers of what is wanted now: the body as in the pose, the way as it should be."""
        table, database = self.search.table, self.player.database
        point = table.features[pose].astype(np.float64)
        point[LAYOUT.way.start :] = table.scaled(self._way(database.increments[pose] * database.fps, point))[
            LAYOUT.way.start :
        ]
        return point

    def _way(self, speed: Float, like: Float) -> Float:
        """Raw numbers of the way ahead: speed and direction go over into what is wanted."""
        raw = np.zeros_like(like)
        place, goal = self.placement, self.goal
        dx, dz = goal.position[0] - place.position[0], goal.position[1] - place.position[1]
        far = math.hypot(dx, dz)
        rest = 0.0 if goal.moving else 0.5 * goal.radius
        pace = 0.0 if far <= rest else min(self.pace, (far - rest) / self.parameters.slow_down + 0.2)
        toward = wrap(np.array(math.atan2(dx, dz) - place.heading)) if far > rest else 0.0
        face = (
            float(toward)
            if goal.heading is None or far > goal.radius
            else float(wrap(np.array(goal.heading - place.heading)))
        )
        aim = pace * np.array([math.sin(float(toward)), math.cos(float(toward))])
        rate = math.log(2) / self.parameters.responsiveness
        now = np.asarray(speed, dtype=np.float64)[:2]
        for k, t in enumerate(AHEAD):
            gone = -math.expm1(-rate * t)
            at = LAYOUT.way.start + 2 * k
            raw[at : at + 2] = aim * t + (now - aim) * gone / rate
            angle = face * gone
            at = LAYOUT.facing.start + 2 * k
            raw[at : at + 2] = math.sin(angle), math.cos(angle)
        return raw

    def _decide(self, pose: int, ends: bool, reason: str) -> int:
        database, table = self.player.database, self.search.table
        point = self.wanted(pose)
        best, cost = self.search.nearest(point)
        stays = Choice(pose + 1, float("inf"), {})
        if not ends:
            gap = table.features[pose + 1].astype(np.float64) - point
            stays = Choice(pose + 1, float(gap @ gap), self._parts(gap))
        gap = table.features[best].astype(np.float64) - point
        found = Choice(best, cost, self._parts(gap))
        near = not ends and 0 <= best - pose <= _NEAR and database.clip_of_pose[best] == database.clip_of_pose[pose]
        keeps = not ends and (near or stays.cost <= (1 - self.parameters.worth) ** -2 * cost)
        chosen, other = (stays, found) if keeps else (found, stays)
        self.log.add(
            Decision(
                self.frame,
                self.seconds,
                reason,
                pose,
                self.placement,
                self.goal.position,
                chosen,
                (other,) if np.isfinite(other.cost) else (),
                int(table.usable.sum()),
                kept=keeps,
            )
        )
        return chosen.number

    @staticmethod
    def _parts(gap: Float) -> dict[str, float]:
        return {name: float(gap[columns] @ gap[columns]) for name, columns in LAYOUT._asdict().items()}


def a_standing_pose(database: PoseDatabase, usable: np.ndarray) -> int:
    """A pose to begin in: a stand in the middle of the longest one, else the first that may be used."""
    stands = (database.labels & np.uint32(label_bit("stand"))) > 0
    fine = np.flatnonzero(stands & usable)
    if len(fine) == 0:
        fine = np.flatnonzero(usable)
    if len(fine) == 0:
        raise ParameterError("no pose of the database has anything after it")
    runs = np.split(fine, np.flatnonzero(np.diff(fine) > 1) + 1)
    longest = max(runs, key=len)
    return int(longest[len(longest) // 2])


def walking_pace(database: PoseDatabase) -> float:
    """Metres per second: the median over poses that walk ahead; of all that move where none does."""
    speed = np.hypot(database.increments[:, 0], database.increments[:, 1]) * database.fps
    aside = database.labels & np.uint32(label_bit("backward") | label_bit("sideways"))
    walks = (database.labels & np.uint32(label_bit("walk"))) > 0
    chosen = walks & (aside == 0) & (speed > 0.3)
    if not chosen.any():
        chosen = speed > 0.3
    return float(np.median(speed[chosen])) if chosen.any() else 1.0
