"""`reenact split`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from reenact import load, save
from reenact.cli.main import main
from reenact.samples import make_sample


@pytest.fixture(scope="module")
def take(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("take") / "take.bvh"
    save(make_sample("start_walk_left").clip, path)
    return path


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict]:
    code = main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_named_parts_become_files(take: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = told(capsys, "split", str(take), "-o", str(tmp_path), "-p", "one 0 50", "-p", "two 50 end")
    assert code == 0
    whole = load(take)
    parts = [load(row["out"]) for row in answer["parts"]]
    assert [Path(row["out"]).name for row in answer["parts"]] == ["one.bvh", "two.bvh"]
    assert [len(part) for part in parts] == [50, len(whole) - 50]
    np.testing.assert_allclose(parts[1].world().positions, whole.world().positions[50:], atol=1e-5)


def test_parts_from_a_file_in_another_format(take: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "parts.txt").write_text("start 0s 1s\n")
    words = ("split", str(take), "-o", str(tmp_path / "new"), "--parts", str(tmp_path / "parts.txt"), "--format", "npz")
    code, answer = told(capsys, *words)
    assert code == 0
    assert Path(answer["parts"][0]["out"]) == tmp_path / "new" / "start.npz"


def test_parts_proposed_by_gait(take: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = told(capsys, "split", str(take), "-o", str(tmp_path), "--by-type", "--shortest", "0.2")
    assert code == 0
    assert told(capsys, "split", str(take), "-o", str(tmp_path), "--shortest", "0.2")[1]["parts"] == answer["parts"]
    names = [row["name"] for row in answer["parts"]]
    assert any("-walk-1" in name for name in names)
    assert all(a["end"] <= b["start"] for a, b in zip(answer["parts"], answer["parts"][1:], strict=False))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-p", "a 0 5", "--by-type"), "in one way"),
        (("-p", "a 5 4"), "ends before"),
        (("-p", "../a 0 5"), "file name"),
        (("-p", "a 0 5", "--format", "docx"), "unknown file ending"),
        (("-p", "a 0"), "found 2 words"),
    ],
)
def test_nothing_is_written_when_something_is_wrong(
    take: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    code, answer = told(capsys, "split", str(take), "-o", str(tmp_path / "out"), *words)
    assert code == 2
    assert message in answer["error"]["message"]
    assert not (tmp_path / "out").exists()
