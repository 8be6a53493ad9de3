"""The real recordings in a library: all of them, without a fault, once."""

import csv
from pathlib import Path

import numpy as np
import pytest

from reenact import load, load_all, save
from reenact.library import ImportOptions, Library, TableColumns, describe_from_table, export_clips

pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def shelf(corpus: Path, tmp_path_factory: pytest.TempPathFactory):
    """The whole corpus, added once for this module."""
    with Library.create(tmp_path_factory.mktemp("corpus") / "lib") as library:
        report = library.import_folder([corpus], ImportOptions(tags=("corpus",)))
        yield library, report


def motion_rows(corpus: Path) -> list[dict[str, str]]:
    with (corpus / "index.csv").open(newline="", encoding="utf-8") as stream:
        return [row for row in csv.DictReader(stream) if row["format"] in ("bvh", "amc", "asf", "glb", "gltf", "obj")]


def test_every_file_is_read(shelf, corpus: Path) -> None:
    _, report = shelf
    rows = motion_rows(corpus)
    assert report.files == report.read == len(rows)
    assert report.unreadable == []
    assert not report.interrupted
    assert len(report.added) + report.known >= sum(row["format"] in ("bvh", "amc") for row in rows)
    assert {Path(path).suffix for path in report.without_motion} <= {".asf", ".glb", ".obj"}


def test_the_second_time_nothing_is_read(shelf, corpus: Path) -> None:
    library, report = shelf
    again = library.import_folder([corpus])
    assert (again.read, again.skipped, again.added) == (0, report.files, [])


def test_it_is_sound(shelf) -> None:
    assert shelf[0].verify().problems == []


def test_frames_agree_with_the_index_of_the_corpus(shelf, corpus: Path) -> None:
    """An added T-pose is one frame less; nothing else may be lost."""
    library, _ = shelf
    checked = 0
    for row in motion_rows(corpus):
        if row["format"] == "bvh":
            entry = library.entry(row["path"])
            added = library.clip(entry).origin.added_pose is not None
            assert entry.frames + added == int(row["frames"]), row["path"]
            checked += 1
    assert checked == 348


def test_multi_clip_files_give_all_their_clips(shelf, corpus: Path) -> None:
    library, _ = shelf
    path = corpus / "characters" / "khronos" / "Fox.glb"
    names = [clip.name for clip in load_all(path).clips]
    held = [entry for entry in library if any(source.path == str(path.resolve()) for source in entry.sources)]
    assert sorted(source.name for entry in held for source in entry.sources) == sorted(names)
    assert len(names) == 3


@pytest.mark.parametrize(
    "name",
    ["cmu-bvh/02_01.bvh", "bvh-other/pirouette.bvh", "bvh-other/Geno_bind.bvh", "cmu-asfamc/02_01.amc"],
)
def test_export_is_as_saving_the_file(shelf, corpus: Path, tmp_path: Path, name: str) -> None:
    library, _ = shelf
    entry = library.entry(name)
    path = corpus / name
    direct = load(path)
    stored = library.clip(entry)
    assert stored.rotations.tobytes() == direct.rotations.tobytes()
    assert stored.root.tobytes() == direct.root.tobytes()
    assert (stored.translations is None) == (direct.translations is None)
    report = export_clips(library, [entry], tmp_path / "out")
    assert report.failures == []
    written = Path(report.written[0][1])
    save(direct, tmp_path / written.name)
    assert written.read_bytes() == (tmp_path / written.name).read_bytes()


def test_descriptions_can_be_searched(shelf, corpus: Path) -> None:
    library, _ = shelf
    report = describe_from_table(library, corpus / "index.csv", TableColumns(metadata=("licence",)))
    assert report.clips >= 400
    described = {row["path"]: row["description"] for row in motion_rows(corpus)}
    found = library.entries("salsa")
    assert found
    for entry in found:
        assert any("salsa" in described[source.relative].lower() for source in entry.sources)
    assert library.entries("cartwheel seconds>1 tag:corpus")
    assert {entry.metadata["licence"] for entry in library.entries("name:02_01")} == {"CMU: free use, no direct resale"}


def test_one_tree_as_a_frame_store(shelf, corpus: Path) -> None:
    library, _ = shelf
    entries = [entry for entry in library if entry.sources[0].relative.startswith("cmu-bvh/")]
    store = library.frame_store(entries)
    assert len(store) == 292
    assert store.frames == sum(entry.frames for entry in entries)
    number = store.names.index(library.entry("cmu-bvh/09_01.bvh").name)
    np.testing.assert_array_equal(
        store.clip(number).world().positions, load(corpus / "cmu-bvh" / "09_01.bvh").world().positions
    )
