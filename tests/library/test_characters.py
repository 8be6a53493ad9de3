"""Meshes kept with clips."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from reenact import WriteOptions, save
from reenact.body.character import Character, rest_world, rigid_inverse
from reenact.body.dressing import fit_character
from reenact.core.clip import Clip
from reenact.core.skeleton import Skeleton
from reenact.errors import LibraryError
from reenact.library import ImportOptions, Library
from reenact.library.character_arrays import character_to_arrays
from reenact.library.characters import clips_with_character, keep_character, read_character
from reenact.library.derived import derived_key, write_derived
from reenact.library.import_folder import import_paths


def triangle(skeleton: Skeleton, joint: int = 6, **more: np.ndarray) -> Character:
    rest = rest_world(skeleton)
    return Character(
        skeleton,
        np.eye(3, dtype=np.float32),
        np.array([[0, 1, 2]], np.int32),
        np.full((3, 1), joint, np.int32),
        np.ones((3, 1), np.float32),
        rigid_inverse(rest.positions[0], rest.rotations[0]),
        color=(0.1, 0.2, 0.3, 1.0),
        name="Tri",
        **more,  # type: ignore[arg-type]
    )


def test_kept_and_read_back(library: Library, make_clip: Callable[..., Clip]) -> None:
    clip = make_clip(1)
    first, second = library.add(clip), library.add(make_clip(2))
    normals = np.tile(np.float32([0, 1, 0]), (3, 1))
    made = triangle(clip.skeleton, normals=normals)
    assert keep_character(library, first.id, made)
    found = read_character(library, first.id)
    assert found is not None
    for name in ("vertices", "faces", "weight_joints", "weights", "inverse_binds", "normals"):
        np.testing.assert_array_equal(getattr(found, name), getattr(made, name))
    assert (found.color, found.name, found.uvs) == (made.color, "Tri", None)
    assert read_character(library, second.id) is None
    assert clips_with_character(library, [first.id, second.id]) == {first.id}
    assert clips_with_character(library, []) == set()
    library.remove(first.id)
    assert clips_with_character(library, [first.id]) == set()


@pytest.mark.parametrize("jobs", [1, 2])
def test_added_with_its_file(library: Library, make_clip: Callable[..., Clip], tmp_path: Path, jobs: int) -> None:
    (tmp_path / "in").mkdir()
    clip = make_clip(1)
    made = triangle(clip.skeleton)
    save(clip, tmp_path / "in" / "dressed.glb", WriteOptions(character=made))
    save(make_clip(2), tmp_path / "in" / "bare.glb")
    import_paths(library, [tmp_path / "in"], ImportOptions(jobs=jobs))
    numbers = {entry.name: entry.id for entry in library.entries()}
    dressed = [number for name, number in numbers.items() if name in (clip.name, "dressed")]
    assert clips_with_character(library, list(numbers.values())) == set(dressed)
    found = read_character(library, dressed[0])
    assert found is not None
    np.testing.assert_allclose(found.vertices, made.vertices, atol=1e-6)
    assert not any(library.folder.glob("incoming/*"))


def test_joints_in_another_order(make_clip: Callable[..., Clip]) -> None:
    skeleton = make_clip(1).skeleton
    names = ("Hips", "RightUpLeg", "RightFoot", "LeftUpLeg", "LeftFoot", "Spine", "Head")
    order = [skeleton.names.index(name) for name in names]
    other = Skeleton(names, np.array([-1, 0, 1, 0, 3, 0, 5], np.int32), skeleton.offsets[order])
    made = triangle(other, joint=2)
    fitted = fit_character(made, skeleton)
    assert fitted is not None
    assert fitted.weight_joints.tolist() == [[4]] * 3
    np.testing.assert_array_equal(fitted.inverse_binds[4], made.inverse_binds[2])


def test_what_does_not_fit(library: Library, make_clip: Callable[..., Clip]) -> None:
    clip = make_clip(1)
    number = library.add(clip).id
    bare = replace(
        triangle(clip.skeleton),
        vertices=np.zeros((0, 3), np.float32),
        faces=np.zeros((0, 3), np.int32),
        weight_joints=np.zeros((0, 1), np.int32),
        weights=np.zeros((0, 1), np.float32),
    )
    assert not keep_character(library, number, bare)
    stranger = Skeleton(("Other",), np.array([-1], np.int32), np.zeros((1, 3)))
    assert not keep_character(library, number, triangle(stranger, joint=0))
    assert clips_with_character(library, [number]) == set()


def test_damaged(library: Library, make_clip: Callable[..., Clip]) -> None:
    added = library.add(make_clip(1))
    key = derived_key([(added.id, added.hash)], "character", {}, "1")
    write_derived(library.index, library.folder, key, {"vertices": np.zeros((1, 3))})
    with pytest.raises(LibraryError, match="damaged"):
        read_character(library, added.id)


def test_pages(library: Library, make_clip: Callable[..., Clip]) -> None:
    for seed in range(7):
        library.add(make_clip(seed, name=f"walk {seed}"), tags=("even",) if seed % 2 == 0 else ())
    names = [entry.name for entry in library.entries("walk")]
    total, page = library.page("walk", offset=2, limit=3)
    assert total == 7
    assert [entry.name for entry in page] == names[2:5]
    assert library.page("tag:even", limit=2)[0] == 4
    assert library.page("-tag:even", offset=3) == (3, [])
    assert library.page("nothing at all") == (0, [])


def full_character(skeleton: Skeleton) -> Character:
    """A triangle with something in every field."""
    from reenact.body.attachments import Attachment
    from reenact.body.materials import Image, Material, Texture
    from reenact.body.morphs import MorphTarget

    picture, other = Image(bytes(range(256)), "image/png", "skin"), Image(b"\0\0", "image/jpeg")
    material = Material(
        "skin", base_color_texture=Texture(picture), normal_texture=Texture(other, 1, ("clamp", "repeat"))
    )
    return triangle(
        skeleton,
        uvs=np.eye(3, 2),
        more_uvs=(np.ones((3, 2)), np.zeros((3, 2))),
        tangents=np.tile([1.0, 0, 0, 1], (3, 1)),
        materials=(material, Material("plain", alpha_mode="blend")),
        face_materials=np.array([1]),
        parts=("body",),
        vertex_parts=np.zeros(3, int),
        morphs=(
            MorphTarget("smile", np.array([1, 2]), np.ones((2, 3)), np.zeros((2, 3)), 0.25),
            MorphTarget("frown", np.array([0]), np.ones((1, 3))),
        ),
        attachments=(Attachment("eye", 2, np.diag([1.0, 2, 3, 1]), camera='{"type":"perspective"}', light="{}"),),
    )  # type: ignore[arg-type]


def test_everything_of_a_character_is_kept(library: Library, make_clip: Callable[..., Clip]) -> None:
    clip = make_clip(1)
    added = library.add(clip)
    made = full_character(clip.skeleton)
    assert keep_character(library, added.id, made)
    found = read_character(library, added.id)
    assert found is not None
    for one in fields(made):
        before, after = getattr(made, one.name), getattr(found, one.name)
        if one.name in ("skeleton", "morphs", "attachments"):
            continue
        if isinstance(before, np.ndarray):
            np.testing.assert_array_equal(after, before, err_msg=one.name)
            assert after.dtype == before.dtype
        elif one.name == "more_uvs":
            np.testing.assert_array_equal(np.array(after), np.array(before))
        else:
            assert after == before, one.name
    for after, before in zip((*found.morphs, *found.attachments), (*made.morphs, *made.attachments), strict=True):
        for one in fields(before):
            np.testing.assert_array_equal(getattr(after, one.name), getattr(before, one.name))


def test_damaged_materials_are_named(library: Library, make_clip: Callable[..., Clip]) -> None:
    clip = make_clip(1)
    added = library.add(clip)
    key = derived_key([(added.id, added.hash)], "character", {}, "1")
    arrays = character_to_arrays(full_character(clip.skeleton))
    for damage in (
        {"about": np.asarray("{")},
        {"about": np.asarray('{"materials": [{"gloss": 1}]}')},
        {"image_0": None},
    ):
        write_derived(library.index, library.folder, key, {n: v for n, v in (arrays | damage).items() if v is not None})
        with pytest.raises(LibraryError, match="damaged"):
            read_character(library, added.id)
