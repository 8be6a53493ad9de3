"""Files of the library against its rows: derived results, files that no row knows, and what killed imports have left."""

from __future__ import annotations

import hashlib
import os
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from reenact.library.cells import is_derived_file, is_key, is_text, shown
from reenact.library.clip_files import clip_folder, discard_folder, is_abandoned
from reenact.library.content import hash_text
from reenact.library.import_folder import clear_abandoned
from reenact.library.paths import path_text
from reenact.library.rows import now

if TYPE_CHECKING:
    from reenact.library.store import Library

ASIDE = "lost"
"""Folder of files that no row knows and that may be all that is left of something."""


def check_derived(library: Library, repair: bool) -> tuple[int, list[tuple[str, str, bool]]]:
    """How many derived results there are, and file, message and repair of those whose file is not as it was written."""
    with library.index.reading() as connection:
        rows = connection.execute("SELECT key, kind, file, digest FROM derived ORDER BY file").fetchall()
    problems = []
    for row in rows:
        if not is_derived_file(row["file"]):
            continue  # told as a damaged cell
        path = library.folder / row["file"]
        if _file_digest(path) == row["digest"]:
            continue
        lost = "missing" if not path.exists() else "damaged"
        if repair:
            with library.index.writing() as connection:
                now = connection.execute("SELECT digest FROM derived WHERE key IS ?", (row["key"],)).fetchone()
                if now is not None and _file_digest(path) != now["digest"]:
                    connection.execute("DELETE FROM derived WHERE key IS ?", (row["key"],))
        message = f"a derived result ({shown(row['kind'])}) is {lost}; it is made anew when needed"
        problems.append((row["file"], message, repair))
    return len(rows), problems


def mend_results(library: Library) -> int:
    """Rows of derived results that have lost their file's name or hash get it back, by the key in the name and by what proves the file."""
    mended = 0
    with library.index.writing() as connection:
        for row in connection.execute("SELECT key, file, digest FROM derived").fetchall():
            if is_derived_file(row["file"]) and is_key(row["digest"]):
                continue
            named = [library.folder / row["file"]] if is_derived_file(row["file"]) else []
            if is_key(row["key"]):
                named += sorted((library.folder / "derived").glob(f"*/*/*-{row['key']}.*"))
            for path in named:
                digest = _file_digest(path)
                file = path.relative_to(library.folder).as_posix()
                if digest and is_derived_file(file) and (digest == row["digest"] or proves_itself(path)):
                    connection.execute(
                        "UPDATE derived SET file = ?, digest = ? WHERE key IS ?", (file, digest, row["key"])
                    )
                    mended += 1
                    break
    return mended


def proves_itself(path: Path) -> bool:
    """True for an archive whose checksums are right: what it holds is as it was written."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.testzip() is None
    except (OSError, EOFError, NotImplementedError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error):
        return False


_BY_HAND = (("plants", "2", '{"detector":"hand"}'), ("character", "1", "{}"), ("truth", "1", "{}"))
"""Kind, version and parameters of results that nobody can work out again."""


def adopt_result(library: Library, path: Path) -> bool:
    """Give a derived result without a row its row again, where its name proves what it is and its checksums that it is whole."""
    file = path.relative_to(library.folder).as_posix()
    if not is_derived_file(file) or not proves_itself(path):
        return False
    kind, _, key = path.stem.rpartition("-")
    content = path.parent.name
    with library.index.writing() as connection:
        clip = connection.execute("SELECT id FROM clips WHERE hash = ?", (content,)).fetchone()
        known = connection.execute("SELECT DISTINCT kind, version, parameters FROM derived").fetchall()
        for one, version, parameters in (*map(tuple, known), *_BY_HAND):
            texts = is_text(version) and is_text(parameters)
            if clip is None or one != kind or not texts or hash_text(kind, version, parameters, content)[:32] != key:
                continue
            connection.execute(
                "INSERT OR REPLACE INTO derived VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (key, kind, version, parameters, file, path.stat().st_size, _file_digest(path), now()),
            )
            connection.execute("INSERT OR IGNORE INTO derived_from VALUES (?, ?)", (key, clip["id"]))
            return True
    return False


def _file_digest(path: Path) -> str:
    try:
        return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest() if path.is_file() else ""
    except OSError:
        return ""


def find_orphans(library: Library) -> Iterator[Path]:
    """Folders of arrays and files of results that no row knows."""
    for top, depth in (("clips", 2), ("derived", 3)):
        for path in _laid_out(library.folder / top, depth):
            if _is_orphan(library, path):
                yield path


def _laid_out(top: Path, depth: int) -> Iterator[Path]:
    """What lies at a depth below a folder, and files that lie higher, where none belong."""
    for path in sorted(top.iterdir()) if top.is_dir() and not top.is_symlink() else ():
        if depth == 1 or not path.is_dir() or path.is_symlink():
            yield path
        else:
            yield from _laid_out(path, depth - 1)


def _is_orphan(library: Library, path: Path) -> bool:
    with library.index.reading() as connection:
        if path.is_relative_to(library.folder / "clips"):
            row = connection.execute("SELECT 1 FROM clips WHERE hash = ?", (path_text(path.name),)).fetchone()
            return row is None or path != clip_folder(library.folder, path.name)
        file = path_text(path.relative_to(library.folder).as_posix())
        return connection.execute("SELECT 1 FROM derived WHERE file = ?", (file,)).fetchone() is None


def put_aside(library: Library, path: Path, *, delete: bool = False) -> str | None:
    """Take something without a row out of the way; where it is now, or None when it stayed.

    Whoever adds it does so under the write lock, so here nobody is about to.
    """
    with library.staging() as staging, library.index.writing():
        if not path.exists() and not path.is_symlink():
            return path.name
        if not _is_orphan(library, path):
            return path.name
        if not delete:
            aside = library.folder / ASIDE
            aside.mkdir(exist_ok=True)
            place = aside / path.name
            number = 1
            while place.exists():
                number += 1
                place = aside / f"{path.name}-{number}"
            os.rename(path, place)
            return f"{ASIDE}/{path_text(place.name)}"
        if path.is_dir() and not path.is_symlink():
            discard_folder(path, staging)
        else:
            path.unlink()
        return None if path.exists() else path.name


def find_staging(library: Library, repair: bool) -> list[tuple[str, bool]]:
    """Staging folders whose process is gone, and whether they are gone now too."""
    incoming = library.folder / "incoming"
    left = [path for path in (sorted(incoming.iterdir()) if incoming.is_dir() else ()) if is_abandoned(path)]
    if repair:
        clear_abandoned(library)
    return [(path_text(path.name), repair and not path.exists()) for path in left]
