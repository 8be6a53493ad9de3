"""Writing glTF: round trips, sizes, and the verdict of the Khronos validator."""

from __future__ import annotations

import json
import struct
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reenact.body.character import Character, rest_world, rigid_inverse
from reenact.core import rotations
from reenact.core.clip import Clip
from reenact.core.origin import Origin
from reenact.errors import FormatError, SkeletonError
from reenact.formats import gltf
from reenact.formats.gltf_write_mesh import arrange_weights
from reenact.formats.loaded import WriteOptions


def same(a: Clip, b: Clip) -> None:
    assert np.abs(a.world(np.float64).positions - b.world(np.float64).positions).max() < 1e-5
    assert rotations.angle_between(a.world(np.float64).rotations, b.world(np.float64).rotations).max() < 1e-4
    assert a.skeleton.names == b.skeleton.names
    assert np.array_equal(a.skeleton.parents, b.skeleton.parents)
    assert np.array_equal(a.skeleton.offsets, b.skeleton.offsets)
    assert np.allclose(a.skeleton.rest, b.skeleton.rest, atol=1e-12)
    assert np.array_equal(a.skeleton.end_joints, b.skeleton.end_joints)
    assert np.array_equal(a.skeleton.end_offsets, b.skeleton.end_offsets)
    assert dict(a.skeleton.roles) == dict(b.skeleton.roles)
    assert (a.fps, a.frames, a.name, a.pristine) == (b.fps, b.frames, b.name, b.pristine)
    assert (a.translations is None) == (b.translations is None)
    if a.translations is not None and b.translations is not None:
        assert np.array_equal(a.translations.joints, b.translations.joints)
        assert np.array_equal(a.translations.values, b.translations.values)
    for key in (one.name for one in fields(Origin) if one.name != "added_pose"):
        assert getattr(a.origin, key) == getattr(b.origin, key)
    if a.origin.added_pose is not None:
        assert b.origin.added_pose is not None
        assert np.array_equal(a.origin.added_pose.rotations, b.origin.added_pose.rotations)


def make_character(clip: Clip, *, influences: int = 3, vertices: int = 40) -> Character:
    rng = np.random.default_rng(5)
    rest = rest_world(clip.skeleton)
    weights = rng.random((vertices, influences)).astype(np.float32)
    return Character(
        clip.skeleton,
        rng.normal(size=(vertices, 3)).astype(np.float32),
        rng.integers(0, vertices, (50, 3)).astype(np.int32),
        rng.integers(0, len(clip.skeleton), (vertices, influences)).astype(np.int32),
        weights / weights.sum(axis=1, keepdims=True),
        rigid_inverse(rest.positions[0], rest.rotations[0]),
        normals=rng.normal(size=(vertices, 3)).astype(np.float32),
        uvs=rng.random((vertices, 2)).astype(np.float32),
        vertex_colors=rng.random((vertices, 4)).astype(np.float32),
        color=(0.5, 0.25, 1.0, 1.0),
        name="somebody",
    )


@pytest.mark.parametrize("ending", [".glb", ".gltf"])
def test_round_trip_and_validator(tmp_path, make_clip, validate_gltf, ending):
    cases = [
        make_clip(1),
        make_clip(2, fps=119.88, translated=3),
        make_clip(3, joints=1, full=False),
        make_clip(4, frames=1),
        make_clip(5, full=False).as_recorded(),
        make_clip(6, joints=40, frames=500, fps=59.94),
    ]
    paths = [tmp_path / f"{i}{ending}" for i in range(len(cases))]
    for clip, path in zip(cases, paths, strict=True):
        gltf.write([clip], path)
        loaded = gltf.read(path)
        same(clip, loaded.clips[0])
        assert [finding for finding in loaded.findings if finding.code != "gltf.size"] == []
        gltf.write(loaded.clips, tmp_path / f"again{ending}")
        assert (tmp_path / f"again{ending}").read_bytes() == path.read_bytes()
    reports = validate_gltf(paths)
    assert [report["info"]["animationCount"] for report in reports] == [1] * len(cases)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000), joints=st.integers(1, 12), frames=st.integers(1, 30), fps=st.floats(1, 1000))
