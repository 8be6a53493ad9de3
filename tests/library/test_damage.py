"""Damage to what a library stores: one clear error that names the clip, whatever lies in a file or cell."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import threading
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from reenact import save
from reenact.cli.main import main
from reenact.core.foot_plants import FootContact, FootPlants
from reenact.errors import DamagedClipWarning, LibraryError, ReenactError
from reenact.library import ImportOptions, Library
from reenact.library.clip_files import clip_folder
from reenact.library.kept_plants import given_plants, set_plants
from reenact.library.salvage import opened_for_repair


@pytest.fixture
def shelf(library: Library, make_clip) -> Library:
    for seed in range(3):
        library.add(make_clip(seed, moving=seed == 1, origin=True), tags=["shared"], metadata={"take": seed})
    return library


def header(text: bytes, version: int = 1) -> bytes:
    """An .npy header with this text."""
    return b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(2 if version == 1 else 4, "little") + text


HEADERS = {
    "unclosed": header(b"{'descr': '<f4', 'fortran_order': False, 'shape': (20, 3"),  # TokenError of NumPy
    "no Python": header(b"{'descr' '<f4' 'shape' (20 3) ]\n"),  # SyntaxError
    "huge": header(
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 3), }\n"
    ),  # OverflowError
    "negative": header(b"{'descr': '<f4', 'fortran_order': False, 'shape': (-20, 3), }\n"),
    "deep": header(b"(" * 3000),  # MemoryError or RecursionError of the parser
    "other type": header(b"{'descr': '|O', 'fortran_order': False, 'shape': (20, 3), }\n"),
    "no type": header(b"{'descr': '<q9', 'fortran_order': False, 'shape': (20, 3), }\n"),
    "not text": header(b"\xff\xfe\x00" * 20),
    "columns first": header(b"{'descr': '<f4', 'fortran_order': True, 'shape': (20, 3), }\n") + bytes(240),
    "version 9": header(b"{}", 9),
    "cut off": b"\x93NUMPY\x01\x00\x76\x00{'descr'",
    "long": header(b" " * 60_000 + b"{}"),
    "no array": b"PK\x03\x04",
    "nothing": b"",
}


@pytest.mark.parametrize("data", HEADERS.values(), ids=HEADERS.keys())
@pytest.mark.parametrize("array", ["rotations", "root", "translations"])
def test_a_damaged_array_names_the_clip(shelf: Library, array: str, data: bytes) -> None:
    (clip_folder(shelf.folder, shelf.entry("clip1").hash) / f"{array}.npy").write_bytes(data)
    with pytest.raises(LibraryError, match=f"{array}.npy") as caught:
        shelf.clip("clip1")
    assert caught.value.where == "clip1"
    assert "\n" not in str(caught.value)
    (problem,) = shelf.verify().problems
    assert (problem.code, problem.where) == ("damaged", "clip1")
    assert len(shelf.clip("clip0")) == 20


def test_a_changed_number_is_noticed_when_the_clip_is_read(shelf: Library) -> None:
    path = clip_folder(shelf.folder, shelf.entry("clip0").hash) / "rotations.npy"
    shelf.clip("clip0")
    data = bytearray(path.read_bytes())
    data[-3] ^= 0x10
    path.write_bytes(data)
    with pytest.raises(LibraryError, match="do not have their hash any more"):
        shelf.clip("clip0")
    with pytest.raises(LibraryError, match="clip0"), Library(shelf.folder, read_only=True) as other:
        other.frame_store(["clip2", "clip0"])


@pytest.mark.skipif(os.name != "posix", reason="pipes with a name are POSIX")
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink(path, path)])
def test_what_is_no_file_is_not_waited_for(shelf: Library, make: Callable[[Path], None]) -> None:
    path = clip_folder(shelf.folder, shelf.entry("clip0").hash) / "root.npy"
    path.unlink()
    make(path)
    with pytest.raises(LibraryError) as caught:
        shelf.clip("clip0")
    assert caught.value.where == "clip0"
    assert [problem.where for problem in shelf.verify().problems] == ["clip0"]


CELLS = [
    ("clips", column, value)
    for column, values in {
        "hash": ["../../../../etc", "zz", b"\xff\x00", 7, None],
        "name": [b"\xff\xfe", 3.5, "", "\udcff"],
        "frames": ["many", -1, 1 << 62, 2.5, 19, b"20"],
        "fps": ["fast", float("inf"), -30.0, 0, 59.0, None],
        "seconds": ["long", float("-inf"), b"1"],
        "translated": ["[", "[" * 100_000, '{"a": 1}', "[1, 1e400]", "[-5]", '["x"]', 5, "[1, 99]", "9" * 5000],
        "bytes": ["some", -1, b"\x01", 12],
        "origin": ["", "{", "[]", "[" * 100_000, '{"findings": 5}', '{"unit": "x"}', b"\x80",
                   '{"added_pose": {"type": "AddedPose", "fields": {"rotations": {"dtype": "O", "values": [1], "shape": [1]}}}}',
                   '{"added_pose": {"type": "os", "fields": {}}}', '{"path": {"map": 3}}', "7"],
        "pristine": [2, "yes", None, 1.5],
        "description": [b"\xff", 8, None],
        "added_at": [b"\xff", 8],
        "skeleton_id": [77, "x", b"1"],
    }.items()
    for value in values
] + [
    ("skeletons", column, value)
    for column, values in {
        "definition": ["", "{", "null", "[" * 100_000, '{"names": [1]}', b"\xff", 9, '{"names": "ab", "parents": [-1, 0]}',
                       '{"names": ["a"], "parents": [99999999999999999999], "offsets": [0,0,0], "rest": [1,0,0,0], '
                       '"end_joints": [], "end_offsets": [], "roles": {}}',
                       '{"names": ["a"], "parents": [-1], "offsets": [0,0,0], "rest": [1,0,0,0], '
                       '"end_joints": [], "end_offsets": [], "roles": {"hips": "a"}}'],
        "joints": ["x", 0, -4, None, 8],
        "tree": [b"\xff", 4, "x"],
        "key": [b"\xff", 4, "x"],
    }.items()
    for value in values
] + [
    ("sources", column, value)
    for column, values in {
        "path": [b"\xff", 7],
        "relative": [b"\xff", 7],
        "position": ["x", -1, 1 << 62],
        "name": [b"\xff", 5],
        "options": ["", "[]", "{", b"\xff", 3],
    }.items()
    for value in values
] + [
    ("metadata", column, value)
    for column, values in {
        "key": [b"\xff", 7],
        "value": ["", "{", "[" * 100_000, b"\xff", 7.5, "9" * 5000],
        "folded": [b"\xff", 3, "other"],
    }.items()
    for value in values
] + [
    ("tags", "name", b"\xff"),
    ("tags", "name", 8),
    ("derived", "file", "../../../../../etc/passwd"),
    ("derived", "file", b"\xff"),
    ("derived", "digest", 7),
    ("derived", "kind", 7),
    ("derived", "parameters", "{"),
    ("derived", "bytes", "x"),
    ("derived", "made_at", b"\xff"),
    ("files", "options", "{"),
    ("files", "error", b"\xff"),
    ("files", "size", "x"),
]  # fmt: skip


def write_cell(folder: Path, table: str, column: str, value: object, number: int = 1) -> None:
    """Put a value into a cell as damage would: against every rule of the table, of one clip where rows are clips'."""
    which = {
        "clips": f"id = {number}",
        "skeletons": f"id = {number}",
        "tags": "id = 1",
        "sources": f"clip_id = {number}",
        "metadata": f"clip_id = {number} AND key = 'take'",
        "derived": f"key IN (SELECT key FROM derived_from WHERE clip_id = {number})",
        "files": "1",
    }[table]
    with sqlite3.connect(folder / "library.sqlite", isolation_level=None) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            """UPDATE sqlite_master SET sql = replace(replace(replace(sql, ' NOT NULL', ''), ' TEXT', ''), ' INTEGER,', ',')
            WHERE name = ?""",
            (table,),
        )
    connection.close()
    with sqlite3.connect(folder / "library.sqlite", isolation_level=None) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        given = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
        as_text = "CAST(? AS TEXT)" if isinstance(value, str) else "?"
        connection.execute(f"UPDATE {table} SET {column} = {as_text} WHERE {which}", (given,))
    connection.close()


