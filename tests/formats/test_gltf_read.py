"""Reading glTF: skeletons, animations, accessors and meshes of small files made by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reenact.core import rotations
from reenact.errors import FormatError
from reenact.formats import gltf
from reenact.formats.loaded import Loaded, ReadOptions

HALF = math.sqrt(0.5)
STRICT = ReadOptions(tolerance="strict")


def codes(loaded: Loaded) -> set[str]:
    return {finding.code for finding in loaded.findings}


def arm(builder, **root):
    """Three nodes in a row, each 1 m above the one before."""
    builder.add("nodes", name="hip", children=[1], translation=[0, 1, 0], **root)
    builder.add("nodes", name="knee", children=[2], translation=[0, 1, 0])
    builder.add("nodes", name="foot", translation=[0, 1, 0])
    return builder


def seconds(frames: int, fps: float = 30.0) -> np.ndarray:
    return np.arange(frames) / fps


def turning(frames: int) -> np.ndarray:
    """xyzw: from 0 to 90 degrees about z."""
    angle = np.linspace(0, math.pi / 2, frames)
    return np.stack([0 * angle, 0 * angle, np.sin(angle / 2), np.cos(angle / 2)], axis=1)


@pytest.mark.parametrize("kind", ["glb", "embedded", "external"])
def test_animated_nodes_without_a_skin(tmp_path, builder, kind):
    arm(builder).animate(1, "rotation", seconds(4), turning(4))
    builder.animate(0, "translation", seconds(4), [[k, 1, 0] for k in range(4)])
    loaded = gltf.read(builder.save(tmp_path / "a file.glb", kind=kind), STRICT)
    (clip,) = loaded.clips
    assert loaded.format == ("glb" if kind == "glb" else "gltf")
    assert (clip.skeleton.names, clip.frames, clip.fps, clip.name) == (("hip", "knee", "foot"), 4, 30.0, "a file")
    assert clip.pristine
    assert clip.origin.format == loaded.format
    world = clip.world()
    assert np.allclose(world.positions[0], [[0, 1, 0], [0, 2, 0], [0, 3, 0]])
    assert np.allclose(world.positions[3], [[3, 1, 0], [3, 2, 0], [2, 2, 0]], atol=1e-6)


def test_several_animations_are_several_clips(tmp_path, builder):
    arm(builder)
    for name in ("walk", "run", "walk", None):
        builder.tree.setdefault("animations", []).append(
            {"samplers": [], "channels": [], **({"name": name} if name else {})}
        )
        builder.animate(0, "rotation", seconds(5), turning(5))
    names = [clip.name for clip in gltf.read(builder.save(tmp_path / "x.glb")).clips]
    assert names == ["walk", "run", "walk_2", "x_4"]


@pytest.mark.parametrize(
    ("times", "fps", "frames"),
    [
        (seconds(20, 24), 24.0, 20),
        (seconds(20, 120), 120.0, 20),
        (seconds(300, 30000 / 1001), 30000 / 1001, 300),
        (seconds(20, 37), 37.0, 20),
        (5 + seconds(50, 60), 60.0, 50),
        (np.array([0, 1, 2.5]), 30.0, 76),
        (np.array([0, 0.04, 1.0]), 25.0, 26),
        (np.array([0.0]), 30.0, 1),
        (seconds(100_000, 120), 120.0, 100_000),
    ],
)
def test_the_frame_rate_follows_from_the_keys(tmp_path, builder, times, fps, frames):
    arm(builder).animate(0, "rotation", times, turning(len(times)))
    loaded = gltf.read(builder.save(tmp_path / "x.glb"))
    assert loaded.clips[0].fps == pytest.approx(fps, rel=1e-9)
    assert loaded.clips[0].frames == frames
    assert "gltf.frame-rate" in codes(loaded)


def test_keys_on_no_frames_are_sampled_at_30_with_a_warning(tmp_path, builder):
    arm(builder).animate(
        0, "translation", [0.0, 0.31, 0.777, 1.01], [[0, 0, 0], [0.31, 0, 0], [0.777, 0, 0], [1.01, 0, 0]]
    )
    loaded = gltf.read(builder.save(tmp_path / "x.glb"))
    assert "gltf.resampled" in codes(loaded)
    clip = loaded.clips[0]
    assert (clip.fps, clip.frames) == (30.0, 31)
    assert np.allclose(clip.root[:, 0], clip.times, atol=1e-6)


def test_the_three_interpolations(tmp_path, builder):
    arm(builder)
    times = [0.0, 1.0, 2.0]
    builder.animate(0, "translation", times, [[0, 0, 0], [1, 0, 0], [3, 0, 0]])
    builder.animate(1, "translation", times, [[0, 0, 0], [1, 0, 0], [3, 0, 0]], "STEP")
    # x = t^3: the tangents are 3 t^2, so that every span is the exact cubic.
    cubic = [[[0, 0, 0], [0, 0, 0], [0, 0, 0]], [[3, 0, 0], [1, 0, 0], [3, 0, 0]], [[12, 0, 0], [8, 0, 0], [0, 0, 0]]]
    builder.animate(2, "translation", times, np.reshape(cubic, (9, 3)), "CUBICSPLINE")
    clip = gltf.read(builder.save(tmp_path / "x.glb"), STRICT).clips[0]
    t = clip.times
    assert clip.frames == 61
    assert clip.translations is not None
    assert clip.translations.joints.tolist() == [1, 2]
    assert np.allclose(clip.root[:, 0], np.where(t <= 1, t, 1 + 2 * (t - 1)), atol=1e-6)
    assert np.allclose(clip.translations.values[:, 0, 0], np.where(t < 0.999, 0, np.where(t < 1.999, 1, 3)))
    assert np.allclose(clip.translations.values[:, 1, 0], t**3, atol=1e-5)


def test_rotations_go_the_short_way_and_stay_unit(tmp_path, builder):
    arm(builder)
    keys = turning(3)
    keys[1] *= -1
    builder.animate(0, "rotation", [0, 1, 2], keys)
    cubic = np.zeros((3, 3, 4))
    cubic[:, 1] = turning(3)
    builder.animate(1, "rotation", [0, 1, 2], cubic.reshape(9, 4), "CUBICSPLINE")
    clip = gltf.read(builder.save(tmp_path / "x.glb"), STRICT).clips[0]
    angle = np.linalg.norm(rotations.log(clip.rotations[:, 0]), axis=1)
    assert np.allclose(angle, np.linspace(0, math.pi / 2, 61), atol=1e-5)
    assert np.allclose(np.linalg.norm(clip.rotations, axis=-1), 1, atol=1e-6)


@pytest.mark.parametrize(("dtype", "top"), [("i1", 127), ("u1", 255), ("i2", 32767), ("u2", 65535)])
def test_quantised_rotations(tmp_path, builder, dtype, top):
    arm(builder).animate(0, "rotation", seconds(6), np.round(turning(6) * top), dtype=dtype, normalized=True)
    clip = gltf.read(builder.save(tmp_path / "x.glb")).clips[0]
    expected = turning(6)[:, [3, 0, 1, 2]]
    assert np.abs(clip.rotations[:, 0] - expected).max() < 1.5 / top


def test_byte_strides_and_offsets(tmp_path, builder):
    arm(builder)
    builder.animate(0, "translation", seconds(5), [[k, 2 * k, 3 * k] for k in range(5)], stride=20)
    builder.tree["accessors"][-1].update(byteOffset=20, count=4)
    builder.tree["accessors"][-2].update(byteOffset=4, count=4)
    clip = gltf.read(builder.save(tmp_path / "x.glb")).clips[0]
    assert np.allclose(clip.root, [[k, 2 * k, 3 * k] for k in range(1, 5)])


@pytest.mark.parametrize("based", [True, False])
def test_sparse_accessors(tmp_path, builder, based):
    arm(builder)
    builder.animate(0, "translation", seconds(5), np.ones((5, 3)))
    accessor = builder.tree["accessors"][-1]
    if not based:
        del accessor["bufferView"]
    places, values = (
        builder.view(np.array([1, 3], "<u2").tobytes()),
        builder.view(np.array([[5, 0, 0], [6, 0, 0]], "<f4").tobytes()),
    )
    accessor["sparse"] = {
        "count": 2,
        "indices": {"bufferView": places, "componentType": 5123},
        "values": {"bufferView": values},
    }
    clip = gltf.read(builder.save(tmp_path / "x.glb")).clips[0]
    rest = 1 if based else 0
    assert clip.root[:, 0].tolist() == [rest, 5, rest, 6, rest]


def test_nodes_above_the_root_are_part_of_its_motion(tmp_path, builder):
    builder.add(
        "nodes", name="scene", children=[1], matrix=[2, 0, 0, 0, 0, 0, -2, 0, 0, 2, 0, 0, 0, 5, 0, 1]
    )  # 2 times, -90 about x
    builder.add("nodes", name="mover", children=[2])
    arm_start = 2
    builder.add("nodes", name="hip", children=[3], translation=[0, 0, 1])
    builder.add("nodes", name="toe", translation=[0, 0, 1])
    builder.add("skins", joints=[2, 3])
    builder.animate(1, "translation", seconds(3), [[0, 0, 0], [1, 0, 0], [2, 0, 0]])
    builder.animate(arm_start, "rotation", seconds(3), turning(3))
    loaded = gltf.read(builder.save(tmp_path / "x.glb"))
    clip = loaded.clips[0]
    assert clip.skeleton.names == ("hip", "toe")
    assert "gltf.scale" in codes(loaded)
    assert np.allclose(clip.skeleton.offsets, [[0, 7, 0], [0, 0, 2]], atol=1e-6)
    world = clip.world()
    assert np.allclose(world.positions[:, 0], [[0, 7, 0], [2, 7, 0], [4, 7, 0]], atol=1e-6)
    assert np.allclose(world.positions[2, 1], [4, 9, 0], atol=1e-6)


def test_uneven_and_animated_scale_keeps_the_places_of_joints(tmp_path, builder):
    """Against plain products of the nodes' matrices."""
    arm(builder, scale=[1, 2, 3], rotation=[0, 0, HALF, HALF])
    builder.add("skins", joints=[0, 1, 2])
    builder.animate(1, "scale", seconds(4), [[1, 1, 1], [1, 2, 1], [1, 3, 1], [2, 2, 2]])
    builder.animate(1, "rotation", seconds(4), turning(4))
    loaded = gltf.read(builder.save(tmp_path / "x.glb"))
    assert {"gltf.scale", "gltf.moving-scale"} <= codes(loaded)
    clip = loaded.clips[0]
    found = clip.world(np.float64).positions
    for frame, (angle, scale) in enumerate(
        zip(np.linspace(0, math.pi / 2, 4), ([1, 1, 1], [1, 2, 1], [1, 3, 1], [2, 2, 2]), strict=True)
    ):
        spin = np.array([[math.cos(angle), -math.sin(angle), 0], [math.sin(angle), math.cos(angle), 0], [0, 0, 1]])
        top = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]) * (1, 2, 3)
        knee = np.array([0, 1, 0]) + top @ (0, 1, 0)
        foot = knee + top @ (spin * scale) @ (0, 1, 0)
        assert np.allclose(found[frame], [[0, 1, 0], knee, foot], atol=1e-5)


