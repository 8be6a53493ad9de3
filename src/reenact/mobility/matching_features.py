"""What motion matching compares: where the feet are and how they move, how the hips move, and where the body is going (Clavet 2016).

All of it is seen from where the body stands in a pose, facing +Z. Each kind of number is scaled by how much it varies over the database,
so that one distance can add them up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from reenact import kernels
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float, Float32
from reenact.core.parameters import check_ranges, option
from reenact.errors import SkeletonError
from reenact.mobility.pose_database import PoseDatabase

AHEAD = (1 / 3, 2 / 3, 1.0)
"""Seconds ahead at which the way is compared."""

_AT_A_TIME = 4096


@dataclass(frozen=True, slots=True)
class MatchingParameters:
    """How poses are compared, and how often."""

    feet: float = option(0.75, "weight of the places of the feet", low=0)
    feet_speed: float = option(1.0, "weight of the velocities of the feet", low=0)
    hips_speed: float = option(1.0, "weight of the velocity of the hips", low=0)
    way: float = option(1.0, "weight of the places ahead", low=0)
    facing: float = option(1.5, "weight of the directions faced ahead", low=0)
    every: float = option(0.2, "seconds between two searches", unit="s", low=0.03, high=2)
    speed: float = option(
        0.0, "speed over the floor to go at; 0: that of the database's walks", unit="m/s", low=0, high=10
    )
    slow_down: float = option(0.8, "seconds before a goal in which the speed is taken off", unit="s", low=0.05, high=5)
    responsiveness: float = option(
        0.35, "seconds in which the wanted speed and direction are taken up half", unit="s", low=0.05, high=2
    )
    worth: float = option(0.3, "share by which another pose must match better than the one that follows", low=0, high=1)
    search: Literal["tree", "all"] = option(
        "tree", "how the nearest pose is found: in a tree, or by looking at all; both find the same"
    )

    def __post_init__(self) -> None:
        check_ranges(self)


class Layout(NamedTuple):
    """Columns of each kind of number."""

    feet: slice
    feet_speed: slice
    hips_speed: slice
    way: slice
    facing: slice


LAYOUT = Layout(slice(0, 6), slice(6, 12), slice(12, 15), slice(15, 21), slice(21, 27))
"""Of the 27 numbers of a pose: both feet x, y, z; both velocities; the hips' velocity; three places x, z ahead; three directions x, z
ahead."""


@dataclass(frozen=True, eq=False)
class MatchingTable:
    """Numbers of all poses, scaled.

    Attributes:
        features: (N, 27) float32, scaled and weighted.
        centre, scale: (27,) float64: scaled = (raw - centre) * scale.
        usable: (N,) a search may end at the pose: it does not begin its clip and a second of it is left.
    """

    features: Float32
    centre: Float
    scale: Float
    usable: Bool

    def scaled(self, raw: Float) -> Float:
        """Raw numbers as those of the table."""
        return (raw - self.centre) * self.scale


def raw_features(database: PoseDatabase) -> Float:
    """(N, 27) float64 numbers of all poses, see `LAYOUT`; metres, metres per second.

    Raises:
        SkeletonError: a skeleton without two known feet.
    """
    skeleton = database.skeleton
    if not skeleton.has_roles("left_foot", "right_foot"):
        raise SkeletonError("motion matching compares the feet, and this skeleton has no two that are known")
    feet = skeleton.require_roles("left_foot", "right_foot")
    table = np.zeros((database.poses, LAYOUT.facing.stop))
    places = np.zeros((database.poses, 2, 3))
    for start in range(0, database.poses, _AT_A_TIME):
        span = slice(start, start + _AT_A_TIME)
        found, _ = kernels.kinematics.forward_kinematics(
            np.array(database.rotations[span]), np.array(database.positions[span]), skeleton.offsets, skeleton.parents
        )
        places[span] = found[:, list(feet)]
    table[:, LAYOUT.feet] = places.reshape(-1, 6)
    table[:, LAYOUT.hips_speed] = database.velocities
    for first, last in zip(database.starts, database.starts[1:], strict=False):
        _fill_clip(table, places, database, int(first), int(last))
    return table


def _fill_clip(table: Float, places: Float, database: PoseDatabase, first: int, last: int) -> None:
    """What needs the poses before and after, for one clip."""
    steps = database.increments[first:last].astype(np.float64)
    count = last - first
    stands = np.zeros((count, 3))
    for n in range(1, count):
        x, z, heading = stands[n - 1]
        sine, cosine = np.sin(heading), np.cos(heading)
        dx, dz, turn = steps[n]
        stands[n] = x + cosine * dx + sine * dz, z + cosine * dz - sine * dx, heading + turn
    turns = R.about_y(stands[:, 2])
    floor = np.column_stack([stands[:, 0], np.zeros(count), stands[:, 1]])
    world = floor[:, None] + R.rotate(turns[:, None], places[first:last])
    speed = np.zeros_like(world)
    speed[1:] = np.diff(world, axis=0) * database.fps
    if count > 1:
        speed[0] = speed[1]
    table[first:last, LAYOUT.feet_speed] = R.rotate(R.conjugate(turns)[:, None], speed).reshape(count, 6)
    for k, seconds in enumerate(AHEAD):
        later = np.minimum(np.arange(count) + round(seconds * database.fps), count - 1)
        gap = stands[later] - stands
        sine, cosine = np.sin(stands[:, 2]), np.cos(stands[:, 2])
        way = np.column_stack([cosine * gap[:, 0] - sine * gap[:, 1], cosine * gap[:, 1] + sine * gap[:, 0]])
        table[first:last, LAYOUT.way.start + 2 * k : LAYOUT.way.start + 2 * k + 2] = way
        facing = np.column_stack([np.sin(gap[:, 2]), np.cos(gap[:, 2])])
        table[first:last, LAYOUT.facing.start + 2 * k : LAYOUT.facing.start + 2 * k + 2] = facing


def make_matching_table(database: PoseDatabase, parameters: MatchingParameters | None = None) -> MatchingTable:
    """The table that searches look in.

    Raises:
        SkeletonError: a skeleton without two known feet.
    """
    parameters = parameters or MatchingParameters()
    raw = raw_features(database)
    scale = np.zeros(raw.shape[1])
    for name, columns in LAYOUT._asdict().items():
        spread = float(np.sqrt(np.mean(np.var(raw[:, columns], axis=0))))
        scale[columns] = getattr(parameters, name) / max(spread, 1e-6)
    centre = raw.mean(axis=0)
    usable = np.ones(database.poses, np.bool_)
    left = round(AHEAD[-1] * database.fps)
    for first, last in zip(database.starts, database.starts[1:], strict=False):
        usable[first] = False
        usable[max(int(last) - left, int(first)) : last] = False
    return MatchingTable(((raw - centre) * scale).astype(np.float32), centre, scale, usable)
