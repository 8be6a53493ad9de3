"""Motion and meshes as bytes: little endian, no padding, laid out so that typed arrays can be set on them.

motion     "RNM1", u32 frames F, u32 joints J, f32 fps, u32 K, i32[K] translated joints,
f32[F*3] root, f32[F*J*4] local rotations wxyz, f32[F*K*3] translations
character  "RNS1", u32 vertices V, u32 faces T, u32 joints J, u32 influences K, f32[V*3] positions, f32[V*3] normals,
u32[T*3] faces, u32[V*K] joint indices, f32[V*K] weights, f32[J*16] inverse bind matrices, column-major
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

import numpy as np

from reenact.body.character import Character
from reenact.body.mesh_normals import vertex_normals
from reenact.core.clip import Clip

CHUNK = 1024 * 1024
"""Bytes copied at a time out of a mapped array."""


def pack_motion(clip: Clip) -> list[memoryview]:
    """A clip's motion as parts that follow one another; arrays that are mapped from the disk stay so."""
    moved = clip.translations
    joints = np.zeros(0, "<i4") if moved is None else moved.joints
    head = struct.pack("<4sIIfI", b"RNM1", len(clip), len(clip.skeleton), clip.fps, len(joints))
    parts = [memoryview(head), _bytes(joints, "<i4"), _bytes(clip.root, "<f4"), _bytes(clip.rotations, "<f4")]
    if moved is not None:
        parts.append(_bytes(moved.values, "<f4"))
    return parts


def pack_character(character: Character) -> list[memoryview]:
    """A mesh as parts that follow one another."""
    vertices, influences = character.weights.shape
    head = struct.pack("<4sIIII", b"RNS1", vertices, len(character.faces), len(character.skeleton), influences)
    normals = (
        character.normals if character.normals is not None else vertex_normals(character.vertices, character.faces)
    )
    return [
        memoryview(head),
        _bytes(character.vertices, "<f4"),
        _bytes(normals, "<f4"),
        _bytes(character.faces, "<u4"),
        _bytes(character.weight_joints, "<u4"),
        _bytes(character.weights, "<f4"),
        _bytes(np.swapaxes(character.inverse_binds, 1, 2), "<f4"),
    ]


def _bytes(values: np.ndarray, dtype: str) -> memoryview:
    array = np.ascontiguousarray(values, dtype=dtype)
    return array.data.cast("B") if array.size else memoryview(b"")


def size_of(parts: Sequence[memoryview]) -> int:
    """Bytes of all parts."""
    return sum(part.nbytes for part in parts)


def chunks_of(parts: Sequence[memoryview]) -> Iterator[bytes]:
    """The parts in pieces of at most `CHUNK` bytes, each copied once."""
    for part in parts:
        for start in range(0, part.nbytes, CHUNK):
            yield bytes(part[start : start + CHUNK])
