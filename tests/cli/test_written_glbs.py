"""Khronos' validator finds nothing in the GLBs that verbs write, of every kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from reenact.body.character import Character
from reenact.body.humanoid import humanoid
from reenact.cli.main import main
from reenact.core.skeleton import Skeleton
from reenact.formats.loaded import WriteOptions
from reenact.loading import save_all
from reenact.samples import make_sample


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A walk, a faster one, a person, its mesh alone, and a library of both walks."""
    folder = tmp_path_factory.mktemp("sources")
    found = {name: folder / name for name in ("walk.bvh", "fast.bvh", "mesh.obj", "library")}
    save_all([make_sample("walk_normal").clip], found["walk.bvh"])
    save_all([make_sample("walk_fast").clip], found["fast.bvh"])
    body = humanoid()
    single, count = Skeleton(("root",), np.array([-1]), np.zeros((1, 3))), len(body.vertices)
    ones = np.zeros((count, 1)), np.ones((count, 1))
    mesh = Character(single, body.vertices, body.faces, *ones, np.eye(4)[None], vertex_colors=body.vertex_colors)
    save_all([], found["mesh.obj"], WriteOptions(character=mesh))
    assert main(["library", "init", str(found["library"]), "--json"]) == 0
    assert (
        main(["library", "add", str(found["library"]), *map(str, (found["walk.bvh"], found["fast.bvh"])), "--json"])
        == 0
    )
    return {name.partition(".")[0]: path for name, path in found.items()}


CHARACTERS = (
    "humanoid --preset child -o {out}/person.glb",
    "convert {mesh} {out}/mesh.glb",
    "rig {mesh} -o {out}/rigged.glb",
    "rig {mesh} {walk} --method voxel -o {out}/given.glb",
    "scale {out}/person.glb --height 1.9 --thigh 1.1 -o {out}/tall.glb",
    "convert {out}/tall.glb {out}/tall.obj",
    "convert {out}/tall.obj {out}/again.glb",
    "retarget {walk} {out}/rigged.glb -o {out}/retargeted.glb",
    "map {walk} {out}/person.glb -o {out}/mapped.glb",
    "scale {out}/retargeted.glb --factor 0.5 -o {out}/small.glb",
    "convert {out}/retargeted.glb {out}/text.gltf",
)
MOTIONS = (
    "convert {walk} {out}/walk.glb",
    "transition {walk} {fast} -o {out}/transition.glb",
    "blend {walk} {fast} -o {out}/blend.glb",
    "loop {walk} -o {out}/loop.glb --events",
    "split {walk} -p 'a 0 40' -o {out} --format glb",
    "sequence {library} walk fast -o {out}/sequence.glb",
    "library export {library} {out}/exported --format glb",
)


@pytest.mark.parametrize("lines", [CHARACTERS, MOTIONS], ids=["characters", "motions"])
def test_the_validator_finds_nothing(
    lines: tuple[str, ...], places: dict[str, Path], tmp_path: Path, validate_gltf: Callable[..., list[dict]]
) -> None:
    for line in lines:
        words = [word.format(**places, out=tmp_path) for word in line.replace("'a 0 40'", "a_0_40").split()]
        words = [word.replace("a_0_40", "a 0 40") for word in words]
        assert main([*words, "--json"]) == 0, line
    written = sorted([*tmp_path.rglob("*.glb"), *tmp_path.rglob("*.gltf")])
    assert len(written) >= len(lines) - 1
    validate_gltf(written)
