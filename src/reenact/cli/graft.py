"""`reenact graft`: limbs of one motion on the body of another, or all such pairs of a library."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reenact.analysis.plant_choice import PlantChoice
from reenact.cli.dressing import Dress
from reenact.cli.operation import run_and_save
from reenact.cli.output import Json
from reenact.errors import ParameterError
from reenact.formats.loaded import WriteOptions
from reenact.graft.graft_parameters import GraftParameters
from reenact.loading import LoadOptions
from reenact.operations.registry import find_operation


def graft(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="BASE SOURCE | --all LIB", help="Two motion files; a library folder.", show_default=False
        ),
    ],
    parameters: GraftParameters,
    choice: PlantChoice,
    reading: LoadOptions,
    writing: WriteOptions,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write; its ending says the format.", show_default=False),
    ] = None,
    character: Dress = None,
    json: Json = False,
) -> None:
    """Put the arms, head or upper body of one motion on the legs of another, in step with them."""
    if len(files) != 2:
        raise ParameterError(f"a graft takes two files, base and source, {len(files)} given")
    if output is None:
        raise ParameterError("say which file to write with -o", where="--output")
    run_and_save(find_operation("graft"), files, output, parameters, choice, reading, writing, character, json)
