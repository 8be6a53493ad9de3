"""Adding folders: everything once, whatever lies in them."""

import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from reenact import load, save
from reenact.compute.executor import open_executor
from reenact.errors import ParameterError
from reenact.library import ImportOptions, ImportProgress, Library, clip_files
from reenact.library.import_folder import import_paths
from reenact.library.import_worker import read_all_into_staging
from reenact.library.walking import find_motion_files
from reenact.loading import LoadOptions


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_folder_is_added_once(library: Library, motion_folder: Path, jobs: int) -> None:
    seen: list[ImportProgress] = []
    report = library.import_folder([motion_folder], ImportOptions(jobs=jobs), seen.append)
    assert (report.files, report.read, len(report.added), report.unreadable) == (12, 12, 12, [])
    assert [(one.done, one.total) for one in seen] == [(n, 12) for n in range(1, 13)]
    assert seen[-1].added == 12
    assert [added.name for added in report.added] == [f"take_{n:02d}" for n in (*range(6, 12), *range(6))]
    stored, read = library.clip("take_03"), load(motion_folder / "walks" / "take_03.bvh")
    assert stored.rotations.tobytes() == read.rotations.tobytes()
    assert stored.pristine
    assert library.entry("take_03").sources[0].relative == "walks/take_03.bvh"
    again = library.import_folder([motion_folder], ImportOptions(jobs=jobs))
    assert (again.read, again.skipped, again.added) == (0, 12, [])
    assert library.verify().problems == []
    assert list((library.folder / "incoming").iterdir()) == []


def test_known_files_are_not_opened(library: Library, motion_folder: Path, monkeypatch) -> None:
    library.import_folder([motion_folder], ImportOptions(jobs=1))
    monkeypatch.setattr("reenact.library.import_worker.read_into_staging", lambda *_: pytest.fail("opened"))
    assert library.import_folder([motion_folder], ImportOptions(jobs=1)).skipped == 12


def test_other_ways_to_name_the_folder_know_it_too(
    library: Library, motion_folder: Path, tmp_path: Path, monkeypatch
) -> None:
    library.import_folder([motion_folder])
    monkeypatch.chdir(motion_folder / "walks")
    assert library.import_folder([Path("..")]).skipped == 12
    assert library.import_folder([Path("."), Path("take_01.bvh"), motion_folder / "walks"]).files == 6
    assert library.entry("take_01.bvh").name == "take_01"


def test_changed_and_touched_files_are_read_again(library: Library, motion_folder: Path, make_clip) -> None:
    library.import_folder([motion_folder], ImportOptions(jobs=1))
    save(make_clip(77, frames=30), motion_folder / "walks" / "take_00.bvh")
    os.utime(motion_folder / "walks" / "take_01.bvh", ns=(1, 1))
    report = library.import_folder([motion_folder], ImportOptions(jobs=1))
    assert (report.read, report.skipped, report.known) == (2, 10, 1)
    assert [added.name for added in report.added] == ["take_00-2"]
    assert "take_00" in library  # what the library had it keeps


def test_the_same_motion_in_two_files_is_one_clip(library: Library, motion_folder: Path) -> None:
    shutil.copy(motion_folder / "walks" / "take_00.bvh", motion_folder / "copy.bvh")
    report = library.import_folder([motion_folder], ImportOptions(jobs=1))
    assert (len(report.added), report.known) == (12, 1)
    assert [source.relative for source in library.entry("copy").sources] == ["copy.bvh", "walks/take_00.bvh"]
    assert library.entry("walks/take_00.bvh").name == "copy"


def test_other_reading_options_read_again(library: Library, motion_folder: Path) -> None:
    library.import_folder([motion_folder], ImportOptions(jobs=1))
    half = ImportOptions(LoadOptions(fps=30.0), jobs=1)
    report = library.import_folder([motion_folder / "walks"], half)
    assert len(report.added) == 6
    assert {entry.fps for entry in library.entries("name:take_00")} == {60.0, 30.0}
    assert library.entry("take_00-2").sources[0].options == {"fps": 30.0}
    assert library.import_folder([motion_folder / "walks"], half).skipped == 6
    assert library.import_folder([motion_folder], ImportOptions(jobs=1)).skipped == 12
    assert library.import_folder([motion_folder / "walks"], ImportOptions(jobs=1, again=True)).known == 6


