"""The index's tables, their version, and how an older index becomes a current one."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

from reenact.errors import LibraryError

APPLICATION_ID = 0x5265656E  # "Reen", so that another program's SQLite file is not taken for a library

SEARCH_TABLE = """CREATE VIRTUAL TABLE words USING fts5 (
        name, description, tags, joints, path, metadata, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
    )"""
"""What the full-text search looks into; made anew when it is damaged."""

_VERSION_1 = (
    """CREATE TABLE skeletons (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,       -- hash of the skeleton and its roles
        tree TEXT NOT NULL,             -- hash of names and parents: equal for clips that can be mixed
        joints INTEGER NOT NULL,
        definition TEXT NOT NULL        -- JSON
    )""",
    "CREATE INDEX skeletons_by_tree ON skeletons (tree)",
    """CREATE TABLE clips (
        id INTEGER PRIMARY KEY AUTOINCREMENT,   -- never given twice
        hash TEXT NOT NULL UNIQUE,              -- content address
        name TEXT NOT NULL UNIQUE,
        skeleton_id INTEGER NOT NULL REFERENCES skeletons (id),
        frames INTEGER NOT NULL,
        fps REAL NOT NULL,
        seconds REAL NOT NULL,
        translated TEXT NOT NULL,               -- JSON list of the joints with translations, null when there are none
        bytes INTEGER NOT NULL,                 -- size of the array files together
        origin TEXT NOT NULL,                   -- JSON
        pristine INTEGER NOT NULL,              -- 1 when the clip is as its file held it
        description TEXT NOT NULL DEFAULT '',
        added_at TEXT NOT NULL                  -- ISO 8601, UTC
    )""",
    "CREATE INDEX clips_by_skeleton ON clips (skeleton_id)",
    """CREATE TABLE sources (
        clip_id INTEGER NOT NULL REFERENCES clips (id) ON DELETE CASCADE,
        path TEXT NOT NULL,             -- absolute
        relative TEXT NOT NULL,         -- below the folder that was imported: this is what the search sees
        position INTEGER NOT NULL,      -- which clip of the file
        name TEXT NOT NULL,             -- what the file calls it
        size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        PRIMARY KEY (clip_id, path, position)
    ) WITHOUT ROWID""",
    "CREATE INDEX sources_by_path ON sources (path)",
    "CREATE TABLE tags (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE)",
    """CREATE TABLE clip_tags (
        clip_id INTEGER NOT NULL REFERENCES clips (id) ON DELETE CASCADE,
        tag_id INTEGER NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
        PRIMARY KEY (clip_id, tag_id)
    ) WITHOUT ROWID""",
    "CREATE INDEX clip_tags_by_tag ON clip_tags (tag_id)",
    """CREATE TABLE metadata (
        clip_id INTEGER NOT NULL REFERENCES clips (id) ON DELETE CASCADE,
        key TEXT NOT NULL,
        value TEXT NOT NULL,            -- JSON
        folded TEXT NOT NULL,           -- the value as lower-case text, for filters
        PRIMARY KEY (clip_id, key)
    ) WITHOUT ROWID""",
    "CREATE INDEX metadata_by_value ON metadata (key, folded)",
    """CREATE TABLE derived (
        key TEXT PRIMARY KEY,           -- hash of the clips' hashes, kind, version and parameters
        kind TEXT NOT NULL,
        version TEXT NOT NULL,          -- of the code that made it
        parameters TEXT NOT NULL,       -- canonical JSON
        file TEXT NOT NULL,             -- below the library folder
        bytes INTEGER NOT NULL,
        digest TEXT NOT NULL,           -- hash of the file
        made_at TEXT NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE derived_from (
        key TEXT NOT NULL REFERENCES derived (key) ON DELETE CASCADE,
        clip_id INTEGER NOT NULL REFERENCES clips (id),
        PRIMARY KEY (key, clip_id)
    ) WITHOUT ROWID""",
    "CREATE INDEX derived_from_by_clip ON derived_from (clip_id)",
    SEARCH_TABLE,
)


def _create(connection: sqlite3.Connection) -> None:
    """Version 1: skeletons, clips, where they came from, tags, metadata, derived results, words for the search."""
    for statement in _VERSION_1:
        connection.execute(statement)


def _remember_files(connection: sqlite3.Connection) -> None:
    """Version 2: what is known of a file stands in its own table, once for each way of reading it.

    In version 1 size and time stood with each source. A file without motion (ASF) or one that could not be read left no trace and
    was read again in every import, and a file read before was passed over even when other options (`--fps 60`) were given now.
    """
    connection.execute(
        """CREATE TABLE files (
            path TEXT NOT NULL,
            options TEXT NOT NULL,          -- canonical JSON of the reading options
            size INTEGER NOT NULL,
            mtime_ns INTEGER NOT NULL,
            clips INTEGER NOT NULL,         -- how many it held
            error TEXT NOT NULL,            -- why it could not be read; empty when it could
            read_at TEXT NOT NULL,
            PRIMARY KEY (path, options)
        ) WITHOUT ROWID"""
    )
    connection.execute(
        """INSERT INTO files SELECT s.path, '{}', max(s.size), max(s.mtime_ns), count(*), '', max(c.added_at)
        FROM sources s JOIN clips c ON c.id = s.clip_id WHERE s.path <> '' GROUP BY s.path"""
    )
    connection.execute("DROP INDEX sources_by_path")
    connection.execute("ALTER TABLE sources RENAME TO sources_1")
    connection.execute(
        """CREATE TABLE sources (
            clip_id INTEGER NOT NULL REFERENCES clips (id) ON DELETE CASCADE,
            path TEXT NOT NULL,             -- absolute
            relative TEXT NOT NULL,         -- below the folder that was imported: this is what the search sees
            position INTEGER NOT NULL,      -- which clip of the file
            name TEXT NOT NULL,             -- what the file calls it
            options TEXT NOT NULL,          -- how the file was read, as in files
            PRIMARY KEY (clip_id, path, position)
        ) WITHOUT ROWID"""
    )
    connection.execute("INSERT INTO sources SELECT clip_id, path, relative, position, name, '{}' FROM sources_1")
    connection.execute("DROP TABLE sources_1")
    connection.execute("CREATE INDEX sources_by_path ON sources (path)")


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_create, _remember_files)
"""Step k makes version k + 1 out of version k; version 0 is an empty file. Steps are only ever added."""

SCHEMA_VERSION = len(MIGRATIONS)


def schema_version(connection: sqlite3.Connection) -> int:
    """The version an index says it has; 0 for one without tables."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check_readable(connection: sqlite3.Connection, path: Path) -> int:
    """The version of an index that this code can read or migrate, else a `LibraryError`."""
    version = schema_version(connection)
    mark = int(connection.execute("PRAGMA application_id").fetchone()[0])
    if version == 0 and mark in (0, APPLICATION_ID):
        raise LibraryError("the index has no tables; run `reenact library init` on this folder again", where=str(path))
    if mark != APPLICATION_ID:
        raise LibraryError("the file is an SQLite database of another program, not a library index", where=str(path))
    if version > SCHEMA_VERSION:
        raise LibraryError(
            f"the library was made by a newer reenact (schema {version}; this one knows up to {SCHEMA_VERSION}): update reenact",
            where=str(path),
        )
    return version


def migrate(connection: sqlite3.Connection, path: Path, target: int = SCHEMA_VERSION) -> Path | None:
    """Bring an index up to `target` in one transaction; an index that held anything is copied first.

    Safe with several processes: the version is looked at again under the write lock, so each step runs once.

    Returns:
        The copy of the old index, or None when nothing had to be done or the index was new.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = schema_version(connection)
        copy = _back_up(path, version) if 0 < version < target else None
        for step in MIGRATIONS[version:target]:
            step(connection)
        if version < target:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {target}")
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
    return copy


def _back_up(path: Path, version: int) -> Path:
    """A whole copy of the index as it is now, beside it (the write-ahead log included)."""
    copy = path.with_name(f"{path.name}.v{version}.backup")
    part = copy.with_name(f".{copy.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    try:
        with contextlib.closing(sqlite3.connect(path)) as source, contextlib.closing(sqlite3.connect(part)) as target:
            source.backup(target)
        os.replace(part, copy)
    finally:
        part.unlink(missing_ok=True)
    return copy
