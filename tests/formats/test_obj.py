"""Wavefront OBJ: bad input, what a file says, skeletons and weights beside it, materials, writing and reading again."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import PIL.Image
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.body.character import Character, rigid_inverse
from reenact.body.materials import Image, Material, Texture
from reenact.body.mesh_normals import vertex_normals
from reenact.body.skinning import skin
from reenact.body.triangulating import triangulate
from reenact.core import rotations
from reenact.core.clip import Clip, World
from reenact.core.skeleton import Skeleton
from reenact.errors import FormatError
from reenact.formats import obj
from reenact.formats.loaded import ReadOptions, WriteOptions
from reenact.formats.registry import find_format
from reenact.loading import LoadOptions, load_all

TETRA = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
BONES = {
    "bones": {
        "low": {"head": "low____head", "tail": "low____tail", "parent": None},
        "high": {"head": "high____head", "tail": [0.0, 1.0, 0.0], "parent": "low"},
    },
    "joints": {"low____head": [0, 1, 2], "low____tail": [3], "high____head": [0, 0.5, 0.25]},
    "weights": {"low": [[0, 1.0], [1, 0.5], [2, 0.25]], "high": [[1, 0.5], [2, 0.25], [3, 1]]},
}


def read(folder: Path, text: str, tolerance: str = "normal", **more: object):
    file = folder / "mesh.obj"
    file.write_text(text)
    return obj.read(file, ReadOptions(tolerance=tolerance, **more))  # type: ignore[arg-type]


def read_one(folder: Path, text: str, **more: object) -> Character:
    (character,) = read(folder, text, unit=1.0, **more).characters
    return character


def codes(loaded) -> set[str]:
    return {finding.code for finding in loaded.findings}


def png(color: tuple[int, ...] = (200, 30, 30), mode: str = "RGB", kind: str = "PNG") -> bytes:
    stream = io.BytesIO()
    PIL.Image.new(mode, (4, 4), color).save(stream, kind)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("v 0 0\n", 1, "expected 3 numbers, found 2"),
        ("v 0 0 x\n", 1, "expected a number, found 'x'"),
        ("v 0 0 nan\n", 1, "no coordinates"),
        ("v 0 0 1e40\n", 1, "no coordinates"),
        (TETRA + "f 1 2 9\n", 9, "a face names v 9, there are 4 so far"),
        (TETRA + "f 1 2 0\n", 9, "a face names v 0"),
        (TETRA + "f 1 2 -5\n", 9, "a face names v -5"),
        (TETRA + "f 1 2 /\n", 9, "names no vertex"),
        (TETRA + "f 1 2 3.5\n", 9, "no corner of a face"),
        (TETRA + "f 1 2 1/2/3/4\n", 9, "no corner of a face"),
    ],
)
def test_damage_is_refused_with_its_line_and_left_out_when_recovering(tmp_path, text, line, said):
    with pytest.raises(FormatError, match=said) as caught:
        read(tmp_path, text)
    assert caught.value.line == line
    if text.startswith(TETRA):
        loaded = read(tmp_path, text, "recover")
        assert len(loaded.characters[0].faces) == 4
        assert any(one.severity == "error" and one.where == f"mesh.obj:{line}" for one in loaded.findings)


@pytest.mark.parametrize("text", ["", "# nothing\n", "v 0 0 0\n", "o thing\nv 0 0 0\nv 1 0 0\nl 1 2\n"])
def test_a_file_without_faces_is_refused(tmp_path, text):
    with pytest.raises(FormatError, match="no faces"):
        read(tmp_path, text)


def test_binary_data_is_refused(tmp_path):
    (tmp_path / "mesh.obj").write_bytes(b"v 0 0 0\n\0\0\0\0")
    with pytest.raises(FormatError, match="binary"):
        obj.read(tmp_path / "mesh.obj")


def test_quirks_are_findings_and_refused_when_strict(tmp_path):
    text = TETRA + "blah 1\nf 1 1 2\n"
    found = codes(read(tmp_path, text))
    assert {"obj.word", "obj.face"} <= found
    with pytest.raises(FormatError, match="no word of the format"):
        read(tmp_path, text, "strict")


@pytest.mark.parametrize("face", ["f 1/1 2/1 3/1", "f 1//7 2//7 3//7"])
def test_corners_go_without_texture_places_and_normals_that_are_not_there(tmp_path, face):
    loaded = read(tmp_path, TETRA + face + "\n")
    assert len(loaded.characters[0].faces) == 5
    assert {"obj.corner-vt", "obj.corner-vn"} & codes(loaded)
    with pytest.raises(FormatError, match="there are 0 so far"):
        read(tmp_path, TETRA + face + "\n", "strict")


def test_the_format_is_found_by_its_contents(tmp_path):
    file = tmp_path / "mesh.dat"
    file.write_text("# c\n" + TETRA)
    assert find_format(file).name == "obj"


def test_negative_numbers_continued_lines_and_endings(tmp_path):
    text = "\ufeff" + TETRA.replace("f 1 3 2", "f -4 -2 \\\n-3 # a comment").replace("\n", "\r\n")
    found = read_one(tmp_path, text)
    plain = read_one(tmp_path, TETRA)
    np.testing.assert_array_equal(found.faces, plain.faces)
    np.testing.assert_array_equal(found.vertices, plain.vertices)


def test_corners_with_other_coordinates_are_other_vertices_and_normals_stay_smooth(tmp_path):
    text = TETRA.split("f ")[0] + "vt 0 0\nvt 0.25 1\nf 1/1 3/1 2/1\nf 1/1 2/1 4/1\nf 1/1 4/1 3/1\nf 2/2 3/2 4/2\n"
    found, plain = read_one(tmp_path, text), read_one(tmp_path, TETRA)
    assert (len(plain.vertices), len(found.vertices)) == (4, 7)
    assert found.uvs is not None
    assert found.normals is not None
    assert plain.normals is not None
    np.testing.assert_allclose(np.unique(found.uvs, axis=0), [[0, 1], [0.25, 0]])  # the upper left is (0, 0)
    for vertex, normal in zip(found.vertices, found.normals, strict=True):
        same = int(np.linalg.norm(plain.vertices - vertex, axis=1).argmin())
        np.testing.assert_allclose(normal, plain.normals[same], atol=1e-6)


def test_normals_of_the_file_are_kept(tmp_path):
    text = TETRA.split("f ")[0] + "vn 0 0 2\nf 1//1 3//1 2//1\nf 1 2 4\n"
    found = read_one(tmp_path, text)
    assert found.normals is not None
    assert (found.normals == (0, 0, 1)).all(axis=1).sum() == 3
    np.testing.assert_allclose(np.linalg.norm(found.normals, axis=1), 1, atol=1e-6)


def test_colours_of_vertices(tmp_path):
    text = TETRA.replace("v 1 0 0", "v 1 0 0 0 1 0")
    assert read_one(tmp_path, text).vertex_colors is None  # some have none
    every = "".join(
        f"{line} {n / 4} 0 1\n" if line[0] == "v" else f"{line}\n" for n, line in enumerate(TETRA.split("\n")[:-1])
    )
    found = read_one(tmp_path, every)
    assert found.vertex_colors is not None
    np.testing.assert_allclose(found.vertex_colors[1], [0.25, 0, 1, 1])


@pytest.mark.parametrize(("size", "unit"), [(1.7, 1.0), (17, 0.1), (170, 0.01), (1700, 0.001), (40_000, 1.0)])
def test_the_unit_is_told_by_the_size_and_can_be_given(tmp_path, size, unit):
    text = TETRA.replace("v 0 1 0", f"v 0 {size} 0")
    loaded = read(tmp_path, text)
    assert np.ptp(loaded.characters[0].vertices[:, 1]) == pytest.approx(size * unit, rel=1e-5)
    (told,) = (one for one in loaded.findings if one.code == "obj.units")
    assert told.severity == ("warning" if size > 3000 else "info")
    options = LoadOptions(unit="inch", up="z")
    inches = load_all(tmp_path / "mesh.obj", options).characters[0]
    assert np.ptp(inches.vertices[:, 2]) == pytest.approx(
        size * 0.0254, rel=1e-5
    )  # y of a file with z up points backwards


def area(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    a, b, c = (points[triangles[:, n]] for n in range(3))
    return 0.5 * np.cross(b - a, c - a)


@given(st.integers(3, 14), st.integers(0, 10_000))
def test_polygons_are_covered_once_by_their_triangles(corners, seed):
    """Star-shaped polygons, convex or not, in any plane: the areas of the triangles have one direction and the polygon's sum."""
    rng = np.random.default_rng(seed)
    turn = np.sort(rng.permutation(60)[:corners]) * 2 * np.pi / 60
    if np.diff([*turn, turn[0] + 2 * np.pi]).max() >= np.pi * 0.95:
        return
    flat = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1) * rng.uniform(0.3, 1.0, (corners, 1))
    points = rotations.rotate(rotations.normalize(rng.normal(size=4)), flat) + rng.normal(size=3)
    triangles, polygons = triangulate(points, np.arange(corners), np.array([0, corners]))
    assert triangles.shape == (corners - 2, 3)
    assert not polygons.any()
    parts = area(points, triangles)
    whole = 0.5 * np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0)
    np.testing.assert_allclose(parts.sum(axis=0), whole, atol=1e-9)
    assert np.linalg.norm(parts, axis=1).sum() == pytest.approx(np.linalg.norm(whole), rel=1e-6)


