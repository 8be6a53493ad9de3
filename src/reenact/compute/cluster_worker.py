"""What runs on the workers of a cluster."""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import shutil
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reenact.compute.answers import answer, pack_error
from reenact.compute.shared_arrays import ArrayFile

_jobs: dict[str, tuple[Any, dict[str, Any]]] = {}
_brought: dict[str, dict[str, ArrayFile]] = {}
_guard = threading.Lock()


def set_up() -> dict[str, str]:
    """What must be alike everywhere, so that results are: Python and the sources of this package."""
    import numpy as np

    return {
        "Python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "NumPy": np.__version__.split(".")[0],
        "reenact": _sources(),
    }


@functools.cache
def _sources() -> str:
    """A hash of them."""
    digest = hashlib.sha256()
    folder = Path(__file__).resolve().parent.parent
    for file in sorted(folder.rglob("*.py")):
        digest.update(str(file.relative_to(folder)).encode() + b"\0" + file.read_bytes())
    return f"of the sources {digest.hexdigest()[:12]}"


def work(job: str, folder: str, task: bytes, files: Mapping[str, ArrayFile], item: bytes) -> tuple[str, Any]:
    """("answer", bytes) of an item; ("missing", this worker's address) when shared arrays are not on this machine.

    It is worked on in the caller's working folder where this machine has it, so that relative paths mean the same.
    """
    try:
        with _guard:
            if os.path.isdir(folder):
                os.chdir(folder)
            if job not in _jobs:
                places = [_brought.get(job, {}).get(name, file) for name, file in files.items()]
                if not all(place.is_here() for place in places):
                    return "missing", _address()
                shared = {name: place.open() for name, place in zip(files, places, strict=True)}
                _jobs[job] = pickle.loads(task), shared
            ready, shared = _jobs[job]
    except Exception as error:  # a task that cannot be imported here
        return "answer", pack_error(error)
    return "answer", answer(ready, item, shared)


def _address() -> str:
    from distributed import get_worker

    return get_worker().address


def receive(job: str, name: str, place: int, piece: bytes, file: ArrayFile) -> None:
    """Take a piece of a shared array that this machine does not have; the last one makes it known."""
    folder = _folder(job)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / hashlib.sha256(name.encode()).hexdigest()[:16]
    with open(path, "wb" if place == 0 else "r+b") as stream:
        stream.seek(place)
        stream.write(piece)
    if place + len(piece) >= file.bytes:
        made = ArrayFile(str(path), 0, file.dtype, file.shape, path.stat().st_mtime_ns)
        with _guard:
            _brought.setdefault(job, {})[name] = made


def forget(job: str) -> None:
    """The job is over: let go of its arrays, delete those that were brought here."""
    with _guard:
        _jobs.pop(job, None)
        if _brought.pop(job, None) is not None:
            shutil.rmtree(_folder(job), ignore_errors=True)


def _folder(job: str) -> Path:
    return Path(tempfile.gettempdir()) / f"reenact-shared-{job}-{os.getpid()}"
