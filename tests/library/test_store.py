"""The library: what goes in comes out, once; and what cannot be done is said in one line."""

import errno
import os
import pickle
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reenact.errors import LibraryError, ParameterError
from reenact.library import Library
from reenact.library.clip_files import clip_folder


def test_no_library_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="no such folder"):
        Library(tmp_path / "none")
    with pytest.raises(LibraryError, match="not a library folder"):
        Library(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(LibraryError, match="a file, expected"):
        Library(tmp_path / "file")
    with pytest.raises(LibraryError, match="a file, expected"):
        Library.create(tmp_path / "file")


def test_create_refuses_what_is_taken(library: Library, tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="a library already"):
        Library.create(library.folder)
    (tmp_path / "mine" / "clips").mkdir(parents=True)
    with pytest.raises(LibraryError, match="'clips'"):
        Library.create(tmp_path / "mine")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "README").write_text("mine")
    Library.create(tmp_path / "project").close()
    assert (tmp_path / "project" / "README").read_text() == "mine"


@pytest.mark.parametrize("junk", [b"not a database at all" * 300, b"SQLite format 3\0" + b"\xff" * 5000])
def test_damaged_index_is_one_line(library: Library, junk: bytes) -> None:
    library.close()
    library.index.path.write_bytes(junk)
    for name in ("-wal", "-shm"):
        library.index.path.with_name(library.index.path.name + name).unlink(missing_ok=True)
    with pytest.raises(LibraryError) as caught:
        Library(library.folder)
    assert "\n" not in str(caught.value)
    assert "library.sqlite" in str(caught.value)


