"""Looking for cycles: the lags at which a motion is like itself, and the best pairs of frames for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.analysis.pose_features import pose_features
from reenact.core import filters
from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.parameters import check_ranges, option
from reenact.edit.steadiness import Travel, find_travel
from reenact.errors import ParameterError

_COARSE = 30.0  # frames per second of the first search
_LONGEST = 4000  # coarse frames looked at, at most: two minutes
_HARMONIC = (
    1.4  # a lag whose distance is within this factor of the best counts as well: the shortest such is the period
)
_ALIKE = 0.012  # metres by which a shorter lag may be worse than the best and still be the period
_CONTACT = 0.03  # metres a foot in another state counts
_STILL = 0.06  # metres a body gets away from a pose at least when it moves
_DRIFT = 1.3  # times the difference of its ends that a slow cycle gets away at least, to come back
_TRIED = 40  # lags tried where none stands out, and cycles found at most where any will do
_COARSER = 1.3  # times the limit: what coarse frames may differ by that are looked at closely
_DEPARTURE = 0.02  # metres that speed and turn count which are just steady
_EVEN = 0.25  # share of a clip that must be steady so that its period is looked for in that part alone
_SEAMS = 10  # places within a period at which it is looked whether a cycle is better cut
_FROZEN = 1e-5  # metres: no joint of a living body moves less from frame to frame
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
        advance: metres from where the body stands at `start` to where it stands at `end`.
        turn: radians it turns in between.
        unsteady: in words, how a cycle differs that travels or turns otherwise than most of the clip; empty when it does not.
    """

    start: int
    end: int
    error: float
    advance: float = 0.0
    turn: float = 0.0
    unsteady: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Searched:
    """What a search looks at: the frames compared at first, (low, high) lags between them, how the clip travels, and where it is frozen."""

    clip: Clip
    features: Float
    frames: np.ndarray
    bounds: tuple[int, int]
    stride: int
    parameters: CycleParameters
    near: int | None
    travel: Travel
    frozen: Bool

    @classmethod
    def of(
        cls, clip: Clip, parameters: CycleParameters, plants: FootPlants | None, near: int | None
    ) -> Searched | None:
        """None when the clip is too short for a cycle."""
        stride = max(1, round(clip.fps / _COARSE))
        edge = max(1, round(_EDGE * clip.fps))
        frames = np.arange(edge, len(clip) - edge, stride)[:_LONGEST]
        low = max(1, round(parameters.shortest * clip.fps / stride))
        high = len(frames) - 1
        if parameters.longest is not None:
            high = min(high, round(parameters.longest * clip.fps / stride))
        if low > high:
            return None
        places = clip.world(np.float64).positions
        features = cycle_features(clip, plants, places)
        travel, frozen = find_travel(clip, places), find_frozen(places)
        return cls(clip, features, frames, (low, high), stride, parameters, near, travel, frozen)

    def starts(self, lag: int) -> np.ndarray:
        """Frames at which a cycle of a (coarse) lag can begin."""
        starts = self.frames[self.frames + lag * self.stride < len(self.clip) - 1]
        starts = starts[~(self.frozen[starts] | self.frozen[starts + lag * self.stride])]
        if self.near is not None:
            starts = starts[np.abs(starts - self.near) <= max(lag * self.stride / 2, self.stride)]
        return starts


def search_periods(searched: Searched, bounds: tuple[int, int]) -> list[Cycle]:
    """Cycles whose coarse lag lies within bounds, period by period, best first."""
    lags = np.arange(bounds[0], bounds[1] + 1)
    frames = searched.frames
    coarse = searched.features[frames]
    means, bests = np.empty(len(lags)), np.empty(len(lags))
    for n, lag in enumerate(lags):
        apart = distances(coarse[:-lag], coarse[lag:])
        even = searched.travel.steady(frames[:-lag], frames[lag:])
        means[n] = apart[even].mean() if even.mean() >= _EVEN else apart.mean()
        bests[n] = apart.min()
    found: list[Cycle] = []
    for lag in _periods(lags, means, bests, searched.parameters.limit):
        found += _cycles_at(searched, int(lag))
    return found


def best_pairs(searched: Searched, *, steady: bool) -> list[Cycle]:
    """The best pair of frames of every lag, best first; only those within the limit that come back, with `steady` only steady ones."""
    found: list[Cycle] = []
    for cycle in nearest_pairs(searched, steady=steady):
        if cycle.error > _COARSER * searched.parameters.limit or len(found) == _TRIED:
            break
        fine = refine(searched, cycle.start, cycle.end - cycle.start)
        if fits(searched, fine) and not drifts(searched.features, fine):
            found.append(fine)
    return sorted(found, key=lambda cycle: cycle.error)


def nearest_pairs(searched: Searched, *, steady: bool) -> list[Cycle]:
    """The pair of frames that are most alike for every lag, most alike first, whatever their error."""
    found = []
    for lag in range(searched.bounds[0], searched.bounds[1] + 1):
        starts = searched.starts(lag)
        ends = starts + lag * searched.stride
        if steady and len(starts):
            even = searched.travel.steady(starts, ends)
            starts, ends = starts[even], ends[even]
        if len(starts):
            apart = distances(searched.features[starts], searched.features[ends])
            at = int(np.argmin(apart))
            found.append(Cycle(int(starts[at]), int(ends[at]), float(apart[at])))
    return sorted(found, key=lambda cycle: cycle.error)


