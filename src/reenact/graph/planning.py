"""Planning a sequence: clips one after the other, each left where the next can be entered (reuse 3.8)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reenact.errors import ParameterError
from reenact.graph.cluster_graph import ClusterGraph
from reenact.graph.reach import NoPathError, no_path_error
from reenact.graph.search import Option, Switch, Waypoint, find_options
from reenact.graph.search_parameters import SearchParameters

_TRIED = 60
"""Ways between two waypoints that are tried in every combination at first."""

_ALL = 4000
"""Ways that are tried when none of those fit together."""

_LEAST = 0.5
"""Share of a clip in the middle, of its time or its action, that is played wherever there is a way."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Frames [start, end) of a clip that a plan plays; blends reach over both ends."""

    clip: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Played:
    """What a plan plays of a clip that was asked for: shares of its time and of its action."""

    clip: int
    time: float
    action: float


@dataclass(frozen=True, slots=True)
class Plan:
    """A way through all waypoints.

    Attributes:
        waypoints: what was asked for.
        options: the way from each to the next.
        cost: sum of their costs.
    """

    waypoints: tuple[Waypoint, ...]
    options: tuple[Option, ...]
    cost: float

    @property
    def switches(self) -> tuple[Switch, ...]:
        """All switches in order."""
        return tuple(switch for option in self.options for switch in option.switches)

    def segments(self, graph: ClusterGraph) -> tuple[Segment, ...]:
        """What is played: from the first clip's `frame` (default: its start) to the last one's `leave` (default: its end)."""
        switches = self.switches
        last = self.waypoints[-1].leave
        starts = [
            min(self.waypoints[0].frame or 0, switches[0].leave_frame - 1),
            *(switch.enter_frame for switch in switches),
        ]
        clips = [switches[0].leave_clip, *(switch.enter_clip for switch in switches)]
        end = graph.clips[clips[-1]].frames if last is None else max(last, switches[-1].enter_frame + 1) + 1
        ends = [*(switch.leave_frame for switch in switches), min(end, graph.clips[clips[-1]].frames)]
        return tuple(Segment(*one) for one in zip(clips, starts, ends, strict=True))

    def played(self, graph: ClusterGraph) -> tuple[Played, ...]:
        """What is played of the clip at each waypoint; bridges between them do not count."""
        leaves = [option.leave for option in self.options]
        enters = [option.enter for option in self.options]
        last = enters[-1][0]
        starts = [self.waypoints[0].frame or 0, *(frame for _, frame in enters)]
        end = self.waypoints[-1].leave
        ends = [*(frame + 1 for _, frame in leaves), graph.clips[last].frames if end is None else end + 1]
        clips = [leaves[0][0], *(clip for clip, _ in enters)]
        return tuple(play_of(graph, clip, start, end) for clip, start, end in zip(clips, starts, ends, strict=True))

    def lost(self, graph: ClusterGraph) -> tuple[str, ...]:
        """In words, what is lost of clips that were asked for without frames, where it is more than half."""
        words = [option.lost for option in self.options if option.lost]
        for point, one in list(zip(self.waypoints, self.played(graph), strict=True))[1:-1]:
            share, label = min(one.time, one.action), graph.clips[one.clip].label
            said = any(f"% of {label} is lost" in text for text in words)
            if point.frame is None and point.leave is None and share < _LEAST and not said:
                words.append(f"{100 * (1 - share):.0f} % of {label} is lost between the clips before and after it")
        return tuple(words)

    def as_dict(self, graph: ClusterGraph) -> dict[str, Any]:
        """The JSON form."""
        lost = self.lost(graph)
        return {
            "cost": round(self.cost, 4),
            "played": [
                {"clip": graph.clips[one.clip].name, "time": round(one.time, 4), "action": round(one.action, 4)}
                for one in self.played(graph)
            ],
            **({"lost": list(lost)} if lost else {}),
            "ways": [option.as_dict(graph) for option in self.options],
            "segments": [
                {
                    "clip": graph.clips[one.clip].name,
                    "mirrored": graph.clips[one.clip].mirrored,
                    "start": one.start,
                    "end": one.end,
                }
                for one in self.segments(graph)
            ],
        }


