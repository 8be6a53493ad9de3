"""`reenact loop`: a cycle of a clip repeated, a list of the cycles it has, or a round trip through several clips."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from reenact.analysis.plant_choice import PlantChoice
from reenact.cli.dressing import Dress
from reenact.cli.making import Making
from reenact.cli.output import Json, print_json
from reenact.cli.sources import BatchOptions
from reenact.edit.cycles import Cycle, find_cycles
from reenact.edit.loop import LoopParameters
from reenact.errors import ParameterError
from reenact.formats.loaded import WriteOptions
from reenact.loading import LoadOptions, load
from reenact.operations.registry import find_operation

_LISTED = 20


def loop(
    files: Annotated[list[Path], typer.Argument(help="Motion files.", show_default=False)],
    parameters: LoopParameters,
    choice: PlantChoice,
    reading: LoadOptions,
    writing: WriteOptions,
    batch: BatchOptions,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write; its ending says the format. A folder or a pattern such as 'out/{name}.glb': each file's own loop.",
            show_default=False,
        ),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="Only show the cycles that `--pick` chooses from.")] = False,
    character: Dress = None,
    json: Json = False,
) -> int:
    """Repeat a cycle without a seam; several clips make a round trip."""
    if listed:
        if len(files) != 1:
            raise ParameterError(f"--list shows the cycles of one clip, {len(files)} files were given", where="--list")
        _list(files[0], parameters, choice, reading, json)
        return 0
    if output is None:
        raise ParameterError("say which file to write with -o, or see what there is with --list", where="--output")
    making = Making(find_operation("loop"), parameters, choice, reading, writing, character)
    return making.run(files, output, batch, json=json)


def _list(file: Path, parameters: LoopParameters, choice: PlantChoice, reading: LoadOptions, json: bool) -> None:
    from reenact.analysis.carried_plants import known_plants
    from reenact.core.rooting import carry_root

    clip = load(file, reading)
    (given,) = choice.of([clip]) or [None]
    plants = known_plants(clip, given, wanted=parameters.feet == "hold")
    cycles = find_cycles(carry_root(clip), parameters.cycles(), plants, near=parameters.near, most=_LISTED)
    rows = [_row(number, cycle, clip.fps) for number, cycle in enumerate(cycles, start=1)]
    if json:
        print_json({"file": str(file), "cycles": rows})
        return
    print(f"{file}: {len(rows)} cycles" if len(rows) != 1 else f"{file}: 1 cycle")
    for row in rows:
        mark = "" if row["steady"] else "  unsteady"
        print(
            f"  {row['pick']:3d}  frames {row['start']:5d} to {row['end']:5d}  {row['seconds']:6.3f} s  "
            f"ends apart {1000 * row['error_m']:5.1f} mm  advance {row['advance_m']:5.2f} m  turn {row['turn_degrees']:6.1f} degrees{mark}"
        )


def _row(number: int, cycle: Cycle, fps: float) -> dict[str, Any]:
    return {
        "pick": number,
        "start": cycle.start,
        "end": cycle.end,
        "seconds": round((cycle.end - cycle.start) / fps, 5),
        "error_m": round(cycle.error, 5),
        "advance_m": round(cycle.advance, 5),
        "turn_degrees": round(float(np.degrees(cycle.turn)), 3),
        "steady": not cycle.unsteady,
    }
