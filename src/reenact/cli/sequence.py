"""`reenact sequence`: clips of a library one after the other, joined where they are alike."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from reenact.analysis.plant_choice import PlantChoice
from reenact.cli.library_output import simple_bar
from reenact.cli.output import Json, print_json
from reenact.edit.transition import TransitionParameters
from reenact.errors import ParameterError
from reenact.formats.loaded import WriteOptions
from reenact.graph.building import recut
from reenact.graph.cluster_graph import ClusterGraph
from reenact.graph.explain import explain_option, explain_switch
from reenact.graph.joining import join_segments
from reenact.graph.planning import Plan, plan_sequence
from reenact.graph.search_parameters import SearchParameters
from reenact.library.gaits import keep_given_plants
from reenact.library.store import Library
from reenact.loading import save
from reenact.operations.library_graph import clip_waypoint, named_clips, newest_graph
from reenact.operations.mapped_source import graph_source


def sequence(
    folder: Annotated[Path, typer.Argument(metavar="LIB", help="Library folder.", show_default=False)],
    clips: Annotated[
        list[str],
        typer.Argument(
            metavar="CLIP...",
            help="NAME, NAME@FRAME (leave the first near it, reach it in the others), NAME@IN..OUT, or a search: type:walk.",
            show_default=False,
        ),
    ],
    search: SearchParameters,
    choice: PlantChoice,
    writing: WriteOptions,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write; without it the plans are only shown.", show_default=False),
    ] = None,
    pick: Annotated[int, typer.Option("--pick", help="Which of the plans shown is made.", min=1)] = 1,
    top: Annotated[int, typer.Option("--top", help="How many plans to show.", min=1, max=100)] = 1,
    why: Annotated[bool, typer.Option("--why", help="Explain every choice; with -o also as pictures.")] = False,
    error: Annotated[
        float | None, typer.Option("--error", help="Cut the graph at another error [m].", show_default=False)
    ] = None,
    method: Annotated[str, typer.Option(help="Kind of blend: crossfade, inertial, dead, one_sided.")] = "crossfade",
    tempo: Annotated[
        bool, typer.Option("--tempo", help="Bring both motions to one tempo within a blend (needs steps in both).")
    ] = False,
    mapped: Annotated[
        bool, typer.Option("--map", help="Bring clips with other joints onto the skeleton of the first.")
    ] = False,
    json: Json = False,
) -> None:
    """Play clips of a library one after the other, joined where their poses are alike."""
    blend = TransitionParameters(window=search.window, method=method, tempo=tempo)  # type: ignore[arg-type]
    if len(clips) < 2:
        raise ParameterError(f"a sequence needs at least two clips, {len(clips)} named")
    with Library(folder) as library:
        keep_given_plants(library, choice)
        with simple_bar("graph", hidden=json) as progress:
            named = named_clips(library, clips)
            graph = newest_graph(library, named, progress, mapped=mapped, detector=choice.detector).graph
        if error is not None:
            graph = recut(graph, error)
        points = [clip_waypoint(library, graph, text, first=n == 0) for n, text in enumerate(clips)]
        plans = plan_sequence(graph, points, search, max(top, pick))
        if pick > len(plans):
            raise ParameterError(f"there are {len(plans)} plans, number {pick} is not one of them", where="--pick")
        chosen = plans[pick - 1]
        data: dict[str, Any] = {
            "plans": [_plan_json(graph, plan, why) for plan in plans[: max(top, pick)]],
            "picked": pick,
        }
        if output is not None:
            made = join_segments(graph, chosen.segments(graph), lambda name: graph_source(library, graph, name), blend)
            save(made.clip, output, writing)
            data = {
                "out": str(output),
                "frames": len(made.clip),
                "seconds": made.clip.seconds,
                "report": {**made.report, **data},
            }
            if why:
                from reenact.operations.graph_pictures import save_switch_pictures

                data["report"]["pictures"] = [
                    str(path) for path in save_switch_pictures(library, graph, chosen, output)
                ]
        if json:
            print_json(data)
            return
        _print_plans(graph, plans[: max(top, pick)], why)
    if output is not None:
        print(f"{output}: {data['frames']} frames, {data['seconds']:.2f} s")
        for row in data["report"]["transitions"]:
            slip = f", slip {row['slip_mm']:.1f} mm" if "slip_mm" in row else ""
            print(f"  {row['from']} > {row['to']}: frames {row['window_frames'][0]} to {row['window_frames'][1]}{slip}")
        for path in data["report"].get("pictures", []):
            print(f"  {path}")


def _plan_json(graph: ClusterGraph, plan: Plan, why: bool) -> dict[str, Any]:
    data = plan.as_dict(graph)
    if why:
        for way, option in zip(data["ways"], plan.options, strict=True):
            way["why"] = [explain_switch(graph, switch).as_dict() for switch in option.switches]
    return data


def _print_plans(graph: ClusterGraph, plans: list[Plan], why: bool) -> None:
    for number, plan in enumerate(plans, 1):
        parts = ", ".join(f"{graph.clips[one.clip].label} {one.start}-{one.end}" for one in plan.segments(graph))
        print(f"{number}. cost {plan.cost:.2f}: {parts}")
        shares = ", ".join(f"{100 * one.time:.0f} % of {graph.clips[one.clip].label}" for one in plan.played(graph))
        print(f"     plays {shares}")
        for words in plan.lost(graph):
            print(f"     {words}")
        for option in plan.options if why else ():
            for line in explain_option(graph, option):
                print(f"     {line}")
