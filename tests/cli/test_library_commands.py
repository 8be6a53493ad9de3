"""`reenact library`: every verb, its JSON, its exit codes, as a user runs it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from reenact import save
from reenact.cli.main import main
from reenact.core.clip import Clip
from reenact.core.rotations import normalize
from reenact.core.skeleton import Skeleton
from reenact.library import Library
from reenact.samples import make_sample, sample_names


@pytest.fixture
def motion(tmp_path: Path) -> Path:
    """Four BVH files and one that is none."""
    folder = tmp_path / "motion"
    folder.mkdir()
    skeleton = Skeleton(
        ("Hips", "Spine", "Head"), np.array([-1, 0, 1], np.int32), np.array([[0, 0.9, 0], [0, 0.3, 0], [0, 0.4, 0]])
    )
    for seed, name in enumerate(("walk_1", "walk_2", "run", "jump")):
        chance = np.random.default_rng(seed)
        turn = np.concatenate([np.ones((40, 3, 1)), 0.1 * chance.standard_normal((40, 3, 3))], axis=-1)
        save(
            Clip(skeleton, normalize(turn), np.tile([0, 0.9, 0], (40, 1)), 40.0 * (1 + seed), name),
            folder / f"{name}.bvh",
        )  # type: ignore[arg-type]
    (folder / "bad.bvh").write_text("nothing")
    return folder


@pytest.fixture
def shelf(tmp_path: Path, motion: Path, capsys) -> Path:
    folder = tmp_path / "lib"
    assert main(["library", "init", str(folder)]) == 0
    assert main(["library", "add", str(folder), str(motion)]) == 1
    capsys.readouterr()
    return folder


@pytest.fixture
def ask(capsys):
    """Run a command with --json; its exit code and its one JSON object."""

    def run(*arguments: object) -> tuple[int, dict]:
        code = main(["library", *map(str, arguments), "--json"])
        printed = capsys.readouterr()
        assert printed.err == ""
        assert printed.out.count("\n") == 1
        return code, json.loads(printed.out)

    return run


def test_init(ask, tmp_path: Path) -> None:
    assert ask("init", tmp_path / "x") == (0, {"library": str(tmp_path / "x"), "schema": 2})
    code, answer = ask("init", tmp_path / "x")
    assert code == 2
    assert answer["error"]["code"] == "library"
    assert "a library already" in answer["error"]["message"]


def test_add_reports_every_file(ask, tmp_path: Path, motion: Path) -> None:
    ask("init", tmp_path / "lib")
    code, answer = ask("add", tmp_path / "lib", motion, "--tag", "mine", "--meta", "subject=7", "--meta", "who=Ann")
    assert code == 1
    assert set(answer) == {
        "files", "read", "skipped", "added", "known", "without_motion", "other", "unreadable", "interrupted", "seconds",
        "descriptions", "samples",
    }  # fmt: skip
    assert [added["name"] for added in answer["added"]] == ["jump", "run", "walk_1", "walk_2"]
    (bad,) = answer["unreadable"]
    assert set(bad) == {"path", "code", "message", "where"}
    assert bad["path"] == str(motion / "bad.bvh")
    code, answer = ask("show", tmp_path / "lib", "run")
    assert answer["clip"]["tags"] == ["mine"]
    assert answer["clip"]["metadata"] == {"subject": 7, "who": "Ann"}
    (motion / "bad.bvh").unlink()
    code, answer = ask("add", tmp_path / "lib", motion)
    assert (code, answer["skipped"], answer["added"]) == (0, 4, [])


def test_add_passes_reading_options(ask, shelf: Path, motion: Path) -> None:
    code, answer = ask("add", shelf, motion / "run.bvh", "--fps", "25")
    assert (code, answer["added"][0]["name"]) == (0, "run-2")
    assert ask("show", shelf, "run-2")[1]["clip"]["fps"] == 25.0


def test_descriptions(ask, shelf: Path, motion: Path) -> None:
    (motion / "t.csv").write_text("file,about,who\nwalk_1.bvh,brisk stroll,Ann\nlost.bvh,x,\n")
    code, answer = ask(
        "add", shelf, "--descriptions", motion / "t.csv", "--key", "file", "--text", "about", "--column", "who"
    )
    assert code == 0
    assert answer["descriptions"] == {"rows": 2, "clips": 1, "unmatched": ["lost.bvh"]}
    assert [clip["name"] for clip in ask("search", shelf, "stroll")[1]["clips"]] == ["walk_1"]
    code, answer = ask("add", shelf, "--descriptions", motion / "t.csv")
    assert code == 2
    assert "there are file, about, who" in answer["error"]["message"]
    code, answer = ask("add", shelf, "--descriptions", motion / "none.csv")
    assert (code, answer["error"]["code"]) == (2, "enoent")


def test_samples(ask, tmp_path: Path) -> None:
    ask("init", tmp_path / "lib")
    code, answer = ask("add", tmp_path / "lib", "--samples")
    assert code == 0
    count = len(answer["samples"]["added"])
    assert count == len(sample_names())
    walks = ask("search", tmp_path / "lib", "type:walk tag:sample")[1]["clips"]
    assert walks
    assert all(clip["description"] for clip in walks)
    with Library(tmp_path / "lib") as library:
        name = walks[0]["name"]
        truth = library.derived(name, "truth", {}, lambda: pytest.fail("the ground truth is not kept"))
        planned = make_sample(name).truth
        np.testing.assert_array_equal(truth["left_heel"], planned.left.heel)
        np.testing.assert_array_equal(truth["right_ball_place"], planned.right.ball_place)
        assert truth["labels"].tolist() == list(planned.labels)
    assert ask("add", tmp_path / "lib", "--samples")[1]["samples"] == {"added": [], "known": count}


def test_list_and_search(ask, shelf: Path, motion: Path) -> None:
    code, answer = ask("list", shelf)
    assert (code, answer["total"]) == (0, 4)
    hits = ask("search", shelf, answer["clips"][0]["name"], "--limit", 1)[1]
    assert hits["total"] == len(ask("search", shelf, answer["clips"][0]["name"])[1]["clips"]) < 4
    assert set(answer["clips"][0]) == {
        "id", "hash", "name", "frames", "fps", "seconds", "joints", "tree", "skeleton", "bytes", "description", "tags", "metadata",
        "sources", "added_at",
    }  # fmt: skip
    assert [clip["name"] for clip in ask("list", shelf, "--limit", 2)[1]["clips"]] == ["jump", "run"]
    code, answer = ask("search", shelf, "walk", "fps>40")
    assert (answer["query"], [clip["name"] for clip in answer["clips"]]) == ("walk fps>40", ["walk_2"])
    assert [clip["name"] for clip in ask("search", shelf, 'walk "')[1]["clips"]] == ["walk_1", "walk_2"]
    code, answer = ask("search", shelf, "walk", "--limit", 1)
    assert (answer["total"], [clip["name"] for clip in answer["clips"]]) == (2, ["walk_1"])
    assert ask("search", shelf, "nothing at all")[1]["total"] == 0
    code, answer = ask("search", shelf, "fps>x")
    assert (code, answer["error"]["code"]) == (2, "parameter")
    assert ask("list", shelf, "--unreadable")[1]["unreadable"][0]["path"] == str(motion / "bad.bvh")
    ask("edit", shelf, "run", "--tag", "fast")
    assert ask("list", shelf, "--tags")[1] == {"tags": [{"name": "fast", "clips": 1}]}


def test_show(ask, shelf: Path, motion: Path) -> None:
    with Library(shelf) as library:
        library.derived("run", "thing", {"a": 1}, lambda: [1])
    code, answer = ask("show", shelf, "run")
    clip = answer["clip"]
    assert (code, clip["format"], clip["frames"]) == (0, "bvh", 40)
    assert clip["sources"][0]["path"] == str(motion / "run.bvh")
    assert clip["derived"][0]["kind"] == "thing"
    assert {"code", "severity", "where", "message", "fixed"} <= set(clip["findings"][0])
    code, answer = ask("show", shelf, "runn")
    assert code == 2
    assert "did you mean run" in answer["error"]["message"]


def test_export(ask, shelf: Path, tmp_path: Path) -> None:
    code, answer = ask("export", shelf, tmp_path / "out")
    assert (code, len(answer["written"]), answer["failures"]) == (0, 4, [])
    code, answer = ask("export", shelf, tmp_path / "out", "run", "--query", "walk")
    assert (code, len(answer["failures"]), answer["written"]) == (1, 3, [])
    code, answer = ask("export", shelf, tmp_path / "out", "run", "--overwrite")
    assert (code, answer["written"]) == (0, [{"clip": "run", "path": str(tmp_path / "out" / "run.bvh")}])
    code, answer = ask("export", shelf, tmp_path / "out", "--format", "doc")
    assert (code, answer["error"]["code"]) == (2, "format")


def test_edit_and_remove(ask, shelf: Path, motion: Path) -> None:
    code, answer = ask(
        "edit", shelf, "--query", "walk", "--tag", "w", "--tag", "x", "--meta", "type=walk", "--describe", "a walk"
    )
    assert [clip["name"] for clip in answer["clips"]] == ["walk_1", "walk_2"]
    assert answer["clips"][0]["metadata"] == {"type": "walk"}
    code, answer = ask("edit", shelf, "walk_1", "--untag", "x", "--meta", "type=", "--rename", "stroll")
    assert (answer["clips"][0]["name"], answer["clips"][0]["tags"], answer["clips"][0]["metadata"]) == (
        "stroll",
        ["w"],
        {},
    )
    code, answer = ask("edit", shelf, "stroll", "run", "--rename", "x")
    assert (code, answer["error"]["code"]) == (2, "parameter")
    code, answer = ask("edit", shelf, "stroll", "--meta", "novalue")
    assert code == 2
    code, answer = ask("remove", shelf, "stroll", "--query", "run")
    assert (code, [clip["name"] for clip in answer["removed"]]) == (0, ["stroll", "run"])
    assert (motion / "run.bvh").exists()
    code, answer = ask("remove", shelf)
    assert code == 2  # never everything by saying nothing
    assert ask("list", shelf)[1]["total"] == 2


def test_verify(ask, shelf: Path, motion: Path) -> None:
    code, answer = ask("verify", shelf)
    assert (code, answer["clips"], answer["sound"], answer["problems"]) == (0, 4, True, [])
    (shelf / "clips" / "stray").write_text("x")
    code, answer = ask("verify", shelf)
    assert (code, answer["sound"]) == (1, False)
    assert set(answer["problems"][0]) == {"code", "where", "message", "repaired"}
    assert ask("verify", shelf, "--repair")[0] == 0
    assert ask("verify", shelf)[1]["problems"] == []
    with Library(shelf) as library:
        content = library.entry("run").hash
    shutil.rmtree(shelf / "clips" / content[:2] / content)
    (motion / "run.bvh").rename(motion / "kept")
    assert ask("verify", shelf, "--repair")[0] == 1
    (motion / "kept").rename(motion / "run.bvh")
    code, answer = ask("verify", shelf, "--repair")
    assert (code, answer["problems"][0]["repaired"]) == (0, True)
    index = shelf / "library.sqlite"
    index.write_bytes(bytes(100) + index.read_bytes()[100:])
    assert ask("verify", shelf)[1]["error"]["code"] == "library"
    code, answer = ask("verify", shelf, "--repair")
    assert (code, answer["clips"], answer["problems"][0]["code"]) == (0, 4, "index")
    assert ask("verify", shelf)[1]["problems"] == []


@pytest.mark.parametrize("harm", ["nothing", "index"])
def test_a_repair_beside_open_libraries_of_the_same_process_ends(ask, shelf: Path, harm: str) -> None:
    """Nobody writes: those that are open, one of them in the middle of reading, hold nothing up."""
    with Library(shelf) as idle, Library(shelf, read_only=True) as reading:
        assert len(idle) == len(reading) == 4
        rows = iter(reading.entries())
        next(rows)
        if harm == "index":
            index = shelf / "library.sqlite"
            index.write_bytes(bytes(100) + index.read_bytes()[100:])
        ended: list[tuple[int, dict]] = []
        repair = threading.Thread(target=lambda: ended.append(ask("verify", shelf, "--repair")), daemon=True)
        repair.start()
        repair.join(120)
        assert not repair.is_alive(), "it waits for a library that only lies open"
        assert (ended[0][0], ended[0][1]["clips"]) == (0, 4)
        assert len(list(rows)) == 3
        idle.tag("run", "afterwards")
    assert ask("verify", shelf)[1]["problems"] == []
    assert ask("search", shelf, "tag:afterwards")[1]["total"] == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["search", "x"],
        ["show", "x"],
        ["export", "out"],
        ["remove", "x"],
        ["edit", "x"],
        ["verify"],
        ["add", "."],
    ],
)
def test_no_library_exits_2_with_one_line(arguments: list[str], tmp_path: Path, capsys) -> None:
    assert main(["library", arguments[0], str(tmp_path / "none"), *arguments[1:]]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == [
        f"error: {tmp_path / 'none'}: no such folder; make a library with `reenact library init`"
    ]


def test_missing_folder_and_nothing_to_add(ask, shelf: Path) -> None:
    code, answer = ask("add", shelf, shelf / "nowhere")
    assert (code, answer["error"]["code"]) == (2, "enoent")
    code, answer = ask("add", shelf)
    assert (code, answer["error"]["code"]) == (2, "parameter")
    code, answer = ask("add", shelf, shelf, "--jobs", "0")
    assert code == 2


def test_people_get_tables_and_lines(shelf: Path, motion: Path, tmp_path: Path, capsys) -> None:
    assert main(["library", "list", str(shelf)]) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines()[0].split() == [
        "id",
        "name",
        "frames",
        "Hz",
        "seconds",
        "joints",
        "tags",
        "description",
    ]
    assert printed.err.strip().endswith("4 of 4 clips")
    assert main(["library", "add", str(shelf), str(motion)]) == 1
    printed = capsys.readouterr()
    assert "0 clips added, 1 files read, 4 skipped (known), 1 unreadable" in printed.out
    assert f"error: {motion / 'bad.bvh'}" in printed.err
    for arguments in (
        ["show", "run"],
        ["verify"],
        ["export", str(tmp_path / "o")],
        ["edit", "run", "--tag", "[bold]"],
        ["search", "run"],
    ):
        assert main(["library", arguments[0], str(shelf), *arguments[1:]]) == 0
        assert capsys.readouterr().out


def test_damaged_index_exits_2_without_a_traceback(shelf: Path, capsys) -> None:
    for file in shelf.glob("library.sqlite*"):
        file.write_bytes(b"junk" * 3000)
    assert main(["library", "list", str(shelf)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("error: ")


@pytest.mark.skipif(os.name != "posix", reason="signals to a process are POSIX")
def test_ctrl_c_exits_130_and_the_same_command_goes_on(tmp_path: Path, motion: Path) -> None:
    (motion / "bad.bvh").unlink()
    for number in range(150):
        text = (motion / "run.bvh").read_text().rsplit(" ", 1)[0] + f" {number}.5\n"
        (motion / f"many_{number:03d}.bvh").write_text(text)
    folder = tmp_path / "lib"
    command = [sys.executable, "-c", "from reenact.cli.main import run; run()", "library"]
    subprocess.run([*command, "init", str(folder)], check=True, capture_output=True)
    process = subprocess.Popen(
        [*command, "add", str(folder), str(motion), "--jobs", "2", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    with Library(folder) as library:
        while len(library) < 2 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert "Traceback" not in err
        first = json.loads(out)
        assert (process.returncode, first["interrupted"]) == (130, True)
        assert len(library) == len(first["added"]) < 154
        done = subprocess.run(
            [*command, "add", str(folder), str(motion), "--json"], capture_output=True, text=True, check=True
        )
        second = json.loads(done.stdout)
        assert len(second["added"]) + len(first["added"]) == 154
        assert library.verify().problems == []
