"""A damaged index made anew: every row that can still be read goes into a new file, which takes the old one's place."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reenact.errors import LibraryError
from reenact.library import index
from reenact.library.cells import is_hash, is_text, shown
from reenact.library.fresh_schema import lay_fresh_schema
from reenact.library.index import connect_raw, is_locked, locked_too_long, translated_errors
from reenact.library.labels import WORDS
from reenact.library.schema import SCHEMA_VERSION, migrate
from reenact.library.sound_rows import SIDE_TABLES, Row, insert_row, text_of

if TYPE_CHECKING:
    from reenact.library.store import Library

MOST_LOOKED_UP = 100_000
"""Rows that are asked for one by one where a table cannot be read in one go, at most."""

_CLIPS = (
    "id", "hash", "name", "skeleton_id", "frames", "fps", "seconds", "translated", "bytes", "origin", "pristine",
    "description", "added_at",
)  # fmt: skip
_SKELETONS = ("id", "key", "tree", "joints", "definition")
_EMPTY = {
    "frames": 0, "fps": 0.0, "seconds": 0.0, "translated": "", "bytes": 0, "origin": "", "pristine": 0, "description": "",
    "added_at": "", "tree": "", "joints": 0, "definition": "",
}  # fmt: skip


def rebuild_index(path: Path) -> tuple[int, Path]:
    """Make an index anew out of all rows of a damaged one that can be read.

    Nobody else may write meanwhile: a write that goes on is waited for, and one that does not end is an error. The damaged file is
    kept beside it.

    Returns:
        How many clips the new one has, and the copy of the damaged file.

    Raises:
        LibraryError: nothing of it can be read as a library, or another process keeps it locked; nothing is changed then.
    """
    _wait_for_writers(path)
    part, eased = (path.with_name(f".{path.name}.{os.getpid()}.{ending}") for ending in ("part", "eased"))
    try:
        try:
            clips = _copy_rows(path, part)
        except LibraryError:
            part.unlink(missing_ok=True)
            if not lay_fresh_schema(path, eased):
                raise
            clips = _copy_rows(eased, part, path)
        copy = _keep_damaged(path)
        _put_in_place(part, path)
    finally:
        for file in (part, eased):
            for ending in ("", "-wal", "-shm"):
                file.with_name(f"{file.name}{ending}").unlink(missing_ok=True)
    return clips, copy


@contextlib.contextmanager
def opened_for_repair(folder: str | os.PathLike[str]) -> Iterator[Library]:
    """An open library; where its index cannot even be opened, it is made anew first.

    Raises:
        LibraryError: no library, or one of which nothing can be read.
    """
    from reenact.library.store import INDEX_NAME, Library

    try:
        library = Library(folder)
    except LibraryError:
        path = Path(folder).absolute() / INDEX_NAME
        if not path.is_file() or not path.stat().st_size:
            raise
        rebuild_index(path)
        library = Library(folder)
        library.index.rebuilt = True
    with library:
        yield library


def _copy_rows(path: Path, part: Path, named: Path | None = None) -> int:
    where = str(named or path)
    with contextlib.ExitStack() as stack:
        try:
            old = stack.enter_context(contextlib.closing(connect_raw(path)))
            tables = {row[0] for row in old.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            version = old.execute("PRAGMA user_version").fetchone()[0]
        except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError) as error:
            raise LibraryError(
                f"nothing of the index can be read ({shown(error)}); restore it from a copy, or add the files again to a new library",
                where=where,
            ) from error
        if not {"clips", "skeletons"} <= tables:
            raise LibraryError("nothing of the index can be read as a library; restore it from a copy", where=where)
        if version == 1 and "files" not in tables:
            raise LibraryError("the index is damaged and of an older version; restore it from a copy", where=where)
        with translated_errors(part):
            new = stack.enter_context(contextlib.closing(sqlite3.connect(part, isolation_level=None)))
            migrate(new, part)
            if version > SCHEMA_VERSION and _definitions(old) != _definitions(new):
                raise LibraryError(
                    f"the index may be one of a newer reenact (schema {version}): update reenact", where=str(path)
                )
            new.execute("PRAGMA foreign_keys = OFF")
            new.execute("BEGIN")
            _copy_by_id(old, new, "skeletons", _SKELETONS, "key")
            clips = _copy_by_id(old, new, "clips", _CLIPS, "name")
            ids = [row[0] for row in new.execute("SELECT id FROM clips")]
            for table in SIDE_TABLES:
                by = "id" if table.name == "tags" else "clip_id" if "clip_id" in table.columns else ""
                for row in _rows(old, table.name, table.columns, table.key, by, ids):
                    sound = table.clean(row)
                    if sound is not None:
                        insert_row(new, table, sound)
            marks = ", ".join("?" * (1 + len(WORDS)))
            for row in _rows(old, "words", ("rowid", *WORDS), ("rowid",), "rowid", ids):
                texts = [text_of(row[name]) for name in WORDS]
                new.execute(
                    f"INSERT OR IGNORE INTO words (rowid, {', '.join(WORDS)}) VALUES ({marks})", [row["rowid"], *texts]
                )
            _keep_highest(old, new)
            new.execute("COMMIT")
    return clips


def _definitions(connection: sqlite3.Connection) -> set[str]:
    return {row[0] for row in connection.execute("SELECT sql FROM sqlite_master WHERE type = 'table'")}


def _copy_by_id(
    old: sqlite3.Connection, new: sqlite3.Connection, table: str, columns: tuple[str, ...], unique: str
) -> int:
    """Copy clips or skeletons: none is left out, whatever its cells are like; what must not be empty or double is filled."""
    marks = ", ".join("?" * len(columns))
    count = 0
    for row in _rows(old, table, columns, ("id",), "id", []):
        values = {name: _EMPTY.get(name) if row[name] is None else row[name] for name in columns}
        values = {
            name: text_of(value) if isinstance(value, str) and not is_text(value) else value
            for name, value in values.items()
        }
        if table == "clips":
            values["hash"] = values["hash"] if is_hash(values["hash"]) else f"lost-{row['id']}"
            values["skeleton_id"] = 0 if values["skeleton_id"] is None else values["skeleton_id"]
        for attempt in range(3):
            cursor = new.execute(
                f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks})", list(values.values())
            )
            if cursor.rowcount:
                count += 1
                break
            if attempt == 0:  # another row has its name or key: its own is damaged
                values[unique] = f"{text_of(values[unique]) or table}-{row['id']}"
            elif table == "clips":
                values["hash"] = f"lost-{row['id']}"
    return count


def _rows(
    old: sqlite3.Connection, table: str, columns: tuple[str, ...], key: tuple[str, ...], by: str, ids: list[int]
) -> Iterator[Row]:
    """Rows of a table: from the front as far as it goes, from the back as far as it goes, then one by one."""
    seen: set[Any] = set()
    chosen = ", ".join(columns)

    def ask(question: str, values: tuple[object, ...] = ()) -> Iterator[Row]:
        try:
            for found in old.execute(question, values):
                row = dict(zip(columns, tuple(found), strict=True))
                mark = tuple(row[name] for name in key)
                if mark not in seen:
                    seen.add(mark)
                    yield row
        except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError, OverflowError, MemoryError):
            broken.append(question)

    broken: list[str] = []
    order = ", ".join(key)
    yield from ask(f"SELECT {chosen} FROM {table} NOT INDEXED")
    yield from ask(f"SELECT {chosen} FROM {table} ORDER BY {', '.join(f'{name} DESC' for name in key)}")
    if not broken:
        return
    yield from ask(f"SELECT {chosen} FROM {table} ORDER BY {order}")
    if not by:
        return
    for number in ids or range(1, _highest(old, table, by) + 1):
        yield from ask(f"SELECT {chosen} FROM {table} WHERE {by} = ?", (number,))


def _highest(old: sqlite3.Connection, table: str, by: str) -> int:
    numbers = [0]
    for question in (f"SELECT max({by}) FROM {table}", f"SELECT seq FROM sqlite_sequence WHERE name = '{table}'"):
        with contextlib.suppress(sqlite3.Error, TypeError):
            numbers += [row[0] for row in old.execute(question) if isinstance(row[0], int)]
    return min(max(numbers) if max(numbers) else 1000, MOST_LOOKED_UP)


def _keep_highest(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Numbers of clips are never given twice, not even those of clips that are gone."""
    with contextlib.suppress(sqlite3.Error, TypeError):
        row = old.execute("SELECT seq FROM sqlite_sequence WHERE name = 'clips'").fetchone()
        if row and isinstance(row[0], int) and 0 < row[0] < 1 << 40:
            new.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'clips'", (row[0],))


