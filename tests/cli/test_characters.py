"""The verbs rig and scale, and converting characters."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import PIL.Image
import pytest

from reenact.body.character import Character
from reenact.body.humanoid import humanoid
from reenact.cli.main import main
from reenact.core.skeleton import Skeleton
from reenact.formats.loaded import WriteOptions
from reenact.loading import load_all, save_all
from reenact.samples import make_sample


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A person with its skeleton and a walk, and its mesh alone as OBJ."""
    place = tmp_path_factory.mktemp("characters")
    body = humanoid()
    save_all([make_sample("walk_normal").clip], place / "walk.bvh")
    save_all([], place / "person.glb", WriteOptions(character=body))
    single = Skeleton(("root",), np.array([-1]), np.zeros((1, 3)))
    count = len(body.vertices)
    mesh = Character(single, body.vertices, body.faces, np.zeros((count, 1)), np.ones((count, 1)), np.eye(4)[None])
    save_all([], place / "mesh.obj", WriteOptions(character=mesh))
    return place


def run(capsys: pytest.CaptureFixture[str], *words: object) -> dict:
    assert main([*map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_plain_obj_becomes_a_character_that_can_be_animated(folder, tmp_path, capsys):
    told = run(capsys, "rig", folder / "mesh.obj", "-o", tmp_path / "rigged.glb", "--picture", tmp_path / "w.png")
    assert told["report"]["joints"] == 21
    assert not [one for one in told["findings"] if one["severity"] != "info"]
    with PIL.Image.open(tmp_path / "w.png") as picture:
        pixels = np.asarray(picture.convert("RGB").resize((60, 30))).reshape(-1, 3)
        assert len(np.unique(pixels, axis=0)) > 50
    (body,) = load_all(tmp_path / "rigged.glb").characters
    assert len(body.vertices) == len(humanoid().vertices)
    run(capsys, "map", folder / "walk.bvh", tmp_path / "rigged.glb", "-o", tmp_path / "walk.glb")
    loaded = load_all(tmp_path / "walk.glb")
    (clip,) = loaded.clips
    skin = loaded.characters[0].skinned(clip.world())
    assert np.ptp(skin[:, :, 1]) < 1.3 * np.ptp(body.vertices[:, 1])
    assert np.linalg.norm(clip.root[-1] - clip.root[0]) > 1


def test_a_given_skeleton_is_used_and_what_fails_says_why(folder, tmp_path, capsys):
    told = run(capsys, "rig", folder / "mesh.obj", folder / "walk.bvh", "-o", tmp_path / "rigged.glb")
    assert told["report"]["joints"] == len(make_sample("walk_normal").clip.skeleton)
    assert main(["rig", str(folder / "person.glb"), "-o", str(tmp_path / "x.glb")]) == 2
    assert "--again" in capsys.readouterr().err
    assert main(["rig", str(folder / "walk.bvh"), "-o", str(tmp_path / "x.glb")]) == 2
    assert "no mesh" in capsys.readouterr().err
    assert not (tmp_path / "x.glb").exists()


def test_scale_a_character_a_motion_and_both(folder, tmp_path, capsys):
    told = run(capsys, "scale", folder / "person.glb", "--height", "2.1", "-o", tmp_path / "tall.glb")
    assert told["report"]["height_m"] == pytest.approx(2.1, abs=1e-3)
    assert np.ptp(load_all(tmp_path / "tall.glb").characters[0].vertices[:, 1]) == pytest.approx(2.1, abs=1e-3)
    told = run(capsys, "scale", folder / "walk.bvh", "--factor", "0.5", "-o", tmp_path / "small.bvh")
    assert (told["clips"], told["report"]["way"]) == (1, 0.5)
    run(capsys, "map", folder / "walk.bvh", folder / "person.glb", "-o", tmp_path / "both.glb")
    told = run(
        capsys, "scale", tmp_path / "both.glb", "--height", "1.2", "--thigh", "1.2", "-o", tmp_path / "child.glb"
    )
    loaded = load_all(tmp_path / "child.glb")
    body, clip = loaded.characters[0], loaded.clips[0]
    assert np.ptp(body.vertices[:, 1]) == pytest.approx(1.2, abs=1e-3)
    np.testing.assert_allclose(clip.skeleton.offsets[1:], body.skeleton.offsets[1:], atol=1e-5)
    assert abs(body.skinned(clip.world())[:, :, 1].min()) < 0.05
    assert (
        main(["scale", str(folder / "walk.bvh"), "--height", "2", "--factor", "2", "-o", str(tmp_path / "x.bvh")]) == 2
    )


def test_characters_without_motion_are_converted(folder, tmp_path, capsys):
    run(capsys, "convert", folder / "person.glb", tmp_path / "person.obj")
    told = run(capsys, "convert", tmp_path / "person.obj", tmp_path / "again.glb")
    assert told["clips"] == 0
    first, second = (load_all(file).characters[0] for file in (folder / "person.glb", tmp_path / "again.glb"))
    assert first.skeleton.names == second.skeleton.names
    np.testing.assert_allclose(np.ptp(first.vertices, axis=0), np.ptp(second.vertices, axis=0), atol=1e-4)
    assert main(["convert", str(folder / "walk.bvh"), str(tmp_path / "walk.obj")]) == 2
    assert "OBJ holds a mesh" in capsys.readouterr().err


def test_a_rigged_mesh_is_not_written_as_motion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Said before the work."""
    assert main(["rig", str(tmp_path / "none.obj"), "-o", str(tmp_path / "out.bvh")]) == 2
    assert "unknown ending '.bvh' for a mesh with its skeleton; known are .glb, .gltf, .obj" in capsys.readouterr().err
