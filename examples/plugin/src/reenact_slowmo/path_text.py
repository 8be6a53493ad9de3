"""The format: one line `hips x y z` a frame, in metres."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from reenact import Clip, FormatError, Skeleton, WriteOptions
from reenact.formats.atomic import atomic_write
from reenact.formats.loaded import Loaded, ReadOptions

FPS = 30.0


def write(clips: Sequence[Clip], path: Path, options: WriteOptions) -> None:
    """Write the way of the first joint, 30 times a second."""
    (clip,) = clips
    rows = clip.root[:: max(1, round(clip.fps / FPS))]
    with atomic_write(path) as stream:
        stream.write("".join(f"hips {x:.4f} {y:.4f} {z:.4f}\n" for x, y, z in rows).encode())


def read(path: Path, options: ReadOptions) -> Loaded:
    """A clip of one joint that goes that way."""
    rows = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split()
        if len(words) != 4 or words[0] != "hips":
            raise FormatError(f"expected `hips x y z`, found {line[:40]!r}", path=path, line=number)
        rows.append([float(word) for word in words[1:]])
    skeleton = Skeleton(("hips",), np.array([-1], np.int32), np.zeros((1, 3)))
    turns = np.tile(np.array([1.0, 0, 0, 0], np.float32), (len(rows), 1, 1))
    return Loaded((Clip(skeleton, turns, np.array(rows, np.float32), FPS, path.stem),), format="path")
