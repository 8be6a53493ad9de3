"""Real glTF files: every joint and every vertex against a plain evaluation of the specification, and what is written from them."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from reenact.core.clip import World
from reenact.formats import bvh, gltf
from reenact.formats.loaded import ReadOptions, WriteOptions

pytestmark = pytest.mark.corpus

FILES = {
    "kaykit/Knight.glb": (76, 1),
    "khronos/CesiumMan.glb": (1, 1),
    "khronos/Fox.glb": (3, 1),
    "khronos/RiggedFigure.glb": (1, 1),
    "khronos/RiggedSimple.glb": (1, 1),
    "khronos/SimpleSkin/SimpleSkin.gltf": (1, 1),
    "mesh2motion/fox-animations.glb": (14, 1),
    "mesh2motion/human-male.glb": (0, 1),
    "mesh2motion/model-fox.glb": (0, 1),
    "mesh2motion/model-horse.glb": (0, 1),
    "mesh2motion/model-human.glb": (0, 1),
    "mesh2motion/rig-human.glb": (0, 1),
    "threejs/RobotExpressive.glb": (14, 1),
}


class Oracle:
    """A glTF file evaluated as the specification says, with scale, by 4x4 matrices and SciPy's rotations."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        if data[:4] == b"glTF":
            (size,) = struct.unpack_from("<I", data, 12)
            self.tree: dict[str, Any] = json.loads(data[20 : 20 + size])
            self.buffers = [data[28 + size :]]
        else:
            self.tree = json.loads(data)
            self.buffers = [(path.parent / buffer["uri"]).read_bytes() for buffer in self.tree["buffers"]]
        self.parents = {
            child: node for node, entry in enumerate(self.tree["nodes"]) for child in entry.get("children", [])
        }

    def array(self, index: int) -> np.ndarray:
        accessor = self.tree["accessors"][index]
        view = self.tree["bufferViews"][accessor["bufferView"]]
        dtype = {5121: "<u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}[accessor["componentType"]]
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[accessor["type"]]
        element = width * np.dtype(dtype).itemsize
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride", element)
        buffer = self.buffers[view["buffer"]]
        rows = [np.frombuffer(buffer, dtype, width, start + k * stride) for k in range(accessor["count"])]
        return np.array(rows, dtype=np.float64)

    def locals(self, animation: dict[str, Any] | None, time: float) -> list[np.ndarray]:
        """Local matrices of all nodes."""
        animated: dict[tuple[int, str], np.ndarray] = {}
        for channel in animation["channels"] if animation else ():
            sampler = animation["samplers"][channel["sampler"]]  # type: ignore[index]
            path, node = channel["target"]["path"], channel["target"]["node"]
            if path == "weights":
                continue
            times, values = self.array(sampler["input"])[:, 0], self.array(sampler["output"])
            at = float(np.clip(time, times[0], times[-1]))
            k = int(np.clip(np.searchsorted(times, at + 1e-5, "right") - 1, 0, len(times) - 1))
            if len(times) == 1 or k == len(times) - 1 or sampler.get("interpolation") == "STEP":
                animated[node, path] = values[k]
            elif path == "rotation":
                animated[node, path] = Slerp(times[k : k + 2], Rotation.from_quat(values[k : k + 2]))(
                    max(at, times[k])
                ).as_quat()
            else:
                share = (at - times[k]) / (times[k + 1] - times[k])
                animated[node, path] = values[k] * (1 - share) + values[k + 1] * share
        found = []
        for node, entry in enumerate(self.tree["nodes"]):
            if "matrix" in entry:
                matrix = np.reshape(entry["matrix"], (4, 4)).T.astype(float)
                assert not any(key[0] == node for key in animated)
            else:
                parts = {
                    key: animated.get((node, key), np.array(entry.get(key, default), dtype=float))
                    for key, default in (("translation", (0, 0, 0)), ("rotation", (0, 0, 0, 1)), ("scale", (1, 1, 1)))
                }
                matrix = np.eye(4)
                matrix[:3, :3] = Rotation.from_quat(parts["rotation"]).as_matrix() * parts["scale"]
                matrix[:3, 3] = parts["translation"]
            found.append(matrix)
        return found

    def worlds(self, animation: dict[str, Any] | None, time: float) -> list[np.ndarray]:
        """World matrices of all nodes."""
        local = self.locals(animation, time)
        found = []
        for node in range(len(local)):
            matrix, at = np.eye(4), node
            while at is not None:
                matrix = local[at] @ matrix
                at = self.parents.get(at)
            found.append(matrix)
        return found

    def vertices(self, worlds: list[np.ndarray]) -> np.ndarray:
        """All skinned meshes by node, then the rigid ones depth first."""
        nodes = self.tree["nodes"]
        found, stack, order = [], [n for n in range(len(nodes) - 1, -1, -1) if n not in self.parents], []
        while stack:
            order.append(stack.pop())
            stack.extend(reversed(nodes[order[-1]].get("children", [])))
        for node in range(len(nodes)):
            if "skin" not in nodes[node]:
                continue
            skin = self.tree["skins"][nodes[node]["skin"]]
            binds = self.array(skin["inverseBindMatrices"]).reshape(-1, 4, 4).swapaxes(1, 2)
            matrices = np.array([worlds[joint] @ bind for joint, bind in zip(skin["joints"], binds, strict=False)])
            for primitive in self.tree["meshes"][nodes[node]["mesh"]]["primitives"]:
                keys = primitive["attributes"]
                points, joints, weights = (self.array(keys[key]) for key in ("POSITION", "JOINTS_0", "WEIGHTS_0"))
                weights /= weights.sum(axis=1, keepdims=True)
                points = np.hstack([points, np.ones((len(points), 1))])
                found.append(np.einsum("vk,vkab,vb->va", weights, matrices[joints.astype(int)], points)[:, :3])
        for node in order:
            if "mesh" in nodes[node] and "skin" not in nodes[node]:
                for primitive in self.tree["meshes"][nodes[node]["mesh"]]["primitives"]:
                    points = self.array(primitive["attributes"]["POSITION"])
                    found.append(points @ worlds[node][:3, :3].T + worlds[node][:3, 3])
        return np.vstack(found)


def read(corpus: Path, name: str):
    return gltf.read(corpus / "characters" / name, ReadOptions())


def test_the_list_above_is_complete(corpus):
    folder = corpus / "characters"
    found = {str(path.relative_to(folder)) for ending in ("glb", "gltf") for path in folder.rglob(f"*.{ending}")}
    assert found == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_every_file_loads_and_skins(corpus, name):
    loaded = read(corpus, name)
    assert (len(loaded.clips), len(loaded.characters)) == FILES[name]
    assert len({clip.name for clip in loaded.clips}) == len(loaded.clips)
    for clip in loaded.clips:
        world = clip.world()
        assert np.isfinite(world.positions).all()
        assert np.abs(np.linalg.norm(world.rotations, axis=-1) - 1).max() < 1e-4
    for character in loaded.characters:
        size = max(1.0, float(np.abs(character.vertices).max(initial=0)))
        bound = character.skinned(character.bind_world())[0]
        assert np.abs(bound - character.vertices).max(initial=0) < 1e-5 * size
    assert [finding for finding in loaded.findings if finding.severity == "error"] == []


@pytest.mark.parametrize("name", [name for name, (clips, _) in FILES.items() if clips])
def test_joints_and_vertices_stand_where_the_specification_puts_them(corpus, name):
    oracle = Oracle(corpus / "characters" / name)
    loaded = read(corpus, name)
    character = loaded.characters[0]
    joints = {joint for skin in oracle.tree["skins"] for joint in skin["joints"]}
    node_of = {oracle.tree["nodes"][node].get("name") or f"node_{node}": node for node in joints}
    nodes = [node_of[joint] for joint in character.skeleton.names]
    chosen = range(0, len(loaded.clips), max(1, len(loaded.clips) // 5))
    for which in chosen:
        clip, animation = loaded.clips[which], oracle.tree["animations"][which]
        start = min(oracle.array(sampler["input"]).min() for sampler in animation["samplers"])
        world = clip.world()
        for frame in sorted({0, clip.frames // 3, clip.frames // 2, clip.frames - 1}):
            matrices = oracle.worlds(animation, start + frame / clip.fps)
            expected = np.array([matrices[node][:3, 3] for node in nodes])
            size = max(1.0, float(np.abs(expected).max()))
            assert np.abs(world.positions[frame] - expected).max() < 2e-5 * size, (clip.name, frame)
            scales = np.array([np.linalg.norm(matrices[node][:3, :3], axis=0) for node in nodes])
            at_rest = np.array([np.linalg.norm(m[:3, :3], axis=0) for m in oracle.worlds(None, 0)])[nodes]
            if np.abs(scales / at_rest - 1).max() > 1e-3:
                continue  # the mesh shows animated scale, which a clip does not hold
            pose = World(world.positions[frame : frame + 1], world.rotations[frame : frame + 1])
            points = oracle.vertices(matrices)
            assert np.abs(character.skinned(pose)[0] - points).max() < 1e-4 * max(1.0, float(np.abs(points).max())), (
                clip.name,
                frame,
            )


@pytest.mark.parametrize("name", FILES)
def test_what_is_written_from_it_is_valid_and_the_same(corpus, tmp_path, name, validate_gltf):
    loaded = read(corpus, name)
    (character,) = loaded.characters
    path = tmp_path / "again.glb"
    gltf.write(loaded.clips, path, WriteOptions(character=character))
    validate_gltf([path])
    again = gltf.read(path)
    assert [clip.name for clip in again.clips] == [clip.name for clip in loaded.clips]
    for before, after in zip(loaded.clips, again.clips, strict=True):
        assert (after.fps, after.frames, after.pristine) == (before.fps, before.frames, True)
        size = max(1.0, float(np.abs(before.world().positions).max()))
        assert np.abs(before.world().positions - after.world().positions).max() < 1e-5 * size
        assert np.array_equal(before.skeleton.end_offsets, after.skeleton.end_offsets)
    assert len(again.characters[0].vertices) == len(character.vertices)
    if loaded.clips and len(character.vertices):
        pose = loaded.clips[-1].world()
        size = max(1.0, float(np.abs(character.vertices).max()))
        assert np.abs(character.skinned(pose) - again.characters[0].skinned(pose)).max() < 1e-4 * size


def test_end_sites_of_the_robot_are_found(corpus):
    skeleton = read(corpus, "threejs/RobotExpressive.glb").clips[0].skeleton
    assert len(skeleton) == 43
    assert {skeleton.names[joint] for joint in skeleton.end_joints} >= {"Foot.L", "Foot.R", "Head"}


def test_recordings_come_back_and_are_valid(corpus, tmp_path, validate_gltf):
    """BVH to GLB and back: the motion, and what a BVH writer needs to restore the file."""
    files = [path for folder in ("cmu-bvh", "bvh-other") for path in sorted((corpus / folder).rglob("*.bvh"))[::12]]
    assert len(files) > 5
    paths = []
    for file in files:
        clip = bvh.read(file, ReadOptions()).clips[0]
        paths.append(tmp_path / f"{len(paths)}.glb")
        gltf.write([clip], paths[-1])
        again = gltf.read(paths[-1]).clips[0]
        assert np.abs(clip.world(np.float64).positions - again.world(np.float64).positions).max() < 1e-5
        assert (again.name, again.fps, again.frames, again.pristine) == (
            clip.name,
            clip.fps,
            clip.frames,
            clip.pristine,
        )
        assert again.skeleton.names == clip.skeleton.names
        assert np.array_equal(again.skeleton.end_offsets, clip.skeleton.end_offsets)
        assert dict(again.skeleton.roles) == dict(clip.skeleton.roles)
        for key in ("format", "unit", "up", "frame_time", "channels", "end_names"):
            assert getattr(again.origin, key) == getattr(clip.origin, key)
    validate_gltf(paths)
