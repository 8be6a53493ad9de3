"""The mesh of a character as glTF attributes."""

from __future__ import annotations

from typing import Any

import numpy as np

from reenact.body.character import Character
from reenact.core.arrays import Float32, Int32
from reenact.errors import FormatError
from reenact.formats.gltf_buffer import ARRAY_TARGET, INDEX_TARGET, BufferPlan

_SET = 4  # joints in one set of attributes


def add_mesh(character: Character, plan: BufferPlan) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Note the mesh's arrays in the plan; the JSON of its mesh and of its material."""
    vertices = character.vertices
    count = len(vertices)
    bounds = (vertices.min(axis=0).astype(float).tolist(), vertices.max(axis=0).astype(float).tolist())
    attributes = {"POSITION": _attribute(plan, vertices, bounds)}
    if character.normals is not None:
        attributes["NORMAL"] = _attribute(plan, _unit_normals(character.normals))
    if character.uvs is not None:
        attributes["TEXCOORD_0"] = _attribute(plan, character.uvs)
    if character.vertex_colors is not None:
        attributes["COLOR_0"] = _attribute(plan, np.clip(character.vertex_colors, 0, 1))
    joints, weights = arrange_weights(character.weight_joints, character.weights)
    if len(character.skeleton) > 1 << 16:
        raise FormatError(f"glTF binds meshes to at most 65536 joints, the skeleton has {len(character.skeleton)}")
    small = len(character.skeleton) <= 256
    for number in range(joints.shape[1] // _SET):
        part = slice(number * _SET, (number + 1) * _SET)
        attributes[f"JOINTS_{number}"] = _attribute(plan, joints[:, part].astype(np.uint8 if small else np.uint16))
        attributes[f"WEIGHTS_{number}"] = _attribute(plan, weights[:, part])
    # The largest value of a type is reserved in glTF (it restarts a strip), so 65535 vertices are too many for 16 bits.
    corners = character.faces.reshape(-1)
    kind = "u2" if count < (1 << 16) - 1 else "u4"
    plan.open_view(INDEX_TARGET)
    indices = plan.add(len(corners), 1, kind, lambda: corners.astype(kind))
    material = {
        "name": character.name or "body",
        "pbrMetallicRoughness": {
            "baseColorFactor": list(character.color),
            "metallicFactor": 0.0,
            "roughnessFactor": 0.8,
        },
    }
    mesh: dict[str, Any] = {"primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}
    if character.name:
        mesh["name"] = character.name
    return [mesh], [material]


def _attribute(plan: BufferPlan, values: np.ndarray, bounds: tuple[list[float], list[float]] | None = None) -> int:
    plan.open_view(ARRAY_TARGET)
    kind = f"{values.dtype.kind}{values.dtype.itemsize}"
    return plan.add(len(values), values.shape[1], kind, lambda: values, bounds=bounds)


def _unit_normals(normals: Float32) -> Float32:
    """Unit vectors; a missing normal points up, since glTF has no empty one."""
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.where(length > 1e-6, normals / np.maximum(length, 1e-6), np.array([0, 1, 0], np.float32)).astype(
        np.float32
    )


def arrange_weights(joints: Int32, weights: Float32) -> tuple[Int32, Float32]:
    """Joints and weights as glTF asks for them, in sets of four: each joint once, the heaviest first, unused ones 0, sums exactly 1."""
    joints, amounts = joints.copy(), weights.astype(np.float64)
    width = joints.shape[1]
    for a in range(width):
        for b in range(a + 1, width):
            same = (joints[:, a] == joints[:, b]) & (amounts[:, b] > 0)
            amounts[same, a] += amounts[same, b]
            amounts[same, b] = 0
    order = np.argsort(-amounts, axis=1, kind="stable")
    joints, amounts = np.take_along_axis(joints, order, 1), np.take_along_axis(amounts, order, 1)
    used = max(1, int((amounts > 0).any(axis=0).sum()))
    wide = (used + _SET - 1) // _SET * _SET
    padding = ((0, 0), (0, max(0, wide - width)))
    joints, amounts = np.pad(joints, padding)[:, :wide], np.pad(amounts, padding)[:, :wide]
    found = (amounts / amounts.sum(axis=1, keepdims=True)).astype(np.float32)
    found[:, 0] += 1 - found.sum(axis=1, dtype=np.float64)
    return np.where(found > 0, joints, 0).astype(np.int32), found
