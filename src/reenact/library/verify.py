"""Does the disk hold what the index says, and nothing else? Every array is read and hashed again."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reenact.core.clip import Clip
from reenact.errors import LibraryError, ReenactError
from reenact.library.clip_files import clip_folder, discard_folder, is_abandoned, read_arrays
from reenact.library.content import hash_clip
from reenact.library.import_folder import clear_abandoned
from reenact.library.labels import index_words
from reenact.library.paths import path_text
from reenact.library.records import skeleton_from_json

if TYPE_CHECKING:
    from reenact.library.store import Library


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is not as it should be.

    Attributes:
        code: "index", "missing", "damaged", "orphan", "staging", "derived" or "words".
        where: the clip or file.
        message: what is wrong, and what helps.
        repaired: it is in order now.
    """

    code: str
    where: str
    message: str
    repaired: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The JSON form of the command line."""
        return asdict(self)


@dataclass(slots=True)
class VerifyReport:
    """What a check of the library found: clips looked at, bytes of their arrays, derived results, and the problems."""

    clips: int = 0
    bytes: int = 0
    derived: int = 0
    problems: list[Problem] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """True when nothing is wrong, or everything was repaired."""
        return all(problem.repaired for problem in self.problems)

    def as_dict(self) -> dict[str, Any]:
        """The JSON form of the command line."""
        problems = [problem.as_dict() for problem in self.problems]
        return {
            "clips": self.clips,
            "bytes": self.bytes,
            "derived": self.derived,
            "sound": self.sound,
            "problems": problems,
        }


def verify_library(
    library: Library, *, repair: bool = False, progress: Callable[[int, int], None] | None = None
) -> VerifyReport:
    """Check the index, every array and every derived result, and look for files that no row knows.

    Repairing deletes files without rows, forgets derived results that are lost (they are worked out again when asked for) and writes
    the search's words anew. It never deletes what the index refers to: a clip whose arrays are lost stays, and gets them back when
    its file is added again. Safe while others use the library: nothing is touched without a second look under the write lock.
    """
    if repair and library.index.read_only:
        raise LibraryError("the library is open for reading only and cannot be repaired", where=str(library.folder))
    report = VerifyReport()
    report.problems += _check_index(library)
    report.problems += _check_clips(library, report, progress)
    report.problems += _check_derived(library, report, repair)
    report.problems += _check_words(library, repair)
    report.problems += _find_orphans(library, repair)
    report.problems += _find_staging(library, repair)
    return report


def _check_index(library: Library) -> Iterator[Problem]:
    with library.index.reading() as connection:
        answers = [row[0] for row in connection.execute("PRAGMA integrity_check(20)")]
        broken = connection.execute("PRAGMA foreign_key_check").fetchall()
    where = path_text(library.index.path)
    yield from (Problem("index", where, answer) for answer in answers if answer != "ok")
    yield from (
        Problem("index", where, f"a row of {row[0]} refers to a row of {row[2]} that is gone") for row in broken
    )


def _check_clips(
    library: Library, report: VerifyReport, progress: Callable[[int, int], None] | None
) -> Iterator[Problem]:
    with library.index.reading() as connection:
        numbers = [row[0] for row in connection.execute("SELECT id FROM clips ORDER BY id")]
    for done, number in enumerate(numbers, 1):
        with library.index.reading() as connection:
            row = _clip_row(connection, number)
        if row is not None:
            report.clips += 1
            report.bytes += row["bytes"]
            problem = _check_arrays(library, row)
            if problem is not None:
                with library.index.reading() as connection:  # removed meanwhile by another process: no problem
                    if _clip_row(connection, number) is not None:
                        yield problem
        if progress is not None:
            progress(done, len(numbers))


def _clip_row(connection: sqlite3.Connection, number: int) -> sqlite3.Row | None:
    return connection.execute(
        """SELECT c.hash, c.name, c.frames, c.fps, c.translated, c.bytes, s.definition,
        (SELECT path FROM sources WHERE clip_id = c.id AND path <> '' ORDER BY path LIMIT 1) AS path
        FROM clips c JOIN skeletons s ON s.id = c.skeleton_id WHERE c.id = ?""",
        (number,),
    ).fetchone()


def _check_arrays(library: Library, row: sqlite3.Row) -> Problem | None:
    folder = clip_folder(library.folder, row["hash"])
    cure = f"; add {row['path']} again (--again) to mend it" if row["path"] else ""
    if not folder.is_dir():
        return Problem("missing", row["name"], f"the arrays are not there ({folder}){cure}")
    try:
        skeleton = skeleton_from_json(row["definition"])
        rotations, root, moved = read_arrays(folder, skeleton, row["frames"], json.loads(row["translated"]))
        clip = Clip(skeleton, rotations, root, row["fps"], translations=moved)
    except (ReenactError, OSError) as error:
        return Problem("damaged", row["name"], f"{error}{cure}")
    size = sum(entry.stat().st_size for entry in folder.iterdir())
    if size != row["bytes"]:
        return Problem("damaged", row["name"], f"the arrays take {size} bytes, the index says {row['bytes']}{cure}")
    if hash_clip(clip) != row["hash"]:
        return Problem("damaged", row["name"], f"the contents do not have their hash any more{cure}")
    return None


def _check_derived(library: Library, report: VerifyReport, repair: bool) -> list[Problem]:
    with library.index.reading() as connection:
        rows = connection.execute("SELECT key, kind, file, digest FROM derived ORDER BY file").fetchall()
    report.derived = len(rows)
    problems = []
    for row in rows:
        path = library.folder / row["file"]
        if _file_digest(path) == row["digest"]:
            continue
        lost = "missing" if not path.exists() else "damaged"
        if repair:
            with library.index.writing() as connection:
                now = connection.execute("SELECT digest FROM derived WHERE key = ?", (row["key"],)).fetchone()
                if now is not None and _file_digest(path) != now["digest"]:
                    connection.execute("DELETE FROM derived WHERE key = ?", (row["key"],))
        problems.append(
            Problem(
                "derived",
                row["file"],
                f"a derived result ({row['kind']}) is {lost}; it is made anew when needed",
                repair,
            )
        )
    return problems


def _file_digest(path: Path) -> str:
    try:
        return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
    except OSError:
        return ""


def _check_words(library: Library, repair: bool) -> list[Problem]:
    """Every clip must be found by the search, and nothing else."""
    question = """SELECT id FROM clips WHERE id NOT IN (SELECT rowid FROM words)
        UNION SELECT rowid FROM words WHERE rowid NOT IN (SELECT id FROM clips)"""
    with library.index.reading() as connection:
        odd = [row[0] for row in connection.execute(question)]
    if not odd:
        return []
    if repair:
        with library.index.writing() as connection:
            connection.execute("DELETE FROM words")
            for row in connection.execute("SELECT id FROM clips").fetchall():
                index_words(connection, row[0])
    return [Problem("words", "search", f"the search is out of step for {len(odd)} clips", repair)]


def _find_orphans(library: Library, repair: bool) -> list[Problem]:
    problems = []
    for path in _laid_out(library.folder / "clips", depth=2):
        if _is_orphan(library, path):
            done = repair and _clear(library, path)
            problems.append(
                Problem("orphan", path_text(path.relative_to(library.folder)), "no clip of the index has it", done)
            )
    for path in _laid_out(library.folder / "derived", depth=3):
        if _is_orphan(library, path):
            done = repair and _clear(library, path)
            problems.append(
                Problem("orphan", path_text(path.relative_to(library.folder)), "no derived result has it", done)
            )
    return problems


def _laid_out(top: Path, depth: int) -> Iterator[Path]:
    """What lies at a depth below a folder, and files that lie higher, where none belong."""
    for path in sorted(top.iterdir()) if top.is_dir() else ():
        if depth == 1 or not path.is_dir():
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


def _clear(library: Library, path: Path) -> bool:
    """Delete something without a row. Whoever adds it does so under the write lock, so here nobody is about to."""
    with library.staging() as staging, library.index.writing():
        if not path.exists() or not _is_orphan(library, path):
            return True
        if path.is_dir():
            discard_folder(path, staging)
        else:
            path.unlink()
        return not path.exists()


def _find_staging(library: Library, repair: bool) -> list[Problem]:
    incoming = library.folder / "incoming"
    left = [path for path in (sorted(incoming.iterdir()) if incoming.is_dir() else ()) if is_abandoned(path)]
    if repair:
        clear_abandoned(library.folder)
    return [
        Problem(
            "staging",
            f"incoming/{path_text(path.name)}",
            "left behind by an import that was killed",
            repair and not path.exists(),
        )
        for path in left
    ]
