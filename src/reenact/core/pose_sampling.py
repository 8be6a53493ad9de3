"""Poses between frames, and between clips (reuse 3.1: one clip and two of its frames, two clips and two frames of each).

Each clip is read at a fraction of a frame, positions linear and rotations on the short arc; then the two poses are mixed in the same
way. Everything is worked out in float64, so that a turn sampled densely has an even speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from reenact.core import rotations as R
from reenact.core.arrays import Float64
from reenact.core.clip import Clip, JointTranslations
from reenact.core.parameters import check_ranges, option
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError

RootPlace = Literal["world", "relative"]


@dataclass(frozen=True, slots=True, eq=False)
class SampledPoses:
    """N poses of a skeleton.

    Attributes:
        skeleton: the joints.
        rotations: (N, J, 4) float64 wxyz, local to the parent.
        root: (N, 3) float64 metres.
        moving: (K,) joints that move in their parent's frame.
        places: (N, K, 3) float64 metres, where those are in it.
    """

    skeleton: Skeleton
    rotations: Float64
    root: Float64
    moving: tuple[int, ...]
    places: Float64

    def __len__(self) -> int:
        return len(self.rotations)

    def as_clip(self, fps: float, name: str = "") -> Clip:
        """The poses one after the other, as a clip."""
        moved = None if not self.moving else JointTranslations(np.array(self.moving, np.int32), self.places)  # type: ignore[arg-type]
        return Clip(self.skeleton, self.rotations, self.root, fps, name, moved)  # type: ignore[arg-type]


def sample_poses_of(clip: Clip, at: ArrayLike, *, root: RootPlace = "world") -> SampledPoses:
    """Poses of one clip at fractional frames.

    Args:
        clip: the motion.
        at: () or (N,) frames; 12.25 lies a quarter of the way from frame 12 to frame 13. Whole numbers give the recorded frames.
        root: "relative" counts the root's place on the floor from where it is in the first frame; heights stay.

    Raises:
        ParameterError: frames outside the clip, or a clip without frames.
    """
    frames = np.atleast_1d(np.asarray(at, dtype=np.float64))
    last = len(clip) - 1
    if last < 0:
        raise ParameterError("the clip has no frames", where=clip.name)
    wrong = frames[~(np.isfinite(frames) & (frames >= 0) & (frames <= last))]
    if frames.ndim != 1 or len(wrong):
        found = "a list of lists" if frames.ndim != 1 else f"{wrong[0]:g}"
        raise ParameterError(f"frames must lie in 0 to {last}, not {found}", where=clip.name)
    before = np.minimum(np.floor(frames), max(last - 1, 0)).astype(np.int64)
    after, share = np.minimum(before + 1, last), frames - before
    moved = clip.translations
    start = clip.root[0] * np.array([1.0, 0.0, 1.0]) if root == "relative" else np.zeros(3)
    return SampledPoses(
        clip.skeleton,
        _turned(clip.rotations[before], clip.rotations[after], share),
        _line(clip.root[before] - start, clip.root[after] - start, share),
        () if moved is None else tuple(int(joint) for joint in moved.joints),
        np.zeros((len(frames), 0, 3)) if moved is None else _line(moved.values[before], moved.values[after], share),
    )


def sample_between(
    first: Clip, second: Clip, at_first: ArrayLike, at_second: ArrayLike, share: ArrayLike, *, root: RootPlace = "world"
) -> SampledPoses:
    """Poses between two clips, each read at fractional frames: four recorded frames make one pose.

    No registration, no alignment, no feet: the plain form of playback. `blend` is for motions that are to look captured.

    Args:
        first, second: same joints; the result stands on the first one's skeleton.
        at_first, at_second: () or (N,) frames of each clip, in its own frames.
        share: () or (N,), 0 is the first clip, 1 the second.
        root: see `sample_poses_of`; "relative" brings clips together that were recorded in different places.

    Raises:
        SkeletonError: other joints.
        ParameterError: frames outside a clip, or a share outside 0 to 1.
    """
    if not first.skeleton.same_tree(second.skeleton):
        raise SkeletonError(
            f"poses can be mixed on one skeleton only: {first.skeleton.difference(second.skeleton)}; "
            "`reenact map` brings a clip onto another skeleton",
            where=second.name,
        )
    mix = np.asarray(share, dtype=np.float64)
    if mix.ndim > 1 or not np.all((mix >= 0) & (mix <= 1)):
        raise ParameterError(f"share must lie in 0 to 1, not {share}", where="share")
    try:
        one, other, mix = np.broadcast_arrays(*(np.atleast_1d(v) for v in (at_first, at_second, mix)))
    except ValueError:
        raise ParameterError("frames and shares must be as many as each other, or one for all", where="share") from None
    a, b = sample_poses_of(first, one, root=root), sample_poses_of(second, other, root=root)
    moving = tuple(sorted({*a.moving, *b.moving}))
    places = _line(_places(a, moving), _places(b, moving), mix)
    return SampledPoses(
        first.skeleton, _turned(a.rotations, b.rotations, mix), _line(a.root, b.root, mix), moving, places
    )


def _places(poses: SampledPoses, moving: tuple[int, ...]) -> Float64:
    """(N, K, 3) where these joints are in their parents' frames, moving or not."""
    places = np.tile(poses.skeleton.offsets[list(moving)], (len(poses), 1, 1))
    for n, joint in enumerate(poses.moving):
        places[:, moving.index(joint)] = poses.places[:, n]
    return places


