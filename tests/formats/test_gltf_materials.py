"""Materials, textures, morph targets, parts and attachments of characters through glTF files."""

from __future__ import annotations

import base64
import io
import json
import struct
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow

from reenact.body.character import Character
from reenact.body.materials import Image, Material, Texture
from reenact.errors import FormatError
from reenact.formats import gltf
from reenact.formats.image_files import image_damage, image_type
from reenact.formats.loaded import ReadOptions, WriteOptions

STRICT = ReadOptions(tolerance="strict")


def tree_of(path: Path) -> dict:
    data = path.read_bytes()
    (size,) = struct.unpack_from("<I", data, 12)
    return json.loads(data[20 : 20 + size])


def assert_same(found: Character, made: Character, near: float = 1e-6) -> None:
    """Equal looks: what a file must bring back."""
    assert found.materials == made.materials
    assert (found.name, found.parts) == (made.name, made.parts)
    for name in ("vertices", "normals", "tangents", "uvs", "weights"):
        np.testing.assert_allclose(getattr(found, name), getattr(made, name), atol=near, err_msg=name)
    for name in ("faces", "face_materials", "vertex_parts", "weight_joints"):
        np.testing.assert_array_equal(getattr(found, name), getattr(made, name), err_msg=name)
    np.testing.assert_array_equal(np.array(found.more_uvs), np.array(made.more_uvs))
    assert [(one.name, one.weight) for one in found.morphs] == [(one.name, one.weight) for one in made.morphs]
    for after, before in zip(found.morphs, made.morphs, strict=True):
        np.testing.assert_array_equal(after.vertices, before.vertices)
        np.testing.assert_allclose(after.moves, before.moves, atol=near)
        assert (after.turns is None) == (before.turns is None)
        if after.turns is not None:
            np.testing.assert_allclose(after.turns, before.turns, atol=near)
    for after, before in zip(found.attachments, made.attachments, strict=True):
        assert [getattr(after, one) for one in ("name", "joint", "camera", "light")] == [
            getattr(before, one) for one in ("name", "joint", "camera", "light")
        ]
        np.testing.assert_allclose(after.place, before.place, atol=near)


@pytest.mark.parametrize("ending", [".glb", ".gltf"])
def test_every_kind_of_map_comes_back(tmp_path, make_clip, looks, validate_gltf, ending):
    clip = make_clip(3, joints=9)
    made = looks.dressed(clip.skeleton)
    path, again = tmp_path / f"a{ending}", tmp_path / f"b{ending}"
    gltf.write([clip], path, WriteOptions(character=made))
    loaded = gltf.read(path, STRICT)
    assert_same(loaded.characters[0], made)
    gltf.write(loaded.clips, again, WriteOptions(character=loaded.characters[0]))
    assert_same(gltf.read(again).characters[0], made)
    (report, _) = validate_gltf([path, again])
    assert report["info"]["materialCount"] == 3
    assert report["info"]["hasMorphTargets"]
    assert len(report["info"]["resources"]) == 1 + len({t.image for m in made.materials for _, t in m.textures()})


def test_images_and_samplers_are_written_once_and_byte_for_byte(tmp_path, make_clip, looks):
    clip = make_clip(3)
    image = looks.picture(looks.checker((1, 2, 3), (200, 100, 50)), "shared")
    laid = Texture(image, wrap=("clamp", "clamp"))
    made = replace(
        looks.dressed(clip.skeleton),
        materials=tuple(Material(f"m{k}", (k / 3, 1, 1, 1), laid, emissive_texture=Texture(image)) for k in range(3)),
    )
    gltf.write([clip], tmp_path / "x.glb", WriteOptions(character=made))
    tree = tree_of(tmp_path / "x.glb")
    assert [len(tree[key]) for key in ("images", "samplers", "textures", "materials")] == [1, 2, 2, 3]
    found = gltf.read(tmp_path / "x.glb").characters[0]
    assert {one.base_color_texture.image.data for one in found.materials} == {image.data}


