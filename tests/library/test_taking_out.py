"""Clips that are taken out and put back: everything about them is as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reenact.core.clip import Clip
from reenact.errors import LibraryError
from reenact.library import Library
from reenact.library.taking_out import put_back, take_out
from reenact.samples import make_sample


@pytest.fixture
def library(tmp_path: Path) -> Any:
    with Library.create(tmp_path / "lib") as opened:
        walk = make_sample("walk_normal", 60.0).clip
        opened.add(walk, name="walk", tags=("gait", "slow"), description="a stroll", metadata={"type": "walk", "n": 3})
        opened.add(make_sample("run", 60.0).clip, name="run", tags=("gait",))
        yield opened


def state(library: Library) -> Any:
    """All that the index says, and every file of the library with its bytes."""
    with library.index.reading() as connection:
        tables = ("clips", "skeletons", "sources", "files", "metadata", "derived", "derived_from", "words")
        rows = {table: sorted(map(tuple, connection.execute(f"SELECT * FROM {table}"))) for table in tables}
        rows["tags"] = sorted(
            map(tuple, connection.execute("SELECT c.clip_id, t.name FROM clip_tags c JOIN tags t ON t.id = c.tag_id"))
        )
    files = {
        str(path.relative_to(library.folder)): path.read_bytes()
        for top in ("clips", "derived")
        for path in (library.folder / top).rglob("*")
        if path.is_file()
    }
    return {key: value for key, value in rows.items() if key != "skeletons"}, files


def test_no_such_clip(library: Library, tmp_path: Path) -> None:
    before = state(library)
    with pytest.raises(LibraryError):
        take_out(library, 99, tmp_path / "kept")
    assert state(library) == before
    assert not (tmp_path / "kept").exists()


def test_a_library_that_is_only_read(library: Library, tmp_path: Path) -> None:
    with Library(library.folder, read_only=True) as reader, pytest.raises(LibraryError, match="reading only"):
        take_out(reader, 1, tmp_path / "kept")
    assert not (tmp_path / "kept").exists()
    assert 1 in library


def test_everything_comes_back(library: Library, tmp_path: Path) -> None:
    library.derived("walk", "thing", {"a": 1}, lambda: {"x": np.arange(5)})
    before = state(library)
    taken = take_out(library, "walk", tmp_path / "kept")
    assert 1 not in library
    assert library.entries("stroll") == []
    assert put_back(library, taken)
    assert state(library) == before
    assert [entry.id for entry in library.entries("tag:slow type:walk stroll")] == [1]
    assert not library.verify().problems
    again = library.derived("walk", "thing", {"a": 1}, lambda: pytest.fail("it is kept"))
    np.testing.assert_array_equal(again["x"], np.arange(5))


def test_its_name_is_taken_meanwhile(library: Library, tmp_path: Path) -> None:
    taken = take_out(library, "walk", tmp_path / "kept")
    library.rename("run", "walk")
    assert put_back(library, taken)
    assert library.entry(1).name == "walk-2"


def test_the_motion_is_there_again(library: Library, tmp_path: Path) -> None:
    taken = take_out(library, "walk", tmp_path / "kept")
    clip: Clip = make_sample("walk_normal", 60.0).clip
    number = library.add(clip, name="another").id
    before = state(library)
    assert not put_back(library, taken)
    assert state(library) == before
    assert library.entry(number).name == "another"


def test_what_several_clips_gave_is_not_brought_back(library: Library, tmp_path: Path) -> None:
    library.derived(["walk", "run"], "thing", {}, lambda: np.arange(3))
    taken = take_out(library, "walk", tmp_path / "kept")
    assert put_back(library, taken)
    assert library.derived_results("run") == []
    assert not library.verify().problems


def test_a_damaged_clip_can_be_taken_out_and_is_damaged_when_it_comes_back(library: Library, tmp_path: Path) -> None:
    for path in (library.folder / "clips").rglob("root.npy"):
        path.unlink()
    taken = take_out(library, "walk", tmp_path / "kept")
    assert put_back(library, taken)
    assert library.verify().problems
