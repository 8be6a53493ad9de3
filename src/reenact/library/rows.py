"""Putting clips into the index and taking them out: what happens under the write lock."""

from __future__ import annotations

import filecmp
import json
import os
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from reenact.formats.address import file_of
from reenact.library.clip_files import StagedClip, clip_folder, install_arrays
from reenact.library.labels import forget_unused, free_name, index_words


@dataclass(frozen=True, slots=True)
class Added:
    """The outcome of adding a clip.

    Attributes:
        id: its number.
        hash: its content address.
        name: its name in the library.
        new: False when the library had this motion already.
    """

    id: int
    hash: str
    name: str
    new: bool


@dataclass(frozen=True, slots=True)
class FileState:
    """A file as it was when it was read.

    Attributes:
        path: absolute, as text.
        relative: below the imported folder.
        size: bytes.
        mtime_ns: time of the last change.
        options: canonical JSON of the reading options.
    """

    path: str
    relative: str
    size: int
    mtime_ns: int
    options: str


def now() -> str:
    """The time, ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def insert_clip(connection: sqlite3.Connection, library: Path, staged: StagedClip, name: str) -> Added:
    """Give a staged clip its row and its place, unless the library has this motion already.

    The arrays move first and the row is committed after, so a row never stands for arrays that are not there. A clip whose arrays
    were lost or damaged gets them back.
    """
    row = connection.execute("SELECT id, name FROM clips WHERE hash = ?", (staged.hash,)).fetchone()
    if row:
        if not _same_arrays(clip_folder(library, staged.hash), Path(staged.folder)):
            install_arrays(library, staged)
        return Added(row[0], staged.hash, row[1], new=False)
    skeleton = insert_skeleton(connection, staged)
    given = free_name(connection, name)
    cursor = connection.execute(
        """INSERT INTO clips (hash, name, skeleton_id, frames, fps, seconds, translated, bytes, origin, pristine, added_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            staged.hash,
            given,
            skeleton,
            staged.frames,
            staged.fps,
            staged.frames / staged.fps,
            json.dumps(staged.translated),
            staged.bytes,
            staged.origin,
            int(staged.pristine),
            now(),
        ),
    )
    number = int(cursor.lastrowid or 0)
    install_arrays(library, staged)
    index_words(connection, number)
    return Added(number, staged.hash, given, new=True)


def insert_skeleton(connection: sqlite3.Connection, staged: StagedClip) -> int:
    """The row of a staged clip's skeleton, made when there is none; one whose cells are damaged is written anew."""
    cells = (staged.tree, staged.joints, staged.skeleton)
    connection.execute(
        "INSERT OR IGNORE INTO skeletons (key, tree, joints, definition) VALUES (?, ?, ?, ?)",
        (staged.skeleton_key, *cells),
    )
    row = connection.execute(
        "SELECT id, tree, joints, definition FROM skeletons WHERE key = ?", (staged.skeleton_key,)
    ).fetchone()
    if tuple(row)[1:] != cells:
        connection.execute(
            "UPDATE skeletons SET tree = ?, joints = ?, definition = ? WHERE id = ?", (*cells, row["id"])
        )
    return int(row["id"])


def _same_arrays(place: Path, staged: Path) -> bool:
    """True when the stored arrays are there, byte for byte."""
    names = sorted(os.listdir(staged))
    try:
        return sorted(os.listdir(place)) == names and all(
            filecmp.cmp(place / name, staged / name, shallow=False) for name in names
        )
    except OSError:
        return False


def insert_source(connection: sqlite3.Connection, added: Added, file: FileState, position: int, name: str) -> None:
    """Note that a file holds a clip."""
    connection.execute(
        "INSERT OR REPLACE INTO sources (clip_id, path, relative, position, name, options) VALUES (?, ?, ?, ?, ?, ?)",
        (added.id, file.path, file.relative, position, name, file.options),
    )
    index_words(connection, added.id)


def insert_file(connection: sqlite3.Connection, file: FileState, clips: int, error: str) -> None:
    """Note that a file was read, and with what outcome."""
    connection.execute(
        "INSERT OR REPLACE INTO files (path, options, size, mtime_ns, clips, error, read_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (file.path, file.options, file.size, file.mtime_ns, clips, error, now()),
    )


def knows_file(connection: sqlite3.Connection, file: FileState) -> bool:
    """True when this very file was read with these options, and could be."""
    row = connection.execute(
        "SELECT size, mtime_ns, error FROM files WHERE path = ? AND options = ?", (file.path, file.options)
    ).fetchone()
    return row is not None and tuple(row) == (file.size, file.mtime_ns, "")


def delete_clip(connection: sqlite3.Connection, number: int) -> tuple[str, list[str]]:
    """Take a clip and all that was derived from it out of the index; its files stay.

    Returns:
        Its hash, and the derived files that have no row any more.
    """
    (content,) = connection.execute("SELECT hash FROM clips WHERE id = ?", (number,)).fetchone()
    rows = connection.execute(
        "SELECT d.key, d.file FROM derived d JOIN derived_from f ON f.key = d.key WHERE f.clip_id = ?", (number,)
    ).fetchall()
    for key, _ in rows:
        connection.execute("DELETE FROM derived_from WHERE key = ?", (key,))
        connection.execute("DELETE FROM derived WHERE key = ?", (key,))
    # The files it came from are forgotten too: adding their folder again brings the clip back.
    connection.execute("DELETE FROM files WHERE path IN (SELECT path FROM sources WHERE clip_id = ?)", (number,))
    connection.execute("DELETE FROM words WHERE rowid = ?", (number,))
    connection.execute("DELETE FROM clips WHERE id = ?", (number,))
    forget_unused(connection)
    return content, [file for _, file in rows]


def state_of(path: Path, relative: str, options: str, text: str) -> FileState:
    """The state of a file now, of one that an address means; `OSError` when it cannot be looked at."""
    status = os.stat(file_of(path))
    return FileState(text, relative, status.st_size, status.st_mtime_ns, options)
