"""A few places by which a motion is recognised: what was noted down about it is used only while it is still the same motion.

Foot plants lie beside the motion they belong to, in a file of their own or in notes that other programs pass on without looking. When
the motion was edited since, they are wrong. Some joints in some frames tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Float, Int
from reenact.core.clip import Clip
from reenact.core.resample import sample_at

_MOST_FRAMES = 12
_ROLES = ("hips", "left_foot", "right_foot", "left_hand", "right_hand")
_SAME = 0.004  # metres: text formats round


@dataclass(frozen=True, slots=True, eq=False)
class MotionPrint:
    """Where some joints are in some frames.

    Attributes:
        frames: (N,) frames.
        joints: (N,) joints.
        places: (N, 3) metres in the world.
    """

    frames: Int
    joints: Int
    places: Float

    def fits(self, clip: Clip) -> bool:
        """Whether a clip is the motion that this was taken of, but for rounding."""
        if not len(self.frames):
            return True
        if self.frames.max() >= len(clip) or self.joints.max() >= len(clip.skeleton):
            return False
        at, where = np.unique(self.frames, return_inverse=True)
        places = _places(clip, at)[where, self.joints]
        return bool(np.abs(places - self.places).max() < _SAME)


def take_print(clip: Clip) -> MotionPrint:
    """The print of a clip."""
    at = np.unique(np.linspace(0, len(clip) - 1, min(_MOST_FRAMES, len(clip))).round().astype(int))
    joints = sorted({0, *(clip.skeleton.roles[role] for role in _ROLES if role in clip.skeleton.roles)})
    places = _places(clip, at)[:, joints]
    frames = np.repeat(at, len(joints))
    return MotionPrint(frames, np.tile(joints, len(at)), np.round(places.reshape(-1, 3), 4))


def _places(clip: Clip, frames: Int) -> Float:
    """(N, J, 3) the joints in the world in some frames."""
    return sample_at(clip, frames.astype(np.float64), clip.fps).world(np.float64).positions


def print_from_rows(rows: Sequence[Sequence[float]]) -> MotionPrint:
    """A print from rows of frame, joint, x, y, z."""
    table = np.asarray(rows, dtype=np.float64).reshape(-1, 5)
    return MotionPrint(table[:, 0].astype(int), table[:, 1].astype(int), table[:, 2:])


def print_to_rows(seen: MotionPrint) -> list[list[float]]:
    """Rows of frame, joint, x, y, z."""
    return [
        [int(frame), int(joint), *(round(float(number), 4) for number in place)]
        for frame, joint, place in zip(seen.frames, seen.joints, seen.places, strict=True)
    ]
