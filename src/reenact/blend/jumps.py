"""The jumps of a motion: times with both feet in the air in which the body rises.

A run flies too, but its hips hardly rise while it does (4 cm at the most, where the lowest hop of a recording rises by 7).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Bool
from reenact.core.clip import Clip
from reenact.core.cutting import leg_length
from reenact.core.foot_plants import FootPlants, intervals_of

_RISE = 0.07  # leg lengths by which the hips rise over where they are when the feet leave the floor and come down
_LEAST = 0.1  # seconds in the air


@dataclass(frozen=True, slots=True)
class Jump:
    """A flight of the body.

    Attributes:
        start: first frame in which no foot stands.
        end: first frame in which one stands again.
        rise: metres, how far the hips rise.
    """

    start: int
    end: int
    rise: float


def find_jumps(clip: Clip, plants: FootPlants) -> list[Jump]:
    """The jumps of a clip in order of time; those that are not seen whole are none."""
    in_air = ~(plants.left.plant | plants.right.plant)
    height, least = clip.root[:, 1], _RISE * leg_length(clip)
    found = []
    for start, end in intervals_of(in_air):
        if start == 0 or end == len(in_air) or end - start < _LEAST * clip.fps:
            continue
        rise = float(height[start:end].max() - max(height[start], height[end - 1]))
        if rise >= least:
            found.append(Jump(start, end, rise))
    return found


def jumping_frames(clip: Clip, plants: FootPlants | None, around: float) -> Bool:
    """(F,) frames in a jump, and those less than `around` seconds from one."""
    mask, wide = np.zeros(len(clip), np.bool_), round(around * clip.fps)
    for jump in [] if plants is None else find_jumps(clip, plants):
        mask[max(jump.start - wide, 0) : jump.end + wide] = True
    return mask
