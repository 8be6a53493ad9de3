"""`reenact sequence`: clips of a library one after the other, joined where they are alike."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from reenact.analysis.plant_choice import PlantChoice
from reenact.cli.completion import complete_clips
from reenact.cli.dressing import Dress, dress
from reenact.cli.library_output import simple_bar
from reenact.cli.made_by import library_sources, made_by
from reenact.cli.output import Json, print_findings, print_json
from reenact.cli.targets import check_target
from reenact.formats.loaded import WriteOptions
from reenact.graph.explain import explain_option
from reenact.library.characters import read_character
from reenact.library.gaits import keep_given_plants
from reenact.library.store import Library
from reenact.loading import save
from reenact.operations.sequencing import PlannedSequence, SequenceParameters, make_planned, plan_in_library


def sequence(
    folder: Annotated[Path, typer.Argument(metavar="LIB", help="Library folder.", show_default=False)],
    clips: Annotated[
        list[str],
        typer.Argument(
            metavar="CLIP...",
            help="NAME, NAME@FRAME (leave the first near it, reach it in the others), NAME@IN..OUT, or a search: type:walk.",
            show_default=False,
            autocompletion=complete_clips,
        ),
    ],
    parameters: SequenceParameters,
    choice: PlantChoice,
    writing: WriteOptions,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write; without it the plans are only shown.", show_default=False),
    ] = None,
    top: Annotated[int, typer.Option("--top", help="How many plans to show.", min=1, max=100)] = 1,
    why: Annotated[bool, typer.Option("--why", help="Explain every choice; with -o also as pictures.")] = False,
    character: Dress = None,
    json: Json = False,
) -> None:
    """Play clips of a library one after the other, joined where their poses are alike."""
    if output is not None:
        check_target(output, writing)
    with Library(folder) as library:
        keep_given_plants(library, choice)
        with simple_bar("graph", hidden=json) as progress:
            planned = plan_in_library(library, clips, parameters, top=top, detector=choice.detector, progress=progress)
        data: dict[str, Any] = planned.as_dict(why=why)
        if output is not None:
            made = make_planned(library, planned)
            names = dict.fromkeys(planned.graph.clips[one.clip].name for one in planned.chosen.segments(planned.graph))
            came_along = [found for name in names if (found := read_character(library, name)) is not None]
            findings = save(made.clip, output, dress(writing, made.clip.skeleton, came_along, character))
            data = {
                "out": str(output),
                "frames": len(made.clip),
                "seconds": made.clip.seconds,
                "report": {**made.report, **data},
                "findings": list(findings),
                "made_by": made_by(used=library_sources(library, [library.entry(name) for name in names])),
            }
            if why:
                from reenact.operations.graph_pictures import save_switch_pictures

                data["report"]["pictures"] = [
                    str(path) for path in save_switch_pictures(library, planned.graph, planned.chosen, output)
                ]
        if json:
            print_json(data)
            return
        _print_plans(planned, why)
        if planned.unkept:
            print(
                f"warning: the graph was not kept and is built again the next time: {planned.unkept}", file=sys.stderr
            )
    if output is not None:
        print(f"{output}: {data['frames']} frames, {data['seconds']:.2f} s")
        for row in data["report"]["transitions"]:
            slip = f", slip {row['slip_mm']:.1f} mm" if "slip_mm" in row else ""
            over = ", over a gap" if row.get("gap") else ""
            print(
                f"  {row['from']} > {row['to']}: frames {row['window_frames'][0]} to {row['window_frames'][1]}{slip}{over}"
            )
        for row in data["report"].get("loops", []):
            print(f"  {row['clip']}: {row['times']} more cycles at frame {row['frames'][0]}")
        for path in data["report"].get("pictures", []):
            print(f"  {path}")
        print_findings(data["findings"])


def _print_plans(planned: PlannedSequence, why: bool) -> None:
    graph = planned.graph
    for number, plan in enumerate(planned.plans, 1):
        parts = ", ".join(f"{graph.clips[one.clip].label} {one.start}-{one.end}" for one in plan.segments(graph))
        print(f"{number}. cost {plan.cost:.2f}: {parts}")
        shares = ", ".join(f"{100 * one.time:.0f} % of {graph.clips[one.clip].label}" for one in plan.played(graph))
        print(f"     plays {shares}")
        for words in plan.lost(graph):
            print(f"     {words}")
        for option in plan.options if why else ():
            for line in explain_option(graph, option):
                print(f"     {line}")
