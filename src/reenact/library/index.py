"""The connection to the index: opening it, reading and writing it from several threads and processes."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

from reenact.errors import LibraryError
from reenact.library.cells import REMEDY, shown
from reenact.library.schema import SCHEMA_VERSION, check_readable, migrate, schema_version

WAIT_SECONDS = 60.0
"""How long a write waits for another process's write to end. Writes are short; a minute means that something hangs."""


SQLITE_FAULTS = (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError, OverflowError)
"""What a damaged index makes of SQLite: its messages quote bytes that are no text, its numbers may be beyond those it can hold."""


class Index:
    """One library's SQLite file, opened once for each process and shared by its threads.

    Attributes:
        path: the file.
        read_only: nothing may be written: asked for, or the folder forbids it.
        rebuilt: it could not be opened and was made anew out of what could be read of it, see `library.salvage`.
        migrated_from: the copy of the old index, when opening it had to bring it up to date.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only or not (_may_write(path.parent) and _may_write(path))
        self.migrated_from: Path | None = None
        self.rebuilt = False
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0
        self._file: tuple[int, int] | None = None
        with self.reading():
            pass

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection to read from; one statement sees one state of the library."""
        with self._lock, translated_errors(self.path):
            yield self._connected()

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """A connection whose statements all see the same state, whatever is written meanwhile."""
        with self._lock, translated_errors(self.path):
            connection = self._connected()
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN DEFERRED")
            try:
                yield connection
            finally:
                connection.execute("COMMIT")

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection inside a transaction that holds the write lock: all of the block is done, or nothing."""
        if self.read_only:
            raise LibraryError("the library is open for reading only", where=str(self.path.parent))
        with self._lock, translated_errors(self.path):
            connection = self._connected()
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    def _connected(self) -> sqlite3.Connection:
        if self._connection is not None and self._process == os.getpid():
            if self._connection.in_transaction or self._identity() in (self._file, None):
                return self._connection
            self._connection.close()  # a repair has put another file in its place: this one is nobody's any more
            self._connection = None
        # A connection must not be used across a fork: the child opens its own and leaves the parent's alone.
        self._connection = self._open()
        self._process = os.getpid()
        self._file = self._identity()
        return self._connection

    def _identity(self) -> tuple[int, int] | None:
        """Which file on which disk the index is now; None where there is none."""
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _open(self) -> sqlite3.Connection:
        if not self.path.is_file():
            raise LibraryError(
                f"not a library folder (it has no {self.path.name}); make one with `reenact library init`",
                where=str(self.path.parent),
            )
        connection = _connect(self.path, self.read_only)
        try:
            version = check_readable(connection, self.path)
            if version < SCHEMA_VERSION:
                if self.read_only:
                    raise LibraryError(
                        f"the library has schema {version} and must be brought to {SCHEMA_VERSION}, but may not be written",
                        where=str(self.path.parent),
                    )
                self.migrated_from = migrate(connection, self.path)
        except BaseException:
            connection.close()
            raise
        return connection


def _may_write(path: Path) -> bool:
    effective = os.access in os.supports_effective_ids
    return not path.exists() or os.access(path, os.W_OK, effective_ids=effective)


def create_index(path: Path) -> None:
    """Make a new index, or complete one whose making was cut short; a `LibraryError` when there is one already."""
    with translated_errors(path):
        connection = _connect(path, read_only=False, create=True)
        try:
            if schema_version(connection) > 0:
                raise LibraryError("this folder is a library already", where=str(path.parent))
            if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise LibraryError("the file is an SQLite database of another program", where=str(path))
            migrate(connection, path)
        finally:
            connection.close()


def _connect(path: Path, read_only: bool, create: bool = False) -> sqlite3.Connection:
    uri = path.absolute().as_uri()
    mode = "ro" if read_only else "rwc" if create else "rw"
    connection = _configured(f"{uri}?mode={mode}")
    try:
        if read_only:
            try:
                connection.execute("SELECT count(*) FROM sqlite_master")
            except sqlite3.OperationalError:
                # A write-ahead log needs a file beside the index even for reading. On a medium that cannot be written nobody
                # else writes either, so the file can be read as it stands, unless a log with newer pages lies there.
                log = path.with_name(path.name + "-wal")
                if log.exists() and log.stat().st_size:
                    raise
                connection.close()
                connection = _configured(f"{uri}?mode=ro&immutable=1")
        else:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _configured(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    connection.text_factory = (
        _text  # bytes that are no text come as lone surrogates, which whoever takes the cell notices
    )
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def connect_raw(path: Path) -> sqlite3.Connection:
    """A connection that reads an index of any state, for what saves it; SQLite's errors come as they are."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=WAIT_SECONDS)
    connection.text_factory = _text
    connection.isolation_level = None
    return connection


def is_locked(error: BaseException) -> bool:
    """True where somebody else holds the lock that was asked for."""
    return str(getattr(error, "sqlite_errorname", "")).startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def locked_too_long(path: Path) -> LibraryError:
    """The error when a lock was not given back in time."""
    return LibraryError(f"another process has kept the library locked for {WAIT_SECONDS:g} s", where=str(path))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


@contextlib.contextmanager
def translated_errors(path: Path) -> Iterator[None]:
    """SQLite's errors as this package's: one line that names the index. A full disk stays an `OSError`."""
    try:
        yield
    except (
        UnicodeDecodeError,
        OverflowError,
    ) as error:  # SQLite's own messages quote what is damaged; numbers it cannot hold
        raise LibraryError(f"the index is damaged ({shown(error)}); {REMEDY}", where=str(path)) from error
    except (sqlite3.Error, sqlite3.Warning) as error:
        name = getattr(error, "sqlite_errorname", "") or ""
        if name.startswith("SQLITE_FULL"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from error
        if is_locked(error):
            raise locked_too_long(path) from error
        if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            message = f"the index is damaged ({shown(error)}); {REMEDY}, or restore it from a copy"
        elif name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
            message = f"the index cannot be opened or written ({error})"
        else:
            message = f"the index could not be used ({shown(error)})"
        raise LibraryError(message, where=str(path)) from error
