"""Bringing motions together before they are blended: one skeleton, one rate, one floor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.analysis.carried_plants import fit_plants, known_plants
from reenact.core.clip import Clip
from reenact.core.cutting import fit_to
from reenact.core.foot_plants import FootPlants
from reenact.core.placement import move_rigidly
from reenact.core.rooting import carry_root
from reenact.errors import ParameterError
from reenact.solve.feet import find_feet, track_foot

FEWEST_FRAMES = 4


def bring_together(
    clips: Sequence[Clip], plants: Sequence[FootPlants | None] | None = None
) -> tuple[tuple[Clip, ...], tuple[FootPlants | None, ...]]:
    """The clips on the first one's skeleton, at its rate and on its floor, and their foot plants.

    Args:
        clips: two or more; same joints, bone lengths and rates may differ.
        plants: of the clips as given; detected where None.

    Raises:
        ParameterError: fewer than two clips, a clip of fewer than four frames, or plants that do not fit.
        SkeletonError: the clips have different joints; the message says which.
    """
    if len(clips) < 2:
        raise ParameterError(f"a blend needs two clips or more, {len(clips)} given")
    given = [None] * len(clips) if plants is None else list(plants)
    if len(given) != len(clips):
        raise ParameterError(f"{len(given)} sets of plants for {len(clips)} clips")
    for clip in clips:
        if len(clip) < FEWEST_FRAMES:
            raise ParameterError(
                f"a blend needs clips of at least {FEWEST_FRAMES} frames, this has {len(clip)}", where=clip.name
            )
    fitted = [carry_root(clips[0] if n == 0 else fit_to(clip, clips[0])) for n, clip in enumerate(clips)]
    known = [known_plants(clip, own) for clip, own in zip(clips, given, strict=True)]
    carried = [fit_plants(own, clip.fps, new) for own, clip, new in zip(known, clips, fitted, strict=True)]
    levels = [_level(clip, own) for clip, own in zip(fitted, carried, strict=True)]
    for n, level in enumerate(levels[1:], 1):
        if level is not None and levels[0] is not None and abs(level - levels[0]) > 1e-6:
            fitted[n] = move_rigidly(fitted[n], (0.0, levels[0] - level, 0.0))
    return tuple(fitted), tuple(carried)


def _level(clip: Clip, plants: FootPlants | None) -> float | None:
    """Metres, the median height of the planted points; None when there are none."""
    if plants is None:
        return None
    world = clip.world(np.float64)
    heights = []
    for foot in find_feet(clip.skeleton, clip):
        track, contact = track_foot(world, foot), plants.foot(foot.side)
        heights += [track.heel[contact.heel, 1], track.ball[contact.ball, 1]]
    found = np.concatenate(heights) if heights else np.zeros(0)
    return float(np.median(found)) if len(found) else None
