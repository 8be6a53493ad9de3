"""What is played of each clip is said in one form, whatever made the result."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import reenact
from reenact.cli.main import main
from reenact.library import Library
from reenact.operations.played import played_rows, played_text
from reenact.samples import make_sample

NAMES = ("walk_normal", "walk_fast", "run")


def test_a_report_that_does_not_say_has_no_rows() -> None:
    assert played_rows({}, ["walk"]) == []
    assert played_rows({"quality": {"played": [1.0]}}, ["walk", "run"]) == []
    assert played_text([{"clip": "walk", "time": 0.5}, {"clip": "run", "time": 1.0}]) == "50 % of walk, 100 % of run"


def test_every_maker_says_it_alike(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clips = [make_sample(name, 60.0).clip for name in NAMES]
    with Library.create(tmp_path / "lib") as library:
        for clip in clips:
            library.add(clip)
        results = {
            "transition": (NAMES[:2], reenact.transition(*clips[:2], window=0.5)),
            "chain": (NAMES, reenact.transition(*clips, window=0.5)),
            "blend": (NAMES[:2], reenact.blend(*clips[:2])),
            "sequence": (NAMES[:2], reenact.sequence(library, *NAMES[:2])),
        }
    for kind, (names, made) in results.items():
        rows = made.report["played"]
        assert [row["clip"] for row in rows] == list(names), kind
        assert all(0.3 < row["time"] <= 1 for row in rows), kind
        if kind != "blend":
            assert all(0 < row["action"] <= 1 for row in rows), kind
    one = results["transition"][1].report
    assert [row["time"] for row in one["played"]] == [one["played_of_first"], one["played_of_second"]]
    np.testing.assert_allclose(one["quality"]["played"], [row["time"] for row in one["played"]], atol=2 / 180)
    last = results["chain"][1].report
    assert last["played"][0]["time"] == last["before"][0]["played_of_first"]
    assert last["played"][1]["time"] == last["played_of_first"]
    for number, clip in enumerate(clips[:2]):
        reenact.save(clip, tmp_path / f"{number}.npz")
    reenact.save(results["transition"][1], tmp_path / "made.npz")
    files = [str(tmp_path / f"{number}.npz") for number in range(2)]
    main(["check", str(tmp_path / "made.npz"), "--against", files[0], "--against", files[1], "--json"])
    told = json.loads(capsys.readouterr().out)["against"]["played"]
    assert [row["clip"] for row in told] == list(NAMES[:2])
    np.testing.assert_allclose([row["time"] for row in told], [row["time"] for row in one["played"]], atol=0.05)
    assert main(["transition", *files, "--window", "0.5", "-o", str(tmp_path / "again.npz")]) == 0
    assert f"  played: {played_text(one['played'])}\n" in capsys.readouterr().out