def _line(a: np.ndarray, b: np.ndarray, t: Float64) -> Float64:
    t = t.reshape(-1, *([1] * (a.ndim - 1)))
    return np.where(t == 0, a, np.where(t == 1, b, a + t * (np.asarray(b, np.float64) - a))).astype(np.float64)


def _turned(a: np.ndarray, b: np.ndarray, t: Float64) -> Float64:
    mixed = R.slerp(R.normalize(a.astype(np.float64)), R.normalize(b.astype(np.float64)), t[:, None])
    t = t[:, None, None]
    return np.where(t == 0, a, np.where(t == 1, b, mixed)).astype(np.float64)  # recorded frames stay as they are


@dataclass(frozen=True, slots=True)
class PoseParameters:
    """Which poses are taken."""

    at: str = option("", "frames of the first clip, fractions too, with commas between: 12,12.5,13; default: all")
    second_at: str = option("", "frames of the second clip, as many or one for all; default: those of the first")
    share: str = option("0.5", "share of the second clip, 0 to 1, as many or one for all")
    root: RootPlace = option(
        "world", "world: places as recorded; relative: each clip's place on the floor from its first frame"
    )

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.root not in ("world", "relative"):
            raise ParameterError(f"root must be world or relative, not {self.root!r}", where="root")
        for name in ("at", "second_at", "share"):
            _numbers(getattr(self, name), name)


def take_poses(clips: Sequence[Clip], parameters: PoseParameters | None = None) -> Clip:
    """Poses of one clip, or between two, as a clip at the rate of the first."""
    asked = parameters or PoseParameters()
    if len(clips) not in (1, 2):
        raise ParameterError(f"poses are taken from one clip or between two, {len(clips)} given")
    first = clips[0]
    at = _numbers(asked.at, "at") or list(range(len(first)))
    if len(clips) == 1:
        poses = sample_poses_of(first, at, root=asked.root)
    else:
        second_at = _numbers(asked.second_at, "second_at") or at
        poses = sample_between(first, clips[1], at, second_at, _numbers(asked.share, "share"), root=asked.root)
    return replace(poses.as_clip(first.fps, "+".join(clip.name for clip in clips if clip.name)), origin=first.origin)


def _numbers(text: str, name: str) -> list[float]:
    try:
        return [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise ParameterError(f"{name} must be numbers with commas between, not {text!r}", where=name) from None
