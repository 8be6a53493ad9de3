"""A plan: where every footprint shall be, and where the body goes meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.monotone import monotone_curve
from reenact.core.smoothing import smooth
from reenact.walk.footprints import Footprint
from reenact.walk.grounds import Ground
from reenact.walk.travel_path import TravelPath, to_the_left, unit
from reenact.walk.walk_study import WalkStudy

_LEVEL = 0.008  # metres that ground may be off the straight line between two footprints
_GRAIN = 0.01  # metres between the places that are looked at: what lies there may be thin
_CALM = 0.12  # seconds, width of the low-pass over what the body is moved by


@dataclass(frozen=True, slots=True, eq=False)
class PlannedPrint:
    """A footprint and where it shall be.

    Attributes:
        old: as it is.
        place: (3,) metres, where the ball of the foot shall stand.
        turn: radians, what it is turned by about the vertical.
        tilt: (4,) rotation that lays the floor on the ground there, after the turn.
        along: metres along the new way.
    """

    old: Footprint
    place: Float
    turn: float
    tilt: Float
    along: float


@dataclass(frozen=True, slots=True, eq=False)
class WalkPlan:
    """Where feet and body go.

    Attributes:
        prints: one for each footprint of the study.
        points: (F, 2) metres (x, z), the new way of the body.
        turns: (F,) radians, what the body is turned by.
        rise: (F,) metres, how much higher the ground below the body is.
        lifts: for each swing of the study what its lift is multiplied by.
        ground: what the feet stand on.
        along: (F,) metres along the new way.
        directions: (F,) radians, headings of the new way.
        below: (F, 2) metres (x, z), where feet are told from: beside the body where it leans into a curve.
    """

    prints: tuple[PlannedPrint, ...]
    points: Float
    turns: Float
    rise: Float
    lifts: Float
    ground: Ground
    along: Float
    directions: Float
    below: Float


def plan_walk(
    study: WalkStudy,
    along: Float,
    way: TravelPath | None = None,
    ground: Ground | None = None,
    lifts: Float | None = None,
    outside: Float | None = None,
) -> WalkPlan:
    """A plan by how far along the new way every footprint shall lie.

    Args:
        study: the walk.
        along: (N,) metres along the new way for every footprint, growing with those along the old one.
        way: the new way; default: the directions of the old one, followed as far as planned.
        ground: what it goes over; default: the floor.
        lifts: factor of every swing; default: 1.
        outside: (F,) metres that feet stand farther to the right of the body than recorded; only on a new way.
    """
    ground = ground or Ground()
    old = np.array([one.along for one in study.prints])
    order = np.argsort(old, kind="stable")
    knots, values = _growing(old[order], along[order])
    there = follow(knots, values, study.path.along)
    there = study.path.along + smooth(there - study.path.along, _CALM * study.clip.fps)
    prints = []
    if way is None:  # the same directions, followed farther or less far
        shift = _stretched(study.path, knots, values)
        for one, at in zip(study.prints, along, strict=True):
            place = one.place[[0, 2]] + shift(np.array([one.along]))[0]
            prints.append(_stand(one, place, 0.0, float(at), ground, float(study.path.direction_at(one.along))))
        points = study.path.points + smooth(shift(study.path.along), _CALM * study.clip.fps)
        turns, below = np.zeros(len(there)), points
    else:
        points = way.point_at(there)
        below = points
        if outside is not None:
            below = points - outside[:, None] * to_the_left(unit(way.direction_at(there)))
        turns = smooth(way.direction_at(there) - study.path.directions, _CALM * study.clip.fps)
        for one, at in zip(study.prints, along, strict=True):
            frame = _passing(study.path, one)
            place = below[frame] + turned(one.place[[0, 2]] - study.path.points[frame], float(turns[frame]))
            prints.append(_stand(one, place, float(turns[frame]), float(at), ground, float(way.direction_at(at))))
    rise = _body_rise(study, prints, there)
    lifts = np.ones(len(study.swings)) if lifts is None else lifts
    return WalkPlan(tuple(prints), points, turns, rise, lifts, ground, there, study.path.directions + turns, below)


def _passing(path: TravelPath, one: Footprint) -> int:
    """The frame in which the body is nearest to a footprint: then the foot stands under it, on any way."""
    away = np.linalg.norm(path.points[one.start : one.end] - one.place[[0, 2]], axis=1)
    return one.start + int(np.argmin(away))


def turned(places: Float, angle: float | Float) -> Float:
    """Places (..., 2) on the floor turned about the vertical."""
    sine, cosine = np.sin(angle), np.cos(angle)
    return np.stack(
        [cosine * places[..., 0] + sine * places[..., 1], cosine * places[..., 1] - sine * places[..., 0]], axis=-1
    )


def is_level_between(plan: WalkPlan, before: int, after: int, room: float) -> bool:
    """Whether the ground leads straight from one footprint to another, `room` metres of heel and toes included: nothing to step over.

    Args:
        plan: where it goes.
        before, after: numbers of the footprints.
        room: metres.
    """
    if plan.ground.is_even:
        return True
    one, two = plan.prints[before], plan.prints[after]
    share = np.linspace(0.0, 1.0, max(int(np.linalg.norm((two.place - one.place)[[0, 2]]) / _GRAIN), 24))
    along = one.along + share * (two.along - one.along)
    way = unit(np.arctan2(*(two.place - one.place)[[0, 2]]))
    reach = np.interp(share, [0.0, 1.0], [-room, 0.5 * room])
    places = one.place[[0, 2]] + share[:, None] * (two.place - one.place)[[0, 2]] + reach[:, None] * way
    first, last = (print_.place[1] - print_.old.place[1] for print_ in (one, two))
    straight = first + share * (last - first)
    return bool(np.max(np.abs(plan.ground.heights(places, along + reach) - straight)) < _LEVEL)


def follow_prints(study: WalkStudy, along: Float, at: Float) -> Float:
    """Metres along the new way of places `at` (N,) metres along the old one, when its footprints lie `along` (P,) metres on the new one."""
    old = np.array([one.along for one in study.prints])
    order = np.argsort(old, kind="stable")
    return follow(*_growing(old[order], along[order]), at)


def _stand(one: Footprint, place: Float, turn: float, along: float, ground: Ground, direction: float) -> PlannedPrint:
    height, normal = ground.at(place, along, direction)
    tilt = R.between(np.array([0.0, 1.0, 0.0]), normal)
    return PlannedPrint(one, np.array([place[0], one.place[1] + height, place[1]]), turn, tilt, along)


def _growing(old: Float, new: Float) -> tuple[Float, Float]:
    """Knots without those that lie side by side: feet that stand beside each other are one, at the mean of both."""
    knots, values, counts = [old[0]], [new[0]], [1]
    for at, value in zip(old[1:], new[1:], strict=True):
        if at - knots[-1] < 0.05:
            count = counts[-1]
            knots[-1] = (count * knots[-1] + at) / (count + 1)
            values[-1] = (count * values[-1] + value) / (count + 1)
            counts[-1] += 1
        else:
            knots.append(at)
            values.append(value)
            counts.append(1)
    return np.array(knots), np.maximum.accumulate(np.array(values))


def follow(knots: Float, values: Float, at: Float) -> Float:
    """Values between knots, smooth and never turning back; straight on beyond the ends."""
    if len(knots) == 1:
        return at + (values[0] - knots[0])
    slopes = np.diff(values) / np.diff(knots)
    first, last = slopes[0], slopes[-1]
    knots = np.concatenate([[knots[0] - 1.0], knots, [knots[-1] + 1.0]])
    values = np.concatenate([[values[0] - first], values, [values[-1] + last]])
    inside = monotone_curve(knots, values, np.clip(at, knots[0], knots[-1]))
    return inside + np.minimum(at - knots[0], 0.0) * first + np.maximum(at - knots[-1], 0.0) * last


def _stretched(path: TravelPath, knots: Float, values: Float) -> Callable[[Float], Float]:
    """Metres along the way -> (N, 2) what places there are moved by when the way is stretched between knots and keeps its directions."""
    grid = np.arange(min(path.along[0], knots[0]) - 1.0, max(path.along[-1], knots[-1]) + 1.0, 0.01)
    more = follow(knots, values, grid) - grid
    middle = unit(path.direction_at(0.5 * (grid[1:] + grid[:-1])))
    first = more[0] * unit(path.direction_at(grid[0]))
    moved = first + np.concatenate([np.zeros((1, 2)), np.cumsum(np.diff(more)[:, None] * middle, axis=0)])
    return lambda along: np.stack([np.interp(along, grid, moved[:, axis]) for axis in (0, 1)], axis=-1)


def _body_rise(study: WalkStudy, prints: list[PlannedPrint], there: Float) -> Float:
    """(F,) metres by which the ground under the body is higher than the floor of the recording."""
    rises = np.array([one.place[1] - one.old.place[1] for one in prints])
    if not rises.any():
        return np.zeros(len(there))
    at = np.array([one.along for one in prints])
    order = np.argsort(at, kind="stable")
    knots, values = _level_knots(at[order], rises[order])
    return smooth(follow_level(knots, values, there), _CALM * study.clip.fps)


def _level_knots(at: Float, rises: Float) -> tuple[Float, Float]:
    knots: list[list[float]] = []
    for one, rise in zip(at, rises, strict=True):
        if knots and one - knots[-1][0] < 0.05:
            knots[-1][1] = 0.5 * (knots[-1][1] + rise)
        else:
            knots.append([one, rise])
    return np.array([k[0] for k in knots]), np.array([k[1] for k in knots])


def follow_level(knots: Float, values: Float, at: Float) -> Float:
    """Heights between knots, on by the last slope beyond them for a step's length, level after that."""
    if len(knots) == 1:
        return np.full(len(at), values[0])
    return follow(knots, values, np.clip(at, 2 * knots[0] - knots[1], 2 * knots[-1] - knots[-2]))
