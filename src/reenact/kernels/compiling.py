"""How kernels are compiled: decorators, and the object that finds the machine code for what it is called with.

A kernel is called with arrays and numbers by their places. The first call with new kinds of arguments looks for machine code that an
earlier process kept (`kept_code`), which is loaded without Numba (`machine_code`); only where there is none is it compiled
(`numba_compiler`), which is mentioned (`notices`), and kept. Kernels that call each other are one piece of machine code.

With `NUMBA_DISABLE_JIT=1` in the environment they run as the Python functions they are.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from reenact.kernels import notices
from reenact.kernels.argument_kinds import describe, is_read_only, kind_of, without_permission
from reenact.kernels.kept_code import compiler_hash, keep_code, read_code, sources_hash

__all__ = ["Intrinsic", "Kernel", "compilations", "compiler_hash", "inlined_kernel", "intrinsic", "kernel"]

F = TypeVar("F", bound=Callable[..., Any])

INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
"""Whether kernels run as plain Python, for looking into them with a debugger."""

_finding = threading.RLock()
_compilations = 0


class Kernel:
    """A function that runs as machine code."""

    def __init__(self, function: Any, inlined: bool = False) -> None:
        self.function = function
        self.inlined = inlined
        self.__name__: str = function.__name__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self.__wrapped__ = function
        self._codes: dict[tuple[Any, ...], Callable[..., Any]] = {}
        self._found: dict[tuple[Any, ...], tuple[Callable[..., Any], tuple[int, ...]]] = {}

    def __call__(self, *given: Any) -> Any:
        """Run it."""
        kinds = tuple(map(kind_of, given))
        code = self._codes.get(kinds)
        if code is None:
            code = self._find(kinds)
        return code(*given)

    def _find(self, kinds: tuple[Any, ...]) -> Callable[..., Any]:
        """The code for kinds of arguments that were not asked for before in this process."""
        if INTERPRETED:
            return self._codes.setdefault(kinds, np.errstate(all="ignore")(self.function))
        asked = tuple(map(without_permission, kinds))
        with _finding:
            found = self._found.get(asked)
            if found is None:
                found = self._found[asked] = self._load(asked) or self._compile(asked)
        code, written = found
        for place in written:
            if is_read_only(kinds[place]):
                raise ValueError(f"{self.__name__} writes to its argument {place + 1}, which is read-only")
        self._codes[kinds] = code
        return code

    def _file_name(self, kinds: tuple[Any, ...]) -> str:
        from hashlib import blake2b

        what = blake2b(";".join(map(describe, kinds)).encode(), digest_size=8).hexdigest()
        module = self.__module__.rpartition(".")[2]
        return f"{module}.{self.__name__}-{sources_hash(module)}-{what}.code"

    def _load(self, kinds: tuple[Any, ...]) -> tuple[Callable[..., Any], tuple[int, ...]] | None:
        from reenact.kernels.machine_code import processor, ready

        kept = read_code(processor(), self._file_name(kinds))
        if kept is None:
            return None
        code = ready(kept, sys.modules[self.__module__], self.__name__)
        return None if code is None else (code, kept.written)

    def _compile(self, kinds: tuple[Any, ...]) -> tuple[Callable[..., Any], tuple[int, ...]]:
        global _compilations
        notices.compiling_begins()
        from reenact.kernels.machine_code import processor
        from reenact.kernels.numba_compiler import compile_kernel

        code, keepable = compile_kernel(self, kinds)
        _compilations += 1
        if keepable is None:
            return code, ()
        keep_code(processor(), self._file_name(kinds), keepable)
        return code, keepable.written


class Intrinsic:
    """An instruction that Python does not have: a Python function that does the same, and where its generator for Numba is."""

    def __init__(self, function: Any, generator: str) -> None:
        self.function = function
        self.generator = generator
        self.__name__: str = function.__name__
        self.__doc__ = function.__doc__

    def __call__(self, *given: Any) -> Any:
        """Do it in Python."""
        return self.function(*given)


def kernel(function: F) -> F:
    """Compile on first call, with contracted multiply-adds, and keep the machine code between processes."""
    return Kernel(function)  # type: ignore[return-value]


def inlined_kernel(function: F) -> F:
    """A kernel that becomes part of the kernels that call it: for steps so short that a call would cost as much."""
    return Kernel(function, inlined=True)  # type: ignore[return-value]


def intrinsic(generator: str) -> Callable[[F], F]:
    """Of a Python function: the "module:name" of what stands for it in machine code."""
    return lambda function: Intrinsic(function, generator)  # type: ignore[return-value]


def compilations() -> int:
    """How often this process had to compile a kernel (0 when all came from the cache)."""
    return _compilations
