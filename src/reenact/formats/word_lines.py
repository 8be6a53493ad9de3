"""Small text files of words: a size that is checked before reading, lines of words with quotes and comments."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from reenact.errors import FormatError

LARGEST = 1 << 20
"""Bytes; a larger file is none of these."""


def read_small_text(path: str | os.PathLike[str], what: str) -> str:
    """The text of a file that cannot be large; `what` it should be, for the message."""
    path = Path(path)
    if path.stat().st_size > LARGEST:
        raise FormatError(f"larger than {LARGEST >> 20} MB: this is no {what}", path=path)
    return path.read_bytes().decode("utf-8", "replace")


def word_lines(text: str, path: str | os.PathLike[str] = "") -> Iterator[tuple[int, list[str]]]:
    """Number and words of every line that has any; names with spaces stand in quotes, words after `#` do not count."""
    for number, line in enumerate(text.splitlines(), 1):
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise FormatError(f"{str(error).lower()} in {line.strip()[:40]!r}", path=path, line=number) from None
        if words:
            yield number, words