def test_a_picture_in_a_newer_format_says_that_it_is_needed(tmp_path, make_clip, looks, validate_gltf):
    clip = make_clip(3)
    image = looks.picture(looks.checker((1, 2, 3), (200, 100, 50)), "new", "WEBP")
    made = replace(looks.dressed(clip.skeleton), materials=(Material("m", base_color_texture=Texture(image)),) * 3)
    gltf.write([clip], tmp_path / "x.glb", WriteOptions(character=made))
    assert "EXT_texture_webp" in tree_of(tmp_path / "x.glb")["extensionsRequired"]
    assert gltf.read(tmp_path / "x.glb", STRICT).characters[0].materials == made.materials
    validate_gltf([tmp_path / "x.glb"])


def test_vertices_without_coordinates_can_have_textures(tmp_path, make_clip, looks, validate_gltf):
    clip = make_clip(3)
    made = replace(looks.dressed(clip.skeleton), uvs=None, more_uvs=())
    gltf.write([clip], tmp_path / "x.glb", WriteOptions(character=made))
    assert not gltf.read(tmp_path / "x.glb").characters[0].uvs.any()
    validate_gltf([tmp_path / "x.glb"])


def square(builder, **material):
    """A square without a skeleton, of one material with one texture."""
    corners = [[-1, 0, 0], [1, 0, 0], [1, 2, 0], [-1, 2, 0]]
    attributes = {"POSITION": builder.accessor(corners), "TEXCOORD_0": builder.accessor(np.array(corners)[:, :2])}
    builder.add("materials", **{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}, **material})
    builder.add("textures", source=0)
    builder.add(
        "meshes", primitives=[{"attributes": attributes, "indices": builder.accessor([0, 1, 2], "u2"), "material": 0}]
    )
    builder.add("nodes", name="square", mesh=0)
    return builder


def png(looks) -> bytes:
    return looks.picture(looks.checker((255, 0, 0), (0, 0, 255))).data


def codes(loaded) -> set[str]:
    return {finding.code for finding in loaded.findings}


def test_images_beside_the_file_and_in_data_uris(tmp_path, builder, looks):
    data = png(looks)
    (tmp_path / "my skin.png").write_bytes(data)
    for uri in ("my%20skin.png", "data:image/png;base64," + base64.b64encode(data).decode()):
        tree = dict(square(type(builder)()).tree, images=[{"uri": uri}])
        made = square(type(builder)())
        made.tree = tree | {key: made.tree[key] for key in ("accessors", "bufferViews")}
        (material,) = gltf.read(made.save(tmp_path / "x.gltf", kind="embedded"), STRICT).characters[0].materials
        assert material.base_color_texture.image.data == data


