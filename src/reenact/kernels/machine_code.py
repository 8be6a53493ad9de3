"""Kept machine code made ready to run by LLVM's loader alone: importing Numba costs half a second, this a millisecond a kernel.

Numba's code calls helpers in three extension modules of Numba, which are loaded here without the package around them; an import of Numba
later finds them loaded. Whatever is not as expected makes `ready` give None, and the kernel is compiled by Numba itself.
"""

from __future__ import annotations

import builtins
import ctypes
import hashlib
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

import llvmlite.binding as llvm

from reenact.kernels.kept_code import Code, package_folder

_alive: list[Any] = []
"""Engines and environments: machine code must not go while anything may call it."""


@cache
def processor() -> str:
    """A name for code that runs on this machine: platform, processor and its features."""
    features = llvm.get_host_cpu_features().flatten()
    cpu = os.environ.get("NUMBA_CPU_NAME") or llvm.get_host_cpu_name()
    short = hashlib.blake2b(f"{llvm.get_process_triple()} {features}".encode(), digest_size=4).hexdigest()
    return f"{cpu}-{short}"


def ready(code: Code, module: ModuleType, name: str) -> Callable[..., Any] | None:
    """The function of kept code; None if this process cannot run it."""
    try:
        helpers = _helpers()
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())
        # from here on LLVM knows the names of this process; one that it misses while linking would end it
        if not all(llvm.address_of_symbol(external) for external in code.externals):
            return None
        engine.add_object_file(llvm.ObjectFileRef.from_data(code.object_code))
        engine.finalize_object()
        address = engine.get_function_address(code.entry)
        if not address:
            return None
        environments = []
        for symbol, constants in code.environments:
            environment = helpers.Environment(vars(module))
            environment.consts.extend(constants)
            environments.append(environment)
            place = engine.get_global_value_address(symbol)
            if place:
                ctypes.c_void_p.from_address(place).value = id(environment)
        _alive.append((engine, environments))
        return helpers.make_function(module, name, "", address, environments[0], (engine,))
    except Exception:  # another Numba than the one this was written for
        return None


@cache
def _target_machine() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine()


@cache
def _helpers() -> Any:
    """Make the names known to LLVM that Numba's machine code calls; gives the module that makes functions."""
    dynamic = _extension("numba._dynfunc")
    for helper in (_extension("numba._helperlib"), dynamic):
        for name, address in helper.c_helpers.items():
            llvm.add_symbol(f"numba_{name}", address)
    for name, address in _extension("numba.core.runtime._nrt_python").c_helpers.items():
        llvm.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
    for name, value in vars(builtins).items():
        if isinstance(value, type) and issubclass(value, BaseException):
            llvm.add_symbol(f"PyExc_{name}", id(value))
    llvm.add_symbol("_Py_NoneStruct", id(None))
    return dynamic


def _extension(name: str) -> Any:
    """An extension module of Numba without the packages it lies in."""
    if name in sys.modules:
        return sys.modules[name]
    *folders, stem = name.split(".")[1:]
    folder = package_folder("numba").joinpath(*folders)
    for suffix in importlib.machinery.EXTENSION_SUFFIXES:
        path = folder / f"{stem}{suffix}"
        if path.is_file():
            spec = importlib.util.spec_from_file_location(name, path)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            sys.modules[name] = module
            return module
    raise ModuleNotFoundError(f"No module named {name!r}", name=name)