def test_any_clip_comes_back(tmp_path_factory, make_clip, seed, joints, frames, fps):
    path = tmp_path_factory.getbasetemp() / "any.glb"
    clip = make_clip(seed, joints, frames, fps, translated=min(joints - 1, seed % 3))
    gltf.write([clip], path)
    same(clip, gltf.read(path).clips[0])


def test_several_clips_of_different_bodies(tmp_path, make_clip, validate_gltf):
    first = make_clip(1)
    longer = replace(
        first.skeleton, offsets=first.skeleton.offsets * 1.25, rest=np.roll(first.skeleton.rest, 1, axis=0)
    )
    second = replace(make_clip(1, frames=20, fps=60.0), skeleton=longer.with_roles({"hips": 1}), name="tall")
    path = tmp_path / "two.glb"
    gltf.write([first, second], path)
    a, b = gltf.read(path).clips
    same(first, a)
    assert np.abs(b.world().positions - second.world().positions).max() < 1e-5
    assert np.allclose(b.skeleton.offsets[1:], longer.offsets[1:], atol=1e-6)
    assert np.array_equal(b.skeleton.rest, longer.rest)
    assert dict(b.skeleton.roles) == {"hips": 1}
    assert (b.name, b.fps, b.frames, b.translations) == ("tall", 60.0, 20, None)
    validate_gltf([path])


@pytest.mark.parametrize(("influences", "vertices", "joints"), [(1, 40, 7), (3, 40, 7), (7, 40, 7), (4, 70_000, 300)])
def test_characters_come_back(tmp_path, make_clip, validate_gltf, influences, vertices, joints):
    clip = make_clip(8, joints=joints)
    character = make_character(clip, influences=influences, vertices=vertices)
    path = tmp_path / "body.glb"
    gltf.write([clip], path, WriteOptions(character=character))
    loaded = gltf.read(path)
    same(clip, loaded.clips[0])
    found = loaded.characters[0]
    assert np.array_equal(found.faces, character.faces)
    assert np.abs(found.vertices - character.vertices).max() < 1e-6
    assert np.abs(found.inverse_binds - character.inverse_binds).max() < 1e-5
    assert (found.name, found.uvs is not None, found.normals is not None) == ("somebody", True, True)
    assert found.vertex_colors is not None
    shades = character.vertex_colors * np.array(character.color)
    assert np.abs(found.vertex_colors * np.array(found.color) - shades).max() < 1e-6
    some = clip.world()
    assert np.abs(found.skinned(some) - character.skinned(some)).max() < 2e-4
    (report,) = validate_gltf([path])
    assert report["info"]["totalVertexCount"] == vertices


def test_a_character_alone_and_a_bare_rig(tmp_path, make_clip, validate_gltf):
    clip = make_clip(8)
    full = make_character(clip)
    bare = replace(
        full,
        vertices=np.zeros((0, 3)),
        faces=np.zeros((0, 3)),
        weight_joints=np.zeros((0, 1)),
        weights=np.zeros((0, 1)),
        normals=None,
        uvs=None,
        vertex_colors=None,
    )
    paths = [tmp_path / "full.glb", tmp_path / "bare.glb"]
    for character, path in zip((full, bare), paths, strict=True):
        gltf.write([], path, WriteOptions(character=character))
        found = gltf.read(path).characters[0]
        assert len(found.vertices) == len(character.vertices)
        assert found.skeleton.names == clip.skeleton.names
        assert dict(found.skeleton.roles) == dict(clip.skeleton.roles)
    validate_gltf(paths)


def test_still_channels_have_one_key(tmp_path, make_clip):
    clip = make_clip(1, joints=30, frames=400, full=False)
    still = replace(clip, rotations=np.where(np.arange(30)[:, None] < 2, clip.rotations, clip.rotations[:1]))
    gltf.write([clip], tmp_path / "moving.glb")
    gltf.write([still], tmp_path / "still.glb")
    raw = 400 * (2 * 16 + 12 + 4)
    assert (tmp_path / "still.glb").stat().st_size < raw + 30 * 500
    assert (tmp_path / "moving.glb").stat().st_size > 400 * 29 * 16
    same(still, gltf.read(tmp_path / "still.glb").clips[0])


