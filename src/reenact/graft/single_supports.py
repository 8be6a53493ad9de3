"""Single supports: when a body stands on one foot alone. By them walking and running are told in step with each other.

In a walk both feet are down between two single supports, in a run none is; what lies between is where gaits differ. Single supports are
found in both, one foot after the other, and never overlap: the nodes L and R of the constraint states (reuse specification 3.5.3).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.analysis.constraint_states import STATES, constraint_states
from reenact.core.foot_plants import FootPlants, intervals_of

_SHORT = 0.05  # seconds: a shorter support is an error of the detector
_GAP = 0.12  # seconds between two supports of the same foot that are one


@dataclass(frozen=True, slots=True)
class SingleSupport:
    """One foot carries the body alone.

    Attributes:
        foot: "left" or "right".
        start, end: half-open range of frames.
        planted: range of frames in which that foot is planted; it holds the support.
        frames: of the clip: a support that touches its ends began earlier or goes on.
    """

    foot: str
    start: int
    end: int
    planted: tuple[int, int]
    frames: int

    @property
    def begins(self) -> bool:
        """It begins within the clip."""
        return self.start > 0

    @property
    def ends(self) -> bool:
        """It ends within the clip."""
        return self.end < self.frames


def find_single_supports(plants: FootPlants) -> tuple[SingleSupport, ...]:
    """All single supports of a motion in order; drop-outs of the detector are closed."""
    states, fps = constraint_states(plants), plants.fps
    found = sorted(
        (start, end, foot)
        for foot, name in (("left", "L"), ("right", "R"))
        for start, end in intervals_of(states == STATES.index(name))
    )
    touches = [one for one in found if one[0] == 0 or one[1] == len(plants)]
    long = [one for one in found if one[1] - one[0] >= _SHORT * fps or one in touches]
    merged: list[tuple[int, int, str]] = []
    for start, end, foot in long:
        if merged and merged[-1][2] == foot and start - merged[-1][1] <= _GAP * fps:
            merged[-1] = merged[-1][0], end, foot
        else:
            merged.append((start, end, foot))
    return tuple(
        SingleSupport(foot, start, end, _planted(plants.foot(foot).plant, start, end), len(plants))
        for start, end, foot in merged
    )


def _planted(mask: np.ndarray, start: int, end: int) -> tuple[int, int]:
    """The planted frames round a support."""
    while start > 0 and mask[start - 1]:
        start -= 1
    while end < len(mask) and mask[end]:
        end += 1
    return start, end


def cycle_frames(supports: tuple[SingleSupport, ...]) -> float:
    """Frames of a gait cycle: the median from one support of a foot to the next of the same foot; 0 without two of them."""
    found = []
    for foot in ("left", "right"):
        own = [0.5 * (one.start + one.end) for one in supports if one.foot == foot and one.begins and one.ends]
        found += np.diff(own).tolist()
    return float(np.median(found)) if found else 0.0
