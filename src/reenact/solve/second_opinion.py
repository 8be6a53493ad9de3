"""A second opinion about feet: the same questions as `result_quality`'s, asked with other points, other levels and without known plants.

    doubts = measured.doubts() + doubt_otherwise(clip, plants, shown, changed, measured)

Where the heel of a foot lies is an estimate on most skeletons, its level the choice of a rule, and its plants those of a detector. A
figure that is good by one such choice and bad by another is worth a word: here the heel lies straight below the ankle where the foot is
stillest, every point has a level of its own, and every low and slow stretch counts as a plant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from reenact.analysis.foot_points import FootPoint
from reenact.core import filters
from reenact.core import rotations as R
from reenact.core.arrays import Float, Int
from reenact.core.clip import Clip, World
from reenact.core.derivatives import differentiate
from reenact.core.foot_plants import FootPlants, intervals_of
from reenact.solve.feet import Foot, find_feet, track_foot
from reenact.solve.gliding import find_glides
from reenact.solve.result_quality import LIMITS, ResultQuality
from reenact.solve.shown import Shown
from reenact.solve.support import LOW, SLIDING

_CLOSE = 0.95  # of a limit, from which on a figure is told
_LEVEL = 5  # per cent of the frames with the lowest point, that tell how high it stands
_LOW_BALL = 35, 0.01  # the lowest frames of a ball by percentile and metres, among which the stillest are looked for
_STILL = 0.1  # share of those
_CALM, _CALMER = 0.03, 0.04  # seconds of the running mean before speeds are taken
_LEAST_AFTER = 60  # frames that tell a floor
_BESIDE = 20  # frames beside those changed, in which plants that began are looked at


def doubt_otherwise(
    result: Clip,
    plants: FootPlants | None,
    sources: Sequence[Shown],
    changed: tuple[int, int],
    measured: ResultQuality,
    held: tuple[int, int] | None = None,
) -> list[str]:
    """What this way of measuring finds over a limit where the first finds nothing, in words.

    Args:
        result: the motion that was made.
        plants: its foot plants.
        sources: what it shows of each; the first tells how the feet stand.
        changed: half-open range of frames that the method touched.
        measured: the first opinion; what that says already is not said again.
        held: half-open range of frames of the window; None: those it touched.
    """
    feet = _other_feet(sources[0].clip)
    theirs = [{foot.side: foot for foot in _other_feet(source.clip)} for source in sources]
    feet = [foot for foot in feet if all(foot.side in own for own in theirs)]
    if not feet or plants is None:
        return []
    world, worlds = result.world(np.float64), [source.clip.world(np.float64) for source in sources]
    window, said = held or changed, []
    slides = _slides(world, worlds, feet, theirs, sources, window, result.fps)
    if _new("slides_s", slides, measured.slides_s):
        said.append(
            f"by heels straight below the ankles the body slides on its feet for {slides:.3f} s; the limit is 0.1 s"
        )
    height = _height(world, worlds, feet, theirs, plants, sources, window)
    if _new("height_mm", height, measured.height_mm) and measured.uneven_mm <= LIMITS["height_mm"][1]:
        said.append(
            f"by each foot's own lowest frames a planted foot stands {height:.1f} mm higher or lower than in its source; "
            "the limit is 12 mm"
        )
    floor = _floor(world, worlds, feet, theirs, sources, changed)
    if _new("floor_mm", floor, measured.floor_mm) and measured.uneven_mm <= LIMITS["height_mm"][1]:
        said.append(
            f"by each foot's own lowest frames the floor under the feet is shifted by {floor:.1f} mm; the limit is 10 mm"
        )
    return said


def doubt_glides(result: Clip, like: Clip) -> list[str]:
    """In words, that half of what seems to stand glides farther than the limit of slips, by heels straight below the ankles.

    Args:
        result: the motion that was made.
        like: the recording that tells where the heels are.
    """
    glides = [glide.millimetres for glide in find_glides(result, _other_feet(like))]
    limit, usual = LIMITS["slip_mm"][1], float(np.median(glides or [0.0]))
    if usual <= _CLOSE * limit:
        return []
    return [
        f"feet that seem to stand glide by {usual:.1f} mm in half of {len(glides)} cases; the limit is {limit:g} mm"
    ]


def _new(name: str, value: float, told: float) -> bool:
    """Whether a figure is over its limit, or close to it, and the first opinion says nothing."""
    limit = LIMITS[name][1]
    return value > _CLOSE * limit and told <= limit


def _other_feet(clip: Clip) -> list[Foot]:
    """Feet whose balls are the joints of the toes, and whose heels lie below the ankles, as high as the balls, when they stand."""
    world = clip.world(np.float64)
    return [_other_foot(world, foot, clip.fps) for foot in find_feet(clip.skeleton, clip) if foot.toes >= 0]


def _other_foot(world: World, foot: Foot, fps: float) -> Foot:
    ankle, toes = world.positions[:, foot.leg.end], world.positions[:, foot.toes]
    speed = sum(np.linalg.norm(_velocity(path, _CALMER, fps), axis=1) for path in (ankle, toes))
    percent, above = _LOW_BALL
    low = np.flatnonzero(toes[:, 1] < np.percentile(toes[:, 1], percent) + above)
    still = low[np.argsort(np.asarray(speed)[low], kind="stable")[: max(5, int(_STILL * len(low)))]]
    below = ankle[still].copy()
    below[:, 1] = toes[still, 1]
    turned = R.conjugate(world.rotations[still, foot.leg.end])
    place = np.median(R.rotate(turned, below - ankle[still]), axis=0).astype(np.float64)
    heel = FootPoint(foot.leg.end, place)
    return replace(foot, heel=heel, ball=FootPoint(foot.toes, np.zeros(3)))


def _velocity(path: Float, calm: float, fps: float) -> Float:
    if len(path) < 2:
        return np.zeros_like(path)
    return differentiate(filters.mean(path, max(round(calm * fps), 1) | 1, axis=0, edge="nearest"), fps)


def _level(path: Float) -> float:
    return float(np.percentile(path[:, 1], _LEVEL))


def _slides(
    world: World,
    worlds: Sequence[World],
    feet: Sequence[Foot],
    theirs: Sequence[dict[str, Foot]],
    sources: Sequence[Shown],
    window: tuple[int, int],
    fps: float,
) -> float:
    """Seconds in which the stillest low point slides, beyond the most that one source does over the frames that the window shows."""
    levels = {
        (foot.side, name): _level(getattr(track_foot(worlds[0], theirs[0][foot.side]), name))
        for foot in feet
        for name in ("heel", "ball")
    }
    own = _sliding(world, feet, levels, slice(*window), fps)
    most = 0
    for n, (source, one) in enumerate(zip(sources, worlds, strict=True)):
        at = source.frames[slice(*window)]
        at = at[at >= 0]
        if not len(at):
            continue
        known = [theirs[n][foot.side] for foot in feet]
        stand = {
            (foot.side, name): _level(getattr(track_foot(one, foot), name))
            for foot in known
            for name in ("heel", "ball")
        }
        most = max(most, _sliding(one, known, stand, slice(int(at.min()), int(at.max()) + 1), fps))
    return max(own - most, 0) / fps


def _sliding(
    world: World, feet: Sequence[Foot], levels: dict[tuple[str, str], float], frames: slice, fps: float
) -> int:
    """Frames in which the stillest low point slides."""
    speeds = []
    for foot in feet:
        track = track_foot(world, foot)
        for name in ("heel", "ball"):
            path = getattr(track, name)
            speed = np.linalg.norm(_velocity(path, _CALM, fps)[:, [0, 2]], axis=1)
            speeds.append(np.where(path[:, 1] < levels[foot.side, name] + LOW, speed, np.inf))
    stillest = np.min(speeds, axis=0)[frames]
    return int(np.count_nonzero(np.isfinite(stillest) & (stillest > SLIDING)))


def _height(
    world: World,
    worlds: Sequence[World],
    feet: Sequence[Foot],
    theirs: Sequence[dict[str, Foot]],
    plants: FootPlants,
    sources: Sequence[Shown],
    window: tuple[int, int],
) -> float:
    """Millimetres by which a planted ball stands higher or lower than in the nearest source, each over its own level."""
    worst = 0.0
    for foot in feet:
        balls = [track_foot(one, own[foot.side]).ball for one, own in zip(worlds, theirs, strict=True)]
        levels = [_level(ball) for ball in balls]
        path = track_foot(world, foot).ball
        for start, end in intervals_of(plants.foot(foot.side).ball):
            if not window[0] - _BESIDE < start < window[1] + _BESIDE:
                continue
            here = float(np.median(path[start:end, 1])) - levels[0]
            off = [
                abs(here - float(np.median(ball[at, 1])) + level)
                for ball, level, source in zip(balls, levels, sources, strict=True)
                if len(at := _shown_around(source.frames, start, end, len(ball)))
            ]
            worst = max(worst, min(off, default=0.0))
    return 1000 * worst


def _shown_around(frames: Int, start: int, end: int, count: int) -> Int:
    """The frames of a source that belong to those of a result, also where it is not shown: it goes on at the rate of the result."""
    shown = np.flatnonzero(frames >= 0)
    if not len(shown):
        return shown
    asked = np.arange(start, end)
    near = shown[np.clip(np.searchsorted(shown, asked), 0, len(shown) - 1)]
    at = frames[near] + asked - near
    return at[(at >= 0) & (at < count)]


def _floor(
    world: World,
    worlds: Sequence[World],
    feet: Sequence[Foot],
    theirs: Sequence[dict[str, Foot]],
    sources: Sequence[Shown],
    changed: tuple[int, int],
) -> float:
    """Millimetres that the floor is shifted by in the frames after those changed, which show the last source."""
    frames = np.arange(min(changed[1] + 2, len(world.positions)), len(world.positions))
    at = sources[-1].frames[frames]
    frames, at = frames[at >= 0], at[at >= 0]
    if len(frames) <= _LEAST_AFTER:
        return 0.0
    shifts = []
    for foot in feet:
        first = track_foot(worlds[0], theirs[0][foot.side]).ball
        last = track_foot(worlds[-1], theirs[-1][foot.side]).ball
        here = track_foot(world, foot).ball
        shifts.append((_level(here[frames]) - _level(first)) - (_level(last[at]) - _level(last)))
    return 1000 * abs(float(np.mean(shifts)))