USES: dict[str, Callable[[Library], object]] = {
    "clip": lambda library: library.clip(1),
    "entry": lambda library: library.entry(1),
    "all": lambda library: library.entries(),
    "search": lambda library: library.page("shared take>=0 fps>1", limit=5),
    "tags": lambda library: library.tags(),
    "named": lambda library: library.entry("clip0"),
    "nearly named": lambda library: library.entry("klip"),
    "tag": lambda library: library.tag(1, "more"),
    "rename": lambda library: library.rename(1, "other"),
    "derived": lambda library: library.derived(1, "thing", {}, lambda: np.arange(3)),
    "derived results": lambda library: library.derived_results(1),
    "unreadable": lambda library: library.unreadable(),
    "store": lambda library: library.frame_store([1, 2]),
    "remove": lambda library: library.remove(1),
}


@pytest.fixture(scope="module")
def template(tmp_path_factory, make_clip) -> Path:
    """A library to damage copies of: two clips of one skeleton read from files, and one that was made."""
    folder = tmp_path_factory.mktemp("template")
    files = folder / "motion"
    files.mkdir()
    for seed in range(2):
        save(make_clip(seed), files / f"clip{seed}.bvh")
    with Library.create(folder / "lib") as library:
        library.import_folder([files], ImportOptions(jobs=1))
        for ref in ("clip0", "clip1"):
            library.set_metadata(ref, {"take": 1})
            library.tag(ref, "shared")
        library.add(make_clip(2, size=1.5), tags=["shared"])
        library.derived("clip0", "thing", {}, lambda: np.arange(3))
        plain = np.arange(20) % 2 > 0
        set_plants(library, "clip0", FootPlants(FootContact(plain, plain), FootContact(~plain, ~plain), 60.0))
    return folder / "lib"


