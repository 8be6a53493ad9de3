"""Bodies of other girth: limbs grown around their bones, and joints moved where the trunk that carries them grows.

After É. Lyard, *Motion Adaptation Based on Character Shape* (University of Geneva, thesis 4020, 2008), sections 4.9.1 and 4.9.2: what a
vertex is away from its bone is scaled, by weights that are smoothed over the mesh so that a grown limb runs into its neighbours; growing
the trunk moves collar bones, shoulders and hips outwards, or the limbs would sink into it. Here joints move across the line of the trunk
alone: girth makes nobody taller. The mesh is any mesh with any axes, so radial means across the bone from a joint to the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from reenact.body.character import Character
from reenact.body.limb_parts import LimbPart, limb_parts, part_of_joints
from reenact.body.mesh_normals import vertex_normals
from reenact.core.arrays import Float, Int
from reenact.core.parameters import check_ranges, option
from reenact.core.role_finding import assign_roles
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError

_LEAST, _MOST = 0.4, 3.0
_ROUNDS = 2  # times the weights are smoothed over the mesh
MOVED = ("shoulder", "upper_arm", "upper_leg")
"""Parts whose joints, on both sides, move with the girth of the trunk."""

_SLIM = {"head": 0.25, "hand": 0.35, "foot": 0.35}
"""What of a limb's growth reaches heads, hands and feet: people who grow stout grow little there."""


@dataclass(frozen=True, slots=True)
class GrowthParameters:
    """How a body grows: girths around the bones, 1 is as it is."""

    girth: float = option(1.0, "girth of the whole body", low=_LEAST, high=_MOST)
    trunk: float | None = option(None, "girth of the trunk; default: girth", low=_LEAST, high=_MOST)
    arms: float | None = option(None, "girth of both arms; default: girth", low=_LEAST, high=_MOST)
    legs: float | None = option(None, "girth of both legs; default: girth", low=_LEAST, high=_MOST)
    joints: bool = option(True, "leave shoulders and hips where they are, when the trunk grows", off="still-joints")

    def __post_init__(self) -> None:
        check_ranges(self)

    def by_group(self) -> dict[str, float]:
        """Group -> girth."""
        trunk, arms, legs = (self.girth if one is None else one for one in (self.trunk, self.arms, self.legs))
        sided = {
            f"{side}_{limb}": girth for side in ("left", "right") for limb, girth in (("arm", arms), ("leg", legs))
        }
        return {"trunk": trunk, "head": self.girth} | sided


def grow(character: Character, parameters: GrowthParameters | None = None) -> Character:
    """The character with other girths; see `grow_parts`."""
    asked = parameters or GrowthParameters()
    return grow_parts(character, asked.by_group(), joints=asked.joints)


def grow_parts(character: Character, girths: Mapping[str, float], *, joints: bool = True) -> Character:
    """A character whose limbs are grown around their bones.

    Heads, hands and feet take part in less of their limb's growth. Bones keep their lengths along the trunk; where it grows, shoulders and
    hips move outwards, which changes the offsets of the joints `MOVED` and no others.

    Args:
        character: any skinned body.
        girths: group (see `limb_parts.GROUPS`) or name of a part -> girth; 1 where nothing is said. A name of a part is taken as it is.
        joints: move the joints.

    Raises:
        ParameterError: there is no such limb or part, or a girth that is none.
        SkeletonError: it is no body with hips and legs.
    """
    skeleton, _ = assign_roles(character.skeleton)
    parts = limb_parts(skeleton)
    names = {part.group for part in parts} | {part.name for part in parts} | {"head"}
    for name, girth in girths.items():
        if name not in names:
            raise ParameterError(f"no part {name!r} grows; there are {', '.join(sorted(names))}", where=name)
        if not (np.isfinite(girth) and _LEAST <= girth <= _MOST):
            raise ParameterError(f"a girth is from {_LEAST} to {_MOST}, not {girth}", where=name)
    of_part = np.array([_girth(part, girths) for part in parts])
    grown = of_part[part_of_joints(skeleton, parts)]  # (J,)
    shift = _moved_joints(skeleton, parts, girths.get("trunk", 1.0) if joints else 1.0, character)
    if not len(character.vertices):
        return _put_together(character, character.vertices.astype(np.float64), shift)
    weights = np.zeros((len(character.vertices), len(skeleton)))
    rows = np.arange(len(weights))
    for n in range(character.weights.shape[1]):
        np.add.at(weights, (rows, character.weight_joints[:, n]), character.weights[:, n])
    smooth = _smoothed(weights, character)
    moved = np.zeros((len(rows), 3))
    starts, ways = _bones(character, skeleton, parts)
    points = character.vertices.astype(np.float64)
    for joint in np.flatnonzero((np.abs(grown - 1) > 1e-9) & (smooth > 0).any(axis=0)):
        near = np.flatnonzero(smooth[:, joint] > 0)
        away = points[near] - starts[joint]
        radial = away - (away @ ways[joint])[:, None] * ways[joint]
        moved[near] += (grown[joint] - 1) * smooth[near, joint, None] * radial
    moved += weights @ shift
    return _put_together(character, points + moved, shift)


