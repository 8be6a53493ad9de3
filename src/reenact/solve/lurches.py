"""Bodies that lurch and legs that whip: what hips and legs do beyond all that they do in what a motion was made of.

Each figure compares a moment with the half second on either side of the frames that it shows of its sources, since a blend may do things a
little sooner or later than they do. Bodies of other sizes are compared in the size of the result.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.core.arrays import Float, Int
from reenact.core.clip import Clip, World
from reenact.core.derivatives import differentiate
from reenact.core.smoothing import smooth
from reenact.solve.feet import Foot
from reenact.solve.joint_pushes import around
from reenact.solve.shown import Shown

_AROUND = 0.5  # seconds around the frames shown in which sources tell what is done there
_GAIT = 0.05  # seconds, width of the low-pass over the way of the hips
_SWING = 0.012  # seconds, the same for knees and ankles


def hurry(
    result: Clip, world: World, worlds: Sequence[World], sources: Sequence[Shown], changed: tuple[int, int]
) -> float:
    """m/s that the hips go faster over the floor than in any source about the frame that it shows."""

    def speeds(of: World, clip: Clip) -> Float:
        way = smooth(_hips(of, clip), _GAIT * result.fps)
        return np.linalg.norm(differentiate(way, result.fps)[:, [0, 2]], axis=1)[:, None]

    theirs = [speeds(of, source.clip) for of, source in zip(worlds, sources, strict=True)]
    return _beyond(speeds(world, result), theirs, sources, changed, result.fps, unseen=0.0)


def sinks(
    result: Clip,
    world: World,
    worlds: Sequence[World],
    sources: Sequence[Shown],
    changed: tuple[int, int],
    floors: Sequence[float],
    sizes: Sequence[float],
    alone: Sequence[Int],
) -> float:
    """Metres that the hips are lower or higher over the floor than in any source about the frame that it shows.

    Args:
        result: the motion that was made.
        world: its forward kinematics.
        worlds: those of the sources.
        sources: what it shows of them.
        changed: half-open range of frames that are looked at.
        floors: metres, the height at which the feet of each source stand; those of the result stand as high as the first's.
        sizes: how many times as long as each source's the result's legs are.
        alone: frames that show one source and nothing else: where bodies differ, they tell how high its hips are on the other body.
    """
    own = _hips(world, result)[:, 1] - floors[0]
    theirs = []
    for of, source, floor, size, frames in zip(worlds, sources, floors, sizes, alone, strict=True):
        heights = size * (_hips(of, source.clip)[:, 1] - floor)
        if not source.clip.same_body(result) and len(frames):
            heights = heights + float(np.median(own[frames] - heights[source.frames[frames]]))
        theirs.append(heights)
    both = [np.stack([heights, -heights], axis=1) for heights in (own, *theirs)]
    return _beyond(both[0], both[1:], sources, changed, result.fps, unseen=-np.inf)


def whips(
    result: Clip,
    world: World,
    worlds: Sequence[World],
    sources: Sequence[Shown],
    changed: tuple[int, int],
    feet: Sequence[Foot],
    theirs: Sequence[Sequence[Foot]],
    sizes: Sequence[float],
) -> float:
    """m/s that a knee or an ankle goes faster, seen from the hips, than it does in any source about the frame that it shows."""

    def speeds(of: World, clip: Clip, legs: Sequence[Foot]) -> Float:
        joints = [joint for foot in legs for joint in (foot.leg.mid, foot.leg.end)]
        ways = of.positions[:, joints] - _hips(of, clip)[:, None]
        return np.linalg.norm(differentiate(smooth(ways, _SWING * result.fps), result.fps), axis=2)

    known = [
        size * speeds(of, source.clip, legs)
        for of, source, legs, size in zip(worlds, sources, theirs, sizes, strict=True)
    ]
    return _beyond(speeds(world, result, feet), known, sources, changed, result.fps, unseen=0.0)


def leg_length(world: World, feet: Sequence[Foot]) -> float:
    """Metres from hip joint over knee to ankle, the mean of all legs."""
    first = world.positions[0]
    lengths = [
        np.linalg.norm(first[foot.leg.mid] - first[foot.leg.root])
        + np.linalg.norm(first[foot.leg.end] - first[foot.leg.mid])
        for foot in feet
    ]
    return float(np.mean(lengths))


def _hips(world: World, clip: Clip) -> Float:
    return world.positions[:, clip.skeleton.roles.get("hips", 0)]


def _beyond(
    own: Float,
    theirs: Sequence[Float],
    sources: Sequence[Shown],
    changed: tuple[int, int],
    fps: float,
    *,
    unseen: float,
) -> float:
    """The most by which columns (F, K) of a result go beyond those of all sources about the frames shown.

    `unseen` is what stands for a source where none is shown; where that is not finite, such frames do not count.
    """
    span = slice(max(changed[0], 0), max(changed[1], 0))
    here = own[span]
    most = np.full(here.shape, unseen)
    for source, of in zip(sources, theirs, strict=True):
        at = source.frames[span]
        shown = at >= 0
        most[shown] = np.maximum(most[shown], around(of, round(_AROUND * fps))[at[shown]])
    seen = np.isfinite(most)
    return float(np.max(np.where(seen, here - most, 0.0), initial=0.0, where=seen))
