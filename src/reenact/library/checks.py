"""What can be wrong with the index and with one clip: the single looks that `verify` takes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING

from reenact.errors import LibraryError
from reenact.library.cells import is_text, shown
from reenact.library.clip_files import clip_folder
from reenact.library.labels import index_words
from reenact.library.proving import rows_as_far_as_they_go
from reenact.library.stored_clips import open_stored, read_stored

if TYPE_CHECKING:
    from reenact.library.store import Library


def index_all(connection: sqlite3.Connection) -> None:
    """The search's words of every clip whose cells are sound."""
    for row in connection.execute("SELECT id FROM clips").fetchall():
        try:
            index_words(connection, row[0])
        except LibraryError:  # told with the clip
            continue


def index_faults(library: Library) -> list[str]:
    """What SQLite itself finds wrong with the index; references between rows are looked at elsewhere."""
    try:
        with library.index.reading() as connection:
            answers = [shown(row[0]) for row in connection.execute("PRAGMA integrity_check(20)")]
    except LibraryError as error:
        return [error.message]
    return [answer for answer in answers if answer != "ok"]


def clip_numbers(library: Library) -> list[int]:
    """Numbers of all clips, also where the table cannot be read to its end."""
    found: set[int] = set()
    with library.index.reading() as connection:
        for order in ("id", "id DESC", "hash", "name"):
            found.update(row[0] for row in rows_as_far_as_they_go(connection, f"SELECT id FROM clips ORDER BY {order}"))
    return sorted(found)


def lost_numbers(connection: sqlite3.Connection) -> list[int]:
    """Numbers of clips that other rows speak of and that have no row."""
    found: set[int] = set()
    for table in ("sources", "clip_tags", "metadata", "derived_from"):
        question = f"SELECT DISTINCT clip_id FROM {table} WHERE clip_id NOT IN (SELECT id FROM clips)"
        found.update(row[0] for row in connection.execute(question) if isinstance(row[0], int) and row[0] > 0)
    return sorted(found)


def fault_of(library: Library, number: int) -> tuple[str, str, str] | None:
    """Code, clip and message of what is wrong with a clip; None when it is sound."""
    try:
        with library.index.reading() as connection:
            if connection.execute("SELECT 1 FROM clips WHERE id = ?", (number,)).fetchone() is None:
                return "gone", f"clip {number}", ""
            stored = read_stored(connection, number)
            cells = connection.execute("SELECT * FROM clips WHERE id = ?", (number,)).fetchone()
    except LibraryError as error:
        return "cell", error.where or f"clip {number}", error.message
    folder = clip_folder(library.folder, stored.hash)
    if not folder.is_dir():
        return "missing", stored.name, f"the arrays are not there ({folder})"
    try:
        open_stored(library.folder, stored)
        size = sum(entry.stat().st_size for entry in folder.iterdir())
    except LibraryError as error:
        return "damaged", stored.name, error.message
    except OSError as error:
        return "damaged", stored.name, f"the arrays cannot be read ({error.strerror or error})"
    if size != stored.bytes:
        return "damaged", stored.name, f"the arrays take {size} bytes, the index says {stored.bytes}"
    if not stored.name.strip():
        return "cell", f"clip {number}", "the clip has no name"
    wrong = [name for name in ("description", "added_at") if not is_text(cells[name])]
    if wrong:
        return "cell", stored.name, f"the index holds {shown(cells[wrong[0]])} as {wrong[0]}, expected a text"
    if cells["seconds"] != stored.frames / stored.fps:
        return "cell", stored.name, f"the index holds {shown(cells['seconds'])} as seconds"
    return None


def cure_for(library: Library, number: int) -> str:
    """What a person can do for a clip that cannot be mended."""
    with library.index.reading() as connection:
        rows: Iterator[tuple] = rows_as_far_as_they_go(
            connection, "SELECT path FROM sources WHERE clip_id = ? AND path <> '' ORDER BY path LIMIT 1", (number,)
        )
        path = next((row[0] for row in rows if is_text(row[0])), "")
    return f"; add {path} again (--again) to mend it" if path else ""