def test_tags_and_metadata(library: Library, motion_folder: Path) -> None:
    library.import_folder([motion_folder], ImportOptions(tags=("mine",), metadata={"subject": 3}, jobs=1))
    assert library.tags() == {"mine": 12}
    assert len(library.entries("subject:3")) == 12
    library.import_folder([motion_folder / "runs"], ImportOptions(tags=("run",), jobs=1))  # skipped, but tagged
    assert library.tags() == {"mine": 12, "run": 6}


BAD = {
    "empty.bvh": b"",
    "text.bvh": b"hello",
    "cut.bvh": b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n"
    b"MOTION\nFrames: 2\nFrame Time: .01\n1 2",
    "random.glb": b"glTF" + bytes(range(256)) * 4,
    "random.npz": b"PK\x03\x04" + bytes(range(256)),
    "lonely.amc": b":FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 0 0 0 0 0\n",
    "zeros.bvh": bytes(5000),
}


@pytest.mark.parametrize("jobs", [1, 2])
def test_unreadable_files_are_reported_and_stop_nothing(library: Library, motion_folder: Path, jobs: int) -> None:
    for name, data in BAD.items():
        (motion_folder / name).write_bytes(data)
    report = library.import_folder([motion_folder], ImportOptions(jobs=jobs))
    assert len(report.added) == 12
    assert sorted(Path(failure.path).name for failure in report.unreadable) == sorted(BAD)
    for failure in report.unreadable:
        assert failure.message
        assert "\n" not in failure.message
        assert failure.code in ("format", "enoent"), failure
    assert len(library.unreadable()) == len(BAD)
    again = library.import_folder([motion_folder], ImportOptions(jobs=jobs))
    assert (again.read, again.skipped, len(again.unreadable)) == (len(BAD), 12, len(BAD))
    shutil.copy(motion_folder / "walks" / "take_00.bvh", motion_folder / "text.bvh")
    library.import_folder([motion_folder], ImportOptions(jobs=jobs))
    assert len(library.unreadable()) == len(BAD) - 1


def test_a_fault_in_a_reader_costs_one_file(library: Library, motion_folder: Path, monkeypatch) -> None:
    def faulty(path: Path, options: LoadOptions):
        if path.name == "take_05.bvh":
            raise IndexError("list index out of range")
        from reenact.loading import load_all

        return load_all(path, options)

    monkeypatch.setattr("reenact.library.import_worker.load_all", faulty)
    report = library.import_folder([motion_folder], ImportOptions(jobs=1))
    assert len(report.added) == 11
    (failure,) = report.unreadable
    assert failure.code == "internal"
    assert "IndexError" in failure.message


