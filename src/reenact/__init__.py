"""reenact: turn a library of motion capture into new performances.

Names are imported when first used, so that `import reenact` stays quick. Beside the types and readers listed here every operation of the
registry is a function: `reenact.transition(walk, kick, window=0.5)`; `dir(reenact)` lists them.
"""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec

from reenact.lazy_names import lazy_names

__version__ = "0.1.0"

_HOME = {
    "load": "reenact.loading",
    "load_all": "reenact.loading",
    "save": "reenact.loading",
    "LoadOptions": "reenact.loading",
    "WriteOptions": "reenact.formats.loaded",
    "Character": "reenact.body.character",
    "rig": "reenact.body.rigging",
    "RigParameters": "reenact.body.rigging",
    "scale_character": "reenact.body.scaling",
    "scale_skeleton": "reenact.body.scaling",
    "soles": "reenact.body.soles",
    "humanoid": "reenact.body.humanoid",
    "HumanoidParameters": "reenact.body.humanoid",
    "Clip": "reenact.core.clip",
    "World": "reenact.core.clip",
    "Skeleton": "reenact.core.skeleton",
    "FootPlants": "reenact.core.foot_plants",
    "Made": "reenact.core.made",
    "Finding": "reenact.core.findings",
    "FormatError": "reenact.errors",
    "Library": "reenact.library.store",
    "LibraryError": "reenact.errors",
    "ParameterError": "reenact.errors",
    "ReenactError": "reenact.errors",
    "SkeletonError": "reenact.errors",
}

_find_name = lazy_names(__name__, _HOME)


def __getattr__(name: str) -> object:
    if name in _HOME:
        return _find_name(name)
    if name == "__all__":
        return __dir__()
    if name in (
        "adapt",
        "blend",
        "graft",
        "render",
        "walk",
    ):  # packages that are called like the operation of their name
        return importlib.import_module(f"{__name__}.{name}")
    if (
        name.startswith("_") or find_spec(f"{__name__}.{name}") is not None
    ):  # a module: importing it is what makes it a name
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function = importlib.import_module("reenact.operations.api").api_function(name)
    setattr(sys.modules[__name__], name, function)
    return function


def __dir__() -> list[str]:
    from reenact.operations.registry import operations

    return sorted({*_HOME, "__version__", *(operation.function_name for operation in operations())})
