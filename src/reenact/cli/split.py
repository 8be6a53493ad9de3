"""`reenact split`: a long recording in parts, each a file of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reenact.analysis.plant_choice import PlantChoice
from reenact.analysis.proposed_parts import propose_parts
from reenact.cli.dressing import Dress, dress
from reenact.cli.made_by import made_by
from reenact.cli.output import Json, print_findings, print_json
from reenact.cli.parts_output import PartEnding, save_parts
from reenact.cli.targets import own_ending
from reenact.core.splitting import split
from reenact.errors import ParameterError
from reenact.formats.loaded import WriteOptions
from reenact.formats.parts_text import parse_parts, read_parts
from reenact.formats.registry import require_writable
from reenact.loading import LoadOptions, choose_clip, load_all


def split_file(
    file: Annotated[Path, typer.Argument(help="Motion file.", show_default=False)],
    folder: Annotated[Path, typer.Option("--output", "-o", help="Folder for the parts.", show_default=False)],
    choice: PlantChoice,
    reading: LoadOptions,
    writing: WriteOptions,
    parts: Annotated[
        list[str], typer.Option("--part", "-p", help="A part: 'NAME FIRST END' in frames, or seconds as 1.5s.")
    ] = [],  # noqa: B006 - how Typer takes a list
    file_of_parts: Annotated[Path | None, typer.Option("--parts", help="Text file with a part on each line.")] = None,
    by_type: Annotated[
        bool,
        typer.Option(
            "--by-type",
            help="Propose the parts, as is done without any: one for each stretch of walk, run, jump, stand.",
        ),
    ] = False,
    shortest: Annotated[float, typer.Option(help="With --by-type: seconds that a part lasts at least.")] = 0.5,
    ending: PartEnding = "",
    character: Dress = None,
    json: Json = False,
) -> int:
    """Write parts of a long recording as files of their own."""
    by_type = by_type or not (parts or file_of_parts is not None)
    if bool(parts) + (file_of_parts is not None) + by_type != 1:
        raise ParameterError("say the parts in one way: --part, --parts FILE or --by-type", where="parts")
    if choice.made and not by_type:
        raise ParameterError("foot plants count with --by-type only", where="plants")
    if ending:
        require_writable(Path(f"part.{ending.lstrip('.')}"))
    loaded = load_all(file, reading)
    clip = choose_clip(loaded, reading.clip, file)
    if file_of_parts is not None:
        wanted = read_parts(file_of_parts, len(clip), clip.fps)
    elif by_type:
        wanted = propose_parts(clip, shortest, (choice.of([clip]) or [None])[0])
    else:
        wanted = parse_parts("\n".join(parts), len(clip), clip.fps, "--part")
    made = split(clip, wanted)
    targets, kept = save_parts(
        made,
        folder,
        ending or f".{own_ending(loaded.format)}",
        dress(writing, clip.skeleton, loaded.characters, character),
    )
    findings = [*clip.origin.findings, *kept]
    rows = [
        {"name": part.name, "start": part.start, "end": part.end, "out": str(target)}
        for part, target in zip(wanted, targets, strict=True)
    ]
    if json:
        print_json({"in": str(file), "frames": len(clip), "parts": rows, "findings": findings, "made_by": made_by()})
        return 0
    print_findings(finding for finding in findings if finding.severity != "info")
    for row in rows:
        print(f"{row['out']}: frames {row['start']} to {row['end']}, {(row['end'] - row['start']) / clip.fps:.2f} s")
    return 0
