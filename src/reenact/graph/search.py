"""Finding where one clip can go over into another: exactly there, near there, or through other clips (reuse 3.8)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from reenact import kernels
from reenact.analysis.constraint_states import STATES
from reenact.core.arrays import Float32, Float64
from reenact.errors import ParameterError
from reenact.graph.cluster_graph import ClusterGraph
from reenact.graph.frame_costs import BOUNDS, FrameCosts, Waypoint, least_room
from reenact.graph.search_parameters import SearchParameters
from reenact.graph.switch_table import SwitchTable, make_switch_table

_STANDING = 0.3  # m/s: slower is standing, and not compared

Kind = Literal["exact", "nearest", "indirect"]


def waypoint(graph: ClusterGraph, name: str | int, frame: int | None = None, leave: int | None = None) -> Waypoint:
    """A waypoint of one clip by name; with a graph of mirrored clips its mirror image will do as well.

    Raises:
        ParameterError: no such clip, or it has no such frame.
    """
    index = graph.clip_index(name)
    frame, leave = (
        None if one is None else graph.frame(index, one) - int(graph.starts[index]) for one in (frame, leave)
    )
    if frame is not None and leave is not None and frame > leave:
        raise ParameterError(f"frame {leave} is before frame {frame}", where=graph.clips[index].name)
    about = graph.clips[index]
    twins = [n for n, other in enumerate(graph.clips) if other.name == about.name and n != index]
    return Waypoint((index, *twins), frame, leave, about.name)


@dataclass(frozen=True, slots=True)
class Switch:
    """One jump from a frame of a clip to a frame of another.

    Attributes:
        leave_clip, leave_frame: where from.
        enter_clip, enter_frame: where to.
        node: the node that holds both frames.
        error: sqrt(E) of the two frames, metres.
        state: the constraint state of both.
    """

    leave_clip: int
    leave_frame: int
    enter_clip: int
    enter_frame: int
    node: int
    error: float
    state: str


@dataclass(frozen=True, slots=True)
class Option:
    """A way from one waypoint to the next.

    Attributes:
        kind: exact: one node holds both frames asked for; nearest: the clips share a node elsewhere; indirect: through other clips.
        switches: one after the other; more than one for an indirect way.
        cost: sum of `parts`.
        parts: cost by reason: switches, mismatch, speed, exit, entry, lost, played, room, mirror.
        lost: in words, what is lost of a clip where more than half is, though no frame was asked for; else empty.
    """

    kind: Kind
    switches: tuple[Switch, ...]
    cost: float
    parts: dict[str, float]
    lost: str = ""

    @property
    def leave(self) -> tuple[int, int]:
        """(clip, frame) at which the first clip is left."""
        return self.switches[0].leave_clip, self.switches[0].leave_frame

    @property
    def enter(self) -> tuple[int, int]:
        """(clip, frame) at which the last clip is entered."""
        return self.switches[-1].enter_clip, self.switches[-1].enter_frame

    def as_dict(self, graph: ClusterGraph) -> dict[str, Any]:
        """The JSON form."""
        return {
            "kind": self.kind,
            "cost": round(self.cost, 4),
            "parts": {name: round(value, 4) for name, value in self.parts.items() if value},
            **({"lost": self.lost} if self.lost else {}),
            "switches": [
                {
                    "from": graph.clips[s.leave_clip].label,
                    "frame": s.leave_frame,
                    "to": graph.clips[s.enter_clip].label,
                    "into": s.enter_frame,
                    "node": s.node,
                    "state": s.state,
                    "error_m": round(s.error, 5),
                }
                for s in self.switches
            ],
        }


def find_options(
    graph: ClusterGraph,
    source: Waypoint,
    target: Waypoint,
    parameters: SearchParameters | None = None,
    count: int = 5,
    *,
    bounded: bool = True,
) -> list[Option]:
    """Ways from one clip to another, the cheapest first; empty when there is none.

    Args:
        graph: where to look.
        source: the clip that is left, near its `leave` (default: its end).
        target: the clip that is entered, before its `frame` (default: near its start).
        parameters: what a way costs.
        count: at most this many.
        bounded: with search "action", ways that lose more than half of a clip only where there are no others; else among others.
    """
    parameters = parameters or SearchParameters()
    if count < 1:
        raise ParameterError(f"count must be at least 1, not {count}", where="count")
    costs, pairs, found = FrameCosts(graph, source, target, parameters), _join(graph, source, target), []
    for bounds in BOUNDS if bounded and parameters.search == "action" else BOUNDS[-1:]:
        costs.bound(bounds)
        found = _direct(graph, costs, source, target, parameters, count, pairs)
        if parameters.via == "any" or (parameters.via == "auto" and not found):
            found += _indirect(graph, costs, parameters, count, fewest=2 if parameters.via == "any" else 1)
            found.sort(key=lambda option: (option.cost, len(option.switches), option.leave, option.enter))
        if found or (parameters.via == "direct" and not len(pairs[0])):
            break
    return [replace(option, lost=costs.say_lost(option.leave, option.enter)) for option in found[:count]]


def _direct(
    graph: ClusterGraph,
    costs: FrameCosts,
    source: Waypoint,
    target: Waypoint,
    parameters: SearchParameters,
    count: int,
    pairs: tuple[np.ndarray, np.ndarray],
) -> list[Option]:
    first, second = pairs
    if not len(first):
        return []
    same = graph.sequence_clips[first] == graph.sequence_clips[second]
    rates = graph.rates[graph.sequence_clips[first]]
    apart = np.where(same, np.maximum(np.round(parameters.window * rates), 2), 0).astype(np.int64)
    frames, values, _ = kernels.sequences.best_pairs(
        search_features(graph, parameters),
        first,
        second,
        graph.sequence_starts,
        graph.sequence_ends,
        costs.leave,
        costs.enter,
        1.0,
        apart,
    )
    options = []
    for p in np.argsort(values, kind="stable")[:count]:
        if not np.isfinite(values[p]):
            break
        a, b = int(frames[p, 0]), int(frames[p, 1])
        switch = _switch(graph, a, b, graph.error_between(a, b))
        held = _holds(graph, int(first[p]), source.leave) and _holds(graph, int(second[p]), target.frame)
        parts = {
            "switches": parameters.hop,
            **switch_costs(graph, [switch], parameters),
            **costs.parts(a, b),
            "mirror": float(costs.mirror[switch.enter_clip]),
        }
        options.append(Option("exact" if held else "nearest", (switch,), sum(parts.values()), parts))
    return options


def _join(graph: ClusterGraph, source: Waypoint, target: Waypoint) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of a sequence that can be left and one that can be entered which lie in one node."""
    nodes = graph.sequence_nodes
    leaving = np.flatnonzero(np.isin(graph.sequence_clips, source.clips))
    entering = np.flatnonzero(np.isin(graph.sequence_clips, target.clips))
    sorted_by_node = entering[np.argsort(nodes[entering], kind="stable")]
    keys = nodes[sorted_by_node]
    low = np.searchsorted(keys, nodes[leaving], side="left")
    counts = np.searchsorted(keys, nodes[leaving], side="right") - low
    first = np.repeat(leaving, counts)
    offsets = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
    return first, sorted_by_node[np.repeat(low, counts) + offsets]


