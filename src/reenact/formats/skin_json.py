"""Skeletons and weights beside a mesh, as MakeHuman exports them: JSON of bones, joints and weights.

A skeleton (`.mhskel`) names for each bone its parent and the joints at its head and tail; a joint is the middle of some vertices of the
mesh, or a place (x, y, z). Weights (`.mhw`, or under "weights" of the skeleton) are lists of (vertex, weight) by bone. Files written here
hold places, and under "rotation" how a bone's axes lie in the rest pose (w, x, y, z in the world), which MakeHuman does not know.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reenact.body.character import Character
from reenact.body.influences import table_of_influences
from reenact.core import rotations
from reenact.core.arrays import Float, Float32, Float64, Int32
from reenact.core.skeleton import Skeleton
from reenact.errors import FormatError
from reenact.formats.atomic import atomic_write
from reenact.formats.loaded import MAX_JOINTS
from reenact.formats.reading_notes import ReadingNotes

SKELETON_ENDING, WEIGHTS_ENDING = ".mhskel", ".mhw"

_ROUNDED = 0.02  # weights of a vertex add up to 1 but for this in files of three decimals
_MOST_BYTES = 1 << 29


@dataclass(frozen=True, slots=True, eq=False)
class SkinFiles:
    """A skeleton with weights, from files beside a mesh.

    Attributes:
        skeleton: in the units of the mesh.
        joints: (N, K) int32, for each position of the mesh the joints it follows.
        weights: (N, K) float32.
    """

    skeleton: Skeleton
    joints: Int32
    weights: Float32


def find_skeleton_file(mesh: Path) -> Path | None:
    """The skeleton that lies beside a mesh: of its name, else the only one in its folder."""
    own = mesh.with_suffix(SKELETON_ENDING)
    if own.is_file():
        return own
    try:
        near = sorted(mesh.parent.glob(f"*{SKELETON_ENDING}"))
        meshes = sum(1 for _ in mesh.parent.glob("*.obj"))
    except OSError:
        return None
    return near[0] if len(near) == 1 and meshes == 1 else None


def read_skin(file: Path, positions: Float64, notes: ReadingNotes) -> SkinFiles:
    """The skeleton in a file and the weights that it holds or names, for a mesh with these positions.

    Raises:
        FormatError: it is no skeleton, or one of another mesh.
    """
    tree = _read_json(file)
    skeleton = _skeleton(tree, positions, file)
    weights, source = tree.get("weights"), file
    if not isinstance(weights, dict):
        source = _weights_file(file, tree)
        weights = _read_json(source).get("weights")
    if not isinstance(weights, dict):
        raise FormatError('expected weights by bone under "weights"', path=source)
    joints, shares = _table(weights, skeleton, len(positions), source, notes)
    return SkinFiles(skeleton, joints, shares)


def _weights_file(file: Path, tree: dict[str, Any]) -> Path:
    named = tree.get("weights_file")
    names = [Path(named).name] if isinstance(named, str) and named else []
    for name in (*names, file.with_suffix(WEIGHTS_ENDING).name, file.with_suffix(".json").name):
        if (file.parent / name).is_file():
            return file.parent / name
    raise FormatError(
        f"the weights of its bones are not there ({names[0] if names else file.stem + WEIGHTS_ENDING})", path=file
    )


def _read_json(file: Path) -> dict[str, Any]:
    if file.stat().st_size > _MOST_BYTES:
        raise FormatError("it is too large for a skeleton", path=file)
    try:
        tree = json.loads(file.read_bytes())
    except UnicodeDecodeError:
        raise FormatError("it is no JSON: it is not UTF-8", path=file) from None
    except json.JSONDecodeError as error:
        raise FormatError(f"it is no JSON: {error.msg}", path=file, line=error.lineno) from None
    except (RecursionError, ValueError) as error:
        raise FormatError(f"it is no JSON: {error}", path=file) from None
    if not isinstance(tree, dict):
        raise FormatError("expected a JSON object", path=file)
    return tree


def _skeleton(tree: dict[str, Any], positions: Float64, file: Path) -> Skeleton:
    bones = tree.get("bones")
    if not isinstance(bones, dict) or not bones:
        raise FormatError('expected bones under "bones"', path=file)
    if len(bones) > MAX_JOINTS:
        raise FormatError(f"{len(bones)} bones are more than any skeleton has", path=file)
    for name, bone in bones.items():
        if not isinstance(bone, dict):
            raise FormatError(f"expected an object for the bone {name!r}", path=file)
        parent = bone.get("parent")
        if parent is not None and (not isinstance(parent, str) or parent not in bones):
            raise FormatError(f"the bone {name!r} hangs on {parent!r}, which is not there", path=file)
    order = _parents_first(bones, file)
    heads, tails = (
        np.array([_place(tree, bones[name], end, positions, file, name) for name in order]) for end in ("head", "tail")
    )
    number = {name: joint for joint, name in enumerate(order)}
    parents = np.array([-1 if bones[name].get("parent") is None else number[bones[name]["parent"]] for name in order])
    axes = np.array([_rotation(bones[name], file, name) for name in order])
    names = list(order)
    if np.count_nonzero(parents < 0) > 1:  # several trees hang on a joint of their own
        names = [_free_name(names), *names]
        heads, tails = np.vstack([np.zeros(3), heads]), np.vstack([np.zeros(3), tails])
        parents = np.concatenate([[-1], parents + 1])
        axes = np.vstack([[1.0, 0, 0, 0], axes])
    above = np.maximum(parents, 0)
    back = rotations.conjugate(axes)
    root = parents < 0
    rest = np.where(root[:, None], axes, rotations.multiply(back[above], axes))
    offsets = np.where(root[:, None], heads, rotations.rotate(back[above], heads - heads[above]))
    leaves = np.setdiff1d(np.arange(len(names)), parents).astype(np.int32)
    ends = rotations.rotate(back[leaves], tails[leaves] - heads[leaves]).astype(np.float64)
    return Skeleton(tuple(names), parents, offsets, rest, leaves, ends)


def _free_name(names: list[str]) -> str:
    name = "root"
    while name in names:
        name += "_"
    return name


def _parents_first(bones: dict[str, Any], file: Path) -> list[str]:
    order: dict[str, None] = {}
    for start in bones:
        way, name = [], start
        while name is not None and name not in order:
            if name in way:
                raise FormatError(f"the bone {name!r} hangs on itself", path=file)
            way.append(name)
            if len(way) > MAX_JOINTS:
                raise FormatError("bones hang on each other without end", path=file)
            name = bones[name].get("parent")
        order |= dict.fromkeys(reversed(way))
    return list(order)


def _place(tree: dict[str, Any], bone: dict[str, Any], end: str, positions: Float64, file: Path, name: str) -> Float64:
    told = bone.get(end)
    joints = tree.get("joints")
    if isinstance(told, str) and isinstance(joints, dict):
        told = joints.get(told)
    if isinstance(told, list) and told and all(type(one) is int for one in told):
        at = np.array(told, object)
        if any(not 0 <= one < len(positions) for one in told):
            raise FormatError(
                f"the {end} of {name!r} is told by vertex {max(at)}, the mesh has {len(positions)}: it is of another mesh",
                path=file,
            )
        return positions[np.array(told, np.int64)].mean(axis=0)
    if isinstance(told, list) and len(told) == 3 and all(_is_number(one) for one in told):
        return np.array(told, np.float64)
    raise FormatError(f"expected vertices or a place for the {end} of the bone {name!r}", path=file)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and abs(value) < 1e30


def _rotation(bone: dict[str, Any], file: Path, name: str) -> Float64:
    told = bone.get("rotation")
    if told is None:
        return np.array([1.0, 0, 0, 0])
    if not (isinstance(told, list) and len(told) == 4 and all(_is_number(one) for one in told) and any(told)):
        raise FormatError(f"the rotation of the bone {name!r} must be four numbers", path=file)
    return rotations.normalize(np.array(told, np.float64)).astype(np.float64)


def _table(
    told: dict[str, Any], skeleton: Skeleton, count: int, file: Path, notes: ReadingNotes
) -> tuple[Int32, Float32]:
    number = {name: joint for joint, name in enumerate(skeleton.names)}
    lost = [name for name in told if name not in number]
    if lost:
        shown = ", ".join(map(repr, lost[:5])) + (f" and {len(lost) - 5} more" if len(lost) > 5 else "")
        notes.quirk("weights", f"weights of bones that are not in the skeleton are left out: {shown}", file=file)
    rows: list[tuple[Float64, int]] = []
    for name, pairs in told.items():
        if name in number and pairs:
            rows.append((_pairs(name, pairs, count, file), number[name]))
    pairs = np.concatenate([found for found, _ in rows]) if rows else np.zeros((0, 2))
    joints = np.concatenate([np.full(len(found), joint) for found, joint in rows]) if rows else np.zeros(0, int)
    kept = pairs[:, 1] > 0
    vertices = pairs[kept, 0].astype(np.int32)
    table, weights = table_of_influences(
        vertices, joints[kept].astype(np.int32), pairs[kept, 1].astype(np.float32), count
    )
    sums = weights.sum(axis=1, dtype=np.float64)
    bare = sums <= 0
    off = np.abs(sums[~bare] - 1)
    if (off > _ROUNDED).any():
        vertex = int(np.flatnonzero(~bare)[off.argmax()])
        message = (
            f"the weights of {np.count_nonzero(off > _ROUNDED)} vertices do not add up to 1 (those of vertex {vertex} to "
            f"{sums[vertex]:.4g}); they are scaled to do so"
        )
        notes.quirk("weights-sum", message, file=file)
    weights[bare, 0], table[bare, 0] = 1, 0
    sums[bare] = 1
    return table, (weights / sums[:, None]).astype(np.float32)


def _pairs(name: str, pairs: Any, count: int, file: Path) -> Float64:
    try:
        found = np.array(pairs, np.float64)
        plain = found.ndim == 2 and found.shape[1] == 2 and bool(np.isfinite(found).all())
    except (TypeError, ValueError, OverflowError):
        plain = False
        found = np.zeros((0, 2))
    if not plain:
        raise FormatError(f"expected pairs of a vertex and a weight for the bone {name!r}", path=file)
    wrong = (found[:, 0] < 0) | (found[:, 0] >= count) | (found[:, 0] % 1 != 0)
    if wrong.any():
        raise FormatError(
            f"the bone {name!r} has a weight for vertex {found[wrong, 0][0]:g}, the mesh has {count}: it is of another mesh",
            path=file,
        )
    if (found[:, 1] < 0).any():
        raise FormatError(f"the bone {name!r} has a negative weight, {found[:, 1].min():g}", path=file)
    return found


def write_skin(character: Character, mesh: Path, places: Float, axes: Float, ends: Float, vertices: Int32) -> None:
    """Write skeleton and weights beside a mesh.

    Args:
        character: whose.
        mesh: the file of the mesh.
        places, axes: (J, 3) and (J, 4) of the joints, in the space of the file.
        ends: (J, 3) tails of the bones.
        vertices: (V,) the number in the file of each vertex.
    """
    skeleton = character.skeleton
    bones, joints = {}, {}
    for joint, name in enumerate(skeleton.names):
        parent = int(skeleton.parents[joint])
        bones[name] = {
            "head": f"{name}____head",
            "tail": f"{name}____tail",
            "parent": None if parent < 0 else skeleton.names[parent],
            "rotation": [round(float(one), 9) for one in axes[joint]],
        }
        joints[f"{name}____head"] = [round(float(one), 7) for one in places[joint]]
        joints[f"{name}____tail"] = [round(float(one), 7) for one in ends[joint]]
    told: dict[str, list[list[float]]] = {}
    follows = character.influences
    _, first = np.unique(vertices, return_index=True)  # vertices that are one in the file follow the same joints
    kept = np.isin(follows.vertices, first)
    entries = vertices[follows.vertices[kept]], follows.joints[kept], follows.weights[kept]
    table, weights = table_of_influences(*entries, int(vertices.max(initial=-1)) + 1)
    for vertex, column in zip(*np.nonzero(weights > 0), strict=True):
        name = skeleton.names[table[vertex, column]]
        told.setdefault(name, []).append([int(vertex), round(float(weights[vertex, column]), 6)])
    title = {"name": character.name or mesh.stem, "version": 110}
    beside = mesh.with_suffix(WEIGHTS_ENDING)
    _write_json({**title, "weights": told}, beside)
    tree = {**title, "bones": bones, "joints": joints, "weights_file": beside.name}
    _write_json(tree, mesh.with_suffix(SKELETON_ENDING))


def _write_json(tree: dict[str, Any], path: Path) -> None:
    with atomic_write(path) as stream:
        stream.write(json.dumps(tree, indent=1, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace"))
