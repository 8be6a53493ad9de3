"""Checking a library: each kind of damage is found, and repaired only where nothing can be lost."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from reenact.library import ImportOptions, Library
from reenact.library.clip_files import clip_folder


@pytest.fixture
def shelf(library: Library, make_clip) -> Library:
    for seed in range(3):
        library.add(make_clip(seed, moving=seed == 2))
    library.derived("clip0", "thing", {}, lambda: np.arange(5))
    return library


def codes(library: Library, repair: bool = False) -> list[str]:
    return [problem.code for problem in library.verify(repair=repair).problems]


def place(library: Library, name: str) -> Path:
    return clip_folder(library.folder, library.entry(name).hash)


def test_sound(shelf: Library) -> None:
    steps: list[tuple[int, int]] = []
    report = shelf.verify(progress=lambda done, total: steps.append((done, total)))
    assert (report.clips, report.derived, report.problems, report.sound) == (3, 1, [], True)
    assert report.bytes == sum(path.stat().st_size for path in (shelf.folder / "clips").rglob("*.npy"))
    assert steps == [(1, 3), (2, 3), (3, 3)]


def harm_folder(folder: Path) -> None:
    shutil.rmtree(folder)


def harm_file(folder: Path) -> None:
    (folder / "root.npy").unlink()


def harm_size(folder: Path) -> None:
    (folder / "root.npy").write_bytes((folder / "root.npy").read_bytes() + b"x")


def harm_bit(folder: Path) -> None:
    data = bytearray((folder / "translations.npy").read_bytes())
    data[-1] ^= 1
    (folder / "translations.npy").write_bytes(data)


def harm_shape(folder: Path) -> None:
    np.save(folder / "root.npy", np.zeros((7, 3), np.float32))


def harm_type(folder: Path) -> None:
    np.save(folder / "root.npy", np.load(folder / "root.npy").astype(np.float64))


def harm_objects(folder: Path) -> None:
    np.save(folder / "root.npy", np.array([object()]), allow_pickle=True)


def harm_empty(folder: Path) -> None:
    (folder / "root.npy").write_bytes(b"")


@pytest.mark.parametrize(
    "harm", [harm_folder, harm_file, harm_size, harm_bit, harm_shape, harm_type, harm_objects, harm_empty]
)
def test_lost_arrays_are_found_and_never_deleted(shelf: Library, harm) -> None:
    harm(place(shelf, "clip2"))
    expected = ["missing"] if harm is harm_folder else ["damaged"]
    report = shelf.verify(repair=True)
    assert [problem.code for problem in report.problems] == expected
    assert report.problems[0].where == "clip2"
    assert not report.sound
    assert len(shelf) == 3
    assert codes(shelf) == expected


def test_the_cure_is_named(library: Library, motion_folder: Path) -> None:
    library.import_folder([motion_folder], ImportOptions(jobs=1))
    harm_folder(place(library, "take_03"))
    (problem,) = library.verify().problems
    assert str(motion_folder / "walks" / "take_03.bvh") in problem.message
    library.import_folder([motion_folder / "walks" / "take_03.bvh"], ImportOptions(again=True))
    assert codes(library) == []


def test_files_without_rows_are_cleared(shelf: Library) -> None:
    folder = shelf.folder
    shutil.copytree(place(shelf, "clip0"), folder / "clips" / "ff" / ("ff" + "0" * 38))
    shutil.copytree(
        place(shelf, "clip0"), folder / "clips" / "00" / shelf.entry("clip0").hash
    )  # right name, wrong place
    (folder / "clips" / "stray.txt").write_text("x")
    (folder / "derived" / "aa" / "bb").mkdir(parents=True)
    (folder / "derived" / "aa" / "bb" / ".thing-1.npy.x.part").write_text("x")
    assert codes(shelf) == ["orphan"] * 4
    report = shelf.verify(repair=True)
    assert report.sound
    assert len(report.problems) == 4
    assert codes(shelf) == []
    assert shelf.clip("clip0").frames == 20


def test_staging_of_the_living_stays(shelf: Library) -> None:
    gone = shelf.folder / "incoming" / "elsewhere.77.abc"
    gone.mkdir()
    os.utime(gone, (0, 0))
    (shelf.folder / "incoming" / "elsewhere.78.abc").mkdir()
    with shelf.staging() as mine:
        (mine / "x").touch()
        assert codes(shelf, repair=True) == ["staging"]
        assert (mine / "x").exists()
    assert [path.name for path in (shelf.folder / "incoming").iterdir()] == ["elsewhere.78.abc"]


def test_lost_derived_results_are_forgotten(shelf: Library) -> None:
    (file,) = (shelf.folder / "derived").rglob("*.npy")
    file.write_bytes(b"bad")
    assert shelf.verify(repair=True).sound
    assert shelf.derived_results("clip0") == []
    assert codes(shelf, repair=True) in ([], ["orphan"])
    assert codes(shelf) == []


def test_search_out_of_step_is_mended(shelf: Library) -> None:
    with shelf.index.writing() as connection:
        connection.execute("DELETE FROM words WHERE rowid = 1")
        connection.execute("INSERT INTO words (rowid, name) VALUES (99, 'ghost')")
    assert codes(shelf) == ["words"]
    assert shelf.verify(repair=True).sound
    assert [entry.name for entry in shelf.entries("clip0")] == ["clip0"]
    assert codes(shelf) == []


def test_broken_references_are_found(shelf: Library) -> None:
    with shelf.index.reading() as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("INSERT INTO clip_tags VALUES (55, 66)")
    assert "index" in codes(shelf)
