"""Simple volumes that stand for the limbs of a body: cylinders, capsules and ellipsoids fitted to its skin.

After É. Lyard, *Motion Adaptation Based on Character Shape* (University of Geneva, thesis 4020, 2008), sections 4.2.1, 4.2.2 and 5.6: the
axis of a limb is its bone, its radius follows from how the skin is spread across it. On the wall of a cylinder each of the two variances
across is half the radius squared, so the radius is the root of their sum; the printed average of the two is no length. Every vertex counts
as much as the skin around it, so that the fineness of a mesh does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from reenact.body.character import Character
from reenact.body.limb_parts import LimbPart
from reenact.body.part_skin import BodySkin, body_skin, closed_faces
from reenact.core.arrays import Float, Int

Shape = Literal["cylinder", "capsule", "ellipsoid"]
SHAPES: tuple[Shape, ...] = ("cylinder", "capsule", "ellipsoid")
_FEWEST = 4  # vertices: a part with fewer has the radius of the part above it


@dataclass(frozen=True, slots=True, eq=False)
class LimbVolume:
    """What stands for a part.

    Attributes:
        part: the part.
        start, end: (3,) metres, ends of its axis in the frame of its joint.
        radius: metres, of a cylinder or capsule.
        axes: (3, 3) directions of the ellipsoid's half axes in that frame: along the bone, and across.
        halves: (3,) metres, half axes of the ellipsoid.
        skin: cubic metres within the skin of the part, its ends closed.
        skin_centre: (3,) metres, the middle of that, in the frame of the joint.
    """

    part: LimbPart
    start: Float
    end: Float
    radius: float
    axes: Float
    halves: Float
    skin: float
    skin_centre: Float

    @property
    def length(self) -> float:
        """Metres from end to end of the axis."""
        return float(np.linalg.norm(self.end - self.start))

    @property
    def centre(self) -> Float:
        """(3,) metres, the middle of the axis."""
        return 0.5 * (self.start + self.end)

    def size(self, shape: Shape) -> float:
        """Cubic metres of the volume. A capsule's round ends stand beyond the ends of a shorter axis: it is as long as the cylinder."""
        if shape == "ellipsoid":
            return float(4 / 3 * np.pi * np.prod(self.halves))
        if shape == "capsule":
            straight = max(self.length - 2 * self.radius, 0.0)
            return np.pi * self.radius**2 * straight + 4 / 3 * np.pi * self.radius**3
        return np.pi * self.radius**2 * self.length

    def core(self) -> tuple[Float, Float]:
        """Ends of the line around which the capsule is round: the axis, shorter by a radius at both ends."""
        way = self.end - self.start
        length = max(self.length, 1e-9)
        inset = min(self.radius, 0.5 * length) / length
        return self.start + inset * way, self.end - inset * way


def limb_volumes(character: Character | BodySkin) -> tuple[LimbVolume, ...]:
    """A volume for each part of a body, in the order of its parts."""
    skin = character if isinstance(character, BodySkin) else body_skin(character)
    owner = allocate_vertices(skin)
    areas = _vertex_areas(skin)
    radii: dict[int, float] = {}
    made = []
    for number, part in enumerate(skin.parts):
        own = np.flatnonzero((owner == number) & (areas > 0))
        start, end = _axis(skin, part, own)
        way = (end - start) / max(float(np.linalg.norm(end - start)), 1e-9)
        if len(own) < _FEWEST:
            radius = radii.get(_above(skin, number), 0.05 * float(np.ptp(skin.places, axis=0).max()))
            across, halves = _frame(way), np.array([0.5 * np.linalg.norm(end - start), radius, radius])
        else:
            radius, across, spread = _spread(skin.local(own.astype(np.int32), part.joint), areas[own], way)
            halves = np.array([0.5 * np.linalg.norm(end - start), *spread])
        radii[number] = radius
        size, centre = _within(skin, number)
        made.append(LimbVolume(part, start, end, radius, across, halves, size, centre))
    return tuple(made)


def allocate_vertices(skin: BodySkin) -> Int:
    """(N,) part whose volume each welded vertex belongs to: the one it follows, unless it lies beyond the ends of that one's bone and
    beside the bone of a neighbour (the part above, or one that hangs on it).
    """
    binds = np.linalg.inv(skin.inverse_binds)[:, :3, 3]
    ends = {n: (binds[part.joint], _far_end(skin, n, binds)) for n, part in enumerate(skin.parts)}
    owner = skin.part.astype(np.int64).copy()
    for number in range(len(skin.parts)):
        own = np.flatnonzero(skin.part == number)
        beyond = own[~_beside(skin.places[own], *ends[number])]
        neighbours = [n for n in range(len(skin.parts)) if _above(skin, n) == number or _above(skin, number) == n]
        best = np.full(len(beyond), np.inf)
        for other in neighbours:
            if skin.parts[other].group != skin.parts[number].group:
                continue  # an upper arm lies beside the chest's line, and is no chest
            start, end = ends[other]
            fits = _beside(skin.places[beyond], start, end)
            middle = np.linalg.norm(skin.places[beyond] - 0.5 * (start + end), axis=1)
            nearer = fits & (middle < best)
            owner[beyond[nearer]], best[nearer] = other, middle[nearer]
    return owner


