"""Clips taken out of a library so that they can be put back as they were: number, name, tags, what was derived from them alone."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reenact.library.clip_files import clip_folder, discard_folder, flush_arrays
from reenact.library.labels import add_tags, free_name, index_words

if TYPE_CHECKING:
    from reenact.library.entries import ClipRef
    from reenact.library.store import Library

Rows = tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class TakenOut:
    """A clip that was removed, with all that is needed to put it back.

    Attributes:
        id: its number.
        name: what it was called.
        folder: where copies of its files lie: `arrays`, and `derived` by their key.
        clip, skeleton: its rows in the index.
        sources, files, metadata, derived: the rows of the same tables.
        tags: names.
    """

    id: int
    name: str
    folder: Path
    clip: Mapping[str, Any]
    skeleton: Mapping[str, Any]
    sources: Rows
    files: Rows
    metadata: Rows
    derived: Rows
    tags: tuple[str, ...]


def take_out(library: Library, ref: ClipRef, folder: Path) -> TakenOut:
    """Remove a clip and keep a copy of it; what is damaged is kept as far as it is there.

    Args:
        library: the library.
        ref: the clip.
        folder: a new folder for the copies.
    """
    number = library.entry(ref).id
    folder.mkdir(parents=True)
    try:
        taken = _copy(library, number, folder)
        library.remove(number)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return taken


def _copy(library: Library, number: int, folder: Path) -> TakenOut:
    with library.index.snapshot() as connection:

        def ask(question: str) -> Rows:
            return tuple(dict(row) for row in connection.execute(question, (number,)).fetchall())

        (clip,) = ask("SELECT * FROM clips WHERE id = ?")
        (skeleton,) = ask("SELECT s.* FROM skeletons s JOIN clips c ON c.skeleton_id = s.id WHERE c.id = ?")
        taken = TakenOut(
            number,
            clip["name"],
            folder,
            clip,
            skeleton,
            ask("SELECT * FROM sources WHERE clip_id = ?"),
            ask("SELECT * FROM files WHERE path IN (SELECT path FROM sources WHERE clip_id = ?)"),
            ask("SELECT * FROM metadata WHERE clip_id = ?"),
            ask(
                """SELECT * FROM derived d WHERE (SELECT group_concat(clip_id) FROM derived_from f WHERE f.key = d.key)
                = CAST(? AS TEXT)"""
            ),
            tuple(
                row["name"]
                for row in ask("SELECT t.name FROM tags t JOIN clip_tags c ON c.tag_id = t.id WHERE c.clip_id = ?")
            ),
        )
        place = clip_folder(library.folder, clip["hash"])
        if place.is_dir():
            shutil.copytree(place, folder / "arrays")
        (folder / "derived").mkdir()
        kept = []
        for row in taken.derived:
            if (library.folder / row["file"]).is_file():
                shutil.copyfile(library.folder / row["file"], folder / "derived" / row["key"])
                kept.append(row)
    return replace(taken, derived=tuple(kept))


def put_back(library: Library, taken: TakenOut) -> bool:
    """Put a clip back as it was, under its number; False when the library has that motion again already.

    Another clip may have its name by now: then it gets the next free one.
    """
    with library.staging() as staging:
        arrays = staging / "arrays"
        if (taken.folder / "arrays").is_dir():
            shutil.copytree(taken.folder / "arrays", arrays)
            flush_arrays([arrays])
        with library.index.writing() as connection:
            if connection.execute("SELECT 1 FROM clips WHERE hash = ?", (taken.clip["hash"],)).fetchone():
                return False
            known = {key: value for key, value in taken.skeleton.items() if key != "id"}
            _insert(connection, "skeletons", [known])
            skeleton = connection.execute("SELECT id FROM skeletons WHERE key = ?", (known["key"],)).fetchone()[0]
            name = free_name(connection, taken.name)
            _insert(connection, "clips", [{**taken.clip, "skeleton_id": skeleton, "name": name}])
            for table, rows in (("sources", taken.sources), ("files", taken.files), ("metadata", taken.metadata)):
                _insert(connection, table, rows)
            add_tags(connection, taken.id, taken.tags)
            index_words(connection, taken.id)
            if arrays.is_dir():
                place = clip_folder(library.folder, taken.clip["hash"])
                place.parent.mkdir(parents=True, exist_ok=True)
                if place.exists():
                    discard_folder(place, staging)
                arrays.rename(place)
            for row in taken.derived:
                file = library.folder / row["file"]
                file.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(taken.folder / "derived" / row["key"], file)
            _insert(connection, "derived", taken.derived)
            _insert(connection, "derived_from", [{"key": row["key"], "clip_id": taken.id} for row in taken.derived])
    return True


def _insert(connection: sqlite3.Connection, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows by the names of their columns; one that is there already stays."""
    for row in rows:
        columns = ", ".join(row)
        places = ", ".join("?" * len(row))
        connection.execute(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({places})", tuple(row.values()))
