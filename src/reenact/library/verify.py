"""Does the disk hold what the index says, and nothing else? Every cell is looked at, every array and result read and hashed again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reenact.errors import LibraryError
from reenact.library.cells import is_text
from reenact.library.checks import clip_numbers, cure_for, fault_of, index_all, index_faults, lost_numbers
from reenact.library.clip_files import clip_folder
from reenact.library.index import SQLITE_FAULTS
from reenact.library.labels import WORDS, forget_unused, words_of
from reenact.library.mending import adopt_folder, mend_clip, mend_skeletons, skeleton_cells
from reenact.library.paths import path_text
from reenact.library.proving import Known, what_is_known
from reenact.library.salvage import rebuild_index
from reenact.library.schema import SEARCH_TABLE
from reenact.library.sound_rows import SIDE_TABLES, Table, find_faults
from reenact.library.verify_files import (
    adopt_result,
    check_derived,
    find_orphans,
    find_staging,
    mend_results,
    put_aside,
)

if TYPE_CHECKING:
    from reenact.library.store import Library


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is not as it should be.

    Attributes:
        code: "index", "cell", "missing", "damaged", "orphan", "staging", "derived" or "words".
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
    """Check the index, every cell, every array and every derived result, and look for files that no row knows.

    A fault is a line of the report and never stops the check. Repairing makes a damaged index anew out of its sound rows, mends clips
    from their arrays, other rows or the files they came from (proved by their hash), forgets derived results that are lost (they are
    worked out again when asked for), writes the search's words anew and deletes files without rows. It never deletes a clip that the
    index knows: one that cannot be mended stays, and gets its arrays back when its file is added again. Where the index was damaged,
    files without rows may be all that is left of clips: those that can be proved become clips again, the others are put aside.
    Safe while others use the library, but for a damaged index, which nobody else should write to meanwhile.
    """
    if repair and library.index.read_only:
        raise LibraryError("the library is open for reading only and cannot be repaired", where=str(library.folder))
    return _Check(library, repair, progress).run()


class _Check:
    """One check on its way."""

    def __init__(self, library: Library, repair: bool, progress: Callable[[int, int], None] | None) -> None:
        self.library = library
        self.repair = repair
        self.progress = progress
        self.report = VerifyReport()
        self.index_was_damaged = False
        self._spare: list[Path] | None = None
        self._known: tuple[int, Known] | None = None

    def run(self) -> VerifyReport:
        steps = (self._index, self._skeletons, self._clips, self._lost_clips, self._side_tables, self._derived)
        for step in (*steps, self._orphans, self._words, self._staging):
            try:
                step()
            except LibraryError as error:  # the index cannot be read there
                self._note("index", path_text(self.library.index.path), error.message)
        return self.report

    def _note(self, code: str, where: str, message: str, repaired: bool = False) -> None:
        problem = Problem(code, where, message, repaired)
        if problem not in self.report.problems:
            self.report.problems.append(problem)

    def _index(self) -> None:
        where = path_text(self.library.index.path)
        if self.library.index.rebuilt:
            self.index_was_damaged = True
            self.library.index.rebuilt = False  # told once
            self._note("index", where, "it could not be opened; made anew out of what could be read", True)
        wrong = index_faults(self.library)
        if not wrong:
            return
        self.index_was_damaged = True
        said = ""
        if self.repair:
            _, copy = rebuild_index(self.library.index.path)
            self.library.index.close()
            said = f"; made anew, the damaged one is kept as {copy.name}"
        for fault in wrong[:20]:
            self._note("index", where, fault + said, self.repair and not index_faults(self.library))

    def _skeletons(self) -> None:
        with self.library.index.reading() as connection:
            rows = connection.execute("SELECT id, key, tree, joints, definition FROM skeletons").fetchall()
        for row in rows:
            right = skeleton_cells(row["definition"])
            if right is not None and tuple(row)[1:4] != right:
                self.index_was_damaged = True
                if self.repair:
                    with self.library.index.writing() as connection:
                        mend_skeletons(connection)
                self._note(
                    "cell", f"skeleton {row['id']}", "it does not have its key, tree or joints any more", self.repair
                )

    def _clips(self) -> None:
        numbers = clip_numbers(self.library)
        for done, number in enumerate(numbers, 1):
            self._clip(number)
            if self.progress is not None:
                self.progress(done, len(numbers))

    def _clip(self, number: int) -> None:
        fault = fault_of(self.library, number)
        if fault is None:
            with self.library.index.reading() as connection:
                row = connection.execute("SELECT bytes FROM clips WHERE id = ?", (number,)).fetchone()
            if row is not None:
                self.report.clips += 1
                self.report.bytes += row["bytes"]
            return
        code, where, message = fault
        if code == "gone":  # removed meanwhile by another process
            return
        self.report.clips += 1
        self.index_was_damaged |= code == "cell"
        mended = self.repair and self._mend(number)
        self._note(code, where, message + ("" if mended else cure_for(self.library, number)), mended)

    def _mend(self, number: int) -> bool:
        if self._spare is None:
            self._spare = list(find_orphans(self.library))
        mend_clip(self.library, number, self._what_is_known(), self._spare)
        return fault_of(self.library, number) is None

    def _what_is_known(self) -> Known:
        """What can be tried on damaged clips; looked up again when something was mended."""
        with self.library.index.reading() as connection:
            if self._known is None or self._known[0] != connection.total_changes:
                self._known = (connection.total_changes, what_is_known(connection))
        return self._known[1]

    def _lost_clips(self) -> None:
        """Clips whose row is gone while other rows still speak of them."""
        if not self.index_was_damaged:
            with self.library.index.reading() as connection:
                if not lost_numbers(connection):
                    return
        with self.library.index.reading() as connection:
            lost = lost_numbers(connection)
        for number in lost:
            self.index_was_damaged = True
            done = self.repair and mend_clip(self.library, number, self._what_is_known())
            if self.repair and not done:
                done = self._forget_rows_of(number)
            self._note("index", f"clip {number}", "its row is gone, other rows refer to it", done)

    def _forget_rows_of(self, number: int) -> bool:
        with self.library.index.writing() as connection:
            for table in ("sources", "clip_tags", "metadata", "derived_from"):
                connection.execute(f"DELETE FROM {table} WHERE clip_id = ?", (number,))
            connection.execute("DELETE FROM derived WHERE key NOT IN (SELECT key FROM derived_from)")
        return True

    def _side_tables(self) -> None:
        for table in SIDE_TABLES:
            self._side_table(table)
        for table, column, other, key in (
            ("clip_tags", "tag_id", "tags", "id"),
            ("derived_from", "key", "derived", "key"),
        ):
            condition = f"{column} NOT IN (SELECT {key} FROM {other})"
            with self.library.index.reading() as connection:
                count = connection.execute(f"SELECT count(*) FROM {table} WHERE {condition}").fetchone()[0]
            if count and self.repair:
                with self.library.index.writing() as connection:
                    connection.execute(f"DELETE FROM {table} WHERE {condition}")
            if count:
                self._note("index", table, f"{count} rows refer to rows of {other} that are gone", self.repair)
        if self.repair and self.report.problems:
            with self.library.index.writing() as connection:
                forget_unused(connection)

    def _side_table(self, table: Table) -> None:
        with self.library.index.reading() as connection:
            faults = list(find_faults(connection, table))
            names = dict(tuple(row) for row in connection.execute("SELECT id, name FROM clips"))
        for fault in faults:
            number = fault.row.get("clip_id")
            name = names.get(number)
            where = name if is_text(name) and name else f"clip {number}" if number is not None else table.name
            if self.repair:
                if table.name == "derived":
                    mend_results(self.library)
                with self.library.index.writing() as connection:
                    for left in find_faults(connection, table):
                        if all(left.row[name] == fault.row[name] for name in table.key):
                            left.repair(connection)
            lost = "" if fault.sound is not None else "; nothing of the row can be used"
            self._note("cell", path_text(where), f"a row of {table.name} is damaged ({fault.why}){lost}", self.repair)

    def _derived(self) -> None:
        self.report.derived, problems = check_derived(self.library, self.repair)
        for file, message, repaired in problems:
            self._note("derived", file, message, repaired)

    def _orphans(self) -> None:
        for path in list(find_orphans(self.library)):
            shown_path = path_text(path.relative_to(self.library.folder))
            kind = "clip of the index" if path.is_relative_to(self.library.folder / "clips") else "derived result"
            done = self.repair and self._deal_with(path)
            self._note("orphan", shown_path, f"no {kind} has it{done or ''}", bool(done))

    def _deal_with(self, path: Path) -> str | None:
        """What was done with files that no row knows."""
        if self.index_was_damaged and self._adopt(path):
            return "; taken into the index again"
        unmended = any(not problem.repaired for problem in self.report.problems if problem.code != "orphan")
        if self.index_was_damaged or unmended:  # they may be all that is left of something
            place = put_aside(self.library, path)
            return None if place is None else f"; put aside in {place}"
        return "; deleted" if put_aside(self.library, path, delete=True) else None

    def _adopt(self, path: Path) -> bool:
        if not path.is_relative_to(self.library.folder / "clips"):
            return adopt_result(self.library, path)
        place = clip_folder(self.library.folder, path.name)
        return path == place and adopt_folder(self.library, path, self._what_is_known())

    def _words(self) -> None:
        """Every clip must be found by the search, by its own words, and nothing else."""
        if not self._wrong_words():
            return
        if self.repair:
            self._write_words()
        wrong, left = len(self._wrong_words()) if not self.repair else 1, self._wrong_words() if self.repair else {0}
        self._note(
            "words", "search", f"the search is out of step{'' if self.repair else f' for {wrong} clips'}", not left
        )

    def _wrong_words(self) -> set[int]:
        with self.library.index.reading() as connection:
            ids = {row[0] for row in connection.execute("SELECT id FROM clips")}
            try:
                held = {
                    row[0]: tuple(row)[1:] for row in connection.execute(f"SELECT rowid, {', '.join(WORDS)} FROM words")
                }
                connection.execute("SELECT count(*) FROM words WHERE words MATCH 'a*'").fetchone()
            except SQLITE_FAULTS:
                return ids or {0}
            wrong = set(held) - ids
            for number in ids:
                try:
                    if held.get(number) != words_of(connection, number):
                        wrong.add(number)
                except LibraryError:  # told with the clip
                    continue
        return wrong

    def _write_words(self) -> None:
        """The search's words anew: in their table, in a new table, or in an index made anew, whichever goes."""

        def in_a_new_index() -> None:
            rebuild_index(self.library.index.path)
            self.library.index.close()
            self._rewrite("DELETE FROM words")

        ways = (
            lambda: self._rewrite("DELETE FROM words"),
            lambda: self._rewrite("DROP TABLE words", SEARCH_TABLE),
            in_a_new_index,
        )
        for way in ways:
            try:
                way()
            except LibraryError:
                continue
            if not self._wrong_words():
                return

    def _rewrite(self, *statements: str) -> None:
        with self.library.index.writing() as connection:
            for statement in statements:
                connection.execute(statement)
            index_all(connection)

    def _staging(self) -> None:
        for name, gone in find_staging(self.library, self.repair):
            self._note("staging", f"incoming/{name}", "left behind by an import that was killed", gone)
