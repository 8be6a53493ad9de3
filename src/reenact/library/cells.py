"""Cells of the index, checked as they are taken: a damaged one is a `LibraryError` that names the clip.

SQLite gives whatever lies in a cell: a number where a text belongs, bytes that are no text, JSON cut short. Nothing of that may reach
the rest of the library as it is, still less a file name that leads out of its folder.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from reenact.errors import LibraryError, ReenactError

REMEDY = "`reenact library verify --repair` mends what can be mended"

LARGEST_COUNT = 1 << 40
"""Frames, joints or bytes beyond this are damage, whatever they count."""

_HASH = re.compile(r"[0-9a-f]{40}")
_KEY = re.compile(r"[0-9a-f]{32}")
_FILE = re.compile(r"derived/[0-9a-f]{2}/[0-9a-f]{40}/[a-z][a-z0-9_-]{0,63}-[0-9a-f]{32}\.(?:npy|npz|json)")

_FAULTS = (
    ReenactError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What damaged data makes of code that takes it for sound."""


def damaged(what: str, clip: str, reason: str = "") -> LibraryError:
    """The error for something stored with a clip that is not as it was stored."""
    said = f" ({shown(reason)})" if reason else ""
    return LibraryError(f"{what} is damaged{said}; {REMEDY}", where=clip)


@contextlib.contextmanager
def faults_named(what: str, clip: str) -> Iterator[None]:
    """Whatever goes wrong with stored data in the block is a `LibraryError` that names what it is and whose."""
    try:
        yield
    except LibraryError as error:
        if error.where == clip:
            raise
        raise damaged(what, clip, error.message) from error
    except _FAULTS as error:
        said = error.message if isinstance(error, ReenactError) else str(error)
        raise damaged(what, clip, said or type(error).__name__) from error


def shown(value: object) -> str:
    """A damaged value in one short line that can be printed."""
    text = value if isinstance(value, str) else str(value) if isinstance(value, Exception) else repr(value)
    text = " ".join(text.encode("utf-8", "backslashreplace").decode().split())
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return text if len(text) <= 80 else f"{text[:77]}..."


class Cells:
    """The cells of one row by name.

    Attributes:
        row: the cells.
        clip: whose they are, for messages.
    """

    def __init__(self, row: Mapping[str, Any] | Any, clip: str) -> None:
        self.row = row
        self.clip = clip

    def fail(self, name: str, expected: str) -> LibraryError:
        """The error for a cell that is not what it must be."""
        return LibraryError(
            f"the index holds {shown(self.row[name])} as {name}, expected {expected}; {REMEDY}", where=self.clip
        )

    def text(self, name: str) -> str:
        """A valid text."""
        value = self.row[name]
        if not isinstance(value, str) or not is_text(value):
            raise self.fail(name, "a text")
        return value

    def whole(self, name: str, low: int = 0, high: int = LARGEST_COUNT) -> int:
        """A whole number from `low` to `high`."""
        value = self.row[name]
        if not isinstance(value, int) or not low <= value <= high:
            raise self.fail(name, f"a whole number from {low} to {high}")
        return value

    def positive(self, name: str) -> float:
        """A finite number above 0."""
        value = self.row[name]
        if not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
            raise self.fail(name, "a positive number")
        return float(value)

    def at_least_zero(self, name: str) -> float:
        """A finite number of at least 0."""
        value = self.row[name]
        if not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
            raise self.fail(name, "a number of at least 0")
        return float(value)

    def json(self, name: str, kind: type | tuple[type, ...] = object) -> Any:
        """The value that the JSON of a cell stands for."""
        text = self.text(name)
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise self.fail(name, "JSON") from None
        if not isinstance(value, kind):
            raise self.fail(name, "JSON of another kind")
        return value

    def hash(self, name: str) -> str:
        """A content address: it becomes the name of a folder."""
        value = self.row[name]
        if not is_hash(value):
            raise self.fail(name, "a hash of 40 digits")
        return value

    def key(self, name: str) -> str:
        """The key of a derived result, or the hash of its file."""
        value = self.row[name]
        if not is_key(value):
            raise self.fail(name, "a hash of 32 digits")
        return value

    def derived_file(self, name: str) -> str:
        """The file of a derived result, below the library's folder and nowhere else."""
        value = self.row[name]
        if not is_derived_file(value):
            raise self.fail(name, "a file below derived/")
        return value


def is_text(value: object) -> TypeGuard[str]:
    """True for a text without the halves of letters that stand for bytes which are no text."""
    if not isinstance(value, str):
        return False
    if value.isascii():
        return True
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def is_hash(value: object) -> TypeGuard[str]:
    """True for a content address."""
    return isinstance(value, str) and _HASH.fullmatch(value) is not None


def is_key(value: object) -> TypeGuard[str]:
    """True for the key of a derived result, or the hash of its file."""
    return isinstance(value, str) and _KEY.fullmatch(value) is not None


def is_derived_file(value: object) -> TypeGuard[str]:
    """True for the file of a derived result as the library names it."""
    return isinstance(value, str) and _FILE.fullmatch(value) is not None


def clip_label(number: object, name: object) -> str:
    """What a clip is called in messages: by its name, or by its number where the name is lost."""
    return name if isinstance(name, str) and name.strip() and is_text(name) else f"clip {number}"
