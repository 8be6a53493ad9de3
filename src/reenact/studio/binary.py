"""Motion and meshes as bytes: little endian, no padding, laid out so that typed arrays can be set on them.

motion     "RNM1", u32 frames F, u32 joints J, f32 fps, u32 K, i32[K] translated joints,
f32[F*3] root, f32[F*J*4] local rotations wxyz, f32[F*K*3] translations
character  "RNS2", u32 vertices V, u32 faces T, u32 joints J, u32 influences K, u32 sets of texture coordinates S, u32 1 where there
are vertex colours, u32 1 where there are tangents, u32 groups of faces G, u32 images I, u32 bytes of text N, f32[V*3] positions,
f32[V*3] normals, u32[T*3] faces, group after group, u32[V*K] joint indices, f32[V*K] weights, f32[J*16] inverse bind matrices,
column-major, f32[V*2] for each set, f32[V*4] colours, f32[V*4] tangents, u32[G*3] material, first face and faces of each group,
N bytes of JSON (materials and types of images), then for each image u32 bytes and its file; text and files are padded to 4 bytes
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Sequence

import numpy as np

from reenact.body.character import Character
from reenact.body.materials import Image, Material, materials_to_json
from reenact.body.mesh_normals import vertex_normals
from reenact.body.morphs import morphed
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
    """A mesh with its materials and images as parts that follow one another; what morphs it without a track is worked in."""
    vertices, influences = character.weights.shape
    normals = (
        character.normals if character.normals is not None else vertex_normals(character.vertices, character.faces)
    )
    of_faces = np.zeros(len(character.faces), np.int32)
    of_faces = of_faces if character.face_materials is None else character.face_materials
    order = np.argsort(of_faces, kind="stable")
    used, first, counts = np.unique(of_faces[order], return_index=True, return_counts=True)
    materials, images = materials_to_json(_shown_materials(character))
    about = {"materials": materials, "images": [image.mime for image in images]}
    text = json.dumps(about, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    uvs = [values for values in (character.uvs, *character.more_uvs) if values is not None]
    floats = [values for values in (character.vertex_colors, character.tangents) if values is not None]
    counted = (vertices, len(character.faces), len(character.skeleton), influences, len(uvs))
    flags = (character.vertex_colors is not None, character.tangents is not None)
    return [
        memoryview(struct.pack("<4s10I", b"RNS2", *counted, *flags, len(used), len(images), len(text))),
        _bytes(morphed(character.vertices, character.morphs), "<f4"),
        _bytes(normals, "<f4"),
        _bytes(character.faces[order], "<u4"),
        _bytes(character.weight_joints, "<u4"),
        _bytes(character.weights, "<f4"),
        _bytes(np.swapaxes(character.inverse_binds, 1, 2), "<f4"),
        *(_bytes(values, "<f4") for values in (*uvs, *floats)),
        _bytes(np.stack([used, first, counts], axis=1), "<u4"),
        memoryview(text),
        *(part for image in images for part in _image_parts(image)),
    ]


def _shown_materials(character: Character) -> tuple[Material, ...]:
    """The materials, or one of the mesh's own colour; none where the page may choose."""
    plain = character.color == (1.0, 1.0, 1.0, 1.0) and character.vertex_colors is None
    return character.materials or (() if plain else (Material(base_color=character.color),))


def _image_parts(image: Image) -> list[memoryview]:
    size = len(image.data)
    return [memoryview(struct.pack("<I", size)), memoryview(image.data), memoryview(bytes(-size % 4))]


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
