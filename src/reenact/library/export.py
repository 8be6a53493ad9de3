"""Clips out of the library, as files again."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reenact.errors import FormatError, ReenactError
from reenact.formats.loaded import WriteOptions
from reenact.formats.registry import formats
from reenact.library.characters import read_character
from reenact.library.entries import Entry
from reenact.library.paths import path_text
from reenact.library.walking import Failure, os_failure
from reenact.loading import save

if TYPE_CHECKING:
    from reenact.library.store import Library

FALLBACK = "bvh"
"""Format of clips that were made, or whose own format cannot be written."""

_UNSAFE = re.compile(r'[\x00-\x1f<>:"/\\|?*]+')
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}


@dataclass(slots=True)
class ExportReport:
    """Files written, each with its clip, and clips that could not be."""

    written: list[tuple[str, str]] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The JSON form of the command line."""
        return {
            "written": [{"clip": clip, "path": path} for clip, path in self.written],
            "failures": [failure.as_dict() for failure in self.failures],
        }


def export_clips(
    library: Library,
    entries: Sequence[Entry],
    folder: Path,
    *,
    format: str = "",
    overwrite: bool = False,
    writing: WriteOptions | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ExportReport:
    """Write one file for each clip into a folder, named after the clip. A clip as it was read comes back as its file was.

    Args:
        library: the library.
        entries: the clips.
        folder: made when it is not there.
        format: name of a format; empty: each clip's own, or BVH where that cannot be written.
        overwrite: replace files that are there; else they are reported and left alone.
        writing: passed to `reenact.save`.
        progress: called with (done, total).
    """
    writable = {entry.name for entry in formats() if entry.writes_motion}
    if format and format not in writable:
        raise FormatError(f"cannot write {format!r}; choose one of {', '.join(sorted(writable))}")
    folder.mkdir(parents=True, exist_ok=True)
    report = ExportReport()
    taken: set[str] = set()
    for done, entry in enumerate(entries, 1):
        try:
            clip = library.clip(entry)
            kind = format or (clip.origin.format if clip.origin.format in writable else FALLBACK)
            path = folder / file_name(entry.name, kind, taken)
            if path.exists() and not overwrite:
                report.failures.append(Failure(path_text(path), "exists", "the file is there already", entry.name))
            else:
                kept = save(clip, path, _dressed(writing, library, entry, overwrite))
                report.written.append((entry.name, path_text(path)))
                report.failures += [Failure(one.where, one.code, one.message, entry.name) for one in kept]
        except ReenactError as error:
            report.failures.append(Failure(entry.name, error.code, error.message, error.where or entry.name))
        except OSError as error:
            report.failures.append(os_failure(error.filename or folder, error))
            break  # the folder cannot be written: neither will the next file be
        if progress is not None:
            progress(done, len(entries))
    return report


def _dressed(writing: WriteOptions | None, library: Library, entry: Entry, overwrite: bool) -> WriteOptions:
    """How a clip is written: with the mesh kept with it, for formats that can hold one."""
    writing = writing or WriteOptions()
    character = writing.character or read_character(library, entry)
    return replace(writing, character=character, overwrite_plants=overwrite or writing.overwrite_plants)


def file_name(name: str, kind: str, taken: set[str]) -> str:
    """A file name for a clip that every system takes and that was not given before (capitals do not tell files apart everywhere)."""
    stem = _UNSAFE.sub("_", name).strip(". ")[:150] or "clip"
    if stem.casefold().partition(".")[0] in _RESERVED:
        stem += "_"
    wanted, number = stem, 1
    while wanted.casefold() in taken:
        number += 1
        wanted = f"{stem}-{number}"
    taken.add(wanted.casefold())
    return f"{wanted}.{kind}"