def test_a_quad_with_a_dent_is_cut_through_the_dent():
    points = np.array([[0, 0, 0], [2, 0, 0], [0.4, 0.4, 0], [0, 2, 0.0]])
    for start in range(4):
        corners = np.roll(np.arange(4), start)
        triangles, _ = triangulate(points, corners, np.array([0, 4]))
        assert (area(points, corners[triangles])[:, 2] > 0).all()


def test_several_materials_groups_and_textures(tmp_path):
    (tmp_path / "tex").mkdir()
    (tmp_path / "tex" / "skin tone.png").write_bytes(png())
    (tmp_path / "holes.tga").write_bytes(png((90,), "L", "TGA"))
    (tmp_path / "look.mtl").write_text(
        "newmtl red\nKd 1 0 0\nd 0.5\nPr 0.25\nPm 0.75\nKe 2 1 0\n"
        "newmtl skin\nKd 1 1 1\nmap_Kd -s 2 4 1 -o 0.5 0 0 -clamp on C:\\art\\tex\\skin tone.png\n"
        "map_Bump -bm 0.5 tex/skin tone.png\nmap_d holes.tga\nmap_Pr tex/skin tone.png\nmap_refl sphere.png\n"
    )
    text = "mtllib look.mtl\no front\nusemtl red\n" + TETRA + "o back\nusemtl skin\nf 4 3 2\nusemtl lost\nf 4 2 1\n"
    # the texture is named as on another machine, and lies in the folder itself there
    (tmp_path / "skin tone.png").write_bytes(png())
    loaded = read(tmp_path, text, unit=1.0)
    (found,) = loaded.characters
    red, skinned, lost = found.materials
    assert found.face_materials is not None
    assert np.bincount(found.face_materials).tolist() == [4, 1, 1]
    assert found.parts == ("front", "back")
    assert (red.base_color, red.roughness, red.metallic, red.alpha_mode) == ((1, 0, 0, 0.5), 0.25, 0.75, "blend")
    assert (red.emissive, red.emissive_strength) == ((1.0, 0.5, 0.0), 2.0)
    texture = skinned.base_color_texture
    assert texture is not None
    assert (texture.wrap, texture.scale, texture.offset) == (("clamp", "clamp"), (2, 4), (0.5, -3.0))
    with PIL.Image.open(io.BytesIO(texture.image.data)) as opened:
        assert opened.getpixel((0, 0)) == (200, 30, 30, 90)  # colour and holes of two files
    assert skinned.normal_texture is not None
    assert skinned.normal_scale == 0.5
    assert (skinned.roughness, skinned.metallic) == (1.0, 0.0)
    surface = skinned.metallic_roughness_texture
    assert surface is not None
    with PIL.Image.open(io.BytesIO(surface.image.data)) as opened:
        assert opened.getpixel((0, 0)) == (255, 81, 255)  # roughness in green, from one grey picture
    assert lost == Material("lost")
    assert "obj.missing-materials" in codes(loaded)


