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


def test_loops_for_games(walk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whole frames, and the contacts as an animation's extras and as JSON."""
    out = tmp_path / "cycle.glb"
    words = ["loop", walk, "--count", "1", "--fps", "30", "--in-place", "--events", "-o", str(out), "--json"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["frames"] == told["report"]["resampled"]["frames_per_cycle"]
    (clip,) = json.loads(Path(told["events"]).read_text())["clips"]
    data = out.read_bytes()
    document = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])
    extras = document["animations"][0]["extras"]["events"]
    assert [{"time": one["time"], "name": one["name"]} for one in clip["events"]] == extras
    names = {one["name"] for one in clip["events"]}
    assert {"left heel down", "right heel down", "left ball up", "right ball up"} <= names
    assert all(one["frame"] == round(one["time"] * 30) < told["frames"] for one in clip["events"])


def test_events_without_plants_are_said_to_be_unknown(
    walk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", walk, str(tmp_path / "bare.bvh"), "--no-plants"]) == 0
    assert main(["mirror", str(tmp_path / "bare.bvh"), "--events", "-o", str(tmp_path / "out.glb")]) == 0
    assert "has no foot plants, so no events are known of it" in capsys.readouterr().err
