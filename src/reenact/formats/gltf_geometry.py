"""The triangles of glTF meshes: attributes of primitives, decoded and checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Float32, Int32
from reenact.formats.gltf_accessors import read_array, read_floats
from reenact.formats.gltf_document import Document, Json

_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_FREE_VERTICES = 1 << 21  # vertices that may be made from any file; more only in proportion to its size


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """One primitive: vertices (V, 3), faces (T, 3), optional normals, uvs; joints (V, K) are indices into the skin's list.

    `colors` is (V, 4) or, where all vertices share it, (1, 4).
    """

    vertices: Float32
    faces: Int32
    normals: Float32 | None
    uvs: Float32 | None
    joints: Int32 | None
    weights: Float32 | None
    colors: Float32


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
        read: list[Geometry] = []
        for i, primitive in enumerate(self._doc.objects("primitives", self._doc.objects("meshes")[mesh], where)):
            geometry = self._read(primitive, f"{where}.primitives[{i}]")
            if geometry is not None:
                self._take(len(geometry.vertices) + len(geometry.faces), "vertices")
                read.append(geometry)
        self._meshes[mesh] = read
        return read

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

    def _read(self, primitive: Json, where: str) -> Geometry | None:
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
        if "targets" in primitive:
            doc.note("morph", "info", where.split(".")[0], "has morph targets; only the base shape is kept")
        vertices = self._shared_floats(place, ("VEC3",), "positions")
        count = len(vertices)
        faces = self._read_faces(primitive, mode, count, where)
        joints, weights = self._read_weights(attributes, count, where)
        return Geometry(
            vertices=vertices,
            faces=faces,
            normals=self._attribute(attributes, "NORMAL", ("VEC3",), count, where),
            uvs=self._attribute(attributes, "TEXCOORD_0", ("VEC2",), count, where),
            joints=joints,
            weights=weights,
            colors=self._read_colors(primitive, attributes, count, where),
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

    def _read_colors(self, primitive: Json, attributes: Json, count: int, where: str) -> Float32:
        doc = self._doc
        factor = np.ones(4)
        material = doc.reference(primitive, "material", "materials", where)
        if material is not None:
            spot = f"materials[{material}]"
            looks = doc.object(doc.objects("materials")[material], "pbrMetallicRoughness", spot) or {}
            factor = doc.numbers(looks, "baseColorFactor", (1.0, 1.0, 1.0, 1.0), spot)
            if "baseColorTexture" in looks:
                doc.note("texture", "info", spot, "has a texture, which is not kept")
        painted = self._attribute(attributes, "COLOR_0", ("VEC3", "VEC4"), count, where)
        if painted is None:
            return np.clip(factor, 0, 1).astype(np.float32)[None]
        full = np.ones((count, 4), np.float32)
        full[:, : painted.shape[1]] = painted
        return np.clip(full * factor, 0, 1).astype(np.float32)