def _keep_damaged(path: Path) -> Path:
    number = 1
    while (copy := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    shutil.copyfile(path, copy)
    log = path.with_name(f"{path.name}-wal")
    if log.exists():
        shutil.copyfile(log, copy.with_name(f"{copy.name}-wal"))
    return copy


def _wait_for_writers(path: Path) -> None:
    """Wait until nobody writes, as far as the damaged file lets itself be locked."""
    with translated_errors(path):
        try:
            with contextlib.closing(sqlite3.connect(path, timeout=index.WAIT_SECONDS, isolation_level=None)) as old:
                old.execute("BEGIN IMMEDIATE")
                old.execute("ROLLBACK")
        except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError, OverflowError) as error:
            if is_locked(error):
                raise


def _put_in_place(part: Path, path: Path) -> None:
    """The new index over the old one, page by page where SQLite still takes that, so that others who have it open see the new one."""
    patience = time.monotonic() + index.WAIT_SECONDS

    def give_up_in_time(status: int, _left: int, _pages: int) -> None:
        """SQLite's backup itself waits for a lock without end."""
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() > patience:
            raise locked_too_long(path)

    with contextlib.closing(sqlite3.connect(part)) as new:
        try:
            with contextlib.closing(sqlite3.connect(path, timeout=5.0)) as old:
                new.backup(old, progress=give_up_in_time)
                if old.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok":
                    return
        except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError) as error:
            if is_locked(error):
                raise locked_too_long(path) from error
        new.execute("PRAGMA journal_mode = DELETE")
    os.replace(part, path)
    for ending in ("-wal", "-shm"):
        path.with_name(f"{path.name}{ending}").unlink(missing_ok=True)
