"""reenact: turn a library of motion capture into new performances.

Names are imported when first used, so that `import reenact` stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reenact.lazy_names import lazy_names

__version__ = "0.1.0"

_HOME = {
    "load": "reenact.loading",
    "load_all": "reenact.loading",
    "save": "reenact.loading",
    "LoadOptions": "reenact.loading",
    "WriteOptions": "reenact.formats.loaded",
    "Clip": "reenact.core.clip",
    "World": "reenact.core.clip",
    "Skeleton": "reenact.core.skeleton",
    "Finding": "reenact.core.findings",
    "FormatError": "reenact.errors",
    "Library": "reenact.library.store",
    "LibraryError": "reenact.errors",
    "ParameterError": "reenact.errors",
    "ReenactError": "reenact.errors",
    "SkeletonError": "reenact.errors",
}

__all__ = [
    "Clip",
    "Finding",
    "FormatError",
    "Library",
    "LibraryError",
    "LoadOptions",
    "ParameterError",
    "ReenactError",
    "Skeleton",
    "SkeletonError",
    "World",
    "WriteOptions",
    "__version__",
    "load",
    "load_all",
    "save",
]

if TYPE_CHECKING:
    from reenact.core.clip import Clip, World
    from reenact.core.findings import Finding
    from reenact.core.skeleton import Skeleton
    from reenact.errors import FormatError, LibraryError, ParameterError, ReenactError, SkeletonError
    from reenact.formats.loaded import WriteOptions
    from reenact.library.store import Library
    from reenact.loading import LoadOptions, load, load_all, save


__getattr__ = lazy_names(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