def _holds(graph: ClusterGraph, sequence: int, frame: int | None) -> bool:
    if frame is None:
        return False
    at = int(graph.starts[graph.sequence_clips[sequence]]) + frame
    return bool(graph.sequence_starts[sequence] <= at < graph.sequence_ends[sequence])


def _switch(graph: ClusterGraph, a: int, b: int, error: float) -> Switch:
    (leave_clip, leave_frame), (enter_clip, enter_frame) = graph.locate(a), graph.locate(b)
    node, state = int(graph.node_of_frame[a]), STATES[int(graph.states[a])]
    return Switch(leave_clip, leave_frame, enter_clip, enter_frame, node, error, state)


def _indirect(
    graph: ClusterGraph, costs: FrameCosts, parameters: SearchParameters, count: int, fewest: int
) -> list[Option]:
    """Ways with `fewest` switches or more, over alignment frames."""
    least = np.maximum(np.round(parameters.window * graph.rates), 1).astype(np.int64)
    edge, table = switch_room(graph, parameters), _switch_table(graph, parameters, least)
    _, walks = kernels.sequences.shortest_walks(
        search_features(graph, parameters), graph.aligned, graph.sequence_clips, graph.sequence_nodes, graph.node_order,
        graph.node_bounds, costs.at_exit(graph.aligned), costs.at_entry(graph), parameters.played, least, graph.rates,
        parameters.hop, 1.0, parameters.hops, fewest, count, edge,
        table.errors, table.base, table.place, table.nearest,
    )  # fmt: skip
    options = []
    for walk in walks:
        stops = [(walk[k][2], walk[k + 1][2]) for k in range(len(walk) - 1) if walk[k + 1][0] > walk[k][0]]
        frames = [(int(graph.aligned[s]), int(graph.aligned[t])) for s, t in stops]
        switches = tuple(_switch(graph, a, b, graph.error_between(a, b)) for a, b in frames)
        a, b = frames[0][0], frames[-1][1]
        played = sum(
            (after.leave_frame - before.enter_frame) / graph.clips[after.leave_clip].fps
            for before, after in itertools.pairwise(switches)
        )
        parts = {
            "switches": parameters.hop * len(switches),
            **switch_costs(graph, switches, parameters),
            "played": parameters.played * played,
            "exit": float(costs.exit[a]),
            "entry": float(costs.entry[b]),
            "lost": float(costs.leave_lost[a] + costs.enter_lost[b]),
            "room": float(sum(edge[s] + edge[t] for s, t in stops)),
            "mirror": float(costs.mirror[switches[-1].enter_clip]),
        }
        kind: Kind = "indirect" if len(switches) > 1 else "nearest"
        options.append(Option(kind, switches, sum(parts.values()), parts))
    return options


