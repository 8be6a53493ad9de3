"""The parts of a character from a glTF file, and how they become one mesh."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from reenact.body.attachments import Attachment
from reenact.body.character import Character, rest_world, rigid_inverse
from reenact.body.morphs import MorphTarget
from reenact.core import rotations
from reenact.core.arrays import Float32, Float64, Int32
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError
from reenact.formats.gltf_document import Document
from reenact.formats.gltf_geometry import Geometry
from reenact.formats.gltf_materials import GLTF_DEFAULT, MaterialReader


@dataclass(eq=False)
class CharacterParts:
    """A character while its parts are collected: one bind matrix for each joint that has one; `names` are those of its mesh nodes."""

    names: list[str] = field(default_factory=list)
    binds: dict[int, Float64] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Part:
    """Primitives of the mesh node `node` (its place in the names) with one set of vertices.

    `place` (4, 4) maps those into the character's mesh space; joints are in the skeleton's numbering.
    """

    node: int
    geometry: Geometry
    place: Float64
    joints: Int32
    weights: Float32


def join_parts(
    doc: Document, materials: MaterialReader, skeleton: Skeleton, build: CharacterParts, title: str = ""
) -> Character:
    """One character with one mesh of all parts."""
    parts = build.parts
    name = title or (build.names[0] if len(build.names) == 1 else "") or doc.path.stem
    width = max(part.joints.shape[1] for part in parts)
    rest = rest_world(skeleton)
    binds = rigid_inverse(rest.positions[0], rest.rotations[0])
    for joint, bind in build.binds.items():
        binds[joint] = bind
    _fill_binds(skeleton, binds, set(build.binds))
    starts = np.cumsum([0, *(len(part.geometry.vertices) for part in parts)])
    placed = [part.geometry.vertices @ part.place[:3, :3].T + part.place[:3, 3] for part in parts]
    vertices = np.vstack(placed).astype(np.float32)
    normals = None
    if all(part.geometry.normals is not None for part in parts):
        normals = np.vstack([_turned(part, part.geometry.normals) for part in parts])
    uvs = _joined_uvs(parts)
    faces = [
        part.geometry.faces[:, ::-1] + start if np.linalg.det(part.place[:3, :3]) < 0 else part.geometry.faces + start
        for part, start in zip(parts, starts[:-1], strict=True)
    ]
    numbers, of_faces = np.unique(np.concatenate([part.geometry.materials for part in parts]), return_inverse=True)
    made = tuple(materials.read(int(number)) for number in numbers)
    made = () if made == (GLTF_DEFAULT,) and numbers[0] < 0 else made
    shades = {one.base_color for one in made}
    try:
        return Character(
            skeleton,
            vertices,
            np.vstack(faces),
            np.vstack([_widen(part.joints, width) for part in parts]),
            np.vstack([_widen(part.weights, width) for part in parts]),
            binds,
            normals=normals,
            uvs=uvs[0] if uvs else None,
            color=shades.pop() if len(shades) == 1 else (1.0, 1.0, 1.0, 1.0),
            vertex_colors=_joined_colors(parts),
            name=name,
            materials=made,
            face_materials=of_faces.astype(np.int32) if len(made) > 1 else None,
            more_uvs=uvs[1:],
            tangents=_joined_tangents(parts),
            morphs=_joined_morphs(parts, starts),
            parts=_part_names(build) if len(build.names) > 1 else (),
            vertex_parts=_vertex_parts(parts) if len(build.names) > 1 else None,
            attachments=tuple(build.attachments),
        )
    except ParameterError as error:
        doc.fail(f"the mesh {name!r} cannot be used: {error.message}")


def _part_names(build: CharacterParts) -> tuple[str, ...]:
    return tuple(name or f"part {number}" for number, name in enumerate(build.names, 1))


def _vertex_parts(parts: list[Part]) -> Int32:
    return np.concatenate([np.full(len(part.geometry.vertices), part.node, np.int32) for part in parts])


def _fill_binds(skeleton: Skeleton, binds: Float64, known: set[int]) -> None:
    """Joints that no skin binds stand in the bind pose where their parent carries them."""
    for joint, parent in enumerate(skeleton.parents):
        if joint in known or parent < 0 or int(parent) not in known:
            continue
        local = np.eye(4)
        local[:3, :3], local[:3, 3] = rotations.to_matrix(skeleton.rest[joint]), skeleton.offsets[joint]
        binds[joint] = np.linalg.inv(local) @ binds[parent]
        known.add(joint)


def _turned(part: Part, normals: Float32 | None) -> Float32:
    """Normals of a part in mesh space."""
    linear = part.place[:3, :3]
    size = np.linalg.det(linear)
    if normals is None or size == 0:
        return np.zeros_like(part.geometry.vertices)
    turned = normals @ np.linalg.inv(linear) * np.sign(size)
    return rotations.normalize(turned).astype(np.float32)


def _joined_uvs(parts: list[Part]) -> tuple[Float32, ...]:
    """The sets of texture coordinates; 0 where a part has fewer."""
    sets = max(len(part.geometry.uvs) for part in parts)
    return tuple(
        np.vstack(
            [
                part.geometry.uvs[k]
                if k < len(part.geometry.uvs)
                else np.zeros((len(part.geometry.vertices), 2), np.float32)
                for part in parts
            ]
        )
        for k in range(sets)
    )


def _joined_colors(parts: list[Part]) -> Float32 | None:
    if all(part.geometry.colors is None for part in parts):
        return None
    white = np.ones((1, 4), np.float32)
    return np.vstack(
        [
            np.broadcast_to(white if part.geometry.colors is None else part.geometry.colors, (len(part.joints), 4))
            for part in parts
        ]
    )


def _joined_tangents(parts: list[Part]) -> Float32 | None:
    """Tangents in mesh space, zeros where a part has none."""
    if all(part.geometry.tangents is None for part in parts):
        return None
    found = []
    for part in parts:
        turned = np.zeros((len(part.geometry.vertices), 4), np.float32)
        if part.geometry.tangents is not None:
            turned[:, :3] = rotations.normalize(part.geometry.tangents[:, :3] @ part.place[:3, :3].T)
            turned[:, 3] = np.where(part.geometry.tangents[:, 3] < 0, -1, 1) * (
                -1 if np.linalg.det(part.place[:3, :3]) < 0 else 1
            )
        found.append(turned)
    return np.vstack(found)


def _joined_morphs(parts: list[Part], starts: np.ndarray) -> tuple[MorphTarget, ...]:
    """The morph targets of all parts; those of one name are one, as the meshes of a face are."""
    found: dict[str, list[tuple[int, Part, int]]] = {}
    for part, start in zip(parts, starts[:-1], strict=True):
        for k, target in enumerate(part.geometry.targets):
            found.setdefault(target.name, []).append((k, part, int(start)))
    return tuple(_joined_target(name, shapes) for name, shapes in found.items())


def _joined_target(name: str, shapes: list[tuple[int, Part, int]]) -> MorphTarget:
    places, moves, turns, weight = [], [], [], 0.0
    turning = all(part.geometry.targets[k].turns is not None for k, part, _ in shapes)
    for k, part, start in shapes:
        target, linear = part.geometry.targets[k], part.place[:3, :3]
        moved = target.moves.any(axis=1)
        if turning and target.turns is not None:
            moved |= target.turns.any(axis=1)
            size = np.linalg.det(linear)
            across = np.linalg.inv(linear) * np.cbrt(size) if size else linear
            turns.append((target.turns[moved] @ across).astype(np.float32))
        places.append((np.flatnonzero(moved) + start).astype(np.int32))
        moves.append((target.moves[moved] @ linear.T).astype(np.float32))
        weight = weight or target.weight
    every = np.concatenate(places)
    order, first = np.unique(every, return_index=True)
    return MorphTarget(name, order, np.vstack(moves)[first], np.vstack(turns)[first] if turning else None, weight)


def _widen(values: np.ndarray, width: int) -> np.ndarray:
    return np.pad(values, ((0, 0), (0, width - values.shape[1])))
