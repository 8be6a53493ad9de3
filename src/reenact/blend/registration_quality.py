"""Whether motions correspond, and if not, why.

The measure q is the mean distance along the path over the mean of the whole grid (registration specification A4.4): small when the path
finds pairs of frames far more alike than any two. The reasons come from what is known about the feet and the speed of the motions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.blend.distance_grid import DistanceGrid
from reenact.blend.registration_curve import RegistrationQuality
from reenact.blend.registration_parameters import NEAR, NEVER_ABOVE, REFUSE_ABOVE, WARN_ABOVE
from reenact.blend.time_warp import TimeWarp
from reenact.core.arrays import Bool, Float64
from reenact.core.clip import Clip
from reenact.core.foot_plants import SIDES, FootPlants

_STANDING = 0.15  # m/s: a body slower than this stands
_GOING = 0.5  # m/s: a body faster than this goes somewhere
_AT_LIMIT = 0.25  # share of the curve at the steepest allowed ratio that is worth a word
_AGREE = 0.6  # share of the frames on which planted feet must agree when steps correspond
_APART = 0.25  # and how much more than left feet agree with right ones
_NEVER_NEAR = 0.6  # of the mean distance on the path: when no frames at all are nearer, timing does not matter
_STEEP = 1.05  # of the floor: slopes below this are at the limit


def judge(
    clips: Sequence[Clip],
    plants: Sequence[FootPlants | None],
    grids: Sequence[DistanceGrid | None],
    cells: np.ndarray,
    frames: Float64,
    warp: TimeWarp,
    reference: int,
    floor: float,
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
    """
    each, means, worst, worst_row = [0.0] * len(clips), [0.0], 0.0, 0
    for j, grid in enumerate(grids):
        if grid is None:
            continue
        on_path = grid.along(cells[:, [reference, j]])
        means.append(float(on_path.mean()))
        each[j] = means[-1] / max(grid.mean, 1e-9)
        if on_path.max() >= worst:
            worst, worst_row = float(on_path.max()), int(np.argmax(on_path))
    q = max(each)
    others = [j for j in range(len(clips)) if j != reference]
    reasons = [why for j in others for why in _reasons(clips, plants, frames, warp, reference, j, floor)]
    verdict = "good" if q <= WARN_ABOVE or max(means) <= NEAR else "doubtful" if q <= REFUSE_ABOVE else "refused"
    if verdict != "good":
        far = others[int(np.argmax([each[j] for j in others]))]
        grid = grids[far]
        assert grid is not None
        reasons.append(_distances_in_words(clips, grid, cells, reference, far))
        doubted = [j for j in others if each[j] > WARN_ABOVE]
        going = all(_pace(clips[j], frames[0, j], frames[-1, j]) > _GOING for j in (reference, *doubted))
        stepping = all(steps_correspond(plants[reference], plants[j], frames[:, [reference, j]]) for j in doubted)
        if q <= NEVER_ABOVE and going and stepping:
            verdict = "doubtful"
            reasons.append("yet they take the same steps with the same feet: their timing corresponds")
    at = float((frames[worst_row] - frames[0]).mean())
    return RegistrationQuality(q, max(means), worst, at, tuple(each), verdict, tuple(dict.fromkeys(reasons)))


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


def _distances_in_words(clips: Sequence[Clip], grid: DistanceGrid, cells: np.ndarray, one: int, other: int) -> str:
    """How far apart corresponding frames lie; and when the most alike are not much nearer, that no timing would help."""
    on_path = 100 * grid.along(cells[:, [one, other]])
    names = f"{clips[one].name} and {clips[other].name}"
    said = (
        f"corresponding frames of {names} lie {on_path.mean():.0f} cm apart where any two lie {100 * grid.mean:.0f} cm"
    )
    nearest = 100 * float(np.quantile(grid.distances, 0.01))
    if nearest > _NEVER_NEAR * on_path.mean():
        pace = [_pace(clips[j], 0, len(clips[j])) for j in (one, other)]
        said += (
            f"; even their most alike frames lie {nearest:.0f} cm apart: posture and speed ({pace[0]:.1f} against {pace[1]:.1f} m/s) "
            "differ throughout"
        )
    return said


def _reasons(
    clips: Sequence[Clip],
    plants: Sequence[FootPlants | None],
    frames: Float64,
    warp: TimeWarp,
    one: int,
    other: int,
    floor: float,
) -> list[str]:
    names = clips[one].name or "the first motion", clips[other].name or "the other motion"
    found: list[str] = []
    pace = [_pace(clips[j], frames[0, j], frames[-1, j]) for j in (one, other)]
    for a, b, still, going in ((0, 1, pace[0], pace[1]), (1, 0, pace[1], pace[0])):
        if still < _STANDING and going > _GOING:
            found.append(f"{names[a]} stays where it is, {names[b]} travels at {going:.1f} m/s")
    a, b = plants[one], plants[other]
    if a is not None and b is not None:
        counts = [count_strikes(p, int(frames[0, j]), int(frames[-1, j]) + 1) for p, j in ((a, one), (b, other))]
        if counts[0] != counts[1]:
            found.append(f"{counts[0]} steps in {names[0]} against {counts[1]} in {names[1]}")
        same, crossed = _agreement(a, b, frames[:, one], frames[:, other])
        if crossed > same + 0.1:
            found.append(f"opposite phase: the left foot of {names[0]} stands while the right foot of {names[1]} does")
    u = np.linspace(0, warp.length, 20 * len(warp.values))
    slopes = warp.slopes_at(u)
    steep = np.min(slopes[:, [one, other]], axis=1) <= _STEEP * floor
    if steep.mean() > _AT_LIMIT:
        ratio = (slopes[:, one] / slopes[:, other])[steep]
        ratio = float(np.maximum(ratio, 1 / ratio).max())
        found.append(
            f"for {100 * steep.mean():.0f} % of the time one of {names[0]} and {names[1]} is at the slope limit, {ratio:.1f} times as "
            "fast as the other"
        )
    return found


def _pace(clip: Clip, start: float, end: float) -> float:
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
