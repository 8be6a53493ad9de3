"""The jumps of a pose graph: all of them up to a cost, found in tiles that can run anywhere (A3, M11 to M13)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from reenact.compute.executor import Executor, executor_for, processors
from reenact.compute.gpu_edges import device_of, propose_edges
from reenact.core.progress import tell
from reenact.kernels.pose_pairs import first_caps, search_pairs
from reenact.mobility.transition_cost import Jumps, MetricTable, proposal_limit, settle

_FEW = 500  # poses, of which all are tried at once
_TOLD = 12  # coordinates of the heaviest terms that say which poses are probably alike
_AXES = 8  # principal axes of them
_TRIED = 2  # times as many poses are tried as are wanted

Task = Callable[[Any, Mapping[str, np.ndarray]], Any]


def run_tasks(
    task: Task, items: list[Any], shared: Mapping[str, np.ndarray], executor: Executor | str | None, words: str
) -> list[Any]:
    """Results of tasks in the order of their items: by an executor, else in threads of this process, for kernels run side by side."""
    if executor is not None and device_of(executor) is None:
        with executor_for(executor) as opened:
            return list(opened.map(task, items, shared, words=words))
    results: list[Any] = []
    with ThreadPoolExecutor(min(processors(), 8)) as pool:
        for result in pool.map(lambda item: task(item, shared), items):
            results.append(result)
            tell(len(results) / len(items), words)
    return results


def search_records(table: MetricTable) -> dict[str, np.ndarray]:
    """The arrays that `edge_tile` works on: records with the heaviest joints first."""
    order = np.argsort(-table.angle_weights, kind="stable")
    poses = len(table)
    rotations = table.quaternions[:, order].astype(np.float64)
    rotations /= np.linalg.norm(rotations, axis=-1, keepdims=True)
    middle = rotations[poses // 2]
    rotations *= np.where(np.sum(rotations * middle, axis=-1, keepdims=True) < 0, -1.0, 1.0)
    vectors = np.concatenate([table.velocities[:, None], table.rates[:, order]], axis=1)
    return {
        "vectors": np.ascontiguousarray(vectors.reshape(poses, -1), np.float32),
        "rotations": np.ascontiguousarray(rotations.reshape(poses, -1), np.float32),
        "weights": np.ascontiguousarray(table.angle_weights[order], np.float32),
        "clips": table.clips,
        "contacts": table.contacts,
        "exclude": np.array([table.exclude]),
    }


def edge_tile(
    item: tuple[int, int, int], shared: Mapping[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Proposed jumps of all pairs whose earlier pose is in a range: sources, targets, costs in float32.

    Args:
        item: (first, last, most), see `kernels.pose_pairs.search_pairs`.
        shared: what `search_records` gives, and `caps`.
    """
    first, last, most = item
    return search_pairs(*_records(shared), first, last, shared["caps"], most)


def even_parts(poses: int, parts: int) -> list[tuple[int, int]]:
    """Ranges of rows of a triangle that have about as many pairs each."""
    shares = 1 - np.sqrt(1 - np.arange(parts + 1) / parts)
    bounds = np.unique(np.round(shares * poses).astype(int))
    return [(int(a), int(b)) for a, b in pairwise(bounds)]


def search_edges(table: MetricTable, limit: float, most: int = 10, executor: Executor | str | None = None) -> Jumps:
    """All jumps up to a cost, of each pose the `most` cheapest (0: all): exactly those of `search_edges_plainly` after `settle`.

    `executor` may also be "gpu" (see `compute.gpu_edges`).
    """
    device = device_of(executor)
    if device is not None:
        return settle(table, *propose_edges(table.as_arrays(), limit, most, device=device), limit, most)
    poses = len(table)
    records = search_records(table)
    shared = {**records, "caps": _caps(records, proposal_limit(limit), most)}
    items = [(first, last, most) for first, last in even_parts(poses, int(np.clip(poses // 1000, 1, 256)))]
    found = run_tasks(edge_tile, items, shared, executor, "searching for transitions")
    sources, targets, costs = (np.concatenate([one[k] for one in found]) for k in range(3))
    chosen = _hopeful(sources, costs, poses, most)
    return settle(table, sources[chosen], targets[chosen], limit, most)


def _caps(records: Mapping[str, np.ndarray], limit: float, most: int) -> np.ndarray:
    """(N,) the cost up to which jumps are wanted from each pose; where only a few are, some are tried first to know what they cost."""
    poses = len(records["clips"])
    if not most or poses < _FEW:
        return np.full(poses, limit, np.float32)
    from scipy.spatial import KDTree

    arcs = records["rotations"].reshape(poses, -1, 4) * (2 * records["weights"][None, :, None])
    points = np.concatenate([records["vectors"][:, :_TOLD], arcs.reshape(poses, -1)[:, :_TOLD]], axis=1)
    points = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(points.T.astype(np.float64) @ points)
    flat = points @ axes[:, ::-1][:, :_AXES]
    _, near = KDTree(flat).query(flat, min(most * _TRIED + 20, poses), eps=1.0)
    return first_caps(*_records(records), limit, most, near.astype(np.int32))


def _records(held: Mapping[str, np.ndarray]) -> tuple[Any, Any, Any, Any, Any, int]:
    """Arguments that the kernels of the search begin with."""
    return (
        held["vectors"],
        held["rotations"],
        held["weights"],
        held["clips"],
        held["contacts"],
        int(held["exclude"][0]),
    )


def _hopeful(sources: np.ndarray, costs: np.ndarray, poses: int, most: int) -> np.ndarray:
    """Indices of the proposals that can be among the cheapest of their source, rounding allowed for."""
    if not most or not len(sources):
        return np.arange(len(sources))
    order = np.lexsort((costs, sources))
    begins = np.searchsorted(sources[order], np.arange(poses))
    at = np.minimum(begins + most - 1, len(order) - 1)
    worst = np.where(sources[order[at]] == np.arange(poses), costs[order[at]], np.inf)
    return order[costs[order] <= worst[sources[order]] * 1.001 + 0.004]
