"""What installed packages offer by entry points: operations and file formats of third parties."""

from __future__ import annotations

import warnings
from importlib.metadata import entry_points
from typing import TypeVar

T = TypeVar("T")


def offered(group: str, kind: type[T]) -> list[T]:
    """What the entry points of a group stand for, in the order of their names. What cannot be loaded is a warning, never a failure."""
    found: list[T] = []
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        try:
            thing = point.load()
        except Exception as error:
            warnings.warn(f"{point.value} ({group}) cannot be used: {type(error).__name__}: {error}", stacklevel=2)
            continue
        if isinstance(thing, kind):
            found.append(thing)
        else:
            warnings.warn(f"{point.value} ({group}) is no {kind.__name__}", stacklevel=2)
    return found