def test_joints_in_any_order_with_other_nodes_between(tmp_path, builder):
    builder.add("nodes", name="tip")
    builder.add("nodes", name="bridge", children=[0], translation=[0, 2, 0])
    builder.add("nodes", name="base", children=[1], translation=[1, 0, 0])
    builder.tree["scenes"][0]["nodes"] = [2]
    builder.add("skins", joints=[0, 2])
    builder.animate(0, "rotation", seconds(3), turning(3))
    loaded = gltf.read(builder.save(tmp_path / "x.glb"))
    skeleton = loaded.clips[0].skeleton
    assert skeleton.names == ("base", "bridge", "tip")
    assert skeleton.parents.tolist() == [-1, 0, 1]
    assert "gltf.extra-joints" in codes(loaded)


def test_the_order_of_a_skin_is_kept_where_parents_come_first(tmp_path, builder):
    builder.add("nodes", name="root", children=[1, 2])
    builder.add("nodes", name="a", children=[3])
    builder.add("nodes", name="b")
    builder.add("nodes", name="c")
    builder.add("skins", joints=[0, 2, 1, 3])
    character = gltf.read(builder.save(tmp_path / "x.glb"), STRICT).characters[0]
    assert character.skeleton.names == ("root", "b", "a", "c")
    builder.tree["skins"][0]["joints"] = [3, 2, 1, 0]
    loaded = gltf.read(builder.save(tmp_path / "y.glb"), STRICT)
    assert loaded.characters[0].skeleton.names == ("root", "a", "c", "b")
    assert "gltf.joint-order" in codes(loaded)


