"""Cycles in a motion: pairs of frames between which it comes back to the same pose, speed and contacts (reuse specification 3.9).

The period is the lag at which a motion is most like itself (the mean pose distance over all frames a lag apart, an auto-correlation in
pose space); cycles are then the best pairs of frames about a period apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.parameters import check_ranges, option
from reenact.edit.choosing import pose_features
from reenact.errors import ParameterError

_COARSE = 30.0  # frames per second of the first search
_LONGEST = 4000  # coarse frames looked at, at most: two minutes
_HARMONIC = (
    1.4  # a lag whose distance is within this factor of the best counts as well: the shortest such is the period
)
_ALIKE = 0.012  # metres by which a shorter lag may be worse than the best and still be the period
_CONTACT = 0.03  # metres a foot in another state counts
_USUAL = 5.0  # seconds up to which a period is looked for first
_STILL = 0.06  # metres a body gets away from a pose at least when it moves
_DRIFT = 1.3  # times the difference of its ends that a slow cycle gets away at least, to come back
_TRIED = 40  # lags tried where none stands out
_EDGE = 0.05  # seconds at both ends of a clip where velocities are not to be trusted


@dataclass(frozen=True, slots=True)
class CycleParameters:
    """What counts as a cycle."""

    shortest: float = option(0.3, "shortest period", unit="s", above=0)
    longest: float | None = option(None, "longest period; default: the clip's length", unit="s", above=0)
    limit: float = option(
        0.08, "largest difference of the two ends: joints root mean square, with speeds and contacts", unit="m", above=0
    )

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.longest is not None and self.longest <= self.shortest:
            raise ParameterError(
                f"longest must be above shortest ({self.shortest:g} s), not {self.longest:g}", where="longest"
            )


@dataclass(frozen=True, slots=True)
class Cycle:
    """Frames [start, end) that can be repeated: `end` is like `start`.

    Attributes:
        start, end: frames.
        error: metres, how unlike frames `start` and `end` are.
    """

    start: int
    end: int
    error: float


def find_cycles(
    clip: Clip,
    parameters: CycleParameters | None = None,
    plants: FootPlants | None = None,
    *,
    near: int | None = None,
    most: int = 10,
) -> list[Cycle]:
    """Cycles of a clip, best first; none when the motion never comes back to a pose within the limit.

    Args:
        clip: the motion.
        parameters: shortest and longest period, limit.
        plants: contacts, compared when known.
        near: only cycles that begin within half a period of this frame.
        most: no more than so many.
    """
    parameters = parameters or CycleParameters()
    stride = max(1, round(clip.fps / _COARSE))
    edge = max(1, round(_EDGE * clip.fps))
    frames = np.arange(edge, len(clip) - edge, stride)[:_LONGEST]
    low = max(1, round(parameters.shortest * clip.fps / stride))
    high = len(frames) - 1
    if parameters.longest is not None:
        high = min(high, round(parameters.longest * clip.fps / stride))
    if low > high:
        return []
    features = _with_contacts(clip, plants)
    usual = round(_USUAL * clip.fps / stride)
    found: list[Cycle] = []
    if usual < high:
        found = _search(clip, features, frames, (low, usual), stride, parameters, near)
    if not any(_moves(features, cycle) for cycle in found):
        found += _search(clip, features, frames, (low, high), stride, parameters, near)
    moving = [cycle for cycle in found if _moves(features, cycle)]
    # a slow change is like itself a little later: what goes away and does not come back is no cycle
    still = [cycle for cycle in found if cycle not in moving and not _drifts(features, cycle)]
    found = moving + sorted(still, key=lambda cycle: cycle.start - cycle.end)  # standing still: rather long than short
    kept: list[Cycle] = []
    for cycle in found:
        if all(abs(cycle.start - other.start) > stride or abs(cycle.end - other.end) > stride for other in kept):
            kept.append(cycle)
    return kept[:most]


def _moves(features: Float, cycle: Cycle) -> bool:
    """Whether the body really goes somewhere else between the ends of a cycle."""
    return _farthest(features, cycle) > max(_STILL, 2 * cycle.error)


def _drifts(features: Float, cycle: Cycle) -> bool:
    """Whether the body is at its farthest at the end of a cycle: it goes away slowly and does not come back."""
    return cycle.error > _STILL / 2 and _farthest(features, cycle) < _DRIFT * cycle.error


def _farthest(features: Float, cycle: Cycle) -> float:
    """Metres the pose gets away from that of the first frame within a cycle."""
    return float(_apart(features[cycle.start : cycle.end], features[[cycle.start]]).max(initial=0.0))


def _search(
    clip: Clip,
    features: Float,
    frames: np.ndarray,
    bounds: tuple[int, int],
    stride: int,
    parameters: CycleParameters,
    near: int | None,
) -> list[Cycle]:
    """Cycles whose coarse lag lies within bounds, period by period, best first."""
    lags = np.arange(bounds[0], bounds[1] + 1)
    coarse = features[frames]
    means = np.array([_apart(coarse[:-lag], coarse[lag:]).mean() for lag in lags])
    bests = np.array([_apart(coarse[:-lag], coarse[lag:]).min() for lag in lags])
    found: list[Cycle] = []
    for lag in _periods(lags, means, bests, parameters.limit):
        found += _cycles_at(clip, features, frames, int(lag), stride, parameters, near)
    return found


def best_cycle(clip: Clip, parameters: CycleParameters, plants: FootPlants | None, near: int | None = None) -> Cycle:
    """The best cycle, or an error that says how near the motion comes to one."""
    found = find_cycles(clip, parameters, plants, near=near, most=1)
    if found:
        return found[0]
    closest = _closest(clip, parameters, plants)
    where = "" if near is None else f" near frame {near}"
    said = (
        "the clip is too short for one"
        if closest is None
        else (
            f"its pose comes back to within {closest.error:.3f} m at best (frames {closest.start} and {closest.end}), "
            f"the limit is {parameters.limit:g} m; give start and end, or a larger limit"
        )
    )
    raise ParameterError(f"no cycle of {parameters.shortest:g} s or more found{where}: {said}", where=clip.name)


def cycle_error(clip: Clip, start: int, end: int, plants: FootPlants | None = None) -> float:
    """Metres by which two frames differ: joints root mean square with scaled velocities, and contacts."""
    features = _with_contacts(clip, plants)
    return float(_apart(features[[start]], features[[end]])[0])


def _closest(clip: Clip, parameters: CycleParameters, plants: FootPlants | None) -> Cycle | None:
    """The best pair of frames a shortest period or more apart, whatever its error."""
    features = _with_contacts(clip, plants)
    stride = max(1, round(clip.fps / 15.0))
    frames = np.arange(1, max(len(clip) - 1, 1), stride)
    low = max(1, round(parameters.shortest * clip.fps / stride))
    best: Cycle | None = None
    for lag in range(low, len(frames)):
        apart = _apart(features[frames[:-lag]], features[frames[lag:]])
        at = int(np.argmin(apart))
        if best is None or apart[at] < best.error:
            best = Cycle(int(frames[at]), int(frames[at + lag]), float(apart[at]))
    return best


def _with_contacts(clip: Clip, plants: FootPlants | None) -> Float:
    features = pose_features(clip)
    if plants is None:
        return features
    states = np.stack([plants.left.plant, plants.right.plant], axis=1) * _CONTACT
    return np.concatenate([features, states], axis=1)


def _apart(a: Float, b: Float) -> Float:
    return np.linalg.norm(a - b, axis=1)


def _periods(lags: np.ndarray, means: Float, bests: Float, limit: float) -> list[int]:
    """Lags to look at: the period first, then others at which the motion comes back, best first."""
    padded = np.concatenate([[np.inf], means, [np.inf]])
    valleys = np.flatnonzero((means <= padded[:-2]) & (means <= padded[2:]) & (bests <= limit))
    inner = valleys[(valleys > 0) & (valleys < len(lags) - 1)]
    if not len(inner):  # no valley: a motion that comes back once (its ends alike), or that stands still
        inner = np.flatnonzero(bests <= limit)
        return [int(lags[n]) for n in inner[np.argsort(bests[inner])][:_TRIED]]
    deepest = means[inner].min()
    good = [int(n) for n in inner if means[n] <= _HARMONIC * deepest + _ALIKE]
    rest = sorted((int(n) for n in inner if n not in good), key=lambda n: float(means[n]))
    return [int(lags[n]) for n in (*good, *rest)]


def _cycles_at(
    clip: Clip,
    features: Float,
    frames: np.ndarray,
    lag: int,
    stride: int,
    parameters: CycleParameters,
    near: int | None,
) -> list[Cycle]:
    """Cycles of about one lag: the best start in every half period, refined to single frames; best first."""
    period = lag * stride
    starts = frames[frames + period < len(clip) - 1]
    if near is not None:
        starts = starts[np.abs(starts - near) <= max(period / 2, stride)]
    if not len(starts):
        return []
    errors = _apart(features[starts], features[starts + period])
    cycles = []
    for block in np.array_split(np.argsort(starts), max(1, round(2 * (starts[-1] - starts[0]) / max(period, 1)))):
        if not len(block):
            continue
        at = int(starts[block[np.argmin(errors[block])]])
        cycle = _refine(clip, features, at, period, stride, int(np.ceil(parameters.shortest * clip.fps)))
        if cycle.error <= parameters.limit and (cycle.end - cycle.start) / clip.fps >= parameters.shortest - 1e-9:
            cycles.append(cycle)
    return sorted(cycles, key=lambda cycle: cycle.error)


def _refine(clip: Clip, features: Float, start: int, period: int, stride: int, shortest: int) -> Cycle:
    """The best pair of frames round a coarse one; the length may change by a few percent."""
    reach = max(stride, round(0.06 * period))
    low, high = max(start - stride, 1), min(start + stride, len(clip) - 3)
    best = Cycle(start, start + period, float(_apart(features[[start]], features[[start + period]])[0]))
    for first in range(low, high + 1):
        ends = np.arange(max(first + period - reach, first + shortest), min(first + period + reach + 1, len(clip) - 1))
        if not len(ends):
            continue
        apart = _apart(features[[first]], features[ends])
        at = int(np.argmin(apart))
        if apart[at] < best.error:
            best = Cycle(first, int(ends[at]), float(apart[at]))
    return best
