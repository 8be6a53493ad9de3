"""Results that were worked out from clips and are kept: found again by the clips' contents, the kind, the code and the parameters."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reenact.errors import LibraryError, ParameterError
from reenact.formats.atomic import atomic_write
from reenact.library.cells import Cells, damaged, faults_named, is_derived_file
from reenact.library.content import hash_text
from reenact.library.index import Index
from reenact.library.records import canonical_json
from reenact.library.rows import now

Result = np.ndarray | Mapping[str, np.ndarray] | Any
"""What can be kept: an array (.npy), arrays by name (.npz), or anything with a JSON form (.json)."""

_KIND = re.compile(r"[a-z][a-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class DerivedKey:
    """What a derived result depends on.

    Attributes:
        key: hash of all of it.
        kind: what it is ("plants", "labels"); part of the file's name.
        version: of the code that makes it: raise it when the same input gives something else.
        parameters: canonical JSON.
        hashes: contents of the clips, in order.
        clips: their numbers.
    """

    key: str
    kind: str
    version: str
    parameters: str
    hashes: tuple[str, ...]
    clips: tuple[int, ...]

    def stem(self) -> str:
        """The result's file without its ending, below the library folder."""
        first = self.hashes[0]
        return f"derived/{first[:2]}/{first}/{self.kind}-{self.key}"


def derived_key(clips: Sequence[tuple[int, str]], kind: str, parameters: object, version: str) -> DerivedKey:
    """The key of a result; `clips` are numbers and content hashes in the order the result depends on."""
    if not _KIND.fullmatch(kind):
        raise ParameterError(f"a kind is small letters, digits, - and _, at most 64, not {kind!r}")
    if not clips:
        raise ParameterError("a derived result needs at least one clip")
    text = canonical_json(parameters)
    hashes = tuple(content for _, content in clips)
    return DerivedKey(
        hash_text(kind, version, text, *hashes)[:32], kind, version, text, hashes, tuple(number for number, _ in clips)
    )


def read_derived(index: Index, folder: Path, key: DerivedKey) -> tuple[bool, Result]:
    """(True, the result) when it is kept and whole, else (False, None): for results that can be worked out again."""
    try:
        return read_kept(index, folder, key, "")
    except LibraryError:
        return False, None  # damaged: it is worked out again and written over


def read_kept(index: Index, folder: Path, key: DerivedKey, clip: str) -> tuple[bool, Result]:
    """(True, the result) when it is kept, else (False, None): for results that nobody can work out again.

    Raises:
        LibraryError: it is kept, but damaged; the message names the clip.
    """
    what = f"the result {key.kind!r} kept with the clip"
    for last in (False, True):
        row = _row_of(index, key)
        if row is None:
            return False, None
        cells = Cells(row, clip)
        file, digest = cells.derived_file("file"), cells.key("digest")
        try:
            data = _read_file(folder / file)
        except OSError as error:
            reason = error.strerror or str(error)
        else:
            if _digest(data) == digest:
                with faults_named(what, clip):
                    return True, _unpack(data, (folder / file).suffix)
            reason = "its file does not have its hash any more"
        if last or _row_of(index, key) == row:  # else it was written anew or dropped meanwhile
            raise damaged(what, clip, reason)
    raise AssertionError("unreachable")


def _row_of(index: Index, key: DerivedKey) -> dict[str, Any] | None:
    with index.reading() as connection:
        row = connection.execute("SELECT file, digest FROM derived WHERE key = ?", (key.key,)).fetchone()
    return None if row is None else dict(row)


def _read_file(path: Path) -> bytes:
    if path.exists() and not path.is_file():  # a pipe would be waited for without end
        raise OSError(errno.EINVAL, "no regular file", str(path))
    return path.read_bytes()


