"""Our side of the benchmarks, run by run.py: the public API, nothing prepared that a user would not have."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from timing import serve

import reenact
from reenact.formats.loaded import ReadOptions
from reenact.formats.registry import find_format

Task = Callable[[], object]


def decode(path: str) -> Task:
    """File to quaternions: the format's reader alone."""
    file = Path(path)
    return lambda: find_format(file).read(file, ReadOptions())


def load(path: str) -> Task:
    """File to a clip in metres, with roles, units, axes, T-pose and frame rate looked into."""
    return lambda: reenact.load(path)


def write(path: str, ending: str) -> Task:
    """A loaded clip to a file."""
    clip = reenact.load(path)
    out = Path(tempfile.mkdtemp(prefix="reenact-bench-")) / f"out{ending}"
    return lambda: reenact.save(clip, out)


def fk(path: str) -> Task:
    """Local rotations to world positions and rotations."""
    clip = reenact.load(path)
    return lambda: clip.world()


def copy(size: int) -> Task:
    """Plain copying of that many bytes, the physical limit; touched memory on both sides."""
    source, target = np.ones(size, np.uint8), np.zeros(size, np.uint8)
    return lambda: np.copyto(target, source)


if __name__ == "__main__":
    serve({"decode": decode, "load": load, "write": write, "fk": fk, "copy": copy})
