"""Meshes of written files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from reenact import WriteOptions, load_all, save
from reenact.body.character import Character, rest_world, rigid_inverse
from reenact.cli.main import main
from reenact.core.cutting import cut_frames
from reenact.core.skeleton import Skeleton
from reenact.samples import make_sample

WALK = cut_frames(make_sample("walk_normal").clip, 0, 60)


def patch(skeleton: Skeleton) -> Character:
    """A triangle on every joint."""
    rest = rest_world(skeleton)
    joints = np.repeat(np.arange(len(skeleton), dtype=np.int32), 3)
    corners = np.tile(np.float32([[0.05, 0, 0], [0, 0.05, 0], [0, 0, 0.05]]), (len(skeleton), 1))
    places = rest.positions[0][joints] + corners
    faces = np.arange(len(joints), dtype=np.int32).reshape(-1, 3)
    inverse = rigid_inverse(rest.positions[0], rest.rotations[0])
    weights = np.ones((len(joints), 1), np.float32)
    return Character(skeleton, places.astype(np.float32), faces, joints[:, None], weights, inverse)


@pytest.fixture
def hero(tmp_path: Path) -> Path:
    path = tmp_path / "hero.glb"
    save(WALK, path, WriteOptions(character=patch(WALK.skeleton)))
    return path


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict]:
    code = main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_mesh_comes_along(hero: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "mirrored.glb"
    assert told(capsys, "mirror", str(hero), "-o", str(out))[0] == 0
    loaded = load_all(out)
    assert len(loaded.characters[0].vertices) == 3 * len(WALK.skeleton)
    both = tmp_path / "both.glb"
    assert told(capsys, "join", str(hero), str(hero), "-o", str(both))[0] == 0
    assert len(load_all(both).characters[0].vertices) == 3 * len(WALK.skeleton)


def test_mesh_of_another_file(hero: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(WALK, tmp_path / "walk.bvh")
    for verb in (("convert",), ("cut", "--start", "0")):
        out = tmp_path / f"{verb[0]}.glb"
        target = [str(out)] if verb[0] == "convert" else ["-o", str(out)]
        code, _ = told(capsys, verb[0], str(tmp_path / "walk.bvh"), *target, *verb[1:], "--character", str(hero))
        assert code == 0
        loaded = load_all(out)
        made, motion = loaded.characters[0], loaded.clips[0]
        assert len(made.vertices) == 3 * len(WALK.skeleton)
        # the mesh moves with its joints: each corner stays where it is seen from its joint
        world = motion.world()
        skin = made.skinned(world)
        first = np.linalg.norm(skin[0, 0] - world.positions[0, made.weight_joints[0, 0]])
        last = np.linalg.norm(skin[-1, 0] - world.positions[-1, made.weight_joints[0, 0]])
        assert first == pytest.approx(0.05, abs=1e-4)
        assert last == pytest.approx(0.05, abs=1e-4)


def test_mesh_that_does_not_fit(hero: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(WALK, tmp_path / "walk.bvh")
    other = Skeleton(("Pole", "Tip"), np.array([-1, 0], np.int32), np.array([[0, 0, 0], [0, 1.0, 0]]))
    save(
        WALK.__class__(other, np.tile(np.float32([1, 0, 0, 0]), (5, 2, 1)), np.zeros((5, 3), np.float32), 30.0),
        tmp_path / "pole.glb",
        WriteOptions(character=patch(other)),
    )
    for file, message in (("pole.glb", "'Pole', 'Tip'"), ("walk.bvh", "no character")):
        code, answer = told(
            capsys, "convert", str(tmp_path / "walk.bvh"), str(tmp_path / "x.glb"), "--character", str(tmp_path / file)
        )
        assert code == 2
        assert message in answer["error"]["message"]
        assert not (tmp_path / "x.glb").exists()
