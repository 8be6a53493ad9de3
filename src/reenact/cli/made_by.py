"""What a result was made by: the verb, its parameters in full, the version, and the sources with the hashes of their contents.

It stands as `made_by` in the JSON of everything that is made; `reenact again` makes the result from it once more.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reenact.formats.address import file_of, is_pipe
from reenact.loading import plants_file

if TYPE_CHECKING:
    from reenact.library.entries import Entry
    from reenact.library.store import Library

WRITTEN = ("output", "out", "target", "html", "sheet", "folder_out")
"""Arguments that name what is written."""

_context: Any = None  # of the command that is being run


def note_context(context: Any) -> None:
    """Remember the command that is being run, with what was asked of it; `options.expand` does so."""
    global _context
    _context = context


def made_by(*, used: Iterable[dict[str, str]] = ()) -> dict[str, Any]:
    """The record of the command that is being run.

    Args:
        used: further sources, such as those of `library_sources`.
    """
    from reenact import __version__

    if _context is None:
        return {}
    asked: dict[str, Any] = dict(_context.params)
    sources = [*_file_sources(_files_in(asked)), *used]
    return {
        "reenact": __version__,
        "verb": " ".join(_verb()),
        "parameters": {name: value for name, value in asked.items() if name != "json"},
        "arguments": _arguments(asked),
        "folder": str(Path.cwd()),
        "sources": list({tuple(row.items()): row for row in sources}.values()),
    }


def library_sources(library: Library, entries: Iterable[Entry]) -> list[dict[str, str]]:
    """Clips of a library as sources."""
    return [{"library": str(library.folder), "clip": entry.name, "hash": entry.hash} for entry in entries]


def file_hash(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _verb() -> list[str]:
    words, context = [], _context
    while context is not None and context.parent is not None:
        words.insert(0, str(context.info_name))
        context = context.parent
    return words


def _arguments(asked: dict[str, Any]) -> list[str]:
    """What to type for the same: every option with its value, the defaults included."""
    words, places = _verb(), []
    for one in _context.command.params:
        value = asked.get(one.name)
        if one.name in ("help", "json") or value is None:
            continue
        rows = list(value) if isinstance(value, list | tuple) else [value]
        if one.param_type_name == "argument":
            places += [str(row) for row in rows]
            continue
        flag = max(one.opts, key=len)
        for row in rows:
            if not isinstance(row, bool):
                words.append(f"{flag}={row}")
            elif row:
                words.append(flag)
            elif one.secondary_opts:
                words.append(max(one.secondary_opts, key=len))
    return [*words, "--", *places]


def _files_in(asked: dict[str, Any]) -> Iterator[Path]:
    """The files that were given to be read."""
    for name, value in asked.items():
        if name in WRITTEN:
            continue
        for one in value if isinstance(value, list | tuple) else [value]:
            if isinstance(one, str | os.PathLike) and str(one):
                beside = str(one).partition("=")[2]  # CLIP=FILE
                for path in (file_of(one), *([Path(beside)] if beside else [])):
                    if path.is_file() or is_pipe(path):
                        yield path


def _file_sources(files: Iterable[Path]) -> Iterator[dict[str, str]]:
    for path in files:
        if is_pipe(path):
            yield {"path": "-"}
            continue
        for file in (path, plants_file(path), _skeleton_beside(path)):
            if file is not None and file.is_file():
                yield {"path": str(file), "sha256": file_hash(file)}


def _skeleton_beside(path: Path) -> Path | None:
    if path.suffix.lower() != ".amc":
        return None
    from reenact.errors import FormatError
    from reenact.formats.amc import find_skeleton

    with suppress(FormatError, OSError):
        return find_skeleton(path)
    return None
