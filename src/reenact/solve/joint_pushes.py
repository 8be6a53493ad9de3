"""How hard each joint is pushed: its acceleration in the world, and what of that is a glitch of a recording.

A joint of a result is compared with the same joint of its sources. The largest acceleration of any joint says nothing: a foot that lands
outshouts every knee that pops. And one frame in which a marker jumped must not make room for pops of any size, so such frames are found
and left out of what a joint is compared with.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact import kernels
from reenact.core import filters
from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip, World
from reenact.core.derivatives import differentiate_twice

LEAST_PUSH = 1.0
"""m/s^2: joints that are pushed less in their sources count as if they were pushed so much; they stand still."""

_AROUND = 0.2  # seconds on either side of a frame that tell what is usual there
_HOLE = 3  # frames around a glitch that it disturbs itself
_ISOLATED = 4.0  # times the largest push around it: that is no motion
_LEAST_GLITCH = 30.0  # m/s^2
_COMES_BACK = 0.7  # of a push: what is left when those around it are added


def joint_pushes(clip: Clip, world: World | None = None, joints: Sequence[int] | None = None) -> Float:
    """(F, J) m/s^2, the world acceleration of every joint, or of some; the first and last frame have none.

    `world` is the clip's forward kinematics in float64, when at hand.
    """
    return _sizes(_places(clip, world), joints, clip.fps)


def _places(clip: Clip, world: World | None) -> Float:
    return (clip.world(np.float64) if world is None else world).positions


def _sizes(places: Float, joints: Sequence[int] | None, fps: float) -> Float:
    """(F, J) m/s^2."""
    asked = np.arange(places.shape[1], dtype=np.int32) if joints is None else np.array(joints, np.int32)
    if len(places) < 3:
        return np.zeros((len(places), len(asked)))
    return kernels.pushes.sizes(np.ascontiguousarray(places, dtype=np.float64), asked, fps)


def _accelerations(places: Float, joints: Sequence[int], fps: float) -> Float:
    """(F, J, 3) m/s^2 of some joints; none in the first and last frame."""
    vectors = differentiate_twice(places[:, list(joints)], fps)
    vectors[[0, -1]] = 0.0  # one-sided there, which only makes noise larger
    return vectors


def find_glitches(clip: Clip) -> Bool:
    """(F, J) frames in which a joint is pushed to and fro, several times harder than at any moment shortly before and after.

    A foot that lands is pushed once; what jumps out of its way and comes back, or jumps and goes on as before, is pushed as much the
    other way at once. At the ends of a clip, where the other way is not seen, what is several times harder is one anyhow: a first frame
    that belongs to something else.
    """
    places = _places(clip, None)
    return _glitches(places, range(places.shape[1]), _sizes(places, None, clip.fps), clip.fps)


def _glitches(places: Float, joints: Sequence[int], pushes: Float, fps: float) -> Bool:
    """The same for some joints by their places (F, all, 3) and how hard they are pushed (F, J)."""
    found = np.zeros(pushes.shape, np.bool_)
    if len(places) < 5:
        return found
    reach = max(round(_AROUND * fps), _HOLE + 2)
    columns = np.flatnonzero((pushes > _LEAST_GLITCH).any(axis=0))
    if not len(columns):
        return found
    width = reach - _HOLE  # frames on either side, beyond the hole
    padded = np.pad(pushes[:, columns], ((reach, reach), (0, 0)))
    most = filters.maximum(padded, width, axis=0, edge="constant")
    middle = width // 2  # `most[m]` covers frames m - middle ... m - middle + width - 1
    at = np.arange(len(pushes)) + reach
    usual = np.maximum(most[at - reach + middle], most[at + _HOLE + 1 + middle])
    here = pushes[:, columns]
    vectors = _accelerations(places, [joints[int(column)] for column in columns], fps)
    left = (2 * _HOLE - 1) * filters.mean(vectors, 2 * _HOLE - 1, axis=0, edge="constant")
    back = np.linalg.norm(left, axis=2) < _COMES_BACK * here
    back[:_HOLE] = back[-_HOLE:] = True  # at an end one does not see it come back
    peak = (here > _LEAST_GLITCH) & (here > _ISOLATED * usual) & (usual > 0) & back
    # the frames a glitch disturbs beside its peak belong to it
    near = filters.maximum(peak, 5, axis=0, edge="constant")
    found[:, columns] = near & (here > 0.5 * _ISOLATED * usual) & (here > _LEAST_GLITCH)
    return found


def around(pushes: Float, frames: int = 3) -> Float:
    """(F, J) the hardest push within so many frames on either side: a glitch that is played may come a little sooner or later."""
    return filters.maximum(pushes, 2 * frames + 1, axis=0, edge="nearest")


def usual_pushes(clips: Sequence[Clip]) -> Float:
    """(J,) m/s^2, the hardest push of each joint in any of the clips, glitches left out; at least `LEAST_PUSH`."""
    most = np.full(len(clips[0].skeleton), LEAST_PUSH)
    for clip in clips:
        np.maximum(most, usual_pushes_of(clip), out=most)
    return most


def usual_pushes_of(clip: Clip, world: World | None = None, joints: Sequence[int] | None = None) -> Float:
    """(J,) the same for one clip, and for some joints alone; `world` is its forward kinematics in float64, when at hand."""
    return pushes_and_usual(clip, world, joints)[1]


def pushes_and_usual(
    clip: Clip, world: World | None = None, joints: Sequence[int] | None = None
) -> tuple[Float, Float]:
    """(F, J) what `joint_pushes` gives, and (J,) what `usual_pushes_of` gives."""
    places = _places(clip, world)
    pushes = _sizes(places, joints, clip.fps)
    glitches = _glitches(places, range(places.shape[1]) if joints is None else joints, pushes, clip.fps)
    usual = np.where(glitches, 0.0, pushes) if glitches.any() else pushes
    return pushes, np.maximum(usual.max(axis=0, initial=0.0), LEAST_PUSH)


def joint_accelerations(clip: Clip) -> Float:
    """(F,) m/s^2, the hardest push of any joint in every frame."""
    return joint_pushes(clip).max(axis=1, initial=0.0)