def test_missing_and_damaged_textures_and_libraries_are_findings(tmp_path):
    text = "mtllib look.mtl\nmtllib none.mtl\nusemtl red\n" + TETRA
    assert "obj.missing-materials" in codes(read(tmp_path, text))
    (tmp_path / "look.mtl").write_text("newmtl red\nKd 1 0 0\nmap_Kd none.png\nmap_Ke cut.png\nmap_Ka ../out.png\n")
    (tmp_path / "cut.png").write_bytes(png()[:40])
    (tmp_path.parent / "out.png").write_bytes(png())
    loaded = read(tmp_path, text)
    assert {"obj.missing-image", "obj.damaged-image", "obj.missing-materials"} <= codes(loaded)
    (red,) = loaded.characters[0].materials
    assert red.base_color == (1, 0, 0, 1)
    assert not list(red.textures())  # and no file outside the folder was read
    (tmp_path / "look.mtl").write_text("newmtl red\nKd one\n")
    with pytest.raises(FormatError, match=r"look.mtl:2: Kd needs numbers|kd needs numbers"):
        read(tmp_path, text)


def test_a_mesh_without_a_skeleton_hangs_on_one_joint(tmp_path):
    loaded = read(tmp_path, TETRA)
    assert "obj.no-skeleton" in codes(loaded)
    assert loaded.characters[0].skeleton.names == ("root",)


