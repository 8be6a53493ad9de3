"""How a motion keeps its balance on a body, and `reenact balance`: motions whose weight stays as near to the soles as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reenact.adapt.balancing_moves import Balanced, keep_balance
from reenact.adapt.stages import study
from reenact.adapt.support_area import SupportAreas, support_areas
from reenact.adapt.zmp import ZeroMoment, distances_to_support, zero_moment
from reenact.body.character import Character
from reenact.body.masses import BodyMasses, Source, body_masses
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants

_ENDS = 0.15  # seconds at both ends of a clip in which accelerations are guesses


@dataclass(frozen=True, slots=True, eq=False)
class BalanceOf:
    """The balance of a motion.

    Attributes:
        moment: the zero-moment point.
        areas: the ground it stands on.
        distances: (F,) metres from one to the other; not a number in flight, where no foot stands, and at the ends of the clip.
    """

    moment: ZeroMoment
    areas: SupportAreas
    distances: Float

    @property
    def mean(self) -> float:
        """Metres, over the frames in which it is known; 0 where there is none."""
        known = self.distances[np.isfinite(self.distances)]
        return float(known.mean()) if len(known) else 0.0

    @property
    def spread(self) -> float:
        """Metres, standard deviation."""
        known = self.distances[np.isfinite(self.distances)]
        return float(known.std()) if len(known) else 0.0

    def row(self) -> dict[str, Any]:
        """Plain values, centimetres."""
        known = np.isfinite(self.distances)
        return {
            "mean_cm": round(100 * self.mean, 2),
            "sd_cm": round(100 * self.spread, 2),
            "known": round(float(known.mean()), 3) if len(known) else 0.0,
        }


def measure_balance(
    clip: Clip,
    character: Character,
    plants: FootPlants,
    masses: BodyMasses | None = None,
    source: Source = "integrated",
) -> BalanceOf:
    """The balance of a motion of a character.

    Args:
        clip: the motion, on the character's skeleton.
        character: the body, whose soles and masses count.
        plants: when its feet are planted.
        masses: of the body; default: of `source`.
        source: see `body.masses.body_masses`.
    """
    world = clip.world(np.float64)
    weights = body_masses(character, source) if masses is None else masses
    moment = zero_moment(weights, world, clip.fps, plants.floor.height)
    areas = support_areas(character, world, plants)
    distances = distances_to_support(moment, areas)
    ends = min(round(_ENDS * clip.fps), len(clip) // 3)
    distances[:ends] = distances[len(clip) - ends :] = np.nan
    return BalanceOf(moment, areas, distances)


def balanced(
    clip: Clip,
    character: Character,
    plants: FootPlants,
    allowed: Sequence[float] | Float,
    *,
    factor: float = 1.0,
    spacing: float = 0.12,
) -> Balanced:
    """Corrections by which the zero-moment point of a motion is no farther from its soles than allowed.

    Args:
        clip: the motion.
        character: its body.
        plants: when its feet are planted.
        allowed: (F,) metres, the distances of the recording.
        factor: of these distances.
        spacing: seconds from one control point to the next.
    """
    return keep_balance(
        study(clip, spacing), character, body_masses(character), plants, factor * np.asarray(allowed, np.float64),
        plants.floor.height,
    )  # fmt: skip