def test_a_reader_that_dies_costs_one_file(library: Library, motion_folder: Path, tmp_path: Path, monkeypatch) -> None:
    """A process killed from outside, as by a system short of memory."""
    (tmp_path / "site" / "reenact_dies").mkdir(parents=True)
    (tmp_path / "site" / "sitecustomize.py").write_text(
        "import os, reenact.loading as l\n"
        "real = l.load_all\n"
        "def load_all(path, options=None):\n"
        "    if 'take_05' in str(path): os.kill(os.getpid(), 9)\n"
        "    return real(path, options)\n"
        "l.load_all = load_all\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), *sys.path])
    report = library.import_folder([motion_folder], ImportOptions(jobs=2))
    assert len(report.added) == 11
    (failure,) = report.unreadable
    assert failure.path.endswith("take_05.bvh")
    assert "ended unexpectedly (exit code -9)" in failure.message


def test_skeletons_hold_no_motion(library: Library, corpus: Path) -> None:
    report = library.import_folder([corpus / "cmu-asfamc" / "02.asf"])
    assert (len(report.added), len(report.without_motion)) == (0, 1)
    assert library.import_folder([corpus / "cmu-asfamc" / "02.asf"]).skipped == 1


def test_everything_looks_into_files_of_any_name(library: Library, motion_folder: Path) -> None:
    (motion_folder / "walks" / "take_00.bvh").rename(motion_folder / "take_00.dat")
    (motion_folder / "notes.md").write_text("nothing")
    assert len(library.import_folder([motion_folder], ImportOptions(jobs=1)).added) == 11
    report = library.import_folder([motion_folder], ImportOptions(jobs=1, everything=True))
    assert ([added.name for added in report.added], report.other, report.unreadable) == (["take_00"], 1, [])
    assert len(library.import_folder([motion_folder / "notes.md"]).unreadable) == 0


def test_missing_path_is_said_before_anything_is_done(library: Library, motion_folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        library.import_folder([motion_folder, motion_folder / "nowhere"])
    assert len(library) == 0


@pytest.mark.parametrize("jobs", [0, -1, 1000])
def test_jobs_have_a_range(jobs: int) -> None:
    with pytest.raises(ParameterError, match="jobs must be 1 to 256"):
        ImportOptions(jobs=jobs)


def test_an_empty_folder_is_fine(library: Library, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    report = library.import_folder([tmp_path / "empty"])
    assert (report.files, report.added) == (0, [])


@pytest.mark.skipif(os.name != "posix", reason="links, pipes and byte names are POSIX")
def test_walking_odd_folders(motion_folder: Path, library: Library) -> None:
    (motion_folder / "loop").symlink_to(motion_folder)
    (motion_folder / "walks" / "up").symlink_to("..")
    (motion_folder / ".hidden").mkdir()
    shutil.copy(motion_folder / "walks" / "take_00.bvh", motion_folder / ".hidden" / "x.bvh")
    shutil.copy(motion_folder / "walks" / "take_00.bvh", motion_folder / ".x.bvh")
    (motion_folder / "broken.bvh").symlink_to("nothing.bvh")
    os.mkfifo(motion_folder / "pipe.bvh")
    (motion_folder / "folder.bvh").mkdir()
    Library.create(motion_folder / "lib").close()
    (motion_folder / "lib" / "inside.bvh").write_text("x")
    shutil.copy(motion_folder / "walks" / "take_01.bvh", os.fsencode(motion_folder) + b"/caf\xe9.BVH")
    files, failures = find_motion_files([motion_folder])
    assert [file.relative for file in files] == [
        "caf\\xe9.BVH",
        *(f"runs/take_{n:02d}.bvh" for n in range(6, 12)),
        *(f"walks/take_{n:02d}.bvh" for n in range(6)),
    ]
    assert sorted((Path(failure.path).name, failure.code) for failure in failures) == [
        ("broken.bvh", "enoent"),
        ("pipe.bvh", "format"),
    ]
    report = library.import_folder([motion_folder], ImportOptions(jobs=2))
    assert (len(report.added), report.known, len(report.unreadable)) == (12, 1, 2)
    assert library.entry("caf\\xe9").sources[0].relative == "caf\\xe9.BVH"
    assert library.import_folder([motion_folder]).skipped == 13


def test_what_may_not_be_read_is_reported(tmp_path: Path, make_clip, ordinary_user) -> None:
    with ordinary_user():
        folder = tmp_path / "motion"
        (folder / "shut").mkdir(parents=True)
        for name in ("good", "locked"):
            save(make_clip(1), folder / f"{name}.bvh")
        (folder / "locked.bvh").chmod(0)
        (folder / "shut").chmod(0)
        try:
            with Library.create(tmp_path / "lib") as library:
                report = library.import_folder([folder], ImportOptions(jobs=1))
        finally:
            (folder / "shut").chmod(0o755)
        assert len(report.added) == 1
        assert sorted((Path(failure.path).name, failure.code) for failure in report.unreadable) == [
            ("locked.bvh", "eacces"),
            ("shut", "eacces"),
        ]


def test_full_disk_stops_with_an_os_error_and_keeps_what_was_done(
    library: Library, motion_folder: Path, monkeypatch
) -> None:
    real, calls = clip_files._write_array, 0

    def filling(path: Path, values: np.ndarray) -> None:
        nonlocal calls
        calls += 1
        if calls > 9:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "rotations.npy")
        real(path, values)

    monkeypatch.setattr(clip_files, "_write_array", filling)
    with pytest.raises(OSError, match="No space") as caught:
        library.import_folder([motion_folder], ImportOptions(jobs=1))
    monkeypatch.undo()
    assert caught.value.errno == errno.ENOSPC
    assert len(library) == 4
    assert library.verify().problems == []
    assert len(library.import_folder([motion_folder]).added) == 8


def test_quota_reached_in_the_reading_processes(tmp_path: Path, make_clip) -> None:
    """A limit on file sizes holds for the processes that write: the import ends with the system's error, not with bad clips."""
    folder = tmp_path / "motion"
    folder.mkdir()
    for seed in range(4):
        save(make_clip(seed, frames=30), folder / f"small{seed}.bvh")
    save(make_clip(9, frames=30000), folder / "z_large.bvh")
    code = (
        "import sys; from reenact.library import *\n"
        "library = Library.create(sys.argv[1])\n"
        "try: library.import_folder([sys.argv[2]], ImportOptions(jobs=2))\n"
        "except OSError as error: print(error.errno, len(library), library.verify().problems)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "lib"), str(folder)],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)),
        check=False,
    )
    assert done.stdout.split() == [str(errno.EFBIG), "4", "[]"], done.stderr


def test_cancelling_keeps_what_was_done_and_goes_on_later(library: Library, motion_folder: Path) -> None:
    stop = threading.Event()

    def watch(progress: ImportProgress) -> None:
        if progress.done == 5:
            stop.set()

    report = import_paths(library, [motion_folder], ImportOptions(jobs=1), watch, stop.is_set)
    assert report.interrupted
    assert len(report.added) == len(library) == 5
    rest = library.import_folder([motion_folder], ImportOptions(jobs=1))
    assert (rest.skipped, len(rest.added), rest.interrupted) == (5, 7, False)


@pytest.mark.parametrize("jobs", [1, 2])
def test_interrupt_keeps_what_was_done(library: Library, motion_folder: Path, jobs: int) -> None:
    def interrupt(progress: ImportProgress) -> None:
        if progress.done == 4:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    report = library.import_folder([motion_folder], ImportOptions(jobs=jobs), interrupt)
    assert report.interrupted
    assert 4 <= len(report.added) == len(library) < 12
    assert signal.getsignal(signal.SIGINT) is before
    assert library.verify().problems == []
    rest = library.import_folder([motion_folder], ImportOptions(jobs=jobs))
    assert len(rest.added) == 12 - len(report.added)


def test_second_interrupt_is_an_exception(library: Library, motion_folder: Path) -> None:
    def interrupt(progress: ImportProgress) -> None:
        for _ in range(100):  # two that come at once are one
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)

    with pytest.raises(KeyboardInterrupt):
        library.import_folder([motion_folder], ImportOptions(jobs=2), interrupt)
    assert len(library.import_folder([motion_folder], ImportOptions(jobs=1)).added) + len(library) >= 12
    assert library.verify(repair=True).sound


def test_a_removed_clip_comes_back_when_its_folder_is_added_again(library: Library, motion_folder: Path) -> None:
    library.import_folder([motion_folder], ImportOptions(jobs=1))
    library.remove("take_03")
    report = library.import_folder([motion_folder], ImportOptions(jobs=1))
    assert (report.skipped, [added.name for added in report.added]) == (11, ["take_03"])


def test_readers_end_with_their_block(tmp_path: Path, motion_folder: Path) -> None:
    with open_executor("processes:2") as executor:
        files = sorted(motion_folder.rglob("*.bvh"))
        outcomes = list(read_all_into_staging(executor, files, lambda path: path, LoadOptions(), tmp_path))
        assert [(file, outcome.clips[0].frames) for file, outcome in outcomes] == [(file, 30) for file in files]
        running = list(executor._processes)  # type: ignore[attr-defined]
        assert len(running) == 2
    assert all(process.ended for process in running)


def test_where_no_process_can_be_started_files_are_read_here(
    library: Library, motion_folder: Path, monkeypatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr("reenact.compute.processes.subprocess.Popen", refuse)
    report = library.import_folder([motion_folder], ImportOptions(jobs=2))
    assert (len(report.added), report.unreadable) == (12, [])


def test_import_from_a_script_without_a_main_guard(tmp_path: Path, motion_folder: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        f"from reenact.library import *\nlibrary = Library.create({str(tmp_path / 'l')!r})\n"
        f"print(len(library.import_folder([{str(motion_folder)!r}], ImportOptions(jobs=2)).added))\n"
    )
    assert subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True).stdout == "12\n"
