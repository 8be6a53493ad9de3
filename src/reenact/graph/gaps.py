"""Sequences over gaps: where the graph has no way from one clip to the next, a blend at the frames that are most alike makes one."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from reenact.core.cutting import cut_frames
from reenact.core.made import Made
from reenact.edit.choosing import Keep
from reenact.edit.transition import TransitionParameters, go_on, make_transition
from reenact.graph.building import recut
from reenact.graph.cluster_graph import ClusterGraph
from reenact.graph.frame_costs import Waypoint
from reenact.graph.joining import Sources, join_segments, take_source
from reenact.graph.planning import Plan, Played, Segment, plan_sequence, play_of
from reenact.graph.reach import NoPathError, find_joining_error, no_path_error
from reenact.graph.search import Option, find_options
from reenact.graph.search_parameters import SearchParameters

_COARSER = 1.1  # by which an error is raised that makes a way from each clip to the next, and not yet through all
_RAISED = 8  # times at most


@dataclass(frozen=True, slots=True, eq=False)
class LoneClip:
    """A clip with a gap on either side: it is played from its first frame to its last, or between those asked for."""

    waypoint: Waypoint

    def segments(self, graph: ClusterGraph) -> tuple[Segment, ...]:
        """The one thing that is played."""
        clip, point = self.waypoint.clips[0], self.waypoint
        end = graph.clips[clip].frames if point.leave is None else point.leave + 1
        return (Segment(clip, min(point.frame or 0, end - 1), end),)

    def played(self, graph: ClusterGraph) -> tuple[Played, ...]:
        """How much of it that is."""
        (one,) = self.segments(graph)
        return (play_of(graph, one.clip, one.start, one.end),)


Part = Plan | LoneClip


@dataclass(frozen=True, slots=True, eq=False)
class GappedPlan:
    """Plans for runs of clips among which the graph has ways; from run to run there is a gap.

    Attributes:
        parts: what is played between the gaps.
    """

    parts: tuple[Part, ...]

    @property
    def waypoints(self) -> tuple[Waypoint, ...]:
        """All clips that were asked for."""
        return tuple(point for part in self.parts for point in _waypoints(part))

    @property
    def cost(self) -> float:
        """Of the ways on the graph alone."""
        return sum(part.cost for part in self.parts if isinstance(part, Plan))

    @property
    def options(self) -> tuple[Option, ...]:
        """The ways on the graph."""
        return tuple(option for part in self.parts if isinstance(part, Plan) for option in part.options)

    @property
    def switches(self) -> tuple[Any, ...]:
        """All switches on the graph, in order."""
        return tuple(switch for option in self.options for switch in option.switches)

    def gaps(self) -> list[dict[str, str]]:
        """From where to where there is no way."""
        pairs = itertools.pairwise(self.parts)
        return [{"from": _waypoints(a)[-1].label, "to": _waypoints(b)[0].label} for a, b in pairs]

    def segments(self, graph: ClusterGraph) -> tuple[Segment, ...]:
        """What is played, before the blends over the gaps take their share."""
        return tuple(one for part in self.parts for one in part.segments(graph))

    def played(self, graph: ClusterGraph) -> tuple[Played, ...]:
        """What is played of each clip asked for, likewise."""
        return tuple(one for part in self.parts for one in part.played(graph))

    def lost(self, graph: ClusterGraph) -> tuple[str, ...]:
        """In words, what is lost of clips."""
        lost = (words for part in self.parts if isinstance(part, Plan) for words in part.lost(graph))
        return (*lost, *(f"no way from {gap['from']} to {gap['to']}: a blend makes one" for gap in self.gaps()))

    def as_dict(self, graph: ClusterGraph) -> dict[str, Any]:
        """The JSON form, that of a plan with `gaps`."""
        rows = [part.as_dict(graph) for part in self.parts if isinstance(part, Plan)]
        names = graph.clips
        lost = self.lost(graph)
        return {
            "cost": round(self.cost, 4),
            "played": [
                {"clip": names[one.clip].name, "time": round(one.time, 4), "action": round(one.action, 4)}
                for one in self.played(graph)
            ],
            **({"lost": list(lost)} if lost else {}),
            "ways": [way for row in rows for way in row["ways"]],
            "segments": [
                {"clip": names[one.clip].name, "mirrored": names[one.clip].mirrored, "start": one.start, "end": one.end}
                for one in self.segments(graph)
            ],
            "gaps": self.gaps(),
        }


def played_over_gaps(graph: ClusterGraph, plan: GappedPlan, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is played of each clip asked for, once the blends over the gaps have taken their share.

    Args:
        graph: of the plan.
        plan: with its gaps.
        rows: of the transitions of what was made of it, as `join_parts` gives them.
    """
    over = [row for row in rows if row.get("gap")]
    told = []
    for number, part in enumerate(plan.parts):
        segments, shares = part.segments(graph), [[one.clip, one.time, one.action] for one in part.played(graph)]
        lost = []
        if 0 < number <= len(over):
            first = segments[0]
            lost.append((0, first.clip, first.start, over[number - 1]["entered_at"]))
        if number < len(over):
            last = segments[-1]
            lost.append((-1, last.clip, over[number]["left_at"], last.end))
        for place, clip, start, end in lost:
            less = play_of(graph, clip, start, end)
            shares[place][1] -= less.time
            shares[place][2] -= less.action
        told += [
            {"clip": graph.clips[clip].name, "time": round(max(time, 0.0), 4), "action": round(max(action, 0.0), 4)}
            for clip, time, action in shares
        ]
    return told


