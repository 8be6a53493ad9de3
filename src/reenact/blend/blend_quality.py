"""What a blend is worth: how planted points slide, how long the path is, how jerky it is, how deep feet sink into the floor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.blend.alignment_curve import between
from reenact.blend.timing import Schedule
from reenact.core.arrays import Float, Float64
from reenact.core.clip import Clip
from reenact.core.foot_plants import Floor, FootPlants
from reenact.core.resample import sample_at
from reenact.solve.feet import Foot, find_feet, track_foot

_RATE = 30.0  # samples per second of a path: the tremor of single frames is no way travelled


def slide_speed(clip: Clip, plants: FootPlants, feet: Sequence[Foot] | None = None) -> float:
    """Metres per second, the mean horizontal speed of planted points: the heel in heel plants, the ball in ball plants.

    0 without plants.
    """
    world = clip.world(np.float64)
    way, steps = 0.0, 0
    for foot in find_feet(clip.skeleton, clip) if feet is None else feet:
        track, contact = track_foot(world, foot), plants.foot(foot.side)
        points = ((track.heel, contact.heel), (track.ball, contact.ball))
        for path, mask in points[: 1 if foot.single else 2]:
            both = mask[1:] & mask[:-1]
            moved = np.linalg.norm(np.diff(path[:, [0, 2]], axis=0), axis=1)
            way, steps = way + float(moved[both].sum()), steps + int(both.sum())
    return way * clip.fps / steps if steps else 0.0


def toe_slide(clip: Clip) -> float:
    """Metres per second, per frame the smaller horizontal speed of the two balls, averaged at 30 Hz.

    Needs no plants; a walk always has a planted foot, so it is small for one. It means nothing for runs.
    """
    clip = sample_at(clip, np.arange(0, len(clip) - 1 + 1e-9, clip.fps / _RATE), _RATE, "linear")
    world = clip.world(np.float64)
    speeds = [
        np.linalg.norm(np.diff(track_foot(world, foot).ball[:, [0, 2]], axis=0), axis=1) * clip.fps
        for foot in find_feet(clip.skeleton, clip)
    ]
    return float(np.min(speeds, axis=0).mean()) if speeds and len(speeds[0]) else 0.0


def floor_way(clip: Clip) -> float:
    """Metres the hips travel over the floor, sampled at 30 Hz."""
    path = between(_hips(clip)[:, [0, 2]].astype(np.float64), _moments(len(clip), clip.fps))
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())


def way_ratio(result: Clip, sources: Sequence[Clip], schedule: Schedule) -> float | None:
    """The result's way as a share of the sources' ways, each step by the weights of its moment; None when they hardly move.

    With constant weights that is the weighted mean of the ways of the sources.
    """
    at = np.rint(_moments(len(schedule), result.fps)).astype(int)
    weights = 0.5 * (schedule.weights[at[1:]] + schedule.weights[at[:-1]])
    wanted = 0.0
    for motion, source in enumerate(sources):
        path = between(_hips(source)[:, [0, 2]].astype(np.float64), schedule.frames[at, motion])
        wanted += float(weights[:, motion] @ np.linalg.norm(np.diff(path, axis=0), axis=1))
    return floor_way(result) / wanted if wanted > 0.2 else None


def mean_jerk(clip: Clip) -> float:
    """m/s^3, the mean over frames and joints of the third derivative, over tenths of a second so that sensor noise does not count."""
    step = max(round(clip.fps / _RATE), 1)
    positions = clip.world(np.float64).positions
    if len(positions) < 3 * step + 1:
        return 0.0
    p = [positions[n * step : len(positions) - (3 - n) * step] for n in range(4)]
    third = (p[3] - 3 * p[2] + 3 * p[1] - p[0]) * (clip.fps / step) ** 3
    return float(np.linalg.norm(third, axis=2).mean())


def worst_sinking(clip: Clip, floor: Floor) -> float:
    """Metres, how far a heel or ball point goes below a floor at most."""
    world = clip.world(np.float64)
    lowest = 0.0
    for foot in find_feet(clip.skeleton, clip):
        track = track_foot(world, foot)
        lowest = min(lowest, float(floor.above(track.heel).min()), float(floor.above(track.ball).min()))
    return -lowest


def _moments(frames: int, fps: float) -> Float64:
    """Fractional frames 30 times a second, and the last frame."""
    return np.append(np.arange(0, frames - 1, max(fps / _RATE, 1.0)), frames - 1.0)


def _hips(clip: Clip) -> Float:
    hips = clip.skeleton.roles.get("hips", 0)
    return clip.root.astype(np.float64) if hips == 0 else clip.world(np.float64).positions[:, hips]
