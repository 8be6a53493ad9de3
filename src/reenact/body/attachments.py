"""What hangs on the joints of a character and is no mesh: cameras, lights, empty nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Float64, frozen
from reenact.errors import ParameterError


@dataclass(frozen=True, slots=True, eq=False)
class Attachment:
    """A node that follows a joint.

    Attributes:
        name: for people.
        joint: the joint it follows.
        place: (4, 4) float64, the joint's frame from its own.
        camera: glTF's JSON of a camera, or empty.
        light: JSON of a light of KHR_lights_punctual, or empty.
    """

    name: str
    joint: int
    place: Float64
    camera: str = ""
    light: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", frozen(self.place, np.float64, (4, 4), "place"))
        if not np.isfinite(self.place).all() or np.linalg.det(self.place[:3, :3]) == 0:
            raise ParameterError(f"the place of {self.name!r} cannot be inverted", where="place")
