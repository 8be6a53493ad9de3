"""Arrays that all items of a map need: written once as files, mapped into the memory of each worker, never sent with an item."""

from __future__ import annotations

import mmap
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reenact.errors import ParameterError


@dataclass(frozen=True, slots=True)
class ArrayFile:
    """Where an array lies: a file, the place in it, what the bytes mean, and when the file was last written."""

    path: str
    offset: int
    dtype: str
    shape: tuple[int, ...]
    written: int

    @property
    def bytes(self) -> int:
        """Size of the array."""
        return int(np.prod(self.shape, dtype=np.int64)) * np.dtype(self.dtype).itemsize

    def is_here(self) -> bool:
        """Whether this machine has the file, and it is the same."""
        try:
            found = os.stat(self.path)
        except OSError:
            return False
        return found.st_mtime_ns == self.written and found.st_size >= self.offset + self.bytes

    def open(self) -> np.ndarray:
        """The array, read-only, mapped into memory."""
        if self.bytes == 0:
            return read_only(np.empty(self.shape, np.dtype(self.dtype)))
        return np.memmap(self.path, np.dtype(self.dtype), "r", self.offset, self.shape)


def check_shared(shared: Mapping[str, np.ndarray] | None) -> dict[str, np.ndarray]:
    """The arrays of a map.

    Raises:
        ParameterError: one of them is no array of numbers.
    """
    for name, array in (shared or {}).items():
        if not isinstance(array, np.ndarray) or array.dtype.hasobject:
            raise ParameterError(
                "only arrays of numbers are shared; put other values into the task with functools.partial", where=name
            )
    return dict(shared or {})


def read_only(array: np.ndarray) -> np.ndarray:
    """A view that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


class SharedFiles:
    """The files of the arrays of one map; a context that deletes those it wrote. Arrays that are mapped files stay where they are."""

    def __init__(self, shared: Mapping[str, np.ndarray] | None) -> None:
        arrays = check_shared(shared)
        self._folder: str | None = None
        self.files: dict[str, ArrayFile] = {}
        try:
            for name, array in arrays.items():
                self.files[name] = _mapped(array) or self._write(name, array)
        except BaseException:
            self.close()
            raise

    def _write(self, name: str, array: np.ndarray) -> ArrayFile:
        if self._folder is None:
            self._folder = tempfile.mkdtemp(prefix="reenact-shared-")
        path = Path(self._folder) / f"{len(self.files)}.array"
        np.ascontiguousarray(array).tofile(path)
        return _file(path, 0, array)

    def close(self) -> None:
        """Delete the files that were written; workers that have them open keep what they see."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def __enter__(self) -> SharedFiles:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _mapped(array: np.ndarray) -> ArrayFile | None:
    """The file of an array that is one whole mapping of it; parts of mappings are not told from their place, so they are written."""
    if not (isinstance(array, np.memmap) and isinstance(array.base, mmap.mmap) and array.flags.c_contiguous):
        return None
    if array.filename is None or array.mode == "c" or not os.path.exists(array.filename):
        return None
    if array.mode != "r":
        array.flush()
    return _file(Path(array.filename), int(array.offset), array)


def _file(path: Path, offset: int, array: np.ndarray) -> ArrayFile:
    return ArrayFile(str(path.absolute()), offset, array.dtype.str, array.shape, path.stat().st_mtime_ns)
