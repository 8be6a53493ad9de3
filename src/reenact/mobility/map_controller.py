"""A character led by a mobility map: at every state it looks at what can be reached from there, and takes what costs least (A9, M24 to
M31).

No search at run time: a decision looks at the options of one state, some dozens. In between it plays what it decided, and decides again at
every state on the way, whenever another option has become better. Where it is off the map it follows the escape route back.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

import numpy as np

from reenact.core.arrays import Float
from reenact.core.placement import Placement
from reenact.errors import ParameterError
from reenact.kernels.option_costs import TERMS, Wanted, option_costs
from reenact.mobility.arrival_values import ArrivalValues
from reenact.mobility.controller import Aiming
from reenact.mobility.decisions import BETTER, ENDED, ESCAPE, FIRST, NEW_GOAL, Choice, Decision, DecisionLog
from reenact.mobility.goal_costs import HOLD, NAMES, CostWeights, Situation, Term
from reenact.mobility.goals import Aim, Goal
from reenact.mobility.labels import LABELS
from reenact.mobility.menus import By, Menu, actions_of, sequences_of
from reenact.mobility.mobility_map import MobilityMap
from reenact.mobility.motion_matching import a_standing_pose, walking_pace
from reenact.mobility.pose_player import PlayingParameters, PosePlayer, Shown

_AHEAD = 12  # poses that a one-sided blend may look ahead
_BETTER = 1e-6
_TOLD = 4  # alternatives that are kept in the log


class MapController(Aiming):
    """A character on a mobility map.

    Attributes:
        map: shared by all characters.
        weights: what counts on the way to a goal; may be replaced at any moment and counts from the next decision on.
        hold: what counts when the goal is reached; None: go on as before.
        terms: costs of one's own, by name.
        away: (K, 3) x, z and radius of what to keep away from, the body's own width counted in.
        reactions: frames between each new goal and the decision that took it up.
    """

    def __init__(
        self,
        map: MobilityMap,
        aim: Aim | Goal | tuple[float, float] | None = None,
        *,
        pose: int | None = None,
        placement: Placement | None = None,
        weights: CostWeights | None = None,
        hold: CostWeights | None = HOLD,
        terms: Mapping[str, Term] | None = None,
        playing: PlayingParameters | None = None,
        values: ArrivalValues | None = None,
        by: By = "actions",
    ) -> None:
        """A character.

        Args:
            map: what it can do.
            aim: what is wanted; default: stay.
            pose: that it begins in; default: a stand from which there is a way, where there is one.
            placement: where it begins.
            weights: what counts.
            hold: what counts at the goal.
            terms: costs of one's own.
            playing: how poses become a motion.
            values: what it takes to goals; default: seconds are estimated from the end of an option.
            by: with values, whether single actions are chosen, or the sequences of the map.
        """
        self.map = map
        self.values = values
        self.weights = weights or CostWeights()
        self.hold = hold
        self.terms = dict(terms or {})
        self.away = np.zeros((0, 3))
        self.reactions: list[int] = []
        first = standing_pose(map) if pose is None else pose
        super().__init__(PosePlayer(map.database, first, placement, playing), aim)
        if map.pose_state[first] < 0 and map.escape_next[first] < 0:
            raise ParameterError(f"no way leads from pose {first} to a state of the map", where="pose")
        self.log = DecisionLog()
        self.by: By = "sequences" if values is None else by
        self._menus = {"sequences": sequences_of(map, values)}
        if self.by == "actions":
            self._menus["actions"] = actions_of(map, values)
        self._pace, self._turning = walking_pace(map.database), turning_pace(map)
        self._plan: deque[int] = deque()
        self._plan_cost, self._plan_at = np.inf, 0
        self._holding = False

    @property
    def plan(self) -> list[int]:
        """Poses that will follow if nothing changes."""
        return list(self._plan)

    def step(self) -> Shown:
        """The next frame."""
        self._look()
        holding = self.hold is not None and self.goal.is_reached(self.placement)
        if holding != self._holding:
            self._holding, self._changed = holding, True
        pose = self.player.pose
        if self._changed and self.player.reaching:
            pose = self.player.interrupt()
            self._plan.clear()
        state = int(self.map.pose_state[pose])
        if state >= 0 and not self.player.reaching and self._menu().has_options(state):
            self._decide(pose, state)
        if not self._plan:
            self._escape(pose)
        following = self._plan.popleft()
        self.frame += 1
        return self.player.step(following, [self._plan[n] for n in range(min(_AHEAD, len(self._plan)))])

    def options(self, pose: int | None = None) -> tuple[np.ndarray, Float, Float]:
        """What could be done from a state: (k,) entries of the map, (k, columns) weighted costs by term, (k, 3) where they end.

        Raises:
            ParameterError: the pose is no state of the map.
        """
        pose = self.player.pose if pose is None else pose
        state = int(self.map.pose_state[pose])
        if state < 0:
            raise ParameterError(f"pose {pose} is no state of the map", where="pose")
        return self._weigh(state)

    def names(self) -> tuple[str, ...]:
        """Names of the columns of `options`."""
        return (*NAMES, *LABELS, *(("standing",) if self.by == "actions" else ()), *self.terms)

    def _menu(self) -> Menu:
        """What is chosen from."""
        return self._menus[self.by]

    def _weigh(self, state: int) -> tuple[np.ndarray, Float, Float]:
        menu = self._menu()
        row = menu.row(state)
        first, last = row.start, row.stop
        weights = self.hold if self._holding and self.hold is not None else self.weights
        place = np.array([*self.placement.position, self.placement.heading])
        goal = self.goal
        wanted = Wanted(
            float(goal.position[0]),
            float(goal.position[1]),
            0.0 if goal.moving else 0.8 * float(goal.radius),
            float("nan") if goal.heading is None else float(goal.heading),
            float(weights.wanted_speed),
            self._pace,
            self._turning,
            float(self.map.database.fps),
        )
        terms = np.zeros((last - first, TERMS + len(LABELS)))
        worth = np.zeros(0)
        if self.values is not None and weights.arrival > 0:
            worth = self.values.worth(menu.options.moves, menu.efforts, menu.targets, row, place, goal.position)
        option_costs(menu.options, state, first, last, place, wanted, self.away, worth, terms)
        costs = terms * weights.as_array()
        ends = menu.ends(place, row)
        if self.by == "actions" and self.values is not None:
            costs = np.column_stack([costs, weights.standing * self.values.standing[row]])
        if self.terms:
            seen = Situation(self.placement, goal, ends, np.arange(first, last), self.seconds)
            own = [np.asarray(term(seen), dtype=np.float64) for term in self.terms.values()]
            for name, values in zip(self.terms, own, strict=True):
                if values.shape != (last - first,) or not np.all(np.isfinite(values)):
                    raise ParameterError(f"the term {name!r} must give {last - first} finite numbers", where=name)
            costs = np.column_stack([costs, *own])
        return np.arange(first, last), costs, ends

    def _decide(self, pose: int, state: int) -> None:
        entries, costs, ends = self._weigh(state)
        totals = costs.sum(axis=1)
        best = int(np.argmin(totals))
        weights = self.hold if self._holding and self.hold is not None else self.weights
        waited = (self.frame - self._plan_at) / self.map.database.fps
        kept = self._plan_cost - weights.arrival * waited
        # what is to be kept away from comes into view from state to state: an older plan has not seen it
        needed = self._changed or not self._plan or len(self.away) > 0
        takes = needed or totals[best] < kept - _BETTER
        reason = NEW_GOAL if self._changed else ENDED if not self._plan else BETTER
        order = np.argsort(totals, kind="stable")[: _TOLD + 1]
        choices = [self._choice(entries, costs, ends, totals, int(n)) for n in order]
        self.log.add(
            Decision(
                self.frame,
                self.seconds,
                FIRST if self.frame == 0 else reason,
                pose,
                self.placement,
                self.goal.position,
                choices[0],
                tuple(choices[1:]),
                len(entries),
                kept=not takes,
            )
        )
        if not takes:
            return
        if self._changed and self.frame > 0:
            self.reactions.append(self.frame - self.asked_at)
        self._plan = deque(int(p) for p in self._menu().poses_of(int(entries[best])))
        self._plan_cost, self._plan_at = float(totals[best]), self.frame
        self._changed = False

    def _choice(self, entries: np.ndarray, costs: Float, ends: Float, totals: Float, n: int) -> Choice:
        parts = {name: float(value) for name, value in zip(self.names(), costs[n], strict=True) if value != 0}
        return Choice(int(entries[n]), float(totals[n]), parts, (float(ends[n, 0]), float(ends[n, 1])))

    def _escape(self, pose: int) -> None:
        """On to the map by the cheapest way: one pose of it."""
        following = int(self.map.escape_next[pose])
        if following < 0:
            raise ParameterError(f"no way leads on from pose {pose}", where="pose")
        if self.log.last is None or self.log.last.reason != ESCAPE:
            choice = Choice(following, 0.0, {})
            self.log.add(
                Decision(self.frame, self.seconds, ESCAPE, pose, self.placement, self.goal.position, choice, options=1)
            )
        self._plan.append(following)


def standing_pose(map: MobilityMap) -> int:
    """A pose to begin in: a stand that is a state of the map, else any state of it."""
    on_map = np.zeros(map.database.poses, np.bool_)
    on_map[map.state_pose[np.flatnonzero(np.diff(map.row_starts) > 0)]] = True
    return a_standing_pose(map.database, on_map)


def turning_pace(map: MobilityMap) -> float:
    """Radians per second: how fast bodies turn that turn, the median over poses labelled so; 1.5 where none does."""
    turns = np.abs(map.database.increments[:, 2].astype(np.float64)) * map.database.fps
    fast = turns > np.radians(45)
    return float(np.median(turns[fast])) if fast.any() else 1.5
