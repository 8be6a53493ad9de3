"""Forms of the registered operations, and the command line that does the same."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from reenact.core.parameter_forms import ParameterForm, describe_parameters, parameters_from_answers
from reenact.errors import ParameterError
from reenact.formats.registry import formats
from reenact.library.entries import Entry
from reenact.library.export import FALLBACK, file_name
from reenact.library.store import Library
from reenact.operations.operation import Operation
from reenact.operations.registry import find_operation, operations
from reenact.studio.answers import NotFoundError
from reenact.studio.messages import Command, FormatInfo, FormField, OperationForm, OperationRequest
from reenact.studio.parameter_files import NamedFiles, ParameterFiles, name_files
from reenact.studio.shelf import find_entry


def describe_operations() -> tuple[OperationForm, ...]:
    """A form for every registered operation. The first call imports what they are made of."""
    return _described(tuple(operations()))


@cache
def _described(registered: tuple[Operation, ...]) -> tuple[OperationForm, ...]:
    return tuple(
        OperationForm(
            operation.name,
            operation.help,
            operation.takes,
            operation.gives,
            tuple(one.help for one in operation.inputs if one.kind != "library"),
            tuple(_field(form) for form in describe_parameters(operation.parameter_class())),
            _needs(operation),
            operation.least,
            operation.most or 0,
            operation.essentials,
        )
        for operation in registered
    )


def _needs(operation: Operation) -> str:
    """What the defaults alone leave open."""
    try:
        parameters_from_answers(operation.parameter_class(), {})
    except ParameterError as error:
        return error.message
    return ""


def _field(form: ParameterForm) -> FormField:
    default = list(form.default) if isinstance(form.default, tuple) else form.default
    return FormField(
        name=form.name,
        label=form.name.replace("_", " ").capitalize(),
        kind="choice" if form.kind == "written" else form.kind,  # which of the formats, if any
        default=default,
        required=form.required,
        nullable=form.nullable,
        unit=form.unit,
        low=form.low,
        high=form.high,
        above=form.above,
        choices=form.endings if form.kind == "written" else form.choices,
        help=form.help,
        moment=form.moment,
        endings=form.endings,
        motion=form.motion,
    )


def describe_formats() -> tuple[FormatInfo, ...]:
    """The file formats."""
    return tuple(FormatInfo(f.name, f.title, f.endings, f.writes_motion, f.many) for f in formats())


def operation_named(name: str) -> Operation:
    """The registered operation, or a `NotFoundError`."""
    try:
        return find_operation(name)
    except ParameterError as error:
        raise NotFoundError(error.message, where=name) from None


@dataclass(frozen=True, slots=True)
class Checked:
    """A request of which everything is known to be there.

    Attributes:
        request: as it came.
        entries: its clips.
        name: what a single result is called.
        files: the files that its parameters name.
        command: the line that does the same.
    """

    request: OperationRequest
    entries: list[Entry]
    name: str
    files: NamedFiles
    command: Command


def check_request(library: Library, operation: Operation, request: OperationRequest, files: ParameterFiles) -> Checked:
    """What a request means; every error is raised before anything runs.

    Raises:
        NotFoundError: a clip that is not there.
        ParameterError: a wrong number of clips, or a parameter; `where` is its name.
    """
    entries = [find_entry(library, number) for number in request.clips]
    if operation.takes == "clip" and len(entries) != 1:
        raise ParameterError(f"{operation.name} takes one clip, {len(entries)} were given", where="clips")
    if len(entries) < operation.least:
        needed = f"{operation.least} clips" + (" or more" if operation.most != operation.least else "")
        raise ParameterError(f"{operation.name} needs {needed}, {len(entries)} were given", where="clips")
    if operation.most is not None and len(entries) > operation.most:
        raise ParameterError(
            f"{operation.name} takes at most {operation.most} clips, {len(entries)} were given", where="clips"
        )
    name = request.result_name.strip() or default_name(operation, [entry.name for entry in entries])
    named = name_files(library, operation, request.parameters, files, name)
    parameters_from_answers(operation.parameter_class(), named.answers(request.parameters))
    return Checked(request, entries, name, named, command_line(operation, entries, request, library, name, named))


def command_line(
    operation: Operation,
    entries: Sequence[Entry],
    request: OperationRequest,
    library: Library,
    wanted: str,
    named: NamedFiles,
) -> Command:
    """What to type for the same result: clips stand as the files that `reenact library export` writes of them, or by their names where
    the operation works on the library itself.
    """
    answers = {**request.parameters, **named.names}
    if operation.of_library:
        words = ["reenact", operation.name, str(library.folder), *(entry.name for entry in entries)]
        words += option_words(operation, answers)
        words += _output_words(operation, wanted, _format_of(library, entries[0]), set())
        return Command(shlex.join(words), "The clips are those of this library.")
    taken: set[str] = set()
    files: dict[int, str] = {}
    for entry in entries:
        if entry.id not in files:
            files[entry.id] = file_name(entry.name, _format_of(library, entry), taken)
    words = ["reenact", operation.name, *(_as_file(files[entry.id]) for entry in entries)]
    for parameter, entry in named.clips.items():
        answers[parameter] = files.get(entry.id) or file_name(entry.name, _format_of(library, entry), taken)
    words += option_words(operation, answers)
    words += _output_words(operation, wanted, files[entries[0].id].rpartition(".")[2], taken)
    names = list(dict.fromkeys(entry.name for entry in (*entries, *named.clips.values())))
    export = shlex.join(["reenact", "library", "export", str(library.folder), ".", *names])
    return Command(shlex.join(words), f"The clips as files: {export}")


def _output_words(operation: Operation, wanted: str, ending: str, taken: set[str]) -> list[str]:
    """The option that says where the result goes, for those that are written."""
    if operation.gives == "clips":
        return ["-o", "."]
    if operation.gives in ("clip", "picture", "video"):
        ending = {"picture": "png", "video": "mp4"}.get(operation.gives, ending)
        return ["-o", _as_file(file_name(wanted, ending, taken))]
    return []


def _as_file(name: str) -> str:
    return f"./{name}" if name.startswith("-") else name


def _format_of(library: Library, entry: Entry) -> str:
    writable = {entry.name for entry in formats() if entry.writes_motion}
    kind = library.clip(entry).origin.format
    return kind if kind in writable else FALLBACK


def option_words(operation: Operation, answers: Mapping[str, Any]) -> list[str]:
    """The options of the parameters that differ from their default."""
    words = []
    for form in describe_parameters(operation.parameter_class()):
        value = answers.get(form.name, form.default)
        if form.name not in answers or value == _plain(form.default):
            continue
        if form.kind == "flag":
            words.append(f"--{form.flag}" if value else f"--no-{form.flag}")
        elif isinstance(value, list | tuple) and form.many:
            words += [word for item in value for word in (f"--{form.flag}", _spelled(item))]
        elif isinstance(value, list | tuple):
            words += [f"--{form.flag}", *(_spelled(item) for item in value)]
        elif value is not None:
            words += [f"--{form.flag}", _spelled(value)]
    return words


def _plain(default: Any) -> Any:
    return list(default) if isinstance(default, tuple) else default


def _spelled(value: Any) -> str:
    """A number as short as it can be written without losing anything."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)


def default_name(operation: Operation, names: Sequence[str]) -> str:
    """What a result is called when nobody says."""
    joined = "+".join(names) if len(names) <= 3 else f"{names[0]}+{len(names) - 1}"
    return joined if operation.takes == "clips" and len(names) > 1 else f"{joined}-{operation.name}"