def search_features(graph: ClusterGraph, parameters: SearchParameters) -> Float32:
    """(N, D) rows whose squared distances are the costs of switching between frames: mismatch, and speed when that counts."""
    key = (parameters.mismatch, parameters.speed)
    if key not in graph.search_rows:
        graph.search_rows.clear()
        rows = graph.features * np.float32(np.sqrt(parameters.mismatch) / graph.error)
        if parameters.speed > 0:
            rows = np.column_stack([rows, np.sqrt(parameters.speed) * _octaves(graph)])
        graph.search_rows[key] = np.ascontiguousarray(rows, np.float32)
    return graph.search_rows[key]


def _octaves(graph: ClusterGraph) -> Float64:
    speeds = graph.travel_speeds
    if speeds is None:
        raise ParameterError(
            "this graph does not know how fast clips travel: the hips do not count in it", where="speed"
        )
    return np.log2(np.maximum(speeds, _STANDING))


def switch_costs(graph: ClusterGraph, switches: Sequence[Switch], parameters: SearchParameters) -> dict[str, float]:
    """What switches cost for poses and speeds that differ."""
    parts = {"mismatch": sum(parameters.mismatch * (s.error / graph.error) ** 2 for s in switches)}
    if parameters.speed > 0:
        octaves = _octaves(graph)
        frames = [
            (graph.frame(s.leave_clip, s.leave_frame), graph.frame(s.enter_clip, s.enter_frame)) for s in switches
        ]
        parts["speed"] = sum(parameters.speed * float(octaves[a] - octaves[b]) ** 2 for a, b in frames)
    return parts


def switch_room(graph: ClusterGraph, parameters: SearchParameters) -> Float64:
    """(S,) what an end of a switch costs at the alignment frame of a sequence for lack of room; inf near the ends of clips."""
    clips = graph.sequence_clips
    before = graph.aligned - graph.starts[clips]
    after = graph.starts[clips + 1] - 1 - graph.aligned
    half = parameters.window / 2 * graph.rates[clips]
    cost = parameters.room * np.clip(1.0 - np.minimum(before, after) / half, 0.0, 1.0)
    return np.where(np.minimum(before, after) < least_room(parameters, graph.rates[clips]), np.inf, cost)


def _switch_table(graph: ClusterGraph, parameters: SearchParameters, apart: np.ndarray) -> SwitchTable:
    """What switches cost; worked out once for a graph, what poses and speeds cost, and a length of blend."""
    known = graph.switch_tables
    key = (parameters.mismatch, parameters.speed, apart.tobytes())
    if key not in known:
        known.clear()
        known[key] = make_switch_table(
            search_features(graph, parameters),
            graph.aligned,
            graph.sequence_clips,
            graph.node_order,
            graph.node_bounds,
            apart,
        )
    return known[key]


def shared_nodes(graph: ClusterGraph, first: str | int, second: str | int) -> tuple[int, ...]:
    """Nodes that hold frames of both clips: where one can go over into the other."""
    held = [
        np.unique(graph.node_of_frame[graph.starts[index] : graph.starts[index + 1]])
        for index in (graph.clip_index(first), graph.clip_index(second))
    ]
    return tuple(int(node) for node in np.intersect1d(held[0], held[1]))


def waypoints_of(graph: ClusterGraph, names: Sequence[str], label: str) -> Waypoint:
    """A waypoint at which any of several clips will do; names that are not in the graph are passed over.

    Raises:
        ParameterError: none of them is.
    """
    wanted = set(names)
    clips = tuple(index for index, clip in enumerate(graph.clips) if clip.name in wanted)
    if not clips:
        raise ParameterError(f"no clip of the graph answers {label!r}", where=label)
    return Waypoint(clips, label=label)
