"""Where machine code is kept between processes: one file for each kernel and kinds of arguments, in a folder that cannot go stale.

The folder's name holds a hash of the versions of everything that shapes the code, of the settings of Numba in the environment and of
the modules that compile; the subfolder's name is the processor. A file's name holds a hash of the kernel's module and of all modules of
this package that it names, directly or through others, so a change of one kernel compiles those anew that depend on it and no other.
A file is whole or not there, and begins with a digest of itself: what is damaged is compiled anew.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import sys
import tempfile
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from reenact.kernels import notices

_DIGEST = 16
_FOLDER = Path(__file__).parent
_COMPILING = (
    "argument_kinds",
    "bit_code",
    "compiling",
    "kept_code",
    "machine_code",
    "notices",
    "numba_compiler",
    "numba_pipeline",
    "numba_shortcuts",
    "written_arguments",
)
_PATH = re.compile(r"reenact\.kernels\.(\w+)")
_IMPORT = re.compile(r"from (?:reenact\.kernels|\.) import (?:\(([^)]*)\)|([^\n]*))")
_COMMENT = re.compile(r"#[^\n]*")
_FIRST_WORD = re.compile(r"(?:^|,)\s*(\w+)")
_SETTINGS_WITHOUT_EFFECT = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_DISABLE_JIT", "NUMBA_THREADING_LAYER")


class Code(NamedTuple):
    """Machine code of a kernel for some kinds of arguments, and what is needed to run it."""

    object_code: bytes
    entry: str  # name of the function that takes Python's arguments
    environments: tuple[
        tuple[str, tuple[object, ...]], ...
    ]  # name and constants of each; the first is the kernel's own
    externals: tuple[str, ...]  # names that the code looks for in the process
    written: tuple[int, ...]  # which arguments it writes to


def package_folder(name: str) -> Path:
    """Folder of an installed package, found without importing it."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return Path(spec.origin).parent


@cache
def compiler_hash() -> str:
    """Hash of the modules that compile, of the versions of Python, NumPy, Numba and llvmlite, and of Numba's settings."""
    digest = hashlib.blake2b(f"{sys.version}{np.__version__}".encode(), digest_size=8)
    for package in ("numba", "llvmlite"):
        digest.update((package_folder(package) / "_version.py").read_bytes())
    for name, value in sorted(os.environ.items()):
        if name.startswith("NUMBA_") and name not in _SETTINGS_WITHOUT_EFFECT:
            digest.update(f"{name}={value}".encode())
    for module in _COMPILING:
        digest.update(_source(module))
    return digest.hexdigest()


@cache
def sources_hash(module: str) -> str:
    """Hash of a module of this package and of all modules of it that its source names, directly or through others."""
    found: set[str] = set()
    open_ends = [module]
    while open_ends:
        name = open_ends.pop()
        if name not in found and name not in _COMPILING:
            found.add(name)
            open_ends += named_modules(_source(name).decode())
    digest = hashlib.blake2b(digest_size=8)
    for name in sorted(found):
        digest.update(name.encode())
        digest.update(_source(name))
    return digest.hexdigest()


def named_modules(source: str) -> set[str]:
    """Modules of this package that a source imports or names with their paths."""
    named = set(_PATH.findall(source))
    for together, alone in _IMPORT.findall(source):
        named.update(_FIRST_WORD.findall(_COMMENT.sub("", together or alone)))
    return {name for name in named if (_FOLDER / f"{name}.py").exists()}


@cache
def _source(module: str) -> bytes:
    return (_FOLDER / f"{module}.py").read_bytes()


@cache
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
    return root / f"kernels-{compiler_hash()}"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # a user without a home folder, as in many containers
        return Path(os.devnull)  # no folder can be made there: nothing is kept


def read_code(processor: str, name: str) -> Code | None:
    """The kept code of a name; None where there is none, or a damaged one."""
    try:
        data = (cache_folder() / processor / name).read_bytes()
    except OSError:
        return None
    if hashlib.blake2b(data[_DIGEST:], digest_size=_DIGEST).digest() != data[:_DIGEST]:
        return None
    try:
        return Code(*pickle.loads(data[_DIGEST:]))
    except Exception:  # whatever a pickle of another version brings about
        return None


def keep_code(processor: str, name: str, code: Code) -> None:
    """Keep code for later processes; where that cannot be done it is said once."""
    folder = cache_folder() / processor
    try:
        data = pickle.dumps(tuple(code), protocol=5)
    except Exception:  # a constant that cannot be kept
        return
    unfinished = ""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, unfinished = tempfile.mkstemp(prefix=".", dir=folder)
        with open(handle, "wb") as stream:
            stream.write(hashlib.blake2b(data, digest_size=_DIGEST).digest() + data)
        os.replace(unfinished, folder / name)
    except OSError as error:
        if unfinished:
            with suppress(OSError):
                os.unlink(unfinished)
        notices.not_kept(str(cache_folder().parent), error.strerror or type(error).__name__)
