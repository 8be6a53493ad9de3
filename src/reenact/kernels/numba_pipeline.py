"""Numba's way from a kernel to machine code, without what is not needed for it: half of the time otherwise.

- Numba makes machine code of every function by itself, and optimizes each with all that it calls, before it is linked into those that
  call it. Here the functions that a kernel calls are parts of it (`PartLibrary`): linked, then optimized and translated once, as one.
- Passes for what no kernel contains (closures, `with`, `literal_unroll`, dynamic exceptions) are left out, and the checks in between.
- Python's garbage collector, which goes through millions of small objects again and again and finds nothing, rests meanwhile.

Everything here leans on Numba's insides: where they are not as expected `numba_compiler` compiles in Numba's own way.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager
from numba.core.registry import cpu_target

from reenact.kernels.numba_shortcuts import shortcuts

_NOT_NEEDED = {
    "WithLifting",
    "InlineClosureLikes",
    "RewriteDynamicRaises",
    "MakeFunctionToJitFunction",
    "FindLiterallyCalls",
    "LiteralUnroll",
    "LiteralPropagationSubPipelinePass",
    "InlineOverloads",
    "NoPythonSupportedFeatureValidation",
    "AnnotateTypes",
    "DumpParforDiagnostics",
}


class KernelPipeline(CompilerBase):
    """The passes that kernels need."""

    def define_pipelines(self) -> list[Any]:
        """As Numba's own, with fewer of them."""
        passes = PassManager("kernel")
        passes._ENFORCING = False
        for one, description in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
            if one.__name__ not in _NOT_NEEDED:
                passes.add_pass(one, description)
        passes.finalize()
        return [passes]


class PartLibrary(JITCodeLibrary):
    """Code of one function, to be linked into that of others; machine code only once it is whole."""

    _whole = False

    def make_whole(self) -> None:
        """Optimize it with all it was linked with, and translate it."""
        self._ensure_finalized()
        self._whole = True
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()

    def get_pointer_to_function(self, name: str) -> int:
        """Address of machine code, 0 where there is none."""
        return super().get_pointer_to_function(name) if self._whole else 0

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:
                manager, builder = self._codegen._function_pass_manager()
                manager.run(function, builder)

    def _optimize_final_module(self) -> None:
        if self._whole:
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        if self._whole:
            super()._finalize_final_module()
        else:
            self._finalize_dynamic_globals()
            self._verify_declare_only_symbols()
            self._finalized = True


@contextmanager
def parts_are_linked() -> Iterator[None]:
    """Within it every function that Numba compiles is a `PartLibrary`."""
    context = cpu_target.target_context
    codegen = context.codegen()
    collecting = gc.isenabled()
    with global_compiler_lock:
        codegen._library_class, codegen.set_env = PartLibrary, _no_environment
        gc.disable()
        try:
            with shortcuts():
                yield
        finally:
            if collecting:
                _let_collect()
            codegen.__dict__.pop("_library_class", None)
            codegen.__dict__.pop("set_env", None)


def _let_collect() -> None:
    """Let the collector run again: all that was made meanwhile counts as old, and is not gone through at once."""
    if gc.get_freeze_count() == 0:
        gc.freeze()
        gc.unfreeze()
    gc.enable()


def _no_environment(name: str, environment: Any) -> None:
    """Parts have no place for their environments yet."""


def make_whole(made: Any) -> Any:
    """The function of a compiled kernel, from Numba's result for it."""
    library = made.library
    library.make_whole()
    for environment in (made.environment, *made._find_referenced_environments()):
        place = library.codegen._engine.get_global_value_address(environment.env_name)
        if place:
            ctypes.c_void_p.from_address(place).value = id(environment)
    return made.target_context.get_executable(library, made.fndesc, made.environment)
