"""How high a body stands: on stairs or on a box higher than on the floor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.blend.grounding import lowest_points
from reenact.core.arrays import Float, Float64
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.solve.feet import find_feet

_BUT_FOR = 0.1  # of the time in which both stand: a plant may begin a little sooner than the foot is down


def standing_heights(clips: Sequence[Clip], plants: Sequence[FootPlants | None]) -> list[Float64]:
    """For each motion of one skeleton (F,) metres, how high its lowest foot is; no number where no foot stands."""
    feet, found = find_feet(clips[0].skeleton, *clips), []
    for clip, own in zip(clips, plants, strict=True):
        height = np.full(len(clip), np.nan)
        if feet and own is not None:
            stands = own.left.plant | own.right.plant
            height[stands] = lowest_points(clip, feet)[stands]
        found.append(height)
    return found


def heights_apart(one: Float, other: Float) -> float:
    """Metres by which one body stands higher than the other in corresponding frames (N,), but for a tenth of those in which both stand."""
    apart = np.abs(one - other)
    apart = apart[np.isfinite(apart)]
    return float(np.quantile(apart, 1 - _BUT_FOR)) if len(apart) else 0.0