def test_missing_and_repeated_names(tmp_path, builder):
    for i, name in enumerate(["spine", None, "spine", "spine", "spine_2"]):
        builder.add("nodes", children=[i + 1] if i < 4 else [], **({"name": name} if name else {}))
    builder.add("skins", joints=[0, 1, 2, 3, 4])
    loaded = gltf.read(builder.save(tmp_path / "x.glb"))
    assert loaded.characters[0].skeleton.names == ("spine", "node_1", "spine_3", "spine_4", "spine_2")
    assert {"gltf.no-name", "gltf.same-name"} <= codes(loaded)


def test_joints_in_different_trees_get_a_root(tmp_path, builder):
    builder.add("nodes", name="left", translation=[1, 0, 0])
    builder.add("nodes", name="right", translation=[-1, 0, 0])
    builder.tree["scenes"][0]["nodes"] = [0, 1]
    builder.add("skins", joints=[0, 1])
    builder.animate(1, "rotation", seconds(3), turning(3))
    loaded = gltf.read(builder.save(tmp_path / "x.glb"))
    assert loaded.clips[0].skeleton.names == ("root", "left", "right")
    assert np.allclose(loaded.clips[0].world().positions[2], [[0, 0, 0], [1, 0, 0], [-1, 0, 0]])
    assert "gltf.no-common-root" in codes(loaded)


