"""A clip through ten operations, the studio, the library and three formats: its plants, its character and its licence arrive with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

import reenact
from reenact.body.character import Character, rest_world, rigid_inverse
from reenact.cli.main import main
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.origin import Credit
from reenact.core.skeleton import Skeleton
from reenact.library import Library
from reenact.library.characters import read_character
from reenact.samples import make_sample

MINE = Credit("the lab", "CC BY 4.0", "Recorded by the lab.")
THEIRS = Credit("another studio", "all rights reserved")
Step = tuple[str, dict[str, Any]]

IN_STUDIO: tuple[Step, ...] = (
    ("transition", {"window": 0.5}),
    ("map", {}),
    ("clean", {}),
    ("cut", {"start": 5}),
    ("mirror", {}),
    ("move", {"x": 0.5, "turn": 20}),
)
"""Operations and their parameters as people give them: angles in degrees."""

IN_FILES: tuple[tuple[str, Step], ...] = (
    ("glb", ("resample", {"fps": 30})),
    ("bvh", ("cut", {"end": -4})),
    ("npz", ("move", {"z": -0.2})),
    ("glb", ("mirror", {})),
)
"""The format that each result is written to, and the operation."""


def triangles(skeleton: Skeleton) -> Character:
    """A triangle on every joint."""
    rest = rest_world(skeleton)
    joints = np.repeat(np.arange(len(skeleton), dtype=np.int32), 3)
    corners = np.tile(0.05 * np.eye(3, dtype=np.float32), (len(skeleton), 1))
    faces = np.arange(len(joints), dtype=np.int32).reshape(-1, 3)
    inverse = rigid_inverse(rest.positions[0], rest.rotations[0])
    places = (rest.positions[0][joints] + corners).astype(np.float32)
    return Character(skeleton, places, faces, joints[:, None], np.ones((len(joints), 1)), inverse, name="knight")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """walk.npz and fast.npz, each with its licence, and knight.glb: another body with a mesh, other names, and several clips."""
    folder = tmp_path_factory.mktemp("files")
    for name, sample, credit in (("walk", "walk_normal", MINE), ("fast", "walk_fast", THEIRS)):
        clip = make_sample(sample, 60.0).clip.renamed(name)
        reenact.save(clip.with_origin(replace(clip.origin, credits=(credit,))), folder / f"{name}.npz")
    stand = make_sample("stand", 60.0).clip
    names = tuple(f"knight:{name}" for name in stand.skeleton.names)
    stand = replace(stand, skeleton=replace(stand.skeleton, names=names), name="stand")
    from reenact.loading import save_all

    both = [stand, replace(stand, name="again", root=stand.root + np.float32([0.1, 0, 0]))]
    save_all(both, folder / "knight.glb", reenact.WriteOptions(character=triangles(stand.skeleton)))
    return folder


def in_process(step: Step, clip: Any, *more: Clip) -> reenact.Made:
    """The step by its function; angles in radians."""
    name, options = step
    plain = {key: np.radians(value) if key == "turn" else value for key, value in options.items()}
    return getattr(reenact, name)(clip, *more, **plain)


def same_plants(a: FootPlants | None, b: FootPlants | None) -> None:
    assert a is not None
    assert b is not None
    for side in ("left", "right"):
        for part in ("heel", "ball"):
            np.testing.assert_array_equal(getattr(a.foot(side), part), getattr(b.foot(side), part))
    assert a.floor.height == pytest.approx(b.floor.height, abs=1e-4)


def upload(client: TestClient, path: Path) -> list[int]:
    answer = client.post(f"/api/upload?name={path.name}", content=path.read_bytes())
    assert answer.status_code == 200, answer.text
    return [one["id"] for one in answer.json()["added"]]


def test_everything_arrives(
    files: Path,
    tmp_path: Path,
    open_studio: Callable[..., Any],
    finished: Callable[..., dict[str, Any]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    fast = reenact.load(files / "fast.npz")
    knight = reenact.load(files / "knight.glb", reenact.LoadOptions(clip="stand"))
    chain: Any = reenact.load(files / "walk.npz")
    folder = tmp_path / "library"
    Library.create(folder).close()
    with open_studio(folder) as client:
        (walk_id,), (fast_id,) = upload(client, files / "walk.npz"), upload(client, files / "fast.npz")
        knight_id = upload(client, files / "knight.glb")[0]
        number = walk_id
        for step in IN_STUDIO:
            beside = {"transition": [fast_id], "map": [knight_id]}.get(step[0], [])
            chain = in_process(step, chain, *{"transition": [fast], "map": [knight]}.get(step[0], []))
            request = {"clips": [number, *beside], "parameters": step[1]}
            answer = client.post(f"/api/operations/{step[0]}", json=request)
            job = finished(client, answer.json()["id"])
            assert job["state"] == "done", job
            number = job["result"]["id"]
            assert job["report"]["credits"] == [str(MINE), str(THEIRS)]
            if "plants_used" in job["report"]:  # later steps use what travels, and say so
                assert job["report"]["plants_used"] == chain.report["plants_used"]
                assert step[0] == "transition" or job["report"]["plants_used"] == ["carried"]
            assert job["result"]["has_character"] == (step[0] != "transition"), step
            with Library(folder) as library:
                held = library.clip(number)
                same_plants(held.plants, chain.plants)
                assert held.origin.credits == (MINE, THEIRS)
                np.testing.assert_allclose(held.world().positions, chain.clip.world().positions, atol=1e-5)
        exported = tmp_path / "exported.glb"
        exported.write_bytes(client.get(f"/api/clips/{number}/export?format=glb").content)
    path = exported
    for place, (ending, step) in enumerate(IN_FILES):
        chain = in_process(step, chain)
        words = [word for key, value in step[1].items() for word in (f"--{key}", str(value))]
        target = tmp_path / f"step{place}.{ending}"
        dressed = ["--character", str(files / "knight.glb")] if path.suffix == ".npz" else []  # which holds no mesh
        assert main([step[0], str(path), *words, "-o", str(target), *dressed, "--json"]) == 0, capsys.readouterr()
        told = json.loads(capsys.readouterr().out)
        assert told["report"]["credits"] == [str(MINE), str(THEIRS)]
        assert Path(told["plants"]) == (target.with_suffix(".plants") if ending == "bvh" else target)
        found = reenact.load(target)
        same_plants(found.plants, chain.plants)
        assert found.origin.credits == (MINE, THEIRS)
        path = target
    (character,) = reenact.load_all(path).characters
    joints = len(knight.skeleton)
    assert (len(character.vertices), len(character.faces)) == (3 * joints, joints)
    np.testing.assert_allclose(character.vertices, triangles(knight.skeleton).vertices, atol=1e-5)
    np.testing.assert_allclose(found.world().positions, chain.clip.world().positions, atol=1e-4)
    assert main(["info", str(path), "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["files"][0]["clips"]
    assert [credit["licence"] for credit in told["credits"]] == [MINE.licence, THEIRS.licence]
    assert told["plants"] == "carried"
    assert main(["library", "add", str(folder), str(path), "--json"]) == 0
    (added,) = json.loads(capsys.readouterr().out)["added"]
    assert main(["library", "export", str(folder), str(tmp_path / "out"), added["name"], "-f", "glb"]) == 0
    with Library(folder) as library:
        same_plants(library.clip(added["id"]).plants, chain.plants)
        assert read_character(library, added["id"]) is not None
        assert library.clip(added["id"]).origin.credits == (MINE, THEIRS)
    (last,) = (tmp_path / "out").iterdir()
    same_plants(reenact.load(last).plants, chain.plants)
    assert len(reenact.load_all(last).characters[0].vertices) == 3 * joints


def test_a_character_of_several_clips_or_of_none_is_mapped_onto(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from reenact.loading import save_all

    (character,) = reenact.load_all(files / "knight.glb").characters
    save_all([], tmp_path / "bare.glb", reenact.WriteOptions(character=character))
    assert not reenact.load_all(tmp_path / "bare.glb").clips
    for body in (files / "knight.glb", tmp_path / "bare.glb"):
        out = tmp_path / f"on-{body.name}"
        assert main(["map", str(files / "walk.npz"), str(body), "-o", str(out), "--json"]) == 0, capsys.readouterr()
        loaded = reenact.load_all(out)
        assert loaded.clips[0].skeleton.names[0].startswith("knight:")
        assert loaded.clips[0].plants is not None
        assert len(loaded.characters[0].vertices) == len(character.vertices)
    made = reenact.map(reenact.load(files / "walk.npz"), character)
    assert made.clip.skeleton.names == character.skeleton.names


@pytest.mark.parametrize("ending", ["npz", "glb"])
def test_plants_in_a_file_are_uploaded_with_it(
    files: Path, tmp_path: Path, open_studio: Callable[..., Any], ending: str
) -> None:
    made = reenact.clean(reenact.load(files / "walk.npz"))
    reenact.save(made, tmp_path / f"clean.{ending}")
    folder = tmp_path / "library"
    Library.create(folder).close()
    with open_studio(folder) as client:
        (number,) = upload(client, tmp_path / f"clean.{ending}")
    with Library(folder) as library:
        same_plants(library.clip(number).plants, made.plants)
        assert library.clip(number).origin.path == f"clean.{ending}"


def test_plants_and_credits_beside_a_file_are_uploaded_with_it(
    files: Path, tmp_path: Path, open_studio: Callable[..., Any]
) -> None:
    """walk.plants and walk.credits come first, as the page sends them; without them walk.bvh has none."""
    made = reenact.cut(reenact.clean(reenact.load(files / "walk.npz")), end=200)
    reenact.save(made, tmp_path / "walk.bvh")
    folder = tmp_path / "library"
    Library.create(folder).close()
    with open_studio(folder) as client:
        wrong = client.post("/api/upload?name=other.plants", content=b"left foot always")
        assert wrong.status_code == 422
        for ending in ("plants", "credits"):
            assert upload(client, tmp_path / f"walk.{ending}") == []
        (number,) = upload(client, tmp_path / "walk.bvh")
        detail = client.get(f"/api/clips/{number}").json()
        assert detail["origin"]["credits"] == [str(MINE)]
    with Library(folder) as library:
        same_plants(library.clip(number).plants, made.plants)
        assert library.clip(number).origin.credits == (MINE,)
