"""What the tests of the glTF and NumPy formats share: made-up clips, and a builder of small glTF files."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reenact.core import rotations
from reenact.core.clip import Clip, JointTranslations
from reenact.core.findings import Finding
from reenact.core.origin import AddedPose, Credit, Origin
from reenact.core.skeleton import Skeleton


def _make_clip(
    seed: int = 0, joints: int = 7, frames: int = 12, fps: float = 30.0, *, translated: int = 0, full: bool = True
) -> Clip:
    """A random clip on a random tree; `full` gives it rest rotations, end sites, roles and an origin with every field set."""
    rng = np.random.default_rng(seed)
    parents = np.array([-1, *(rng.integers(0, j) for j in range(1, joints))])
    names = tuple(f"joint {j}é" if j % 3 else f"j{j}" for j in range(joints))
    leaves = sorted(set(range(joints)) - set(parents.tolist()))
    more: dict[str, Any] = {}
    if full:
        more = {
            "rest": rotations.normalize(rng.normal(size=(joints, 4))),
            "end_joints": leaves,
            "end_offsets": rng.normal(scale=0.1, size=(len(leaves), 3)),
            "roles": {"hips": 0, "head": joints - 1},
        }
    skeleton = Skeleton(names, parents, rng.normal(scale=0.4, size=(joints, 3)), **more)
    walk = np.cumsum(rng.normal(scale=0.2, size=(frames, joints, 3)), axis=0)
    turns = rotations.exp(walk).astype(np.float32)
    if joints > 2 and frames:
        turns[:, 2] = turns[0, 2]
    moved = None
    if translated:
        which = np.sort(rng.choice(np.arange(1, joints), translated, replace=False))
        moved = JointTranslations(which, rng.normal(size=(frames, translated, 3)).astype(np.float32))
    origin = Origin()
    if full:
        first = rng.normal(size=(joints, 4)).astype(np.float32)
        origin = Origin(
            format="bvh",
            path="take.bvh",
            unit=0.01,
            up="z",
            frame_time=".0083333",
            channels=("XpYpZpZrYrXr",) + ("ZrYrXr",) * (joints - 1),
            adds_offset=True,
            added_pose=AddedPose(first, rng.normal(size=3).astype(np.float32)),
            end_names=tuple(f"end {k}" for k in range(len(leaves))),
            acclaim=(":version 1.10\n:name é", "root lhipjoint"),
            findings=(Finding("units.detected", "info", "take.bvh", "centimetres", True, 0.75),),
            credits=(Credit("the lab", "CC BY 4.0", "Recorded by é."), Credit(licence="other")),
        )
    path = np.cumsum(rng.normal(scale=0.1, size=(frames, 3)), axis=0).astype(np.float32)
    return Clip(skeleton, turns, path, fps, f"clip {seed}", moved, origin)


@pytest.fixture
def make_clip() -> Callable[..., Clip]:
    """A maker of random clips."""
    return _make_clip


class GltfBuilder:
    """A small glTF file put together by hand."""

    def __init__(self) -> None:
        self.tree: dict[str, Any] = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": []}
        self.data = bytearray()

    def add(self, key: str, **entry: Any) -> int:
        """Append an object to a top-level list."""
        self.tree.setdefault(key, []).append(entry)
        return len(self.tree[key]) - 1

    def view(self, data: bytes, **more: Any) -> int:
        """Append bytes as a buffer view."""
        self.data += bytes(-len(self.data) % 4)
        start = len(self.data)
        self.data += data
        return self.add("bufferViews", buffer=0, byteOffset=start, byteLength=len(data), **more)

    def accessor(self, values: Any, dtype: str = "f4", *, stride: int = 0, **more: Any) -> int:
        """Append an array; with a stride each row is padded to that many bytes."""
        array = np.ascontiguousarray(values, dtype=f"<{dtype}")
        array = array.reshape(len(array), -1)
        kind = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}[array.shape[1]]
        code = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}[dtype]
        data = b"".join(row.tobytes().ljust(stride, b"\xff") for row in array) if stride else array.tobytes()
        view = self.view(data, **({"byteStride": stride} if stride else {}))
        return self.add("accessors", bufferView=view, componentType=code, count=len(array), type=kind, **more)

    def animate(
        self, node: int, path: str, times: Any, values: Any, interpolation: str | None = None, **more: Any
    ) -> None:
        """Add a channel to the last animation."""
        animation = self.tree.setdefault("animations", [{"samplers": [], "channels": []}])[-1]
        sampler: dict[str, Any] = {"input": self.accessor(times), "output": self.accessor(values, **more)}
        if interpolation:
            sampler["interpolation"] = interpolation
        animation["samplers"].append(sampler)
        animation["channels"].append(
            {"sampler": len(animation["samplers"]) - 1, "target": {"node": node, "path": path}}
        )

    def save(self, path: Path, *, kind: str = "glb") -> Path:
        """Write as "glb", "embedded" (data URI) or "external" (a .bin beside the file)."""
        tree = dict(self.tree)
        if self.data or "buffers" not in tree:
            tree["buffers"] = [{"byteLength": len(self.data)}]
        if kind == "embedded":
            tree["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(self.data).decode()
        elif kind == "external":
            (path.parent / "the data.bin").write_bytes(self.data)
            tree["buffers"][0]["uri"] = "the%20data.bin"
        text = json.dumps(tree).encode()
        if kind != "glb":
            path.write_bytes(text)
            return path
        text += b" " * (-len(text) % 4)
        data = bytes(self.data) + bytes(-len(self.data) % 4)
        head = struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(data), len(text), 0x4E4F534A)
        path.write_bytes(head + text + struct.pack("<II", len(data), 0x004E4942) + data)
        return path


@pytest.fixture
def builder() -> GltfBuilder:
    """A new, empty builder."""
    return GltfBuilder()