def test_a_skeleton_and_weights_beside_it(tmp_path):
    (tmp_path / "mesh.mhskel").write_text(json.dumps(BONES))
    loaded = read(tmp_path, TETRA, unit=2.0)
    (found,) = loaded.characters
    assert found.skeleton.names == ("low", "high")
    np.testing.assert_allclose(found.bind_world().positions[0], [[2 / 3, 2 / 3, 0], [0, 1.0, 0.5]])
    np.testing.assert_allclose(found.skeleton.end_offsets, [[0, 1.0, -0.5]])
    dense = np.zeros((4, 2))
    np.add.at(dense, (np.arange(4)[:, None], found.weight_joints), found.weights)
    np.testing.assert_allclose(dense, [[1, 0], [0.5, 0.5], [0.5, 0.5], [0, 1]])
    (told,) = (one for one in loaded.findings if one.code == "obj.weights-sum")
    assert "1 vertices" in told.message
    assert "0.5" in told.message
    moved = World(found.bind_world().positions + (0, 1.0, 0), found.bind_world().rotations)
    np.testing.assert_allclose(skin(found, moved).vertices[0], found.vertices + (0, 1, 0), atol=1e-6)


def changed(**change: object) -> dict:
    return {**json.loads(json.dumps(BONES)), **change}


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        ("{", "no JSON"),
        ("[]", "a JSON object"),
        ("[" * 100_000, "no JSON"),
        ({}, "expected bones"),
        (changed(bones={"low": 3}), "an object for the bone"),
        (changed(bones={"low": {"head": [0, 0, 0], "tail": [0, 0, 0], "parent": "none"}}), "hangs on 'none'"),
        (changed(bones={"low": {"head": [0, 0, 0], "tail": [0, 0, 0], "parent": "low"}}), "hangs on itself"),
        (changed(joints={}), "expected vertices or a place for the head"),
        (changed(joints={**BONES["joints"], "low____head": [99]}), "the mesh has 4: it is of another mesh"),
        (changed(weights={"low": [[9, 1.0]]}), "vertex 9, the mesh has 4"),
        (changed(weights={"low": [[0.5, 1.0]]}), "vertex 0.5"),
        (changed(weights={"low": [[0, -1.0]]}), "negative weight"),
        (changed(weights={"low": [[0]]}), "pairs of a vertex and a weight"),
        (changed(weights={"low": "all"}), "pairs of a vertex and a weight"),
        (changed(weights=None), "weights of its bones are not there"),
        (changed(bones={"low": {**BONES["bones"]["low"], "rotation": [0, 0, 0, 0]}}), "four numbers"),
    ],
)
def test_bad_skeletons_are_refused(tmp_path, tree, said):
    (tmp_path / "mesh.mhskel").write_text(tree if isinstance(tree, str) else json.dumps(tree))
    with pytest.raises(FormatError, match=said) as caught:
        read(tmp_path, TETRA)
    assert "mesh.mhskel" in str(caught.value)


