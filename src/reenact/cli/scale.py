"""`reenact scale`: a body of another size, with its mesh and its motions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from reenact.body.character import Character
from reenact.body.dressing import first_fitting
from reenact.body.scaling import ScaleParameters, scale_character, scale_clip, scale_skeleton, skeleton_height
from reenact.cli.made_by import made_by
from reenact.cli.output import Json, print_findings, print_json
from reenact.cli.targets import check_target
from reenact.core.clip import Clip
from reenact.errors import FormatError, ReenactError
from reenact.formats.address import is_pipe
from reenact.formats.loaded import WriteOptions
from reenact.formats.registry import format_by_ending
from reenact.loading import LoadOptions, choose_clip, load_all, pipe_format, save_all


def scale(
    file: Annotated[
        Path,
        typer.Argument(
            help="Motion or character; `pack.glb#Walk` is one clip of it, with its mesh, `-` a pipe.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="File to write; its ending says the format. - is a pipe.", show_default=False
        ),
    ],
    parameters: ScaleParameters,
    reading: LoadOptions,
    writing: WriteOptions,
    json: Json = False,
) -> None:
    """Change the size of a body, as a whole or segment by segment; the way of its motions is scaled as its legs are."""
    check_target(output, writing)
    loaded = load_all(file, reading)
    clips = list(loaded.clips)
    entry = pipe_format(clips, writing) if is_pipe(output) else format_by_ending(output)
    if clips and (reading.clip is not None or not entry.many):
        clips = [choose_clip(loaded, reading.clip, file)]
    body = next((one for one in loaded.characters if len(one.vertices)), next(iter(loaded.characters), None))
    if clips and body is not None:
        body = first_fitting(loaded.characters, clips[0].skeleton)
    if not clips and body is None:
        raise FormatError("the file holds no motion and no character", path=file)
    larger, made, report = _scaled(body, clips, parameters)
    findings = [*loaded.findings, *save_all(made, output, replace(writing, character=larger))]
    if json:
        clips_told = {"clips": len(made), "frames": sum(len(clip) for clip in made)}
        print_json({"out": str(output), **clips_told, "report": report, "findings": findings, "made_by": made_by()})
        return
    print_findings(finding for finding in findings if finding.severity != "info")
    tall = f", {report['height_m']:.2f} m" if "height_m" in report else ""
    what = f"{len(made)} clip{'s' if len(made) > 1 else ''}" if made else "the character"
    print(f"{output}: {what}, {report['factor']:.3g} times as large{tall}")


def _scaled(
    body: Character | None, clips: list[Clip], parameters: ScaleParameters
) -> tuple[Character | None, list[Clip], dict[str, Any]]:
    """The character and the clips, scaled alike: a wanted height is that of the mesh, where there is one."""
    larger = None if body is None else scale_character(body, parameters)
    asked = parameters
    if body is not None and larger is not None:
        before = scale_character(body, replace(parameters, height=None))
        whole = _extent(larger) / _extent(before)
        asked = replace(parameters, height=None, factor=parameters.factor * whole)
    made = [scale_clip(clip, asked) for clip in clips]
    report: dict[str, Any] = dict(made[0].report) if made else {"factor": asked.factor}
    if larger is not None and len(larger.vertices):
        report["height_m"] = round(float(larger.vertices[:, 1].max() - larger.vertices[:, 1].min()), 4)
    return larger, [one.clip for one in made], report


def _extent(character: Character) -> float:
    """A length that tells how large a character is."""
    if len(character.vertices):
        return float(character.vertices[:, 1].max() - character.vertices[:, 1].min())
    try:
        return skeleton_height(scale_skeleton(character.skeleton))
    except ReenactError:
        return float(abs(character.skeleton.offsets).sum())
