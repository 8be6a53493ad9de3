"""The poses of many clips as one table, each without the place and the direction it was recorded in (A0, A1; M1 to M6).

The specification's conventions are turned into this project's: Y up, facing +Z, full rotation angles (its logarithm gives half of them).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float, Float32, frozen
from reenact.core.clip import Clip
from reenact.core.placement import Placement, replay
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError

POSE_ARRAYS = ("rotations", "positions", "increments", "velocities", "turn_rates", "contacts", "labels")
"""Arrays of a database with a row for each pose."""


@dataclass(frozen=True, eq=False)
class PoseDatabase:
    """N poses of C clips on one skeleton with J joints. Mirror images are clips of their own.

    Attributes:
        skeleton: of all poses.
        rotations: (N, J, 4) float32 wxyz, local to the parent; joint 0 has the root's orientation without heading.
        positions: (N, 3) float32 metres, the root joint seen from the placement: y is its height above the floor; x and z are 0 where the
            root is the hips.
        increments: (N, 3) float32 (dx, dz, dheading): the step from the pose before in that pose's facing frame, dx to the left and dz
            forward. That of a clip's first pose is a copy of the second's.
        velocities: (N, 3) float32 metres per second, of the root in the facing frame of the pose before: left, up, forward.
        turn_rates: (N, J, 3) float32 radians per second: full rotation vector since the pose before, in the joint's own frame; the
            root's is that of its world rotation, so that turning counts.
        contacts: (N, 4) bool, planted points: left heel, left ball, right heel, right ball.
        labels: (N,) uint32, bits of `labels.LABELS`.
        starts: (C + 1,) int64: clip c holds the poses starts[c] up to starts[c + 1].
        names: (C,) names of the clips.
        mirrored: (C,) bool.
        fps: poses per second.
    """

    skeleton: Skeleton
    rotations: Float32
    positions: Float32
    increments: Float32
    velocities: Float32
    turn_rates: Float32
    contacts: Bool
    labels: np.ndarray
    starts: np.ndarray
    names: tuple[str, ...]
    mirrored: Bool
    fps: float = 30.0

    def __post_init__(self) -> None:
        put = object.__setattr__
        joints, clips = len(self.skeleton), len(self.names)
        put(self, "rotations", frozen(self.rotations, np.float32, (None, joints, 4), "rotations"))
        poses = len(self.rotations)
        for name, kind, shape in (
            ("positions", np.float32, (poses, 3)),
            ("increments", np.float32, (poses, 3)),
            ("velocities", np.float32, (poses, 3)),
            ("turn_rates", np.float32, (poses, joints, 3)),
            ("contacts", np.bool_, (poses, 4)),
            ("labels", np.uint32, (poses,)),
            ("starts", np.int64, (clips + 1,)),
            ("mirrored", np.bool_, (clips,)),
        ):
            put(self, name, frozen(getattr(self, name), kind, shape, name))
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise ParameterError(f"fps must be a positive number, not {self.fps}")
        if clips == 0 or self.starts[0] != 0 or self.starts[-1] != poses or np.any(np.diff(self.starts) < 1):
            raise ParameterError(f"starts must ascend from 0 to the {poses} poses, with a pose in every clip")

    def __repr__(self) -> str:
        return f"PoseDatabase({self.poses} poses of {len(self.names)} clips, {len(self.skeleton)} joints)"

    @property
    def poses(self) -> int:
        """N, the poses of all clips together."""
        return len(self.rotations)

    @cached_property
    def clip_of_pose(self) -> np.ndarray:
        """(N,) int32, the clip of each pose."""
        owners = np.repeat(np.arange(len(self.names), dtype=np.int32), np.diff(self.starts))
        owners.flags.writeable = False
        return owners

    @cached_property
    def is_first(self) -> Bool:
        """(N,) the pose begins a clip."""
        marks = np.zeros(self.poses, np.bool_)
        marks[self.starts[:-1]] = True
        marks.flags.writeable = False
        return marks

    @cached_property
    def is_last(self) -> Bool:
        """(N,) the pose ends a clip."""
        marks = np.zeros(self.poses, np.bool_)
        marks[self.starts[1:] - 1] = True
        marks.flags.writeable = False
        return marks

    def locate(self, pose: int) -> tuple[str, bool, int]:
        """(name of the clip, mirrored, its own pose) of a pose."""
        if not 0 <= pose < self.poses:
            raise ParameterError(f"no pose {pose}; the database holds 0 to {self.poses - 1}")
        clip = int(self.clip_of_pose[pose])
        return self.names[clip], bool(self.mirrored[clip]), pose - int(self.starts[clip])

    def play(self, poses: ArrayLike, placement: Placement | None = None, name: str = "") -> Clip:
        """Poses one after the other as a clip, the first standing at `placement`; jumps are not blended (M6)."""
        order = np.asarray(poses, dtype=np.int64)
        if order.ndim != 1 or len(order) == 0 or order.min() < 0 or order.max() >= self.poses:
            raise ParameterError(f"poses must be numbers from 0 to {self.poses - 1}, at least one")
        root, turned = replay(
            self.increments[order], self.positions[order], self.rotations[order, 0], placement or Placement()
        )
        rotations = self.rotations[order].copy()
        rotations[:, 0] = R.unit_float32(turned)
        return Clip(self.skeleton, rotations, root.astype(np.float32), self.fps, name)


def turn_rates_of(rotations: ArrayLike, fps: float) -> Float:
    """(F, J, 3) float64 radians per second: rotation since the frame before, in the joint's own frame (3.8); the first as the second."""
    q = np.asarray(rotations, dtype=np.float64)
    rates = np.zeros((*q.shape[:2], 3))
    if len(q) > 1:
        rates[1:] = R.log(R.multiply(R.conjugate(q[:-1]), q[1:])) * fps
        rates[0] = rates[1]
    return rates


