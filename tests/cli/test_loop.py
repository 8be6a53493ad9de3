"""`reenact loop`: cycles listed, picked, repeated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import reenact
from reenact.cli.main import main
from reenact.samples import make_sample


@pytest.fixture
def walk(tmp_path: Path) -> str:
    path = tmp_path / "walk.bvh"
    reenact.save(make_sample("walk_normal").clip, path)
    return str(path)


def test_cycles_are_listed_and_picked(walk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["loop", walk, "--list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["cycles"]
    assert [row["pick"] for row in rows] == list(range(1, len(rows) + 1))
    assert len(rows) > 2
    assert {"start", "end", "seconds", "error_m", "advance_m", "turn_degrees", "steady"} <= set(rows[0])
    assert rows[0]["steady"]
    assert abs(rows[0]["advance_m"] / rows[0]["seconds"] - 1.2) < 0.2
    assert main(["loop", walk, "--list"]) == 0
    assert f"frames {rows[1]['start']:5d} to {rows[1]['end']:5d}" in capsys.readouterr().out
    out = tmp_path / "out.bvh"
    assert main(["loop", walk, "--pick", "2", "--count", "2", "-o", str(out), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)["report"]
    assert (report["start"], report["end"]) == (rows[1]["start"], rows[1]["end"])
    assert len(reenact.load(out)) == 2 * (report["end"] - report["start"])


def test_bad_input_is_named(walk: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["loop", walk]) == 2
    assert "say which file to write with -o" in capsys.readouterr().err
    assert main(["loop", walk, walk, "--list"]) == 2
    assert "--list shows the cycles of one clip, 2 files were given" in capsys.readouterr().err
    assert main(["loop", walk, "--pick", "99", "-o", "nowhere.bvh"]) == 2
    assert "number 99 is not one of them" in capsys.readouterr().err
