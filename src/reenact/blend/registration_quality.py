"""Whether motions correspond, and if not, why.

The measure q is the mean distance along the path over the mean of the whole grid (registration specification A4.4): small when the path
finds pairs of frames far more alike than any two. It says nothing about single moments and nothing about where the bodies go, so these are
measured too; `gate` holds the limits. The reasons come from what is known about the feet and the speed of the motions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.blend.distance_grid import DistanceGrid
from reenact.blend.gate import (
    STRETCH,
    Excess,
    GateLimits,
    PairMeasures,
    Span,
    find_excesses,
    find_verdict,
    squeezed_in_words,
)
from reenact.blend.jumps import find_jumps, jumping_frames
from reenact.blend.registration_curve import RegistrationQuality
from reenact.blend.standing_heights import heights_apart, standing_heights
from reenact.blend.time_warp import TimeWarp
from reenact.blend.travel_direction import CHORD, angles_apart, course_in_words, local_velocity
from reenact.core.arrays import Bool, Float64
from reenact.core.clip import Clip
from reenact.core.cutting import leg_length
from reenact.core.foot_plants import SIDES, FootPlants, intervals_of

_STANDING = 0.15  # m/s: a body slower than this stands
_AT_LIMIT = 0.25  # share of the curve at the steepest allowed ratio that is worth a word
_AGREE = 0.6  # share of the frames on which planted feet must agree when steps correspond
_APART = 0.25  # and how much more than left feet agree with right ones
_NEVER_NEAR = 0.6  # of the mean distance on the path: when no frames at all are nearer, timing does not matter
_STEEP = 1.05  # of the floor: slopes below this are at the limit
_RATE = 30.0  # moments a second at which the way is looked at

GOING = 0.5
"""m/s: a body faster than this goes somewhere."""


def judge(
    clips: Sequence[Clip],
    plants: Sequence[FootPlants | None],
    grids: Sequence[DistanceGrid | None],
    cells: np.ndarray,
    frames: Float64,
    warp: TimeWarp,
    reference: int,
    floor: float,
    limits: GateLimits,
    ranges: Sequence[Span],
) -> RegistrationQuality:
    """The quality of a registration.

    Args:
        clips: the motions.
        plants: their foot plants.
        grids: distances of the reference to each motion; None for the reference.
        cells: (P, k) corresponding samples.
        frames: (P, k) corresponding frames.
        warp: the time warp.
        reference: index of the reference.
        floor: the least slope that was allowed.
        limits: of the gate.
        ranges: the frames of each motion as given that `clips` hold.
    """
    each, pairs, worst, worst_row = [0.0] * len(clips), [], 0.0, 0
    reasons: list[str] = []
    found: list[Excess] = []
    firsts = [start for start, _ in ranges]
    for j, grid in enumerate(grids):
        if grid is None:
            continue
        on_path = grid.along(cells[:, [reference, j]])
        squeezed = _squeezed(warp, reference, j, floor)
        pair = _measure(clips, plants, grid, on_path, frames, (reference, j), limits, firsts, squeezed)
        each[j] = pair.q
        if on_path.max() >= worst:
            worst, worst_row = float(on_path.max()), int(np.argmax(on_path))
        pairs.append(pair)
        excesses = find_excesses(pair, limits)
        found += excesses
        reasons += [excess.message for excess in excesses]
        reasons += _reasons(clips, plants, frames, reference, j)
        if pair.squeezed > _AT_LIMIT and all(excess.limit != "most_squeezed" for excess in excesses):
            reasons.append(squeezed_in_words(pair))
        if excesses:
            reasons += _never_near(clips, grid, float(on_path.mean()), reference, j)
        if pair.in_step and any(excess.limit == "most_q_in_step" and not excess.refused for excess in excesses):
            reasons.append("yet they take the same steps with the same feet: their timing corresponds")
    return RegistrationQuality(
        q=max(each),
        mean_distance=max(pair.distance * pair.leg for pair in pairs),
        worst_distance=worst,
        worst_at=float((frames[worst_row] - frames[0]).mean()),
        each=tuple(each),
        verdict=find_verdict(found),
        reasons=tuple(dict.fromkeys(reasons)),
        pairs=tuple(pairs),
        excesses=tuple(found),
    )


def _measure(
    clips: Sequence[Clip],
    plants: Sequence[FootPlants | None],
    grid: DistanceGrid,
    on_path: Float64,
    frames: Float64,
    pair: tuple[int, int],
    limits: GateLimits,
    firsts: Sequence[int],
    squeezed: tuple[float, float],
) -> PairMeasures:
    """What the gate looks at, of the reference and one other motion."""
    one, other = pair
    fps, leg = clips[one].fps, leg_length(clips[one])
    seconds = (frames - frames[0]).mean(axis=1) / fps
    moments = np.arange(0.0, seconds[-1] + 1e-9, 1 / _RATE)
    at = np.column_stack([np.interp(moments, seconds, frames[:, j]) for j in pair])

    def span(start: int, end: int) -> tuple[Span, Span]:
        low, high = np.rint(at[start]).astype(int), np.rint(at[min(end, len(at)) - 1]).astype(int) + 1
        ends = [(int(low[n]) + firsts[j], int(high[n]) + firsts[j]) for n, j in enumerate(pair)]
        return ends[0], ends[1]

    length, begins, stretch = worst_stretch(np.interp(moments, seconds, on_path), round(STRETCH * _RATE))
    whole = frames[:, list(pair)]
    in_step = all(pace(clips[j], frames[0, j], frames[-1, j]) > GOING for j in pair) and steps_correspond(
        plants[one], plants[other], whole
    )
    shown = [np.clip(np.rint(at[:, n]).astype(int), 0, len(clips[j]) - 1) for n, j in enumerate(pair)]
    standing = standing_heights([clips[j] for j in pair], [plants[j] for j in pair])
    ways = [local_velocity(clips[j])[shown[n]] for n, j in enumerate(pair)]
    astray = angles_apart(ways[0], ways[1], leg) > limits.astray_angle
    # two that jump fly on as they took off, wherever they turn meanwhile
    astray &= ~np.all([jumping_frames(clips[j], plants[j], CHORD / 2)[shown[n]] for n, j in enumerate(pair)], axis=0)
    runs = intervals_of(astray)
    longest = max(runs, key=lambda run: run[1] - run[0]) if runs else None
    courses = ["", ""] if longest is None else [course_in_words(way[slice(*longest)].mean(axis=0)) for way in ways]
    mean = float(on_path.mean())
    return PairMeasures(
        names=(clips[one].name or "the first motion", clips[other].name or "the other motion"),
        q=mean / max(grid.mean, 1e-9),
        in_step=in_step,
        fps=fps,
        leg=leg,
        distance=mean / leg,
        any_two=grid.mean / leg,
        stretch=stretch / leg,
        stretch_at=span(begins, begins + length),
        astray=float(astray.mean()),
        astray_at=None if longest is None else span(*longest),
        courses=(courses[0], courses[1]),
        squeezed=squeezed[0],
        faster=squeezed[1],
        uneven=heights_apart(*(height[shown[n]] for n, height in enumerate(standing))) / leg,
        leap=_leap([clips[j] for j in pair], [plants[j] for j in pair]) / leg,
    )


def _leap(clips: Sequence[Clip], plants: Sequence[FootPlants | None]) -> float:
    """Metres that one of two bodies rises in a jump, if the other never jumps."""
    known = [(clip, own) for clip, own in zip(clips, plants, strict=True) if own is not None]
    jumps = [find_jumps(clip, own) for clip, own in known]
    if len(known) < len(clips) or all(jumps):
        return 0.0
    return max((jump.rise for own in jumps for jump in own), default=0.0)


def _squeezed(warp: TimeWarp, one: int, other: int, floor: float) -> tuple[float, float]:
    """Share of the curve at which one of two motions is at the slope limit, and how many times as fast as the other it is there."""
    slopes = warp.slopes_at(np.linspace(0, warp.length, 20 * len(warp.values)))[:, [one, other]]
    steep = slopes.min(axis=1) <= _STEEP * floor
    ratio = slopes.max(axis=1) / slopes.min(axis=1)
    return float(steep.mean()), float(ratio[steep].max()) if steep.any() else 1.0


def worst_stretch(distances: Float64, wide: int) -> tuple[int, int, float]:
    """Length and beginning of the worst `wide` neighbours in a row, and their mean; all of them when there are fewer."""
    length = max(min(wide, len(distances)), 1)
    total = np.concatenate([[0.0], np.cumsum(distances)])
    means = (total[length:] - total[:-length]) / length
    return length, int(np.argmax(means)), float(means.max())


def count_strikes(plants: FootPlants, start: int = 0, end: int | None = None) -> int:
    """Foot strikes in frames [start, end): plants of either foot that begin after the first of these frames."""
    stop = len(plants) if end is None else end
    return sum(start < s < stop for side in SIDES for s, _ in plants.foot(side).intervals())


def steps_correspond(a: FootPlants | None, b: FootPlants | None, frames: Float64) -> bool:
    """True when two motions take the same steps along corresponding frames (P, 2): as many strikes, two or more, with the same feet in the
    same order, and feet that mostly agree, frame by frame, on whether they stand.
    """
    if a is None or b is None:
        return False
    feet = [_strike_sides(p, at) for p, at in ((a, frames[:, 0]), (b, frames[:, 1]))]
    same, crossed = _agreement(a, b, frames[:, 0], frames[:, 1])
    return len(feet[0]) >= 2 and feet[0] == feet[1] and same >= _AGREE and same - crossed >= _APART


def _strike_sides(plants: FootPlants, frames: Float64) -> str:
    first, last = int(frames[0]), int(frames[-1])
    found = [(s, side) for side in SIDES for s, _ in plants.foot(side).intervals() if first < s <= last]
    return "".join(side[0] for _, side in sorted(found))


def _never_near(clips: Sequence[Clip], grid: DistanceGrid, mean: float, one: int, other: int) -> list[str]:
    """When the most alike frames are not much nearer than those on the path: that no timing would help."""
    nearest = float(np.quantile(grid.distances, 0.01))
    if nearest <= _NEVER_NEAR * mean:
        return []
    paces = [pace(clips[j], 0, len(clips[j])) for j in (one, other)]
    return [
        f"even the most alike frames of {clips[one].name} and {clips[other].name} lie {100 * nearest:.0f} cm apart: posture and speed "
        f"({paces[0]:.1f} against {paces[1]:.1f} m/s) differ throughout"
    ]


def _reasons(
    clips: Sequence[Clip],
    plants: Sequence[FootPlants | None],
    frames: Float64,
    one: int,
    other: int,
) -> list[str]:
    names = clips[one].name or "the first motion", clips[other].name or "the other motion"
    found: list[str] = []
    paces = [pace(clips[j], frames[0, j], frames[-1, j]) for j in (one, other)]
    for a, b, still, going in ((0, 1, paces[0], paces[1]), (1, 0, paces[1], paces[0])):
        if still < _STANDING and going > GOING:
            found.append(f"{names[a]} stays where it is, {names[b]} travels at {going:.1f} m/s")
    a, b = plants[one], plants[other]
    if a is not None and b is not None:
        counts = [count_strikes(p, int(frames[0, j]), int(frames[-1, j]) + 1) for p, j in ((a, one), (b, other))]
        if counts[0] != counts[1]:
            found.append(f"{counts[0]} steps in {names[0]} against {counts[1]} in {names[1]}")
        same, crossed = _agreement(a, b, frames[:, one], frames[:, other])
        if crossed > same + 0.1:
            found.append(f"opposite phase: the left foot of {names[0]} stands while the right foot of {names[1]} does")
    return found


def pace(clip: Clip, start: float, end: float) -> float:
    """Mean speed of the root over the floor, as the crow flies over half seconds, m/s."""
    root = clip.root[int(start) : int(end) + 1, [0, 2]].astype(np.float64)
    lag = max(min(round(0.5 * clip.fps), len(root) - 1), 1)
    if len(root) <= lag:
        return 0.0
    return float(np.linalg.norm(root[lag:] - root[:-lag], axis=1).mean() * clip.fps / lag)


def _agreement(a: FootPlants, b: FootPlants, frames_a: Float64, frames_b: Float64) -> tuple[float, float]:
    """Share of the path on which feet agree, same side with same side and left with right: planted or not."""

    def states(plants: FootPlants, frames: Float64) -> list[Bool]:
        at = np.clip(np.rint(frames).astype(np.int64), 0, len(plants) - 1)
        return [plants.foot(side).plant[at] for side in SIDES]

    one, other = states(a, frames_a), states(b, frames_b)
    same = float(np.mean([np.mean(one[s] == other[s]) for s in (0, 1)]))
    crossed = float(np.mean([np.mean(one[s] == other[1 - s]) for s in (0, 1)]))
    return same, crossed
