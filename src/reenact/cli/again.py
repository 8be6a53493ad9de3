"""`reenact again`: a result made once more from the report that told how it was made."""

from __future__ import annotations

import json as json_text
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from reenact.cli.made_by import file_hash
from reenact.cli.output import Json, print_json
from reenact.errors import FormatError, LibraryError, ParameterError


def again(
    report: Annotated[
        Path, typer.Argument(metavar="FILE", help="What `--json` printed when it was made.", show_default=False)
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write it here; default: where it was written.", show_default=False),
    ] = None,
    changed: Annotated[bool, typer.Option("--changed", help="Also when a source is not what it was.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="Only show what would be typed.")] = False,
    json: Json = False,
) -> int:
    """Make a result once more from its own report. Its sources must be what they were."""
    made = read_record(report)
    words = [str(word) for word in made["arguments"]]
    if output is not None:
        words = _written_to(words, output.absolute(), report)
    if listed:
        _show(words, made, json)
        return 0
    os.chdir(_folder_of(made, report))
    differing = _changed_sources(made["sources"])
    if differing and not changed:
        raise FormatError(f"{'; '.join(differing)}; --changed makes it all the same", path=report)
    from reenact import __version__

    if made["reenact"] != __version__:
        print(f"warning: made by reenact {made['reenact']}, this is {__version__}", file=sys.stderr)
    from reenact.cli.main import run_command

    place = words.index("--")
    return run_command([*words[:place], *(["--json"] if json else []), *words[place:]])


def read_record(report: Path) -> dict[str, Any]:
    """The record `made_by` of a report, every value checked.

    Raises:
        FormatError: there is none, or one that cannot be used.
    """
    try:
        held = json_text.loads(report.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise FormatError("expected the JSON object that --json printed", path=report) from None
    made = held.get("made_by") if isinstance(held, dict) else None
    if not isinstance(made, dict):
        raise FormatError("does not say how something was made: there is no `made_by`", path=report)
    words, sources = made.get("arguments"), made.get("sources")
    known = (
        isinstance(words, list)
        and "--" in words
        and all(isinstance(word, str) for word in words)
        and isinstance(sources, list)
        and all(isinstance(one, dict) for one in sources)
        and all(isinstance(made.get(key), str) for key in ("reenact", "folder", "verb"))
    )
    if not known or words is None:
        raise FormatError("its `made_by` is damaged", path=report)
    from reenact.cli.main import verbs

    if words[0] not in verbs() or words[0] in ("again", "studio"):
        raise FormatError(f"was made by {words[0]!r}, which is no verb that makes something", path=report)
    return made


def _show(words: list[str], made: dict[str, Any], json: bool) -> None:
    import shlex

    if json:
        print_json({"arguments": words, "folder": made["folder"], "sources": made["sources"]})
    else:
        print(shlex.join(["reenact", *words]))


def _written_to(words: list[str], output: Path, report: Path) -> list[str]:
    """The arguments with another file to write."""
    places = [place for place, word in enumerate(words) if word.startswith(("--output=", "--out="))]
    if not places or places[0] > words.index("--"):
        raise ParameterError(f"what {report} tells of has no -o", where="-o")
    flag = words[places[0]].partition("=")[0]
    return [f"{flag}={output}" if place == places[0] else word for place, word in enumerate(words)]


def _folder_of(made: dict[str, Any], report: Path) -> Path:
    """The folder from which the names of the sources are meant: this one, where they are there, else the one it was made in."""
    names = [str(one.get("path") or one.get("library") or "") for one in made["sources"]]
    if "-" in names:
        raise FormatError("was made of what came through a pipe, which is gone", path=report)
    for folder in (Path.cwd(), Path(made["folder"])):
        if all((folder / name).exists() for name in names):
            return folder
    missing = next(name for name in names if not (Path(made["folder"]) / name).exists())
    raise FileNotFoundError(2, "the source is not there any more", str(Path(made["folder"]) / missing))


def _changed_sources(sources: list[dict[str, Any]]) -> list[str]:
    """The sources that are not what they were, in words."""
    found = []
    for one in sources:
        if "path" in one and file_hash(Path(one["path"])) != one.get("sha256"):
            found.append(f"{one['path']} is not the file it was")
        if "library" in one:
            from reenact.library.store import Library

            with Library(Path(one["library"]), read_only=True) as library:
                try:
                    same = library.entry(str(one.get("clip"))).hash == one.get("hash")
                except LibraryError:
                    same = False
            if not same:
                found.append(f"{one.get('clip')} in {one['library']} is not the clip it was")
    return found
