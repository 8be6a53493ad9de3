"""Bringing motions together before they are blended: one skeleton, one rate, one floor."""

from __future__ import annotations

from collections.abc import Sequence

from reenact.analysis.carried_plants import known_plants
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.rooting import carry_root
from reenact.errors import ParameterError
from reenact.solve.bringing import bring_onto

FEWEST_FRAMES = 4


def bring_together(
    clips: Sequence[Clip], plants: Sequence[FootPlants | None] | None = None
) -> tuple[tuple[Clip, ...], tuple[FootPlants | None, ...]]:
    """The clips on the first one's skeleton, at its rate and on its floor, and their foot plants.

    Args:
        clips: two or more; same joints, bone lengths, directions of bones and rates may differ.
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
    known = [known_plants(clip, own) for clip, own in zip(clips, given, strict=True)]
    brought = [bring_onto(clip, clips[0], own, known[0]) for clip, own in zip(clips[1:], known[1:], strict=True)]
    together = (clips[0], *(one.clip for one in brought))
    return tuple(carry_root(clip) for clip in together), (known[0], *(one.plants for one in brought))
