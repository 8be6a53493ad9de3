"""A closed cycle as games take it: at another frame rate with a whole number of frames, and over the origin.

A cycle that is resampled like any other clip jumps at its seam: its last frame lies less than a frame before the first of the next one. So
the cycle is stretched to the nearest whole number of frames, by half a frame at most, and read between its own frames around the seam.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.placement import find_headings, move_rigidly
from reenact.core.resample import sample_at
from reenact.edit.closing import ClosedCycle, stand_after
from reenact.edit.cycles import Cycle
from reenact.errors import ParameterError
from reenact.solve.feet import find_feet
from reenact.solve.planted_points import measure_slips

_LEAST_FRAMES = 4


def at_rate(closed: ClosedCycle, fps: float) -> ClosedCycle:
    """The cycle at another frame rate, with the nearest whole number of frames."""
    period = len(closed.clip)
    count = round(period / closed.clip.fps * fps)
    if count < _LEAST_FRAMES:
        raise ParameterError(
            f"a cycle of {period / closed.clip.fps:.3f} s has {count} frames at {fps:g} Hz, at least {_LEAST_FRAMES} are needed",
            where="fps",
        )
    unrolled, _ = closed.repeated(3)
    at = np.arange(count) * (period / count)
    one = sample_at(unrolled.with_plants(None), period + at, fps, "smooth")  # cubic through the frames, across the seam
    start, there = closed.start, stand_after(closed.start, closed.way, 1)
    one = move_rigidly(one, (start[0] - there[0], 0.0, start[1] - there[1]), float(start[2] - there[2]), there[:2])
    plants = closed.plants
    if plants is not None:
        plants = plants.picked(np.minimum(np.rint(at).astype(np.int64), period - 1), fps)
    return ClosedCycle(one, plants, closed.start, closed.way)


def over_origin(closed: ClosedCycle, *, whole: bool) -> ClosedCycle:
    """The cycle over the origin, facing +z.

    Args:
        closed: the cycle.
        whole: the middle of the cycle lies over the origin, facing forward on the average; else its beginning does.
    """
    if whole:
        hips = closed.clip.root[:, [0, 2]].astype(np.float64)
        angles = find_headings(closed.clip).angles
        place = hips.mean(axis=0)
        heading = math.atan2(float(np.sin(angles).mean()), float(np.cos(angles).mean()))
    else:
        place, heading = np.asarray(closed.start[:2]), float(closed.start[2])
    clip = move_rigidly(closed.clip, (-place[0], 0.0, -place[1]), -heading, place)
    plants = clip.plants if clip.plants is not None else closed.plants
    sine, cosine = math.sin(-heading), math.cos(-heading)
    away = np.asarray(closed.start[:2]) - place
    start = np.array(
        [cosine * away[0] + sine * away[1], -sine * away[0] + cosine * away[1], float(closed.start[2]) - heading]
    )
    return ClosedCycle(clip, plants, start, closed.way)


def measure_seam(closed: ClosedCycle, source: Clip, cycle: Cycle) -> dict[str, Any]:
    """What a resampled cycle is like: its frames, how much slower it plays, and how even its seam is.

    `seam_step_ratio` is the way of all joints over the seam as a share of the mean of the steps beside it: 1 is no jump.
    """
    clip = closed.clip
    period = len(clip)
    seconds = (cycle.end - cycle.start) / source.fps
    return {
        "fps": clip.fps,
        "frames_per_cycle": period,
        "stretch": round(period / clip.fps / seconds, 5),
        "seam_step_ratio": round(seam_step_ratio(closed), 4),
    } | _slip(closed)


def _slip(closed: ClosedCycle) -> dict[str, float]:
    """The most by which a planted point slides at the new rate."""
    if closed.plants is None:
        return {}
    clip, plants = closed.repeated(2)
    assert plants is not None
    slips = measure_slips(clip, plants, feet=find_feet(clip.skeleton, clip))
    return {"slip_mm": max((slip["slip_mm"] for slip in slips), default=0.0)}


def seam_step_ratio(closed: ClosedCycle) -> float:
    """The step over the seam, root mean square of all joints, as a share of the mean of the two steps beside it."""
    unrolled, _ = closed.repeated(2)
    period = len(closed.clip)
    return step_ratio(unrolled.world(np.float64).positions, period)


def step_ratio(places: Float, seam: int) -> float:
    """The step from the frame before `seam` to it as a share of the mean of the steps before and after."""
    steps = np.sqrt(np.square(np.diff(places[seam - 2 : seam + 2], axis=0)).sum(axis=2).mean(axis=1))
    beside = float(steps[0] + steps[2]) / 2
    return float(steps[1]) / beside if beside > 1e-5 else 1.0
