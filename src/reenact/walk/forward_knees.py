"""Knees that a seam bends the wrong way, bent the right way: as far, so that the feet stay where they are.

What is repeated is blended at its seam, and a leg that is straight there may be bent through by two or three degrees, though no frame of
the recording is.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip
from reenact.edit.limb_range import Hinge, bent_by
from reenact.solve.feet import Foot, track_foot
from reenact.solve.holding import FootHold
from reenact.solve.placing import place_feet
from reenact.walk.walk_study import knee_turns

_RECORDED = np.radians(1.0)  # a recording that bends a knee the wrong way by more than that keeps it
_WRONG = np.radians(0.3)  # what is bent the wrong way by less is straight


def with_forward_knees(clip: Clip, feet: tuple[Foot, ...], recorded: Float) -> Clip:
    """The clip with knees bent the right way where they were straight or bent so in the recording.

    Args:
        clip: the motion.
        feet: both.
        recorded: (2,) radians that the knees are bent the wrong way there.
    """
    world = clip.world(np.float64)
    rotations, wrong = clip.rotations.astype(np.float64), list[Bool]()
    for foot, own in zip(feet, recorded, strict=True):
        turns = knee_turns(foot, world)
        wrong.append((turns < 0.0) & (turns.min() < -_WRONG) & (own < _RECORDED))
        more = np.where(wrong[-1], -2.0 * turns, 0.0)
        mid = foot.leg.mid
        rotations[:, mid] = bent_by(clip, world, rotations[:, mid], Hinge(foot.leg, foot.hinge), more)
    if not any(mask.any() for mask in wrong):
        return clip
    bent = replace(clip, rotations=rotations.astype(np.float32))
    there, holds = bent.world(np.float64), []
    for foot, mask in zip(feet, wrong, strict=True):
        own, now = track_foot(world, foot), track_foot(there, foot)
        turn = R.multiply(own.foot, R.conjugate(now.foot))
        holds.append(FootHold(foot, own.ankle - now.ankle, turn, np.zeros(len(clip), np.bool_), mask, (), now, None))
    return place_feet(bent, there, holds, most=0.0, reach_only=True).clip
