"""The triangles of glTF meshes: attributes of primitives, decoded and checked."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import numpy as np

from reenact.core.arrays import Float32, Int32
from reenact.formats.gltf_accessors import read_array, read_floats
from reenact.formats.gltf_document import Document, Json, is_number

_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_MOST_SETS = 8  # sets of texture coordinates
_FREE_VERTICES = 1 << 21  # vertices that may be made from any file; more only in proportion to its size


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """Primitives of a mesh that share their vertices: vertices (V, 3), faces (T, 3); joints (V, K) are indices into the skin's list.

    `materials` is (T,) int32, -1 for none; `uvs` are the sets of texture coordinates (V, 2), `tangents` and `colors` (V, 4).
    """

    vertices: Float32
    faces: Int32
    materials: Int32
    normals: Float32 | None
    tangents: Float32 | None
    uvs: tuple[Float32, ...]
    joints: Int32 | None
    weights: Float32 | None
    colors: Float32 | None
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """A morph target of a primitive: what is added to its vertices (V, 3) and normals (V, 3)."""

    name: str
    weight: float
    moves: Float32
    turns: Float32 | None


class GeometryReader:
    """Reads meshes and accessors, each once; what is made of them in all is bounded by the file's size.

    What counts is what takes memory: an accessor that several meshes share is counted once, each use of a mesh (whose vertices become
    a part of a character) by its own.
    """

    def __init__(self, doc: Document) -> None:
        self._doc = doc
        self._left = _FREE_VERTICES + doc.size
        self._meshes: dict[int, list[Geometry]] = {}
        self._floats: dict[tuple[int, tuple[str, ...]], Float32] = {}
        self._numbers: dict[int, np.ndarray] = {}

    def read_mesh(self, mesh: int) -> list[Geometry]:
        """The triangle primitives of a mesh."""
        if mesh in self._meshes:
            for geometry in self._meshes[mesh]:
                self._take(len(geometry.vertices) + len(geometry.faces), "vertices")
            return self._meshes[mesh]
        where = f"meshes[{mesh}]"
        entry = self._doc.objects("meshes")[mesh]
        shared: dict[str, Geometry] = {}
        for i, primitive in enumerate(self._doc.objects("primitives", entry, where)):
            spot = f"{where}.primitives[{i}]"
            geometry = self._read(entry, primitive, spot)
            if geometry is None:
                continue
            key = json.dumps([primitive.get("attributes"), primitive.get("targets")], sort_keys=True)
            if key in shared:
                self._take(len(geometry.faces), "triangles")
                geometry = _with_faces(shared[key], geometry)
            else:
                self._take(len(geometry.vertices) + len(geometry.faces), "vertices")
            shared[key] = geometry
        self._meshes[mesh] = list(shared.values())
        return self._meshes[mesh]

    def _take(self, count: int, what: str) -> None:
        self._left -= count
        if self._left < 0:
            self._doc.fail(f"the meshes have more {what} than a file of {self._doc.size} bytes may ask for")

    def _shared_floats(self, accessor: int, kinds: tuple[str, ...], what: str) -> Float32:
        key = (accessor, kinds)
        if key not in self._floats:
            self._floats[key] = read_floats(self._doc, accessor, kinds, what)
            self._take(len(self._floats[key]), "vertices")
        return self._floats[key]

    def _shared_numbers(self, accessor: int, kinds: tuple[str, ...], what: str) -> np.ndarray:
        if accessor not in self._numbers:
            self._numbers[accessor] = read_array(self._doc, accessor, kinds, what)
            self._take(len(self._numbers[accessor]) // 3, "triangles")
        return self._numbers[accessor]

    def _read(self, mesh: Json, primitive: Json, where: str) -> Geometry | None:
        doc = self._doc
        extensions = primitive.get("extensions")
        if isinstance(extensions, dict) and "KHR_draco_mesh_compression" in extensions:
            doc.note(
                "draco", "error", where, "is compressed with KHR_draco_mesh_compression, which cannot be read; left out"
            )
            return None
        mode = doc.integer(primitive, "mode", where, _TRIANGLES)
        attributes = doc.object(primitive, "attributes", where) or {}
        place = doc.reference(attributes, "POSITION", "accessors", f"{where}.attributes")
        if mode not in (_TRIANGLES, _STRIP, _FAN) or place is None:
            doc.note("not-triangles", "info", where, "holds no triangles; left out")
            return None
        vertices = self._shared_floats(place, ("VEC3",), "positions")
        count = len(vertices)
        faces = self._read_faces(primitive, mode, count, where)
        joints, weights = self._read_weights(attributes, count, where)
        material = doc.reference(primitive, "material", "materials", where)
        if "COLOR_1" in attributes:
            doc.note("more-colors", "info", where.split(".")[0], "has further vertex colours, which are left out")
        return Geometry(
            vertices=vertices,
            faces=faces,
            materials=np.full(len(faces), -1 if material is None else material, np.int32),
            normals=self._attribute(attributes, "NORMAL", ("VEC3",), count, where),
            tangents=self._attribute(attributes, "TANGENT", ("VEC4",), count, where),
            uvs=self._read_uvs(attributes, count, where),
            joints=joints,
            weights=weights,
            colors=self._read_colors(attributes, count, where),
            targets=self._read_targets(mesh, primitive, count, where),
        )

    def _attribute(self, attributes: Json, key: str, kinds: tuple[str, ...], count: int, where: str) -> Float32 | None:
        source = self._doc.reference(attributes, key, "accessors", f"{where}.attributes")
        if source is None:
            return None
        values = self._shared_floats(source, kinds, key)
        if len(values) != count:
            self._doc.fail(f"{where}: {count} positions, but {len(values)} values of {key}")
        return values

    def _read_faces(self, primitive: Json, mode: int, count: int, where: str) -> Int32:
        doc = self._doc
        source = doc.reference(primitive, "indices", "accessors", where)
        if source is None:
            corners = np.arange(count, dtype=np.int32)
        else:
            read = self._shared_numbers(source, ("SCALAR",), "indices")
            if read.dtype.kind != "u":
                doc.fail(f"{where}.indices: expected unsigned integers")
            if len(read) and read.max() >= count:
                doc.fail(f"{where}.indices: names vertex {read.max()}, there are {count}")
            corners = read[:, 0].astype(np.int32)
        if mode == _TRIANGLES:
            if len(corners) % 3:
                doc.quirk(
                    "triangles",
                    where,
                    f"{len(corners)} corners are not a whole number of triangles; the rest is left out",
                )
            return corners[: len(corners) // 3 * 3].reshape(-1, 3)
        if len(corners) < 3:
            return np.zeros((0, 3), np.int32)
        if mode == _FAN:
            return np.stack([np.full(len(corners) - 2, corners[0]), corners[1:-1], corners[2:]], axis=1)
        faces = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=1)
        faces[1::2, 1:] = faces[1::2, 2:0:-1]
        return faces

    def _read_weights(self, attributes: Json, count: int, where: str) -> tuple[Int32 | None, Float32 | None]:
        """Joints (V, K) and weights (V, K) of all sets, as stored."""
        joints, weights = [], []
        for number in range(4):
            source = self._doc.reference(attributes, f"JOINTS_{number}", "accessors", f"{where}.attributes")
            amount = self._attribute(attributes, f"WEIGHTS_{number}", ("VEC4",), count, where)
            if source is None or amount is None:
                break
            names = self._shared_numbers(source, ("VEC4",), "joints")
            if names.dtype.kind not in "ui" and not np.array_equal(names, np.round(names)):
                self._doc.fail(f"{where}.attributes.JOINTS_{number}: expected whole numbers")
            if len(names) != count:
                self._doc.fail(f"{where}: {count} positions, but {len(names)} values of JOINTS_{number}")
            if names.size and not 0 <= names.min() <= names.max() < 1 << 31:
                self._doc.fail(
                    f"{where}.attributes.JOINTS_{number}: joints from {names.min()} to {names.max()} do not exist"
                )
            joints.append(names.astype(np.int32))
            weights.append(amount)
        return (np.hstack(joints), np.hstack(weights)) if joints else (None, None)

    def _read_uvs(self, attributes: Json, count: int, where: str) -> tuple[Float32, ...]:
        found: list[Float32] = []
        for number in range(_MOST_SETS):
            uvs = self._attribute(attributes, f"TEXCOORD_{number}", ("VEC2",), count, where)
            if uvs is None:
                break
            found.append(uvs)
        return tuple(found)

    def _read_colors(self, attributes: Json, count: int, where: str) -> Float32 | None:
        painted = self._attribute(attributes, "COLOR_0", ("VEC3", "VEC4"), count, where)
        if painted is None:
            return None
        full = np.ones((count, 4), np.float32)
        full[:, : painted.shape[1]] = np.clip(painted, 0, 1)
        return full

    def _read_targets(self, mesh: Json, primitive: Json, count: int, where: str) -> tuple[Target, ...]:
        doc = self._doc
        extras, shown = mesh.get("extras"), mesh.get("weights")
        names = extras.get("targetNames") if isinstance(extras, dict) else None
        names = names if isinstance(names, list) else []
        weights = shown if isinstance(shown, list) and all(map(is_number, shown)) else []
        found: list[Target] = []
        for k, entry in enumerate(doc.objects("targets", primitive, where)):
            spot = f"{where}.targets[{k}]"
            if "TANGENT" in entry:
                doc.note("morph-tangents", "info", where.split(".")[0], "tangents of morph targets are left out")
            values: list[Float32 | None] = []
            for key in ("POSITION", "NORMAL"):
                source = doc.reference(entry, key, "accessors", spot)
                part = None if source is None else self._shared_floats(source, ("VEC3",), f"{key} of a morph target")
                if part is not None and len(part) != count:
                    doc.fail(f"{spot}: {count} positions, but {len(part)} values of {key}")
                values.append(part)
            moves, turns = values
            self._take(count, "vertices of morph targets")
            name = names[k] if k < len(names) and isinstance(names[k], str) and names[k] else ""
            name = (name or f"{doc.text(mesh, 'name') or 'shape'}_{k}").encode("utf-8", "replace").decode()
            weight = min(max(float(weights[k]), -1e3), 1e3) if k < len(weights) else 0.0
            found.append(Target(name, weight, np.zeros((count, 3), np.float32) if moves is None else moves, turns))
        return tuple(found)


def _with_faces(first: Geometry, more: Geometry) -> Geometry:
    """One primitive with the faces of another that has the same vertices."""
    return replace(
        first,
        faces=np.vstack([first.faces, more.faces]),
        materials=np.concatenate([first.materials, more.materials]),
    )
