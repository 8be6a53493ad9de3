"""Files that lie somewhere for the moment only: what came through a pipe, and errors that name a file without the folder it lies in."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reenact.errors import FormatError, ReenactError

_MOST_BYTES = 4_000_000_000

_piped = ""


def note_piped(kind: str) -> None:
    """Remember the format of what came through the standard input: what is made of it goes on in that format. Empty: nothing came."""
    global _piped
    _piped = kind


def piped_format() -> str:
    """The format of what came through the standard input."""
    return _piped


@contextmanager
def named_without_folder(path: Path) -> Iterator[None]:
    """Errors name the file as the person knows it, not where it lies for the moment."""
    folder = re.compile(rf"(?<![\w./~-]){re.escape(str(path.parent))}(/|(?![\w.-]))")
    try:
        yield
    except ReenactError as error:
        error.where = folder.sub(_without, error.where)
        error.message = folder.sub(_without, error.message) if path.is_absolute() else error.message
        raise
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error})", path=path.name) from error


def _without(folder: re.Match[str]) -> str:
    return "" if folder[1] else "the folder of the file"


@contextmanager
def standard_input() -> Iterator[Path]:
    """What comes through the standard input, as a file for the length of the block."""
    source = None if sys.stdin is None else getattr(sys.stdin, "buffer", None)
    if source is None:
        raise FormatError("nothing can be read from the standard input", path="-")
    if source.isatty():
        raise FormatError("- reads a pipe, and the standard input is a terminal: name a file, or pipe one in", path="-")
    with tempfile.TemporaryDirectory(prefix="reenact-") as folder:
        path = Path(folder) / "stdin"
        with path.open("wb") as stream:
            size = 0
            while piece := source.read(1 << 20):
                size += len(piece)
                if size > _MOST_BYTES:
                    raise FormatError(f"more than {_MOST_BYTES} bytes came through the pipe", path="-")
                stream.write(piece)
        if not size:
            raise FormatError(
                "nothing came through the pipe; the standard input is read once, by the first -", path="-"
            )
        with named_without_folder(path):
            yield path


@contextmanager
def standard_output(ending: str) -> Iterator[Path]:
    """A file to write, whose bytes go to the standard output when the block ends well; what is written beside it is dropped."""
    with tempfile.TemporaryDirectory(prefix="reenact-") as folder:
        path = Path(folder) / f"stdout{ending}"
        with named_without_folder(path):
            yield path
        data = path.read_bytes()
    sys.stdout.flush()
    with os.fdopen(os.dup(1), "wb") as stream:  # whoever holds `sys.stdout`: messages may have been sent elsewhere
        stream.write(data)
