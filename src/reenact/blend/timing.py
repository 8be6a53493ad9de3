"""The timing of a blend: how fast it goes along the curve of corresponding frames.

The rates of the motions are blended and added up (Park, Shin and Shin 2002; Kovar and Gleicher 2003), so time never runs back. In finite
form a frame of the result takes u to the weighted mean of where a whole frame of each motion would take it::

    u' = u + sum_j w_j (u_j(S_j(u) + 1) - u)

With all weight on one motion that is exactly one frame of it. The differential form steps over several frames where a curve is flat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from reenact.blend.time_warp import TimeWarp
from reenact.blend.weights import Weights, others_of
from reenact.core.arrays import Bool, Float64
from reenact.core.foot_plants import SIDES, FootPlants
from reenact.errors import ParameterError

Timing = Literal["blended", "path_cells", "keytimes"]
TIMINGS = ("blended", "path_cells", "keytimes")

_MOST_FRAMES = 2_000_000
_LANDED = 1e-6  # frames
_SLOWEST = 0.2  # as in `kernels.live_blending`


class Warp(Protocol):
    """Rising curves of the frames of several motions over one parameter; `TimeWarp` and `KeyTimes` are such."""

    @property
    def length(self) -> float:
        """Where the parameter ends."""
        ...

    def frames_at(self, u: float) -> Float64:
        """(k,) frames at one u."""
        ...

    def inverse(self, motion: int, frames: float) -> float | Float64:
        """The u at which a motion is at a frame; beyond the end the curve goes on straight."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """Where every frame of a result lies.

    Attributes:
        u: (N,) rising.
        frames: (N, k) frames of the motions.
        weights: (N, k) of sum 1.
        rate: frames of the motions per frame of the result with all weight on one; 1 but for what lets the last frame be met.
    """

    u: Float64
    frames: Float64
    weights: Float64
    rate: float = 1.0

    def __len__(self) -> int:
        return len(self.u)

    @property
    def mixed(self) -> Bool:
        """(N,) frames in which more than one motion has weight."""
        return others_of(self.weights).min(axis=1) > 0


def schedule_blend(warp: Warp, weights: Weights, fps: float) -> Schedule:
    """Blended timing from the start of the curve to its end.

    The way takes some whole frames and a part of one. A last short step would be a jerk, so all steps are made longer or shorter by the
    same small share, and the last frame is the end of the curve.
    """
    count = _count_frames(warp, weights, fps, 1.0)
    whole = max(round(count), 1)
    rate = count / whole
    for _ in range(6):
        if abs(count - whole) < _LANDED:
            break
        count = _count_frames(warp, weights, fps, rate)
        rate *= count / whole
    u, used = np.empty(whole + 1), np.empty((whole + 1, weights.motions))
    at = 0.0
    for n in range(whole + 1):
        u[n] = at = warp.length if n == whole else min(at, warp.length)
        used[n] = weights.at(n / fps, at / warp.length)
        at = _advance(warp, at, used[n], rate)
    frames = np.array([warp.frames_at(float(one)) for one in u])
    return Schedule(u, frames, used, rate)


def _advance(warp: Warp, u: float, weights: Float64, rate: float) -> float:
    """Where u is a frame later; weights below 0 could make time stand still, so a share of the heaviest motion's way is always gone."""
    if isinstance(warp, TimeWarp):
        return warp.step_on(u, weights, rate, _SLOWEST)
    frames = warp.frames_at(u)
    ways = {
        motion: float(warp.inverse(motion, float(frames[motion]) + rate)) - u
        for motion, weight in enumerate(weights)
        if weight != 0
    }
    least = _SLOWEST * ways[int(np.argmax(weights))]
    return u + max(sum(float(weights[motion]) * way for motion, way in ways.items()), least)