def test_two_characters_are_two_skeletons(tmp_path, builder):
    builder.add("nodes", name="scene", children=[1, 3])
    for who in ("ann", "bob"):
        start = len(builder.tree["nodes"])
        builder.add("nodes", name=f"{who} hips", children=[start + 1])
        builder.add("nodes", name=f"{who} head", translation=[0, 1, 0])
        builder.add("skins", joints=[start, start + 1])
    builder.tree["animations"] = [{"name": "wave", "samplers": [], "channels": []}]
    builder.animate(1, "rotation", seconds(3), turning(3))
    builder.animate(3, "rotation", seconds(3), turning(3))
    clips = gltf.read(builder.save(tmp_path / "x.glb"), STRICT).clips
    assert [clip.name for clip in clips] == ["wave:ann hips", "wave:bob hips"]
    assert clips[1].skeleton.names == ("bob hips", "bob head")


def test_leaves_below_joints_are_end_sites(tmp_path, builder):
    arm(builder)
    builder.tree["nodes"][2]["children"] = [3]
    builder.add("nodes", name="foot_end", translation=[0, 0, 0.2])
    builder.add("skins", joints=[0, 1, 2])
    skeleton = gltf.read(builder.save(tmp_path / "x.glb"), STRICT).characters[0].skeleton
    assert len(skeleton) == 3
    assert skeleton.end_joints.tolist() == [2]
    assert np.allclose(skeleton.end_offsets, [[0, 0, 0.2]])


def skinned_arm(builder, *, scale: float = 1.0):
    """Two joints and a square, its lower edge on the first joint, its upper edge on the second; vertices in 1 / scale metres."""
    builder.add("nodes", name="holder", children=[1, 3], scale=[scale] * 3)
    builder.add("nodes", name="low", children=[2])
    builder.add("nodes", name="high", translation=[0, 1 / scale, 0])
    binds = np.tile(np.eye(4), (2, 1, 1))
    binds[1, 1, 3] = -1 / scale
    builder.add("skins", joints=[1, 2], inverseBindMatrices=builder.accessor(binds.swapaxes(1, 2).reshape(2, 16)))
    corners = np.array([[-1, 0, 0], [1, 0, 0], [1, 2, 0], [-1, 2, 0]]) / scale
    attributes = {
        "POSITION": builder.accessor(corners),
        "NORMAL": builder.accessor([[0, 0, 1]] * 4),
        "JOINTS_0": builder.accessor([[0, 1, 0, 0]] * 4, "u1"),
        "WEIGHTS_0": builder.accessor([[255, 0, 0, 0]] * 2 + [[0, 255, 0, 0]] * 2, "u1", normalized=True),
    }
    builder.add("materials", pbrMetallicRoughness={"baseColorFactor": [1, 0.5, 0, 1]})
    builder.add(
        "meshes",
        primitives=[{"attributes": attributes, "indices": builder.accessor([0, 1, 2, 0, 2, 3], "u2"), "material": 0}],
    )
    builder.add("nodes", name="square", mesh=0, skin=0)
    return builder


