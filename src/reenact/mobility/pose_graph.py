"""The graph of poses: recorded continuations and affordable jumps, the largest strongly connected part of it (A3, A4; M11 to M14)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reenact.compute.executor import Executor
from reenact.core.arrays import Bool, Float32, frozen
from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError
from reenact.kernels.components import strong_components
from reenact.kernels.pose_pairs import are_least
from reenact.mobility.edge_search import search_edges, search_records
from reenact.mobility.transition_cost import Jumps, MetricTable, cheapest, pose_distances

THESIS_SHARE = 0.918
"""Of the poses, the share that the thesis' largest component holds: 30 665 of 33 404."""

LOCAL = 3
"""Poses within which a jump must be the cheapest where nothing else is asked for."""

AMONG = 50
"""Cheapest jumps of a pose among which such minima are looked for. Of ten nearly all go beside one another into the same few clips, so
that far dearer ones would be needed to connect the library: 3.8 instead of 2.6 for 20 000 poses of recorded walks."""

MINIMA, JUMPS = 4, 10
"""Jumps of a pose that are kept: of local minima, and of all."""

THESIS_COMPONENT = 60
"""Poses of the smallest component that the thesis takes into account."""


@dataclass(frozen=True, slots=True)
class PruningParameters:
    """Which jumps become edges."""

    tau_max: float | None = option(
        None,
        "dearest jump; default: chosen so that the largest strongly connected part holds `connected` of the poses",
        above=0,
    )
    connected: float = option(
        THESIS_SHARE,
        "share of the poses that can reach each other, for which the dearest jump is chosen (the thesis: 0.918)",
        above=0,
        high=1,
    )
    dearest: float = option(
        4.0, "the dearest jump is never chosen above this many times what a recorded step changes", above=0, high=100
    )
    most_jumps: int | None = option(
        None,
        "cheapest jumps of each pose that are kept; 0: all; default: 4, 10 in the thesis' profile",
        low=0,
        high=1000,
    )
    minimum_within: int | None = option(
        None,
        "keep only jumps that are cheaper than all within this many poses before and behind; 0: all, as in the thesis; default: 3, "
        "0 in the thesis' profile",
        unit="poses",
        low=0,
        high=10,
    )
    used_only: bool = option(
        False,
        "keep only jumps that some least-cost sequence takes: actions get longer, and sequences look farther ahead",
    )
    component: int = option(
        THESIS_COMPONENT, "poses of the smallest strongly connected part that counts", unit="poses", low=2
    )

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """How the dearest jump was chosen.

    Attributes:
        tau_max: the dearest jump.
        how: "given", "share" (the least with which the share is reached) or "dearest" (the share is not reached within what is allowed).
        step: median of K between a pose and the next one, which tau_max is to be compared with.
        tried: (tau, share of the poses in the largest component) of every step of the search, ascending.
    """

    tau_max: float
    how: str
    step: float
    tried: tuple[tuple[float, float], ...]


@dataclass(frozen=True, eq=False)
class PoseGraph:
    """N poses and their edges; those that are kept are one strongly connected component.

    Attributes:
        pointers: (N + 1,) int64, the edges of pose v are those from pointers[v] up to pointers[v + 1]; none of poses that are not kept.
        targets: (E,) int32 poses, ascending for each source.
        costs: (E,) float32 tau; 0 for recorded continuations.
        kept: (N,) bool, the poses of the component.
        all_edges: edges before the component was taken.
        components: number of strongly connected components, and `large` of them with as many poses as asked.
        large: see `components`.
        chosen: how the dearest jump was chosen.
    """

    pointers: np.ndarray
    targets: np.ndarray
    costs: Float32
    kept: Bool
    all_edges: int
    components: int
    large: int
    chosen: Chosen

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "kept", frozen(self.kept, np.bool_, (None,), "kept"))
        put(self, "pointers", frozen(self.pointers, np.int64, (len(self.kept) + 1,), "pointers"))
        put(self, "targets", frozen(self.targets, np.int32, (None,), "targets"))
        put(self, "costs", frozen(self.costs, np.float32, (len(self.targets),), "costs"))

    @property
    def tau_max(self) -> float:
        """The dearest jump."""
        return self.chosen.tau_max

    @property
    def poses(self) -> int:
        """Poses that are kept."""
        return int(np.count_nonzero(self.kept))

    @property
    def sources(self) -> np.ndarray:
        """(E,) int64, the pose that each edge leaves."""
        return np.repeat(np.arange(len(self.kept)), np.diff(self.pointers))

    @property
    def jumps(self) -> int:
        """Edges that are no recorded continuations."""
        return int(np.count_nonzero(self.targets != self.sources + 1))


@dataclass(frozen=True, slots=True, eq=False)
class _Edges:
    """All edges of poses in the order of sources, then targets."""

    pointers: np.ndarray
    sources: np.ndarray
    targets: np.ndarray
    costs: Float32

    def component(self, tau: float) -> tuple[int, np.ndarray]:
        """How many strongly connected components edges up to a cost make, and the one of each pose."""
        return strong_components(self.pointers, self.targets, self.costs <= np.float32(tau))

    def share(self, tau: float) -> float:
        """Share of the poses in the largest of them."""
        return float(np.bincount(self.component(tau)[1]).max()) / (len(self.pointers) - 1)


