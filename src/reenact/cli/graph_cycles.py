"""`reenact graph cycles`: loops found on the cluster graph, within one clip or through several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from reenact.analysis.plant_choice import PlantChoice
from reenact.cli.completion import complete_clips
from reenact.cli.library_output import simple_bar
from reenact.cli.made_by import library_sources, made_by
from reenact.cli.output import Json, print_findings, print_json
from reenact.cli.targets import check_target
from reenact.edit.loop import LoopParameters
from reenact.edit.transition import TransitionParameters
from reenact.errors import ParameterError
from reenact.formats.loaded import WriteOptions
from reenact.graph.cluster_graph import ClusterGraph
from reenact.graph.loops import (
    ClipLoop,
    RoundTrip,
    describe_loops,
    find_clip_loops,
    find_round_trips,
    find_trips_from,
    make_clip_loop,
    make_trip_loop,
)
from reenact.graph.search_parameters import SearchParameters
from reenact.library.gaits import keep_given_plants
from reenact.library.store import Library
from reenact.loading import save
from reenact.operations.library_graph import clip_waypoint, named_clips, newest_graph
from reenact.operations.mapped_source import graph_source


def cycles(
    folder: Annotated[Path, typer.Argument(metavar="LIB", help="Library folder.", show_default=False)],
    clips: Annotated[
        list[str],
        typer.Argument(
            metavar="CLIP...",
            help="One clip: loops within it. Several: loops through them in this order and back into the first.",
            show_default=False,
            autocompletion=complete_clips,
        ),
    ],
    search: SearchParameters,
    choice: PlantChoice,
    writing: WriteOptions,
    through: Annotated[
        bool, typer.Option("--through", help="Loops of the one clip through any other clip and back.")
    ] = False,
    near: Annotated[
        int | None, typer.Option("--near", help="Only loops within the clip that play this frame.", show_default=False)
    ] = None,
    shortest: Annotated[float, typer.Option("--shortest", help="Shortest loop within a clip [s].", min=0.0)] = 0.3,
    longest: Annotated[
        float | None, typer.Option("--longest", help="Longest loop within a clip [s].", show_default=False)
    ] = None,
    top: Annotated[int, typer.Option("--top", help="How many to show.", min=1, max=1000)] = 10,
    pick: Annotated[int, typer.Option("--pick", help="Which of those shown is made.", min=1)] = 1,
    count: Annotated[int, typer.Option("--count", help="How often the loop is played.", min=1)] = 5,
    method: Annotated[
        str, typer.Option("--method", help="Seam of a loop within a clip: spread over the cycle, or a blend at it.")
    ] = "spread",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write; without it the loops are only shown.", show_default=False),
    ] = None,
    json: Json = False,
) -> None:
    """Find loops on the cluster graph: within a clip, where a node holds it twice, or through several clips and back."""
    asked = LoopParameters(count=count, method=method)  # type: ignore[arg-type]
    if through and len(clips) != 1:
        raise ParameterError(f"--through is for one clip, {len(clips)} were named", where="--through")
    if output is not None:
        check_target(output, writing)
    with Library(folder) as library:
        keep_given_plants(library, choice)
        with simple_bar("graph", hidden=json) as progress:
            newest = newest_graph(library, named_clips(library, clips), progress, detector=choice.detector)
            graph = newest.graph

        played: dict[str, None] = {}

        def sources(name: str) -> Any:
            played[name] = None
            return graph_source(library, graph, name)

        found: list[ClipLoop | RoundTrip]
        if len(clips) == 1 and not through:
            loops = find_clip_loops(graph, library.entry(clips[0]).name, near=near, shortest=shortest, longest=longest)
            found = [*describe_loops(graph, loops, sources)]
        elif through:
            found = [*find_trips_from(graph, library.entry(clips[0]).name, search, max(top, pick))]
        else:
            points = [clip_waypoint(library, graph, text) for text in clips]
            found = [*find_round_trips(graph, points, search, max(top, pick))]
        if pick > len(found):
            what = (
                "no loop was found" if not found else f"there are {len(found)} loops, number {pick} is not one of them"
            )
            raise ParameterError(f"{what}; a coarser graph (graph build --error) has more", where=clips[0])
        data: dict[str, Any] = {
            "count": len(found),
            "loops": [one.as_dict(graph) for one in found[: max(top, pick)]],
            "picked": pick,
            **({"graph_not_kept": newest.unkept} if newest.unkept else {}),
        }
        if output is not None:
            chosen = found[pick - 1]
            if isinstance(chosen, ClipLoop):
                made = make_clip_loop(graph, chosen, sources, asked)
            else:
                made = make_trip_loop(graph, chosen, sources, count, TransitionParameters(window=search.window))
            findings = save(made.clip, output, writing)
            report = {"report": made.report, "frames": len(made.clip), "seconds": made.clip.seconds}
            used = library_sources(library, [library.entry(name) for name in played])
            data = {"out": str(output), **report, **data, "findings": list(findings), "made_by": made_by(used=used)}
    if json:
        print_json(data)
        return
    print(f"{data['count']} loops")
    for number, one in enumerate(found[: max(top, pick)], start=1):
        print(f"  {number:3d}  {_line(graph, one)}")
    if output is not None:
        report = data["report"]
        print(
            f"{output}: {data['frames']} frames, {data['seconds']:.2f} s; a cycle takes {report['period_s']:.3f} s, "
            f"goes {report['advance_m']:.2f} m and turns {report['turn_degrees']:.1f} degrees"
        )
        print_findings(data["findings"])


def _line(graph: ClusterGraph, one: ClipLoop | RoundTrip) -> str:
    """A loop in one line."""
    if isinstance(one, ClipLoop):
        row = one.as_dict(graph)
        mark = "  unsteady" if one.unsteady else ""
        return (
            f"frames {one.start:5d} to {one.end:5d}  {one.seconds:6.3f} s  node {one.node:4d}  ends apart {1000 * one.error:5.1f} mm  "
            f"advance {row['advance_m']:5.2f} m  turn {row['turn_degrees']:6.1f} degrees{mark}"
        )
    switches = one.switches
    ways = ", ".join(
        f"{graph.clips[after.leave_clip].label} {before.enter_frame}-{after.leave_frame}"
        for before, after in zip([switches[-1], *switches[:-1]], switches, strict=True)
    )
    return f"cost {one.cost:6.2f}  {one.seconds:6.2f} s  {ways}"
