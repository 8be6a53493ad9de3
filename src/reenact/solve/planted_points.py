"""Planted points of feet, one row for each interval: how far it slips, how high it stands and how it is pitched against its source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reenact.analysis.foot_stance import FootStance
from reenact.core.arrays import Float, Int
from reenact.core.clip import Clip, World
from reenact.core.foot_plants import FootPlants, intervals_of
from reenact.solve.feet import Foot, FootTrack, find_feet, track_foot
from reenact.solve.shown import Shown


def planted_rows(
    foot: Foot,
    track: FootTrack,
    plants: FootPlants,
    sources: Sequence[Shown],
    tracks: Sequence[FootTrack],
    floors: Sequence[float],
    changed: tuple[int, int],
    stands: Sequence[dict[str, float]] = (),
    *,
    beyond: bool = False,
) -> list[dict[str, Any]]:
    """Slip, height and pitch of every planted interval that reaches into the changed frames.

    `stands` has for every source what its foot stands with against the result's; see `_stands_otherwise`.
    """
    contact, rows = plants.foot(foot.side), []
    for name, mask in (("heel", contact.heel), ("ball", contact.ball))[: 1 if foot.single else 2]:
        path = getattr(track, name)
        for start, end in intervals_of(mask):
            low, high = max(start, changed[0]), min(end, changed[1])
            if low >= high:
                continue
            places = path[low:high][:, [0, 2]]
            steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
            height = float(np.median(path[low:high, 1])) - (floors[0] if floors else 0.0) if sources else 0.0
            pitch = float(np.median(_pitch(track, slice(low, high)))) if sources else 0.0
            heights, pitches, weights = [], [], []
            slip = ground_diameter(places)
            for source, one, floor, other in zip(sources, tracks, floors, stands, strict=True):
                at = source.frames[low:high]
                at = at[at >= 0]
                if len(at) < 2 or 2 * len(at) < high - low:
                    continue
                if beyond:
                    theirs = ground_diameter(getattr(one, name)[at][:, [0, 2]])
                    slip = max(
                        min(slip, ground_diameter(places) - max(theirs, _most_slip(source, one, foot, name))), 0.0
                    )
                heights.append(height - float(np.median(getattr(one, name)[at, 1])) + floor + other[name])
                pitches.append(pitch - float(np.median(_pitch(one, at))) + other["pitch"])
                if (
                    beyond and source.plants is not None
                ):  # the frames are found, not known: any plant of the foot tells how it stands
                    spans = intervals_of(getattr(source.plants.foot(foot.side), name))
                    stood = [float(np.median(getattr(one, name)[a:b, 1])) for a, b in spans]
                    heights[-1] = min([heights[-1], *(height - own + floor + other[name] for own in stood)], key=abs)
                    tilts = [float(np.median(_pitch(one, np.arange(a, b)))) for a, b in spans]
                    pitches[-1] = min([pitches[-1], *(pitch - own + other["pitch"] for own in tilts)], key=abs)
                weights.append(1.0 if source.weights is None else float(source.weights[low:high].mean()))
            mixed = len(weights) == len(sources) and all(source.weights is not None for source in sources)
            off = [_nearest(values, weights, mixed=mixed) for values in (heights, pitches)]
            rows.append(
                {
                    "foot": foot.side,
                    "point": name,
                    "start": low,
                    "end": high,
                    "slip_mm": round(1000 * slip, 3),
                    "way_mm": round(1000 * float(steps.sum()), 3),
                    "step_mm": round(1000 * float(steps.max(initial=0.0)), 3),
                    "height_mm": round(1000 * off[0], 2) if heights else None,
                    "pitch_degrees": round(float(np.degrees(off[1])), 2) if pitches and not foot.single else None,
                }
            )
    return rows


def _most_slip(source: Shown, track: FootTrack, foot: Foot, point: str) -> float:
    """Metres, the farthest that a point of a foot slips in any of its plants in a source; 0 where they are not known."""
    if source.plants is None:
        return 0.0
    spans = intervals_of(getattr(source.plants.foot(foot.side), point))
    return max((ground_diameter(getattr(track, point)[start:end][:, [0, 2]]) for start, end in spans), default=0.0)


def _nearest(differences: Sequence[float], weights: Sequence[float], *, mixed: bool) -> float:
    """How far off a foot is: from the nearest source, or of a blend from the mean of its sources."""
    if not differences:
        return 0.0
    if mixed:
        return abs(float(np.average(differences, weights=np.abs(weights) + 1e-9)))
    return min(abs(one) for one in differences)


def stands_otherwise(
    source: dict[str, FootStance] | None, result: dict[str, FootStance] | None, side: str
) -> dict[str, float]:
    """By what a flat foot of a source differs from one of the result: radians of pitch, metres that ball and heel are above the floor.

    The points of feet lie at other angles and heights in every skeleton; what is flat has to be told by how both stand. Zero for one body.
    """
    if source is None or result is None or source is result or side not in source or side not in result:
        return {"pitch": 0.0, "ball": 0.0, "heel": 0.0}
    found = []
    for of in (source, result):
        foot, floor = of[side], float(np.mean([stance.level for stance in of.values()]))
        long = max(float(np.linalg.norm(foot.ball - foot.heel)), 1e-9)
        ball = foot.level - floor
        found.append((float(np.arcsin(np.clip(-foot.heel_above / long, -1, 1))), ball, ball + foot.heel_above))
    return {name: theirs - ours for name, theirs, ours in zip(("pitch", "ball", "heel"), *found, strict=True)}


def _pitch(track: FootTrack, frames: slice | Int) -> Float:
    """(N,) radians by which the ball lies higher than the heel."""
    way = track.ball[frames] - track.heel[frames]
    return np.arctan2(way[:, 1], np.maximum(np.hypot(way[:, 0], way[:, 2]), 1e-9))


def measure_slips(
    clip: Clip,
    plants: FootPlants,
    start: int = 0,
    end: int | None = None,
    feet: Sequence[Foot] | None = None,
    world: World | None = None,
) -> list[dict[str, Any]]:
    """Slip of every planted point within frames [start, end).

    For each interval of a point (heel in heel intervals, ball in ball intervals): `slip_mm`, the farthest two of its places lie apart
    horizontally; `way_mm`, the length of the horizontal path it makes; `step_mm`, the most it moves in one frame. The feet are those
    of the clip unless they are given; `world` is its forward kinematics in float64, when at hand.
    """
    within = (start, len(clip) if end is None else end)
    world = clip.world(np.float64) if world is None else world
    found: list[dict[str, Any]] = []
    for foot in find_feet(clip.skeleton, clip) if feet is None else feet:
        found += planted_rows(foot, track_foot(world, foot), plants, (), (), (), within)
    return found


def ground_diameter(places: Float) -> float:
    """The largest distance between any two points (N, 2) on the ground; by their hull's directions, to a thousandth."""
    angles = np.linspace(0, np.pi, 72, endpoint=False)
    along = places @ np.stack([np.cos(angles), np.sin(angles)])
    return float(np.ptp(along, axis=0).max(initial=0.0))
