"""Cutting a clip and joining clips end to end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from reenact.core.clip import Clip, JointTranslations
from reenact.core.foot_plants import join_plants
from reenact.core.parameters import check_ranges, option
from reenact.core.placement import advance, place_at, placement_of, root_increments
from reenact.core.resample import ResampleParameters, resample
from reenact.errors import ParameterError, SkeletonError


@dataclass(frozen=True, slots=True)
class CutParameters:
    """A half-open range of frames; negative numbers count from the end."""

    start: int = option(0, "first frame kept; negative counts from the end", unit="frames", moment="start")
    end: int | None = option(
        None, "frame after the last one kept; negative counts from the end", unit="frames", moment="end"
    )

    def __post_init__(self) -> None:
        check_ranges(self)


def cut(clip: Clip, parameters: CutParameters) -> Clip:
    """Frames [start, end) of a clip."""
    count = len(clip)
    start = parameters.start + count if parameters.start < 0 else parameters.start
    end = count if parameters.end is None else parameters.end + count if parameters.end < 0 else parameters.end
    if not 0 <= start < end <= count:
        raise ParameterError(
            f"frames {parameters.start} to {parameters.end if parameters.end is not None else count} are not a part of "
            f"the clip, which has frames 0 to {count}"
            + ("; a part begins before it ends" if end <= start < count else ""),
            where=clip.name,
        )
    return cut_frames(clip, start, end)


@dataclass(frozen=True, slots=True)
class JoinParameters:
    """How the next clip is set onto the one before it."""

    place: Literal["continue", "keep"] = option(
        "continue",
        "continue: each clip goes on from where the one before ended; keep: it stays where it was recorded",
    )

    def __post_init__(self) -> None:
        check_ranges(self)


def concatenate(clips: Sequence[Clip], parameters: JoinParameters | None = None) -> Clip:
    """Clips of one skeleton one after the other, at the first one's frame rate. Poses jump at the seams: this does not blend.

    Raises:
        SkeletonError: a skeleton differs from the first; `edit.join` brings clips onto one skeleton first.
    """
    parameters = parameters or JoinParameters()
    if not clips:
        raise ParameterError("nothing to join: give at least one clip")
    first = clips[0]
    parts = [first]
    for clip in clips[1:]:
        if not clip.same_body(first):
            differ = first.skeleton.difference(clip.skeleton) or "other lengths or directions of bones"
            raise SkeletonError(f"the skeletons of {clip.name!r} and {first.name!r} differ ({differ})", where=clip.name)
        fitted = match_rate(clip, first)
        if parameters.place == "continue":
            seam = advance(placement_of(parts[-1], -1), root_increments(fitted)[0])
            fitted = place_at(fitted, seam.position, seam.heading)
        parts.append(fitted)
    joined = replace(
        first,
        rotations=np.concatenate([part.rotations for part in parts]),
        root=np.concatenate([part.root for part in parts]),
        translations=_join_translations(parts),
        name="+".join(clip.name for clip in clips),
    )
    known = [part.plants for part in parts if part.plants is not None]
    return joined.with_plants(join_plants(known)) if len(known) == len(parts) else joined


def match_rate(clip: Clip, target: Clip) -> Clip:
    """A clip at the frame rate of another; the clip itself where it has that."""
    if abs(clip.fps - target.fps) <= 1e-6 * target.fps:
        return clip
    return resample(clip, ResampleParameters(fps=target.fps))


def leg_length(clip: Clip) -> float:
    """Hip to ankle in metres along the bones of the left leg by roles; without roles, the sum of all bone lengths."""
    skeleton = clip.skeleton
    lengths = np.linalg.norm(skeleton.offsets, axis=1)
    if skeleton.has_roles("left_upper_leg", "left_foot"):
        top, joint, total = skeleton.roles["left_upper_leg"], skeleton.roles["left_foot"], 0.0
        while joint != top and joint > 0:
            total += lengths[joint]
            joint = int(skeleton.parents[joint])
        if total > 0:
            return float(total)
    return float(max(lengths[1:].sum(), 1e-9))


def _join_translations(parts: Sequence[Clip]) -> JointTranslations | None:
    joints = sorted(
        {int(joint) for part in parts if part.translations is not None for joint in part.translations.joints}
    )
    if not joints:
        return None
    blocks = []
    for part in parts:
        block = np.tile(part.skeleton.offsets[joints].astype(np.float32), (len(part), 1, 1))
        if part.translations is not None:
            block[:, np.searchsorted(joints, part.translations.joints)] = part.translations.values
        blocks.append(block)
    return JointTranslations(np.array(joints, np.int32), np.concatenate(blocks))


def cut_frames(clip: Clip, start: int, end: int) -> Clip:
    """Frames [start, end) of a clip, which must be there: nothing is checked."""
    moved, plants = clip.translations, clip.plants
    part = replace(
        clip,
        rotations=clip.rotations[start:end],
        root=clip.root[start:end],
        translations=None if moved is None else moved[start:end],
    )
    return part if plants is None else part.with_plants(plants.cut(start, end))
