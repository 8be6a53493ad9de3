"""The mesh of a character as glTF attributes."""

from __future__ import annotations

from typing import Any

import numpy as np

from reenact.body.character import Character
from reenact.body.materials import Material
from reenact.body.morphs import MorphTarget
from reenact.core.arrays import Float32, Int32
from reenact.errors import FormatError
from reenact.formats.gltf_buffer import ARRAY_TARGET, INDEX_TARGET, BufferPlan
from reenact.formats.gltf_write_materials import MaterialWriter

_SET = 4  # joints in one set of attributes


def add_meshes(character: Character, plan: BufferPlan, tree: dict[str, Any]) -> list[str]:
    """Note the arrays of a character's parts in the plan and put meshes and materials into the tree; the names of the meshes."""
    if len(character.skeleton) > 1 << 16:
        raise FormatError(f"glTF binds meshes to at most 65536 joints, the skeleton has {len(character.skeleton)}")
    writer = MaterialWriter(tree, plan)
    plain = Material(character.name or "body", character.color)
    materials = character.materials or (plain,)
    numbers = {int(used): writer.add(materials[int(used)]) for used in np.unique(_materials_of_faces(character))}
    sets = 1 + max((texture.uv_set for one in materials for _, texture in one.textures()), default=-1)
    names = character.parts or (character.name,)
    written = []
    for part, name in enumerate(names):
        mesh = _mesh(character, part, plan, numbers, sets)
        if mesh is None:
            continue
        if name:
            mesh["name"] = name
        tree.setdefault("meshes", []).append(mesh)
        written.append(name)
    return written


def _materials_of_faces(character: Character) -> Int32:
    """(T,) the material of each face."""
    return np.zeros(len(character.faces), np.int32) if character.face_materials is None else character.face_materials


def _mesh(
    character: Character, part: int, plan: BufferPlan, numbers: dict[int, int], sets: int
) -> dict[str, Any] | None:
    """The JSON of the mesh of a part: a primitive for each of its materials, all with the same vertices. None without faces."""
    faces, of_faces = character.faces, _materials_of_faces(character)
    rows = np.arange(len(character.vertices))
    if character.vertex_parts is not None:
        rows = np.flatnonzero(character.vertex_parts == part)
        inside = character.vertex_parts[faces[:, 0]] == part
        faces, of_faces = faces[inside], of_faces[inside]
    if not len(faces):
        return None
    place = np.zeros(len(character.vertices), np.int32)
    place[rows] = np.arange(len(rows))
    attributes = _attributes(character, rows, plan, sets)
    targets = [target for target in character.morphs if np.isin(target.vertices, rows, assume_unique=True).any()]
    shapes = [_target(target, rows, place, plan) for target in targets]
    # The largest value of a type is reserved in glTF (it restarts a strip), so 65535 vertices are too many for 16 bits.
    kind = "u2" if len(rows) < (1 << 16) - 1 else "u4"
    primitives = []
    for used in dict.fromkeys(of_faces.tolist()):
        corners = place[faces[of_faces == used].reshape(-1)]
        plan.open_view(INDEX_TARGET)
        indices = plan.add(len(corners), 1, kind, lambda corners=corners: corners.astype(kind))
        primitive = {"attributes": attributes, "indices": indices, "material": numbers[used]}
        primitives.append({**primitive, "targets": shapes} if shapes else primitive)
    mesh: dict[str, Any] = {"primitives": primitives}
    if targets:
        mesh |= {
            "weights": [target.weight for target in targets],
            "extras": {"targetNames": [one.name for one in targets]},
        }
    return mesh


def _attributes(character: Character, rows: np.ndarray, plan: BufferPlan, sets: int) -> dict[str, int]:
    """The accessors of some vertices, by glTF's names, with at least so many sets of texture coordinates."""
    vertices = character.vertices[rows]
    bounds = (vertices.min(axis=0).astype(float).tolist(), vertices.max(axis=0).astype(float).tolist())
    attributes = {"POSITION": _attribute(plan, vertices, bounds)}
    if character.normals is not None:
        attributes["NORMAL"] = _attribute(plan, _unit_normals(character.normals[rows]))
        if character.tangents is not None and character.tangents[rows].any():
            attributes["TANGENT"] = _attribute(plan, _unit_tangents(character.tangents[rows]))
    uvs = () if character.uvs is None and not character.more_uvs else (character.uvs, *character.more_uvs)
    for number in range(max(sets, len(uvs))):
        one = uvs[number] if number < len(uvs) else None
        values = np.zeros((len(rows), 2), np.float32) if one is None else one[rows]
        attributes[f"TEXCOORD_{number}"] = _attribute(plan, values)
    if character.vertex_colors is not None:
        attributes["COLOR_0"] = _attribute(plan, np.clip(character.vertex_colors[rows], 0, 1))
    joints, weights = arrange_weights(character.weight_joints[rows], character.weights[rows])
    small = len(character.skeleton) <= 256
    for number in range(joints.shape[1] // _SET):
        part = slice(number * _SET, (number + 1) * _SET)
        attributes[f"JOINTS_{number}"] = _attribute(plan, joints[:, part].astype(np.uint8 if small else np.uint16))
        attributes[f"WEIGHTS_{number}"] = _attribute(plan, weights[:, part])
    return attributes


def _target(target: MorphTarget, rows: np.ndarray, place: Int32, plan: BufferPlan) -> dict[str, int]:
    """The accessors of a morph target for some vertices."""
    inside = np.isin(target.vertices, rows, assume_unique=True)
    places = place[target.vertices[inside]]
    found = {"POSITION": plan.add_sparse(len(rows), places, target.moves[inside])}
    if target.turns is not None:
        found["NORMAL"] = plan.add_sparse(len(rows), places, target.turns[inside])
    return found


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


def _unit_tangents(tangents: Float32) -> Float32:
    """Unit vectors with a handedness of 1 or -1; a missing one points along x, since glTF has no empty one."""
    length = np.linalg.norm(tangents[:, :3], axis=1, keepdims=True)
    along = np.where(length > 1e-6, tangents[:, :3] / np.maximum(length, 1e-6), np.array([1, 0, 0], np.float32))
    return np.hstack([along, np.where(tangents[:, 3:] < 0, -1, 1)]).astype(np.float32)


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