def _waypoints(part: Part) -> tuple[Waypoint, ...]:
    return part.waypoints if isinstance(part, Plan) else (part.waypoint,)


def parts_of(plan: Plan | GappedPlan) -> tuple[Part, ...]:
    """What is played between gaps: of a plan without gaps itself."""
    return plan.parts if isinstance(plan, GappedPlan) else (plan,)


def plan_over_gaps(
    graph: ClusterGraph, waypoints: Sequence[Waypoint], parameters: SearchParameters, count: int = 1, *, blend: bool
) -> Sequence[Plan | GappedPlan]:
    """The cheapest plans through all waypoints; where the graph has none, one plan with gaps, or an error with what helps.

    Raises:
        NoPathError: no plan, and `blend` is not wanted; the remedy it gives was tried out on the whole list.
        ParameterError: fewer than two waypoints.
    """
    runs = _runs(graph, waypoints, parameters)
    if len(runs) == 1:
        try:
            return plan_sequence(graph, waypoints, parameters, count)
        except NoPathError:
            if not blend:
                raise
    if not blend:
        raise _error_for_all(graph, waypoints, parameters, runs)
    return [GappedPlan(tuple(part for run in runs for part in _plans(graph, run, parameters)))]


def _runs(graph: ClusterGraph, waypoints: Sequence[Waypoint], parameters: SearchParameters) -> list[list[Waypoint]]:
    """The waypoints, cut where the graph has no way from one to the next."""
    runs = [[waypoints[0]]] if waypoints else [[]]
    known: dict[tuple[int, int], bool] = {}
    for before, after in itertools.pairwise(waypoints):
        pair = id(before), id(after)
        if pair not in known:
            known[pair] = bool(find_options(graph, before, after, parameters, 1))
        if known[pair]:
            runs[-1].append(after)
        else:
            runs.append([after])
    return runs


def _plans(graph: ClusterGraph, run: Sequence[Waypoint], parameters: SearchParameters) -> list[Part]:
    """Plans of a run; a clip that would have to be left before it is entered makes a gap."""
    if len(run) == 1:
        return [LoneClip(run[0])]
    try:
        return [plan_sequence(graph, run, parameters, 1)[0]]
    except NoPathError:
        middle = len(run) // 2
        return [*_plans(graph, run[:middle], parameters), *_plans(graph, run[middle:], parameters)]


def _error_for_all(
    graph: ClusterGraph, waypoints: Sequence[Waypoint], parameters: SearchParameters, runs: Sequence[Sequence[Waypoint]]
) -> NoPathError:
    """The error about the first gap, with one remedy for the whole list where there are several."""
    gaps = [(before[-1], after[0]) for before, after in itertools.pairwise(runs)]
    if len(waypoints) == 2:
        return no_path_error(graph, *gaps[0], parameters)
    told = no_path_error(graph, *gaps[0], parameters, remedies=False)
    others = (
        f" and at {len(gaps) - 1} other{'s' * (len(gaps) > 2)} of {len(waypoints) - 1} places" if len(gaps) > 1 else ""
    )
    error = _error_through_all(graph, waypoints, parameters, gaps)
    if error is None:
        remedy = "no coarser graph has a way through all; --gaps blend blends over the gaps"
    else:
        remedy = f"what helps the whole list, tried out: --error {error:.3g}, or blends over the gaps (--gaps blend)"
    return NoPathError(f"{told.message}{others}; {remedy}", where=told.where)