@pytest.fixture
def damaged(template: Path, tmp_path: Path) -> Path:
    """A copy of the template, to be damaged."""
    return Path(shutil.copytree(template, tmp_path / "lib"))


def contents(library: Library) -> dict[str, bytes]:
    return {entry.name: library.clip(entry).rotations.tobytes() for entry in library.entries()}


def error_of(use: Callable[[], object]) -> ReenactError | None:
    """What an attempt was refused with, if it was."""
    try:
        with warnings.catch_warnings(action="ignore"):
            use()
    except ReenactError as error:
        return error
    return None


OWN_WORDS = ("clip0", "clip 1", "other", "tags", "files", "skeleton", "derived")


@pytest.mark.parametrize(("table", "column", "value"), CELLS, ids=lambda part: str(part)[:30])
def test_a_damaged_cell_names_the_clip_and_is_repaired(template, damaged: Path, table, column, value) -> None:
    write_cell(damaged, table, column, value)
    with Library(template, read_only=True) as whole:
        before = contents(whole)
        plants = given_plants(whole, "clip0")
    for name, use in USES.items():
        copy = damaged.with_name(f"copy-{name}")
        shutil.copytree(damaged, copy)
        with Library(copy) as library:
            error = error_of(lambda use=use, library=library: use(library))
        if error is not None:
            assert "\n" not in str(error)
            assert error.where.startswith(OWN_WORDS) or name in ("named", "nearly named"), (name, error)
    with Library(damaged) as library:
        report = library.verify()
        assert report.problems
        assert not report.sound
        assert any(problem.where.startswith(OWN_WORDS) for problem in report.problems), report.problems
        assert library.verify(repair=True).sound
        assert library.verify().problems == []
        renamed = column == "name" and table in ("clips", "tags")
        assert contents(library) == before or (renamed and list(contents(library).values()) == list(before.values()))
        found = given_plants(library, 1)
        assert found is not None
        assert np.array_equal(found.left.heel, plants.left.heel)
        assert library.entry(2).tags == ("shared",) or table == "tags"


MADE = [
    ("frames", -1), ("frames", "x"), ("fps", "x"), ("fps", 61.0), ("seconds", None), ("translated", "["), ("bytes", 3),
    ("pristine", 7), ("hash", "zz"), ("hash", "0" * 40), ("skeleton_id", 44), ("skeleton_id", 1), ("name", b"\xff"), ("description", 3),
]  # fmt: skip


@pytest.mark.parametrize(("column", "value"), MADE)
def test_a_clip_without_a_file_is_mended_from_its_arrays(template, damaged: Path, column: str, value: object) -> None:
    """What its cells said is found again by trying what other rows know, until the hash of the arrays comes out."""
    write_cell(damaged, "clips", column, value, number=3)
    with Library(template, read_only=True) as whole:
        before = whole.clip(3)
    with Library(damaged) as library:
        assert {problem.where for problem in library.verify().problems} <= {
            "clip2",
            "clip 3",
            f"clips/{whole_hash(template)}",
        }
        assert library.verify(repair=True).sound
        assert library.verify().problems == []
        assert not (damaged / "lost").exists()
        assert library.clip(3).rotations.tobytes() == before.rotations.tobytes()
        assert library.entry(3).fps == before.fps
        assert len(library) == 3


