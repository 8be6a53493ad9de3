"""Clips as files to save, in any format that can be written."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

from reenact.errors import ParameterError
from reenact.formats.loaded import WriteOptions
from reenact.formats.registry import formats
from reenact.library.characters import read_character
from reenact.library.export import file_name
from reenact.library.store import Library
from reenact.loading import save
from reenact.studio.shelf import find_entry


def export_clip(library: Library, number: int, format: str, folder: Path) -> Path:
    """Write a clip into an empty folder, under a name that every system takes; formats that can hold a mesh get it.

    A format of several files (a motion and its skeleton) becomes one ZIP archive: a browser saves one file at a time.

    Raises:
        ParameterError: a format that cannot be written; the message lists those that can.
    """
    entry = find_entry(library, number)
    writable = [known.name for known in formats() if known.writes_motion]
    if format not in writable:
        raise ParameterError(f"cannot write {format[:40]!r}; choose one of {', '.join(writable)}", where="format")
    path = folder / file_name(entry.name, format, set())
    options = replace(WriteOptions(), character=read_character(library, entry))
    save(library.clip(entry), path, options)
    written = sorted(folder.iterdir())
    return path if len(written) == 1 else _pack(written, path.with_suffix(".zip"))


def _pack(files: list[Path], archive: Path) -> Path:
    with zipfile.ZipFile(archive, "x", zipfile.ZIP_DEFLATED) as packed:
        for file in files:
            packed.write(file, file.name)
    return archive