def other_seams(searched: Searched, cycle: Cycle) -> list[Cycle]:
    """The same cycle cut elsewhere: pairs of frames about its period apart that begin within one period before and after it."""
    period, count = cycle.end - cycle.start, len(searched.clip)
    first, last = max(cycle.start - period, 1), min(cycle.start + period, count - period - 2)
    if searched.near is not None:
        first, last = max(first, searched.near - period // 2), min(last, searched.near + period // 2)
    found = (refine(searched, start, period) for start in range(first, last, max(period // _SEAMS, searched.stride)))
    return [one for one in found if fits(searched, one)]


def moves(features: Float, cycle: Cycle, times: float = 2.0) -> bool:
    """Whether the body really goes somewhere else between the ends of a cycle: so many times as far as these differ."""
    return _farthest(features, cycle) > max(_STILL, times * cycle.error)


def drifts(features: Float, cycle: Cycle) -> bool:
    """Whether the body is at its farthest at the end of a cycle: it goes away slowly and does not come back."""
    return cycle.error > _STILL / 2 and _farthest(features, cycle) < _DRIFT * cycle.error


def _farthest(features: Float, cycle: Cycle) -> float:
    """Metres the pose gets away from that of the first frame within a cycle."""
    return float(distances(features[cycle.start : cycle.end], features[[cycle.start]]).max(initial=0.0))


def cycle_features(clip: Clip, plants: FootPlants | None, places: Float | None = None) -> Float:
    features = pose_features(clip, places)
    if plants is None:
        return features
    states = np.stack([plants.left.plant, plants.right.plant], axis=1) * _CONTACT
    return np.concatenate([features, states], axis=1)


def find_frozen(places: Float) -> Bool:
    """(F,) frames in which a recording stands still to the last digit: it dropped out there, and its speed is not to be trusted.

    None where most of the clip does: then it is meant.

    Args:
        places: (F, J, 3) metres, the joints in the world.
    """
    steps = np.linalg.norm(np.diff(places, axis=0), axis=2).max(axis=1, initial=0.0)
    still = np.concatenate([[False], steps < _FROZEN]) | np.concatenate([steps < _FROZEN, [False]])
    if not still.any() or still.mean() > 0.5:
        return np.zeros(len(places), np.bool_)
    return filters.widened(still, 2)


def distances(a: Float, b: Float) -> Float:
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


def _cycles_at(searched: Searched, lag: int) -> list[Cycle]:
    """Cycles of about one lag: the best start in every half period, refined to single frames; best first, the steadier the better."""
    period, starts = lag * searched.stride, searched.starts(lag)
    if not len(starts):
        return []
    errors = distances(searched.features[starts], searched.features[starts + period])
    cycles = []
    for block in np.array_split(np.argsort(starts), max(1, round(2 * (starts[-1] - starts[0]) / max(period, 1)))):
        if not len(block):
            continue
        cycle = refine(searched, int(starts[block[np.argmin(errors[block])]]), period)
        if fits(searched, cycle):
            cycles.append(cycle)
    travel = searched.travel
    return sorted(cycles, key=lambda c: c.error + _DEPARTURE * min(float(travel.departure(c.start, c.end)), 1.0))


def fits(searched: Searched, cycle: Cycle) -> bool:
    """Whether a cycle is long enough and its ends are near enough."""
    seconds = (cycle.end - cycle.start) / searched.clip.fps
    return cycle.error <= searched.parameters.limit and seconds >= searched.parameters.shortest - 1e-9


def refine(searched: Searched, start: int, period: int) -> Cycle:
    """The best pair of frames round a coarse one; the length may change by a few percent."""
    features, stride, count = searched.features, searched.stride, len(searched.clip)
    shortest = int(np.ceil(searched.parameters.shortest * searched.clip.fps))
    reach = max(stride, round(0.06 * period))
    stands = searched.frozen[[start, start + period]].any()
    error = np.inf if stands else float(distances(features[[start]], features[[start + period]])[0])
    best = Cycle(start, start + period, error)
    firsts = np.arange(max(start - stride, 1), min(start + stride, count - 3) + 1)
    ends = np.arange(start - stride + period - reach, min(start + stride + period + reach + 1, count - 1))
    if not len(firsts) or not len(ends):
        return best
    periods = ends - firsts[:, None]
    allowed = (periods >= shortest) & (np.abs(periods - period) <= reach)
    allowed &= ~(searched.frozen[firsts][:, None] | searched.frozen[ends])
    apart = np.where(allowed, np.linalg.norm(features[firsts][:, None] - features[ends], axis=2), np.inf)
    row, column = np.unravel_index(int(np.argmin(apart)), apart.shape)
    if apart[row, column] < best.error:
        best = Cycle(int(firsts[row]), int(ends[column]), float(apart[row, column]))
    return best
