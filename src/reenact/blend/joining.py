"""A transition at one frame of each of two motions: the first plays, both are blended over a short window, the second plays on.

Kovar, Gleicher and Pighin (2002) choose the frames where the motions lie nearest to each other; within the window the frames that belong
together and the way over the floor come from a registration curve, so that the speed passes smoothly from one motion to the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reenact.blend.blend_parameters import BlendParameters
from reenact.blend.blend_quality import slide_speed
from reenact.blend.distance_grid import describe_samples, measure_grid, sample_frames
from reenact.blend.playing import schedule_curve
from reenact.blend.registration import register
from reenact.blend.registration_parameters import RegistrationParameters
from reenact.blend.timing import Schedule
from reenact.blend.weights import passing_weights
from reenact.core.arrays import Float64
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import FootPlants
from reenact.core.made import Made
from reenact.edit.crossing import Crossed, Pairing, Sources, Window, cross, holdable
from reenact.edit.transition_parameters import TransitionParameters
from reenact.errors import ParameterError

_RATE = 30.0  # samples per second at which frames to join are looked for
_FEWEST = 4  # frames of a window to either side


def join(clips: Sequence[Clip], plants: Sequence[FootPlants | None], parameters: BlendParameters) -> Made:
    """The first clip up to the window, the blend, the second clip from there on, moved to where the blend ends.

    Args:
        clips: two, of one skeleton and rate.
        plants: of the clips.
        parameters: `at`, `into`, `window`, and what concerns the blend.
    """
    if len(clips) != 2:
        raise ParameterError(f"a transition at a frame joins two clips, {len(clips)} given", where="at")
    first, second = clips
    half = max(round(parameters.half_window * first.fps), _FEWEST)
    at, into, distance = choose_cell(first, second, half, parameters.at, parameters.into)
    half = min(half, at, into, len(first) - 1 - at, len(second) - 1 - into)
    ranges = [(frame - half, frame + half + 1) for frame in (at, into)]
    parts = [cut_frames(clip, *kept) for clip, kept in zip(clips, ranges, strict=True)]
    known = [None if own is None else own.cut(*kept) for own, kept in zip(plants, ranges, strict=True)]
    curve = register(
        parts,
        RegistrationParameters(
            slope_limit=parameters.slope_limit, gate="off", trim="off", reference=0, through=(half, half)
        ),
        known,
    )
    schedule = schedule_curve(curve, passing_weights(2), parameters.timing, curve.fps)
    # a few steps say little about the floor: the clips stay as high as they are
    crossed = _cross(clips, plants, ranges, schedule, hold=parameters.enforce)
    report: dict[str, Any] = {
        "at": at,
        "into": into,
        "distance_m": round(distance, 4),
        "window_frames": list(crossed.inside),
        "changed_frames": list(crossed.changed),
        "window_s": round(len(schedule.frames) / curve.fps, 4),
        "acceleration_ratio": round(crossed.measured.acceleration, 4),
        "quality": crossed.measured.describe(),
        "doubts": crossed.doubts(),
        "seconds": round(crossed.clip.seconds, 4),
    }
    if crossed.plants is not None:
        inside = cut_frames(crossed.clip, *crossed.inside), crossed.plants.cut(*crossed.inside)
        report["slide_m_s"] = round(slide_speed(*inside), 5)
        report["feet"] = crossed.footwork.describe(crossed.inside[0])
    return Made(crossed.clip, report, crossed.plants)


def _cross(
    clips: Sequence[Clip],
    plants: Sequence[FootPlants | None],
    ranges: Sequence[tuple[int, int]],
    schedule: Schedule,
    *,
    hold: bool,
) -> Crossed:
    """The clips joined along the frames that belong together."""
    first, second = clips
    length = len(schedule.frames) - 1
    frames = schedule.frames + np.array([kept[0] for kept in ranges])
    frames[0, 0], frames[-1, 1] = ranges[0][0], ranges[1][1] - 1
    known = [holdable(clip, own) for clip, own in zip(clips, plants, strict=True)]
    window = Window(ranges[0][0], ranges[1][1] - 1 - length, length)
    pairing = Pairing(frames[:, 0], frames[:, 1], schedule.weights[:, 1])
    asked = TransitionParameters(feet="hold" if hold else "free")
    return cross(Sources(first, second, known[0], known[1], second), window, asked, pairing)


def choose_cell(
    first: Clip, second: Clip, half: int, at: int | None = None, into: int | None = None
) -> tuple[int, int, float]:
    """The frames to join, given or those round which the motions lie nearest, and their distance in metres.

    Args:
        first, second: of one skeleton and rate.
        half: frames of the window to either side; the frames are chosen so that it fits where it can.
        at, into: frames that are given.

    Raises:
        ParameterError: a frame outside its clip, or too near its end for any blend.
    """
    for name, frame, clip in (("at", at, first), ("into", into, second)):
        if frame is not None and not _FEWEST <= frame < len(clip) - _FEWEST:
            raise ParameterError(
                f"{name} must be {_FEWEST} to {len(clip) - 1 - _FEWEST} in {clip.name!r}, which has {len(clip)} frames, "
                f"not {frame}",
                where=name,
            )
    rate = min(_RATE, first.fps)
    frames = [sample_frames(len(clip), first.fps, rate) for clip in (first, second)]
    described = [describe_samples(clip, own, rate) for clip, own in zip((first, second), frames, strict=True)]
    grid = measure_grid(described[0][0], described[0][1], described[1][1]).distances.astype(np.float64)
    cost = _mean_along(grid, max(round(half * rate / first.fps), 1))
    rows = _allowed(frames[0], len(first), half, at)
    columns = _allowed(frames[1], len(second), half, into)
    best = np.unravel_index(int(np.argmin(cost[np.ix_(rows, columns)])), (len(rows), len(columns)))
    row, column = int(rows[best[0]]), int(columns[best[1]])
    found = (
        round(float(frames[0][row])) if at is None else at,
        round(float(frames[1][column])) if into is None else into,
    )
    return found[0], found[1], float(grid[row, column])


def _allowed(frames: Float64, count: int, half: int, given: int | None) -> np.ndarray:
    """Samples at which a window fits, or the one nearest to a given frame."""
    if given is not None:
        return np.array([int(np.argmin(np.abs(frames - given)))])
    fits = np.flatnonzero((frames >= half) & (frames <= count - 1 - half))
    return fits if len(fits) else np.array([len(frames) // 2])


def _mean_along(grid: Float64, half: int) -> Float64:
    """(m, n) means along the diagonal, `half` cells to either side, held at the borders."""
    rows, columns = np.arange(grid.shape[0])[:, None], np.arange(grid.shape[1])[None]
    total = np.zeros_like(grid)
    for shift in range(-half, half + 1):
        total += grid[np.clip(rows + shift, 0, grid.shape[0] - 1), np.clip(columns + shift, 0, grid.shape[1] - 1)]
    return total / (2 * half + 1)
