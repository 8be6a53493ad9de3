"""`reenact blend`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reenact import load, save
from reenact.cli.main import main
from reenact.core.cutting import cut_frames
from reenact.samples import make_sample


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("motions")
    for name in ("walk_normal", "walk_brisk", "walk_circle_medium_left", "punch_standing"):
        clip = make_sample(name).clip
        save(cut_frames(clip, 0, min(len(clip), 260)), folder / f"{name}.bvh")
    save(cut_frames(make_sample("walk_slow").clip, 0, 1), folder / "one.bvh")
    return {path.stem: str(path) for path in folder.glob("*.bvh")}


def blend(
    capsys: pytest.CaptureFixture[str], files: dict[str, str], names: list[str], out: Path, *words: str
) -> tuple[int, dict]:
    code = main(["blend", *(files[name] for name in names), "-o", str(out), "--json", *words])
    return code, json.loads(capsys.readouterr().out)


def test_two_walks(files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.bvh"
    code, told = blend(capsys, files, ["walk_normal", "walk_brisk"], out, "--weights", "0.5,0.5")
    assert code == 0
    assert told["out"] == str(out)
    assert len(load(out)) == told["frames"]
    report = told["report"]
    assert report["verdict"] == "good"
    assert report["slide_m_s"] <= 0.01
    assert 0.97 <= report["path_ratio"] <= 1.03
    assert {"left_heel", "left_ball", "right_heel", "right_ball"} == set(report["matches"])


@pytest.mark.parametrize(
    "words",
    [
        ("--weights", "0:1,0,0; 2:0,0,1"),
        ("--weights", "0%:1,0,0; 100%:0,0,1", "--gap-rule", "vote"),
        ("--method", "linear"),
        ("--method", "linear-normalised", "--weights", "1,2,3"),
        ("--method", "thesis"),
        ("--mode", "transition", "--no-enforce"),
        ("--timing", "path_cells", "--path", "reference"),
    ],
)
def test_three_walks_in_every_way(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    names = ["walk_normal", "walk_brisk", "walk_circle_medium_left"]
    code, told = blend(capsys, files, names, tmp_path / "out.bvh", *words, "--gate", "warn")
    assert code == 0
    assert told["frames"] > 50


@pytest.mark.parametrize(
    ("names", "words", "message"),
    [
        (["walk_normal", "punch_standing"], (), "do not correspond"),
        (["walk_normal", "one"], (), "at least 4 frames, this has 1"),
        (["walk_normal"], (), "two clips or more"),
        (["walk_normal", "walk_brisk"], ("--weights", "1,2,3"), "2 motions need 2 weights, not 3"),
        (["walk_normal", "walk_brisk"], ("--weights", "0,0"), "more than 0"),
        (["walk_normal", "walk_brisk"], ("--weights=-1,2",), "-0.2 to 1.2"),
        (["walk_normal", "walk_brisk"], ("--window", "0.3"), "belongs to mode=transition"),
    ],
)
def test_what_does_not_fit_is_said(
    files: dict[str, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    names: list[str],
    words: tuple[str, ...],
    message: str,
) -> None:
    out = tmp_path / "out.bvh"
    code, told = blend(capsys, files, names, out, *words)
    assert code == 2
    assert message in told["error"]["message"]
    assert not out.exists()
