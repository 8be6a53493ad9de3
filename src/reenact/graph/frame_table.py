"""Features and states of frames as they come, clip by clip: the features in a file, mapped into memory when all are there.

So a library of any size takes the memory of a few clips until its frames are clustered, and pages that are not looked at can go.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np

from reenact.core.arrays import Float32
from reenact.errors import ParameterError


class FrameTable:
    """Rows (N, D) float32 with a state each; a context that deletes its file. Arrays that were given out stay good."""

    def __init__(self) -> None:
        number, name = tempfile.mkstemp(prefix="reenact-frames-")
        self._file = os.fdopen(number, "w+b")
        self._path = Path(name)
        self._states: list[np.ndarray] = []
        self._width: int | None = None

    def append(self, features: Float32, states: np.ndarray) -> None:
        """Add the frames of a clip."""
        if self._width not in (None, features.shape[1]) or states.shape != (len(features),):
            raise ParameterError(f"features {features.shape} and states {states.shape} do not speak of the same frames")
        self._width = features.shape[1]
        self._file.write(np.ascontiguousarray(features, np.float32).data)
        self._states.append(states)

    def __len__(self) -> int:
        return sum(map(len, self._states))

    def features(self) -> Float32:
        """(N, D), read-only."""
        self._file.flush()
        if len(self) == 0:
            return np.empty((0, self._width or 0), np.float32)
        return np.memmap(self._path, np.float32, "r", 0, (len(self), self._width or 0))

    def states(self) -> np.ndarray:
        """(N,) int8."""
        return np.concatenate([np.empty(0, np.int8), *self._states])

    def close(self) -> None:
        """Delete the file; what is mapped of it stays until nobody has it any more."""
        self._file.close()
        self._path.unlink(missing_ok=True)

    def __enter__(self) -> FrameTable:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
