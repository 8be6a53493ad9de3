"""Rows of the index as they must be: what is wrong with a row, and the row made sound from what is left of it.

For everything but clips and skeletons, whose cells are proved by a hash (`library.mending`).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from reenact.library.cells import is_derived_file, is_key, is_text, shown
from reenact.library.labels import fold
from reenact.library.paths import path_text
from reenact.library.rows import now

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the index.

    Attributes:
        name: of the table.
        columns: in the order of the schema.
        key: columns that tell its rows apart.
        clean: a sound row of a damaged one, or None when nothing of it can be used.
    """

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    clean: Callable[[Row], Row | None]


@dataclass(frozen=True, slots=True)
class Fault:
    """A row that is not as it must be: its table, the row, what it is made, and why."""

    table: Table
    row: Row
    sound: Row | None
    why: str

    def repair(self, connection: sqlite3.Connection) -> None:
        """Put the sound row in the place of the damaged one."""
        condition, values = _same(self.table.key, self.row)
        if self.table.name == "tags" and self.sound is not None:
            _rename_tag(connection, self.row["id"], self.sound["name"])
            return
        if self.sound is not None and all(self.sound[name] == self.row[name] for name in self.table.key):
            changed = [name for name in self.table.columns if name not in self.table.key]
            settings = ", ".join(f"{name} = ?" for name in changed)
            given = [self.sound[name] for name in changed]
            connection.execute(f"UPDATE {self.table.name} SET {settings} WHERE {condition}", [*given, *values])
            return
        connection.execute(f"DELETE FROM {self.table.name} WHERE {condition}", values)
        if self.sound is not None:
            insert_row(connection, self.table, self.sound)
            if self.table.name == "derived":  # the clip it was made of stands in its file's name
                content = self.sound["file"].split("/")[2]
                connection.execute(
                    "INSERT OR IGNORE INTO derived_from SELECT ?, id FROM clips WHERE hash = ?",
                    (self.sound["key"], content),
                )


def insert_row(connection: sqlite3.Connection, table: Table, row: Row) -> None:
    """Add a row unless one with its key is there."""
    marks = ", ".join("?" * len(table.columns))
    connection.execute(
        f"INSERT OR IGNORE INTO {table.name} ({', '.join(table.columns)}) VALUES ({marks})",
        [row[name] for name in table.columns],
    )


def find_faults(connection: sqlite3.Connection, table: Table) -> Iterator[Fault]:
    """Rows of a table that are not as they must be."""
    for found in connection.execute(f"SELECT {', '.join(table.columns)} FROM {table.name}").fetchall():
        row = dict(found)
        sound = table.clean(row)
        if sound == row:
            continue
        wrong = [name for name in table.columns if sound is not None and sound[name] != row[name]] or list(
            table.columns
        )
        why = ", ".join(f"{name} {shown(row[name])}" for name in wrong[:2])
        yield Fault(table, row, sound, why)


def _same(key: Sequence[str], row: Row) -> tuple[str, list[Any]]:
    """SQL for the row with this key, whatever lies in its cells."""
    parts, values = [], []
    for name in key:
        value = row[name]
        if isinstance(value, str) and not is_text(value):
            parts.append(f"{name} = CAST(? AS TEXT)")
            values.append(value.encode("utf-8", "surrogateescape"))
        else:
            parts.append(f"{name} IS ?")
            values.append(value)
    return " AND ".join(parts), values


def _rename_tag(connection: sqlite3.Connection, number: int, name: str) -> None:
    known = connection.execute("SELECT id FROM tags WHERE name = ? AND id <> ?", (name, number)).fetchone()
    if known is None:
        connection.execute("UPDATE tags SET name = ? WHERE id = ?", (name, number))
        return
    connection.execute(
        "INSERT OR IGNORE INTO clip_tags SELECT clip_id, ? FROM clip_tags WHERE tag_id = ?", (known[0], number)
    )
    connection.execute("DELETE FROM clip_tags WHERE tag_id = ?", (number,))
    connection.execute("DELETE FROM tags WHERE id = ?", (number,))


