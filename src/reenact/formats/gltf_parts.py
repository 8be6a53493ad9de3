"""The parts of a character from a glTF file, and how they become one mesh."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from reenact.body.character import Character, rest_world, rigid_inverse
from reenact.core import rotations
from reenact.core.arrays import Float32, Float64, Int32
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError
from reenact.formats.gltf_document import Document
from reenact.formats.gltf_geometry import Geometry


@dataclass(eq=False)
class CharacterParts:
    """A character while its parts are collected: one bind matrix for each joint that has one."""

    names: list[str] = field(default_factory=list)
    binds: dict[int, Float64] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Part:
    """A primitive, the map `place` (4, 4) of its vertices into the character's mesh space, and its joints in the skeleton's numbering."""

    geometry: Geometry
    place: Float64
    joints: Int32
    weights: Float32


def join_parts(doc: Document, skeleton: Skeleton, build: CharacterParts) -> Character:
    """One character with one mesh of all parts."""
    parts = build.parts
    name = (build.names[0] if len(build.names) == 1 else "") or doc.path.stem
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
        normals = np.vstack([_turn_normals(part) for part in parts])
    uvs = None
    if any(part.geometry.uvs is not None for part in parts):
        uvs = np.vstack(
            [
                np.zeros((len(part.geometry.vertices), 2), np.float32)
                if part.geometry.uvs is None
                else part.geometry.uvs
                for part in parts
            ]
        )
    faces = [
        part.geometry.faces[:, ::-1] + start if np.linalg.det(part.place[:3, :3]) < 0 else part.geometry.faces + start
        for part, start in zip(parts, starts[:-1], strict=True)
    ]
    colors = [part.geometry.colors for part in parts]
    plain = all(len(color) == 1 and np.array_equal(color, colors[0]) for color in colors)
    shades = (
        None
        if plain
        else np.vstack([np.broadcast_to(c, (len(p.geometry.vertices), 4)) for c, p in zip(colors, parts, strict=True)])
    )
    try:
        return Character(
            skeleton,
            vertices,
            np.vstack(faces),
            np.vstack([_widen(part.joints, width) for part in parts]),
            np.vstack([_widen(part.weights, width) for part in parts]),
            binds,
            normals=normals,
            uvs=uvs,
            color=tuple(colors[0][0].tolist()) if plain else (1.0, 1.0, 1.0, 1.0),
            vertex_colors=shades,
            name=name,
        )
    except ParameterError as error:
        doc.fail(f"the mesh {name!r} cannot be used: {error.message}")


def _fill_binds(skeleton: Skeleton, binds: Float64, known: set[int]) -> None:
    """Joints that no skin binds stand in the bind pose where their parent carries them."""
    for joint, parent in enumerate(skeleton.parents):
        if joint in known or parent < 0 or int(parent) not in known:
            continue
        local = np.eye(4)
        local[:3, :3], local[:3, 3] = rotations.to_matrix(skeleton.rest[joint]), skeleton.offsets[joint]
        binds[joint] = np.linalg.inv(local) @ binds[parent]
        known.add(joint)


def _turn_normals(part: Part) -> Float32:
    linear = part.place[:3, :3]
    size = np.linalg.det(linear)
    if part.geometry.normals is None or size == 0:
        return np.zeros_like(part.geometry.vertices)
    turned = part.geometry.normals @ np.linalg.inv(linear) * np.sign(size)
    return rotations.normalize(turned).astype(np.float32)


def _widen(values: np.ndarray, width: int) -> np.ndarray:
    return np.pad(values, ((0, 0), (0, width - values.shape[1])))
