"""Where to join two clips: a pair of frames that are alike, late in the first clip and early in the second.

Poses are compared where they stand, without place and heading (the neutral frame of reuse specification 3.5.1): joint positions in metres
and velocities over a short time, root mean square over the joints that have a role. A foot planted in one clip and not in the other
counts like a difference of some centimetres, and so does what would be lost of either clip: a share of its action (`analysis.action`).
No more than half of a clip is lost, of its time or of its action, as long as any frame with room for a blend, if need be a shorter one,
loses less.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from reenact.analysis.action import action_density, lost_after, lost_before
from reenact.analysis.pose_features import pose_features
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import FootPlants
from reenact.errors import ParameterError

_CONTACT = 0.04  # metres a foot in another state counts
_LOST = 0.004  # metres a second of motion left out counts
_ACTION = 0.2  # metres the whole action of a clip counts: a tenth of it is worth a pose nearer by 2 cm
_MOST = 0.5  # share of a clip that may be lost
_MIDDLE = 0.25  # the same for either end of a clip that is left again
_LEAST = 0.02  # share by which frames may lose more than the least, where all lose too much
_SHORTER = (1.0, 0.75, 0.5, 0.25)  # of the blend asked for: what is tried where else too much would be lost
_COARSE = 30.0  # frames per second of the first search
_APART = 0.15  # seconds between two pairs of frames that are worth trying both
_WORSE = 0.12  # metres that a pair may be worse than the best and still be worth trying


Search = Literal["action", "anywhere"]
SEARCHES: tuple[Search, ...] = ("action", "anywhere")
"""How frames are looked for: so that the action of both clips is kept, or wherever they are most alike."""


@dataclass(frozen=True, slots=True)
class Keep:
    """What must be kept of both clips, where one of several is joined to those before it.

    Attributes:
        since: frame of the first clip from which on the recording plays that is left now.
        lost: shares of that recording's time and action that were lost when it was entered.
        leaves: the second clip will be left again, so it must be entered the sooner.
    """

    since: int = 0
    lost: tuple[float, float] = (0.0, 0.0)
    leaves: bool = False


@dataclass(frozen=True, slots=True)
class FramePair:
    """Two frames to be joined.

    Attributes:
        at: frame of the first clip.
        into: frame of the second.
        cost: metres, how unlike they are; 0 for the same pose at the same speed in the same state of contact.
        total: metres, with what is lost of both clips.
        played: share of each clip's time that is played.
        action: share of each clip's action that is played.
        lost: in words, what is lost of a clip though it was not asked for; empty when that is little.
    """

    at: int
    into: int
    cost: float
    total: float = 0.0
    played: tuple[float, float] = (1.0, 1.0)
    action: tuple[float, float] = (1.0, 1.0)
    lost: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class _Losses:
    """What is lost of a clip at each of its frames (F,): shares of time and action, and both with the blend counted in, as a cost."""

    time: Float
    action: Float
    cost: Float

    @property
    def worst(self) -> Float:
        """The larger share."""
        return np.maximum(self.time, self.action)


def choose_frames(
    a: Clip,
    b: Clip,
    at: int | None = None,
    into: int | None = None,
    half: int = 0,
    plants_a: FootPlants | None = None,
    plants_b: FootPlants | None = None,
    *,
    one_sided: bool = False,
    bounds: tuple[int | None, int | None] = (None, None),
    search: Search = "action",
    keep: Keep | None = None,
) -> FramePair:
    """The best pair of frames; what is given stays. Arguments as those of `rank_frames`."""
    asked: dict[str, Any] = {"one_sided": one_sided, "bounds": bounds, "search": search, "keep": keep}
    return rank_frames(a, b, at, into, half, plants_a, plants_b, **asked)[0]


def rank_frames(
    a: Clip,
    b: Clip,
    at: int | None = None,
    into: int | None = None,
    half: int = 0,
    plants_a: FootPlants | None = None,
    plants_b: FootPlants | None = None,
    *,
    one_sided: bool = False,
    bounds: tuple[int | None, int | None] = (None, None),
    search: Search = "action",
    keep: Keep | None = None,
    most: int = 1,
) -> list[FramePair]:
    """The best pairs of frames, best first, no two of them close to each other; what is given stays.

    Args:
        a, b: clips of one tree of joints at one rate.
        at, into: frames that are already chosen.
        half: frames a blend needs on either side (as far as the clips are long enough).
        plants_a, plants_b: contacts, compared when both are known.
        one_sided: the blend needs frames only after `into`, none after `at`.
        bounds: earliest frame of the first clip, latest of the second.
        search: action: late in the first clip, early in the second, so that both play mostly; anywhere: where they are most alike.
        keep: what was lost already, and what comes after, for one join of several.
        most: no more than so many pairs, and none that is much worse than the best.
    """
    keep = keep or Keep()

    def firsts(half: int) -> np.ndarray:
        frames = _candidates(len(a), at, half, 1 if one_sided else half, 0 if one_sided else half)
        if at is not None or bounds[0] is None:
            return frames
        return _bounded(frames, frames >= bounds[0], a, f"from frame {bounds[0]} on", "earliest")

    def seconds(half: int) -> np.ndarray:
        frames = _candidates(len(b), into, half, 0 if one_sided else half, 2 * half if one_sided else half)
        if into is not None or bounds[1] is None:
            return frames
        return _bounded(frames, frames <= bounds[1], b, f"up to frame {bounds[1]}", "latest")

    places = a.world(np.float64).positions, b.world(np.float64).positions
    losses = _losses_of_first(a, places[0], half, one_sided, keep), _losses_of_second(b, places[1], half, one_sided)
    first, second = firsts(half), seconds(half)
    if search == "action":
        if at is None:
            first = _keeping(firsts, half, losses[0].worst, _MOST)
        if into is None:
            second = _keeping(seconds, half, losses[1].worst, _MIDDLE if keep.leaves else _MOST)
    pose_a, pose_b = pose_features(a, places[0]), pose_features(b, places[1])
    state_a, state_b = _states(plants_a, len(a)), _states(plants_b, len(b))
    if plants_a is None or plants_b is None:
        state_a, state_b = np.zeros((len(a), 1)), np.zeros((len(b), 1))

    def costs(rows: np.ndarray, columns: np.ndarray) -> Float:
        apart = _distances(pose_a[rows], pose_b[columns])
        apart += _CONTACT * np.abs(state_a[rows][:, None] - state_b[columns][None]).sum(axis=2)
        lost = (len(a) - 1 - rows)[:, None] / a.fps + columns[None] / b.fps
        apart += _LOST * lost
        if search == "action":
            apart += losses[0].cost[rows][:, None] + losses[1].cost[columns]
        return apart

    def pair(i: int, j: int, total: float) -> FramePair:
        alike = float(_distances(pose_a[[i]], pose_b[[j]])[0, 0])
        alike += _CONTACT * float(np.abs(state_a[i] - state_b[j]).sum())
        played = (1.0 - float(losses[0].time[i]), 1.0 - float(losses[1].time[j]))
        action = (1.0 - float(losses[0].action[i]), 1.0 - float(losses[1].action[j]))
        said = [
            _say_lost(clip, losses[n], frame, search, "left" if n == 0 else "entered")
            for n, (clip, given, frame) in enumerate(((a, at, i), (b, into, j)))
            if given is None
        ]
        return FramePair(i, j, alike, total, played, action, "; ".join(words for words in said if words))

    stride = max(1, round(a.fps / _COARSE))
    rows, columns = _thin(first, stride), _thin(second, stride)
    coarse = costs(rows, columns)
    apart = max(round(_APART * a.fps / stride), 1)
    pairs: list[FramePair] = []
    while len(pairs) < most:
        row, column = (int(n) for n in np.unravel_index(int(np.argmin(coarse)), coarse.shape))
        if not np.isfinite(coarse[row, column]) or (pairs and coarse[row, column] > pairs[0].total + _WORSE):
            break
        near = first[np.abs(first - rows[row]) < stride], second[np.abs(second - columns[column]) < stride]
        fine = costs(*near)
        i, j = np.unravel_index(int(np.argmin(fine)), fine.shape)
        pairs.append(pair(int(near[0][i]), int(near[1][j]), float(fine[i, j])))
        coarse[max(row - apart, 0) : row + apart + 1, max(column - apart, 0) : column + apart + 1] = np.inf
    return pairs


def _losses_of_first(clip: Clip, places: Float, half: int, one_sided: bool, keep: Keep) -> _Losses:
    """What is lost when the clip is left at a frame; of a recording that begins within it, with what was lost at its beginning."""
    density = np.zeros(len(clip))
    density[keep.since :] = action_density(cut_frames(clip, keep.since, len(clip)), places[keep.since :])
    kept = 1.0 - np.array(keep.lost)
    frames = np.arange(len(clip))
    time = keep.lost[0] + kept[0] * (len(clip) - 1 - frames) / (len(clip) - keep.since)
    action = keep.lost[1] + kept[1] * lost_after(density)
    faded = lost_after(density, *((0, 0) if one_sided else (half, half)))
    return _Losses(np.minimum(time, 1.0), action, _ACTION * kept[1] * faded)


def _losses_of_second(clip: Clip, places: Float, half: int, one_sided: bool) -> _Losses:
    """What is lost when the clip is entered at a frame."""
    density = action_density(clip, places)
    faded = lost_before(density, *((0, 2 * half) if one_sided else (half, half)))
    return _Losses(np.arange(len(clip)) / len(clip), lost_before(density), _ACTION * faded)


def _keeping(candidates: Callable[[int], np.ndarray], half: int, lost: Float, most: float) -> np.ndarray:
    """Frames that lose no more than may be lost, with room for a shorter blend if need be; where there are none, those that lose least."""
    for share in _SHORTER:
        frames = candidates(round(share * half))
        if lost[frames].min() <= most:
            return frames[lost[frames] <= most]
    frames = candidates(half)
    return frames[lost[frames] <= float(lost[frames].min()) + _LEAST]


def _say_lost(clip: Clip, losses: _Losses, frame: int, search: Search, how: str) -> str:
    """In words, that more than half of a clip is lost, and why."""
    if losses.worst[frame] <= _MOST:
        return ""
    part = "time" if losses.time[frame] >= losses.action[frame] else "action"
    why = (
        "because its poses are most alike there (search anywhere)"
        if search == "anywhere"
        else "because no frame with room for the blend loses less"
    )
    return (
        f"{100 * losses.worst[frame]:.0f} % of the {part} of {clip.name!r} is lost: it is {how} at frame {frame}, {why}"
    )


def _candidates(count: int, given: int | None, half: int, before: int, after: int) -> np.ndarray:
    if given is not None:
        return np.array([given])
    low, high = before, count - 1 - after
    if low > high:  # too short for the window asked for: the window will be made shorter, round the middle
        middle = min(max((low * (count - 1)) // max(before + after, 1), 1), count - 2)
        return np.array([middle])
    return np.arange(low, high + 1)


def _bounded(frames: np.ndarray, allowed: np.ndarray, clip: Clip, said: str, where: str) -> np.ndarray:
    if not allowed.any():
        raise ParameterError(
            f"{clip.name!r} has no room for a blend {said} (possible: {frames[0]} to {frames[-1]})", where=where
        )
    return frames[allowed]


def _thin(frames: np.ndarray, stride: int) -> np.ndarray:
    return frames[::stride]


def _states(plants: FootPlants | None, frames: int) -> Float:
    """(F, 2) planted or not, left and right."""
    if plants is None:
        return np.zeros((frames, 2))
    return np.stack([plants.left.plant, plants.right.plant], axis=1).astype(np.float64)


def _distances(a: Float, b: Float) -> Float:
    """(N, M) distances of rows, by one matrix product."""
    squared = np.einsum("ij,ij->i", a, a)[:, None] + np.einsum("ij,ij->i", b, b)[None] - 2 * (a @ b.T)
    return np.sqrt(np.maximum(squared, 0.0))
