"""A point that is fixed to a joint, such as a heel to a foot."""

from __future__ import annotations

from dataclasses import dataclass

from reenact.core.arrays import Float64


@dataclass(frozen=True, slots=True, eq=False)
class FootPoint:
    """A point fixed to a joint.

    Attributes:
        joint: the joint.
        place: (3,) float64 metres in the joint's frame.
    """

    joint: int
    place: Float64
