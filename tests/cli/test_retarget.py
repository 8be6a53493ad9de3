"""`reenact retarget`: one file, many, refusals, mappings, partners."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from reenact import WriteOptions, load_all, save
from reenact.body.humanoid import humanoid
from reenact.cli.main import main
from reenact.core.cutting import cut_frames
from reenact.samples import make_sample


@pytest.fixture
def child(tmp_path: Path) -> Path:
    """A file with a character that does nothing else than stand."""
    from reenact.body.standing import standing_still

    person = humanoid(preset="child")
    path = tmp_path / "child.glb"
    save(standing_still(person), path, WriteOptions(character=person))
    return path


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    path = tmp_path / "walk.bvh"
    save(cut_frames(make_sample("walk_normal").clip, 0, 120), path)
    return path


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict]:
    code = main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_file_that_holds_no_body_is_refused(tmp_path: Path, walk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chair = tmp_path / "chair.bvh"
    chair.write_text(
        "HIERARCHY\nROOT seat\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
        "End Site\n{\nOFFSET 0 40 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.03\n0 0 0 0 0 0\n0 0 0 0 0 0\n"
    )
    assert main(["retarget", str(walk), str(chair), "-o", str(tmp_path / "out.glb")]) != 0
    assert "is no body that a motion could be brought onto" in capsys.readouterr().err
    assert not (tmp_path / "out.glb").exists()
    assert main(["retarget", str(walk), str(walk), "-o", str(tmp_path / "o.bvh"), "--hands", "partner"]) != 0
    assert "need one: --partner FILE" in capsys.readouterr().err


def test_one_motion_wears_the_character(
    tmp_path: Path, walk: Path, child: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.glb"
    code, row = told(capsys, "retarget", str(walk), str(child), "-o", str(out))
    assert code == 0
    assert row["report"]["by_role"] == 21
    assert row["report"]["slip_mm"] < 2.0
    loaded = load_all(out)
    (person,) = load_all(child).characters
    assert len(loaded.characters[0].vertices) == len(person.vertices)
    assert loaded.clips[0].skeleton.names == person.skeleton.names
    skin = loaded.characters[0].skinned(loaded.clips[0].world(np.float64))
    assert -0.01 < skin[:, :, 1].min() < 0.01
    assert main(["check", str(out), "--against", str(walk)]) in (0, 1)
    assert "hardest push" in capsys.readouterr().out


def test_many_motions_are_made_side_by_side(
    tmp_path: Path, walk: Path, child: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "kick.bvh"
    save(cut_frames(make_sample("kick_left").clip, 0, 90), other)
    broken = tmp_path / "broken.bvh"
    broken.write_text("nothing")
    pattern = str(tmp_path / "made_{name}.glb")
    code, row = told(capsys, "retarget", str(walk), str(other), str(broken), str(child), "-o", pattern, "--jobs", "1")
    assert (code, row["done"], row["refused"]) == (1, 2, 1)
    for name in ("walk", "kick"):
        assert len(load_all(tmp_path / f"made_{name}.glb").characters[0].vertices)


def test_hands_are_kept_on_a_partner(
    tmp_path: Path, walk: Path, child: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from reenact.core.placement import move_rigidly

    partner = tmp_path / "partner.bvh"
    save(move_rigidly(cut_frames(make_sample("walk_normal").clip, 0, 120), (0.45, 0.0, 0.0)), partner)
    out = tmp_path / "out.glb"
    words = ("retarget", str(walk), str(child), "-o", str(out), "--partner", str(partner), "--hands", "partner")
    code, row = told(capsys, *words)
    assert code == 0
    assert set(row["report"]["hands_led"]) == {"left", "right"}
    short = tmp_path / "short.bvh"
    save(cut_frames(make_sample("walk_normal").clip, 0, 60), short)
    assert main([*words[:6], str(short)]) != 0
    assert "they are not one take" in capsys.readouterr().err


def test_a_mesh_without_a_skeleton_is_refused_with_what_to_do(
    tmp_path: Path, walk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    statue = tmp_path / "statue.obj"
    statue.write_text("o Statue\nv 0 0 0\nv 0 1 0\nv 1 0 0\nf 1 2 3\n")
    assert main(["retarget", str(walk), str(statue), "-o", str(tmp_path / "out.glb")]) != 0
    said = capsys.readouterr().err
    assert "has no skeleton: `reenact rig FILE -o rigged.glb`" in said
    assert not (tmp_path / "out.glb").exists()


def test_arms_inside_a_stout_body_are_told(tmp_path: Path, walk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from reenact.body.standing import standing_still

    person = humanoid(preset="heavy", girth=1.4)
    stout = tmp_path / "stout.glb"
    save(standing_still(person), stout, WriteOptions(character=person))
    assert main(["retarget", str(walk), str(stout), "-o", str(tmp_path / "out.glb")]) == 0
    assert "forearms are inside the body" in capsys.readouterr().err


def test_what_is_wrong_with_a_character_is_said(
    tmp_path: Path, walk: Path, child: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its weights add up to a half: it is made all the same, and one is told."""
    data = bytearray(child.read_bytes())
    length = int.from_bytes(data[12:16], "little")
    document = json.loads(data[20 : 20 + length])
    accessor = document["accessors"][document["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"]]
    view = document["bufferViews"][accessor["bufferView"]]
    start = 28 + length + view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    weights = np.frombuffer(data, np.float32, 4 * accessor["count"], start)
    data[start : start + weights.nbytes] = (0.5 * weights).astype(np.float32).tobytes()
    half = tmp_path / "half.glb"
    half.write_bytes(data)
    capsys.readouterr()
    assert main(["retarget", str(walk), str(half), "-o", str(tmp_path / "out.glb")]) == 0
    assert "do not add up to 1" in capsys.readouterr().err
    weights = load_all(tmp_path / "out.glb").characters[0].weights
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-5)
