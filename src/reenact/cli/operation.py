"""Commands generated from the registry: read clips, run the operation, write the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reenact.cli.dressing import Dress, dress
from reenact.cli.output import Json, print_findings, print_json
from reenact.core.clip import Clip
from reenact.formats.loaded import WriteOptions
from reenact.loading import LoadOptions, choose_clip, load_all, load_body, plants_written, save
from reenact.operations.registry import Operation, run_operation

if TYPE_CHECKING:
    from reenact.analysis.plant_choice import PlantChoice

Output = Annotated[
    Path, typer.Option("--output", "-o", help="File to write; its ending says the format.", show_default=False)
]


@dataclass(frozen=True, slots=True)
class NoPlants:
    """Of an operation that has nothing to do with feet: no options, no plants."""

    def of(self, clips: Sequence[Clip]) -> None:
        """None."""


def operation_command(operation: Operation) -> Callable[..., Any]:
    """The command of an operation; its options are the operation's parameters, those of loading and those of saving."""
    kind = operation.parameter_class()

    def command_for_one(
        file: Annotated[Path, typer.Argument(help="Motion file.", show_default=False)],
        output: Output,
        parameters: Any,
        feet: Any,
        reading: LoadOptions,
        writing: WriteOptions,
        character: Dress = None,
        json: Json = False,
    ) -> None:
        run_and_save(operation, [file], output, parameters, feet, reading, writing, character, json)

    def command_for_many(
        files: Annotated[list[Path], typer.Argument(help="Motion files.", show_default=False)],
        output: Output,
        parameters: Any,
        feet: Any,
        reading: LoadOptions,
        writing: WriteOptions,
        character: Dress = None,
        json: Json = False,
    ) -> None:
        run_and_save(operation, files, output, parameters, feet, reading, writing, character, json)

    command = command_for_one if operation.takes == "clip" else command_for_many
    command.__doc__ = operation.help
    command.__annotations__["parameters"] = kind
    command.__annotations__["feet"] = _plant_options(operation)
    return command


def _plant_options(operation: Operation) -> type:
    """The dataclass whose fields become the options of foot plants."""
    if not operation.plants:
        return NoPlants
    from reenact.analysis.plant_choice import PlantChoice

    return PlantChoice


def run_and_save(
    operation: Operation,
    files: list[Path],
    output: Path,
    parameters: Any,
    feet: PlantChoice | NoPlants,
    reading: LoadOptions,
    writing: WriteOptions,
    character: Path | None,
    json: bool,
) -> None:
    """Read clips, run the operation, write the result and say what came of it."""
    loaded = [load_all(file, reading) for file in files]
    kinds = [one.kind for one in operation.inputs] if len(operation.inputs) == len(files) else []
    clips = [
        load_body(file, reading) if kinds[place : place + 1] == ["character"] else choose_clip(one, reading.clip, file)
        for place, (one, file) in enumerate(zip(loaded, files, strict=True))
    ]
    findings = [finding for clip in clips for finding in clip.origin.findings]
    plants = feet.of(clips[:1] if operation.plants == "first" else clips)
    made = run_operation(operation, clips, parameters, plants)
    characters = [character for one in loaded for character in one.characters]
    save(made.clip, output, dress(writing, made.clip.skeleton, characters, character))
    beside = plants_written(made.clip, output, writing)
    if json:
        print_json(
            {
                "out": str(output),
                "plants": None if beside is None else str(beside),
                "frames": len(made.clip),
                "seconds": made.clip.seconds,
                "report": made.report,
                "findings": findings,
            }
        )
        return
    print_findings(finding for finding in findings if finding.severity != "info")
    print(f"{output}: {len(made.clip)} frames at {made.clip.fps:g} Hz, {made.clip.seconds:.2f} s")
    if beside is not None and beside != output:
        print(f"{beside}: its foot plants")
    for key, value in made.report.items():
        if isinstance(value, list) and value and all(isinstance(one, str) and " " in one for one in value):
            print(f"  {key}:")  # sentences, each on a line of its own
            for one in value:
                print(f"    {one}")
        else:
            print(f"  {key}: {shown(value)}")


def shown(value: Any) -> str:
    """A value of a report in one short line; what is long is counted, and `--json` has all of it."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {_inner(one)}" for key, one in value.items()) or "none"
    if isinstance(value, list | tuple):
        return _inner(value) if value else "none"
    return str(value)


def _inner(value: Any) -> str:
    if isinstance(value, dict):
        return f"({shown(value)})" if not any(isinstance(one, dict) for one in value.values()) else "..."
    if isinstance(value, list | tuple):
        plain = all(not isinstance(one, dict | list | tuple) for one in value)
        pairs = all(isinstance(one, list | tuple) and len(one) == 2 for one in value)
        if plain and len(value) <= 8:
            return " ".join(str(one) for one in value) or "none"
        if pairs and len(value) <= 4:
            return ", ".join(f"{one[0]} to {one[1]}" for one in value)
        return f"{len(value)} of them"
    return str(value)
