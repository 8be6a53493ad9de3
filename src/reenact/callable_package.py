"""Packages that are also functions: `reenact.blend(a, b)` blends, and `reenact.blend.clean` is a module of the package."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any


class CallablePackage(ModuleType):
    """A package that is called like the operation of its name."""

    def __call__(self, *given: Any, **options: Any) -> Any:
        """What `reenact.operations.api` makes of the operation; found by name, since packages of methods know no operations."""
        name = self.__name__.rpartition(".")[2]
        return importlib.import_module("reenact.operations.api").api_function(name)(*given, **options)


def make_callable(package: str) -> None:
    """Let a package, given by its `__name__`, be called."""
    sys.modules[package].__class__ = CallablePackage
