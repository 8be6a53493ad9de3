"""An index whose list of tables is lost: that list is the same in every library, so a new one's is laid over it.

SQLite keeps the list in its first page and some behind it, and libraries made alike have it in the same places.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from pathlib import Path

from reenact.errors import LibraryError
from reenact.library.cells import is_hash, is_text
from reenact.library.index import connect_raw, create_index

_HEADER = 100  # bytes of the file's header in its first page
_INTERIOR = 5  # kind of a page that lists pages


def lay_fresh_schema(damaged: Path, copy: Path) -> bool:
    """Make a copy of a damaged index with the list of tables of a new one; True when clips can be read in it."""
    with tempfile.TemporaryDirectory(prefix="reenact-index-") as folder:
        fresh = Path(folder) / "library.sqlite"
        create_index(fresh)
        with contextlib.closing(sqlite3.connect(fresh)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
        model = fresh.read_bytes()
    size = int.from_bytes(model[16:18], "big")
    data = bytearray(damaged.read_bytes())
    if len(data) < len(model) or len(data) % size:
        return False
    header = bytearray(model[:_HEADER])
    header[18:20] = b"\x02\x02" if damaged.with_name(f"{damaged.name}-wal").exists() else b"\x01\x01"
    header[28:32] = (len(data) // size).to_bytes(4, "big")  # pages of the file
    header[92:96] = header[24:28]  # so that the number of pages is believed
    for page in _schema_pages(model, size):
        data[(page - 1) * size : page * size] = model[(page - 1) * size : page * size]
    data[:_HEADER] = header
    copy.write_bytes(data)
    log = damaged.with_name(f"{damaged.name}-wal")
    if log.exists():
        shutil.copyfile(log, copy.with_name(f"{copy.name}-wal"))
    return _has_clips(copy)


def _schema_pages(model: bytes, size: int) -> list[int]:
    """Numbers of the pages that hold the list of tables, from 1."""
    pages = [1]
    if model[_HEADER] == _INTERIOR:
        count = int.from_bytes(model[_HEADER + 3 : _HEADER + 5], "big")
        for at in range(_HEADER + 12, _HEADER + 12 + 2 * count, 2):
            cell = int.from_bytes(model[at : at + 2], "big")
            pages.append(int.from_bytes(model[cell : cell + 4], "big"))
        pages.append(int.from_bytes(model[_HEADER + 8 : _HEADER + 12], "big"))
    return [page for page in pages if 0 < page <= len(model) // size]


def _has_clips(copy: Path) -> bool:
    """True when what the list calls clips are clips: the damaged file was laid out as the new one."""
    try:
        with contextlib.closing(connect_raw(copy)) as connection:
            rows = connection.execute("SELECT hash, name FROM clips LIMIT 20").fetchall()
    except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError, OverflowError, LibraryError):
        return False
    good = sum(is_hash(content) and is_text(name) for content, name in rows)
    return 2 * good > len(rows)
