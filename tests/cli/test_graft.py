"""`reenact graft` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reenact.cli.main import main
from reenact.library.store import Library
from reenact.loading import load, save
from reenact.samples import make_sample


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A walk and a run as files."""
    paths = tmp_path / "walk.bvh", tmp_path / "run.bvh"
    for path, name in zip(paths, ("walk_normal", "run"), strict=True):
        save(make_sample(name).clip, path)
    return paths


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A library of two walks."""
    with Library.create(tmp_path / "lib") as made:
        for name in ("walk_normal", "walk_fast"):
            made.add(make_sample(name).clip)
    return tmp_path / "lib"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["{walk}"], "two files, base and source, 1 given"),
        (["{walk}", "{run}"], "say which file to write"),
        (["{walk}", "{run}", "-o", "{out}", "--chains", "tail"], "no chain 'tail'; there are"),
        (["{walk}", "{run}", "-o", "{out}", "--chains", "left_leg"], "always those of the base"),
        (["{walk}", "{run}", "-o", "{out}", "--base-range", "9:9"], "less than 2 frames"),
        (["{walk}", "{run}", "--list"], "go with --all"),
        (["--all", "{walk}", "{run}"], "--all takes one library, 2 were given"),
        (["--all", "{walk}"], "expected a library folder"),
        (["--all", "{walk}", "-o", "{out}"], "writes no motion file"),
    ],
)
def test_bad_input_is_one_line(files, tmp_path: Path, capsys, words: list[str], said: str) -> None:
    names = {"walk": files[0], "run": files[1], "out": tmp_path / "out.bvh"}
    assert main(["graft", *(word.format(**names) for word in words)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.startswith("error: ")
    assert len(error.strip().splitlines()) == 1
    assert not names["out"].exists()


def test_a_graft_is_written_with_its_report(files, tmp_path: Path, capsys) -> None:
    out = tmp_path / "out.bvh"
    assert main(["graft", *map(str, files), "--chains", "arms", "--keep", "local", "-o", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["report"]["correlation"] == "plants"
    assert told["report"]["masked"].startswith("arms: ")
    assert told["report"]["doubts"] == [] or all(isinstance(words, str) for words in told["report"]["doubts"])
    assert len(load(out)) == len(load(files[0]))


def test_a_library_is_grafted_listed_accepted_and_drawn(library: Path, tmp_path: Path, capsys) -> None:
    sheet = tmp_path / "sheet.png"
    assert main(["graft", "--all", str(library), "--sheet", str(sheet), "--top", "1"]) == 0
    said = capsys.readouterr().out
    assert "2 walk" in said
    assert "2 pairs allowed, 2 tried" in said
    assert sheet.is_file()
    accepted, rejected = "walk_normal+walk_fast", "walk_fast+walk_normal"
    assert main(["graft", "--all", str(library), "--accept", accepted, "--reject", rejected, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["accepted"] == [accepted]
    assert told["rejected"] == [rejected]
    assert {one["name"]: one["status"] for one in told["candidates"]} == {accepted: "accepted", rejected: "rejected"}
    with Library(library) as made:
        assert accepted in made
    assert main(["graft", "--all", str(library), "--list"]) == 0
    assert accepted in capsys.readouterr().out
