"""File names and other people's texts as text that SQLite and JSON can hold."""

from __future__ import annotations

import os
from pathlib import Path


def path_text(path: str | os.PathLike[str]) -> str:
    r"""A path or name as valid Unicode: bytes that are no UTF-8 stand as `\xff`, so every file has one fixed spelling."""
    text = os.fspath(path)
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a lone surrogate that no file name can hold, from a file's own text
        data = text.encode("utf-8", "surrogatepass")
    return data.decode("utf-8", "backslashreplace")


def real_path(path: str | os.PathLike[str]) -> Path:
    """One spelling for a file or folder: its folder without links and dots; a link that is named itself stays."""
    path = Path(path)
    if path.name in ("", ".."):
        return path.resolve()
    return path.parent.resolve() / path.name