def _error_through_all(
    graph: ClusterGraph,
    waypoints: Sequence[Waypoint],
    parameters: SearchParameters,
    gaps: Sequence[tuple[Waypoint, Waypoint]],
) -> float | None:
    """Metres, an error at which the whole list was planned; None when there is none."""
    errors = [find_joining_error(graph, *gap, parameters) for gap in gaps]
    if not all(errors):
        return None
    error = max(one for one in errors if one is not None)
    for _ in range(_RAISED):
        if error > graph.tree.limit:
            return None
        coarser = recut(graph, error)
        if len(_runs(coarser, waypoints, parameters)) == 1:
            try:
                plan_sequence(coarser, waypoints, parameters, 1)
            except NoPathError:
                pass
            else:
                return error
        error = float(f"{error * _COARSER:.2g}") if error * _COARSER - error >= 0.01 else round(error + 0.01, 2)
    return None


@dataclass(frozen=True, slots=True, eq=False)
class _Joined:
    """What was joined so far, and a row for every transition in it."""

    made: Made
    rows: list[dict[str, Any]]


def join_parts(graph: ClusterGraph, parts: Sequence[Part], sources: Sources, parameters: TransitionParameters) -> Made:
    """All parts one after the other: their segments as `join_segments` does, and a blend over every gap.

    Returns:
        as of `join_segments`; the row of a blend over a gap says so with `gap`.
    """
    joined: _Joined | None = None
    name = ">".join(graph.clips[one.clip].name for part in parts for one in part.segments(graph))
    before: Segment | None = None
    for part in parts:
        segments = part.segments(graph)
        first, last = segments[0], segments[-1]
        made = _alone(graph, first, sources) if first is last else join_segments(graph, segments, sources, parameters)
        if joined is None or before is None:
            joined = _Joined(made, list(made.report.get("transitions", [])))
        else:
            joined = _blend_over(graph, joined, made, (before, first), parameters)
        before = last
    assert joined is not None
    return Made(replace(joined.made.clip, name=name), {"transitions": joined.rows}, joined.made.plants)


def _alone(graph: ClusterGraph, segment: Segment, sources: Sources) -> Made:
    taken = take_source(graph.clips[segment.clip], sources)
    plants = None if taken.plants is None else taken.plants.cut(segment.start, segment.end)
    return Made(cut_frames(taken.clip, segment.start, segment.end), {}, plants)


def _blend_over(
    graph: ClusterGraph, joined: _Joined, made: Made, around: tuple[Segment, Segment], parameters: TransitionParameters
) -> _Joined:
    """The next part, joined by a blend that lies after the last one so far and before the first of the part."""
    fps, length = joined.made.clip.fps, len(joined.made.clip)
    inner: list[dict[str, Any]] = made.report.get("transitions", [])
    half = round(parameters.seconds * fps) // 2
    ratio = fps / made.clip.fps
    latest = None
    if inner:
        latest = max(round(inner[0]["window_frames"][0] * ratio) - half, half + 1)
    asked = replace(parameters, at=None, into=None, latest=latest)
    if joined.rows:
        last = {**joined.rows[-1], "window_frames": list(joined.rows[-1]["window_frames"])}
        so_far = Made(joined.made.clip, last, joined.made.plants)
        after = max(last["window_frames"][1], last["changed_frames"][1]) + half
        result = go_on(so_far, made.clip, asked, made.plants, Keep(last["window_frames"][1]), after)
    else:
        result = make_transition(joined.made.clip, made.clip, asked, joined.made.plants, made.plants, keep=Keep())
    report = {key: value for key, value in result.report.items() if key != "before"}
    shift = len(result.clip) - round(len(made.clip) * ratio)
    before, after_ = around
    row = {
        "from": graph.clips[before.clip].label,
        "to": graph.clips[after_.clip].label,
        "left_at": before.end - round((length - report["at"]) * graph.clips[before.clip].fps / fps),
        "entered_at": after_.start + round(report["into"] / fps * graph.clips[after_.clip].fps),
        "gap": True,
        **report,
    }
    moved = [_shifted(one, ratio, shift) for one in inner]
    return _Joined(result, [*joined.rows, row, *moved])


def _shifted(row: dict[str, Any], ratio: float, shift: int) -> dict[str, Any]:
    """A row of a transition whose frames lie elsewhere now."""
    moved = {
        name: [round(frame * ratio) + shift for frame in row[name]] for name in ("window_frames", "changed_frames")
    }
    return {**row, **moved, "at": round(row["at"] * ratio) + shift}
