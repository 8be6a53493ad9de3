"""Clips as files again."""

import errno
import os
from pathlib import Path

import pytest

from reenact import load, save
from reenact.errors import FormatError
from reenact.library import ImportOptions, Library, export_clips
from reenact.library.clip_files import clip_folder


def test_a_recording_comes_back_as_saving_its_file_would_give(
    library: Library, motion_folder: Path, tmp_path: Path
) -> None:
    library.import_folder([motion_folder], ImportOptions(jobs=1))
    report = export_clips(library, library.entries(), tmp_path / "out")
    assert (len(report.written), report.failures) == (12, [])
    for seed in (0, 11):
        below = "walks" if seed < 6 else "runs"
        name = f"take_{seed:02d}.bvh"
        save(load(motion_folder / below / name), tmp_path / name)
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / name).read_bytes()


def test_files_that_are_there_stay(library: Library, make_clip, tmp_path: Path) -> None:
    library.add(make_clip(1))
    (tmp_path / "clip1.bvh").write_text("mine")
    report = export_clips(library, library.entries(), tmp_path)
    assert ([failure.code for failure in report.failures], report.written) == (["exists"], [])
    assert (tmp_path / "clip1.bvh").read_text() == "mine"
    assert len(export_clips(library, library.entries(), tmp_path, overwrite=True).written) == 1
    assert len(load(tmp_path / "clip1.bvh")) == 20


def test_names_that_no_file_may_have(library: Library, make_clip, tmp_path: Path) -> None:
    for seed, name in enumerate(("../../etc/x", "a/b", "a\\b", "CON", "..", "x" * 300, "nul.x", "A_B")):
        library.add(make_clip(seed), name=name)
    report = export_clips(library, library.entries(), tmp_path / "out")
    assert (len(report.written), report.failures) == (8, [])
    assert len(list((tmp_path / "out").iterdir())) == 8
    names = {path.name.casefold() for path in (tmp_path / "out").iterdir()}
    assert len(names) == 8
    assert "con.bvh" not in names


def test_a_lost_clip_costs_only_itself(library: Library, make_clip, tmp_path: Path) -> None:
    lost = library.add(make_clip(1))
    library.add(make_clip(2))
    (clip_folder(library.folder, lost.hash) / "root.npy").unlink()
    report = export_clips(library, library.entries(), tmp_path / "out")
    assert [clip for clip, _ in report.written] == ["clip2"]
    assert [failure.code for failure in report.failures] == ["library"]


def test_full_disk_is_reported_once(library: Library, make_clip, tmp_path: Path, monkeypatch) -> None:
    for seed in range(3):
        library.add(make_clip(seed))

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "x")

    monkeypatch.setattr("reenact.library.export.save", full)
    report = export_clips(library, library.entries(), tmp_path / "out")
    assert [failure.code for failure in report.failures] == ["enospc"]


def test_unknown_format_names_the_choices(library: Library, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"cannot write 'asf'; choose one of .*bvh"):
        export_clips(library, [], tmp_path, format="asf")