def write_derived(index: Index, folder: Path, key: DerivedKey, result: Result) -> Path:
    """Keep a result: the file first, whole or not at all, then its row."""
    ending, data = _pack(result, key.kind)
    path = folder / (key.stem() + ending)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Under the write lock, so that nobody clears the file away as one without a row in between.
    with index.writing() as connection:
        with atomic_write(path) as stream:
            stream.write(data)
        alive = [
            connection.execute("SELECT hash FROM clips WHERE id = ?", (number,)).fetchone() for number in key.clips
        ]
        if [row and row[0] for row in alive] == list(key.hashes):
            file = path.relative_to(folder).as_posix()
            connection.execute(
                """INSERT OR REPLACE INTO derived (key, kind, version, parameters, file, bytes, digest, made_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
                (key.key, key.kind, key.version, key.parameters, file, len(data), _digest(data), now()),
            )
            connection.executemany(
                "INSERT OR IGNORE INTO derived_from VALUES (?, ?)", [(key.key, number) for number in key.clips]
            )
        else:
            path.unlink()  # the clip was removed while this was worked out
    return path


def drop_derived(index: Index, folder: Path, key: DerivedKey) -> bool:
    """Forget a kept result, row and file; False when there was none."""
    with index.writing() as connection:
        row = connection.execute("SELECT file FROM derived WHERE key = ?", (key.key,)).fetchone()
        if row is None:
            return False
        connection.execute("DELETE FROM derived_from WHERE key = ?", (key.key,))
        connection.execute("DELETE FROM derived WHERE key = ?", (key.key,))
        if is_derived_file(row["file"]):  # a damaged name may lead anywhere
            (folder / row["file"]).unlink(missing_ok=True)
    return True


def list_derived(index: Index, number: int, clip: str = "") -> list[dict[str, Any]]:
    """What is kept for a clip: kind, version, parameters, file, bytes, time.

    Raises:
        LibraryError: a cell is damaged; it names the clip.
    """
    with index.reading() as connection:
        rows = connection.execute(
            """SELECT d.kind, d.version, d.parameters, d.file, d.bytes, d.made_at FROM derived d
            JOIN derived_from f ON f.key = d.key WHERE f.clip_id = ? ORDER BY d.kind, d.file""",
            (number,),
        ).fetchall()
    return [
        {
            "kind": cells.text("kind"),
            "version": cells.text("version"),
            "parameters": cells.json("parameters"),
            "file": cells.derived_file("file"),
            "bytes": cells.whole("bytes"),
            "made_at": cells.text("made_at"),
        }
        for cells in (Cells(row, clip or f"clip {number}") for row in rows)
    ]


def keep_derived(index: Index, folder: Path, key: DerivedKey, compute: Callable[[], Result]) -> Result:
    """The kept result, or a new one that is kept from now on (not in a library that may only be read).

    What comes back is the same whether it was kept or is new: it is read from the bytes that are written.
    """
    known, result = read_derived(index, folder, key)
    if known:
        return result
    result = compute()
    ending, data = _pack(result, key.kind)
    if not index.read_only:
        write_derived(index, folder, key, result)
    return _unpack(data, ending)


def _pack(result: Result, kind: str) -> tuple[str, bytes]:
    stream = io.BytesIO()
    if isinstance(result, np.ndarray):
        if result.dtype.hasobject:
            raise ParameterError(f"the result {kind!r} holds Python objects, which are not kept")
        np.save(stream, result, allow_pickle=False)
        return ".npy", stream.getvalue()
    if isinstance(result, Mapping) and result and all(isinstance(value, np.ndarray) for value in result.values()):
        wrong = [name for name, value in result.items() if value.dtype.hasobject]
        if wrong:
            raise ParameterError(f"the array {wrong[0]!r} of {kind!r} holds Python objects, which are not kept")
        _save_arrays(stream, result)
        return ".npz", stream.getvalue()
    try:
        return ".json", json.dumps(result).encode("utf-8")
    except (TypeError, ValueError) as error:
        raise ParameterError(f"the result {kind!r} is neither arrays nor has a JSON form: {error}") from error


def _save_arrays(stream: io.BytesIO, arrays: Mapping[str, np.ndarray]) -> None:
    """As `np.savez`, which cannot take an array called `file`."""
    import zipfile

    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, values in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(values), allow_pickle=False)


def _unpack(data: bytes, ending: str) -> Result:
    if ending == ".json":
        return json.loads(data)
    held = np.load(io.BytesIO(data), allow_pickle=False)
    if ending == ".npy":
        return held
    with held:
        return {name: held[name] for name in held.files}


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
