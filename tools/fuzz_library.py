"""Fuzzing of the library: damaged .npy headers and arrays, SQLite cells, pages and write-ahead logs, derived results.

Anything but a `ReenactError` or an `OSError` is a finding, and so is a repair that loses the arrays of a clip or does not last.

    python tools/fuzz_library.py --executions 1000000 --jobs 2
    python tools/fuzz_library.py --executions 1 --seed 3 --first 4711      # one of them again
"""

from __future__ import annotations

import argparse
import contextlib
import random
import shutil
import sqlite3
import sys
import tempfile
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import fuzzing
import numpy as np

from reenact.core.clip import Clip, JointTranslations
from reenact.core.foot_plants import FootContact, FootPlants
from reenact.core.rotations import normalize
from reenact.core.skeleton import Skeleton
from reenact.errors import DamagedClipWarning, LibraryError
from reenact.library import Library
from reenact.library.kept_plants import given_plants, set_plants
from reenact.library.salvage import opened_for_repair

HEADER_WORDS = (
    "'descr'", "'<f4'", "'|O'", "'fortran_order'", "False", "True", "'shape'", "(20, 7, 4)", "(", ")", "{", "}", "[", "'", '"', ",", ":",
    "9" * 30, "-1", "0", "20", "1e9", "None", "\\", "\n", "\0", "0x", "1_0", "é", "((((((((", "b''", "L", "__import__('os')",
)  # fmt: skip

TABLES = {
    "clips": "hash name skeleton_id frames fps seconds translated bytes origin pristine description added_at",
    "skeletons": "key tree joints definition",
    "sources": "path relative position name options",
    "files": "path options size mtime_ns clips error read_at",
    "tags": "name",
    "clip_tags": "clip_id tag_id",
    "metadata": "clip_id key value folded",
    "derived": "key kind version parameters file bytes digest made_at",
    "derived_from": "key clip_id",
}


