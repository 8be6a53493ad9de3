"""`reenact convert`: a motion file in another format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from reenact.body.character import Character
from reenact.cli.dressing import Dress, dress
from reenact.cli.made_by import made_by
from reenact.cli.output import Json, print_findings, print_json
from reenact.cli.targets import check_target
from reenact.errors import FormatError
from reenact.formats.address import is_pipe
from reenact.formats.loaded import WriteOptions
from reenact.formats.registry import format_by_ending
from reenact.loading import LoadOptions, choose_clip, load_all, pipe_format, save_all


def convert(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="IN", help="Motion file to read; `pack.glb#Walk` is one clip of it, `-` a pipe.", show_default=False
        ),
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", help="File to write; its ending says the format. - is a pipe.", show_default=False
        ),
    ],
    reading: LoadOptions,
    writing: WriteOptions,
    character: Dress = None,
    json: Json = False,
) -> None:
    """Write a motion file in another format. A format that holds several clips takes all of them, and a character's mesh too."""
    check_target(target, writing)
    loaded = load_all(file, reading)
    clips = list(loaded.clips)
    entry = pipe_format(clips, writing) if is_pipe(target) else format_by_ending(target)
    if entry.still and reading.clip is None and (len(clips) != 1 or (len(clips[0]) != 1 and loaded.characters)):
        clips = []  # a mesh has one pose: that in which it was bound
    elif reading.clip is not None or not entry.many:
        clips = [choose_clip(loaded, reading.clip, file)]
    if clips:
        writing = dress(writing, clips[0].skeleton, loaded.characters, character)
    else:
        writing = replace(writing, character=_only_character(loaded.characters, file, character))
    findings = [*loaded.findings, *save_all(clips, target, writing)]
    frames = sum(len(clip) for clip in clips)
    if json:
        print_json(
            {
                "in": str(file),
                "out": str(target),
                "frames": frames,
                "clips": len(clips),
                "findings": findings,
                "made_by": made_by(),
            }
        )
        return
    print_findings(finding for finding in findings if finding.severity != "info")
    if clips:
        print(f"{target}: {len(clips)} clip{'s' if len(clips) > 1 else ''}, {frames} frames")
    else:
        print(f"{target}: {writing.character}")


def _only_character(came_along: Sequence[Character], file: Path, named: Path | None) -> Character | None:
    """The character of a file without motion, or the one of another file; the first with a mesh where there are several."""
    characters = came_along if named is None else load_all(named).characters
    if not characters:
        raise FormatError("the file holds no motion and no character", path=named or file)
    return next((one for one in characters if len(one.vertices)), characters[0])