@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_a_skinned_mesh_is_a_character_in_metres(tmp_path, builder, scale):
    skinned_arm(builder, scale=scale).animate(2, "rotation", seconds(3), turning(3))
    loaded = gltf.read(builder.save(tmp_path / "x.glb"), STRICT)
    (character,) = loaded.characters
    assert (character.name, character.color) == ("square", (1.0, 0.5, 0.0, 1.0))
    assert character.skeleton is loaded.clips[0].skeleton
    assert np.allclose(character.vertices, [[-1, 0, 0], [1, 0, 0], [1, 2, 0], [-1, 2, 0]], atol=1e-6)
    assert character.weights.shape == (4, 1)
    posed = character.skinned(loaded.clips[0].world())
    assert np.allclose(posed[0], character.vertices, atol=1e-6)
    assert np.allclose(posed[2], [[-1, 0, 0], [1, 0, 0], [-1, 2, 0], [-1, 0, 0]], atol=1e-5)


def test_a_mesh_node_that_lies_about_its_place_is_not_believed(tmp_path, builder):
    """GlTF ignores the node of a skinned mesh, so a scale there must not reach the vertices."""
    skinned_arm(builder)
    builder.tree["nodes"][3]["scale"] = [100, 100, 100]
    character = gltf.read(builder.save(tmp_path / "x.glb"), STRICT).characters[0]
    assert np.allclose(character.vertices, [[-1, 0, 0], [1, 0, 0], [1, 2, 0], [-1, 2, 0]], atol=1e-6)


def test_rigid_meshes_on_joints_follow_them(tmp_path, builder):
    skinned_arm(builder)
    builder.add(
        "meshes", primitives=[{"attributes": {"POSITION": builder.accessor([[0, 0, 0], [1, 0, 0], [0, 1, 0]])}}]
    )
    builder.tree["nodes"][2]["children"] = [4]
    builder.add("nodes", name="hat", mesh=1, translation=[0, 1, 0], scale=[2, 2, 2])
    builder.animate(2, "rotation", seconds(3), turning(3))
    loaded = gltf.read(builder.save(tmp_path / "x.glb"), STRICT)
    character = loaded.characters[0]
    assert "gltf.rigid-parts" in codes(loaded)
    assert character.name == "x"
    assert character.normals is None
    assert character.face_materials is not None
    colors = [character.materials[at].base_color for at in character.face_materials]
    assert colors == [(1, 0.5, 0, 1), (1, 0.5, 0, 1), (1, 1, 1, 1)]
    assert (character.parts, character.vertex_colors) == (("square", "hat"), None)
    assert np.allclose(character.vertices[4:], [[0, 2, 0], [2, 2, 0], [0, 4, 0]], atol=1e-6)
    assert np.allclose(
        character.skinned(loaded.clips[0].world())[2, 4:], [[-1, 1, 0], [-1, 3, 0], [-3, 1, 0]], atol=1e-5
    )


def test_skins_that_share_joints_make_one_character_where_they_agree(tmp_path, builder):
    skinned_arm(builder)
    shifted = np.tile(np.eye(4), (2, 1, 1))
    shifted[:, 0, 3] = 5  # the second mesh was modelled 5 m aside of where it is bound
    shifted[1, 1, 3] = -1
    builder.add("skins", joints=[1, 2], inverseBindMatrices=builder.accessor(shifted.swapaxes(1, 2).reshape(2, 16)))
    builder.add("nodes", name="second", mesh=0, skin=1)
    builder.tree["nodes"][0]["children"].append(4)
    loaded = gltf.read(builder.save(tmp_path / "x.glb"), STRICT)
    (character,) = loaded.characters
    assert np.allclose(character.vertices[4:], character.vertices[:4] + (5, 0, 0), atol=1e-6)
    shifted[1, 1, 3] = -1.5
    builder.tree["skins"][1]["inverseBindMatrices"] = builder.accessor(shifted.swapaxes(1, 2).reshape(2, 16))
    loaded = gltf.read(builder.save(tmp_path / "y.glb"), STRICT)
    assert len(loaded.characters) == 2
    assert "gltf.several-binds" in codes(loaded)


