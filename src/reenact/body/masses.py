"""Masses of the parts of a body from its volumes, and where they act.

Densities are those of Chandler et al. (1975), as printed by É. Lyard (2008), table 4.1; the alternative shares of the body's mass are those
of Winter's table (see `body.segments`). Truth, where the mesh can be trusted, is what its skin holds: `integrated`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from reenact.body.character import Character
from reenact.body.part_skin import BodySkin
from reenact.body.segments import HEAD_MASS, LIMB_SEGMENTS, TRUNK_SEGMENTS
from reenact.body.volumes import LimbVolume, limb_volumes
from reenact.core import rotations as R
from reenact.core.arrays import Float, Int
from reenact.core.clip import World
from reenact.errors import ParameterError

DENSITIES = {
    "head": 1056.0, "trunk": 853.0, "upper_arm": 1004.5, "forearm": 1052.0, "hand": 1080.0,
    "thigh": 1019.5, "shank": 1069.0, "foot": 1071.0,
}  # fmt: skip
"""Kilogrammes per cubic metre, by the kind of a part."""

CALIBRATION = {
    "cylinder": {"head": 0.85, "right_arm": 0.97, "left_arm": 0.90, "trunk": 1.08, "left_leg": 0.97, "right_leg": 0.98},
    "ellipsoid": {
        "head": 0.98,
        "right_arm": 1.36,
        "left_arm": 1.29,
        "trunk": 0.90,
        "left_leg": 1.04,
        "right_leg": 1.14,
    },
}
"""Factors on radii by which the shares of masses of volumes became those that were measured (table 5.5): one subject, by limb."""

Source = Literal["integrated", "cylinder", "capsule", "ellipsoid", "table"]
SOURCES: tuple[Source, ...] = ("integrated", "cylinder", "capsule", "ellipsoid", "table")


@dataclass(frozen=True, slots=True, eq=False)
class BodyMasses:
    """Point masses that move with joints.

    Attributes:
        names: (P,) of the parts.
        groups: (P,) limbs they belong to.
        joints: (P,) the joint each moves with.
        masses: (P,) kilogrammes.
        centres: (P, 3) metres, in the frame of the joint.
    """

    names: tuple[str, ...]
    groups: tuple[str, ...]
    joints: Int
    masses: Float
    centres: Float

    @property
    def total(self) -> float:
        """Kilogrammes."""
        return float(self.masses.sum())

    def shares(self) -> dict[str, float]:
        """Limb -> share of the mass."""
        found: dict[str, float] = {}
        for group, mass in zip(self.groups, self.masses, strict=True):
            found[group] = found.get(group, 0.0) + float(mass) / self.total
        return found

    def places(self, world: World) -> Float:
        """(F, P, 3) metres, where the masses are."""
        turned = world.rotations[:, self.joints].astype(np.float64)
        return world.positions[:, self.joints] + R.rotate(
            turned, np.broadcast_to(self.centres, (len(turned), *self.centres.shape))
        )

    def centre(self, world: World) -> Float:
        """(F, 3) metres, the centre of mass."""
        return np.einsum("fpk,p->fk", self.places(world), self.masses) / self.total


def body_masses(
    body: Character | BodySkin | tuple[LimbVolume, ...],
    source: Source = "integrated",
    factors: Mapping[str, float] | None = None,
    total: float | None = None,
) -> BodyMasses:
    """Masses of the parts of a body.

    Args:
        body: the body, or its volumes.
        source: what its skin holds, what a volume holds, or a table of shares (for which `total` counts, 70 kg when not given).
        factors: limb or part -> factor on its radius, as those of `CALIBRATION`.
        total: kilogrammes all masses are scaled to add up to.

    Raises:
        ParameterError: there is no such source, or the mesh holds nothing.
    """
    if source not in SOURCES:
        raise ParameterError(f"no source of masses {source!r}; there are {', '.join(SOURCES)}", where="source")
    volumes = limb_volumes(body) if isinstance(body, Character | BodySkin) else body
    masses, centres = [], []
    for volume in volumes:
        factor = 1.0 if factors is None else factors.get(volume.part.name, factors.get(volume.part.group, 1.0))
        if source == "integrated":
            size, centre = volume.skin, volume.skin_centre
        else:
            size, centre = volume.size("cylinder" if source == "table" else source), volume.centre
        masses.append(DENSITIES[volume.part.kind] * size * factor**2)
        centres.append(centre)
    found = np.array(masses)
    if source == "table":
        found = _shared_out(volumes, found) * 70.0
    if not found.sum() > 0:
        raise ParameterError("the body holds nothing: its mesh is flat, or turned inside out", where=source)
    if total is not None:
        found = found * (total / found.sum())
    return BodyMasses(
        tuple(volume.part.name for volume in volumes),
        tuple(volume.part.group for volume in volumes),
        np.array([volume.part.joint for volume in volumes], np.int32),
        found,
        np.array(centres),
    )


def calibration(measured: Mapping[str, float], found: Mapping[str, float]) -> dict[str, float]:
    """Factors on radii that turn shares of masses into those that were measured: volumes go with the square of a radius."""
    return {limb: float(np.sqrt(measured[limb] / found[limb])) for limb in measured if found.get(limb, 0) > 0}


def _shared_out(volumes: tuple[LimbVolume, ...], sizes: Float) -> Float:
    """Shares of a body's mass by a table; among the pieces of the trunk by their sizes."""
    by_kind = {"thigh": "thigh", "shank": "shank", "foot": "foot", "upper_arm": "upper arm"}
    table = {segment.name: segment.mass for segment in LIMB_SEGMENTS}
    hand = 0.27  # of the forearm and hand together
    trunk = sum(mass for _, mass, _ in TRUNK_SEGMENTS)
    of_trunk = np.array(
        [size if volume.part.kind == "trunk" else 0.0 for volume, size in zip(volumes, sizes, strict=True)]
    )
    found = np.zeros(len(volumes))
    for number, volume in enumerate(volumes):
        kind = volume.part.kind
        if kind == "trunk":
            found[number] = trunk * of_trunk[number] / max(of_trunk.sum(), 1e-12)
        elif kind == "head":
            found[number] = HEAD_MASS
        elif kind in by_kind:
            found[number] = table[by_kind[kind]]
        else:
            found[number] = table["forearm and hand"] * (hand if kind == "hand" else 1 - hand)
    return found / found.sum()