def describe_volumes(character: Character) -> dict[str, Any]:
    """Parts of a body with their volumes in litres, for people and files."""
    skin = body_skin(character)
    rows = [
        {
            "part": volume.part.name,
            "length_m": round(volume.length, 4),
            "radius_m": round(volume.radius, 4),
            "half_axes_m": [round(float(half), 4) for half in volume.halves],
            "litres": {shape: round(1000 * volume.size(shape), 3) for shape in SHAPES}
            | {"skin": round(1000 * volume.skin, 3)},
        }
        for volume in limb_volumes(skin)
    ]
    return {"parts": rows}


def _far_end(skin: BodySkin, number: int, binds: Float) -> Float:
    part = skin.parts[number]
    if part.axis >= 0 and np.linalg.norm(binds[part.axis] - binds[part.joint]) > 1e-6:
        return binds[part.axis]
    own = skin.places[skin.part == number]
    start = binds[part.joint]
    if len(own) < _FEWEST:
        return start + (0.0, 0.01, 0.0)
    way = own.mean(axis=0) - start
    way = way / max(float(np.linalg.norm(way)), 1e-9)
    return start + float(((own - start) @ way).max()) * way


def _axis(skin: BodySkin, part: LimbPart, own: Int) -> tuple[Float, Float]:
    """Ends of a part's axis in its joint's frame: its bone; of hands, feet and heads as far as their skin goes."""
    number = skin.parts.index(part)
    end = _far_end(skin, number, np.linalg.inv(skin.inverse_binds)[:, :3, 3])
    to = skin.inverse_binds[part.joint]
    start, end = np.zeros(3), to[:3, :3] @ end + to[:3, 3]
    if part.kind == "foot" and len(own):  # the heel is behind the joint
        way = end / max(float(np.linalg.norm(end)), 1e-9)
        along = skin.local(own.astype(np.int32), part.joint) @ way
        start, end = along.min() * way, along.max() * way
    return start, end


def _above(skin: BodySkin, number: int) -> int:
    """The part that a part hangs on; -1 for the pelvis."""
    joints = {joint: n for n, part in enumerate(skin.parts) for joint in part.joints}
    part = skin.parts[number]
    line = [n for n, other in enumerate(skin.parts) if other.axis == part.joint]
    if line:
        return line[0]
    chest = next((n for n, other in enumerate(skin.parts) if other.name == "chest"), 0)
    if part.group in ("head", "left_arm", "right_arm") and part.kind in ("head", "upper_arm"):
        return chest
    return joints.get(skin.parts[0].joint, -1) if number else -1


def _beside(places: Float, start: Float, end: Float) -> np.ndarray:
    way = end - start
    share = (places - start) @ way / max(float(way @ way), 1e-12)
    return (share >= 0) & (share <= 1)


def _vertex_areas(skin: BodySkin) -> Float:
    """(N,) a third of the faces around each vertex."""
    corner = skin.places[skin.faces]
    area = 0.5 * np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=1)
    found = np.zeros(len(skin.places))
    for n in range(3):
        found += np.bincount(skin.faces[:, n], area / 3, len(found))
    return found


def _spread(places: Float, areas: Float, way: Float) -> tuple[float, Float, Float]:
    """Radius, directions of the half axes, and the two half axes across the bone."""
    share = areas / areas.sum()
    away = places - share @ places
    values, vectors = np.linalg.eigh((away * share[:, None]).T @ away)
    along = int(np.abs(vectors.T @ way).argmax())
    others = [n for n in range(3) if n != along]
    axes = np.stack([vectors[:, along], vectors[:, others[1]], vectors[:, others[0]]])
    two = np.maximum(values[others], 0.0)
    return float(np.sqrt(two.sum())), axes, np.sqrt(2 * two[::-1])


def _frame(way: Float) -> Float:
    side = np.cross(way, (1.0, 0.0, 0.0) if abs(way[0]) < 0.9 else (0.0, 1.0, 0.0))
    side = side / np.linalg.norm(side)
    return np.stack([way, side, np.cross(way, side)])


def _within(skin: BodySkin, number: int) -> tuple[float, Float]:
    """Cubic metres within the skin of a part, holes closed, and their middle in the joint's frame (divergence theorem)."""
    faces = skin.faces[skin.face_part == number]
    joint = skin.parts[number].joint
    if len(faces) < _FEWEST:
        return 0.0, np.zeros(3)
    names, flat = np.unique(faces, return_inverse=True)
    places, closed = closed_faces(skin.local(names, joint), flat.reshape(faces.shape))
    middle = places.mean(axis=0)
    corner = places[closed] - middle
    six = np.einsum("ti,ti->t", corner[:, 0], np.cross(corner[:, 1], corner[:, 2]))
    volume = six.sum() / 6
    if abs(volume) < 1e-12:
        return 0.0, middle
    centre = (six[:, None] * corner.sum(axis=1)).sum(axis=0) / (24 * volume)
    return abs(float(volume)), middle + centre
