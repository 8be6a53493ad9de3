"""Cycles that are walked or run in place, as on a treadmill: the body stays, and the foot that carries it slides backward evenly.

No foot of such a clip is planted, as none stands still; but with the belt's motion added to the body it is an ordinary walk or run.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reenact.analysis.body_motion import BodyMotion
from reenact.analysis.foot_points import FootPoints
from reenact.core.arrays import Float64
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants

_DRIFT = 0.5  # of a leg in a second: the hips of a body that stays are slower on average
_STAYS = 0.35  # of a leg: the hips keep within this
_SWING = 0.5  # of a leg: and each foot goes at least so far forth and back
_PLANTED = 0.25  # a foot is planted for at most this share of the frames
_NEAR = 0.12  # of a leg: how far above the lowest of all the lowest point of a frame may be to carry the body
_EVEN = 0.4  # of the belt's speed: how far the speed of the carrying point may be from it,
_MOSTLY = 0.6  # in this share of the frames
_FEW = 6  # frames: fewer do not show a cycle


def put_on_ground(clip: Clip, plants: FootPlants, points: FootPoints, body: BodyMotion) -> Clip | None:
    """The clip with the belt's motion added to its root, so that it goes over the floor; None when it does not go in place.

    Args:
        clip: any clip.
        plants: its foot plants.
        points: of its feet.
        body: of the clip.
    """
    if len(clip) < _FEW or not float(body.travelled[-1]) < _DRIFT * body.leg * len(body.hips):
        return None
    if max(plants.left.plant.mean(), plants.right.plant.mean()) > _PLANTED or len(points.sides) < 2:
        return None
    belt = _belt_velocity(clip, points, body)
    if belt is None:
        return None
    moved = clip.root - (np.arange(len(clip)) / clip.fps)[:, None] * belt
    return replace(clip, root=moved.astype(np.float32))


def _belt_velocity(clip: Clip, points: FootPoints, body: BodyMotion) -> Float64 | None:
    """(3,) metres per second over the floor of the points that carry the body, when they move evenly and the hips stay."""
    paths = points.paths(clip).astype(np.float64)
    if not np.isfinite(paths).all():
        return None
    floor = paths[..., [0, 2]]
    if np.ptp(body.hips[:, [0, 2]], axis=0).max() > _STAYS * body.leg:
        return None
    if min(np.ptp(floor[:, n], axis=0).max() for n in (1, 3)) < _SWING * body.leg:
        return None
    height = paths[..., 1]
    lowest = height.argmin(axis=1)
    at = np.arange(len(paths))
    carries = height[at, lowest] < height.min() + _NEAR * body.leg
    velocity = np.gradient(floor, axis=0)[at, lowest][carries] * clip.fps
    belt = np.median(velocity, axis=0)
    speed = float(np.linalg.norm(belt))  # 0 is even nowhere
    even = np.linalg.norm(velocity - belt, axis=1) < _EVEN * speed
    return np.array([belt[0], 0.0, belt[1]]) if even.mean() >= _MOSTLY else None