def play_of(graph: ClusterGraph, clip: int, start: int, end: int) -> Played:
    """How much of a clip these frames are."""
    frames = graph.clips[clip].frames
    end = max(start, min(end, frames))
    return Played(clip, (end - start) / frames, float(graph.action_of(clip)[start:end].sum()))


def plan_sequence(
    graph: ClusterGraph, waypoints: Sequence[Waypoint], parameters: SearchParameters | None = None, count: int = 1
) -> list[Plan]:
    """The cheapest plans through all waypoints, best first.

    A clip in the middle is entered before it is left: the ways between neighbours are combined so that it is, at least cost, and so that
    half of it is played at least wherever that can be.

    Raises:
        NoPathError: no plan; the message says what is missing.
    """
    parameters = parameters or SearchParameters()
    if len(waypoints) < 2:
        raise ParameterError(f"a sequence needs at least two clips, {len(waypoints)} named")
    if count < 1:
        raise ParameterError(f"count must be at least 1, not {count}", where="count")
    keeping = parameters.search == "action" and len(waypoints) > 2
    tried = max(_TRIED, count) if len(waypoints) > 2 else count
    ways = _all_options(graph, waypoints, parameters, tried)
    plans = _combine(graph, waypoints, ways, parameters, count, keeping)
    if not plans:
        ways = _all_options(graph, waypoints, parameters, _ALL)
        plans = _combine(graph, waypoints, ways, parameters, count, keeping)
    if not plans and keeping:
        ways = _all_options(graph, waypoints, parameters, _ALL, bounded=False)
        plans = _combine(graph, waypoints, ways, parameters, count, keeping)
        plans = plans or _combine(graph, waypoints, ways, parameters, count, False)
    if not plans:
        middle = ", ".join(point.label for point in waypoints[1:-1])
        raise NoPathError(
            f"each neighbour can be reached, but not one after the other: {middle} would have to be left before "
            f"{parameters.window:g} s of it have played; choose other frames, or a shorter window",
            where=middle,
        )
    return plans


def _all_options(
    graph: ClusterGraph,
    waypoints: Sequence[Waypoint],
    parameters: SearchParameters,
    count: int,
    *,
    bounded: bool = True,
) -> list[list[Option]]:
    found = []
    for source, target in itertools.pairwise(waypoints):
        options = find_options(graph, source, target, parameters, count, bounded=bounded)
        if not options:
            raise no_path_error(graph, source, target, parameters)
        found.append(options)
    return found


def _combine(
    graph: ClusterGraph,
    waypoints: Sequence[Waypoint],
    ways: list[list[Option]],
    parameters: SearchParameters,
    count: int,
    keeping: bool,
) -> list[Plan]:
    """The `count` cheapest chains of options in which every clip is left after it was entered; `keeping`: after most of it has played."""
    chains: list[list[tuple[float, tuple[int, ...]]]] = [[(option.cost, (n,))] for n, option in enumerate(ways[0])]
    for middle, (before, after) in zip(waypoints[1:], itertools.pairwise(ways), strict=False):
        entered = np.array([option.enter for option in before])
        keeps = keeping and middle.frame is None and middle.leave is None
        longer: list[list[tuple[float, tuple[int, ...]]]] = []
        for n, option in enumerate(after):
            clip, frame = option.leave
            least = parameters.window * graph.clips[clip].fps
            fits = np.flatnonzero((entered[:, 0] == clip) & (entered[:, 1] + least <= frame))
            if keeps:
                shares = (play_of(graph, clip, int(entered[k, 1]), frame + 1) for k in fits)
                fits = fits[[min(one.time, one.action) >= _LEAST for one in shares]]
            found = sorted((cost + option.cost, (*path, n)) for k in fits for cost, path in chains[k])
            longer.append(found[:count])
        chains = longer
    best = sorted(chain for ends in chains for chain in ends)[:count]
    return [Plan(tuple(waypoints), tuple(ways[k][n] for k, n in enumerate(path)), cost) for cost, path in best]
