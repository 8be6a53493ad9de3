"""Loops on a cluster graph: within one clip, and through several clips and back (reuse 3.9, capabilities C34 and C35).

A node that holds two sequences of one clip proves a loop: play on to the alignment frame of the later one, and jump back to that of the
earlier. A loop through several clips is a closed chain of switches: from the first clip into the next, and so on, and back into the first
before the frame at which it was left.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reenact.core.made import Made
from reenact.edit.loop import LoopParameters, close_trip, make_loop
from reenact.edit.steadiness import find_travel
from reenact.edit.transition import TransitionParameters
from reenact.errors import ParameterError
from reenact.graph.cluster_graph import ClusterGraph
from reenact.graph.joining import Sources, join_segments, take_source
from reenact.graph.planning import Segment
from reenact.graph.reach import NoPathError, no_path_error
from reenact.graph.search import Option, Switch, Waypoint, find_options, waypoint
from reenact.graph.search_parameters import SearchParameters

_TRIED = 60  # ways from each clip to the next that are combined
_ALL = 1000  # the same, where none of those fit together
_LONG = 0.002  # metres of error that a second more counts: of two loops about as good the shorter comes first
_SPARE = 0.3  # seconds of the first clip beyond a blend that a trip plays at least, for feet that are held longer


@dataclass(frozen=True, slots=True)
class ClipLoop:
    """A loop within one clip: frame `end` goes over into frame `start`.

    Attributes:
        clip: number of the clip in the graph.
        start, end: alignment frames of two of its sequences, the earlier and the later.
        node: that holds both.
        sequences: their numbers in the graph.
        error: sqrt(E) of the two frames, metres.
        seconds: the period.
        advance: metres that one cycle goes over the floor; known after `describe_loops`, as are the next two.
        turn: radians that it turns.
        unsteady: in words, how it travels or turns otherwise than most of the clip; empty when it does not.
    """

    clip: int
    start: int
    end: int
    node: int
    sequences: tuple[int, int]
    error: float
    seconds: float
    advance: float | None = None
    turn: float | None = None
    unsteady: str = ""

    def as_dict(self, graph: ClusterGraph) -> dict[str, Any]:
        """The JSON form."""
        return {
            "clip": graph.clips[self.clip].label,
            "start": self.start,
            "end": self.end,
            "seconds": round(self.seconds, 5),
            "node": self.node,
            "sequences": list(self.sequences),
            "error_m": round(self.error, 5),
            **({} if self.advance is None else {"advance_m": round(self.advance, 5)}),
            **({} if self.turn is None else {"turn_degrees": round(float(np.degrees(self.turn)), 3)}),
            **({"unsteady": self.unsteady} if self.unsteady else {}),
        }


def find_clip_loops(
    graph: ClusterGraph,
    clip: str | int,
    *,
    near: int | None = None,
    shortest: float = 0.3,
    longest: float | None = None,
) -> list[ClipLoop]:
    """Every loop within a clip: of q sequences in a node there are q (q - 1) / 2; short ones whose ends are most alike first.

    Args:
        graph: where to look.
        clip: its name or number.
        near: only loops that play this frame.
        shortest, longest: seconds a period takes; very short ones come from sequences that noise has split.
    """
    index = graph.clip_index(clip)
    fps, base = graph.clips[index].fps, int(graph.starts[index])
    if near is not None:
        near = graph.frame(index, near) - base
    mine = np.flatnonzero(graph.sequence_clips == index)
    found = []
    for node in np.unique(graph.sequence_nodes[mine]):
        members = mine[graph.sequence_nodes[mine] == node]  # in the order of their frames
        for first, second in itertools.combinations(members, 2):
            start, end = int(graph.aligned[first]), int(graph.aligned[second])
            seconds = (end - start) / fps
            if seconds < shortest - 1e-9 or (longest is not None and seconds > longest + 1e-9):
                continue
            if near is not None and not start - base <= near < end - base:
                continue
            error = graph.error_between(start, end)
            pair = (int(first), int(second))
            found.append(ClipLoop(index, start - base, end - base, int(node), pair, error, seconds))
    return sorted(found, key=lambda loop: (loop.error + _LONG * loop.seconds, loop.start, loop.end))


def describe_loops(graph: ClusterGraph, loops: Sequence[ClipLoop], sources: Sources) -> list[ClipLoop]:
    """Loops within one clip with their ways over the floor; steady ones first, those that travel and turn like most of the clip."""
    if not loops:
        return []
    clip = take_source(graph.clips[loops[0].clip], sources).clip
    travel = find_travel(clip, clip.world(np.float64).positions)
    described = [
        replace(
            loop,
            advance=float(np.hypot(*(travel.hips[loop.end] - travel.hips[loop.start]))),
            turn=float(travel.heading[loop.end] - travel.heading[loop.start]),
            unsteady=travel.describe(loop.start, loop.end),
        )
        for loop in loops
    ]
    return sorted(described, key=lambda loop: bool(loop.unsteady))


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """A loop through several clips.

    Attributes:
        options: the way from each clip to the next, the last one back into the first.
        cost: sum of their costs.
        seconds: one round.
    """

    options: tuple[Option, ...]
    cost: float
    seconds: float

    @property
    def switches(self) -> tuple[Switch, ...]:
        """All switches in order."""
        return tuple(switch for option in self.options for switch in option.switches)

    def segments(self, graph: ClusterGraph, begin: int = 0) -> tuple[Segment, ...]:
        """What is played to make one round: a clip from its start, the others, and that clip again to its end.

        Args:
            graph: on which.
            begin: number of the switch by which that clip is left.
        """
        switches = (*self.switches[begin:], *self.switches[:begin])
        clips = [switches[0].leave_clip, *(switch.enter_clip for switch in switches)]
        starts = [0, *(switch.enter_frame for switch in switches)]
        ends = [*(switch.leave_frame for switch in switches), graph.clips[clips[-1]].frames]
        return tuple(Segment(*one) for one in zip(clips, starts, ends, strict=True))

    def as_dict(self, graph: ClusterGraph) -> dict[str, Any]:
        """The JSON form."""
        return {
            "clips": [graph.clips[switch.leave_clip].label for switch in self.switches],
            "seconds": round(self.seconds, 5),
            "cost": round(self.cost, 4),
            "error_m": round(max(switch.error for switch in self.switches), 5),
            "ways": [option.as_dict(graph) for option in self.options],
        }


def find_round_trips(
    graph: ClusterGraph, points: Sequence[Waypoint], parameters: SearchParameters | None = None, count: int = 5
) -> list[RoundTrip]:
    """Closed ways through clips in the order given and back into the first, the cheapest first.

    Every clip is entered before it is left, the first one, too: it is entered again before the frame at which it was left.

    Raises:
        NoPathError: there is none; the message says what is missing.
    """
    parameters = parameters or SearchParameters()
    if len(points) < 2:
        raise ParameterError(f"a loop through clips needs at least two, {len(points)} named")
    if count < 1:
        raise ParameterError(f"count must be at least 1, not {count}", where="count")
    pairs = [*itertools.pairwise(points), (points[-1], points[0])]
    for tried, bounded in ((_TRIED, True), (_ALL, True), (_ALL, False)):
        ways = []
        for source, target in pairs:
            options = find_options(graph, source, target, parameters, tried, bounded=bounded)
            if not options:
                raise no_path_error(graph, source, target, parameters)
            ways.append(options)
        trips = _close(graph, ways, parameters, count)
        if trips:
            return trips
    names = ", ".join(point.label for point in points)
    raise NoPathError(
        f"each of {names} leads to the next and the last one back to the first, but never so that all are entered before they are left; "
        "choose other frames or another order, or a shorter window",
        where=points[0].label,
    )


def _close(graph: ClusterGraph, ways: list[list[Option]], parameters: SearchParameters, count: int) -> list[RoundTrip]:
    """For every way back into the first clip the cheapest closed chain in which each clip is left a blend after it was entered.

    The first clip is left a little later still after it is entered again, so that some of it is played as recorded.
    """
    costs = [np.array([option.cost for option in way]) for way in ways]
    fits = [_fits(graph, before, after, parameters.window) for before, after in itertools.pairwise(ways)]
    again = _fits(graph, ways[-1], ways[0], parameters.window + _SPARE)
    found = []
    for closing in range(len(ways[-1])):
        paid, chosen = np.where(again[closing], costs[0], np.inf), []
        for number, allowed in enumerate(fits, start=1):
            ahead = np.where(allowed, paid[:, None], np.inf)
            chosen.append(ahead.argmin(axis=0))
            paid = ahead.min(axis=0) + costs[number]
        if not np.isfinite(paid[closing]):
            continue
        path = [closing]
        for back in reversed(chosen):
            path.append(int(back[path[-1]]))
        options = tuple(way[n] for way, n in zip(ways, reversed(path), strict=True))
        found.append(RoundTrip(options, float(paid[closing]), _seconds(graph, options)))
    return sorted(found, key=lambda trip: trip.cost)[:count]


def _fits(graph: ClusterGraph, before: Sequence[Option], after: Sequence[Option], seconds: float) -> np.ndarray:
    """(B, A) whether a clip that is entered by one way is left by the next so many seconds later or more."""
    entered, left = np.array([option.enter for option in before]), np.array([option.leave for option in after])
    least = seconds * graph.rates[left[:, 0]]
    return (entered[:, None, 0] == left[:, 0]) & (entered[:, None, 1] + least <= left[:, 1])


def _seconds(graph: ClusterGraph, options: Sequence[Option]) -> float:
    """Seconds that one round takes."""
    switches = [switch for option in options for switch in option.switches]
    return sum(
        (after.leave_frame - before.enter_frame) / graph.clips[after.leave_clip].fps
        for before, after in zip([switches[-1], *switches[:-1]], switches, strict=True)
    )


def find_trips_from(
    graph: ClusterGraph, clip: str | int, parameters: SearchParameters | None = None, count: int = 5
) -> list[RoundTrip]:
    """Closed ways from a clip into any one other clip of the graph and back, one for each, the cheapest first; none when there are none."""
    first = waypoint(graph, clip)
    held = np.unique(graph.sequence_nodes[np.isin(graph.sequence_clips, first.clips)])
    others = np.setdiff1d(graph.sequence_clips[np.isin(graph.sequence_nodes, held)], first.clips)
    found = []
    for other in others:
        target = Waypoint((int(other),), label=graph.clips[int(other)].label)
        try:
            found += find_round_trips(graph, [first, target], parameters, 1)
        except NoPathError:
            continue
    return sorted(found, key=lambda trip: trip.cost)[:count]


def make_clip_loop(
    graph: ClusterGraph, loop: ClipLoop, sources: Sources, parameters: LoopParameters | None = None
) -> Made:
    """The motion of a loop within a clip; see `edit.loop.make_loop`. With `method="blend"` as the thesis makes it."""
    source = take_source(graph.clips[loop.clip], sources)
    return make_loop(
        source.clip, replace(parameters or LoopParameters(), start=loop.start, end=loop.end), source.plants
    )


def make_trip_loop(
    graph: ClusterGraph,
    trip: RoundTrip,
    sources: Sources,
    count: int = 5,
    parameters: TransitionParameters | None = None,
) -> Made:
    """`count` rounds of a loop through several clips.

    It closes on a frame of the first clip that is played as recorded on both passes; where there is none, because a foot is held so long
    (in a stand it never lifts), on one of the next clip for which there is.

    Raises:
        ParameterError: no clip has such a frame.
    """
    for begin in range(len(trip.switches)):
        made = join_segments(graph, trip.segments(graph, begin), sources, parameters)
        rows = made.report["transitions"]
        name = graph.clips[trip.switches[begin].leave_clip].label
        try:
            closed = close_trip(made, rows, LoopParameters(count=count), name)
        except ParameterError:
            if begin + 1 == len(trip.switches):
                raise
            continue
        report: dict[str, Any] = {**closed.report, "transitions": rows}
        slips = [row["slip_mm"] for row in rows if "slip_mm" in row]
        if slips:  # the clips between the blends are as recorded
            report["slip_mm"] = max(slips)
        return Made(closed.clip, report, closed.plants)
    raise ParameterError("a trip without switches is no loop")