def test_index_damaged_while_open_is_a_library_error(library: Library, make_clip) -> None:
    for seed in range(40):
        library.add(make_clip(seed), description="word " * 200)
    library.close()
    data = bytearray(library.index.path.read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    library.index.path.write_bytes(data)
    with pytest.raises(LibraryError):
        Library(library.folder).entries("word")


def test_clip_comes_back_bit_for_bit(library: Library, make_clip) -> None:
    clip = make_clip(3, moving=True, origin=True, name="Walk")
    added = library.add(clip)
    back = library.clip("Walk")
    assert added.new
    assert back.rotations.tobytes() == clip.rotations.tobytes()
    assert back.root.tobytes() == clip.root.tobytes()
    assert back.translations.values.tobytes() == clip.translations.values.tobytes()
    assert back.translations.joints.tolist() == [1, 5]
    assert (back.fps, back.name, len(back)) == (clip.fps, "Walk", len(clip))
    assert back.skeleton.offsets.tobytes() == clip.skeleton.offsets.tobytes()
    assert dict(back.skeleton.roles) == dict(clip.skeleton.roles)
    assert back.origin.findings == clip.origin.findings
    assert not back.pristine


def test_recorded_clip_stays_recorded(library: Library, make_clip) -> None:
    library.add(make_clip(3, origin=True).as_recorded())
    back = library.clip("clip3")
    assert back.pristine
    assert not replace(back, fps=30.0).pristine


def test_arrays_are_mapped_not_copied(library: Library, make_clip) -> None:
    library.add(make_clip(1, moving=True))
    clip = library.clip("clip1")
    for array in (clip.rotations, clip.root, clip.translations.values):
        base = array
        while base is not None and not isinstance(base, np.memmap):
            base = base.base
        assert isinstance(base, np.memmap)
        assert not array.flags.writeable


@pytest.mark.parametrize("frames", [0, 1])
def test_hardly_any_frames(library: Library, make_clip, frames: int) -> None:
    library.add(make_clip(1, frames=frames, moving=True))
    assert library.clip("clip1").rotations.shape == (frames, 7, 4)
    assert library.clip("clip1").translations.values.shape == (frames, 2, 3)
    assert library.verify().sound


def test_the_same_motion_is_one_clip(library: Library, make_clip) -> None:
    first = library.add(make_clip(1, name="a"), tags=["x"], description="old")
    second = library.add(make_clip(1, name="b"), tags=["y"], metadata={"n": 1})
    assert (second.new, second.id, second.name) == (False, first.id, "a")
    assert len(library) == 1
    entry = library.entry("a")
    assert (entry.tags, entry.description, entry.metadata) == (("x", "y"), "old", {"n": 1})


def test_names_are_made_unique(library: Library, make_clip) -> None:
    names = [library.add(make_clip(seed, name="walk")).name for seed in range(3)]
    assert names == ["walk", "walk-2", "walk-3"]
    assert library.add(make_clip(4, name=" ")).name == "clip"
    assert library.add(make_clip(5), name="bad\udcff\ud800").name.startswith("bad")


def test_skeletons_are_kept_once(library: Library, make_clip) -> None:
    for seed in range(4):
        library.add(make_clip(seed, size=1.0 if seed < 3 else 2.0))
    with library.index.reading() as connection:
        assert connection.execute("SELECT count(*) FROM skeletons").fetchone()[0] == 2
    assert len({entry.tree for entry in library}) == 1


def test_ways_to_name_a_clip(library: Library, make_clip) -> None:
    added = library.add(make_clip(1, name="Walk"))
    library.add(make_clip(2, name="7"))
    for ref in (
        added.id,
        str(added.id),
        "Walk",
        added.hash,
        added.hash[:6],
        added.hash[:9].upper(),
        library.entry("Walk"),
    ):
        assert library.entry(ref).id == added.id
        assert ref in library
    assert library.entry("7").name == "7"
    for wrong in ("Walkk", added.hash[:5] + "x", "", "99", 99, "../x", "\udcff"):
        assert wrong not in library
    with pytest.raises(LibraryError, match="did you mean Walk"):
        library.entry("Walkk")


def test_a_name_that_means_several_is_refused(library: Library, make_clip, tmp_path: Path) -> None:
    added = [library.add(make_clip(seed)) for seed in range(2)]
    with library.index.writing() as connection:
        for one in added:
            connection.execute("INSERT INTO sources VALUES (?, '/x/a.glb', 'a.glb', ?, 'n', '{}')", (one.id, one.id))
    with pytest.raises(LibraryError, match="more than one clip: clip0, clip1"):
        library.entry("a.glb")


def test_remove_takes_everything(library: Library, make_clip) -> None:
    library.add(make_clip(1), tags=["only"], metadata={"a": 1})
    library.add(make_clip(2), tags=["both"])
    library.derived("clip1", "plants", {}, lambda: np.arange(3))
    library.derived(["clip1", "clip2"], "pair", {}, lambda: np.arange(3))
    library.derived("clip2", "plants", {}, lambda: np.arange(3))
    gone = library.remove("clip1", 1)
    assert [entry.name for entry in gone] == ["clip1"]
    assert not clip_folder(library.folder, gone[0].hash).exists()
    assert library.tags() == {"both": 1}
    assert library.entries("clip1") == []
    assert [path.name.split("-")[0] for path in (library.folder / "derived").rglob("*.npy")] == ["plants"]
    assert library.verify().problems == []
    assert library.add(make_clip(1)).id == 3  # numbers are never given twice


def test_remove_is_all_or_nothing(library: Library, make_clip) -> None:
    library.add(make_clip(1))
    with pytest.raises(LibraryError, match="nothing"):
        library.remove("clip1", "nothing")
    assert len(library) == 1


def test_a_clip_in_use_survives_its_removal(library: Library, make_clip) -> None:
    clip = make_clip(1)
    library.add(clip)
    held = library.clip("clip1")
    library.remove("clip1")
    assert held.rotations.tobytes() == clip.rotations.tobytes()


@pytest.mark.parametrize("harm", ["gone", "cut", "changed"])
def test_adding_again_mends_lost_arrays(library: Library, make_clip, harm: str) -> None:
    clip = make_clip(1)
    added = library.add(clip)
    file = clip_folder(library.folder, added.hash) / "rotations.npy"
    data = file.read_bytes()
    if harm == "gone":
        file.unlink()
    else:
        file.write_bytes(data[:-40] if harm == "cut" else data[:-1] + b"\x55")
    assert not library.verify().sound
    if harm != "changed":
        with pytest.raises(LibraryError):
            library.clip("clip1")
    assert not library.add(clip).new
    assert library.verify().problems == []
    assert library.clip("clip1").rotations.tobytes() == clip.rotations.tobytes()


def test_labels(library: Library, make_clip) -> None:
    library.add(make_clip(1), tags=["Walk"])
    library.tag("clip1", "walk", "slow pace")
    library.set_metadata("clip1", {"type": "walk", "subject": 7, "list": [1, {"a": None}]})
    library.set_metadata("clip1", {"subject": None})
    library.describe("clip1", "brisk ünïcode \udcff")
    library.rename("clip1", "new name")
    entry = library.entry("new name")
    assert entry.tags == ("slow pace", "Walk")
    assert entry.metadata == {"type": "walk", "list": [1, {"a": None}]}
    library.untag("new name", "WALK", "never there")
    assert library.tags() == {"slow pace": 1}


def test_labels_that_cannot_be(library: Library, make_clip) -> None:
    library.add(make_clip(1))
    library.add(make_clip(2))
    with pytest.raises(ParameterError, match="tag may not be empty"):
        library.tag("clip1", " ")
    with pytest.raises(ParameterError, match="list of texts"):
        library.add(make_clip(3), tags="walk")
    assert len(library) == 2  # nothing of it was added
    with pytest.raises(ParameterError, match="JSON"):
        library.set_metadata("clip1", {"a": object()})
    with pytest.raises(ParameterError, match="key"):
        library.set_metadata("clip1", {"": 1})
    with pytest.raises(LibraryError, match="has the name 'clip2' already"):
        library.rename("clip1", "clip2")
    with pytest.raises(ParameterError, match="empty"):
        library.rename("clip1", "")


def test_full_disk_is_an_os_error_and_leaves_nothing(library: Library, make_clip, monkeypatch) -> None:
    library.add(make_clip(0))

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "x.npy")

    monkeypatch.setattr("reenact.library.clip_files.os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        library.add(make_clip(1))
    monkeypatch.undo()
    assert len(library) == 1
    assert list((library.folder / "incoming").iterdir()) == []
    assert library.verify().problems == []


def test_killed_between_moving_and_committing(library: Library, make_clip, monkeypatch) -> None:
    """The arrays are in place, the row is not: no clip, and adding it again works."""

    def die(*_: object) -> None:
        raise RuntimeError("killed")

    monkeypatch.setattr("reenact.library.rows.index_words", die)
    with pytest.raises(RuntimeError):
        library.add(make_clip(1))
    monkeypatch.undo()
    assert len(library) == 0
    assert [problem.code for problem in library.verify().problems] == ["orphan"]
    assert library.add(make_clip(1)).new
    assert library.verify().problems == []


def test_read_only(library: Library, make_clip) -> None:
    library.add(make_clip(1))
    with Library(library.folder, read_only=True) as other:
        assert other.clip("clip1").frames == 20
        assert other.derived("clip1", "sum", {}, lambda: [1, 2]) == [1, 2]
        for change in (
            lambda: other.add(make_clip(2)),
            lambda: other.remove("clip1"),
            lambda: other.tag("clip1", "x"),
            lambda: other.verify(repair=True),
        ):
            with pytest.raises(LibraryError, match="reading only"):
                change()
        assert other.verify().sound
    assert library.derived_results("clip1") == []


def test_folder_that_may_not_be_written(tmp_path: Path, make_clip, ordinary_user) -> None:
    with ordinary_user():
        made = Library.create(tmp_path / "lib")
        made.add(make_clip(1))
        made.close()
        for path in (tmp_path / "lib", tmp_path / "lib" / "library.sqlite", tmp_path / "lib" / "incoming"):
            path.chmod(0o555)
        try:
            with Library(tmp_path / "lib") as library:
                assert library.clip("clip1").frames == 20
                with pytest.raises(LibraryError, match="reading only"):
                    library.add(make_clip(2))
            (tmp_path / "lib" / "library.sqlite").chmod(0)
            with pytest.raises(LibraryError):
                Library(tmp_path / "lib")
            (tmp_path / "shut").mkdir(mode=0o555)
            with pytest.raises(PermissionError):
                Library.create(tmp_path / "shut" / "lib")
        finally:
            (tmp_path / "lib").chmod(0o755)
            (tmp_path / "lib" / "incoming").chmod(0o755)


def test_library_travels_by_pickle(library: Library, make_clip) -> None:
    library.add(make_clip(1))
    with pickle.loads(pickle.dumps(library)) as other:
        assert other.entry("clip1").name == "clip1"


def test_threads_share_a_library(library: Library, make_clip) -> None:
    failures: list[BaseException] = []

    def work(start: int) -> None:
        try:
            for seed in range(start, start + 8):
                library.add(make_clip(seed), tags=[f"t{seed % 3}"])
                library.entries("clip")
                library.clip(f"clip{seed}")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(start,)) for start in (0, 4, 8, 12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(library) == 20
    assert library.verify().problems == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_library_survives_a_fork(library: Library, make_clip) -> None:
    library.add(make_clip(1))
    child = os.fork()
    if child == 0:
        try:
            library.add(make_clip(2))
            os._exit(0 if len(library) == 2 else 1)
        except BaseException:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(library) == 2
    library.add(make_clip(3))
    assert library.verify().problems == []
