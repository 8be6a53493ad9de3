"""Small clips and libraries for the library's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from reenact import save
from reenact.core.clip import Clip, JointTranslations
from reenact.core.findings import Finding
from reenact.core.origin import AddedPose, Origin
from reenact.core.rotations import normalize
from reenact.core.skeleton import Skeleton
from reenact.library import Library

NAMES = ("Hips", "LeftUpLeg", "LeftFoot", "RightUpLeg", "RightFoot", "Spine", "Head")
PARENTS = (-1, 0, 1, 0, 3, 0, 5)
OFFSETS = (
    (0, 0.9, 0),
    (0.1, 0, 0),
    (0, -0.8, 0.02),
    (-0.1, 0, 0),
    (0, -0.8, 0.02),
    (0, 0.3, 0),
    (0, 0.3, 0),
)


@pytest.fixture(scope="session")
def make_clip() -> Callable[..., Clip]:
    """Makes random clips of a seven-joint figure; equal arguments give equal motion."""

    def make(
        seed: int = 0,
        frames: int = 20,
        fps: float = 60.0,
        name: str = "",
        names: tuple[str, ...] = NAMES,
        size: float = 1.0,
        moving: bool = False,
        origin: bool = False,
    ) -> Clip:
        chance = np.random.default_rng(seed)
        offsets = np.array(OFFSETS) * size
        ends = np.array([2, 4, 6], np.int32)
        skeleton = Skeleton(
            names, np.array(PARENTS, np.int32), offsets, None, ends, np.full((3, 3), 0.05), {"hips": 0, "head": 6}
        )  # type: ignore[arg-type]
        turn = np.concatenate([np.ones((frames, 7, 1)), 0.2 * chance.standard_normal((frames, 7, 3))], axis=-1)
        root = offsets[0] + 0.1 * chance.standard_normal((frames, 3))
        moved = JointTranslations(np.array([1, 5]), chance.standard_normal((frames, 2, 3))) if moving else None  # type: ignore[arg-type]
        about = Origin()
        if origin:
            pose = AddedPose(np.tile(np.float32([1, 0, 0, 0]), (7, 1)), np.float32([0.1, 0.9, 1 / 3]))
            found = (
                Finding("units.detected", "info", "x.bvh", "inches", True, 0.7),
                Finding("a.b", "warning", "", "c"),
            )
            about = Origin(
                "bvh",
                "/x/y.bvh",
                0.0254,
                "z",
                ".0166667",
                ("XpYpZpZrXrYr", *["ZrXrYr"] * 6),
                True,
                pose,
                ("e",),
                ("text", "root"),
                found,
            )
        return Clip(skeleton, normalize(turn), root, fps, name or f"clip{seed}", moved, about)  # type: ignore[arg-type]

    return make


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    """A new, empty library."""
    with Library.create(tmp_path / "lib") as made:
        yield made


@pytest.fixture
def motion_folder(tmp_path: Path, make_clip: Callable[..., Clip]) -> Path:
    """A folder with twelve BVH files in two folders below."""
    folder = tmp_path / "motion"
    for seed in range(12):
        below = folder / ("walks" if seed < 6 else "runs")
        below.mkdir(parents=True, exist_ok=True)
        save(make_clip(seed, frames=30), below / f"take_{seed:02d}.bvh")
    return folder
