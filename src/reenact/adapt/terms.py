"""What a stage wants: terms of one objective, each a number of residuals with their slopes by the degrees of freedom of their frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from reenact import kernels
from reenact.adapt.contact_body import ContactBody
from reenact.adapt.degrees import Degrees, Posed
from reenact.core.arrays import Float64, Int32

CENTIMETRE = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class Residuals:
    """Numbers that shall be small; the objective is half the sum of their squares.

    Attributes:
        frames: (R,) int32, the frame of each.
        values: (R,).
        slopes: (R, D) by the degrees of freedom in that frame.
    """

    frames: Int32
    values: Float64
    slopes: Float64


class Term(Protocol):
    """One thing that is wanted."""

    @property
    def name(self) -> str:
        """For people."""
        ...

    @property
    def weight(self) -> float:
        """Its residuals are multiplied with this."""
        ...

    def residuals(self, posed: Posed) -> Residuals:
        """What is left to do in a pose, and how that changes."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class NoCollisions:
    """Limbs stay out of each other: centimetres by which points of the skin are too deep.

    Attributes:
        degrees: what turns.
        body: what collides.
        pairs: numbers of the pairs looked at.
        weight: of a centimetre.
    """

    degrees: Degrees
    body: ContactBody
    pairs: Int32
    weight: float = 1.0
    name: str = "collisions"

    def residuals(self, posed: Posed) -> Residuals:
        """Depths of the contacts."""
        found = self.body.contacts(posed.world, self.pairs)
        moves = self.degrees.moves(self.body.joints.tolist())
        slopes = kernels.skin_contacts.contact_slopes(
            found.frames, found.points, found.normals, found.pairs, self.body.pairs, posed.origins, posed.spins,
            self.degrees.of_link, moves, len(self.degrees),
        )  # fmt: skip
        scale = self.weight / CENTIMETRE
        return Residuals(found.frames, scale * found.depths, scale * slopes)


@dataclass(frozen=True, slots=True, eq=False)
class LittleChange:
    """Turns are small: radians, each as dear as its degree of freedom says."""

    degrees: Degrees
    weight: float = 18.0
    name: str = "change"

    def residuals(self, posed: Posed) -> Residuals:
        """The turns."""
        count, dofs = posed.values.shape
        dear = self.weight * self.degrees.stiffness
        frames = np.repeat(np.arange(count, dtype=np.int32), dofs)
        return Residuals(frames, (dear * posed.values).ravel(), np.tile(np.diag(dear), (count, 1)))


@dataclass(frozen=True, slots=True, eq=False)
class KeptDirection:
    """A bone keeps its direction in the world.

    Attributes:
        degrees: what turns.
        joint, below: the bone.
        ways: (F, 3) unit vectors, its directions as they were.
        weight: of the sine of the angle between.
    """

    degrees: Degrees
    joint: int
    below: int
    ways: Float64
    weight: float = 1.0
    name: str = "direction"

    def residuals(self, posed: Posed) -> Residuals:
        """What the directions are off."""
        there = posed.world.positions
        way = there[:, self.below] - there[:, self.joint]
        way = way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12)
        slopes = self.degrees.way_slopes(posed, way, self.joint)
        count = len(way)
        return Residuals(
            np.repeat(np.arange(count, dtype=np.int32), 3),
            self.weight * (way - self.ways).ravel(),
            self.weight * slopes.transpose(0, 2, 1).reshape(3 * count, -1),
        )