def text_of(value: object, default: str = "") -> str:
    """A text out of whatever lies in a cell."""
    if isinstance(value, bytes):
        return path_text(value.decode("utf-8", "surrogateescape"))
    if isinstance(value, str):
        return path_text(value)
    return default if value is None else str(value)


def _count(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 1 << 40 else 0


def _is_json(value: object, kind: type = object) -> bool:
    try:
        return is_text(value) and isinstance(json.loads(str(value)), kind)
    except (ValueError, RecursionError):
        return False


def _clean_source(row: Row) -> Row | None:
    path = text_of(row["path"])
    relative = text_of(row["relative"]) or PurePath(path).name
    if not isinstance(row["clip_id"], int):
        return None
    return {
        "clip_id": row["clip_id"],
        "path": path,
        "relative": relative if row["relative"] != "" else "",
        "position": _count(row["position"]),
        "name": text_of(row["name"]),
        "options": row["options"] if _is_json(row["options"], dict) else "{}",
    }


def _clean_file(row: Row) -> Row | None:
    """A damaged row is dropped: the file is read again in the next import, which finds the same motion."""
    texts = all(is_text(row[name]) for name in ("path", "error", "read_at"))
    numbers = all(isinstance(row[name], int) for name in ("size", "mtime_ns", "clips"))
    return row if texts and numbers and _is_json(row["options"], dict) else None


def _clean_tag(row: Row) -> Row | None:
    return {"id": row["id"], "name": text_of(row["name"]).strip() or f"tag {row['id']}"}


def _clean_pair(row: Row) -> Row | None:
    return row if all(isinstance(value, int) for value in row.values()) else None


def _clean_metadata(row: Row) -> Row | None:
    if not isinstance(row["clip_id"], int):
        return None
    key = text_of(row["key"]) if row["key"] is not None else ""
    if not key.strip():
        return None
    value = row["value"]
    if not _is_json(value):  # what the filters compare is left: the same in small letters
        left = text_of(row["folded"])
        value = left if _is_json(left) else json.dumps(left)
    return {"clip_id": row["clip_id"], "key": key, "value": value, "folded": fold(json.loads(value))}


def _clean_derived(row: Row) -> Row | None:
    """Kind and key stand in the file's name too; without the file's name or hash the result is lost."""
    if not is_derived_file(row["file"]) or not is_key(row["digest"]):
        return None
    kind, _, key = PurePath(row["file"]).stem.rpartition("-")
    return {
        "key": key,
        "kind": kind,
        "version": text_of(row["version"], "1"),
        "parameters": row["parameters"] if _is_json(row["parameters"]) else "{}",
        "file": row["file"],
        "bytes": _count(row["bytes"]),
        "digest": row["digest"],
        "made_at": row["made_at"] if is_text(row["made_at"]) else now(),
    }


def _clean_derived_from(row: Row) -> Row | None:
    return row if is_text(row["key"]) and isinstance(row["clip_id"], int) else None


TAGS = Table("tags", ("id", "name"), ("id",), _clean_tag)

SIDE_TABLES = (
    TAGS,
    Table("sources", ("clip_id", "path", "relative", "position", "name", "options"), ("clip_id", "path", "position"), _clean_source),
    Table("files", ("path", "options", "size", "mtime_ns", "clips", "error", "read_at"), ("path", "options"), _clean_file),
    Table("clip_tags", ("clip_id", "tag_id"), ("clip_id", "tag_id"), _clean_pair),
    Table("metadata", ("clip_id", "key", "value", "folded"), ("clip_id", "key"), _clean_metadata),
    Table(
        "derived",
        ("key", "kind", "version", "parameters", "file", "bytes", "digest", "made_at"),
        ("key",),
        _clean_derived,
    ),
    Table("derived_from", ("key", "clip_id"), ("key", "clip_id"), _clean_derived_from),
)  # fmt: skip
"""Every table but clips, skeletons and the search's words."""
