"""The functions `reenact.NAME`, made from the registry: clips first, then `parameters` or plain keyword arguments, then `plants`.

made = reenact.transition(walk, kick, window=0.5)
reenact.loop(made, count=4)                     # what was made serves where a clip is wanted
reenact.clean(walk, parameters=CleanParameters(anchor="start"), plants=plants)
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import os
import typing
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from reenact.body.character import Character
from reenact.body.standing import standing_still
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.made import Made
from reenact.errors import ParameterError
from reenact.operations.operation import Operation
from reenact.operations.registry import operations
from reenact.operations.running import call_operation, run_operation

if TYPE_CHECKING:
    from reenact.library.store import Library


@cache
def api_function(name: str) -> Callable[..., Any]:
    """The function below `reenact` of that name.

    Raises:
        AttributeError: there is none.
    """
    for operation in operations():
        if operation.function_name == name:
            return make_function(operation)
    raise AttributeError(f"module 'reenact' has no attribute {name!r}")


def make_function(operation: Operation) -> Callable[..., Any]:
    """The function of an operation, with a signature and a docstring that say all there is to say."""
    kind = operation.parameter_class()

    def function(*clips: Any, parameters: Any = None, plants: Any = None, **options: Any) -> Any:
        asked = collect_parameters(operation, parameters, options)
        if operation.of_library:
            with _opened(operation, clips) as library:
                return _call(operation, [library, *_names(operation, clips[1:])], asked, plants)
        given = _clips(operation, clips)
        return _call(operation, given, asked, _plants(operation, plants, given))

    function.__name__ = function.__qualname__ = operation.function_name
    function.__module__ = "reenact"
    function.__doc__ = describe(operation)
    function.__signature__ = signature_of(operation, kind)  # type: ignore[attr-defined]
    return function


def _call(operation: Operation, given: Sequence[Any], asked: Any, known: Any) -> Any:
    return (run_operation if operation.gives == "clip" else call_operation)(operation, given, asked, known)


@contextmanager
def _opened(operation: Operation, given: Sequence[Any]) -> Iterator[Library]:
    """The library among the arguments; a folder is opened for the length of the call."""
    from reenact.library.store import Library

    first = given[0] if given else None
    if isinstance(first, Library):
        yield first
    elif isinstance(first, str | os.PathLike):
        with Library(first) as library:
            yield library
    else:
        raise ParameterError(
            f"argument 1 of {operation.function_name} must be a library or its folder, not {type(first).__name__}",
            where=operation.name,
        )


def _names(operation: Operation, given: Sequence[Any]) -> list[str]:
    """Names of clips in a library among the arguments; a list of names is as good as names in a row."""
    if len(given) == 1 and isinstance(given[0], list | tuple):
        given = given[0]
    for place, one in enumerate(given, 2):
        if not isinstance(one, str):
            raise ParameterError(
                f"argument {place} of {operation.function_name} must be the name of a clip in the library, not "
                f"{type(one).__name__}",
                where=operation.name,
            )
    return list(given)


def collect_parameters(operation: Operation, parameters: Any, options: dict[str, Any]) -> Any:
    """The parameters of an operation: an object of its parameter class, or keyword arguments, or the one changed by the others.

    Raises:
        ParameterError: no such parameter, a value that is none, or parameters of another operation.
    """
    kind = operation.parameter_class()
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for name in options:
        if name not in fields:
            near = difflib.get_close_matches(name, fields, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            listed = ", ".join(fields) or "none"
            raise ParameterError(f"{operation.name} has no parameter {name!r}{hint} There are {listed}", where=name)
    hints = typing.get_type_hints(kind)
    values = {name: _plain(value, hints[name]) for name, value in options.items()}
    if parameters is None:
        missing = [
            name
            for name, field in fields.items()
            if field.default is dataclasses.MISSING
            and field.default_factory is dataclasses.MISSING
            and name not in values
        ]
        if missing:
            raise ParameterError(f"{operation.name} needs {missing[0]!r}", where=missing[0])
        return kind(**values)
    if not isinstance(parameters, kind):
        wanted = f"parameters must be {kind.__name__}, not {type(parameters).__name__}"
        raise ParameterError(wanted, where="parameters")
    return dataclasses.replace(parameters, **values) if values else parameters


def _plain(value: Any, hint: Any) -> Any:
    """Numbers in a row where the command line has them as text, and lists where tuples belong."""
    if isinstance(value, list | tuple):
        if hint is str or (typing.get_origin(hint) is not tuple and str in typing.get_args(hint)):
            return ",".join(str(one) for one in value)
        return tuple(value)
    return value


def _clips(operation: Operation, given: Sequence[Any]) -> list[Clip | Made]:
    """The clips among the arguments; a list of clips is as good as clips in a row, and a character serves for its skeleton."""
    if len(given) == 1 and isinstance(given[0], list | tuple):
        given = given[0]
    bodies = {place for place, one in enumerate(operation.inputs, 1) if one.kind == "character"}
    meshes = {place for place, one in enumerate(operation.inputs, 1) if one.kind == "body"}
    given = [
        standing_still(one) if place in bodies and isinstance(one, Character) else one
        for place, one in enumerate(given, 1)
    ]
    for place, one in enumerate(given, 1):
        if place in meshes:
            bare = operation.inputs[place - 1].bare and isinstance(one, Clip | Made)
            if not isinstance(one, Character) and not bare:
                raise ParameterError(
                    f"argument {place} of {operation.function_name} must be a character, not {type(one).__name__}; "
                    "`reenact.load_all(file).characters` has those of a file",
                    where=operation.name,
                )
        elif not isinstance(one, Clip | Made):
            raise ParameterError(
                f"argument {place} of {operation.function_name} must be a clip, or what was made of one, not "
                f"{type(one).__name__}; `reenact.load` reads files",
                where=operation.name,
            )
    return list(given)


def _plants(operation: Operation, plants: Any, clips: Sequence[Any]) -> list[FootPlants | None] | None:
    """Foot plants of each clip, however they are given: one set for one clip, or one for each."""
    if plants is None:
        return None
    given: list[FootPlants | None] = [plants] if isinstance(plants, FootPlants) else list(plants)
    wanted = 1 if operation.plants == "first" else len(clips)
    if operation.plants and len(given) != wanted:
        raise ParameterError(f"{len(given)} sets of foot plants for {wanted} clips", where="plants")
    return given


_WORDS = {
    "character": "Clip | Made | Character",
    "body": "Character",
    "bare body": "Clip | Made | Character",
    "library": "Library | str | Path",
}


def signature_of(operation: Operation, kind: type) -> inspect.Signature:
    """What editors and `help` show: clips, then everything by keyword with its default."""
    arguments = [
        inspect.Parameter(
            one.name,
            inspect.Parameter.VAR_POSITIONAL if one.kind == "clips" else inspect.Parameter.POSITIONAL_ONLY,
            annotation=_WORDS.get(f"bare {one.kind}" if one.bare else one.kind, "Clip | Made")
            if not (operation.of_library and one.kind == "clips")
            else "str",
        )
        for one in operation.inputs
    ]
    hints = typing.get_type_hints(kind)
    arguments += [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(field),
            annotation=type_text(hints[field.name]),
        )
        for field in dataclasses.fields(kind)
        if not field.metadata.get("hidden")
    ]
    none: dict[str, Any] = {"kind": inspect.Parameter.KEYWORD_ONLY, "default": None}
    arguments.append(inspect.Parameter("parameters", annotation=f"{kind.__name__} | None", **none))
    if operation.plants:
        many = operation.takes == "clips" and operation.plants == "each"
        text = "Sequence[FootPlants | None] | None" if many else "FootPlants | None"
        arguments.append(inspect.Parameter("plants", annotation=text, **none))
    return inspect.Signature(arguments, return_annotation=result_text(operation))


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default


def result_text(operation: Operation) -> str:
    """The type that a function gives, as text."""
    if operation.gives == "clip":
        return "Made"
    told = typing.get_type_hints(_function_of(operation)).get("return")
    return "Any" if told is None else type_text(told)


def _function_of(operation: Operation) -> Any:
    from reenact.operations.operation import resolve

    return resolve(operation.function)


def type_text(hint: Any) -> str:
    """A type as it is written in source."""
    if hint is type(None):
        return "None"
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return f"Literal[{', '.join(map(repr, parts))}]"
    if origin is tuple:
        return f"tuple[{', '.join('...' if part is Ellipsis else type_text(part) for part in parts)}]"
    if origin in (list, dict):
        return f"{origin.__name__}[{', '.join(map(type_text, parts))}]"
    if parts:  # a union
        return " | ".join(type_text(part) for part in parts)
    return getattr(hint, "__name__", str(hint))


def describe(operation: Operation) -> str:
    """The docstring: what it does, an example, and every parameter."""
    lines = [operation.help, ""]
    if operation.example:
        lines += ["Example:", f"    {operation.example}", ""]
    lines.append("Args:")
    for one in operation.inputs:
        lines.append(f"    {'*' if one.kind == 'clips' else ''}{one.name}: {one.help}")
    for field in dataclasses.fields(operation.parameter_class()):
        if not field.metadata.get("hidden"):
            unit = field.metadata.get("unit")
            lines.append(f"    {field.name}: {field.metadata.get('help', '')}{f' [{unit}]' if unit else ''}")
    lines.append(f"    parameters: a `{operation.parameter_class().__name__}` instead; keywords beside it change it")
    if operation.plants:
        lines.append("    plants: known foot plants; default: those that travel with the clips, else detected")
    return "\n".join(lines)