def _girth(part: LimbPart, girths: Mapping[str, float]) -> float:
    if part.name in girths:
        return girths[part.name]
    return 1 + _SLIM.get(part.kind, 1.0) * (girths.get(part.group, 1.0) - 1)


def _bones(character: Character, skeleton: Skeleton, parts: tuple[LimbPart, ...]) -> tuple[Float, Float]:
    """(J, 3) where the bone of each joint's part begins, and its direction, mesh space."""
    places = np.linalg.inv(character.inverse_binds)[:, :3, 3]
    starts, ways = places.copy(), np.zeros_like(places)
    for part in parts:
        if part.axis >= 0:
            way = places[part.axis] - places[part.joint]
        elif part.kind == "hand" or part.kind == "foot":
            below = [joint for joint in part.joints if joint != part.joint]
            way = places[below].mean(axis=0) - places[part.joint] if below else _outwards(skeleton, places, part.joint)
        else:
            way = _outwards(skeleton, places, part.joint)
        length = np.linalg.norm(way)
        way = way / length if length > 0 else np.array([0.0, 1.0, 0.0])
        for joint in part.joints:
            starts[joint], ways[joint] = places[part.joint], way
    return starts, ways


def _outwards(skeleton: Skeleton, places: Float, joint: int) -> Float:
    """The way from the joint above."""
    above = int(skeleton.parents[joint])
    return places[joint] - places[above] if above >= 0 else np.array([0.0, 1.0, 0.0])


def _smoothed(weights: Float, character: Character) -> Float:
    """Weights averaged over the vertices that share an edge, twins at seams taken as one."""
    from scipy.sparse import coo_array, diags_array

    size = max(float(np.ptp(character.vertices, axis=0).max()), 1e-12)
    keys = np.round(character.vertices / (size * 1e-5)).astype(np.int64)
    _, first, twin = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    twin = twin.reshape(-1)
    faces = twin[character.faces]
    pairs = np.unique(
        np.concatenate([faces[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2))]), axis=0
    )
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    count = len(first)
    near = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(count, count)).tocsr()
    degree = np.asarray(near.sum(axis=1)).ravel()
    mean = diags_array(1 / np.maximum(degree, 1)) @ near
    found = weights[first]
    for _ in range(_ROUNDS):
        found = np.where(degree[:, None] > 0, mean @ found, found)
    return found[twin]


def _moved_joints(skeleton: Skeleton, parts: tuple[LimbPart, ...], girth: float, character: Character) -> Float:
    """(J, 3) mesh space, what each joint moves by when the trunk grows: across the trunk, with everything below it."""
    places = np.linalg.inv(character.inverse_binds)[:, :3, 3]
    shift = np.zeros_like(places)
    if abs(girth - 1) < 1e-9:
        return shift
    low = next(part for part in parts if part.name == "pelvis").joint
    trunk = [part.joint for part in parts if part.group == "trunk"]
    line = places[trunk[-1]] - places[low]
    line = line / np.linalg.norm(line) if np.linalg.norm(line) > 0 else np.array([0.0, 1.0, 0.0])
    moving = {
        skeleton.roles[f"{side}_{part}"]
        for side in ("left", "right")
        for part in MOVED
        if f"{side}_{part}" in skeleton.roles
    }
    for joint, parent in enumerate(skeleton.parents):
        if parent < 0:
            continue
        shift[joint] = shift[parent]
        if joint in moving:
            way = places[joint] - places[parent]
            shift[joint] += (girth - 1) * (way - (way @ line) * line)
    return shift


def _put_together(character: Character, points: Float, shift: Float) -> Character:
    """The character with its vertices and joints moved in mesh space."""
    binds = np.linalg.inv(character.inverse_binds)
    binds[:, :3, 3] += shift
    scale = np.linalg.norm(character.inverse_binds[0, :3, 0])
    skeleton = character.skeleton
    offsets = skeleton.offsets.copy()
    for joint, parent in enumerate(skeleton.parents):
        way = shift[joint] - (shift[parent] if parent >= 0 else 0)
        if np.abs(way).max() > 0:
            # mesh space -> the parent's frame: its bind matrix turns directions, and holds the scale of the mesh
            offsets[joint] += character.inverse_binds[parent, :3, :3] @ way if parent >= 0 else scale * way
    faces: Int = character.faces
    return replace(
        character,
        skeleton=replace(skeleton, offsets=offsets),
        vertices=points.astype(np.float32),
        inverse_binds=np.linalg.inv(binds),
        normals=None if character.normals is None else vertex_normals(points, faces),
    )
