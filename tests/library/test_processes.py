"""Several processes at one library: adding the same and other folders, reading meanwhile, killed in the middle."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reenact import save
from reenact.library import ImportOptions, Library

IMPORT = """
import sys
from reenact.library import ImportOptions, Library
library = Library(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
report = library.import_folder(sys.argv[3:], ImportOptions(jobs=int(sys.argv[2])))
print(len(report.added), report.known, report.skipped, len(report.unreadable), flush=True)
"""


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def release(*processes: subprocess.Popen[str]) -> list[list[int]]:
    """Let processes begin at the same moment; what each printed at the end, as numbers."""
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    outputs = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes)
    return [[int(word) for word in output.split()] for output in outputs]


@pytest.fixture
def folders(tmp_path: Path, make_clip) -> list[Path]:
    """Three folders of ten files: two with the same motions, one with others."""
    made = [tmp_path / name for name in ("a", "b", "c")]
    for folder in made:
        folder.mkdir()
    for seed in range(10):
        save(make_clip(seed, frames=40), made[0] / f"m{seed}.bvh")
        shutil.copy(made[0] / f"m{seed}.bvh", made[1] / f"n{seed}.bvh")
        save(make_clip(100 + seed, frames=40), made[2] / f"m{seed}.bvh")
    return made


def test_the_same_and_other_folders_at_once(library: Library, folders: list[Path]) -> None:
    a, b, c = folders
    results = release(
        start(IMPORT, library.folder, 1, a),
        start(IMPORT, library.folder, 1, a, c),
        start(IMPORT, library.folder, 1, b),
    )
    assert sum(result[0] for result in results) == 20 == len(library)
    assert all(result[3] == 0 for result in results)
    assert len({entry.name for entry in library}) == 20
    assert sum(len(entry.sources) for entry in library) == 30
    assert library.verify().problems == []
    assert library.import_folder(folders).skipped == 30


def test_reading_while_others_write(library: Library, folders: list[Path]) -> None:
    """Whatever a reader sees is whole: every clip that is listed can be read, searched and found again."""
    writer = start(IMPORT, library.folder, 1, *folders)
    assert writer.stdout is not None
    assert writer.stdin is not None
    writer.stdout.readline()
    writer.stdin.write("\n")
    writer.stdin.flush()
    counts = []
    while writer.poll() is None:
        entries = library.entries("m")
        counts.append(len(entries))
        for entry in entries[-3:]:
            assert library.clip(entry).rotations.shape == (entry.frames, entry.joints, 4)
        with Library(library.folder, read_only=True) as other:
            assert len(other) >= counts[-1]
        time.sleep(0.01)
    assert writer.communicate()[0].split()[0] == "20"
    assert counts == sorted(counts)
    assert len(library) == 20


DERIVE = """
import sys, numpy
from reenact.library import Library
library = Library(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for k in range(20):
    result = library.derived("m0", "thing", {"k": k}, lambda: numpy.full(50, k))
    assert result.tolist() == [k] * 50
    library.tag("m0", f"tag{k}")
    library.set_metadata("m0", {f"key{k}": k})
print(1)
"""


def test_deriving_and_labelling_at_once(library: Library, folders: list[Path]) -> None:
    library.import_folder([folders[0]], ImportOptions(jobs=1))
    assert release(*(start(DERIVE, library.folder) for _ in range(3))) == [[1]] * 3
    assert len(library.derived_results("m0")) == 20
    assert len(library.entry("m0").tags) == 20
    assert library.verify().problems == []


CHURN = """
import sys
from reenact.library import ImportOptions, Library
library = Library(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for k in range(4):
    library.import_folder([sys.argv[2]], ImportOptions(jobs=1))
    for entry in library.entries():
        try:
            library.remove(entry)
        except Exception as error:
            if "no clip" not in str(error): raise
    if sys.argv[3] == "repair":
        assert library.verify(repair=True).sound
print(1)
"""


def test_adding_removing_and_repairing_at_once(library: Library, folders: list[Path]) -> None:
    """The hardest company: each process removes what the other adds, one clears files without rows as it goes."""
    for path in sorted(folders[0].iterdir())[4:]:
        path.unlink()
    release(start(CHURN, library.folder, folders[0], "plain"), start(CHURN, library.folder, folders[0], "repair"))
    assert library.verify().problems == []
    library.import_folder([folders[0]], ImportOptions(jobs=1))
    assert len(library) == 4
    assert library.verify().problems == []


KILLED_BEFORE_COMMIT = """
import os, signal, sys
from reenact.library import ImportOptions, Library, rows
count = 0
def index_words(connection, number, honest=rows.index_words):
    global count
    count += 1
    if count > 1:  # it is in its place, and not committed
        os.kill(os.getpid(), signal.SIGKILL)
    honest(connection, number)
rows.index_words = index_words
library = Library(sys.argv[1])
folder = library.folder / "derived" / "aa" / ("aa" + "0" * 38)
folder.mkdir(parents=True)
(folder / ".character-1.npz.x.part").write_text("half")
library.import_folder(sys.argv[2:], ImportOptions(jobs=1))
"""


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX")
def test_what_an_import_killed_before_its_commit_has_left_is_swept_by_the_next(library: Library, folders) -> None:
    killed = start(KILLED_BEFORE_COMMIT, library.folder, folders[0])
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    assert len(library) == 0
    left = list((library.folder / "clips").glob("*/*"))
    assert left  # moved to their place, never committed
    report = library.import_folder([folders[2]], ImportOptions(jobs=1))
    assert len(report.added) == 10
    assert not any(folder.exists() for folder in left)
    assert list((library.folder / "incoming").iterdir()) == []
    assert list((library.folder / "derived").rglob("*.part")) == []
    assert library.verify().problems == []


def test_a_staging_folder_of_a_number_given_again_is_swept_by_its_age(library: Library, make_clip) -> None:
    from reenact.library.clip_files import make_staging, stage_clip

    mine = make_staging(library.folder)
    stage_clip(make_clip(1), mine)
    library.import_folder([], ImportOptions(jobs=1))
    assert mine.exists()
    os.utime(mine, (0, 0))
    library.import_folder([], ImportOptions(jobs=1))
    assert not mine.exists()


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX")
@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_in_the_middle_and_resumed(tmp_path: Path, make_clip, jobs: int) -> None:
    folder = tmp_path / "motion"
    folder.mkdir()
    for seed in range(60):
        save(make_clip(seed, frames=60), folder / f"m{seed:02d}.bvh")
    code = (
        "import sys, reenact.library.import_folder as module\n"
        "from reenact.library import ImportOptions, Library\n"
        "module.BATCH_FILES = 5\n"
        "Library.create(sys.argv[1]).import_folder([sys.argv[2]], ImportOptions(jobs=int(sys.argv[3])),\n"
        "    lambda progress: print(progress.done, flush=True))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "lib"), str(folder), str(jobs)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    while int(process.stdout.readline()) < 22:
        pass
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    with Library(tmp_path / "lib") as library:
        kept = len(library)
        assert 18 <= kept < 60  # at most four of the 22 waited for their commit
        for entry in library:
            library.clip(entry)
        assert {problem.code for problem in library.verify().problems} <= {"staging", "orphan"}
        rest = library.import_folder([folder], ImportOptions(jobs=jobs))
        assert rest.skipped == kept
        assert len(library) == 60
        assert library.verify(repair=True).sound
        assert library.verify().problems == []
        assert list((library.folder / "incoming").iterdir()) == []


def test_a_lock_that_is_never_given_back_is_said(library: Library, make_clip, monkeypatch) -> None:
    import sqlite3

    from reenact.errors import LibraryError

    monkeypatch.setattr("reenact.library.index.WAIT_SECONDS", 0.2)
    with Library(library.folder) as other:
        holder = sqlite3.connect(library.index.path, isolation_level=None)
        try:
            holder.execute("BEGIN IMMEDIATE")
            with pytest.raises(LibraryError, match="another process has kept the library locked"):
                other.add(make_clip(1))
        finally:
            holder.close()
        assert other.add(make_clip(1)).new
