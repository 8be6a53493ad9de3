"""Ways back into the map from any pose (A8)."""

from __future__ import annotations

import numpy as np

from reenact.kernels.least_cost import least_costs
from reenact.mobility.pose_graph import PoseGraph


def find_escapes(graph: PoseGraph, recorded: np.ndarray, goals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The next pose on the least-cost way to a goal, and how many poses that takes, for every pose: one search backwards from all goals.

    Recorded continuations lead on from poses that are not kept, too: the first ones of a clip lead into the graph.

    Args:
        graph: the pose graph.
        recorded: (R,) poses that have a recorded continuation.
        goals: (G,) poses.

    Returns:
        next (N,) int32, -1 at goals and where there is no way; frames (N,) int32, 0 at goals, -1 where there is no way.
    """
    poses = len(graph.kept)
    outside = recorded[~(graph.kept[recorded] & graph.kept[recorded + 1])]
    sources = np.concatenate([graph.sources, outside])
    targets = np.concatenate([graph.targets, outside + 1])
    costs = np.concatenate([graph.costs, np.zeros(len(outside), np.float32)]).astype(np.float64)
    order = np.lexsort((sources, targets))
    pointers = np.searchsorted(targets[order], np.arange(poses + 1))
    backwards = sources[order].astype(np.int32)
    reached, frames, last = least_costs(
        pointers, backwards, costs[order], np.ones(len(order), np.int32), np.asarray(goals, np.int32)
    )
    following = np.where(last >= 0, targets[order][np.maximum(last, 0)], -1).astype(np.int32)
    return following, np.where(np.isfinite(reached), frames, -1).astype(np.int32)
