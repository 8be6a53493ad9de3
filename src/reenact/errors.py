"""The few kinds of error this package raises; each is also a built-in, so plain `except ValueError` works."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any


@dataclass(frozen=True)
class Remedy:
    """Something that helps against an error: other values of parameters.

    Attributes:
        text: what to do, in a few words.
        parameters: names and values in the units people give (degrees for angles).
    """

    text: str
    parameters: Mapping[str, Any]


class ReenactError(Exception):
    """Base of every error raised on purpose.

    Attributes:
        code: short stable identifier, printed as `error.code` by `--json`.
        where: what the message is about: a file, `file:line`, a clip, a parameter; empty when there is nothing to name.
        remedies: other parameters that help, where some are known.
    """

    code = "error"

    def __init__(self, message: str, *, where: str = "", remedies: Sequence[Remedy] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.remedies = tuple(remedies)

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message

    def __reduce__(self):
        return _rebuild, (type(self), self.message, self.where, self.__dict__.copy())


def _rebuild(kind: type[ReenactError], message: str, where: str, state: dict) -> ReenactError:
    error = kind.__new__(kind)
    Exception.__init__(error, message)
    error.__dict__.update(state, message=message, where=where)
    return error


class FormatError(ReenactError, ValueError):
    """A file does not hold what its format asks for."""

    code = "format"

    def __init__(self, message: str, *, path: str | PathLike[str] = "", line: int | None = None) -> None:
        where = str(path) if line is None else f"{path}:{line}" if str(path) else f"line {line}"
        super().__init__(message, where=where)
        self.path = str(path)
        self.line = line

    def at(self, path: str | PathLike[str]) -> FormatError:
        """The same error, naming the file it came from."""
        return self if self.path else type(self)(self.message, path=path, line=self.line)


class ParameterError(ReenactError, ValueError):
    """A parameter is outside its allowed range; the message gives the value and the range."""

    code = "parameter"


class SkeletonError(ReenactError, ValueError):
    """Skeletons do not fit each other, or lack a joint that a method needs."""

    code = "skeleton"


class LibraryError(ReenactError, RuntimeError):
    """A library folder is missing, damaged, of another version, or does not hold what was asked for."""

    code = "library"


class ComputeError(ReenactError, RuntimeError):
    """Workers or a GPU cannot be reached, or are not set up as this program is."""

    code = "compute"


class DamagedClipWarning(UserWarning):
    """A clip of a library cannot be listed, because what the index holds of it is damaged; the others can."""


class MissingExtraError(ReenactError, ImportError):
    """A feature needs an optional dependency; the message gives the command that installs it."""

    code = "missing-extra"

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs the extra [{extra}]: pip install 'reenact[{extra}]'")
