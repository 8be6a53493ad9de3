"""Source, licence and acknowledgement of recordings travel with them, and results list those of all their sources."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import reenact
from reenact.cli.main import main
from reenact.core.origin import Credit, join_credits
from reenact.library import Library
from reenact.samples import make_sample

MINE = Credit("the lab", "CC BY 4.0", "Recorded by the lab.")
THEIRS = Credit("another studio", "all rights reserved")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    made = []
    for name, credit in (("walk_normal", MINE), ("walk_fast", THEIRS)):
        clip = make_sample(name, 60.0).clip
        reenact.save(clip, tmp_path / f"{name}.npz")
        options = reenact.LoadOptions(
            source=credit.source, licence=credit.licence, acknowledgement=credit.acknowledgement
        )
        reenact.save(reenact.load(tmp_path / f"{name}.npz", options), tmp_path / f"{name}.npz")
        made.append(tmp_path / f"{name}.npz")
    return made[0], made[1]


def test_credits_are_joined_once() -> None:
    assert join_credits([MINE, Credit()], [THEIRS, MINE]) == (MINE, THEIRS)
    assert not Credit()


@pytest.mark.parametrize("ending", ["npz", "glb", "bvh"])
def test_a_result_has_those_of_all_its_sources(files, tmp_path: Path, ending: str) -> None:
    made = reenact.transition(*(reenact.load(file) for file in files), window=0.4)
    assert made.clip.origin.credits == (MINE, THEIRS)
    assert made.report["credits"] == [str(MINE), str(THEIRS)]
    reenact.save(reenact.mirror(reenact.cut(made, start=4)), tmp_path / f"out.{ending}")
    assert reenact.load(tmp_path / f"out.{ending}").origin.credits == (MINE, THEIRS)
    if ending == "glb":
        assert b"CC BY 4.0" in (tmp_path / "out.glb").read_bytes()
    with Library.create(tmp_path / "lib") as library:
        library.import_folder([tmp_path / f"out.{ending}"])
        (entry,) = library
        assert library.clip(entry).origin.credits == (MINE, THEIRS)


def test_a_folder_is_asked_once_and_info_shows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").mkdir()
    for name in ("walk_normal", "jog"):
        reenact.save(make_sample(name, 60.0).clip, tmp_path / "in" / f"{name}.bvh")
    assert main(["library", "init", str(tmp_path / "lib")]) == 0
    words = ["--licence", MINE.licence, "--source", MINE.source]
    assert main(["library", "add", str(tmp_path / "lib"), str(tmp_path / "in"), *words]) == 0
    with Library(tmp_path / "lib") as library:
        assert {library.clip(entry).origin.credits for entry in library} == {(Credit(MINE.source, MINE.licence),)}
    capsys.readouterr()
    assert main(["info", str(tmp_path / "in" / "jog.bvh"), "--licence", "mine", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["files"][0]["clips"][0]["credits"] == [{"source": "", "licence": "mine", "acknowledgement": ""}]
    assert main(["info", str(tmp_path / "in" / "jog.bvh"), "--licence", "mine"]) == 0
    assert "mine" in capsys.readouterr().out
