"""Many clips as one: every quantity of a whole library in one contiguous array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reenact.core.arrays import Float32, Float64, frozen
from reenact.core.clip import Clip, JointTranslations
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError


@dataclass(frozen=True, eq=False)
class FrameStore:
    """The frames of C clips on one joint tree, end to end: N frames in all. Frame numbers count through the store.

    Attributes:
        skeletons: (C,) one for each clip; names and parents are equal, lengths may differ (several subjects).
        rotations: (N, J, 4) float32 wxyz, local to the parent.
        root: (N, 3) float32 metres.
        starts: (C + 1,) int64: clip c holds the frames starts[c] up to starts[c + 1], half-open.
        fps: (C,) frames per second of each clip.
        names: (C,) names of the clips.
        translations: joints that move in their parent's frame in any of the clips; in the other clips they hold the joint's offset.
        moving: (C,) for each clip the joints that really move in it, as indices into `translations.joints`.
    """

    skeletons: tuple[Skeleton, ...]
    rotations: Float32
    root: Float32
    starts: np.ndarray
    fps: Float64
    names: tuple[str, ...]
    translations: JointTranslations | None = None
    moving: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        clips = len(self.skeletons)
        if clips == 0:
            raise ParameterError("a frame store needs at least one clip")
        for other in self.skeletons[1:]:
            if not self.skeletons[0].same_tree(other):
                raise SkeletonError(f"clips of one store need the same joints: {self.skeletons[0].difference(other)}")
        put(self, "rotations", frozen(self.rotations, np.float32, (None, len(self.skeletons[0]), 4), "rotations"))
        frames = len(self.rotations)
        put(self, "root", frozen(self.root, np.float32, (frames, 3), "root"))
        put(self, "starts", frozen(self.starts, np.int64, (clips + 1,), "starts"))
        put(self, "fps", frozen(self.fps, np.float64, (clips,), "fps"))
        if self.starts[0] != 0 or self.starts[-1] != frames or np.any(np.diff(self.starts) < 0):
            raise ParameterError(f"starts must ascend from 0 to the {frames} frames")
        if len(self.names) != clips:
            raise ParameterError(f"{len(self.names)} names for {clips} clips")
        if self.translations is not None:
            if len(self.translations.values) != frames:
                raise ParameterError(f"translations hold {len(self.translations.values)} frames, rotations {frames}")
            if len(self.moving) != clips:
                raise ParameterError(f"`moving` speaks of {len(self.moving)} clips, there are {clips}")

    def __len__(self) -> int:
        return len(self.skeletons)

    def __repr__(self) -> str:
        return f"FrameStore({len(self)} clips, {self.frames} frames, {len(self.skeleton)} joints)"

    @property
    def frames(self) -> int:
        """N, the frames of all clips together."""
        return len(self.rotations)

    @property
    def skeleton(self) -> Skeleton:
        """The first clip's skeleton: what results made from several clips take."""
        return self.skeletons[0]

    @property
    def one_rate(self) -> float:
        """The frame rate that all clips share, or a `ParameterError` that names two that differ."""
        odd = np.flatnonzero(np.abs(self.fps - self.fps[0]) > 1e-6 * self.fps[0])
        if len(odd):
            raise ParameterError(
                f"the clips have different frame rates: {self.names[0]} {self.fps[0]:g} Hz, {self.names[odd[0]]} {self.fps[odd[0]]:g} Hz"
            )
        return float(self.fps[0])

    @cached_property
    def clip_of_frame(self) -> np.ndarray:
        """(N,) int32, which clip each frame belongs to."""
        owners = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.starts))
        owners.flags.writeable = False
        return owners

    def span(self, clip: int) -> slice:
        """The frames of a clip."""
        if not 0 <= clip < len(self):
            raise ParameterError(f"no clip {clip}; the store holds 0 to {len(self) - 1}")
        return slice(int(self.starts[clip]), int(self.starts[clip + 1]))

    def locate(self, frame: int) -> tuple[int, int]:
        """(clip, its own frame) of a frame of the store."""
        if not 0 <= frame < self.frames:
            raise ParameterError(f"no frame {frame}; the store holds 0 to {self.frames - 1}")
        clip = int(self.clip_of_frame[frame])
        return clip, frame - int(self.starts[clip])

    def clip(self, clip: int) -> Clip:
        """One clip as views into the store."""
        span = self.span(clip)
        moved = None
        if self.translations is not None and len(self.moving[clip]):
            columns = list(self.moving[clip])
            every = columns == list(range(len(self.translations.joints)))
            values = self.translations.values[span] if every else self.translations.values[span][:, columns]
            moved = JointTranslations(self.translations.joints[columns], values)
        return Clip(
            self.skeletons[clip], self.rotations[span], self.root[span], float(self.fps[clip]), self.names[clip], moved
        )


def frame_store_from_clips(clips: Sequence[Clip]) -> FrameStore:
    """Copy clips of one joint tree into a store."""
    if not clips:
        raise ParameterError("a frame store needs at least one clip")
    first = clips[0].skeleton
    for clip in clips:
        if not first.same_tree(clip.skeleton):
            raise SkeletonError(
                f"clips of one store need the same joints: {clips[0].name} and {clip.name}: {first.difference(clip.skeleton)}"
            )
    starts = np.concatenate([[0], np.cumsum([len(clip) for clip in clips])]).astype(np.int64)
    rotations = np.empty((starts[-1], len(first), 4), dtype=np.float32)
    root = np.empty((starts[-1], 3), dtype=np.float32)
    for clip, start, end in zip(clips, starts, starts[1:], strict=False):
        rotations[start:end] = clip.rotations
        root[start:end] = clip.root
    moved, moving = _gather_translations(clips, starts)
    return FrameStore(
        tuple(clip.skeleton for clip in clips),
        rotations,
        root,
        starts,
        np.array([clip.fps for clip in clips]),
        tuple(clip.name for clip in clips),
        moved,
        moving,
    )


def _gather_translations(
    clips: Sequence[Clip], starts: np.ndarray
) -> tuple[JointTranslations | None, tuple[tuple[int, ...], ...]]:
    held = sorted({int(joint) for clip in clips if clip.translations is not None for joint in clip.translations.joints})
    if not held:
        return None, ()
    joints = np.array(held, dtype=np.int32)
    values = np.empty((starts[-1], len(joints), 3), dtype=np.float32)
    moving: list[tuple[int, ...]] = []
    for clip, start, end in zip(clips, starts, starts[1:], strict=False):
        values[start:end] = clip.skeleton.offsets[joints]
        own = (
            ()
            if clip.translations is None
            else tuple(int(k) for k in np.searchsorted(joints, clip.translations.joints))
        )
        if clip.translations is not None:
            values[start:end, list(own)] = clip.translations.values
        moving.append(own)
    return JointTranslations(joints, values), tuple(moving)
