"""`reenact graft`: limbs of one motion on the body of another, or all such pairs of a library."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from reenact.analysis.plant_choice import PlantChoice
from reenact.cli.dressing import Dress
from reenact.cli.library_output import simple_bar
from reenact.cli.making import Making
from reenact.cli.output import Json, print_json
from reenact.cli.sources import BatchOptions
from reenact.errors import ParameterError
from reenact.formats.loaded import WriteOptions
from reenact.graft.graft_parameters import GraftParameters
from reenact.library.gaits import keep_given_plants
from reenact.library.store import Library
from reenact.loading import LoadOptions
from reenact.operations.library_grafts import (
    BatchParameters,
    Candidate,
    GraftBatch,
    accept_candidate,
    graft_library,
    list_candidates,
    reject_candidate,
)
from reenact.operations.registry import find_operation


def graft(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="BASE SOURCE | --all LIB", help="Two motion files, or a library folder.", show_default=False
        ),
    ],
    parameters: GraftParameters,
    batch: BatchParameters,
    choice: PlantChoice,
    reading: LoadOptions,
    writing: WriteOptions,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write; its ending says the format.", show_default=False),
    ] = None,
    whole: Annotated[
        bool, typer.Option("--all", help="Try every pair of a library that the rules allow, and rank them.")
    ] = False,
    listed: Annotated[bool, typer.Option("--list", help="With --all: only show what was tried before.")] = False,
    top: Annotated[int, typer.Option("--top", help="With --all: how many candidates to show and draw.", min=1)] = 20,
    sheet: Annotated[
        Path | None,
        typer.Option(help="With --all: contact sheet of the best, .png or .html.", show_default=False),
    ] = None,
    accept: Annotated[
        list[str] | None,
        typer.Option(help="With --all: add the candidate BASE+SOURCE to the library.", show_default=False),
    ] = None,
    reject: Annotated[
        list[str] | None,
        typer.Option(help="With --all: the candidate BASE+SOURCE is not wanted.", show_default=False),
    ] = None,
    character: Dress = None,
    json: Json = False,
) -> int:
    """Put the arms, head or upper body of one motion on the legs of another, in step with them."""
    if whole:
        if len(files) != 1:
            raise ParameterError(f"--all takes one library, {len(files)} were given", where="--all")
        if output is not None:
            raise ParameterError(
                "--all writes no motion file: accept candidates, or draw them with --sheet", where="-o"
            )
        with Library(files[0]) as library:
            keep_given_plants(library, choice)
            _all_of(library, parameters, batch, listed, top, sheet, accept or [], reject or [], json)
        return 0
    if listed or sheet is not None or accept or reject:
        raise ParameterError("--list, --sheet, --accept and --reject go with --all LIB", where="--all")
    if len(files) != 2:
        raise ParameterError(f"a graft takes two files, base and source, {len(files)} given")
    if output is None:
        raise ParameterError("say which file to write with -o", where="--output")
    making = Making(find_operation("graft"), parameters, choice, reading, writing, character)
    return making.run(files, output, BatchOptions(), json=json)


def _all_of(
    library: Library,
    parameters: GraftParameters,
    batch: BatchParameters,
    listed: bool,
    top: int,
    sheet: Path | None,
    accept: list[str],
    reject: list[str],
    json: bool,
) -> None:
    told: dict[str, Any] = {"library": str(library.folder)}
    if accept or reject:
        told["accepted"] = [library.entry(accept_candidate(library, name).id).name for name in accept]
        told["rejected"] = [reject_candidate(library, name).name for name in reject]
    if listed or accept or reject:
        made = None
        candidates = list_candidates(library, screen=batch.screen)
    else:
        with simple_bar("pairs", hidden=json) as progress:
            made = graft_library(library, batch, parameters, progress)
        candidates = list(made.candidates)
        told |= {"types": made.types, "left_out": made.left_out, "allowed": made.allowed, "counts": made.counts()}
    if sheet is not None:
        from reenact.operations.graft_sheet import save_sheet

        save_sheet(library, candidates[:top], sheet)
        told["sheet"] = str(sheet)
    if json:
        print_json({**told, "candidates": [one.as_dict() for one in candidates]})
        return
    _print(library, made, candidates, told, top)


def _print(
    library: Library, made: GraftBatch | None, candidates: list[Candidate], told: dict[str, Any], top: int
) -> None:
    for word in ("accepted", "rejected"):
        for name in told.get(word, []):
            print(f"{word}: {name}")
    if made is not None:
        kinds = ", ".join(f"{count} {kind}" for kind, count in made.types.items())
        states = ", ".join(f"{count} {status}" for status, count in made.counts().items())
        print(
            f"{library.folder}: {kinds}, {made.left_out} left out; {made.allowed} pairs allowed, "
            f"{len(candidates)} tried: {states}"
        )
    for number, one in enumerate(candidates[:top], 1):
        print(f"{number:4d}. {one.score:.2f}  {one.status:8s}  {one.name}{_figures(one)}")
        if one.why:
            print(f"        {one.why}")
    if "sheet" in told:
        print(f"{told['sheet']}: the best {min(top, len(candidates))}")


def _figures(one: Candidate) -> str:
    if not one.figures:
        return ""
    phase = one.figures["phase_error"]
    swing = "" if phase is None else f"arms {100 * phase:.0f} % off, "
    return (
        f"  ({swing}collisions {100 * one.figures['collision']:.0f} %, weight {one.figures['balance_mm']:.0f} mm out)"
    )
