"""Foot plants of sources and of results: detected once, then carried, never detected again on what was made."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.errors import ParameterError


def known_plants(
    clip: Clip, plants: FootPlants | None, *, wanted: bool = True, detector: str = "adaptive"
) -> FootPlants | None:
    """The plants given, checked, else those that travel with the clip, else detected ones; None when not wanted or without feet.

    Of plants that a detector found, here or before, feet that turn keep the point they turn about (`pivots`); plants that were planned,
    carried or given by hand are left as they are. Of a motion in place nothing stands (`FootPlants.standing`).
    """
    from reenact.analysis.pivots import let_pivot
    from reenact.analysis.plants import DETECTORS, detect_plants

    plants = clip.plants if plants is None else plants
    if plants is None:
        if not wanted or not {"left_foot", "right_foot"} & set(clip.skeleton.roles):
            return None
        plants = detect_plants(clip, detector)
    elif len(plants) != len(clip):
        raise ParameterError(f"the plants have {len(plants)} frames, the clip {len(clip)}", where=clip.name)
    return let_pivot(plants, clip) if plants.source in DETECTORS else plants.standing()


def one_for_each(plants: Sequence[FootPlants | None] | None, clips: Sequence[Clip]) -> list[FootPlants | None]:
    """Plants for each of the clips, None for those that are not known.

    Raises:
        ParameterError: another number of them.
    """
    if plants is None:
        return [None] * len(clips)
    if len(plants) != len(clips):
        raise ParameterError(f"{len(plants)} sets of foot plants for {len(clips)} clips", where="plants")
    return list(plants)


def fit_plants(plants: FootPlants | None, fps: float, clip: Clip) -> FootPlants | None:
    """Plants of a clip that was brought to another rate: those of the nearest frames."""
    if plants is None or len(plants) == len(clip):
        return plants
    at = np.clip(np.rint(np.arange(len(clip)) * fps / clip.fps).astype(int), 0, len(plants) - 1)
    return plants.picked(at, clip.fps)
