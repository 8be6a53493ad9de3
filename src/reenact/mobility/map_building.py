"""A mobility map from a pose database: all stages one after the other, with their accounts (A2 to A8, A15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from reenact.compute.executor import Executor
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.progress import stage
from reenact.errors import ParameterError
from reenact.kernels.map_entries import unroll_entries
from reenact.mobility.accounting import Accounts
from reenact.mobility.escape import find_escapes
from reenact.mobility.gathering import GatheringParameters, build_pose_database
from reenact.mobility.labels import LABELS
from reenact.mobility.least_cost import CutTrees, find_trees, unused_edges
from reenact.mobility.map_parameters import MapParameters
from reenact.mobility.map_pruning import Pruned, RawMap, cell_of, prune
from reenact.mobility.mobility_map import MobilityMap
from reenact.mobility.pose_database import PoseDatabase
from reenact.mobility.pose_graph import PoseGraph, PruningParameters, build_pose_graph, without_edges
from reenact.mobility.state_actions import StateActions, collapse
from reenact.mobility.transition_cost import MetricTable, TransitionParameters, make_metric_table

_FEWEST = 2  # options: a state with one has nothing to decide


@dataclass(frozen=True, slots=True, eq=False)
class BuiltMap:
    """A map, and what it was made from.

    Attributes:
        map: the run-time map.
        graph: the pose graph.
        table: what poses were compared by.
        report: accounts of all stages, plain values (also in `map.about`).
    """

    map: MobilityMap
    graph: PoseGraph
    table: MetricTable
    report: dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class _Selection:
    """Options that are kept, as rows of the trees."""

    rows: np.ndarray
    pruned: Pruned
    window: tuple[int, int]
    raw_options: int
    notes: tuple[str, ...]


def build_mobility_map(
    source: PoseDatabase | Sequence[Clip],
    parameters: MapParameters | None = None,
    *,
    gathering: GatheringParameters | None = None,
    transitions: TransitionParameters | None = None,
    pruning: PruningParameters | None = None,
    plants: Sequence[FootPlants | None] | None = None,
    executor: Executor | str | None = None,
) -> BuiltMap:
    """The mobility map of clips, or of a pose database.

    Args:
        source: motions, or their poses.
        parameters: which sequences are offered, which states kept.
        gathering: how clips become poses.
        transitions: how poses are compared.
        pruning: which jumps become edges.
        plants: foot plants of the clips; those that are None are found.
        executor: what runs the search for edges and the least-cost sequences; default: threads of this process.

    Raises:
        ParameterError: too few clips: the message says how many poses or states there are, and what is missing.
    """
    parameters = parameters or MapParameters()
    transitions, pruning = transitions or TransitionParameters(), pruning or PruningParameters()
    if pruning.minimum_within is None and parameters.profile == "thesis":
        pruning = replace(pruning, minimum_within=0)
    accounts = Accounts()
    with accounts.stage("poses") as counts, stage(0.0, 0.2, "gathering poses"):
        if isinstance(source, PoseDatabase):
            database = source
        else:
            database = build_pose_database(source, gathering, plants)
        mirrored = int(np.sum(np.diff(database.starts)[database.mirrored]))
        counts |= {
            "poses": database.poses,
            "recorded_poses": database.poses - mirrored,
            "mirrored_poses": mirrored,
            "clips": len(database.names),
        }
    with accounts.stage("graph") as counts, stage(0.2, 0.6, "searching for transitions"):
        table = make_metric_table(database, transitions)
        graph = build_pose_graph(table, pruning, executor)
        counts |= {
            "edges": graph.all_edges,
            "tau_max": graph.tau_max,
            "tau_chosen_by": graph.chosen.how,
            "natural_step": graph.chosen.step,
            "tau_tried": [list(one) for one in graph.chosen.tried],
        }
    with accounts.stage("component") as counts:
        counts |= {
            "components": graph.components,
            "large_components": graph.large,
            "kept_poses": graph.poses,
            "kept_share": graph.poses / database.poses,
            "kept_edges": len(graph.targets),
            "kept_jumps": graph.jumps,
        }
    with accounts.stage("actions") as counts:
        actions = collapse(graph, database.increments)
        if pruning.used_only:
            before = len(graph.targets)
            graph = without_edges(graph, unused_edges(graph, actions, exact=parameters.exact, executor=executor))
            actions = collapse(graph, database.increments)
            counts["unused_edges"] = before - len(graph.targets)
        counts |= {
            "states": actions.states,
            "state_share": actions.states / graph.poses,
            "actions": actions.actions,
            "mean_frames": float(actions.action_frames.mean()),
        }
    with accounts.stage("sequences") as counts, stage(0.6, 0.9, "finding least-cost sequences"):
        trees = find_trees(actions, parameters.horizon, exact=parameters.exact, executor=executor)
        counts |= {"within_horizon": len(trees.nodes), "pairs": actions.states**2}
    with accounts.stage("map") as counts, stage(0.9, 1.0, "making the map"):
        chosen = _select(actions, trees, parameters)
        made = _make_map(database, graph, actions, trees, chosen, parameters.horizon)
        counts |= _count_map(made, chosen, actions.states)
    report = accounts.as_dict()
    report["parameters"] = {
        "map": asdict(parameters),
        "transitions": asdict(transitions),
        "pruning": asdict(pruning),
        **({"gathering": asdict(gathering)} if gathering else {}),
    }
    report["notes"] = [_explain(graph, pruning), *_left_out(source, database), *chosen.notes]
    object.__setattr__(made, "about", report)
    return BuiltMap(made, graph, table, report)


def _left_out(source: PoseDatabase | Sequence[Clip], database: PoseDatabase) -> list[str]:
    """Which clips are not in the database."""
    if isinstance(source, PoseDatabase):
        return []
    names = set(database.names)
    missing = [clip.name for clip in source if clip.name not in names]
    if not missing:
        return []
    few = ", ".join(missing[:10]) + (" and others" if len(missing) > 10 else "")
    return [f"left out, since they leave their floor or are too short: {few}"]


def _explain(graph: PoseGraph, pruning: PruningParameters) -> str:
    """How the dearest jump came about, in words."""
    chosen = graph.chosen
    size = f"{chosen.tau_max:.3g}, {chosen.tau_max / max(chosen.step, 1e-9):.1f} times what changes from one recorded pose to the next"
    share = graph.poses / len(graph.kept)
    if chosen.how == "given":
        return f"the dearest jump was given: {size}; {share:.1%} of the poses can reach each other"
    if chosen.how == "share":
        return f"the dearest jump is {size}: the cheapest with which {pruning.connected:.1%} of the poses can reach each other"
    return (
        f"the dearest jump is {size}: no dearer ones are taken (dearest {pruning.dearest:g}), and with these {share:.1%} of the poses can "
        f"reach each other, not {pruning.connected:.1%}: clips that go over into each other are missing"
    )


def _count_map(made: MobilityMap, chosen: _Selection, states: int) -> dict[str, Any]:
    counts = np.diff(made.row_starts)[made.is_map_state]
    held = sum(
        getattr(made, name).nbytes
        for name in ("targets", "moves", "frames", "costs", "steps", "sequences", "label_shares")
    )
    return {
        "raw_options": chosen.raw_options,
        "window": list(chosen.window),
        "rounds": chosen.pruned.rounds,
        "options_asked": chosen.pruned.options,
        "map_states": made.states,
        "map_state_share": made.states / states,
        "options": made.options,
        "mean_options": float(counts.mean()),
        "fewest_options": int(counts.min()),
        "most_options": int(counts.max()),
        "bytes": held,
        "bytes_per_option": held / max(made.options, 1),
        "mean_seconds": float(made.frames.mean()) / made.database.fps,
    }


def _windows(parameters: MapParameters) -> list[tuple[int, int]]:
    """Windows of depths to try, in this order."""
    horizon = parameters.horizon
    if parameters.how_read == "exact":
        return [(horizon, horizon)]
    if parameters.how_read == "within":
        return [(1, horizon)]
    if parameters.window is not None:
        return [(max(horizon - parameters.window, 1), horizon)]
    return [(horizon - less, horizon) for less in range(horizon)]


def _select(actions: StateActions, trees: CutTrees, parameters: MapParameters) -> _Selection:
    """The options of the map: the first window with which enough states stay, with fewer options asked where none does."""
    windows = _windows(parameters)
    by_itself = len(windows) > 1
    wanted = parameters.keep * actions.states if by_itself else 1
    best: _Selection | None = None
    notes: list[str] = []
    owners = trees.owners
    while True:
        for window in windows:
            chosen = _prune_window(actions, trees, owners, window, parameters)
            if best is None or chosen.pruned.states > best.pruned.states:
                best = chosen
            if chosen.pruned.states >= wanted:
                best = chosen
                break
        assert best is not None
        if best.pruned.states or parameters.options <= _FEWEST:
            break
        fewer = max(parameters.options // 2, _FEWEST)
        notes.append(f"no state keeps {parameters.options} options; {fewer} were asked for instead")
        parameters = replace(parameters, options=fewer, cells=max(parameters.cells // 2, 1))
    if not best.pruned.states:
        counts = np.bincount(owners, minlength=actions.states)
        raise ParameterError(
            f"too few clips for a map: {actions.states} states with {actions.actions} actions, none of which keeps {_FEWEST} options of "
            f"{windows[-1][0]} to {windows[-1][1]} actions (at most {int(counts.max(initial=0))} states lie within {parameters.horizon} "
            "actions of one). Add clips that turn, stop and start and go over into each other, add their mirror images, or take a "
            "shorter horizon",
            where="horizon",
        )
    if by_itself and best.pruned.states < wanted:
        notes.append(
            f"no window keeps {parameters.keep:.0%} of the states; {best.window[0]} to {best.window[1]} actions keep most "
            f"({best.pruned.states / actions.states:.1%})"
        )
    return _Selection(best.rows, best.pruned, best.window, best.raw_options, tuple(notes))


def _prune_window(
    actions: StateActions,
    trees: CutTrees,
    owners: np.ndarray,
    window: tuple[int, int],
    parameters: MapParameters,
) -> _Selection:
    rows = np.flatnonzero((trees.depths >= window[0]) & (trees.depths <= window[1]))
    cells = None
    if parameters.keep_by == "spread":
        moves = _unroll(
            actions, trees, owners[rows], rows, parameters.horizon, np.zeros((actions.actions, 0), np.int32)
        )
        cells = cell_of(moves[1])
    pruned = prune(RawMap(actions.states, owners[rows], trees.nodes[rows], cells), parameters)
    return _Selection(rows[pruned.used], pruned, window, len(rows), ())


def _unroll(
    actions: StateActions, trees: CutTrees, owners: np.ndarray, rows: np.ndarray, horizon: int, counted: np.ndarray
) -> tuple[np.ndarray, ...]:
    local = (np.arange(actions.actions) - actions.action_starts[actions.action_from]).astype(np.uint16)
    places = (rows - trees.begins[owners]).astype(np.int32)
    return unroll_entries(
        trees.begins,
        trees.parents,
        trees.actions,
        np.ascontiguousarray(owners),
        places,
        local,
        actions.action_moves,
        actions.action_frames,
        actions.action_cost,
        counted,
        horizon,
    )


def _make_map(
    database: PoseDatabase,
    graph: PoseGraph,
    actions: StateActions,
    trees: CutTrees,
    chosen: _Selection,
    horizon: int,
) -> MobilityMap:
    rows = chosen.rows
    owners = (np.searchsorted(trees.begins, rows, side="right") - 1).astype(np.int32)
    order = np.lexsort((trees.nodes[rows], owners))
    rows, owners = rows[order], owners[order]
    bits = (database.labels[actions.action_poses, None] >> np.arange(len(LABELS), dtype=np.uint32)) & 1
    counted = np.add.reduceat(bits.astype(np.int32), actions.action_pose_starts[:-1], axis=0)
    sequences, ends, frames, costs, carried = _unroll(actions, trees, owners, rows, horizon, counted)
    narrow = int(np.diff(actions.action_starts).max()) <= 256
    goals = actions.state_pose[np.flatnonzero(chosen.pruned.alive)]
    following, until = find_escapes(graph, np.flatnonzero(~database.is_last), goals)
    return MobilityMap(
        database,
        actions,
        np.searchsorted(owners, np.arange(actions.states + 1)),
        trees.nodes[rows],
        ends.astype(np.float32),
        frames,
        costs.astype(np.float32),
        trees.depths[rows],
        sequences.astype(np.uint8 if narrow else np.uint16),
        (carried / frames[:, None]).astype(np.float16),
        following,
        until,
        graph.tau_max,
    )
