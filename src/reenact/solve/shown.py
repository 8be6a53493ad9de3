"""A source, and which of its frames a result shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Float, Int
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A source, and what a result shows of it.

    Attributes:
        clip: on the skeleton of the result, at its rate.
        plants: its foot plants; None where they are not known.
        frames: (F,) the source's frame that each frame of the result shows, or -1.
        weights: (F,) of a blend, how much of the source each frame shows; None: planted feet are one source's or the other's.
    """

    clip: Clip
    plants: FootPlants | None
    frames: Int
    weights: Float | None = None

    @property
    def share(self) -> float:
        """Of the source's frames, how many are shown: from the first to the last."""
        shown = self.frames[self.frames >= 0]
        return float(len(np.unique(shown))) / max(len(self.clip), 1) if len(shown) else 0.0
