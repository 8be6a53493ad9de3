"""What a kernel is compiled for: the kinds of its arguments, told without Numba.

A kind is a Python value that can be looked up: `(dtype, dimensions, flags)` of an array, `int`, `float` or `bool` of such a number, another
dtype of a NumPy number, a tuple of a tuple's class and the kinds of its parts, None for None. Arrays that may be written to and such that
may not are one kind once it is known that the kernel does not write to them (`without_permission`): the machine code is the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

CONTIGUOUS, ALIGNED, WRITEABLE = 0x001, 0x100, 0x400
"""Bits of NumPy's `flags.num` that make a difference."""

_KEPT = CONTIGUOUS | ALIGNED | WRITEABLE
_PLAIN: dict[type, type] = {
    int: int,
    float: float,
    bool: bool,
    np.int64: int,
    np.float64: float,
    np.bool_: bool,
}


def kind_of(value: Any) -> Any:
    """The kind of one argument."""
    if type(value) is np.ndarray:
        return value.dtype, value.ndim, value.flags.num & _KEPT
    plain = _PLAIN.get(type(value))
    if plain is not None or value is None:
        return plain
    if isinstance(value, tuple):
        return (type(value), *map(kind_of, value))
    if isinstance(value, np.ndarray):  # a memory map, for one
        return value.dtype, value.ndim, value.flags.num & _KEPT
    if isinstance(value, np.generic):
        return value.dtype
    raise TypeError(f"a kernel takes arrays and numbers, not {type(value).__name__}")


def is_array(kind: Any) -> bool:
    """Whether it is the kind of an array."""
    return isinstance(kind, tuple) and isinstance(kind[0], np.dtype)


def without_permission(kind: Any) -> Any:
    """The kind that does not say whether arrays may be written to."""
    if is_array(kind):
        return kind[0], kind[1], kind[2] & ~WRITEABLE
    return (kind[0], *map(without_permission, kind[1:])) if isinstance(kind, tuple) else kind


def is_read_only(kind: Any) -> bool:
    """Whether it is the kind of an array that must not be written to."""
    return is_array(kind) and not kind[2] & WRITEABLE


def describe(kind: Any) -> str:
    """A kind in words that are the same in every process."""
    if is_array(kind):
        return f"{kind[0].str}/{kind[1]}/{kind[2]:x}"
    if isinstance(kind, tuple):
        return f"{kind[0].__module__}.{kind[0].__qualname__}({','.join(map(describe, kind[1:]))})"
    return kind.str if isinstance(kind, np.dtype) else getattr(kind, "__name__", "None")