def build_pose_graph(
    table: MetricTable, parameters: PruningParameters | None = None, executor: Executor | str | None = None
) -> PoseGraph:
    """The pose graph: edges searched, the dearest jump chosen, the largest strongly connected component kept.

    Raises:
        ParameterError: no component has as many poses as asked; the message says how many there are and what would help.
    """
    parameters = parameters or PruningParameters()
    natural = np.flatnonzero(table.clips[:-1] == table.clips[1:])
    if not len(natural):
        raise ParameterError("no pose has one after it: clips need three poses or more")
    sampled = natural[np.linspace(0, len(natural) - 1, min(len(natural), 20_000)).astype(np.int64)]
    step = float(np.median(pose_distances(table, sampled, sampled + 1)))
    limit = parameters.tau_max if parameters.tau_max is not None else parameters.dearest * max(step, 1e-6)
    jumps = find_jumps(table, limit, parameters, executor)
    edges = _all_edges(len(table), natural, jumps)
    chosen = _choose(edges, parameters, limit, step)
    return _largest_component(edges, parameters, chosen)


def find_jumps(
    table: MetricTable, limit: float, parameters: PruningParameters, executor: Executor | str | None = None
) -> Jumps:
    """The jumps up to a cost that the parameters let through: of each pose the cheapest, as far as they are local minima."""
    reach = LOCAL if parameters.minimum_within is None else parameters.minimum_within
    most = (MINIMA if reach else JUMPS) if parameters.most_jumps is None else parameters.most_jumps
    if not reach or not most:
        return keep_least(table, search_edges(table, limit, most, executor), reach)
    among = search_edges(table, limit, max(AMONG, 5 * most), executor)
    return cheapest(keep_least(table, among, reach), most)


def keep_least(table: MetricTable, jumps: Jumps, reach: int) -> Jumps:
    """The jumps that are cheaper than all whose ends lie within `reach` poses of theirs; all for 0."""
    if reach == 0 or len(jumps) == 0:
        return jumps
    records = search_records(table)
    given: list[Any] = [records[name] for name in ("vectors", "rotations", "weights", "clips")]
    return jumps.picked(are_least(*[*given, jumps.sources, jumps.targets, reach]))


def without_edges(graph: PoseGraph, dropped: np.ndarray) -> PoseGraph:
    """The largest strongly connected component of a graph without some of its edges (E,) bool."""
    kept_edges = np.flatnonzero(~dropped)
    sources = graph.sources
    _, component = strong_components(graph.pointers, graph.targets, ~dropped)
    inside = np.bincount(component[graph.kept])
    kept = graph.kept & (component == int(np.argmax(inside)))
    kept_edges = kept_edges[kept[sources[kept_edges]] & kept[graph.targets[kept_edges]]]
    pointers = np.searchsorted(sources[kept_edges], np.arange(len(graph.kept) + 1))
    return replace(
        graph, pointers=pointers, targets=graph.targets[kept_edges], costs=graph.costs[kept_edges], kept=kept
    )


def _all_edges(poses: int, natural: np.ndarray, jumps: Jumps) -> _Edges:
    sources = np.concatenate([natural, jumps.sources]).astype(np.int64)
    targets = np.concatenate([natural + 1, jumps.targets]).astype(np.int32)
    costs = np.concatenate([np.zeros(len(natural), np.float32), jumps.costs])
    order = np.lexsort((targets, sources))
    pointers = np.searchsorted(sources[order], np.arange(poses + 1))
    return _Edges(pointers, sources[order], targets[order], costs[order])


def _choose(edges: _Edges, parameters: PruningParameters, limit: float, step: float) -> Chosen:
    """The least tau with which the share is reached: bisection over the costs there are, for the share never falls with tau."""
    if parameters.tau_max is not None:
        return Chosen(float(limit), "given", step, ((float(limit), edges.share(limit)),))
    costs = np.unique(edges.costs)
    tried = {float(costs[-1]): edges.share(float(costs[-1]))}
    if tried[float(costs[-1])] < parameters.connected:
        return Chosen(float(costs[-1]), "dearest", step, tuple(tried.items()))
    low, high = -1, len(costs) - 1
    while high - low > 1:
        middle = (low + high) // 2
        tau = float(costs[middle])
        tried[tau] = edges.share(tau)
        low, high = (low, middle) if tried[tau] >= parameters.connected else (middle, high)
    return Chosen(float(costs[high]), "share", step, tuple(sorted(tried.items())))


def _largest_component(edges: _Edges, parameters: PruningParameters, chosen: Chosen) -> PoseGraph:
    count, component = edges.component(chosen.tau_max)
    sizes = np.bincount(component, minlength=count)
    large = int(np.count_nonzero(sizes >= parameters.component))
    used = edges.costs <= np.float32(chosen.tau_max)
    if not large:
        raise ParameterError(
            f"no {parameters.component} poses can be reached from each other: the largest of {count} strongly connected parts has "
            f"{int(sizes.max())} of {len(component)} poses with jumps that cost {chosen.tau_max:.3g} at most "
            f"({int(np.count_nonzero(used & (edges.targets != edges.sources + 1)))} of them). "
            "Add clips that go over into each other (or their mirror images), or allow dearer jumps with a larger tau_max",
            where="tau_max",
        )
    kept = component == int(np.argmax(sizes))
    used &= kept[edges.sources] & kept[edges.targets]
    pointers = np.searchsorted(edges.sources[used], np.arange(len(component) + 1))
    return PoseGraph(
        pointers,
        edges.targets[used],
        edges.costs[used],
        kept,
        int(np.count_nonzero(edges.costs <= np.float32(chosen.tau_max))),
        count,
        large,
        chosen,
    )
