"""`reenact register` and `reenact space`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reenact import save
from reenact.cli.main import main
from reenact.core.cutting import cut_frames
from reenact.samples import make_sample


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("walks")
    for name in ("walk_slow", "walk_fast", "punch_standing"):
        clip = make_sample(name).clip
        save(cut_frames(clip, 0, min(len(clip), 240)), folder / f"{name}.bvh")
    return {path.stem: str(path) for path in folder.glob("*.bvh")}


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(list(words))
    return code, capsys.readouterr().out


def test_walks_correspond(files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    code, out = run(
        capsys, "register", files["walk_slow"], files["walk_fast"], "--trim", "steps", "--json", "--html", str(page)
    )
    told = json.loads(out)
    assert code == 0
    assert told["quality"]["verdict"] == "good"
    assert told["quality"]["q"] < 0.6
    assert told["html"] == str(page)
    assert page.stat().st_size > 100_000


def test_what_does_not_correspond_is_told_with_reasons(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = run(capsys, "register", files["walk_slow"], files["punch_standing"])
    assert code == 1
    assert out.startswith(("refused: q", "doubtful: q"))
    assert "steps" in out


def test_one_file_is_not_enough(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "register", files["walk_slow"])[0] == 2


def test_a_speed_in_between(files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out_file = tmp_path / "walk.bvh"
    words = ("space", files["walk_slow"], files["walk_fast"], "--parameter", "speed")
    code, out = run(capsys, *words, "--value", "1.2", "-o", str(out_file), "--json")
    told = json.loads(out)
    assert code == 0
    assert told["report"]["value"] == pytest.approx(1.2, abs=0.02)
    assert out_file.exists()
    code, out = run(capsys, *words, "--value", "9", "-o", str(out_file), "--json")
    assert code == 2
    assert "out of reach" in json.loads(out)["error"]["message"]
