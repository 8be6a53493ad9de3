"""Meshes kept with clips."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
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
