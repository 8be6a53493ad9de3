"""Verbs on many files, on the clips of a file, and on those of a library that answer a search."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import reenact
from reenact.cli.main import main
from reenact.library import Library
from reenact.loading import save_all
from reenact.samples import make_sample

NAMES = ("walk_normal", "walk_fast", "jog", "stand", "walk_slow")


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    clips = [make_sample(name, 60.0).clip for name in NAMES]
    for clip in clips:
        reenact.save(clip, folder / f"{clip.name}.bvh")
    save_all(clips[:2], folder / "pack.glb")
    with Library.create(folder / "lib") as library:
        for clip in clips:
            library.add(clip, tags=["walks"] if "walk" in clip.name else [])
    (folder / "bad.bvh").write_text("HIERARCHY\nnonsense")
    return folder


def ask(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> dict[str, Any]:
    assert main([*map(str, words), "--json"]) == code
    return json.loads(capsys.readouterr().out)


def files(places: Path) -> list[Path]:
    return [places / f"{name}.bvh" for name in NAMES]


def test_each_file_has_its_result(places: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = ask(capsys, "mirror", *files(places), "-o", tmp_path / "out/{name}.npz")
    assert (told["done"], told["refused"]) == (5, 0)
    assert [row["in"] for row in told["results"]] == [str(file) for file in files(places)]
    assert main(["mirror", str(places / "jog.bvh"), "-o", str(tmp_path / "alone.npz")]) == 0
    assert (tmp_path / "alone.npz").read_bytes() == (tmp_path / "out/jog.npz").read_bytes()


def test_several_processes_give_what_one_gives(
    places: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = ask(
        capsys, "loop", *files(places), places / "bad.bvh", "--jobs", 1, "-o", tmp_path / "one/{name}.npz", code=1
    )
    two = ask(
        capsys, "loop", *files(places), places / "bad.bvh", "--jobs", 2, "-o", tmp_path / "two/{name}.npz", code=1
    )
    assert [row["in"] for row in one["results"]] == [row["in"] for row in two["results"]]
    assert [row.get("report") for row in one["results"]] == [row.get("report") for row in two["results"]]
    assert [row.get("error") for row in one["results"]] == [row.get("error") for row in two["results"]]
    for row in one["results"]:
        if "out" in row:
            assert Path(row["out"]).read_bytes() == (tmp_path / "two" / Path(row["out"]).name).read_bytes()


def test_refusals_are_listed_and_counted(places: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = [str(places / "bad.bvh"), str(places / "jog.bvh"), str(places / "gone.bvh")]
    assert main(["mirror", *given, "-o", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert said.out.startswith(f"{tmp_path}/jog.bvh: {len(reenact.load(given[1]))} frames at 60 Hz")
    lines = said.err.splitlines()
    assert lines[0].startswith(f"error: {given[0]}:2: expected ROOT")
    assert lines[1] == f"error: {given[2]}: no such file or folder"
    assert lines[-1] == "1 of 3 done, 2 refused"
    assert main(["mirror", given[0], given[2], "-o", str(tmp_path)]) == 2
    assert "0 of 2 done, 2 refused" in capsys.readouterr().err


def test_a_search_in_a_library(places: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pattern = tmp_path / "{number:02d}_{name}.glb"
    told = ask(capsys, "loop", places / "lib", "-q", "tag:walks", "--count", 2, "-o", pattern)
    assert sorted(Path(row["out"]).name[3:] for row in told["results"]) == [
        "walk_fast.glb", "walk_normal.glb", "walk_slow.glb",
    ]  # fmt: skip
    assert {row["clip"] for row in told["made_by"]["sources"]} == {"walk_fast", "walk_normal", "walk_slow"}
    whole = ask(capsys, "mirror", places / "lib", "-o", tmp_path)
    assert whole["done"] == 5
    assert main(["loop", str(places / "lib"), "-q", "tag:nothing", "-o", str(pattern)]) == 2
    assert "no clip answers 'tag:nothing'" in capsys.readouterr().err
    assert main(["loop", str(places / "jog.bvh"), "-q", "jog", "-o", str(pattern)]) == 2
    assert "a query asks a library" in capsys.readouterr().err


def test_every_clip_of_a_file(places: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = ask(capsys, "resample", places / "pack.glb", "--fps", 30, "-o", tmp_path)
    assert [Path(row["out"]).name for row in told["results"]] == ["walk_normal.glb", "walk_fast.glb"]
    assert reenact.load(tmp_path / "walk_fast.glb").fps == 30


def test_all_are_brought_onto_the_last(places: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = ask(
        capsys, "map", places / "jog.bvh", places / "stand.bvh", places / "pack.glb", "-o", tmp_path / "{name}.npz"
    )
    assert [Path(row["out"]).name for row in told["results"]] == ["jog.npz", "stand.npz"]


def test_plants_and_types_of_many(places: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = ask(capsys, "plants", *files(places), "-o", tmp_path)
    assert sorted(file.name for file in tmp_path.glob("*.plants")) == sorted(f"{name}.plants" for name in NAMES)
    alone = ask(capsys, "plants", places / "jog.bvh")
    assert told["results"][2]["left"] == alone["left"]
    told = ask(capsys, "classify", places / "lib", "--query", "tag:walks")
    types = {row["in"].partition("#")[2]: row["type"] for row in told["results"]}
    assert types == {"walk_fast": "walk", "walk_normal": "walk", "walk_slow": "walk"}
    assert main(["classify", *map(str, files(places))]) == 0
    assert "jog.bvh: run (" in capsys.readouterr().out


def test_pictures_of_many(places: Path, tmp_path: Path) -> None:
    given = [str(file) for file in files(places)[:2]]
    words = ["render", *given, "--renderer", "plain", "--count", "2", "-o", str(tmp_path / "{name}.png")]
    assert main(words) == 0
    assert sorted(file.name for file in tmp_path.iterdir()) == ["walk_fast.png", "walk_normal.png"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["mirror", "jog.bvh", "stand.bvh", "-o", "out.bvh"], "many results need a folder that is there, or a pattern"),
        (["transition", "jog.bvh", "stand.bvh", "-o", "{name}.bvh"], "transition makes one motion of all its files"),
        (["mirror", "jog.bvh", "stand.bvh", "-o", "{name}.fbx"], "FBX is not written"),
        (["mirror", "jog.bvh", "stand.bvh", "-o", "{name}{oops}.bvh"], "is no pattern"),
        (["mirror", "jog.bvh", "./jog.bvh", "-o", "{name}.npz"], "put {number} into the pattern"),
        (["plants", "jog.bvh", "stand.bvh", "-o", "a.plants"], "many results need a folder"),
        (["clean", "jog.bvh", "stand.bvh", "--plants", "a.plants", "-o", "{name}.npz"], "say whose foot plants"),
        (["mirror", "jog.bvh", "-", "-o", "{name}.npz"], "a pipe holds one motion"),
    ],
)
def test_bad_input_is_named(
    words: list[str], said: str, places: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(places)
    assert main(words) in (1, 2)
    assert said in capsys.readouterr().err
    assert not list(places.glob("out.bvh"))
