"""The verbs plants and classify, and the classification of a library."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reenact import save
from reenact.cli.main import main
from reenact.library import Library
from reenact.samples import make_sample


def ask(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict:
    assert main([*arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def walk(tmp_path: Path) -> str:
    path = tmp_path / "walk.bvh"
    save(make_sample("walk_few_steps", 30.0).clip, path)
    return str(path)


def test_no_feet_and_wrong_names(tmp_path: Path, walk: str, capsys: pytest.CaptureFixture[str]) -> None:
    stick = tmp_path / "stick.bvh"
    stick.write_text(
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
        "End Site\n{\nOFFSET 0 10 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.01\n0 0 0 0 0 0\n0 0 0 0 0 0\n"
    )
    assert ask(capsys, "plants", str(stick), code=2)["error"]["code"] == "skeleton"
    assert ask(capsys, "classify", str(stick), code=2)["error"]["code"] == "skeleton"
    assert "adaptive, threshold" in ask(capsys, "plants", walk, "--detector", "x", code=2)["error"]["message"]
    assert "steps, thesis" in ask(capsys, "classify", walk, "--classifier", "x", code=2)["error"]["message"]


def test_plants(tmp_path: Path, walk: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "plants.txt"
    found = ask(capsys, "plants", walk, "--out", str(out))
    assert {"fps", "frames", "left", "right", "floor"} <= set(found)
    assert (found["fps"], found["frames"]) == (30.0, 175)
    assert all(0 <= start < end <= 175 for start, end in found["left"] + found["right"])
    assert set(found["floor"]) == {"height", "normal", "confidence"}
    again = ask(capsys, "plants", walk, "--plants", str(out))
    assert (again["left"], again["right"]) == (found["left"], found["right"])
    out.write_text("reenact plants 1 edits\nfree left foot 0 175\n")
    assert ask(capsys, "plants", walk, "--plants", str(out))["left"] == []
    assert main(["plants", walk]) == 0
    assert "left" in capsys.readouterr().out


def test_classify(walk: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = ask(capsys, "classify", walk)
    assert found["type"] == "walk"
    assert [segment["type"] for segment in found["segments"]] == ["stand", "walk", "stand"]
    assert sum(found["shares"].values()) == pytest.approx(1.0)
    assert ask(capsys, "classify", walk, "--classifier", "thesis")["shares"] == {"walk": 1.0}


def test_library(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Library.create(tmp_path / "library") as library:
        for name in ("walk_normal", "run", "stand"):
            library.add(make_sample(name, 30.0).clip)
    found = ask(capsys, "library", "classify", str(tmp_path / "library"))
    assert found["types"] == {"walk_normal": "walk", "run": "run", "stand": "stand"}
    listed = ask(capsys, "library", "search", str(tmp_path / "library"), "run>=0.75")
    assert [clip["name"] for clip in listed["clips"]] == ["run"]
