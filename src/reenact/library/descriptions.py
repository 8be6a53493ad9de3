"""Descriptions from a table: a CSV file that says something about each motion file."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reenact.errors import FormatError
from reenact.library.labels import describe_clip, set_metadata
from reenact.library.paths import path_text, real_path

if TYPE_CHECKING:
    import sqlite3

    from reenact.library.store import Library

MOST_BYTES = 256 * 1024 * 1024
"""A larger table is refused before it is read."""


@dataclass(frozen=True, slots=True)
class TableColumns:
    """Which columns of a table are used.

    Attributes:
        key: names the file: a path from the table's own folder or from the imported one, a file name, or a clip's name.
        text: the description.
        metadata: columns whose values become metadata of that name.
    """

    key: str = "path"
    text: str = "description"
    metadata: tuple[str, ...] = ()


@dataclass(slots=True)
class DescriptionReport:
    """How a table was used: rows with a text or metadata, clips described, and keys that no clip of the library has."""

    rows: int = 0
    clips: int = 0
    unmatched: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The JSON form of the command line."""
        return {"rows": self.rows, "clips": self.clips, "unmatched": list(self.unmatched)}


def describe_from_table(
    library: Library, path: str | os.PathLike[str], columns: TableColumns | None = None
) -> DescriptionReport:
    """Set descriptions and metadata of the clips that a CSV file speaks of; empty cells change nothing.

    Raises:
        FormatError: no such column, or no table that can be read.
    """
    columns = columns or TableColumns()
    table = Path(path)
    rows = _read_table(table, columns)
    report = DescriptionReport()
    with library.index.writing() as connection:
        for row in rows:
            key = (row.get(columns.key) or "").strip()
            text = (row.get(columns.text) or "").strip()
            values = {name: value for name in columns.metadata if (value := (row.get(name) or "").strip())}
            if not key or not (text or values):
                continue
            report.rows += 1
            numbers = _meant_clips(connection, key, table)
            if not numbers:
                report.unmatched.append(path_text(key))
            for number in numbers:
                report.clips += 1
                if text:
                    describe_clip(connection, number, text)
                if values:
                    set_metadata(connection, number, values)
    return report


def _read_table(path: Path, columns: TableColumns) -> list[dict[str, str]]:
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise FormatError(f"a table of {size} bytes is larger than the {MOST_BYTES} that are read", path=path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"not a UTF-8 text ({error.reason} at byte {error.start})", path=path) from None
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        names = list(reader.fieldnames or [])
        for wanted in (columns.key, columns.text, *columns.metadata):
            if wanted not in names:
                there = ", ".join(names) or "none"
                raise FormatError(f"the table has no column {wanted!r}; there are {there}", path=path, line=1)
        return list(reader)
    except csv.Error as error:
        raise FormatError(f"not a CSV table ({error})", path=path, line=reader.line_num) from None


def _meant_clips(connection: sqlite3.Connection, key: str, table: Path) -> Sequence[int]:
    """Clips of the file that a key names, by the surest reading that finds any."""
    beside = path_text(os.path.normpath(real_path(table).parent / key))
    text = path_text(key)
    questions = [
        ("SELECT clip_id FROM sources WHERE path = ?", beside),
        ("SELECT clip_id FROM sources WHERE relative = ?", text),
    ]
    if "/" not in text and "\\" not in text:
        questions.append(("SELECT id FROM clips WHERE name = ?", text))
        ending = text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
        questions.append(("SELECT clip_id FROM sources WHERE relative LIKE ? ESCAPE '!'", f"%/{ending}"))
    for question, value in questions:
        found = [row[0] for row in connection.execute(question, (value,))]
        if found:
            return list(dict.fromkeys(found))
    return ()
