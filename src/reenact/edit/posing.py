"""Poses between frames and between clips, of other bodies, too."""

from __future__ import annotations

from collections.abc import Sequence

from reenact.analysis.carried_plants import known_plants
from reenact.core import pose_sampling
from reenact.core.clip import Clip
from reenact.core.pose_sampling import PoseParameters
from reenact.errors import ParameterError
from reenact.solve.bringing import put_on_skeleton


def take_poses(clips: Sequence[Clip], parameters: PoseParameters | None = None) -> Clip:
    """Poses of one clip, or between two, as a clip at the rate of the first; see `core.pose_sampling`.

    A second clip of another body is brought onto the skeleton and the floor of the first. Its frames are those of the recording.
    """
    asked = parameters or PoseParameters()
    if len(clips) == 1 and asked.second_at:
        raise ParameterError("frames of a second clip, but one clip was given", where="second_at")
    if len(clips) == 2 and not clips[1].same_body(clips[0]) and clips[1].skeleton.same_tree(clips[0].skeleton):
        first, second = clips
        clips = [first, put_on_skeleton(second, first, known_plants(second, None), known_plants(first, None)).clip]
    return pose_sampling.take_poses(clips, asked)
