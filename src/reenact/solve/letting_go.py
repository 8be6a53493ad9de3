"""Plants that are better let go: a leg does not reach them, or holding them pushes a joint much harder than it is pushed by itself.

A foot that skates as recorded for a moment is seen less than a knee that pops.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip
from reenact.core.foot_plants import intervals_of
from reenact.solve.holding import FootHold
from reenact.solve.joint_pushes import joint_pushes

_SOONER = 0.025  # seconds a plant is cut shorter than needed, so that the foot is on its way
_TOO_HARD = 1.2  # times what a joint does by itself, from which on a plant is let go
_TRIM = 0.05  # seconds by which a plant is cut shorter where its end pushes a joint too hard


def out_of_reach(planted: Bool, away: Float, fps: float, most: float = 0.002) -> Bool:
    """(F,) frames in which plants that a leg does not reach are let go.

    Args:
        planted: (F,) frames in which the foot is held.
        away: (F,) metres by which its ankle misses.
        fps: frames per second.
        most: metres it may miss.
    """
    free, early = np.zeros(len(away), np.bool_), max(round(_SOONER * fps), 1)
    for start, end in intervals_of(planted):
        bad = start + np.flatnonzero(away[start:end] > most)
        if not len(bad):
            continue
        if bad[0] - start >= end - 1 - bad[-1]:
            free[max(bad[0] - early, start) : end] = True
        else:
            free[start : min(bad[-1] + 1 + early, end)] = True
    return free


def pushed_too_hard(after: Clip, holds: Sequence[FootHold], allowed: Float, *, whole: bool = False) -> dict[str, Bool]:
    """Side -> (F,) frames in which plants are let go because holding them pushes a joint much harder than it is pushed by itself.

    Args:
        after: the motion with its feet held.
        holds: what was done to each foot.
        allowed: (F, J) m/s^2.
        whole: let go of whole plants instead of cutting them shorter.
    """
    ratios = joint_pushes(after) / allowed
    free = {hold.foot.side: np.zeros(len(after), np.bool_) for hold in holds}
    trim = max(round(_TRIM * after.fps), 2)
    bad = np.argwhere(ratios > _TOO_HARD)
    if not len(bad):
        return free
    legs = {hold.foot.side: set(after.skeleton.subtree(hold.foot.leg.root)) for hold in holds}
    for start, end in intervals_of((ratios > _TOO_HARD).any(axis=1)):
        frame, joint = np.unravel_index(int(np.argmax(ratios[start:end])), ratios[start:end].shape)
        frame = start + int(frame)
        near = [hold for hold in holds if int(joint) in legs[hold.foot.side]] or holds
        found = [(abs(frame - edge), hold, run) for hold in near for run in intervals_of(hold.planted) for edge in run]
        inside = [
            (min(frame - run[0], run[1] - frame), hold, run) for _, hold, run in found if run[0] <= frame < run[1]
        ]
        if not (inside or found):
            continue
        _, hold, (first, last) = min(inside or found, key=lambda one: one[0])
        mask = free[hold.foot.side]
        if whole or last - first <= 3 * trim:
            mask[first:last] = True
        elif min(frame - first, last - frame) > 2 * trim:  # in the middle of a long plant: it becomes two
            mask[frame - trim : frame + trim] = True
        elif frame - first < last - frame:
            mask[first : max(frame, first) + trim] = True
        else:
            mask[min(frame, last) - trim : last] = True
    return free
