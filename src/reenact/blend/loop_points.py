"""Where a set of registered motions can be played again from an earlier place: all of them must be alike at both.

Registration specification A17.3. The two places are looked for at 30 Hz; what counts is the mean distance of all motions over the whole
time in which one passage is blended into the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.blend.distance_grid import describe_samples, measure_grid
from reenact.blend.registration_curve import RegistrationCurve
from reenact.core.arrays import Float64
from reenact.errors import ParameterError

_RATE = 30.0
_SHORTEST = 0.5  # seconds of a loop
_LEAST_SHARE = 0.3  # of the curve that a loop has to hold
_LENGTH_COUNTS = 0.3  # share by which a loop of half the curve may be worse than one of all of it and still lose


@dataclass(frozen=True, slots=True, eq=False)
class LoopPoint:
    """Where a passage is left and where the next one is entered.

    Attributes:
        leave: u at which the crossing begins in the passage that ends.
        enter: u at which the next passage begins.
        frames: of the crossing.
        placements: (k, 3) turn, x, z that lay each motion at `enter` over itself at `leave`.
        distance: metres, mean over the crossing and the motions.
    """

    leave: float
    enter: float
    frames: int
    placements: Float64
    distance: float


def find_loop_point(curve: RegistrationCurve, crossing: float = 0.35) -> LoopPoint:
    """The best place to play the motions again.

    Args:
        curve: the motions.
        crossing: seconds in which one passage is blended into the next.

    Raises:
        ParameterError: the motions are too short for a loop and a crossing.
    """
    rate = min(_RATE, curve.fps)
    step = curve.fps / rate
    u = np.arange(0.0, curve.length + 1e-9, step)
    wide = max(round(crossing * rate), 2)
    shortest = max(round(_SHORTEST * rate), round(_LEAST_SHARE * len(u)), 2)
    # a crossing takes as long as it takes the fastest motion: let it have some room before the curve ends
    room = min(round(wide * 1.6) + 1, len(u) - shortest - 1)
    last = len(u) - 1 - room
    if last < shortest or room < wide:
        need = (shortest + round(wide * 1.6) + 2) / rate
        raise ParameterError(
            f"the motions last {curve.length / curve.fps:.2f} s along the curve, a loop needs {need:.2f} s at least",
            where=" x ".join(clip.name for clip in curve.clips),
        )
    frames = curve.warp.frames_at(u)
    total, grids = np.zeros((len(u), len(u))), []
    for motion, clip in enumerate(curve.clips):
        metric, features = describe_samples(clip, frames[:, motion], rate)
        grids.append(measure_grid(metric, features, features))
        total += grids[-1].distances
    leave, enter = np.arange(last + 1)[:, None], np.arange(last + 1)[None]
    cost = sum(total[leave + n, enter + n] for n in range(wide + 1)) / ((wide + 1) * curve.motions)
    cost = np.where(leave - enter >= shortest, cost, np.inf)
    longer = 1 + _LENGTH_COUNTS * (1 - (leave - enter) / len(u))
    row, column = np.unravel_index(int(np.argmin(cost * longer)), cost.shape)
    cells = np.array([[row, column]]) + wide // 2
    aligned = [grid.align_cells(cells) for grid in grids]
    placements = np.array([[a.turn[0], *a.shift[0]] for a in aligned], dtype=np.float64)
    count = max(round(crossing * curve.fps), 2)
    return LoopPoint(float(u[row]), float(u[column]), count, placements, float(cost[row, column]))
