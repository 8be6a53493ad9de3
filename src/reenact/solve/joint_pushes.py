"""How hard each joint is pushed: its acceleration in the world, and what of that is a glitch of a recording.

A joint of a result is compared with the same joint of its sources. The largest acceleration of any joint says nothing: a foot that lands
outshouts every knee that pops. And one frame in which a marker jumped must not make room for pops of any size, so such frames are found
and left out of what a joint is compared with.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip
from reenact.core.derivatives import differentiate_twice

LEAST_PUSH = 1.0
"""m/s^2: joints that are pushed less in their sources count as if they were pushed so much; they stand still."""

_AROUND = 0.2  # seconds on either side of a frame that tell what is usual there
_HOLE = 3  # frames around a glitch that it disturbs itself
_ISOLATED = 4.0  # times the largest push around it: that is no motion
_LEAST_GLITCH = 30.0  # m/s^2


def joint_pushes(clip: Clip) -> Float:
    """(F, J) m/s^2, the world acceleration of every joint; the first and last frame have none."""
    if len(clip) < 3:
        return np.zeros((len(clip), len(clip.skeleton)))
    pushes = np.linalg.norm(differentiate_twice(clip.world(np.float64).positions, clip.fps), axis=2)
    pushes[[0, -1]] = 0.0  # one-sided there, which only makes noise larger
    return pushes


def find_glitches(pushes: Float, fps: float) -> Bool:
    """(F, J) frames in which a joint is pushed several times harder than at any moment shortly before and after.

    Args:
        pushes: (F, J) m/s^2, see `joint_pushes`.
        fps: frames per second.
    """
    found = np.zeros(pushes.shape, np.bool_)
    reach = max(round(_AROUND * fps), _HOLE + 2)
    hard = np.argwhere(pushes > _LEAST_GLITCH)
    if not len(hard):
        return found
    from scipy.ndimage import maximum_filter1d

    width = reach - _HOLE  # frames on either side, beyond the hole
    columns = np.unique(hard[:, 1])
    padded = np.pad(pushes[:, columns], ((reach, reach), (0, 0)))
    most = maximum_filter1d(padded, width, axis=0, mode="constant")
    middle = width // 2  # `most[m]` covers frames m - middle ... m - middle + width - 1
    at = np.arange(len(pushes)) + reach
    before, after = most[at - reach + middle], most[at + _HOLE + 1 + middle]
    usual = np.maximum(before, after)
    here = pushes[:, columns]
    found[:, columns] = (here > _LEAST_GLITCH) & (here > _ISOLATED * usual) & (usual > 0)
    # the frames a glitch disturbs beside its peak belong to it
    for _ in range(2):
        beside = np.zeros_like(found)
        beside[1:] |= found[:-1]
        beside[:-1] |= found[1:]
        limit = np.zeros_like(pushes)
        limit[:, columns] = _ISOLATED * usual
        found |= beside & (pushes > 0.5 * limit) & (pushes > _LEAST_GLITCH)
    return found


def around(pushes: Float, frames: int = 3) -> Float:
    """(F, J) the hardest push within so many frames on either side: a glitch that is played may come a little sooner or later."""
    from scipy.ndimage import maximum_filter1d

    return maximum_filter1d(pushes, 2 * frames + 1, axis=0, mode="nearest")


def usual_pushes(clips: Sequence[Clip]) -> Float:
    """(J,) m/s^2, the hardest push of each joint in any of the clips, glitches left out; at least `LEAST_PUSH`."""
    most = np.full(len(clips[0].skeleton), LEAST_PUSH)
    for clip in clips:
        pushes = joint_pushes(clip)
        pushes[find_glitches(pushes, clip.fps)] = 0.0
        np.maximum(most, pushes.max(axis=0, initial=0.0), out=most)
    return most


def joint_accelerations(clip: Clip) -> Float:
    """(F,) m/s^2, the hardest push of any joint in every frame."""
    return joint_pushes(clip).max(axis=1, initial=0.0)
