"""Commands generated from the registry: read what an operation takes, run it, write or print what it gives."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reenact.cli.completion import complete_clips
from reenact.cli.dressing import Dress, dress
from reenact.cli.made_by import made_by
from reenact.cli.making import Making, NoPlants, findings_of, read_clips, save_made
from reenact.cli.output import Json, print_findings, print_json
from reenact.cli.parts_output import PartEnding, save_parts
from reenact.cli.report_output import print_report
from reenact.cli.sources import BatchOptions
from reenact.cli.targets import check_place, check_target
from reenact.formats.atomic import atomic_write
from reenact.formats.loaded import WriteOptions
from reenact.loading import LoadOptions
from reenact.operations.operation import MOTION, Operation, resolve
from reenact.operations.results import report_of
from reenact.operations.running import call_operation, run_operation

if TYPE_CHECKING:
    from reenact.body.character import Character

File = Annotated[
    Path, typer.Argument(help="Motion file; `pack.glb#Walk` is one clip of it, `-` a pipe.", show_default=False)
]
Files = Annotated[
    list[Path],
    typer.Argument(help="Motion files; `pack.glb#Walk` is one clip of a file, `-` a pipe.", show_default=False),
]
Folder = Annotated[Path, typer.Argument(metavar="LIB", help="Library folder.", show_default=False)]
Names = Annotated[
    list[str],
    typer.Argument(metavar="CLIP...", help="Clips of the library.", show_default=False, autocompletion=complete_clips),
]
Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        help="File to write; its ending says the format. Of many files a folder, or a pattern: 'out/{name}.glb'. - is a pipe.",
        show_default=False,
    ),
]
Parts = Annotated[Path, typer.Option("--output", "-o", help="Folder for the parts.", show_default=False)]
Page = Annotated[Path | None, typer.Option("--html", help="Write a page about the result to this file.")]


def operation_command(operation: Operation) -> Callable[..., Any]:
    """The command of an operation; its options are the operation's parameters, those of loading and those of what it gives."""

    def command(**given: Any) -> int:
        return _run(operation, given)

    kinds: dict[str, Any] = {}
    if operation.of_library:
        kinds |= {"library": Folder, "clips": Names}
    elif operation.gives == "clip":
        kinds |= {"files": Files}
    else:
        kinds |= {"file": File} if operation.takes == "clip" else {"files": Files}
    if operation.gives in (*MOTION, "picture", "video"):
        kinds["output"] = Parts if operation.gives == "clips" else Output
    kinds |= {"parameters": operation.parameter_class(), "feet": _plant_options(operation)}
    if not operation.of_library:
        kinds["reading"] = LoadOptions
        if operation.gives == "clip":
            kinds["batch"] = BatchOptions
    if operation.gives in MOTION:
        kinds |= {"writing": WriteOptions, "character": Dress}
    if operation.gives == "clips":
        kinds["ending"] = PartEnding
    if operation.page:
        kinds["html"] = Page
    kinds["json"] = Json
    defaults = {"character": None, "ending": "", "html": None, "json": False}
    command.__doc__ = operation.help
    command.__annotations__ = kinds
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=defaults.get(name, inspect.Parameter.empty),
                annotation=kind,
            )
            for name, kind in kinds.items()
        ]
    )
    return command


def _plant_options(operation: Operation) -> type:
    """The dataclass whose fields become the options of foot plants."""
    if not operation.plants:
        return NoPlants
    from reenact.analysis.plant_choice import PlantChoice

    return PlantChoice


def _run(operation: Operation, given: dict[str, Any]) -> int:
    """Run a generated command."""
    if operation.gives == "clip" and not operation.of_library:
        making = Making(
            operation, given["parameters"], given["feet"], given["reading"], given["writing"], given["character"]
        )
        return making.run(given["files"], given["output"], given["batch"], json=given["json"])
    _check_output(operation, given)
    with ExitStack() as stack:
        taken: list[Any]
        if operation.of_library:
            from reenact.library.store import Library

            library = stack.enter_context(Library(given["library"]))
            taken, findings, characters, plants = [library, *given["clips"]], [], [], None
        else:
            files = [given["file"]] if operation.takes == "clip" else given["files"]
            taken, characters = read_clips(operation, files, given["reading"])
            findings = findings_of(taken)
            plants = given["feet"].of(taken[:1] if operation.plants == "first" else taken)
        if operation.gives == "clip":
            result: Any = run_operation(operation, taken, given["parameters"], plants)
        else:
            result = call_operation(operation, taken, given["parameters"], plants)
        told = _write_result(operation, result, given, characters)
    if given["json"]:
        print_json({**told, "findings": [*told.get("findings", []), *findings], "made_by": made_by()})
        return 0
    print_findings(finding for finding in findings if finding.severity != "info")
    print_report(told)
    return 0


def _check_output(operation: Operation, given: dict[str, Any]) -> None:
    """Say before the work begins that a result could not be written."""
    if operation.gives == "clip":
        check_target(given["output"], given["writing"])
    elif operation.gives == "picture":
        check_place(given["output"])
    if given.get("html") is not None:
        check_place(given["html"])


def _write_result(
    operation: Operation, result: Any, given: dict[str, Any], characters: Sequence[Character]
) -> dict[str, Any]:
    """Write what goes into files, and tell what there is to tell."""
    told: dict[str, Any] = {}
    if operation.gives == "clip":
        kept = save_made(result, given["output"], given["writing"], characters, given["character"])
        told = {"out": str(given["output"]), "frames": len(result.clip), "seconds": result.clip.seconds}
        told |= {"findings": list(kept)} if kept else {}
    elif operation.gives == "clips":
        writing = dress(given["writing"], result[0].skeleton, characters, given["character"]) if result else None
        targets, kept = save_parts(result, given["output"], given["ending"] or ".bvh", writing)
        told = {"out": [str(target) for target in targets], "findings": kept}
    elif operation.gives in ("picture", "video"):
        result.save(given["output"])
        told = {"out": str(given["output"])}
    if operation.page and given["html"] is not None:
        with atomic_write(given["html"]) as stream:
            stream.write(resolve(operation.page)(result).encode("utf-8"))
        told["html"] = str(given["html"])
    report = report_of(result)
    return {**told, "report": report} if operation.gives in (*MOTION, "picture", "video") else {**report, **told}
