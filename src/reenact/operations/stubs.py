"""The types of `reenact` for editors and type checkers, written from the registry: `python -m reenact.operations.stubs`."""

from __future__ import annotations

import dataclasses
import inspect
from pathlib import Path

import reenact
from reenact.operations.api import make_function
from reenact.operations.operation import Operation, resolve
from reenact.operations.registry import OPERATIONS

_HEAD = """# Made by `python -m reenact.operations.stubs` from the registry of operations; a test holds it to that.
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

"""


def stub_text() -> str:
    """The text of `reenact/__init__.pyi`."""
    homes: dict[str, str] = vars(reenact)["_HOME"]
    lines = [f"from {module} import {name} as {name}" for name, module in sorted(homes.items())]
    lines += sorted({line for operation in OPERATIONS for line in _imports(operation)})
    functions = [_function(operation) for operation in sorted(OPERATIONS, key=lambda one: one.function_name)]
    return _HEAD + "\n".join(lines) + "\n\n__version__: str\n\n" + "\n".join(functions)


def _imports(operation: Operation) -> list[str]:
    kind = operation.parameter_class()
    found = [f"from {kind.__module__} import {kind.__name__}"]
    if operation.gives not in ("clip", "clips", "plants"):
        result = inspect.get_annotations(resolve(operation.function), eval_str=False)["return"]
        module = inspect.getmodule(resolve(operation.function))
        thing = getattr(module, str(result).split(".")[0], None)
        if inspect.isclass(thing):
            found.append(f"from {thing.__module__} import {thing.__name__}")
        elif thing is not None:
            found.append(f"from PIL import {str(result).split('.')[0]}")
    return found


def _function(operation: Operation) -> str:
    function = make_function(operation)
    told = inspect.signature(function)
    words = []
    for parameter in told.parameters.values():
        text = f"{parameter.name}: {_type(operation, parameter)}"
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            text = f"*{text}"
        elif parameter.default is not inspect.Parameter.empty:
            text += f" = {_shown(parameter.default)}"
        words.append(text)
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY and parameter.name == operation.inputs[-1].name:
            words += ["/", "*"]
    result = str(inspect.get_annotations(resolve(operation.function), eval_str=False).get("return", "Any"))
    given = "Made" if operation.gives == "clip" else result
    return f"def {operation.function_name}(\n" + "".join(f"    {word},\n" for word in words) + f") -> {given}: ...\n"


def _type(operation: Operation, parameter: inspect.Parameter) -> str:
    """The type of an argument; texts that hold numbers may be numbers in a row."""
    told = str(parameter.annotation)
    names = {field.name for field in dataclasses.fields(operation.parameter_class())}
    return f"{told} | Sequence[float]" if parameter.name in names and told.split(" | ")[0] == "str" else told


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, bool | int | float | str | tuple | type(None)) else "..."


def main() -> None:
    """Write the file."""
    target = Path(reenact.__file__).with_suffix(".pyi")
    target.write_text(stub_text())
    print(target)


if __name__ == "__main__":
    main()