def test_an_edited_file_is_read_by_its_keys_not_by_the_notes(tmp_path, make_clip):
    """A program that keeps extras but changes the keys must not mislead the reader."""
    path = tmp_path / "edited.glb"
    gltf.write([make_clip(1)], path)
    data = path.read_bytes()
    (size,) = struct.unpack_from("<I", data, 12)
    tree = json.loads(data[20 : 20 + size])
    tree["animations"][0]["extras"]["reenact"]["fps"] = 37.0
    tree["asset"]["extras"]["reenact"]["roles"] = {"hips": "nobody"}
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + size :]
    path.write_bytes(
        struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A) + text + rest
    )
    loaded = gltf.read(path)
    assert loaded.clips[0].fps == 30.0
    assert dict(loaded.clips[0].skeleton.roles) == {}
    assert "gltf.extras" in {finding.code for finding in loaded.findings}


def test_the_path_of_the_origin_is_not_passed_on(tmp_path, make_clip):
    clip = make_clip(1)
    clip = replace(clip, origin=replace(clip.origin, path="/home/somebody/secret/take.bvh"))
    gltf.write([clip], tmp_path / "x.glb")
    assert b"secret" not in (tmp_path / "x.glb").read_bytes()
    assert gltf.read(tmp_path / "x.glb").clips[0].origin.path == "take.bvh"


def test_rotations_that_are_not_unit_are_made_so(tmp_path, make_clip, validate_gltf):
    clip = make_clip(1)
    clip = replace(clip, rotations=clip.rotations * np.linspace(0.5, 2, 12, dtype=np.float32)[:, None, None])
    clip = replace(clip, skeleton=replace(clip.skeleton, rest=clip.skeleton.rest * 3))
    gltf.write([clip], tmp_path / "x.glb")
    validate_gltf([tmp_path / "x.glb"])


def test_parts_of_rotations_a_hair_beyond_one_are_put_in_range(tmp_path, make_clip, validate_gltf):
    clip = make_clip(1)
    turns = clip.rotations.copy()
    turns[:, 3] = np.nextafter(np.float32(1), np.float32(2)), 0, 0, 0
    rest = clip.skeleton.rest.copy()
    rest[2] = 1.00000005, 0, 0, 0
    clip = replace(clip, rotations=turns, skeleton=replace(clip.skeleton, rest=rest))
    gltf.write([clip], tmp_path / "x.gltf")
    validate_gltf([tmp_path / "x.gltf"])
    held = json.loads((tmp_path / "x.gltf").read_text())
    assert all(abs(part) <= 1 for node in held["nodes"] for part in node.get("rotation", ()))
    again = gltf.read(tmp_path / "x.gltf").clips[0]
    assert np.abs(again.rotations).max() <= 1


def test_weights_are_arranged():
    joints, weights = arrange_weights(
        np.array([[3, 5, 3, 2, 7]], np.int32), np.array([[0.2, 0.1, 0.3, 0.0, 0.4]], np.float32)
    )
    assert joints.tolist() == [[3, 7, 5, 0]]
    assert np.allclose(weights, [[0.5, 0.4, 0.1, 0]])
    assert weights.sum(dtype=np.float64) == pytest.approx(1, abs=1e-7)


def test_what_cannot_be_written_leaves_no_file(tmp_path, make_clip):
    clip, path = make_clip(1), tmp_path / "x.glb"
    with pytest.raises(FormatError, match="nothing to write"):
        gltf.write([], path)
    with pytest.raises(SkeletonError, match="retarget it first"):
        gltf.write([clip, make_clip(2, joints=8)], path)
    with pytest.raises(SkeletonError, match="the character"):
        gltf.write([make_clip(2, joints=8)], path, WriteOptions(character=make_character(clip)))
    with pytest.raises(FormatError, match="no frames"):
        gltf.write([make_clip(1, frames=0)], path)
    with pytest.raises(FormatError, match="not finite"):
        gltf.write([replace(clip, root=clip.root * np.float32(np.inf))], path)
    with pytest.raises(FormatError, match="always in metres"):
        gltf.write([clip], path, WriteOptions(unit=0.01))
    with pytest.raises(FormatError, match="always in metres"):
        gltf.write([clip], path, WriteOptions(up="z"))
    with pytest.raises(FileNotFoundError):
        gltf.write([clip], tmp_path / "none" / "x.glb")
    assert list(tmp_path.iterdir()) == []
