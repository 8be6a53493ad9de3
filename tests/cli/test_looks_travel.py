"""A character that comes in with textures never goes out grey: through operations, the library and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from reenact import WriteOptions, load_all, save
from reenact.body.character import Character
from reenact.cli.main import main
from reenact.core.cutting import cut_frames
from reenact.samples import make_sample

WALK = cut_frames(make_sample("walk_normal").clip, 0, 160)


@pytest.fixture(scope="module")
def heroes(tmp_path_factory: pytest.TempPathFactory, looks: ModuleType) -> tuple[Path, Character]:
    """A walking character with every kind of map."""
    path = tmp_path_factory.mktemp("heroes") / "hero.glb"
    made = looks.dressed(WALK.skeleton)
    save(WALK, path, WriteOptions(character=made))
    return path, made


def assert_dressed(path: Path, made: Character) -> None:
    (found,) = load_all(path).characters
    assert found.materials == made.materials
    assert [image.data for one in found.materials for _, t in one.textures() for image in [t.image]] == [
        t.image.data for one in made.materials for _, t in one.textures()
    ]
    for name in ("faces", "face_materials", "vertex_parts", "weight_joints", "uvs"):
        np.testing.assert_array_equal(getattr(found, name), getattr(made, name), err_msg=name)
    assert (found.name, found.parts) == (made.name, made.parts)
    assert [one.name for one in (*found.morphs, *found.attachments)] == ["swell", "point", "eye", "torch"]


def test_ten_operations_in_a_row(
    heroes: tuple[Path, Character], tmp_path: Path, looks: ModuleType, validate_gltf: Callable[..., object]
) -> None:
    path, made = heroes
    files = looks.after_ten_operations(path, tmp_path)
    assert len(files) == 10
    for file in files:
        assert_dressed(file, made)
    validate_gltf(files)


@pytest.mark.parametrize("verb", ["join", "transition", "loop", "blend"])
def test_of_two_files(
    heroes: tuple[Path, Character], tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    path, made = heroes
    out = tmp_path / f"{verb}.glb"
    files = [str(path)] if verb == "loop" else [str(path), str(path)]
    assert main([verb, *files, "-o", str(out), "--json"]) == 0, capsys.readouterr()
    assert_dressed(out, made)


def test_through_the_library(
    heroes: tuple[Path, Character], tmp_path: Path, looks: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    path, made = heroes
    out = looks.through_library(path, tmp_path)
    assert_dressed(out, made)
    folder = tmp_path / "library"
    mirrored = tmp_path / "mirrored"
    mirrored.mkdir()
    command = ["mirror", str(folder), "-o", str(mirrored), "--out-format", "glb", "--json"]
    assert main(command) == 0, capsys.readouterr()
    assert_dressed(next(mirrored.rglob("*.glb")), made)
