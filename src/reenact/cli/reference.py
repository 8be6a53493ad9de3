"""The reference of the command line as plain data, from the commands and the registry themselves; the documentation is made of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from reenact.cli.main import build_command, verbs
from reenact.operations.api import make_function
from reenact.operations.registry import operations


@dataclass(frozen=True, slots=True)
class VerbReference:
    """A section of the reference.

    Attributes:
        name: the verb, with the one below it where there is one: "library add".
        help: what it does.
        options: label and help of every argument and option.
        function: the Python function of an operation with its arguments; empty for a verb that is none.
        example: a line of Python; empty likewise.
    """

    name: str
    help: str
    options: tuple[tuple[str, str], ...]
    function: str = ""
    example: str = ""


def command_reference() -> Iterator[VerbReference]:
    """A section for every verb, those of other packages included."""
    functions = {operation.name: operation for operation in operations()}
    for verb, (_, help_line) in verbs().items():
        command = build_command(verb)
        children = getattr(command, "commands", None)
        if children:
            for name, child in children.items():
                yield VerbReference(f"{verb} {name}", _plain(child.help), _options(child))
            continue
        operation = functions.get(verb)
        if operation is None:
            yield VerbReference(verb, _plain(help_line), _options(command))
        else:
            told = _function(make_function(operation))
            yield VerbReference(verb, _plain(help_line), _options(command), told, operation.example)


def _function(function: Callable[..., Any]) -> str:
    """A function with its arguments, each on a line of its own."""
    told = inspect.signature(function)
    lines = []
    for one in told.parameters.values():
        star = "*" if one.kind is inspect.Parameter.VAR_POSITIONAL else ""
        default = "" if one.default is inspect.Parameter.empty else f" = {one.default!r}"
        lines.append(f"    {star}{one.name}: {one.annotation}{default},\n")
    return f"reenact.{function.__name__}(\n{''.join(lines)}) -> {told.return_annotation}"


def _options(command: Any) -> tuple[tuple[str, str], ...]:
    found = []
    for parameter in command.params:
        if parameter.name == "help":
            continue
        words = [*parameter.opts, *parameter.secondary_opts]
        is_option = parameter.param_type_name == "option"
        text = _plain(getattr(parameter, "help", ""))
        default = parameter.default
        if default not in (None, False, (), [], "") and not callable(default):
            text += f" Default: {default}."
        found.append((", ".join(words) if is_option else (parameter.metavar or parameter.name).upper(), text))
    return tuple(found)


def _plain(text: str | None) -> str:
    """Help as it is read: on one line, with brackets that are no markup."""
    return " ".join((text or "").split()).replace("\\[", "[")
