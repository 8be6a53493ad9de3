"""Clips of a library one after the other, joined where their poses are alike: the operation `sequence`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reenact.core.made import Made, with_credits
from reenact.core.parameters import option
from reenact.core.progress import stage, tell
from reenact.edit.blending import Method
from reenact.edit.transition import TransitionParameters
from reenact.errors import ParameterError
from reenact.graph.building import recut
from reenact.graph.cluster_graph import ClusterGraph
from reenact.graph.explain import explain_switch
from reenact.graph.joining import Source, join_segments
from reenact.graph.planning import Plan, plan_sequence
from reenact.graph.search_parameters import SearchParameters
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


@dataclass(frozen=True, slots=True, eq=False)
class PlannedSequence:
    """Ways through clips of a library.

    Attributes:
        graph: the graph they lie on.
        plans: the cheapest first.
        parameters: what was asked for; `parameters.pick` is the plan that is made.
    """

    graph: ClusterGraph
    plans: tuple[Plan, ...]
    parameters: SequenceParameters

    @property
    def chosen(self) -> Plan:
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
        return {"plans": rows, "picked": self.parameters.pick}


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
        ParameterError: fewer than two clips, or fewer plans than `parameters.pick`.
    """
    if len(clips) < 2:
        raise ParameterError(f"a sequence needs at least two clips, {len(clips)} named")
    named = named_clips(library, clips)
    graph = newest_graph(library, named, progress, mapped=parameters.map, detector=detector).graph
    if parameters.error is not None:
        graph = recut(graph, parameters.error)
    tell(0.9, "looking for a way")
    points = [clip_waypoint(library, graph, text, first=n == 0) for n, text in enumerate(clips)]
    plans = plan_sequence(graph, points, parameters, max(top, parameters.pick))
    if parameters.pick > len(plans):
        raise ParameterError(f"there are {len(plans)} plans, number {parameters.pick} is not one of them", where="pick")
    return PlannedSequence(graph, tuple(plans), parameters)


def make_planned(library: Library, planned: PlannedSequence) -> Made:
    """The clip of the plan that was picked, its plants and the credits of what it plays."""
    asked = planned.parameters
    blend = TransitionParameters(window=asked.window, method=asked.method, tempo=asked.tempo)
    played: dict[str, Source] = {}

    def find(name: str) -> Source:
        if name not in played:
            played[name] = graph_source(library, planned.graph, name)
        return played[name]

    made = join_segments(planned.graph, planned.chosen.segments(planned.graph), find, blend)
    made = with_credits(made, (library.clip(name) for name in played))
    used = [one.plants.source if one.plants is not None else "detected" for one in played.values()]
    rows = planned.chosen.as_dict(planned.graph)["played"]
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
