"""Kernels compiled by Numba. The only module that imports Numba, and it is imported only when something has to be compiled."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numba
from numba import types
from numba.np import numpy_support

from reenact.kernels.argument_kinds import ALIGNED, CONTIGUOUS, is_array
from reenact.kernels.compiling import Intrinsic, Kernel
from reenact.kernels.kept_code import Code
from reenact.kernels.written_arguments import written_arguments

_OPTIONS: dict[str, Any] = {"fastmath": {"contract"}, "nogil": True, "error_model": "numpy"}
# not the whole of `fastmath`: NaN and infinity keep their meaning, so bad data can be found

_short_way = True
"""Whether kernels are compiled by `numba_pipeline`; else in Numba's own way, which takes half as long again."""

_called: dict[Kernel, Any] = {}
"""Of kernels that other kernels call: their compilers, which make no way in from Python."""


def compile_kernel(kernel: Kernel, kinds: tuple[Any, ...]) -> tuple[Callable[..., Any], Code | None]:
    """A kernel compiled for kinds of arguments: the function, and what can be kept of it."""
    signature = tuple(map(_numba_type, kinds))
    global _short_way
    if _short_way:
        try:
            return _compile_shortly(kernel, signature)
        except (
            Exception
        ):  # another Numba than the one this was written for, or a mistake in the kernel, which it tells itself
            _short_way = False
            _called.clear()
    made = _compiled(kernel, signature)
    return made.entry_point, _keepable(made, kernel)


def _compile_shortly(kernel: Kernel, signature: tuple[Any, ...]) -> tuple[Callable[..., Any], Code | None]:
    from reenact.kernels.numba_pipeline import KernelPipeline, make_whole, parts_are_linked

    with parts_are_linked():
        made = _compiled(kernel, signature, no_cfunc_wrapper=True, pipeline_class=KernelPipeline)
        return make_whole(made), _keepable(made, kernel)


def _compiled(kernel: Kernel, signature: tuple[Any, ...], **options: Any) -> Any:
    """Numba's result for a kernel."""
    dispatcher = numba.njit(**_OPTIONS, **options)(_for_numba(kernel))
    dispatcher.compile(signature)
    return dispatcher.overloads[signature]


def _keepable(made: Any, kernel: Kernel) -> Code | None:
    """Machine code and all it needs, from Numba's result."""
    try:
        if made.reload_init or made.library.has_dynamic_globals or made.lifted:
            return None
        own = made.environment
        others = [one for one in made._find_referenced_environments() if one.env_name != own.env_name]
        module = made.library._final_module
        declared = [*module.functions, *module.global_variables]
        return Code(
            made.library._get_compiled_object(),
            made.fndesc.llvm_cpython_wrapper_name,
            tuple((one.env_name, tuple(one.consts)) for one in (own, *others)),
            tuple(one.name for one in declared if one.is_declaration and not one.name.startswith("llvm.")),
            written_arguments(kernel.function),
        )
    except Exception:  # another Numba than the one this was written for: it still compiles
        return None


def _for_numba(kernel: Kernel) -> FunctionType:
    """The kernel's function as Numba understands it: the kernels it calls stand there as Numba's."""
    function = kernel.function
    names = dict(function.__globals__)
    for name in _names(function.__code__):
        value = names.get(name)
        if isinstance(value, Kernel):
            names[name] = _callable_by_kernels(value)
        elif isinstance(value, Intrinsic):
            module, _, attribute = value.generator.partition(":")
            names[name] = getattr(importlib.import_module(module), attribute)
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    return copy


def _names(code: Any) -> set[str]:
    inner = (_names(one) for one in code.co_consts if hasattr(one, "co_names"))
    return {*code.co_names}.union(*inner)


def _callable_by_kernels(kernel: Kernel) -> Any:
    if kernel not in _called:
        options = {
            "inline": "always" if kernel.inlined else "never",
            "no_cpython_wrapper": True,
            "no_cfunc_wrapper": True,
        }
        if _short_way:
            from reenact.kernels.numba_pipeline import KernelPipeline

            options["pipeline_class"] = KernelPipeline
        _called[kernel] = numba.njit(**_OPTIONS, **options)(_for_numba(kernel))
    return _called[kernel]


def _numba_type(kind: Any) -> Any:
    if is_array(kind):
        dtype, dimensions, flags = kind
        layout = "C" if flags & CONTIGUOUS else "A"
        return types.Array(numpy_support.from_dtype(dtype), dimensions, layout, aligned=bool(flags & ALIGNED))
    if isinstance(kind, tuple):
        parts = tuple(map(_numba_type, kind[1:]))
        return types.BaseTuple.from_types(parts, None if kind[0] is tuple else kind[0])
    plain = {int: types.int64, float: types.float64, bool: types.boolean, None: types.none}
    return plain[kind] if kind in plain else numpy_support.from_dtype(kind)
