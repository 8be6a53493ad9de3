"""Command-line options generated from parameter dataclasses.

A command is written as a plain function; an argument annotated with a dataclass stands for one option per field, with the field's
help, unit and range. Angles are asked for in degrees.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, Union, get_args, get_origin

import typer

from reenact.cli.made_by import note_context
from reenact.cli.quantities import quantity, takes_unit
from reenact.core.parameter_forms import from_person, is_many, person_unit, to_person
from reenact.core.parameters import allowed_range

_CONTEXT = "context_of_run"


def expand(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function with every dataclass argument spread into options."""
    signature = inspect.signature(function)
    hints = typing.get_type_hints(function, include_extras=True)
    flat: list[inspect.Parameter] = []
    groups: dict[str, tuple[type, dict[str, dataclasses.Field[Any]]]] = {}
    taken = {name for name in signature.parameters if not dataclasses.is_dataclass(hints.get(name))}
    for name, parameter in signature.parameters.items():
        kind = hints.get(name, parameter.annotation)
        if not dataclasses.is_dataclass(kind):
            flat.append(parameter.replace(annotation=kind))
            continue
        fields: dict[str, dataclasses.Field[Any]] = {}
        for field in dataclasses.fields(kind):
            if field.metadata.get("hidden"):
                continue
            flat_name = (field.metadata.get("off") or field.metadata.get("name", "")).replace("-", "_") or field.name
            if flat_name in taken:
                flat_name = f"in_{flat_name}"
            taken.add(flat_name)
            fields[flat_name] = field
            flat.append(_parameter(flat_name, field, typing.get_type_hints(kind)[field.name]))
        groups[name] = (kind, fields)  # type: ignore[assignment]

    @functools.wraps(function)
    def command(**given: Any) -> Any:
        note_context(given.pop(_CONTEXT))
        for name, (kind, fields) in groups.items():
            hints = typing.get_type_hints(kind)
            values = {
                field.name: (not given.pop(flat))
                if field.metadata.get("off")
                else from_person(_as_tuple(given.pop(flat), hints[field.name]), field, hints[field.name])
                for flat, field in fields.items()
            }
            given[name] = kind(**values)
        return function(**given)

    flat.append(inspect.Parameter(_CONTEXT, inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context))
    required = [p for p in flat if p.default is inspect.Parameter.empty]
    optional = [p for p in flat if p.default is not inspect.Parameter.empty]
    ordered = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (*required, *optional)]
    command.__signature__ = signature.replace(parameters=ordered)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in ordered}
    del command.__wrapped__  # Typer would look behind and find the dataclasses again
    return command


def _parameter(name: str, field: dataclasses.Field[Any], kind: Any) -> inspect.Parameter:
    about = field.metadata
    words = [about.get("help", "")]
    unit = person_unit(field)
    if unit:
        words.append(f"[{unit}]")
    if bounds := allowed_range(field):
        words.append(f"({bounds})")
    default = field.default if field.default is not dataclasses.MISSING else None
    if field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    flag = f"--{name.replace('_', '-')}"
    names = [flag, about["short"]] if about.get("short") else [flag]
    asked = _asked_type(kind)
    if about.get("off"):
        default = not default
    elif asked is bool:
        names[0] = f"{flag}/--no-{name.replace('_', '-')}"
    shown = to_person(default, field)
    if is_many(kind):
        shown = list(shown or ()) or None
    # the dataclass checks ranges: one message, whoever asks
    annotation = Annotated[
        asked,
        typer.Option(
            *names,
            help=" ".join(word for word in words if word),
            show_default=shown is not None,
            parser=quantity(unit) if unit and takes_unit(unit) and asked in (float, float | None) else None,
        ),
    ]
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if required else shown,
        annotation=annotation,
    )


def _as_tuple(value: Any, kind: Any) -> Any:
    """What Typer gave for an option that can be repeated, as the tuple that the dataclass wants."""
    return tuple(value or ()) if is_many(kind) else value


def _asked_type(kind: Any) -> Any:
    """What Typer asks for: unions with words become text, options that can be repeated become lists, everything else stays."""
    if is_many(kind):
        return list[get_args(kind)[0]] | None  # type: ignore[misc]
    if get_origin(kind) in (Union, types.UnionType):
        members = [member for member in get_args(kind) if member is not type(None)]
        inner = members[0] if len(members) == 1 else str
        return (_asked_type(inner) | None) if type(None) in get_args(kind) else inner
    return kind
