"""Commands generated from the registry: read clips, run the operation, write the result."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from reenact.cli.output import Json, print_findings, print_json
from reenact.formats.loaded import WriteOptions
from reenact.loading import LoadOptions, load, save
from reenact.operations.registry import Operation, run_operation

Output = Annotated[
    Path, typer.Option("--output", "-o", help="File to write; its ending says the format.", show_default=False)
]


def operation_command(operation: Operation) -> Callable[..., Any]:
    """The command of an operation; its options are the operation's parameters, those of loading and those of saving."""
    kind = operation.parameter_class()

    def command_for_one(
        file: Annotated[Path, typer.Argument(help="Motion file.", show_default=False)],
        output: Output,
        parameters: Any,
        reading: LoadOptions,
        writing: WriteOptions,
        json: Json = False,
    ) -> None:
        _run(operation, [file], output, parameters, reading, writing, json)

    def command_for_many(
        files: Annotated[list[Path], typer.Argument(help="Motion files.", show_default=False)],
        output: Output,
        parameters: Any,
        reading: LoadOptions,
        writing: WriteOptions,
        json: Json = False,
    ) -> None:
        _run(operation, files, output, parameters, reading, writing, json)

    command = command_for_one if operation.takes == "clip" else command_for_many
    command.__doc__ = operation.help
    command.__annotations__["parameters"] = kind
    return command


def _run(
    operation: Operation,
    files: list[Path],
    output: Path,
    parameters: Any,
    reading: LoadOptions,
    writing: WriteOptions,
    json: bool,
) -> None:
    clips = [load(file, reading) for file in files]
    findings = [finding for clip in clips for finding in clip.origin.findings]
    made = run_operation(operation, clips, parameters)
    save(made.clip, output, writing)
    if json:
        print_json(
            {
                "out": str(output),
                "frames": len(made.clip),
                "seconds": made.clip.seconds,
                "report": made.report,
                "findings": findings,
            }
        )
        return
    print_findings(finding for finding in findings if finding.severity != "info")
    print(f"{output}: {len(made.clip)} frames at {made.clip.fps:g} Hz, {made.clip.seconds:.2f} s")
    for key, value in made.report.items():
        print(f"  {key}: {value}")
