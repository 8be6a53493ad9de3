"""Which clip of which file: `pack.glb#Walk` is the clip Walk of pack.glb, wherever a motion file is taken."""

from __future__ import annotations

import os
from pathlib import Path

PIPE = Path("-")
"""Stands for the standard input where a file is read, and for the standard output where one is written."""


def split_address(given: str | os.PathLike[str]) -> tuple[Path, str | None]:
    """The file and the clip that is meant, None where none is named.

    A file whose own name holds a `#` is that file. Names of clips may hold one, too.
    """
    path, text = Path(given), os.fspath(given)
    if "#" not in text or path.exists():
        return path, None
    places = [place for place, letter in enumerate(text) if letter == "#" and place]
    for place in places:
        file, clip = Path(text[:place]), text[place + 1 :]
        if file.is_file() or file == PIPE:
            return file, clip
    return path, None


def file_of(given: str | os.PathLike[str]) -> Path:
    """The file of an address."""
    return split_address(given)[0]


def is_pipe(path: str | os.PathLike[str]) -> bool:
    """Whether this is no file but the standard input or output."""
    return os.fspath(path) == "-"