def whole_hash(template: Path) -> str:
    with Library(template, read_only=True) as whole:
        content = whole.entry(3).hash
    return f"{content[:2]}/{content}"


@pytest.mark.parametrize(("table", "column", "value"), CELLS, ids=lambda part: str(part)[:30])
def test_the_other_clips_are_listed_and_the_damaged_one_is_named(damaged: Path, table, column, value) -> None:
    write_cell(damaged, table, column, value)
    with Library(damaged) as library:
        faults: list[LibraryError] = []
        total, found = library.page(faults=faults)
        assert total == 3
        assert len(found) + len(faults) == 3
        assert {"clip1", "clip2"} - {entry.name for entry in found} <= {fault.where for fault in faults}
        assert table not in ("clips", "sources", "metadata") or {fault.where for fault in faults} <= {"clip0", "clip 1"}
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            assert library.entries() == found
        assert [str(one.message) for one in told] == [f"{fault}; left out" for fault in faults]
        assert all(one.category is DamagedClipWarning for one in told)


def test_a_clip_that_has_lost_its_skeleton_is_named_and_not_passed_over(damaged: Path) -> None:
    write_cell(damaged, "clips", "skeleton_id", 44, number=2)
    with Library(damaged) as library, pytest.warns(DamagedClipWarning, match="clip1: .* lost the skeleton"):
        assert [entry.name for entry in library.entries()] == ["clip0", "clip2"]