def test_a_skeleton_of_another_mesh_in_the_folder_is_not_used(tmp_path):
    (tmp_path / "other.mhskel").write_text(json.dumps(changed(weights={"low": [[9, 1.0]]})))
    loaded = read(tmp_path, TETRA)
    assert len(loaded.characters[0].skeleton) == 1
    assert any("not used" in finding.message for finding in loaded.findings)


def test_vertices_without_weights_follow_the_root_and_trees_get_one(tmp_path):
    two = changed(weights={"high": [[0, 1]]})
    two["bones"]["high"]["parent"] = None
    (tmp_path / "mesh.mhskel").write_text(json.dumps(two))
    found = read_one(tmp_path, TETRA)
    assert found.skeleton.names == ("root", "low", "high")
    assert found.skeleton.parents.tolist() == [-1, 0, 0]
    np.testing.assert_allclose(found.weights.sum(axis=1), 1)


def make_person(seed: int) -> Character:
    rng = np.random.default_rng(seed)
    joints, count = int(rng.integers(2, 6)), 30
    parents = np.array([-1, *(rng.integers(0, j) for j in range(1, joints))])
    rest = rotations.normalize(rng.normal(size=(joints, 4)))
    skeleton = Skeleton(
        tuple(f"j{j}" for j in range(joints)),
        parents,
        rng.normal(size=(joints, 3)),
        rest,
        np.array([joints - 1]),
        np.ones((1, 3)),
    )
    weights = rng.dirichlet(np.ones(2), count)
    faces = rng.permuted(np.tile(np.arange(count), (20, 1)), axis=1)[:, :3]
    points = rng.normal(size=(count, 3))
    image = Image(png(tuple(int(n) for n in rng.integers(0, 255, 3))), "image/png", "skin")
    looks = (
        Material("first one", (0.25, 0.5, 1, 1), Texture(image, scale=(2.0, 3.0), offset=(0.25, 0.5)), roughness=0.5),
        Material(
            "second", (0.25, 0.5, 1, 0.5), alpha_mode="blend", metallic=0.75, metallic_roughness_texture=Texture(image)
        ),
    )
    bound = Character(
        skeleton, points, faces, np.zeros((count, 1)), np.ones((count, 1)), np.tile(np.eye(4), (joints, 1, 1))
    )
    rest_world = bound.rest_world()
    return Character(
        skeleton,
        points,
        faces,
        rng.integers(0, joints, (count, 1)) * [[1, 0]] + [[0, joints - 1]],
        weights,
        rigid_inverse(rest_world.positions[0], rest_world.rotations[0]),
        normals=vertex_normals(points, faces),
        uvs=rng.uniform(0, 1, (count, 2)),
        name="person",
        materials=looks,
        face_materials=rng.integers(0, 2, 20),
    )


