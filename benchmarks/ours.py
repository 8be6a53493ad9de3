"""Our side of the benchmarks, run by run.py: the public API, nothing prepared that a user would not have."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from registration import registration, warping
from skinning import make_skin
from timing import serve

import reenact
from reenact.formats.loaded import ReadOptions
from reenact.formats.registry import find_format

Task = Callable[[], object]


def decode(path: str) -> Task:
    """File to quaternions: the format's reader alone."""
    file = Path(path)
    return lambda: find_format(file).read(file, ReadOptions())


def load(path: str) -> Task:
    """File to a clip in metres, with roles, units, axes, T-pose and frame rate looked into."""
    return lambda: reenact.load(path)


def write(path: str, ending: str) -> Task:
    """A loaded clip to a file."""
    clip = reenact.load(path)
    out = Path(tempfile.mkdtemp(prefix="reenact-bench-")) / f"out{ending}"
    return lambda: reenact.save(clip, out)


def fk(path: str) -> Task:
    """Local rotations to world positions and rotations."""
    clip = reenact.load(path)
    return lambda: clip.world()


def plants(folder: str) -> Task:
    """Foot plants of every recording of a folder, from local rotations; skeletons are fresh, so nothing is known of them."""
    from reenact.analysis.plants import detect_plants

    clips = _loaded(folder)
    return lambda: [detect_plants(_fresh(clip)) for clip in clips]


def gaits(folder: str) -> Task:
    """Foot plants and classification of every recording of a folder."""
    from reenact.analysis.classify import detect_and_classify

    clips = _loaded(folder)
    return lambda: [detect_and_classify(_fresh(clip)) for clip in clips]


def copies(folder: str) -> Task:
    """The fresh skeletons alone, to be taken off the two tasks above."""
    clips = _loaded(folder)
    return lambda: [_fresh(clip) for clip in clips]


def _loaded(folder: str) -> list:
    return [reenact.load(path) for path in sorted(Path(folder).glob("*.bvh"))]


def _fresh(clip: reenact.Clip) -> reenact.Clip:
    return clip.with_skeleton(dataclasses.replace(clip.skeleton))


def skin(method: str, normals: bool) -> Task:
    """A mesh in some poses, from the joints in the world."""
    from reenact.body.character import Character
    from reenact.body.skinning import skin as skinned
    from reenact.core.clip import World
    from reenact.core.skeleton import Skeleton

    made = make_skin()
    count = made["positions"].shape[1]
    character = Character(
        Skeleton(tuple(map(str, range(count))), np.arange(-1, count - 1), np.zeros((count, 3))),
        made["vertices"],
        np.zeros((0, 3)),
        made["joints"],
        made["weights"],
        np.tile(np.eye(4), (count, 1, 1)),
        made["normals"],
    )
    world = World(made["positions"], made["rotations"])
    return lambda: skinned(character, world, None, method, normals=normals)


def skin_numpy() -> Task:
    """The same by plain NumPy, one frame at a time: what a user would write."""
    from reenact.core.rotations import to_matrix

    made = make_skin()
    points = np.concatenate([made["vertices"], np.ones((len(made["vertices"]), 1), np.float32)], axis=1)

    def task() -> object:
        moves = np.concatenate([to_matrix(made["rotations"]), made["positions"][..., None]], axis=3).astype(np.float32)
        found = np.empty((len(moves), len(points), 3), np.float32)
        for frame, move in enumerate(moves):
            blended = np.einsum("vk,vkab->vab", made["weights"], move[made["joints"]])
            found[frame] = np.einsum("vab,vb->va", blended, points)
        return found

    return task


def copy(size: int) -> Task:
    """Plain copying of that many bytes, the physical limit; touched memory on both sides."""
    source, target = np.ones(size, np.uint8), np.zeros(size, np.uint8)
    return lambda: np.copyto(target, source)


if __name__ == "__main__":
    tasks = {"decode": decode, "load": load, "write": write, "fk": fk, "copy": copy, "plants": plants, "gaits": gaits}
    tasks |= {"copies": copies, "skin": skin, "skin_numpy": skin_numpy}
    serve({**tasks, "warping": warping, "registration": registration})
