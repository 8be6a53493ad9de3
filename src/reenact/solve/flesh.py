"""The flesh around a skeleton: how thick each part of the body is, and where its skin is lowest.

A character's own skin tells it. A skeleton without one is given the thickness that people have, in shares of the length of its legs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from reenact import kernels
from reenact.body.character import Character
from reenact.core.arrays import Float, Float64
from reenact.core.clip import World
from reenact.core.role_names import read_name
from reenact.core.skeleton import Skeleton

_DIRECTIONS = 40  # in which the outermost points of a joint's skin are looked for
_OWNS = 0.5  # of a vertex' weight
_FEWEST = 4  # vertices
_OUTLIER = 2.5  # times the usual distance from the bone: capes and scabbards are no flesh
_RADII = {
    "hips": 0.14,
    "spine": 0.13,
    "chest": 0.13,
    "neck": 0.07,
    "head": 0.11,
    "shoulder": 0.07,
    "upper_arm": 0.055,
    "lower_arm": 0.045,
    "hand": 0.03,
    "upper_leg": 0.10,
    "lower_leg": 0.065,
    "foot": 0.045,
    "toes": 0.03,
}
"""Thickness of an adult's parts around their joints, from surface to bone, in lengths of the leg (0.82 m)."""
_FINGERS = ("thumb", "index", "middle", "ring", "pinky", "finger", "palm")


@dataclass(frozen=True, slots=True, eq=False)
class Flesh:
    """Skin around the joints of a body.

    Attributes:
        points: role -> [(joint, (P, 3) metres in its axes)], outermost points of the skin of that part.
        radii: role -> metres from the bone to the skin, the usual one.
    """

    points: Mapping[str, list[tuple[int, Float64]]]
    radii: Mapping[str, float]

    def lowest(self, world: World, roles: tuple[str, ...]) -> Float:
        """(F,) metres: the height of the lowest skin of some parts; infinite without any."""
        held = [one for role in roles for one in self.points.get(role, [])]
        positions, rotations = (np.ascontiguousarray(one, np.float64) for one in (world.positions, world.rotations))
        return kernels.lowest_points.lowest(
            positions, rotations, [joint for joint, _ in held], [points for _, points in held]
        )


def flesh_of_people(skeleton: Skeleton, leg: float) -> Flesh:
    """Flesh as thick as people have it for the length of their legs (metres): balls around the joints."""
    ball = _directions(26)
    points, radii = {}, {}
    for role, joint in skeleton.roles.items():
        radius = leg * _RADII[part_of(role)]
        radii[role], points[role] = radius, [(joint, radius * ball)]
    return Flesh(points, radii)


def flesh_of_character(character: Character, leg: float) -> Flesh:
    """Flesh as the skin of a character tells it; where a part has none, as people have it. What it holds in its hands is none."""
    skeleton = character.skeleton
    usual = flesh_of_people(skeleton, leg)
    if not len(character.vertices):
        return usual
    points: dict[str, list[tuple[int, Float64]]] = {}
    radii = dict(usual.radii)
    owner = character.weight_joints[np.arange(len(character.weights)), character.weights.argmax(axis=1)]
    owner = np.where(character.weights.max(axis=1) >= _OWNS, owner, -1)
    vertices = np.asarray(character.vertices, np.float64)
    places = _owners(skeleton)
    around = _directions(_DIRECTIONS)
    distances: dict[str, list[Float64]] = {}
    for joint, role in places.items():
        mine = vertices[owner == joint]
        if len(mine) < _FEWEST:
            continue
        bind = character.inverse_binds[joint]
        local = mine @ bind[:3, :3].T + bind[:3, 3]
        away = _from_bone(skeleton, joint, local)
        kept = away <= _OUTLIER * np.median(away)
        local, away = local[kept], away[kept]
        outermost = np.unique(np.argmax(local @ around.T, axis=0))
        points.setdefault(role, []).append((joint, local[outermost]))
        distances.setdefault(role, []).append(away)
    for role, found in distances.items():
        radii[role] = float(np.percentile(np.concatenate(found), 70))
    for role, held in usual.points.items():
        if role not in points and not _has_skin_nearby(skeleton, role, points):
            points[role] = held
    return Flesh(points, radii)


def part_of(role: str) -> str:
    """A role without its side."""
    return role.removeprefix("left_").removeprefix("right_")


def _has_skin_nearby(skeleton: Skeleton, role: str, points: Mapping[str, object]) -> bool:
    """Whether the parts above or below have skin: then a joint without any of its own lies within theirs."""
    joint = skeleton.roles[role]
    near = {int(skeleton.parents[joint]), *skeleton.children[joint]}
    return any(other in points for other, at in skeleton.roles.items() if at in near)


def _owners(skeleton: Skeleton) -> dict[int, str]:
    """Joint -> the role whose part it belongs to; without what hangs on helpers and beyond hands that are no fingers."""
    by_joint = {joint: role for role, joint in skeleton.roles.items()}
    found: dict[int, str] = {}
    left_out: set[int] = set()
    for joint in range(len(skeleton)):
        parent = int(skeleton.parents[joint])
        reading = read_name(skeleton.names[joint])
        if joint in by_joint:
            found[joint] = by_joint[joint]
        elif parent in left_out or (reading.helper and "twist" not in skeleton.names[joint].lower()):
            left_out.add(joint)
        elif parent in found:
            role = found[parent]
            name = skeleton.names[joint].lower()
            if part_of(role) == "hand" and not (reading.kind == "hand" or any(word in name for word in _FINGERS)):
                left_out.add(joint)
            else:
                found[joint] = role
    return found


def _from_bone(skeleton: Skeleton, joint: int, points: Float64) -> Float64:
    """(P,) metres of points from the bone that leads to the joint's longest child; from the joint itself without any."""
    ways = [skeleton.offsets[child] for child in skeleton.children[joint]]
    way = max(ways, key=lambda one: float(np.linalg.norm(one)), default=np.zeros(3))
    length = float(way @ way)
    along = np.clip(points @ way / length, 0.0, 1.0) if length > 1e-12 else np.zeros(len(points))
    return np.linalg.norm(points - along[:, None] * way, axis=1)


def _directions(count: int) -> Float64:
    """(count, 3) unit vectors spread evenly (a Fibonacci spiral)."""
    n = np.arange(count) + 0.5
    tilt, turn = np.arccos(1 - 2 * n / count), np.pi * (1 + 5**0.5) * n
    return np.column_stack([np.cos(turn) * np.sin(tilt), np.cos(tilt), np.sin(turn) * np.sin(tilt)])