def test_the_command_line_lists_what_is_sound_and_names_what_is_not(damaged: Path, capsys) -> None:
    write_cell(damaged, "clips", "fps", "x")
    assert main(["library", "list", str(damaged)]) == 0
    shown = capsys.readouterr()
    assert "clip1" in shown.out
    assert "damaged: clip0: the index holds x as fps" in shown.err
    assert main(["library", "search", str(damaged), "tag:shared", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [clip["name"] for clip in told["clips"]] == ["clip1", "clip2"]
    assert [one["clip"] for one in told["damaged"]] == ["clip0"]
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert main(["library", "export", str(damaged), str(damaged / "out")]) == 0
    assert capsys.readouterr().err.count("warning: clip0: ") == 1
    assert sorted(path.stem for path in (damaged / "out").rglob("*.*")) == ["clip1", "clip2"]


def spoil_page(folder: Path, page: int) -> None:
    """Overwrite a page of the index in its file, below everybody who has it open."""
    with (folder / "library.sqlite").open("r+b") as stream:
        size = int.from_bytes(stream.read(18)[16:18], "big")
        stream.seek(page * size)
        stream.write(bytes(size))


PAGES = [0, 2, 5]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("reading", [False, True])
def test_another_open_library_sees_the_repaired_index(template, damaged: Path, page: int, reading: bool) -> None:
    with Library(damaged) as other:
        assert len(other) == 3
        connection = other.index._connected()
        if reading:
            connection.execute("BEGIN")
            connection.execute("SELECT * FROM clips").fetchone()
        spoil_page(damaged, page)
        with opened_for_repair(damaged) as library:
            assert library.verify(repair=True).sound
            if reading:
                connection.execute("COMMIT")
            other.tag("clip0", "written afterwards")
            assert "written afterwards" in library.entry("clip0").tags
            assert library.verify().problems == []
        with Library(template, read_only=True) as whole:
            assert contents(other) == contents(whole)


def test_a_repair_waits_for_a_writer_and_gives_up_without_harm(damaged: Path, monkeypatch) -> None:
    monkeypatch.setattr("reenact.library.index.WAIT_SECONDS", 0.3)
    with Library(damaged) as other, Library(damaged) as library:
        with other.index.writing():
            spoil_page(damaged, 5)
            before = (damaged / "library.sqlite").read_bytes()
            report = library.verify(repair=True)
            assert any("kept the library locked for 0.3 s" in problem.message for problem in report.problems)
            assert not report.sound
            assert (damaged / "library.sqlite").read_bytes() == before
        monkeypatch.setattr("reenact.library.index.WAIT_SECONDS", 60.0)
        begun, done = threading.Event(), threading.Event()

        def write() -> None:
            with other.index.writing():
                begun.set()
                done.wait(0.5)

        writer = threading.Thread(target=write)
        writer.start()
        begun.wait()
        assert library.verify(repair=True).sound
        done.set()
        writer.join()
        assert library.verify().problems == []


def test_what_cannot_be_mended_stays(damaged: Path) -> None:
    write_cell(damaged, "skeletons", "definition", "{", number=2)
    with Library(damaged) as library:
        report = library.verify(repair=True)
        assert [(problem.where, problem.repaired) for problem in report.problems] == [("clip2", False)]
        assert len(library) == 3
        assert sorted(contents_of_sound(library)) == ["clip0", "clip1"]
        assert len(list((damaged / "clips").glob("*/*/root.npy"))) == 3


def contents_of_sound(library: Library) -> list[str]:
    errors = {number: error_of(lambda number=number: library.clip(number)) for number in (1, 2, 3)}
    assert all(error is None or error.where == "clip2" for error in errors.values())
    return [library.clip(number).name for number, error in errors.items() if error is None]


def test_lost_arrays_come_back_from_the_file(template, damaged: Path) -> None:
    with Library(damaged) as library:
        folder = clip_folder(damaged, library.entry("clip1").hash)
        shutil.rmtree(folder)
        assert [problem.code for problem in library.verify().problems] == ["missing"]
        assert library.verify(repair=True).sound
        assert library.verify().problems == []
        with Library(template, read_only=True) as whole:
            assert contents(library) == contents(whole)


def test_lost_rows_of_clips_come_back(template, damaged: Path) -> None:
    with sqlite3.connect(damaged / "library.sqlite", isolation_level=None) as connection:
        connection.execute("DELETE FROM clips WHERE id IN (1, 2)")
    connection.close()
    with Library(damaged) as library:
        assert {problem.where for problem in library.verify().problems} >= {"clip 1", "clip 2"}
        assert library.verify(repair=True).sound
        assert library.verify().problems == []
        with Library(template, read_only=True) as whole:
            assert contents(library) == contents(whole)
        assert library.entry("clip0").tags == ("shared",)
        assert given_plants(library, "clip0") is not None


def test_damaged_pages_are_read_around(template, damaged: Path) -> None:
    """Any one page of the index overwritten: the repaired one is sound but for what is said, and no clip's arrays are gone."""
    index = damaged / "library.sqlite"
    data = index.read_bytes()
    size = int.from_bytes(data[16:18], "big")
    with Library(template, read_only=True) as whole:
        before = {entry.hash for entry in whole.entries()}
    whole_again = 0
    for page in range(len(data) // size):
        index.write_bytes(data[: page * size] + bytes(size) + data[(page + 1) * size :])
        with opened_for_repair(damaged) as library:
            report = library.verify(repair=True)
            again = library.verify()
            assert {problem.where for problem in again.problems} <= {
                problem.where for problem in report.problems if not problem.repaired
            }, page
            found = {path.name for path in [*damaged.glob("clips/*/*"), *damaged.glob("lost/*")] if path.is_dir()}
            assert found >= before, page
            whole_again += sorted(entry_hashes(library)) == sorted(before) and not again.problems
        shutil.rmtree(damaged)
        shutil.copytree(template, damaged)
    assert whole_again >= len(data) // size - 4, (whole_again, len(data) // size)


def entry_hashes(library: Library) -> list[str]:
    with library.index.reading() as connection:
        return [row[0] for row in connection.execute("SELECT hash FROM clips")]


@pytest.mark.parametrize("data", [*HEADERS.values(), b"PK\x05\x06" + bytes(18), b"PK\x03\x04" + b"\xff" * 60])
@pytest.mark.parametrize("ending", [".npy", ".npz", ".json"])
def test_results_with_the_right_hash_and_other_contents_name_the_clip(
    library: Library, make_clip, ending, data
) -> None:
    """As an attacker would have it: nothing in a file is trusted because its hash is right."""
    library.add(make_clip(0))
    plain = np.zeros(20, np.bool_)
    set_plants(library, 1, FootPlants(FootContact(plain, plain), FootContact(plain, plain), 60.0))
    with library.index.writing() as connection:
        (file,) = connection.execute("SELECT file FROM derived WHERE kind = 'plants'").fetchone()
        path = (library.folder / file).with_suffix(ending)
        path.write_bytes(data)
        digest = hashlib.blake2b(data, digest_size=16).hexdigest()
        connection.execute(
            "UPDATE derived SET file = ?, digest = ?", (path.relative_to(library.folder).as_posix(), digest)
        )
    with pytest.raises(LibraryError) as caught:
        library.clip(1)
    assert caught.value.where == "clip0"
