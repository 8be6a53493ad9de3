"""A body as thick lines in motion: what hands lie on, wherever a mesh has its vertices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import World
from reenact.core.skeleton import Skeleton
from reenact.solve.flesh import Flesh

PARTS: dict[str, tuple[str, str, str]] = {
    "hips": ("hips", "spine", "hips"),
    "trunk": ("spine", "neck", "chest"),
    "head": ("head", "", "head"),
    **{f"{s}_thigh": (f"{s}_upper_leg", f"{s}_lower_leg", f"{s}_upper_leg") for s in ("left", "right")},
    **{f"{s}_shin": (f"{s}_lower_leg", f"{s}_foot", f"{s}_lower_leg") for s in ("left", "right")},
    **{f"{s}_upper_arm": (f"{s}_upper_arm", f"{s}_lower_arm", f"{s}_upper_arm") for s in ("left", "right")},
    **{f"{s}_forearm": (f"{s}_lower_arm", f"{s}_hand", f"{s}_lower_arm") for s in ("left", "right")},
}
"""Part -> roles of the joints at its ends ("" for a part that goes on from its joint), and the role whose thickness it has."""
_HEAD = 1.1  # times its thickness, that the middle of a head lies above its joint
_HAND = 0.1  # of the length of the legs, from the wrist to the middle of the palm, where no fingers tell it


@dataclass(frozen=True, slots=True, eq=False)
class ThickLine:
    """One part of a body in motion.

    Attributes:
        start, end: (F, 3) metres.
        radius: metres.
    """

    start: Float
    end: Float
    radius: float

    def nearest(self, points: Float) -> tuple[Float, Float, Float]:
        """For points (F, 3): how far along the line they are, 0..1; the place there; metres from the skin, negative within."""
        way = self.end - self.start
        length = np.maximum(np.einsum("fi,fi->f", way, way), 1e-12)
        along = np.clip(np.einsum("fi,fi->f", points - self.start, way) / length, 0.0, 1.0)
        place = self.start + along[:, None] * way
        return along, place, np.linalg.norm(points - place, axis=1) - self.radius


def thick_lines(skeleton: Skeleton, world: World, flesh: Flesh) -> dict[str, ThickLine]:
    """Part -> its line, for the parts whose joints are known."""
    found: dict[str, ThickLine] = {}
    roles = skeleton.roles
    for part, (near, far, thick) in PARTS.items():
        if near not in roles:
            continue
        start, radius = world.positions[:, roles[near]], flesh.radii.get(thick, 0.0)
        if part == "head":
            below = roles.get("neck", roles.get("chest", roles["hips"]))
            up = R.normalize(start - world.positions[:, below] + 1e-9)
            start = end = start + _HEAD * radius * up
        else:
            ahead = far if far in roles else "head" if far == "neck" and "head" in roles else ""
            if not ahead:
                continue
            end = world.positions[:, roles[ahead]]
        found[part] = ThickLine(start, end, radius)
    return found


def palm_place(skeleton: Skeleton, side: str, leg: float) -> Float:
    """(3,) metres: the middle of a palm in the axes of the wrist."""
    hand = skeleton.roles[f"{side}_hand"]
    ways = [
        skeleton.offsets[child] for child in skeleton.children[hand] if "thumb" not in skeleton.names[child].lower()
    ]
    ways += list(skeleton.end_offsets[skeleton.end_joints == hand]) if not ways else []
    mean = np.mean(ways, axis=0) if ways else np.zeros(3)
    length = float(np.linalg.norm(mean))
    if length > 0.25 * _HAND * leg:
        return mean * min(1.0, _HAND * leg / length)
    bone = R.rotate(R.conjugate(skeleton.rest[hand]), skeleton.offsets[hand])  # straight on from the forearm at rest
    return bone * (_HAND * leg / max(float(np.linalg.norm(bone)), 1e-9))


def palms(skeleton: Skeleton, world: World, leg: float) -> Mapping[str, Float]:
    """Side -> (F, 3) metres, the middle of the palm."""
    return {
        side: world.point(skeleton.roles[f"{side}_hand"], palm_place(skeleton, side, leg))
        for side in ("left", "right")
        if f"{side}_hand" in skeleton.roles and f"{side}_lower_arm" in skeleton.roles
    }
