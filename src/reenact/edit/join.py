"""Clips end to end, without blending."""

from __future__ import annotations

from collections.abc import Sequence

from reenact.analysis.carried_plants import known_plants
from reenact.core.clip import Clip
from reenact.core.cutting import JoinParameters, concatenate
from reenact.errors import ParameterError
from reenact.solve.bringing import put_on_skeleton, require_joints


def join(clips: Sequence[Clip], parameters: JoinParameters | None = None) -> Clip:
    """Clips one after the other, on the first one's skeleton and at its frame rate. Poses jump at the seams: this does not blend.

    Clips of one skeleton keep every frame; those of another body are brought onto the first one's (`solve.bringing`).

    Raises:
        ParameterError: no clips.
        SkeletonError: the joints differ; the message says in what.
    """
    if not clips:
        raise ParameterError("nothing to join: give at least one clip")
    first, parts = clips[0], [clips[0]]
    for clip in clips[1:]:
        require_joints(clip, first)
        other = not clip.same_body(first)
        plants, first_plants = (known_plants(one, None, wanted=other) for one in (clip, first))
        parts.append(put_on_skeleton(clip, first, plants, first_plants).clip)
    return concatenate(parts, parameters)
