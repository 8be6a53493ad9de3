"""The pelvis of another skeleton: tilted a little where its legs are not as unlike each other as those of the source.

The legs of one body differ by a centimetre or two, and so do the heights of its ankles above the floor. On a pelvis that is turned just as
the source's one of them would be too short: the body would lean aside, or a knee would straighten with a pop.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reenact.analysis.foot_stance import FootStance
from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.skeleton import Skeleton

_MOST = np.radians(5.0)
_SIDES = ("left", "right")
_LEAST_WIDTH = 0.05  # metres between the hip joints


def pelvis_joints(skeleton: Skeleton) -> set[int]:
    """The hips, and every joint between them and the legs."""
    found = {skeleton.roles["hips"]}
    for side in _SIDES:
        chain = skeleton.ancestors(skeleton.roles[f"{side}_upper_leg"])[1:]
        if skeleton.roles["hips"] in chain:
            found.update(chain[: chain.index(skeleton.roles["hips"])])
    return found


def pelvis_tilt(
    clips: tuple[Clip, Clip], stances: tuple[Mapping[str, FootStance], Mapping[str, FootStance]], scale: float
) -> Float:
    """(4,) the turn of the target's pelvis in the frame of the body (x to the left, z ahead), by which its legs stand as the source's.

    Args:
        clips: a motion of the source and one of the target.
        stances: how the feet of either stand.
        scale: of lengths, from source to target.
    """
    if not all(side in of for of in stances for side in _SIDES):
        return R.identity()
    source, target = (
        _hip_height(clip.skeleton, of["left"]) - _hip_height(clip.skeleton, of["right"])
        for clip, of in zip(clips, stances, strict=True)
    )
    skeleton, places = clips[1].skeleton, clips[1].world(np.float64).positions[0]
    left, right = (places[skeleton.roles[f"{side}_upper_leg"]] for side in _SIDES)
    angle = (target - scale * source) / max(float(np.linalg.norm(left - right)), _LEAST_WIDTH)
    return R.from_axis_angle((0.0, 0.0, 1.0), _MOST * np.tanh(angle / _MOST))


def _hip_height(skeleton: Skeleton, stance: FootStance) -> float:
    """Metres, the height of a hip joint above the floor when its leg stands straight on a flat foot."""
    chain = skeleton.ancestors(stance.foot)
    bones = chain[: chain.index(skeleton.roles[f"{stance.side}_upper_leg"])]
    length = float(np.linalg.norm(skeleton.offsets[list(bones)], axis=1).sum())
    return stance.level - float(stance.ball @ stance.up) + length
