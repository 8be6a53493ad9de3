"""Files that parameters name. A page never says where a file lies: it sends one and gets a number for it, takes a clip of the library for
one, or asks for a file to be written, which it may fetch when the job is done.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reenact.core.parameter_forms import describe_parameters
from reenact.errors import ParameterError
from reenact.library.entries import Entry
from reenact.library.export import file_name
from reenact.library.store import Library
from reenact.operations.operation import Operation
from reenact.studio.answers import NotFoundError
from reenact.studio.messages import Value
from reenact.studio.shelf import find_entry

LARGEST_FILE = 64 * 1024 * 1024
"""Bytes of one such file, at most."""

MOST_FILES = 256
"""Files that are kept; the oldest goes when there are more."""

_CLIP = "clip:"


class ParameterFiles:
    """The files that were sent in this session."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept: dict[str, Path] = {}

    def place(self, name: str) -> tuple[str, Path]:
        """A number, and a path of that name in a folder of its own, for a file that comes."""
        number = secrets.token_hex(8)
        folder = self._folder / number
        folder.mkdir(parents=True)
        return number, folder / name

    def keep(self, number: str, path: Path) -> None:
        """The file has come."""
        self._kept[number] = path
        while len(self._kept) > MOST_FILES:
            self.drop(next(iter(self._kept)))

    def drop(self, number: str) -> None:
        """Forget a file, whether it has come or not."""
        self._kept.pop(number, None)
        shutil.rmtree(self._folder / number, ignore_errors=True)

    def find(self, number: str) -> Path:
        """Where a file lies, or a `NotFoundError`."""
        if number not in self._kept:
            raise NotFoundError("this file is not here any more; choose it again", where=number[:80])
        return self._kept[number]


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """What the files of a request are, by parameter.

    Attributes:
        names: what people call them.
        sent: where those lie that were sent.
        clips: those that stand for a clip.
        written: endings of those that will be made.
    """

    names: dict[str, str] = field(default_factory=dict)
    sent: dict[str, Path] = field(default_factory=dict)
    clips: dict[str, Entry] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)

    def answers(self, parameters: Mapping[str, Value]) -> dict[str, Any]:
        """The parameters with files for what names them; for checking, as those that will be made are not there."""
        return {**parameters, **{name: Path(text) for name, text in self.names.items()}}


def name_files(
    library: Library, operation: Operation, parameters: Mapping[str, Value], files: ParameterFiles, result: str
) -> NamedFiles:
    """What the files of a request are; `result` is what comes out of the operation, after which new files are called.

    Raises:
        ParameterError: no such file or clip, or of another kind; `where` is the parameter.
    """
    found = NamedFiles()
    for form in describe_parameters(operation.parameter_class()):
        value = parameters.get(form.name)
        if form.kind not in ("file", "written") or value is None:
            continue
        if not isinstance(value, str):
            raise ParameterError(f"{form.name} must be a file", where=form.name)
        if form.kind == "written":
            if value not in form.endings:
                raise ParameterError(f"{form.name} must be one of {', '.join(form.endings)}", where=form.name)
            found.written[form.name] = value
            found.names[form.name] = file_name(f"{result}-{form.name}", value[1:], set())
        elif form.motion and value.startswith(_CLIP):
            entry = _clip(library, value.removeprefix(_CLIP), form.name)
            found.clips[form.name] = entry
            found.names[form.name] = file_name(entry.name, "npz", set())
        else:
            try:
                path = files.find(value)
            except NotFoundError as error:
                raise ParameterError(error.message, where=form.name) from None
            if form.endings and not form.motion and path.suffix.lower() not in form.endings:
                raise ParameterError(f"{form.name} must be a file of {' or '.join(form.endings)}", where=form.name)
            found.sent[form.name] = path
            found.names[form.name] = path.name
    return found


def _clip(library: Library, number: str, where: str) -> Entry:
    if not (number.isascii() and number.isdigit() and len(number) < 16):
        raise ParameterError(f"{where} must be a file or a clip", where=where)
    try:
        return find_entry(library, int(number))
    except NotFoundError as error:
        raise ParameterError(error.message, where=where) from None
