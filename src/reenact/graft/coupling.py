"""What keeps a grafted upper body upright on another pelvis: the difference of the pelvises, spread along the spine.

A spine's rotations are told from the pelvis. Copied onto a pelvis that is tilted or turned otherwise they tip the whole upper body by
that difference; so `local`, the way of the thesis, lets a body lean and twist that never did. The other ways ask for the chest as the
source holds it against its heading, and let the joints of the spine take up the difference, the lowest most of it (after
the alignment of torsos by Heck, Kovar and Gleicher 2006). A head grafted alone keeps the source's gaze by the same means, along the neck.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip, World
from reenact.core.heading import headings
from reenact.core.skeleton import Skeleton
from reenact.core.smoothing import smooth

_LOW = 3  # how much the difference is taken up low in the spine: with 1 evenly, and then the trunk still leans by half of it
_CALM = 0.2  # seconds, width of the low-pass over the heading
_SWAY = 0.2  # radians: hips that are turned farther from where they are on average do not sway but turn
_NOTHING = 1e-6  # radians: a smaller difference is none, so that equal motions stay equal to the last bit


@dataclass(frozen=True, slots=True, eq=False)
class Coupled:
    """Local rotations (F, J, 4) after the difference was spread, and how large it was in each frame, (F,) radians."""

    rotations: Float
    turns: Float


def spread_turn(skeleton: Skeleton, rotations: Float, world: World, joints: Sequence[int], wanted: Float) -> Coupled:
    """Turn the end of a way of joints as wanted in the world, all joints taking a share of it, the first one most.

    Args:
        skeleton: the joints.
        rotations: (F, J, 4) float64 local rotations.
        world: forward kinematics of them.
        joints: a way down the tree; the last one is turned as wanted, what hangs on it follows.
        wanted: (F, 4) world rotations of the last joint.
    """
    turn = R.multiply(wanted, R.conjugate(world.rotations[:, joints[-1]]))
    turn = np.where(turn[:, :1] < 0, -turn, turn)
    size = np.linalg.norm(R.log(turn), axis=-1)
    turned = size > _NOTHING
    if not turned.any():
        return Coupled(rotations, size)
    result = rotations.copy()
    above = world.rotations[:, int(skeleton.parents[joints[0]])]
    for number, joint in enumerate(joints, start=1):
        share = R.exp(R.log(turn) * (1.0 - (1.0 - number / len(joints)) ** _LOW))
        placed = R.multiply(share, world.rotations[:, joint])
        local = R.normalize(R.multiply(R.conjugate(above), placed))
        result[:, joint] = np.where(turned[:, None], local, rotations[:, joint])
        above = placed
    return Coupled(result, size)


def calm_headings(clip: Clip) -> Float:
    """(F,) radians, where a body is facing: the heading of its hips without the sway of the gait, but with turns, however fast.

    A low-pass alone falls behind a spin in the air and would twist the waist by the difference.
    """
    raw = headings(clip)
    calm = smooth(raw, _CALM * clip.fps)
    sway = raw - calm
    return calm + sway - _SWAY * np.tanh(sway / _SWAY)


def held_against_heading(rotations: Float, heading: Float, new_heading: Float) -> Float:
    """(F, 4) world rotations turned about the vertical from one heading (F,) to another, in radians."""
    return R.multiply(R.about_y(new_heading - heading), rotations)
