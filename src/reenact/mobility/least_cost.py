"""Least-cost sequences between all states (A6, M16 to M18): never as a matrix, but as trees cut at the horizon, or one way at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from reenact.compute.executor import Executor
from reenact.errors import ParameterError
from reenact.kernels.least_cost import cut_trees, least_costs
from reenact.mobility.edge_search import run_tasks
from reenact.mobility.pose_graph import PoseGraph
from reenact.mobility.state_actions import StateActions

QUANTA = 1023
"""Into how many whole parts the dearest action's cost is divided where costs are whole."""

_SOURCES = 128  # of a task


@dataclass(frozen=True, eq=False)
class CutTrees:
    """Of every state the least-cost sequences to all states that are `horizon` actions away at most, as trees.

    "Away" counts the actions of the least-cost sequence: a state that could be reached in fewer actions at a higher cost is not near.

    Attributes:
        begins: (S + 1,) int64, the tree of state s is rows begins[s] up to begins[s + 1] of what follows, by depth, then state.
        nodes: (T,) int32 states; `parents` (T,) int32 their parents' places in the tree, -1: the state itself.
        parents: see `nodes`.
        actions: (T,) int32 actions from the parents.
        depths: (T,) uint8 number of actions.
        horizon: the largest depth.
    """

    begins: np.ndarray
    nodes: np.ndarray
    parents: np.ndarray
    actions: np.ndarray
    depths: np.ndarray
    horizon: int

    @property
    def owners(self) -> np.ndarray:
        """(T,) int32, the state whose tree each row is of."""
        return np.repeat(np.arange(len(self.begins) - 1, dtype=np.int32), np.diff(self.begins))


def path_arrays(graph: StateActions) -> dict[str, np.ndarray]:
    """What searches for least-cost sequences work on: exact costs, and whole ones in which only recorded motion is free."""
    first = graph.action_pose_starts[:-1]
    before = np.concatenate([[-2], graph.action_poses[:-1]])
    jumps = graph.action_poses != before + 1
    jumps[first] = graph.action_poses[first] != graph.state_pose[graph.action_from] + 1
    counted = np.add.reduceat(jumps, first)
    costs = graph.action_cost.astype(np.float64)
    quantum = max(float(costs.max()) / QUANTA, 1e-12)
    whole = np.where(counted == 0, 0, np.maximum(np.rint(costs / quantum), 1)).astype(np.int32)
    free = np.full(graph.states, -1, np.int32)
    recorded = np.flatnonzero(counted == 0)
    free[graph.action_from[recorded]] = recorded
    return {
        "pointers": graph.action_starts,
        "targets": graph.action_to,
        "whole": whole,
        "costs": costs,
        "frames": graph.action_frames,
        "free": free,
        "quantum": np.array([quantum]),
    }


def tree_tile(
    item: tuple[int, int, int, bool], shared: Mapping[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Cut trees of the states (first, last, horizon, exact): counts, nodes, parents, actions, depths."""
    first, last, horizon, exact = item
    given: list[Any] = [shared[name] for name in ("pointers", "targets", "whole", "costs", "frames", "free")]
    trees, counts, depths = cut_trees(*[*given, first, last, horizon, exact])
    nodes, parents, actions = (np.ascontiguousarray(trees[:, k]) for k in range(3))
    return counts, nodes, parents, actions, depths.astype(np.uint8)


def find_trees(
    graph: StateActions, horizon: int = 25, *, exact: bool = False, executor: Executor | str | None = None
) -> CutTrees:
    """Least-cost trees of all states down to the horizon.

    Args:
        graph: the state-action graph.
        horizon: actions, at most 255.
        exact: costs as they are, with a heap; else as whole numbers, with buckets, which is some times faster.
        executor: what runs the work.
    """
    if not 1 <= horizon <= 255:
        raise ParameterError(f"horizon must be 1 to 255 actions, not {horizon}", where="horizon")
    items = [(first, min(first + _SOURCES, graph.states), horizon, exact) for first in range(0, graph.states, _SOURCES)]
    found = run_tasks(tree_tile, items, path_arrays(graph), executor, "finding least-cost sequences")
    counts, nodes, parents, actions, depths = (np.concatenate([one[k] for one in found]) for k in range(5))
    return CutTrees(np.concatenate([[0], np.cumsum(counts)]), nodes, parents, actions, depths, horizon)


def unused_edges(
    graph: PoseGraph, actions: StateActions, *, exact: bool = False, executor: Executor | str | None = None
) -> np.ndarray:
    """(E,) bool, edges of the pose graph with which no least-cost sequence leaves a state: another way to the same state is cheaper.

    Nothing that a map offers begins or goes on with them, so without them every least-cost sequence stays what it is.
    """
    trees = find_trees(actions, 1, exact=exact, executor=executor)
    unused = np.ones(actions.actions, np.bool_)
    unused[trees.actions] = False
    local = np.arange(actions.actions) - actions.action_starts[actions.action_from]
    edges = graph.pointers[actions.state_pose[actions.action_from]] + local
    dropped = np.zeros(len(graph.targets), np.bool_)
    dropped[edges[unused]] = True
    return dropped


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """A least-cost sequence.

    Attributes:
        actions: (K,) int32 actions in their order.
        cost: sum of tau.
    """

    actions: np.ndarray
    cost: float


def smoothest_sequence(graph: StateActions, source: int, target: int) -> Sequence:
    """The sequence of least cost from one state to another (M18); of those, the one of fewest poses.

    Raises:
        ParameterError: there is no such state.
    """
    for state in (source, target):
        if not 0 <= state < graph.states:
            raise ParameterError(f"no state {state}; there are 0 to {graph.states - 1}", where="state")
    held = path_arrays(graph)
    costs, _, last = least_costs(
        held["pointers"], held["targets"], held["costs"], held["frames"], np.array([source], np.int32)
    )
    if not np.isfinite(costs[target]):
        raise ParameterError(f"no sequence leads from state {source} to state {target}", where="state")
    actions, origins = [], graph.action_from
    state = target
    while state != source:
        actions.append(int(last[state]))
        state = int(origins[actions[-1]])
    return Sequence(np.array(actions[::-1], np.int32), float(costs[target]))
