"""How kernels are compiled: one decorator, and a machine-code cache that cannot go stale.

Numba keys its cache by the file of the compiled function alone, so an edit in another kernel file that the function calls would
go unnoticed and give wrong answers. Here the cache folder's name holds a hash of every kernel source.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, TypeVar

import numba
from numba.core import config as _config

F = TypeVar("F", bound=Callable[..., Any])
numba_config: Any = _config  # its names are made at run time

compiled: list[Any] = []
"""Every dispatcher made by `kernel`, for tests that count compilations."""


def sources_hash() -> str:
    """Hash of every file in this package and of Numba's version."""
    digest = hashlib.blake2b(numba.__version__.encode(), digest_size=8)
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def cache_folder() -> Path:
    """Where compiled kernels are kept: `$REENACT_CACHE_DIR`, else the user's cache folder."""
    if base := os.environ.get("REENACT_CACHE_DIR"):
        root = Path(base)
    elif sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA") or _home()) / "reenact"
    elif sys.platform == "darwin":
        root = _home() / "Library" / "Caches" / "reenact"
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME") or _home() / ".cache") / "reenact"
    return root / f"kernels-{sources_hash()}"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # a user without a home folder, as in many containers
        return Path(os.devnull)  # no folder can be made there: nothing is kept


def _usable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


_folder = cache_folder()
_cached = _usable(_folder)


def kernel(function: F) -> F:
    """Compile on first call, with contracted multiply-adds, and keep the machine code between processes.

    Not `fastmath`: NaN and infinity keep their meaning, so bad data can be found.
    """
    return _compile(function, "never")


def inlined_kernel(function: F) -> F:
    """A kernel that becomes part of the kernels that call it: for steps so short that a call would cost as much."""
    return _compile(function, "always")


def _compile(function: F, inline: Literal["always", "never"]) -> F:
    before = numba_config.CACHE_DIR
    numba_config.CACHE_DIR = str(_folder)  # only while this function is decorated: other packages keep theirs
    try:
        dispatcher = numba.njit(cache=_cached, fastmath={"contract"}, nogil=True, error_model="numpy", inline=inline)(
            function
        )
    finally:
        numba_config.CACHE_DIR = before
    if _cached:
        _forgive(dispatcher._cache)
    compiled.append(dispatcher)
    return dispatcher  # type: ignore[return-value]


def _forgive(cache: Any) -> None:
    """Let a full disk or a damaged file in the cache cost time, not the work: nothing is kept, or it is compiled anew."""
    load, save = cache.load_overload, cache.save_overload

    def load_or_compile(*asked: Any) -> Any:
        try:
            return load(*asked)
        except Exception:  # whatever a damaged pickle brings about
            with suppress(OSError):
                cache.flush()
            return None

    def save_if_possible(*made: Any) -> None:
        with suppress(OSError):
            save(*made)

    cache.load_overload, cache.save_overload = load_or_compile, save_if_possible


def compilations() -> int:
    """How many kernel specialisations this process had to compile (0 when all came from the cache)."""
    return sum(sum(dispatcher.stats.cache_misses.values()) for dispatcher in compiled)