@pytest.mark.parametrize(("mode", "faces"), [(5, [[0, 1, 2], [1, 3, 2]]), (6, [[0, 1, 2], [0, 2, 3]])])
def test_strips_and_fans(tmp_path, builder, mode, faces):
    builder.add("nodes", mesh=0)
    builder.add("meshes", primitives=[{"attributes": {"POSITION": builder.accessor(np.eye(4)[:, :3])}, "mode": mode}])
    loaded = gltf.read(builder.save(tmp_path / "x.glb"), STRICT)
    assert loaded.characters[0].faces.tolist() == faces
    assert "gltf.no-skeleton" in codes(loaded)


def test_weights_are_cleaned(tmp_path, builder):
    skinned_arm(builder)
    attributes = builder.tree["meshes"][0]["primitives"][0]["attributes"]
    attributes["WEIGHTS_0"] = builder.accessor([[0, 0, 0, 0], [2, 2, 0, 0], [0.2, 0.8, 0, 0], [1, 0, 0, 0]])
    loaded = gltf.read(builder.save(tmp_path / "x.glb"))
    character = loaded.characters[0]
    assert {"gltf.zero-weights", "gltf.weights-sum"} <= set(codes(loaded))
    assert np.allclose(character.weights, [[1, 0], [0.5, 0.5], [0.8, 0.2], [1, 0]])
    assert character.weight_joints.tolist() == [[0, 0], [0, 1], [1, 0], [0, 0]]
    with pytest.raises(FormatError, match="follow no joint"):
        gltf.read(tmp_path / "x.glb", STRICT)


def test_compressed_meshes_are_left_out_with_a_finding(tmp_path, builder):
    skinned_arm(builder).animate(2, "rotation", seconds(3), turning(3))
    builder.tree["meshes"][0]["primitives"][0]["extensions"] = {"KHR_draco_mesh_compression": {}}
    builder.tree["extensionsRequired"] = ["KHR_draco_mesh_compression"]
    loaded = gltf.read(builder.save(tmp_path / "x.glb"))
    assert "gltf.draco" in codes(loaded)
    assert len(loaded.clips) == 1
    assert loaded.characters == ()
    builder.tree["extensionsRequired"] = ["EXT_meshopt_compression"]
    with pytest.raises(FormatError, match="EXT_meshopt_compression"):
        gltf.read(builder.save(tmp_path / "y.glb"))


def test_a_character_of_absurd_size_is_a_finding(tmp_path, builder):
    builder.add("nodes", name="a", children=[1])
    builder.add("nodes", name="b", translation=[0, 170, 0])
    builder.add("skins", joints=[0, 1])
    assert "gltf.size" in codes(gltf.read(builder.save(tmp_path / "x.glb")))
    builder.tree["nodes"][1]["translation"] = [0, 1.7, 0]
    assert "gltf.size" not in codes(gltf.read(builder.save(tmp_path / "x.glb")))


def test_unsorted_key_times_are_sorted_with_a_finding(tmp_path, builder):
    arm(builder).animate(0, "translation", [0.1, 0.0, 0.2, 0.2], [[1, 0, 0], [0, 0, 0], [5, 0, 0], [2, 0, 0]])
    path = builder.save(tmp_path / "x.glb")
    loaded = gltf.read(path)
    assert "gltf.key-order" in codes(loaded)
    assert np.allclose(loaded.clips[0].root[[0, 3, 6], 0], [0, 1, 2])
    with pytest.raises(FormatError, match="do not ascend"):
        gltf.read(path, STRICT)


def test_channels_that_are_no_motion_are_noted(tmp_path, builder):
    arm(builder).animate(0, "rotation", seconds(3), turning(3))
    builder.animate(0, "weights", seconds(3), [0, 1, 0])
    assert "gltf.ignored-channel" in codes(gltf.read(builder.save(tmp_path / "x.glb"), STRICT))