def join_databases(parts: Sequence[PoseDatabase]) -> PoseDatabase:
    """The poses of several databases on one skeleton, end to end."""
    if not parts:
        raise ParameterError("a pose database needs at least one clip, there is none")
    first = parts[0]
    for part in parts[1:]:
        if not first.skeleton.same_body(part.skeleton):
            raise SkeletonError(
                f"the skeletons differ: {first.skeleton.difference(part.skeleton)}", where=part.names[0]
            )
        if part.fps != first.fps:
            raise ParameterError(f"poses at {first.fps:g} and at {part.fps:g} a second cannot be in one database")
    ends = np.cumsum([0, *(part.poses for part in parts)])

    def together(name: str) -> np.ndarray:
        return np.concatenate([getattr(part, name) for part in parts])

    return PoseDatabase(
        skeleton=first.skeleton,
        starts=np.concatenate([[0], *(part.starts[1:] + end for part, end in zip(parts, ends, strict=False))]),
        names=tuple(name for part in parts for name in part.names),
        mirrored=together("mirrored"),
        fps=first.fps,
        **{name: together(name) for name in POSE_ARRAYS},
    )


def keep_clips(database: PoseDatabase, clips: ArrayLike) -> PoseDatabase:
    """The database of some of its clips, in the order given."""
    chosen = np.asarray(clips, dtype=np.int64)
    if chosen.ndim != 1 or len(chosen) == 0 or chosen.min() < 0 or chosen.max() >= len(database.names):
        raise ParameterError(f"clips must be numbers from 0 to {len(database.names) - 1}, at least one")
    spans = [(int(database.starts[clip]), int(database.starts[clip + 1])) for clip in chosen]
    rows = np.concatenate([np.arange(start, end) for start, end in spans])
    return PoseDatabase(
        skeleton=database.skeleton,
        starts=np.cumsum([0, *(end - start for start, end in spans)]),
        names=tuple(database.names[clip] for clip in chosen),
        mirrored=database.mirrored[chosen],
        fps=database.fps,
        **{name: getattr(database, name)[rows] for name in POSE_ARRAYS},
    )
