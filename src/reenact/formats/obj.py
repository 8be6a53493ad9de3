"""Wavefront OBJ: a mesh with materials, and a skeleton with weights where files beside it hold them. The format has no units; Y is up."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from reenact.body.character import Character, rest_world, rigid_inverse
from reenact.body.mesh_normals import vertex_normals
from reenact.body.triangulating import triangulate
from reenact.core import rotations
from reenact.core.arrays import Float, Float32, Float64, Int32
from reenact.core.origin import UpAxis
from reenact.core.skeleton import Skeleton
from reenact.core.space import up_rotation
from reenact.errors import FormatError
from reenact.formats.loaded import LARGEST_UNIT, SMALLEST_UNIT, Loaded, ReadOptions
from reenact.formats.obj_materials import read_materials
from reenact.formats.obj_text import ObjText, parse_obj
from reenact.formats.obj_write import write
from reenact.formats.reading_notes import ReadingNotes
from reenact.formats.skin_json import SkinFiles, find_skeleton_file, read_skin

__all__ = ["read", "write"]

_UNITS = ((1.0, "m"), (0.1, "dm"), (0.01, "cm"), (0.001, "mm"))
_SIZES = (0.3, 3.0)  # metres; the first unit that makes the mesh of such a size is taken
_MOST_PARTS = 1000


def read(path: Path, options: ReadOptions | None = None) -> Loaded:
    """The mesh of a file as a character: with the skeleton and the weights that lie beside it, else on a single joint.

    Args:
        path: a .obj file.
        options: tolerance, unit and up axis are used, and `skeleton`, a file as MakeHuman exports it; None looks beside the mesh.
    """
    options = ReadOptions() if options is None else options
    path = Path(path)
    notes = ReadingNotes(path, options.tolerance, "obj")
    data = path.read_bytes()
    options = _stated(data[:200], options)
    text = parse_obj(data, notes)
    shown = _shown_faces(text, notes)
    if not len(text.starts[1:]) or not shown.any():
        notes.fail("the file holds no faces")
    skin = _find_skin(path, text.positions, options, notes)
    with np.errstate(all="ignore"):
        character = _assemble(text, shown, skin, path, options, notes)
    return Loaded((), (character,), notes.findings, "obj")


def _stated(head: bytes, options: ReadOptions) -> ReadOptions:
    """The options with the unit and the up axis that a file of ours says."""
    found = re.match(rb"# written by reenact: one unit is ([\d.e+-]+) m, ([yz]) is up", head)
    try:
        unit = float(found[1]) if found else math.nan
    except ValueError:
        unit = math.nan
    if found is None or not SMALLEST_UNIT <= unit <= LARGEST_UNIT:
        return options
    up: UpAxis = "z" if found[2] == b"z" else "y"
    return replace(options, unit=options.unit or unit, up=options.up or up)


def _find_skin(path: Path, positions: Float64, options: ReadOptions, notes: ReadingNotes) -> SkinFiles | None:
    file = options.skeleton or find_skeleton_file(path)
    if file is None:
        notes.note("no-skeleton", "warning", "the file has no skeleton; the mesh hangs on a single joint")
        return None
    try:
        skin = read_skin(file, positions, notes)
    except FormatError as error:
        if options.skeleton is not None or file.stem == path.stem:
            raise
        told = f"the skeleton {file.name} beside it is not used: {error.message}"
        notes.note("skeleton", "warning", f"{told}; the mesh hangs on a single joint")
        return None
    notes.note("skeleton", "info", f"with the skeleton and the weights of {file.name}")
    return skin


def _shown_faces(text: ObjText, notes: ReadingNotes) -> np.ndarray:
    """(F,) False for the cubes and helper surfaces by which MakeHuman finds joints and fits clothes."""
    helpers = np.array([name.startswith(("joint-", "helper-")) for name in text.groups], bool)
    if "body" not in text.groups or not helpers.any():
        return np.ones(len(text.lines), bool)
    hidden = np.append(helpers, False)[text.face_groups]
    if hidden.any():
        count = np.count_nonzero(hidden)
        notes.note(
            "helpers", "info", f"{count} faces of joint cubes and helpers (groups joint-*, helper-*) are left out"
        )
    return ~hidden


@dataclass(eq=False)
class _Mesh:
    """Vertices that are one in place, texture coordinate, normal and part, and triangles of them."""

    faces: Int32
    vertices: Int32
    uvs: Int32
    normals: Int32
    parts: Int32
    materials: Int32


def _assemble(
    text: ObjText, shown: np.ndarray, skin: SkinFiles | None, path: Path, options: ReadOptions, notes: ReadingNotes
) -> Character:
    part_names, face_parts = _parts(text, shown)
    mesh = _split(text, shown, face_parts)
    used = np.unique(mesh.vertices)
    scale, turn = _space(text.positions[used], options, notes), rotations.to_matrix(up_rotation(options.up or "y"))
    points = scale * text.positions @ turn.T
    vertices = points[mesh.vertices].astype(np.float32)
    skeleton, joints, weights = _skinned(skin, mesh.vertices, scale, turn, notes)
    rest = rest_world(skeleton)
    made = np.unique(mesh.materials)
    names = [text.materials[number] if number >= 0 else "" for number in made]
    materials = read_materials(text.libraries, names, notes) if text.libraries or any(names) else ()
    shades = {one.base_color for one in materials}
    try:
        return Character(
            skeleton,
            vertices,
            mesh.faces,
            joints,
            weights,
            rigid_inverse(rest.positions[0], rest.rotations[0]),
            normals=_normals(text, mesh, points, turn),
            uvs=_uvs(text, mesh),
            color=shades.pop() if len(shades) == 1 else (1.0, 1.0, 1.0, 1.0),
            vertex_colors=_colors(text, mesh),
            name=part_names[0] if len(part_names) == 1 and part_names[0] else path.stem,
            materials=materials,
            face_materials=np.searchsorted(made, mesh.materials).astype(np.int32) if len(made) > 1 else None,
            parts=tuple(part_names) if len(part_names) > 1 else (),
            vertex_parts=mesh.parts if len(part_names) > 1 else None,
        )
    except ValueError as error:
        raise FormatError(f"the mesh cannot be used: {error}", path=path) from None


def _parts(text: ObjText, shown: np.ndarray) -> tuple[list[str], Int32]:
    """Names of the meshes in the file and which of them each face belongs to: by objects, where there are some, else by groups."""
    names, of_faces = (text.objects, text.face_objects) if text.objects else (text.groups, text.face_groups)
    used = np.unique(of_faces[shown])
    if len(used) > _MOST_PARTS or not len(used):
        return [""], np.zeros(len(of_faces), np.int32)
    listed = [names[number] if number >= 0 else "rest" for number in used]
    return listed, np.searchsorted(used, of_faces).clip(max=len(used) - 1).astype(np.int32)


def _split(text: ObjText, shown: np.ndarray, face_parts: Int32) -> _Mesh:
    triangles, polygons = triangulate(text.positions, text.corners[:, 0], text.starts)
    kept = shown[polygons]
    triangles, polygons = triangles[kept], polygons[kept]
    corners = text.corners[triangles].reshape(-1, 3).astype(np.int64)
    parts = np.repeat(face_parts[polygons], 3)
    key = corners[:, 0]
    for further in (corners[:, 1] + 1, corners[:, 2] + 1, parts):
        _, key = np.unique(key * (int(further.max(initial=0)) + 1) + further, return_inverse=True)
    _, first, faces = np.unique(key, return_index=True, return_inverse=True)
    chosen = corners[first].astype(np.int32)
    return _Mesh(
        faces.reshape(-1, 3).astype(np.int32),
        chosen[:, 0],
        chosen[:, 1],
        chosen[:, 2],
        parts[first].astype(np.int32),
        text.face_materials[polygons],
    )


def _space(positions: Float64, options: ReadOptions, notes: ReadingNotes) -> float:
    """Metres per unit: what was said, else by the size of the mesh."""
    if options.unit is not None:
        return options.unit
    size = float(np.ptp(positions, axis=0).max())
    fitting = [(unit, name) for unit, name in _UNITS if _SIZES[0] <= size * unit < _SIZES[1]]
    unit, name = fitting[0] if fitting else _UNITS[0]
    told = f"one unit is {unit:g} m ({name}), so that the mesh measures {size * unit:.3g} m"
    if fitting:
        notes.note("units", "info", f"{told}; the format has no units, --unit says another")
    else:
        notes.note("units", "warning", f"{told}, which is no size of a character; --unit says another")
    return unit


def _skinned(
    skin: SkinFiles | None, vertices: Int32, scale: float, turn: Float, notes: ReadingNotes
) -> tuple[Skeleton, Int32, Float32]:
    if skin is None:
        single = Skeleton(("root",), np.array([-1]), np.zeros((1, 3)))
        return single, np.zeros((len(vertices), 1), np.int32), np.ones((len(vertices), 1), np.float32)
    joints, weights = skin.joints[vertices], skin.weights[vertices]
    width = max(1, int((weights > 0).any(axis=0).sum()))
    skeleton = skin.skeleton.scaled(scale)
    if not np.allclose(turn, np.eye(3)):
        whole = rotations.from_matrix(turn)
        offsets, rest = skeleton.offsets.copy(), skeleton.rest.copy()
        offsets[0], rest[0] = turn @ offsets[0], rotations.multiply(whole, rest[0])
        skeleton = Skeleton(
            skeleton.names, skeleton.parents, offsets, rest, skeleton.end_joints, skeleton.end_offsets, skeleton.roles
        )
    return skeleton, joints[:, :width], weights[:, :width]


def _normals(text: ObjText, mesh: _Mesh, points: Float, turn: Float) -> Float32:
    """Those of the file; where it has none, those of the surface, smooth over seams of the texture."""
    smooth = vertex_normals(points, mesh.vertices[mesh.faces])[mesh.vertices]
    if not len(text.normals):
        return smooth
    own = text.normals[np.maximum(mesh.normals, 0)] @ turn.T
    lengths = np.linalg.norm(own, axis=1, keepdims=True)
    given = (mesh.normals >= 0)[:, None] & (lengths > 1e-9)
    return np.where(given, own / np.maximum(lengths, 1e-9), smooth).astype(np.float32)


def _uvs(text: ObjText, mesh: _Mesh) -> Float32 | None:
    if not len(text.uvs) or not (mesh.uvs >= 0).any():
        return None
    found = text.uvs[np.maximum(mesh.uvs, 0)] * (1, -1) + (0, 1)
    return np.where((mesh.uvs >= 0)[:, None], found, 0).astype(np.float32)


def _colors(text: ObjText, mesh: _Mesh) -> Float32 | None:
    if text.colors is None:
        return None
    shades = text.colors / (255.0 if text.colors.max() > 1 else 1.0)
    return np.hstack([shades.clip(0, 1)[mesh.vertices], np.ones((len(mesh.vertices), 1))]).astype(np.float32)
