"""Clips of a library one after the other, joined where their poses are alike: the operation `sequence`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from reenact.core.made import Made, with_credits
from reenact.core.parameters import option
from reenact.core.progress import stage, tell
from reenact.edit.blending import Method
from reenact.edit.transition import TransitionParameters
from reenact.errors import ParameterError
from reenact.graph.building import recut
from reenact.graph.cluster_graph import ClusterGraph
from reenact.graph.explain import explain_switch
from reenact.graph.gaps import GappedPlan, join_parts, parts_of, plan_over_gaps, played_over_gaps
from reenact.graph.joining import Source
from reenact.graph.planning import Plan
from reenact.graph.search_parameters import SearchParameters
from reenact.operations.filling import cut_to, fill_time, repeats_for
from reenact.operations.library_graph import clip_waypoint, named_clips, newest_graph
from reenact.operations.mapped_source import graph_source

if TYPE_CHECKING:
    from reenact.library.store import Library


@dataclass(frozen=True, slots=True)
class SequenceParameters(SearchParameters):
    """How clips of a library follow one another: what a way from clip to clip costs, and how they are joined."""

    pick: int = option(1, "which of the plans, the cheapest first, is made", low=1, high=1000)
    error: float | None = option(None, "cut the graph at another error", unit="m", above=0)
    method: Method = option("crossfade", "kind of blend, as of `transition`: crossfade, inertial, dead, one_sided")
    tempo: bool = option(False, "bring both motions to one tempo within a blend (needs steps in both)")
    map: bool = option(False, "bring clips with other joints onto the skeleton of the first")
    gaps: Literal["blend", "refuse"] = option(
        "blend",
        "where the graph has no way: blend: blend from one clip into the next at the frames that are most alike; refuse: say what helps",
    )
    seconds: float | None = option(
        None,
        "fill this time: cycles are repeated, then the whole list, and the end is cut; default: as long as it comes",
        unit="s",
        above=0,
        high=3600,
    )


@dataclass(frozen=True, slots=True, eq=False)
class PlannedSequence:
    """Ways through clips of a library.

    Attributes:
        graph: the graph they lie on.
        plans: the cheapest first.
        parameters: what was asked for; `parameters.pick` is the plan that is made.
        unkept: why a graph that was built for it could not be kept in the library.
    """

    graph: ClusterGraph
    plans: tuple[Plan | GappedPlan, ...]
    parameters: SequenceParameters
    unkept: str = ""

    @property
    def chosen(self) -> Plan | GappedPlan:
        """The plan that is made."""
        return self.plans[self.parameters.pick - 1]

    def as_dict(self, *, why: bool = False) -> dict[str, Any]:
        """Plain values for reports; `why` explains every switch."""
        rows = []
        for plan in self.plans:
            row = plan.as_dict(self.graph)
            for way, one in zip(row["ways"], plan.options, strict=True) if why else ():
                way["why"] = [explain_switch(self.graph, switch).as_dict() for switch in one.switches]
            rows.append(row)
        more = {"graph_not_kept": self.unkept} if self.unkept else {}
        return {"plans": rows, "picked": self.parameters.pick, **more}


def plan_in_library(
    library: Library,
    clips: Sequence[str],
    parameters: SequenceParameters,
    *,
    top: int = 1,
    detector: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> PlannedSequence:
    """The cheapest ways through clips of a library.

    Args:
        library: its cluster graph is built when there is none.
        clips: two or more waypoints, see `library_graph.clip_waypoint`.
        parameters: how to search.
        top: how many plans.
        detector: only graphs count whose foot plants it found.
        progress: told how many clips of how many are in the graph.

    Raises:
        NoPathError: the graph has no way, and gaps are not to be blended over.
        ParameterError: fewer than two clips, or fewer plans than `parameters.pick`.
    """
    if len(clips) < 2:
        raise ParameterError(f"a sequence needs at least two clips, {len(clips)} named")
    named = named_clips(library, clips)
    newest = newest_graph(library, named, progress, mapped=parameters.map, detector=detector)
    graph = newest.graph
    if parameters.error is not None:
        graph = recut(graph, parameters.error)
    tell(0.9, "looking for a way")
    points = [clip_waypoint(library, graph, text, first=n == 0) for n, text in enumerate(clips)]
    plans = plan_over_gaps(graph, points, parameters, max(top, parameters.pick), blend=parameters.gaps == "blend")
    if parameters.pick > len(plans):
        raise ParameterError(f"there are {len(plans)} plans, number {parameters.pick} is not one of them", where="pick")
    return PlannedSequence(graph, tuple(plans), parameters, newest.unkept)


def make_planned(library: Library, planned: PlannedSequence) -> Made:
    """The clip of the plan that was picked, its plants and the credits of what it plays."""
    asked, graph = planned.parameters, planned.graph
    blend = TransitionParameters(window=asked.window, method=asked.method, tempo=asked.tempo)
    played: dict[str, Source] = {}

    def find(name: str) -> Source:
        if name not in played:
            played[name] = graph_source(library, graph, name)
        return played[name]

    chosen = planned.chosen
    made = join_parts(graph, parts_of(chosen), find, blend)
    joined, name = made.report["transitions"], made.clip.name
    if asked.seconds is not None:
        made = fill_time(made, asked.seconds)
        times = repeats_for(made, asked.seconds)
        if times > 1:
            points = list(chosen.waypoints) * times
            plan = plan_over_gaps(graph, points, asked, 1, blend=asked.gaps == "blend")[0]
            made = fill_time(join_parts(graph, parts_of(plan), find, blend), asked.seconds)
            made = Made(made.clip, {**made.report, "list_played": times}, made.plants)
        made = cut_to(made, asked.seconds)
        made = Made(made.clip.renamed(name), made.report, made.plants)
    made = with_credits(made, (library.clip(name) for name in played))
    used = [one.plants.source if one.plants is not None else "detected" for one in played.values()]
    if isinstance(chosen, GappedPlan):
        rows = played_over_gaps(graph, chosen, joined)
    else:
        rows = chosen.as_dict(graph)["played"]
    return Made(made.clip, {**made.report, "played": rows, "plants_used": used}, made.plants)


def make_sequence(library: Library, clips: Sequence[str], parameters: SequenceParameters | None = None) -> Made:
    """Clips of a library one after the other.

    Args:
        library: an opened library.
        clips: NAME, NAME@FRAME (leave the first near it, reach it in the others), NAME@IN..OUT, or a search such as `type:walk`.
        parameters: how.
    """
    with stage(0.0, 0.6, "reading clips"):
        planned = plan_in_library(
            library, clips, parameters or SequenceParameters(), progress=lambda done, of: tell(0.9 * done / max(of, 1))
        )
    with stage(0.6, 1.0, "joining"):
        made = make_planned(library, planned)
    return Made(made.clip, {**made.report, **planned.as_dict()}, made.plants)