@given(seed=st.integers(0, 1000), unit=st.sampled_from([1.0, 0.1, 0.01]), up=st.sampled_from(["y", "z"]))
def test_what_is_written_reads_the_same(tmp_path_factory, seed, unit, up):
    person, folder = make_person(seed), tmp_path_factory.mktemp("obj")
    file = folder / "person.obj"
    obj.write([], file, WriteOptions(unit=unit, up=up, character=person))
    loaded = obj.read(file)
    assert not [one for one in loaded.findings if one.severity != "info"]
    (again,) = loaded.characters
    assert again.skeleton.names == person.skeleton.names
    assert again.skeleton.parents.tolist() == person.skeleton.parents.tolist()
    assert [one.name for one in again.materials] == ["first_one", "second"]
    for one, other in zip(again.materials, person.materials, strict=True):
        np.testing.assert_allclose(one.base_color, other.base_color, atol=1e-6)
        assert (one.alpha_mode, one.roughness, one.metallic) == (other.alpha_mode, other.roughness, other.metallic)
        assert [(n, t.image.data, t.scale, t.offset) for n, t in one.textures()] == [
            (n, t.image.data, t.scale, t.offset) for n, t in other.textures()
        ]
    rng = np.random.default_rng(seed + 1)
    turn = rotations.normalize(rng.normal(size=(2, len(person.skeleton), 4)))
    turn[:, 0] = person.skeleton.rest[0]  # the writer lays the axes of the root as the mesh lies
    clip = Clip(person.skeleton, turn, np.tile(person.skeleton.offsets[:1], (2, 1)), 30.0)
    before = skin(person, clip).vertices[:, person.faces].reshape(2, -1, 3)
    after = skin(again, clip.with_skeleton(again.skeleton)).vertices[:, again.faces].reshape(2, -1, 3)
    corner = lambda found: np.array(sorted(map(tuple, found.round(3).tolist())))  # noqa: E731
    np.testing.assert_allclose(corner(after[0]), corner(before[0]), atol=2e-3)


def test_a_pose_is_written_as_the_mesh_lies_in_it_and_motion_is_refused(tmp_path):
    person = make_person(1)
    turn = rotations.normalize(np.random.default_rng(1).normal(size=(2, len(person.skeleton), 4)))
    clip = Clip(person.skeleton, turn, np.zeros((2, 3)), 30.0)
    options = WriteOptions(character=person, unit=1.0)
    with pytest.raises(FormatError, match="one pose"):
        obj.write([clip], tmp_path / "person.obj", options)
    with pytest.raises(FormatError, match="no character"):
        obj.write([clip], tmp_path / "person.obj", replace(options, character=None))
    one = replace(clip, rotations=clip.rotations[:1], root=clip.root[:1])
    obj.write([one], tmp_path / "person.obj", options)
    (again,) = obj.read(tmp_path / "person.obj", ReadOptions(unit=1.0)).characters
    found = np.array(sorted(map(tuple, again.vertices[again.faces].reshape(-1, 3).round(3).tolist())))
    posed = skin(person, clip, 0).vertices[0][person.faces].reshape(-1, 3)
    np.testing.assert_allclose(found, np.array(sorted(map(tuple, posed.round(3).tolist()))), atol=2e-3)
    rest = again.rest_world()
    np.testing.assert_allclose(rest.positions[0], one.world(np.float64).positions[0], atol=1e-5)


def test_makehuman(corpus):
    """The base mesh: shown without its helpers, a person's height, in decimetres, with its skeleton's weights."""
    loaded = load_all(corpus / "characters" / "makehuman" / "base.obj")
    (body,) = loaded.characters
    assert 1.5 < np.ptp(body.vertices[:, 1]) < 1.9
    assert len(body.faces) == 2 * 13378
    assert len(body.skeleton) == 163
    rest = body.rest_world().positions[0]
    left, right = (rest[body.skeleton.joint(f"wrist.{side}")] for side in "LR")
    np.testing.assert_allclose(left * (-1, 1, 1), right, atol=1e-3)
    assert left[0] > 0.4
    ankle = rest[body.skeleton.joint("foot.L")]
    near = np.linalg.norm(body.vertices - ankle, axis=1).argsort()[:40]
    named = [body.skeleton.names[joint] for joint in body.weight_joints[near, 0]]
    assert all(name.endswith(".L") for name in named)
    assert {"obj.helpers", "obj.skeleton", "obj.units"} <= codes(loaded)