def make_template(folder: Path) -> Path:
    """A small library with something in every table: clips of two skeletons, sources, tags, metadata, results, foot plants."""
    chance = np.random.default_rng(0)

    def make(size: float, moving: bool) -> Clip:
        skeleton = Skeleton(
            ("Hips", "Spine", "Head"), np.array([-1, 0, 1]), np.array([[0, 0.9, 0], [0, 0.3, 0], [0, size, 0]]),
            end_joints=np.array([2]), end_offsets=np.array([[0, 0.1, 0]]), roles={"hips": 0, "head": 2},
        )  # fmt: skip
        turns = normalize(np.concatenate([np.ones((20, 3, 1)), 0.1 * chance.normal(size=(20, 3, 3))], axis=-1))
        moved = JointTranslations(np.array([1]), chance.normal(size=(20, 1, 3))) if moving else None
        return Clip(skeleton, turns, chance.normal(size=(20, 3)), 30.0, f"clip{size:g}", moved)  # type: ignore[arg-type]

    from reenact import save

    motion = folder / "motion"
    motion.mkdir()
    save(make(0.4, False), motion / "read.bvh")
    with Library.create(folder / "library") as library:
        library.import_folder([motion])
        for size, moving in ((0.5, False), (0.5, True), (0.7, False)):
            name = library.add(make(size, moving), tags=["made", "é"], description="a walk", metadata={"take": 3}).name
            library.derived(name, "thing", {"a": 1}, lambda: np.arange(4))
        library.derived(["read", "clip0.5"], "pair", {}, lambda: {"x": [1, 2]})
        plain = np.arange(20) % 4 > 1
        set_plants(library, "clip0.5", FootPlants(FootContact(plain, plain), FootContact(~plain, ~plain), 30.0))
    with contextlib.closing(sqlite3.connect(folder / "library" / "library.sqlite")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return folder / "library"


READING: tuple[Callable[[Library, random.Random], object], ...] = (
    lambda library, chance: library.entries(),
    lambda library, chance: library.page("walk take>=1", limit=2),
    lambda library, chance: library.entry(chance.choice((1, 2, "read", "clip0.5-2", "no such"))),
    lambda library, chance: library.clip(chance.randint(1, 4)),
    lambda library, chance: library.frame_store([2, 4]),
    lambda library, chance: (library.tags(), library.unreadable(), len(library)),
    lambda library, chance: library.derived_results(chance.randint(1, 4)),
    lambda library, chance: given_plants(library, 2),
)

WRITING: tuple[Callable[[Library, random.Random], object], ...] = (
    lambda library, chance: library.tag(1, "new"),
    lambda library, chance: library.rename(2, "another"),
    lambda library, chance: library.set_metadata(3, {"take": 5, "more": None}),
    lambda library, chance: library.derived(1, "thing", {"b": 2}, lambda: np.arange(4)),
    lambda library, chance: library.derived(2, "thing", {"a": 1}, lambda: np.arange(4)),
    lambda library, chance: library.remove(4),
    lambda library, chance: library.describe(1, "a run"),
)


class Fuzzer:
    """Damages copies of one library and looks at them."""

    def __init__(self, folder: Path) -> None:
        self.template = make_template(folder)
        self.index = (self.template / "library.sqlite").read_bytes()
        self.arrays = sorted((self.template / "clips").glob("*/*/*.npy"))
        self.results = sorted((self.template / "derived").glob("*/*/*"))
        self.place = folder / "damaged"
        self._loose = self._without_rules(folder / "loose.sqlite")
        with Library(self.template, read_only=True) as library:
            self.hashes = {entry.hash for entry in library}
            self.contents = {entry.hash: self._bytes_of(library.clip(entry)) for entry in library}
        self._whole = False
        self._open: Library | None = None

    def _without_rules(self, path: Path) -> bytes:
        """The index without types and constraints, so that a cell can hold anything."""
        path.write_bytes(self.index)
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            for word in (" NOT NULL", " TEXT", " REAL", " INTEGER,"):
                connection.execute(
                    "UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE sql NOT LIKE '%VIRTUAL%' AND name NOT LIKE 'words%'",
                    (word, "," if word.endswith(",") else ""),
                )
            connection.execute("PRAGMA journal_mode = DELETE")
        return path.read_bytes()

    def restore(self) -> None:
        """The copy as it was before it was damaged."""
        if not self._whole:
            if self._open is not None:
                self._open.close()
                self._open = None
            shutil.rmtree(self.place, ignore_errors=True)
            shutil.copytree(self.template, self.place)
            self._whole = True

    def one(self, chance: random.Random) -> None:
        """One damaged library, looked at in one way."""
        self.restore()
        kind = chance.random()
        file = self.place / "library.sqlite"
        if kind < 0.45:
            file = self.place / chance.choice(self.arrays).relative_to(self.template)
            data = self._damaged_array(file.read_bytes(), chance)
            if chance.random() < 0.97:
                self._look_at_array(file, data)
            else:
                self._replace(file, data, chance)
        elif kind < 0.5:
            file = self.place / chance.choice(self.results).relative_to(self.template)
            self._replace(file, fuzzing.mutate_bytes(file.read_bytes(), chance), chance)
        elif kind < 0.75:
            self._replace(file, self._damaged_cells(chance), chance)
        else:
            self._replace(file, self._damaged_pages(chance), chance)

    @staticmethod
    def _bytes_of(clip: Clip) -> list[bytes]:
        moved = [] if clip.translations is None else [clip.translations.values]
        return [part.tobytes() for part in (clip.rotations, clip.root, *moved)]

    def _look_at_array(self, file: Path, data: bytes) -> None:
        """Read the clip of a damaged array: an error, or just the numbers that were stored."""
        before = file.read_bytes()
        file.write_bytes(data)
        if self._open is None:
            self._open = Library(self.place, read_only=True)
        self._open._checked.clear()
        try:
            clip = self._open.clip(file.parent.name)
            assert self._bytes_of(clip) == self.contents[file.parent.name], "a damaged array was taken for sound"
        except LibraryError as error:
            if error.where not in ("read", "clip0.5", "clip0.5-2", "clip0.7"):
                raise AssertionError(f"no clip is named: {error}") from error
            raise
        finally:
            file.write_bytes(before)

    def _replace(self, file: Path, data: bytes, chance: random.Random) -> None:
        """Use the library with this file in the place of the sound one."""
        if self._open is not None:
            self._open.close()
            self._open = None
        before = file.read_bytes()
        file.write_bytes(data)
        way = chance.random()
        try:
            if way < 0.94:
                with Library(self.place, read_only=True) as library:
                    chance.choice(READING)(library, chance)
            elif way < 0.97:
                self._whole = False
                with Library(self.place) as library:
                    chance.choice(WRITING)(library, chance)
            elif way < 0.985:
                with Library(self.place, read_only=True) as library:
                    library.verify()
            else:
                self._whole = False
                self._repair()
        finally:
            if self._whole:
                file.write_bytes(before)
                for ending in ("-wal", "-shm"):
                    (self.place / f"library.sqlite{ending}").unlink(missing_ok=True)

    def _repair(self) -> None:
        with opened_for_repair(self.place) as library:
            report = library.verify(repair=True)
            again = library.verify()
            known = {problem.where for problem in report.problems if not problem.repaired}
            new = [problem for problem in again.problems if problem.where not in known]
            assert not new, f"left or made by the repair: {new[:3]}"
        found = {path.name for path in [*self.place.glob("clips/*/*"), *self.place.glob("lost/*")]}
        assert found >= self.hashes, "the repair has lost the arrays of a clip"

    def _damaged_array(self, data: bytes, chance: random.Random) -> bytes:
        end = 10 + int.from_bytes(data[8:10], "little")
        kind = chance.random()
        if kind < 0.6:  # the header's text, with its length put right
            text = fuzzing.mutate_words(data[10:end].decode("latin-1"), HEADER_WORDS, chance).encode("utf-8")
            return data[:8] + (len(text) & 0xFFFF).to_bytes(2, "little") + text + data[end:]
        if kind < 0.8:
            return fuzzing.mutate_bytes(data[:end], chance) + data[end:]
        return fuzzing.mutate_bytes(data, chance)

    def _damaged_cells(self, chance: random.Random) -> bytes:
        """The index with some cells that hold anything, written as SQLite writes them."""
        with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            connection.deserialize(self._loose)
            connection.execute("PRAGMA foreign_keys = OFF")
            for _ in range(chance.randint(1, 3)):
                table = chance.choice(list(TABLES))
                column = chance.choice(TABLES[table].split())
                value = (
                    self._changed(connection, table, column, chance)
                    if chance.random() < 0.5
                    else fuzzing.any_value(chance)
                )
                which = f"LIMIT 1 OFFSET {chance.randrange(4)}"
                with contextlib.suppress(sqlite3.Error, UnicodeEncodeError):
                    key = "rowid" if table in ("clips", "skeletons", "tags") else TABLES[table].split()[0]
                    connection.execute(
                        f"UPDATE {table} SET {column} = {'CAST(? AS TEXT)' if chance.random() < 0.3 else '?'} "
                        f"WHERE {key} IN (SELECT {key} FROM {table} {which})",
                        (value,),
                    )
            return connection.serialize()

    def _changed(self, connection: sqlite3.Connection, table: str, column: str, chance: random.Random) -> object:
        """A cell's own text, slightly changed."""
        connection.text_factory = bytes
        rows = connection.execute(f"SELECT {column} FROM {table}").fetchall()
        value = chance.choice(rows)[0] if rows else ""
        data = fuzzing.mutate_bytes(value if isinstance(value, bytes) else str(value).encode(), chance)
        return data.decode("utf-8", "replace") if chance.random() < 0.7 else data

    def _damaged_pages(self, chance: random.Random) -> bytes:
        size = int.from_bytes(self.index[16:18], "big")
        pages = len(self.index) // size
        data = bytearray(self.index)
        for _ in range(chance.randint(1, 2)):
            at = chance.randrange(pages) * size
            part = bytes(data[at : at + size])
            kind = chance.random()
            if kind < 0.1:
                part = bytes(size)
            elif kind < 0.2:
                other = chance.randrange(pages) * size
                part = bytes(data[other : other + size])
            elif kind < 0.5:  # the page's own header and pointers
                part = fuzzing.mutate_bytes(part[:64], chance)[:64].ljust(64, b"\0") + part[64:]
            else:
                part = fuzzing.mutate_bytes(part, chance)[:size].ljust(size, b"\0")
            data[at : at + size] = part
        return bytes(data[: chance.randrange(len(data))]) if chance.random() < 0.02 else bytes(data)


def fuzz(executions: int, seed: int, keep: Path | None = None, first: int = 0) -> fuzzing.Findings:
    """So many executions in a folder of their own, in memory where the system has one for files."""
    memory = Path("/dev/shm")
    warnings.simplefilter("ignore", DamagedClipWarning)
    with tempfile.TemporaryDirectory(prefix="reenact-fuzz-", dir=memory if memory.is_dir() else None) as folder:
        return fuzzing.run(Fuzzer(Path(folder)).one, executions, seed, keep, first)


def main() -> int:
    """Fuzz by command; exit code 1 when something was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--executions", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first execution")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path("fuzz-findings.txt"), help="where findings are written")
    options = parser.parse_args()
    share = -(-options.executions // options.jobs)
    with ProcessPoolExecutor(options.jobs) as processes:
        asked = [
            processes.submit(
                fuzz, min(share, options.executions - k * share), options.seed, options.keep, options.first + k * share
            )
            for k in range(options.jobs)
            if options.executions > k * share
        ]
        parts = [one.result() for one in asked]
    refused = sum((part.refused for part in parts), start=type(parts[0].refused)())
    faults = [fault for part in parts for fault in part.faults]
    print(f"{sum(part.executions for part in parts)} executions, {dict(refused)}, {len(faults)} faults")
    for fault in faults[:10]:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
