"""The state-action graph: decisions, and what is played between them (A5, M15)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reenact.core.arrays import Float32, frozen
from reenact.errors import ParameterError
from reenact.kernels.state_actions import follow_chains
from reenact.mobility.pose_graph import PoseGraph


@dataclass(frozen=True, eq=False)
class StateActions:
    """S states with A actions. A state is a pose with two ways on or more; an action is one way on, followed to the next state.

    Attributes:
        state_pose: (S,) int32 poses, ascending.
        pose_state: (N,) int32, the state of a pose, or -1.
        action_starts: (S + 1,) int64: the actions of state s are those from action_starts[s] up to action_starts[s + 1].
        action_to: (A,) int32 states.
        action_cost: (A,) float32, sum of tau.
        action_moves: (A, 3) float32 (dx, dz, dheading): where the action ends, seen from where it starts.
        action_pose_starts: (A + 1,) int64: the poses of action a are action_poses[action_pose_starts[a]:action_pose_starts[a + 1]].
        action_poses: (P,) int32, the state that is left excluded and the one that is reached included.
    """

    state_pose: np.ndarray
    pose_state: np.ndarray
    action_starts: np.ndarray
    action_to: np.ndarray
    action_cost: Float32
    action_moves: Float32
    action_pose_starts: np.ndarray
    action_poses: np.ndarray

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "state_pose", frozen(self.state_pose, np.int32, (None,), "state_pose"))
        put(self, "pose_state", frozen(self.pose_state, np.int32, (None,), "pose_state"))
        put(self, "action_starts", frozen(self.action_starts, np.int64, (self.states + 1,), "action_starts"))
        put(self, "action_to", frozen(self.action_to, np.int32, (None,), "action_to"))
        actions = len(self.action_to)
        put(self, "action_cost", frozen(self.action_cost, np.float32, (actions,), "action_cost"))
        put(self, "action_moves", frozen(self.action_moves, np.float32, (actions, 3), "action_moves"))
        put(self, "action_pose_starts", frozen(self.action_pose_starts, np.int64, (actions + 1,), "action_pose_starts"))
        put(self, "action_poses", frozen(self.action_poses, np.int32, (None,), "action_poses"))

    @property
    def states(self) -> int:
        """S, the number of states."""
        return len(self.state_pose)

    @property
    def actions(self) -> int:
        """A, the number of actions."""
        return len(self.action_to)

    @property
    def action_from(self) -> np.ndarray:
        """(A,) int32, the state that each action leaves."""
        return np.repeat(np.arange(self.states, dtype=np.int32), np.diff(self.action_starts))

    @property
    def action_frames(self) -> np.ndarray:
        """(A,) int32, poses of each action."""
        return np.diff(self.action_pose_starts).astype(np.int32)

    def poses_of(self, actions: ArrayLike) -> np.ndarray:
        """(F,) int32, the poses of actions one after the other."""
        parts = [
            self.action_poses[self.action_pose_starts[a] : self.action_pose_starts[a + 1]]
            for a in np.atleast_1d(np.asarray(actions, dtype=np.int64))
        ]
        return np.concatenate([np.zeros(0, np.int32), *parts])


def collapse(graph: PoseGraph, increments: ArrayLike) -> StateActions:
    """The state-action graph of the kept poses.

    Args:
        graph: the pose graph.
        increments: (N, 3) of the pose database.

    Raises:
        ParameterError: no pose has two ways on: the kept poses are one ring, in which nothing can be decided.
    """
    is_state = np.diff(graph.pointers) >= 2
    state_pose = np.flatnonzero(is_state).astype(np.int32)
    found = None
    if len(state_pose):
        steps = np.ascontiguousarray(increments, np.float32)
        found = follow_chains(graph.pointers, graph.targets, graph.costs, steps, is_state)
    if found is None:
        raise ParameterError(
            f"the {graph.poses} poses that can be reached from each other go round in a ring: there is no state to decide in. "
            "Allow dearer jumps (tau_max) or add clips",
            where="tau_max",
        )
    ends, starts, costs, moves, poses = found
    pose_state = np.full(len(graph.kept), -1, np.int32)
    pose_state[state_pose] = np.arange(len(state_pose))
    action_starts = np.concatenate([[0], np.cumsum(np.diff(graph.pointers)[state_pose])])
    return StateActions(
        state_pose,
        pose_state,
        action_starts,
        pose_state[ends],
        costs.astype(np.float32),
        moves.astype(np.float32),
        starts,
        poses,
    )
