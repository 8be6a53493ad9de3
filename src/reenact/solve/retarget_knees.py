"""Knees of a recording that stand bent the wrong way, straightened on another skeleton.

Some skeletons are fitted so that a straight leg reads as bent backwards by ten degrees and more. There it is seen by nobody; on another
body, whose legs must bend a little further to reach their feet, it becomes a knee that is bent the wrong way for all to see. Such knees are
bent forwards by a small constant angle, half of it in the thigh, so that the ankles stay about where they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip, World
from reenact.solve.feet import Foot

_SELDOM = 5.0  # per cent of the frames in which a knee is straighter than its straightest
_LEAST, _MOST = np.radians(3.0), np.radians(25.0)


def bends_backwards(mapped: Clip, feet: Sequence[Foot], world: World | None = None) -> dict[str, float]:
    """Side -> radians that the knee of a mapped motion is bent the wrong way where it is straightest; those that are not are left out.

    `world` is its forward kinematics in float64, when at hand.
    """
    world, found = mapped.world(np.float64) if world is None else world, {}
    left, right = (world.positions[:, mapped.skeleton.roles[role]] for role in ("left_upper_leg", "right_upper_leg"))
    across = left - right
    for foot in feet:
        hip, knee, ankle = (world.positions[:, joint] for joint in (foot.leg.root, foot.leg.mid, foot.leg.end))
        thigh, shank = knee - hip, ankle - knee
        hinge = R.rotate(world.rotations[:, foot.leg.root], foot.hinge)
        wrong = np.arctan2(np.einsum("fi,fi->f", np.cross(thigh, shank), hinge), np.einsum("fi,fi->f", thigh, shank))
        if float(np.einsum("fi,fi->f", hinge, across).mean()) > 0.0:
            continue  # the target never bends this knee the right way, and does not tell which way that is
        most = float(np.percentile(wrong, 100.0 - _SELDOM))
        if most > _LEAST:
            found[foot.side] = min(most, float(_MOST))
    return found


def bend_forwards(turned: dict[int, Float], foot: Foot, angle: float) -> None:
    """Bend a knee forwards by an angle in radians, in place; `turned` has joint -> (F, 4) its rotation in the world."""
    thigh, shank = foot.leg.root, foot.leg.mid
    if thigh not in turned or shank not in turned:
        return
    hinge = R.rotate(turned[thigh], foot.hinge)
    turned[thigh] = R.multiply(R.exp(0.5 * angle * hinge), turned[thigh])
    turned[shank] = R.multiply(R.exp(-0.5 * angle * hinge), turned[shank])
