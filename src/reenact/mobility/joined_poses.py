"""Poses of a database one after the other, with the jumps between them blended."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.placement import Placement
from reenact.edit.blending import Local, blend
from reenact.mobility.pose_database import PoseDatabase

BLEND = 8
"""Frames over which the difference at a jump dies out; the specification gives 5 to 10."""


def find_jumps(database: PoseDatabase, poses: ArrayLike) -> np.ndarray:
    """Places (K,) in a list of poses whose pose is not the recorded continuation of the one before."""
    order = np.asarray(poses, dtype=np.int64)
    recorded = (order[1:] == order[:-1] + 1) & ~database.is_first[order[1:]]
    return np.flatnonzero(~recorded) + 1


def play_blended(
    database: PoseDatabase, poses: ArrayLike, placement: Placement | None = None, name: str = "", frames: int = BLEND
) -> Clip:
    """Poses as a clip, the first standing at `placement`. What the body does is blended at jumps, the way it goes is not: it ends just
    where the poses lead.

    At a jump from i to j the pose i counts as the one before j, and its difference from j - 1 dies out over `frames` frames.
    """
    clip = database.play(poses, placement, name)
    order = np.asarray(poses, dtype=np.int64)
    if frames < 1:
        return clip
    turns = R.make_continuous(database.rotations[order].astype(np.float64))
    points = database.positions[order].astype(np.float64)[:, None]
    shown_turns, shown_points = turns.copy(), points.copy()
    nothing = np.zeros((len(order), 3))

    def local(turned: np.ndarray, placed: np.ndarray) -> Local:
        return Local(turned, placed, nothing[: len(turned)], nothing[: len(turned)], ())

    for at in find_jumps(database, order):
        end = min(int(at) + frames, len(order))
        before = max(int(at) - 2, 0)
        left = local(shown_turns[before:at], shown_points[before:at])
        left = left if len(left) > 1 else local(np.repeat(left.turns, 2, axis=0), np.repeat(left.points, 2, axis=0))
        previous = max(order[at] - 1, 0)
        entered = R.make_continuous(
            np.concatenate([database.rotations[previous : previous + 1].astype(np.float64), turns[at:end]])
        )
        stood = np.concatenate([database.positions[previous : previous + 1, None].astype(np.float64), points[at:end]])
        mixed = blend(left, local(entered, stood), "inertial", "smooth", database.fps)
        shown_turns[at:end], shown_points[at:end] = mixed.turns[1:], mixed.points[1:]
    heading = R.multiply(clip.rotations[:, 0].astype(np.float64), R.conjugate(turns[:, 0]))
    rotations = shown_turns.copy()
    rotations[:, 0] = R.multiply(heading, shown_turns[:, 0])
    moved = R.rotate(heading, shown_points[:, 0] - points[:, 0])
    root = clip.root.astype(np.float64) + moved
    return replace(clip, rotations=R.unit_float32(rotations), root=root.astype(np.float32))
