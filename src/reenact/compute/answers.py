"""What a worker is asked and answers: pickled calls, results and errors with the item named."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from reenact.errors import ParameterError, ReenactError

Shared = Mapping[str, Any]


def pack_task(task: Callable[[Any, Shared], Any]) -> bytes:
    """A task as bytes.

    Raises:
        ParameterError: other processes could not find it.
    """
    inner: Any = task
    while hasattr(inner, "func"):  # functools.partial
        inner = inner.func
    if getattr(inner, "__module__", None) == "__main__" or getattr(type(inner), "__module__", None) == "__main__":
        raise ParameterError(
            "a task of the program itself is not found by other processes: put it into a module", where=repr(task)
        )
    try:
        return pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise ParameterError(
            f"a task must be a function of a module, or an object that can be pickled ({error})", where=repr(task)
        ) from None


def answer(task: Callable[[Any, Shared], Any], item: bytes, shared: Shared) -> bytes:
    """What came of an item, as bytes: ("done", result) or ("error", exception, traceback)."""
    try:
        result = task(pickle.loads(item), shared)
    except Exception as error:
        return pack_error(error)
    try:
        return pickle.dumps(("done", result), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        return pack_error(TypeError(f"the result cannot be sent to another process: {error}"))


def pack_error(error: Exception) -> bytes:
    """An error as an answer."""
    told = "".join(traceback.format_exception(error))
    try:
        packed = pickle.dumps(("error", error, told), pickle.HIGHEST_PROTOCOL)
        pickle.loads(packed)
    except Exception:  # an exception that does not survive the way
        packed = pickle.dumps(("error", RuntimeError(f"{type(error).__name__}: {error}"), told))
    return packed


def pack_item(item: Any, label: str) -> bytes:
    """An item as bytes.

    Raises:
        ParameterError: it cannot be pickled.
    """
    try:
        return pickle.dumps(item, pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise ParameterError(f"it cannot be sent to another process ({error})", where=label) from None


def result_of(packed: bytes, label: str) -> Any:
    """The result that `answer` packed; raises what the task raised."""
    kind, value, *more = pickle.loads(packed)
    if kind == "done":
        return value
    raise named(value, label, more[0])


def named(error: Exception, label: str, told: str = "") -> Exception:
    """An error of a task that says which item it was."""
    if isinstance(error, ReenactError) and not error.where:
        error.where = label
    note = f"while working on {label}"
    error.add_note(f"{note}; in the worker:\n{told}" if told else note)
    return error
