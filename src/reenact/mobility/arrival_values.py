"""What it takes to a goal from each state: what makes a greedy choice a good one.

Equation 5.1 looks at the end of an option alone, and knows nothing of how the body could go on from there. These values do: they are the
fixed point of "the effort of the best action, and then the value at its end" over all actions of the graph (value iteration), for goals at
the points of a polar grid around the body. They are made once, and shared by all characters.

Effort is counted in seconds: the time of an action, its way (`detour` seconds for a metre, so that nobody makes a loop to save a moment)
and its jumps (`roughness` seconds for a transition cost of 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Float32, Float64, frozen
from reenact.core.parameters import check_ranges, option
from reenact.core.progress import tell
from reenact.errors import ParameterError
from reenact.kernels import arrival_values as kernels
from reenact.mobility.labels import label_bit
from reenact.mobility.motion_matching import walking_pace
from reenact.mobility.pose_database import PoseDatabase
from reenact.mobility.state_actions import StateActions

_LATER = 0.8  # what the seconds that follow count
_JUMP = 0.05  # seconds that a jump counts for somebody who stands
_ROUNDS = 3000

DISTANCES = (0.4, 0.7, 1.0, 1.4, 1.9, 2.5, 3.2, 4.2, 5.5, 7.5)
"""Metres of the grid."""


@dataclass(frozen=True, slots=True)
class ValueParameters:
    """What counts on the way, and how values are found."""

    detour: float = option(
        1.0, "seconds that a metre counts for: more goes straighter and turns on the spot", low=0, high=10
    )
    roughness: float = option(0.3, "seconds that a transition cost of 1 counts for: more jumps less", low=0, high=100)
    radius: float = option(0.4, "from a goal at which it is reached", unit="m", low=0.05, high=2)
    angles: int = option(24, "directions of the grid", low=8, high=360)
    sweeps: int = option(60, "times that all actions are gone through, at the most", low=1, high=1000)
    settled: float = option(0.03, "changes below this end it", unit="s", low=0)

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True, slots=True, eq=False)
class ArrivalValues:
    """The effort to a goal.

    Attributes:
        values: (S, D * A) float32, in seconds.
        efforts: (E,) float32, of the actions.
        distances: (D,) metres.
        angles: A, directions; the first is ahead, then to the left.
        radius: metres, within it a goal is reached.
        pace: metres for a second of effort, for what lies beyond the grid.
        standing: (E,) float32 seconds that are not spent standing with each action and what is best after it, later ones counting less.
    """

    values: Float32
    efforts: Float32
    distances: Float64
    angles: int
    radius: float
    pace: float
    standing: Float32

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "distances", frozen(self.distances, np.float64, (None,), "distances"))
        put(self, "values", frozen(self.values, np.float32, (None, len(self.distances) * self.angles), "values"))
        put(self, "efforts", frozen(self.efforts, np.float32, (None,), "efforts"))
        put(self, "standing", frozen(self.standing, np.float32, (len(self.efforts),), "standing"))

    def worth(
        self,
        moves: Float32,
        efforts: Float32,
        targets: np.ndarray,
        row: slice,
        place: Float64,
        goal: tuple[float, float],
    ) -> Float64:
        """(k,) the effort to a goal (x, z) with each option of a row, for a body at `place` (x, z, heading)."""
        out = np.empty(row.stop - row.start)
        kernels.ends_worth(
            moves,
            efforts,
            targets,
            row.start,
            row.stop,
            place,
            float(goal[0]),
            float(goal[1]),
            self.distances,
            self.angles,
            self.radius,
            self.pace,
            self.values,
            out,
        )
        return out


def find_arrival_values(
    graph: StateActions, database: PoseDatabase, parameters: ValueParameters | None = None
) -> ArrivalValues:
    """The values of all states of a graph.

    Raises:
        ParameterError: a state without a way on.
    """
    parameters = parameters or ValueParameters()
    if graph.states == 0 or np.any(np.diff(graph.action_starts) == 0):
        raise ParameterError("every state needs a way on", where="graph")
    lengths = np.hypot(graph.action_moves[:, 0], graph.action_moves[:, 1])
    seconds = graph.action_frames / database.fps
    efforts = (seconds + parameters.detour * lengths + parameters.roughness * graph.action_cost).astype(np.float32)
    pace = 1.0 / (1.0 / walking_pace(database) + parameters.detour)
    distances = np.array(DISTANCES)
    turns = 2 * np.pi * np.arange(parameters.angles) / parameters.angles
    guess = distances[:, None] / pace + np.abs(np.where(turns > np.pi, turns - 2 * np.pi, turns)) + 2.0
    values = np.tile(guess.reshape(-1).astype(np.float32), (graph.states, 1))
    for sweep in range(parameters.sweeps):
        tell(sweep / parameters.sweeps, "finding what it takes to goals")
        most = kernels.improve_values(
            graph.action_starts,
            graph.action_to,
            graph.action_moves,
            efforts,
            distances,
            parameters.angles,
            parameters.radius,
            pace,
            values,
        )
        if most <= parameters.settled:
            break
    standing = seconds_not_standing(graph, database)
    return ArrivalValues(values, efforts, distances, parameters.angles, parameters.radius, pace, standing)


def seconds_not_standing(graph: StateActions, database: PoseDatabase) -> Float32:
    """(A,) seconds that are not spent standing if an action is taken and then always the best, each second counting 0.8 of the one before.

    Who stands as the recordings stood goes on as long as they did, and then to where standing begins again soonest.
    """
    stands = (database.labels & np.uint32(label_bit("stand"))) > 0
    moving = np.concatenate([[0], np.cumsum(~stands[graph.action_poses])])
    frames = graph.action_frames
    cost = np.diff(moving[graph.action_pose_starts]) / database.fps + _JUMP * (graph.action_cost > 0)
    keep = _LATER ** (frames / database.fps)
    best = np.zeros(graph.states)
    for _ in range(_ROUNDS):
        worth = cost + keep * best[graph.action_to]
        after = np.minimum.reduceat(worth, graph.action_starts[:-1])
        change = np.abs(after - best).max(initial=0.0)
        best = after
        if change < 1e-4:
            break
    return (cost + keep * best[graph.action_to]).astype(np.float32)