def _count_frames(warp: Warp, weights: Weights, fps: float, rate: float) -> float:
    """How many steps lead to the end of the curve, with the part of the last one that does."""
    u, count = 0.0, 0
    while count < _MOST_FRAMES:
        after = _advance(warp, u, weights.at(count / fps, u / warp.length), rate)
        if after >= warp.length - 1e-12:
            return count + (warp.length - u) / (after - u)
        u, count = after, count + 1
    raise ParameterError(f"the blend would have more than {_MOST_FRAMES} frames")


def schedule_cells(path: Float64, u: Float64, weights: Weights, fps: float) -> Schedule:
    """One frame for each cell of the path of correspondences, as in Aherne (2005): nothing is re-timed.

    Args:
        path: (P, k) corresponding frames.
        u: (P,) where they lie on the curve.
        weights: of the motions.
        fps: frames per second of the result.
    """
    length = max(float(u[-1]), 1e-9)
    used = np.array([weights.at(n / fps, float(at) / length) for n, at in enumerate(u)])
    return Schedule(np.asarray(u, dtype=np.float64), np.asarray(path, dtype=np.float64), used)


@dataclass(frozen=True, slots=True, eq=False)
class KeyTimes:
    """Straight lines between corresponding events of k motions (Park, Shin and Shin 2002).

    Attributes:
        events: (E, k) frames, each column rising; one unit of the parameter lies between neighbouring events.
    """

    events: Float64

    @property
    def length(self) -> float:
        """Number of stretches between events."""
        return float(len(self.events) - 1)

    def frames_at(self, u: float) -> Float64:
        """(k,) frames at one u."""
        before = min(max(int(u), 0), len(self.events) - 2)
        return self.events[before] + min(u - before, 1.0) * (self.events[before + 1] - self.events[before])

    def inverse(self, motion: int, frames: float) -> float | Float64:
        """The u at which a motion is at a frame; beyond the ends the curve goes on straight."""
        column = self.events[:, motion]
        before = min(max(int(np.searchsorted(column, frames, side="right")) - 1, 0), len(column) - 2)
        return float(before + (frames - column[before]) / (column[before + 1] - column[before]))


def find_key_times(plants: Sequence[FootPlants | None], lengths: Sequence[int]) -> KeyTimes:
    """Key times from the foot plants: the frames in which a foot comes down or lifts off, and the clips' ends.

    Raises:
        ParameterError: plants are not known, or the feet come down in different orders; the message says where they first differ.
    """
    stories = []
    for motion, (own, length) in enumerate(zip(plants, lengths, strict=True)):
        if own is None:
            raise ParameterError(
                f"key times need the foot plants of every motion; motion {motion} has none", where="timing"
            )
        events = []
        for side in SIDES:
            for start, end in own.foot(side).intervals():
                events += [(start, f"{side} foot down")] if start > 0 else []
                events += [(end - 1, f"{side} foot up")] if end < length else []
        stories.append(sorted(events))
    names = [[name for _, name in story] for story in stories]
    for motion, other in enumerate(names[1:], 1):
        if other != names[0]:
            here = next((n for n, (a, b) in enumerate(zip(names[0], other, strict=False)) if a != b), None)
            said = (
                f"{len(names[0])} against {len(other)} events"
                if here is None
                else f"event {here + 1} is {names[0][here]!r} against {other[here]!r}"
            )
            raise ParameterError(
                f"key times need the same steps in every motion: motions 0 and {motion} differ ({said}); "
                "trim the clips to equal steps or use blended timing",
                where="timing",
            )
    columns = []
    for story, length in zip(stories, lengths, strict=True):
        frames = np.array([0.0, *(float(frame) for frame, _ in story), float(length - 1)])
        columns.append(np.maximum.accumulate(frames + 1e-3 * np.arange(len(frames))))  # two feet may act in one frame
        columns[-1][-1] = length - 1
    events = np.column_stack(columns)
    if len(events) < 2 or np.any(np.diff(events, axis=0) <= 0):
        raise ParameterError("the key times of a motion fall together: the clip is too short", where="timing")
    return KeyTimes(events)
