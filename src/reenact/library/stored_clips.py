"""A stored clip: its row in the index, its arrays on the disk, and whether the two still belong together."""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from reenact.core.clip import Clip
from reenact.errors import LibraryError
from reenact.library.cells import REMEDY, Cells, clip_label, faults_named
from reenact.library.clip_files import clip_folder, read_arrays
from reenact.library.content import hash_clip
from reenact.library.records import origin_from_json, skeleton_from_json

CLIP_CELLS = """SELECT c.id, c.hash, c.name, c.frames, c.fps, c.translated, c.bytes, c.origin, c.pristine, s.id AS skeleton,
    s.definition FROM clips c LEFT JOIN skeletons s ON s.id = c.skeleton_id WHERE c.id = ?"""


@dataclass(frozen=True, slots=True)
class StoredClip:
    """What the index says of a clip's arrays, every cell checked.

    Attributes:
        id, hash, name, frames, fps, bytes: as in the index.
        translated: joints with translations, or None.
        origin, definition: JSON of the origin and of the skeleton.
        pristine: the clip is as its file held it.
    """

    id: int
    hash: str
    name: str
    frames: int
    fps: float
    translated: list[int] | None
    bytes: int
    origin: str
    definition: str
    pristine: bool


def read_stored(connection: sqlite3.Connection, number: int) -> StoredClip:
    """The row of a clip.

    Raises:
        LibraryError: a cell is damaged; it names the clip.
    """
    row = connection.execute(CLIP_CELLS, (number,)).fetchone()
    if row is None:
        raise LibraryError("the index has lost the row of this clip", where=f"clip {number}")
    cells = Cells(row, clip_label(number, row["name"]))
    name = cells.text("name")
    if row["skeleton"] is None:
        raise LibraryError(f"the index has lost the skeleton of this clip; {REMEDY}", where=name)
    translated = cells.json("translated", (list, type(None)))
    if translated is not None and not all(type(joint) is int and 0 < joint < 1 << 31 for joint in translated):
        raise cells.fail("translated", "numbers of joints")
    return StoredClip(
        number,
        cells.hash("hash"),
        name,
        cells.whole("frames"),
        cells.positive("fps"),
        translated,
        cells.whole("bytes"),
        cells.text("origin"),
        cells.text("definition"),
        cells.whole("pristine", 0, 1) == 1,
    )


Checked = set[tuple[str, tuple[tuple[int, int, int], ...]]]
"""Contents that were compared with their hash: the hash, and number, size and time of the files as they were then."""


def open_stored(library: Path, stored: StoredClip, checked: Checked | None = None) -> Clip:
    """The clip of a row. Its arrays are mapped, and compared with its hash unless these very files were compared before.

    Raises:
        LibraryError: arrays, skeleton or origin are damaged; it names the clip.
    """
    folder = clip_folder(library, stored.hash)
    with faults_named("the stored clip", stored.name):
        seen = (stored.hash, _state_of(folder))
        skeleton = skeleton_from_json(stored.definition)
        rotations, root, moved = read_arrays(folder, skeleton, stored.frames, stored.translated)
        if moved is not None and len(moved.joints) and moved.joints[-1] >= len(skeleton):
            raise LibraryError(f"joint {moved.joints[-1]} has translations, the skeleton has {len(skeleton)} joints")
        clip = Clip(skeleton, rotations, root, stored.fps, stored.name, moved, origin_from_json(stored.origin))
        if checked is None or seen not in checked:
            if hash_clip(clip) != stored.hash:
                raise LibraryError("the contents do not have their hash any more")
            if checked is not None:
                checked.add(seen)
    return clip.as_recorded() if stored.pristine else clip


def _state_of(folder: Path) -> tuple[tuple[int, int, int], ...]:
    try:
        found = sorted(os.scandir(folder), key=lambda entry: entry.name)
        states = [entry.stat() for entry in found]
    except FileNotFoundError:
        raise LibraryError("the arrays are not there") from None
    except OSError as error:
        raise LibraryError(f"the arrays cannot be read ({error.strerror or error})") from error
    return tuple((state.st_ino, state.st_size, state.st_mtime_ns) for state in states)