@pytest.mark.parametrize(
    ("uri", "code", "said"),
    [
        ("gone.png", "gltf.missing-image", "is not there"),
        ("../outside.png", "gltf.damaged-image", "only those are read"),
        ("/etc/passwd", "gltf.damaged-image", "only those are read"),
        ("http://example.org/x.png", "gltf.damaged-image", "only those are read"),
        ("data:image/png;base64,AAAA", "gltf.damaged-image", "neither PNG nor JPEG"),
        ("data:image/png;base64", "gltf.damaged-image", "without a comma"),
        (5, "gltf.damaged-image", "neither a uri nor a bufferView"),
    ],
)
def test_missing_images_leave_the_character(tmp_path, builder, uri, code, said):
    square(builder, pbrMetallicRoughness={"baseColorTexture": {"index": 0}, "baseColorFactor": [1, 0, 0, 1]})
    builder.tree["images"] = [{"uri": uri, "name": "skin"}]
    (tmp_path / "in").mkdir()
    (tmp_path / "outside.png").write_bytes(b"x")
    loaded = gltf.read(builder.save(tmp_path / "in" / "x.glb"))
    (found,) = [finding for finding in loaded.findings if finding.code == code]
    assert said in found.message
    assert "skin" in found.message
    (material,) = loaded.characters[0].materials
    assert (material.base_color, material.base_color_texture) == ((1, 0, 0, 1), None)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_damaged_images_are_left_out(tmp_path, builder, looks, kind):
    data = looks.picture(looks.checker((9, 9, 9), (90, 0, 0)), kind=kind).data
    assert image_damage(data) == ""
    assert Pillow.open(io.BytesIO(data)).format == kind
    builder.tree["images"] = [{"bufferView": builder.view(data[: len(data) // 2]), "mimeType": image_type(data)}]
    loaded = gltf.read(square(builder).save(tmp_path / "x.glb"))
    assert "gltf.damaged-image" in codes(loaded)
    assert loaded.characters[0].materials[0].base_color_texture is None


def test_what_is_wrong_with_an_image():
    stream = io.BytesIO()
    Pillow.new("RGB", (8, 8), (1, 2, 3)).save(stream, "PNG")
    data = stream.getvalue()
    assert image_damage(data) == ""
    assert image_damage(b"") == "it is empty"
    assert "neither" in image_damage(b"GIF89a")
    assert "cut off" in image_damage(data[:-4])
    assert "checksum" in image_damage(data[:40] + bytes([data[40] ^ 1]) + data[41:])
    assert "IHDR" in image_damage(data[:8] + data[33:])
    wide = bytearray(data)
    wide[16:20] = struct.pack(">I", 1 << 20)
    wide[29:33] = struct.pack(">I", __import__("zlib").crc32(bytes(wide[12:29])))
    assert "1048576 by 8" in image_damage(bytes(wide))
    assert "marker" in image_damage(b"\xff\xd8\xff\xe0\0\2xxxxxxxx")


@pytest.mark.parametrize(
    ("material", "said"),
    [
        ({"pbrMetallicRoughness": {"baseColorFactor": [1, 2]}}, "4 finite numbers"),
        ({"pbrMetallicRoughness": {"baseColorTexture": {"index": 9}}}, "there are 1"),
        ({"pbrMetallicRoughness": {"baseColorTexture": {}}}, "names no texture"),
        ({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0, "texCoord": 99}}}, "beyond"),
        ({"pbrMetallicRoughness": {"roughnessFactor": "matt"}}, "roughnessFactor"),
        ({"pbrMetallicRoughness": 5}, "expected an object"),
        ({"extensions": {"KHR_materials_deep": json.loads("[" * 900 + "]" * 900)}}, None),
        ({"emissiveFactor": [float("nan")] * 3}, "3 finite numbers"),
    ],
)
def test_a_wrong_material_is_shown_plain(tmp_path, builder, looks, material, said):
    builder.tree["images"] = [{"bufferView": builder.view(png(looks))}]
    path = square(builder, name="odd", **material).save(tmp_path / "x.glb")
    loaded = gltf.read(path)
    assert loaded.characters[0].materials[0].name == "odd"
    if said is not None:
        assert any(said in one.message for one in loaded.findings if one.code == "gltf.material")
        with pytest.raises(FormatError, match=said):
            gltf.read(path, STRICT)


def test_images_are_bounded_by_the_file(tmp_path, builder, looks):
    """Thousands of overlapping views of the same bytes are not as many copies in memory."""
    big = png(looks)[:33] + bytes(2 << 20)
    start = len(builder.data)
    builder.view(big)
    for k in range(500):
        builder.add("bufferViews", buffer=0, byteOffset=start + k, byteLength=len(big) - k)
        builder.add("images", bufferView=k + 1)
    square(builder)
    for k in range(1, 500):
        builder.add("textures", source=k)
        builder.add("materials", emissiveTexture={"index": k})
    corners = builder.tree["meshes"][0]["primitives"][0]
    builder.tree["meshes"][0]["primitives"] = [dict(corners, material=k) for k in range(500)]
    loaded = gltf.read(builder.save(tmp_path / "x.glb"))
    assert any("may ask for" in one.message for one in loaded.findings)


def test_the_older_gloss_model_keeps_its_colours(tmp_path, builder, looks):
    builder.tree["images"] = [{"bufferView": builder.view(png(looks))}]
    gloss = {"diffuseFactor": [0.5, 1, 1, 1], "diffuseTexture": {"index": 0}, "glossinessFactor": 0.25}
    square(builder)
    builder.tree["materials"] = [{"extensions": {"KHR_materials_pbrSpecularGlossiness": gloss}}]
    loaded = gltf.read(builder.save(tmp_path / "x.glb"), STRICT)
    (material,) = loaded.characters[0].materials
    assert material.base_color_texture.image.data == png(looks)
    assert (material.base_color, material.roughness, material.metallic) == ((0.5, 1, 1, 1), 0.75, 0)
    assert "gltf.specular-glossiness" in codes(loaded)


def test_primitives_that_share_vertices_are_one_part(tmp_path, builder):
    square(builder)
    builder.add("materials", name="second")
    first = builder.tree["meshes"][0]["primitives"][0]
    builder.tree["meshes"][0]["primitives"].append(dict(first, indices=builder.accessor([0, 2, 3], "u2"), material=1))
    builder.tree["images"] = [{"uri": "gone.png"}]
    character = gltf.read(builder.save(tmp_path / "x.glb")).characters[0]
    assert len(character.vertices) == 4
    assert character.face_materials.tolist() == [0, 1]


def test_morph_targets_of_one_name_are_one(tmp_path, builder):
    for node in range(2):
        moves = np.zeros((3, 3))
        moves[node] = 1
        builder.add(
            "meshes",
            primitives=[
                {
                    "attributes": {"POSITION": builder.accessor(np.eye(3))},
                    "targets": [{"POSITION": builder.accessor(moves)}],
                }
            ],
            extras={"targetNames": ["smile"]},
            weights=[0.5],
        )
        builder.add("nodes", name=f"n{node}", mesh=node, translation=[node, 0, 0])
    builder.tree["scenes"] = [{"nodes": [0, 1]}]
    (target,) = gltf.read(builder.save(tmp_path / "x.glb"), STRICT).characters[0].morphs
    assert (target.name, target.weight, target.vertices.tolist()) == ("smile", 0.5, [0, 4])


CHARACTERS = ("kaykit/Knight", "khronos/CesiumMan", "khronos/Fox", "khronos/RiggedFigure", "khronos/RiggedSimple",
              "mesh2motion/fox-animations", "mesh2motion/human-male", "mesh2motion/model-fox", "mesh2motion/model-horse",
              "mesh2motion/model-human", "threejs/RobotExpressive")  # fmt: skip


@pytest.mark.corpus
@pytest.mark.parametrize("name", CHARACTERS)
def test_real_characters_go_in_and_out_unchanged(corpus, tmp_path, name, validate_gltf):
    """Images byte for byte as the original file holds them, materials, weights, morph targets and parts."""
    source = corpus / "characters" / f"{name}.glb"
    loaded = gltf.read(source)
    (made,) = loaded.characters
    path = tmp_path / "again.glb"
    gltf.write(loaded.clips[:1], path, WriteOptions(character=made))
    (found,) = gltf.read(path).characters
    np.testing.assert_allclose(by_joint(found), by_joint(made), atol=1e-6)
    for one in fields(made):
        before, after = getattr(made, one.name), getattr(found, one.name)
        if one.name in ("weights", "weight_joints"):
            continue  # equal ones may stand in another order: compared by joint above
        if one.name in ("vertices", "normals", "inverse_binds", "tangents"):
            if before is not None:
                size = max(1.0, float(np.abs(before).max(initial=0)))
                np.testing.assert_allclose(after, before, atol=2e-6 * size, err_msg=one.name)
        elif isinstance(before, np.ndarray):
            np.testing.assert_array_equal(after, before, err_msg=one.name)
        elif one.name not in ("skeleton", "morphs", "more_uvs", "attachments"):
            assert after == before, one.name
    assert [(one.name, one.vertices.tolist()) for one in found.morphs] == [
        (one.name, one.vertices.tolist()) for one in made.morphs
    ]
    held = {bytes(view) for view in original_images(source)}
    assert {texture.image.data for material in found.materials for _, texture in material.textures()} == held
    validate_gltf([path])


def by_joint(character: Character) -> np.ndarray:
    """(V, J) the weight of each joint."""
    found = np.zeros((len(character.vertices), len(character.skeleton)), np.float32)
    np.add.at(found, (np.arange(len(found))[:, None], character.weight_joints), character.weights)
    return found


def original_images(path: Path) -> list[bytes]:
    """The images of a GLB, read without our reader."""
    data, tree = path.read_bytes(), tree_of(path)
    (size,) = struct.unpack_from("<I", data, 12)
    views = [tree["bufferViews"][image["bufferView"]] for image in tree.get("images", [])]
    return [data[28 + size + view.get("byteOffset", 0) :][: view["byteLength"]] for view in views]


def test_image_types():
    assert image_type(b"\xabKTX 20\xbb\r\n\x1a\n") == "image/ktx2"
    assert image_type(b"\0\0\0\x1cftypavif") == "image/avif"
    assert Image(b"x", "image/png").name == ""
