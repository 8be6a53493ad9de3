"""The mobility map: of every state the places and headings that can be reached, with the motion that leads there (A7, M19 to M23).

All that a character needs at run time is in one object, which can be one read-only file shared by all (`map_file`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float, Float32, frozen
from reenact.core.clip import Clip
from reenact.core.placement import Placement
from reenact.errors import ParameterError
from reenact.mobility.labels import LABELS
from reenact.mobility.pose_database import PoseDatabase
from reenact.mobility.state_actions import StateActions


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """Where a character will be, for every option it has.

    Attributes:
        options: (K,) int32 options of the map.
        positions: (K, 2) float64 metres, x and z.
        headings: (K,) float64 radians.
        seconds: (K,) float64 from now.
        costs: (K,) float32 sum of tau.
    """

    options: np.ndarray
    positions: Float
    headings: Float
    seconds: Float
    costs: Float32


@dataclass(frozen=True, eq=False)
class MobilityMap:
    """S states with E options; a state of the map has options, and each leads to a state of the map.

    Attributes:
        database: the poses.
        graph: states and actions.
        row_starts: (S + 1,) int64: the options of state s are those from row_starts[s] up to row_starts[s + 1]; none: no state of the map.
        targets: (E,) int32, state at the end.
        moves: (E, 3) float32 (dx, dz, dheading): where it ends, seen from the start; the end is `advance(placement, move)`.
        frames: (E,) int32, poses played.
        costs: (E,) float32, sum of tau on the way.
        steps: (E,) uint8, actions.
        sequences: (E, horizon) uint8 or uint16: from state s_0 = s, action k is a_k = action_starts[s_k] + sequences[e, k], and then
            s_(k + 1) = action_to[a_k]; what lies beyond `steps` is 0.
        label_shares: (E, L) float16, share of the poses that have each of `labels.LABELS`.
        escape_next: (N,) int32, from any pose the next one on the least-cost way to a state of the map; -1 in states of the map, and where
            there is no way.
        escape_frames: (N,) int32, poses until then: 0 in states of the map, -1 where there is no way.
        tau_max: the dearest jump.
        about: how it was made: parameters, counts, times. Plain values.
    """

    database: PoseDatabase
    graph: StateActions
    row_starts: np.ndarray
    targets: np.ndarray
    moves: Float32
    frames: np.ndarray
    costs: Float32
    steps: np.ndarray
    sequences: np.ndarray
    label_shares: np.ndarray
    escape_next: np.ndarray
    escape_frames: np.ndarray
    tau_max: float
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        put = object.__setattr__
        poses = self.database.poses
        put(self, "row_starts", frozen(self.row_starts, np.int64, (self.graph.states + 1,), "row_starts"))
        put(self, "targets", frozen(self.targets, np.int32, (None,), "targets"))
        options = len(self.targets)
        kind = np.uint16 if np.asarray(self.sequences).dtype == np.uint16 else np.uint8
        for name, dtype, shape in (
            ("moves", np.float32, (options, 3)),
            ("frames", np.int32, (options,)),
            ("costs", np.float32, (options,)),
            ("steps", np.uint8, (options,)),
            ("sequences", kind, (options, None)),
            ("label_shares", np.float16, (options, len(LABELS))),
            ("escape_next", np.int32, (poses,)),
            ("escape_frames", np.int32, (poses,)),
        ):
            put(self, name, frozen(getattr(self, name), dtype, shape, name))

    def __repr__(self) -> str:
        return f"MobilityMap({self.states} states with {self.options} options, {self.database.poses} poses)"

    # the arrays of the state-action graph, by the names that characters use
    @property
    def state_pose(self) -> np.ndarray:
        """(S,) int32, the pose of each state."""
        return self.graph.state_pose

    @property
    def pose_state(self) -> np.ndarray:
        """(N,) int32, the state of each pose, or -1."""
        return self.graph.pose_state

    @property
    def action_starts(self) -> np.ndarray:
        """(S + 1,) int64, see `StateActions`."""
        return self.graph.action_starts

    @property
    def action_to(self) -> np.ndarray:
        """(A,) int32, see `StateActions`."""
        return self.graph.action_to

    @property
    def action_cost(self) -> Float32:
        """(A,) float32, see `StateActions`."""
        return self.graph.action_cost

    @property
    def action_moves(self) -> Float32:
        """(A, 3) float32, see `StateActions`."""
        return self.graph.action_moves

    @property
    def action_pose_starts(self) -> np.ndarray:
        """(A + 1,) int64, see `StateActions`."""
        return self.graph.action_pose_starts

    @property
    def action_poses(self) -> np.ndarray:
        """(P,) int32, see `StateActions`."""
        return self.graph.action_poses

    @cached_property
    def is_map_state(self) -> Bool:
        """(S,) whether a state has options."""
        return np.diff(self.row_starts) > 0

    @property
    def states(self) -> int:
        """States that have options."""
        return int(np.count_nonzero(self.is_map_state))

    @property
    def options(self) -> int:
        """E, options of all states."""
        return len(self.targets)

    def row(self, state: int) -> slice:
        """The options of a state.

        Raises:
            ParameterError: there is no such state.
        """
        if not 0 <= state < self.graph.states:
            raise ParameterError(f"no state {state}; there are 0 to {self.graph.states - 1}", where="state")
        return slice(int(self.row_starts[state]), int(self.row_starts[state + 1]))

    def owner(self, option: int) -> int:
        """The state that an option belongs to.

        Raises:
            ParameterError: there is no such option.
        """
        if not 0 <= option < self.options:
            raise ParameterError(f"no option {option}; there are 0 to {self.options - 1}", where="option")
        return int(np.searchsorted(self.row_starts, option, side="right")) - 1

    def actions_of(self, option: int) -> np.ndarray:
        """(steps,) int64, the actions of an option."""
        state = self.owner(option)
        actions = np.empty(int(self.steps[option]), np.int64)
        for k in range(len(actions)):
            actions[k] = self.action_starts[state] + int(self.sequences[option, k])
            state = int(self.action_to[actions[k]])
        return actions

    def poses_of(self, option: int) -> np.ndarray:
        """(frames,) int32, the poses of an option: the state it starts from excluded, the one it ends in included."""
        return self.graph.poses_of(self.actions_of(option))

    def play(self, option: int, placement: Placement | None = None) -> Clip:
        """An option as a clip that begins with its state at `placement`; jumps are not blended."""
        start = self.state_pose[self.owner(option)]
        return self.database.play(np.concatenate([[start], self.poses_of(option)]), placement, f"option {option}")

    def predict(self, state: int, placement: Placement | None = None) -> Prediction:
        """Where and which way a character in a state, standing at `placement`, will be with each of its options (M23)."""
        row, here = self.row(state), placement or Placement()
        moves = self.moves[row].astype(np.float64)
        flat = np.stack([moves[:, 0], np.zeros(len(moves)), moves[:, 1]], axis=1)
        turned = R.rotate(R.about_y(here.heading), flat)[:, [0, 2]]
        return Prediction(
            np.arange(row.start, row.stop, dtype=np.int32),
            turned + np.array(here.position),
            here.heading + moves[:, 2],
            self.frames[row] / self.database.fps,
            self.costs[row],
        )

    def escape_route(self, pose: int) -> np.ndarray:
        """(K,) int32, the poses from a pose to the nearest state of the map, which is the last; empty for such a state.

        Raises:
            ParameterError: there is no such pose, or no way.
        """
        if not 0 <= pose < self.database.poses:
            raise ParameterError(f"no pose {pose}; there are 0 to {self.database.poses - 1}", where="pose")
        if self.escape_frames[pose] < 0:
            raise ParameterError(f"no way leads from pose {pose} into the map", where="pose")
        route = []
        while self.escape_next[pose] >= 0:
            pose = int(self.escape_next[pose])
            route.append(pose)
        return np.array(route, np.int32)
