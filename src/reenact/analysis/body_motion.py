"""How the body as a whole moves: speed, heading, height and lean, at a few samples a second."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact import kernels
from reenact.analysis.foot_points import FootPoint, FootPoints, point_paths
from reenact.core.arrays import Float, Float64
from reenact.core.clip import Clip
from reenact.core.foot_plants import SIDES
from reenact.core.skeleton import Skeleton

RATE = 30.0
"""Samples per second that are enough for it."""

_HERE = np.zeros(3)
_SMOOTH = 0.1  # half the seconds over which speed is measured


@dataclass(frozen=True, slots=True, eq=False)
class BodyMotion:
    """The body, sampled every `step` frames.

    Attributes:
        step: frames between samples.
        hips: (S, 3) metres.
        speed: (S,) metres per second over the floor.
        travelled: (S + 1,) sums of the speeds before each sample.
        forward: (S, 2) unit vectors (x, z) the body faces; zero where nothing tells.
        upright: (S,) cosine between the trunk and up.
        feet: (S, 2, 3) metres, the balls of the left and the right foot (of the one there is).
        leg: metres.
    """

    step: int
    hips: Float
    speed: Float64
    travelled: Float64
    forward: Float64
    upright: Float64
    feet: Float
    leg: float

    def sample(self, frame: int) -> int:
        """Number of the sample at or next to a frame."""
        return min(len(self.hips) - 1, max(0, round(frame / self.step)))

    def mean_speed(self, start: int, end: int) -> float:
        """Metres per second over frames [start, end), at least one sample."""
        a, b = self.sample(start), self.sample(end) + 1
        return float(self.travelled[b] - self.travelled[a]) / (b - a)

    def median_speed(self, start: int, end: int) -> float:
        """Likewise the median, which a start or stop at an end does not move."""
        return float(np.median(self.speed[self.sample(start) : self.sample(end) + 1]))


def observe_body(clip: Clip, points: FootPoints) -> BodyMotion:
    """Hips, speed, heading and lean of a clip; numbers that are none are taken from the nearest sample that is known."""
    balls = [points.ball.get(side) or points.ball[points.sides[0]] for side in SIDES]
    wanted = [FootPoint(points.hips, _HERE), *trunk_points(clip.skeleton, points), *balls]
    step = sampling_step(clip.fps)
    return observe_paths(point_paths(clip, wanted, step), clip.fps, step, points.leg)


def sampling_step(fps: float) -> int:
    """Frames from sample to sample."""
    return max(1, round(fps / RATE))


def trunk_points(skeleton: Skeleton, points: FootPoints) -> list[FootPoint]:
    """Both hip joints and the top of the trunk."""
    roles = skeleton.roles
    thighs = (roles.get("left_upper_leg", points.hips), roles.get("right_upper_leg", points.hips))
    top = next((roles[role] for role in ("neck", "head", "chest", "spine") if role in roles), points.hips)
    return [FootPoint(joint, _HERE) for joint in (*thighs, top)]


def observe_paths(paths: Float, fps: float, step: int, leg: float) -> BodyMotion:
    """The same from paths (S, 6, 3), every `step` frames: hips, hip joints, top of the trunk, left and right ball."""
    paths = _without_gaps(paths)
    rate = fps / step
    signals = kernels.point_paths.body_signals(paths, rate, max(1, round(_SMOOTH * rate)))
    return BodyMotion(step, paths[:, 0], *signals, paths[:, 4:], leg)


def _without_gaps(paths: Float) -> Float:
    good = np.isfinite(paths).all(axis=(1, 2))
    if good.all():
        return paths
    if not good.any():
        return np.zeros_like(paths)
    known = np.flatnonzero(good)
    nearest = known[np.abs(np.arange(len(paths))[:, None] - known[None, :]).argmin(axis=1)]
    return paths[nearest]
