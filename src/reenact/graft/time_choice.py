"""The map of time that a graft uses: by what it is made, which shift, and what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.errors import ParameterError
from reenact.graft.chain_choice import ChosenChains
from reenact.graft.correlation import correlate_plants
from reenact.graft.graft_parameters import GraftParameters
from reenact.graft.other_maps import map_by_registration, map_naturally, map_ranges, map_through, parse_range
from reenact.graft.synchronising import TransitionPoint, choose_shift, find_transition_points, transition_distance
from reenact.graft.time_map import TimeMap

_LOCOMOTION = ("walk", "run")


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """A clip of a graft on the base's skeleton and at its rate, with its plants and its type."""

    clip: Clip
    plants: FootPlants | None
    type: str


@dataclass(frozen=True, slots=True, eq=False)
class ChosenTime:
    """The map that is used, and how it was chosen.

    Attributes:
        map: the map, without kinks where that was asked for.
        plain: the same, straight between its anchors.
        alternates: every correlation there was; empty unless made from plants.
        point: the transition point of the upper bodies; None where they are never alike.
        doubts: in words, what speaks against it.
    """

    map: TimeMap
    plain: TimeMap
    alternates: tuple[TimeMap, ...]
    point: TransitionPoint | None
    doubts: tuple[str, ...]


def choose_time(
    base: Motion,
    source: Motion,
    chosen: ChosenChains,
    parameters: GraftParameters,
    source_range: tuple[float, float] | None,
) -> ChosenTime:
    """The map of time for a graft.

    Args:
        base: the base.
        source: the source.
        chosen: what is grafted.
        parameters: as asked.
        source_range: the range of the source that was asked for, in frames at the base's rate.

    Raises:
        ParameterError: nothing corresponds, or the ranges leave nothing; the message says why.
    """
    base_range = parse_range(parameters.base_range, base.clip, "base_range")
    if base_range is not None and source_range is not None:
        made = map_ranges(base_range, source_range).within(len(base.clip), len(source.clip))
        return ChosenTime(made, made, (), None, ())
    how, doubts = _kind(base, source, parameters), []
    alternates: tuple[TimeMap, ...] = ()
    points: Sequence[TransitionPoint] = ()
    if how != "registration":
        points = find_transition_points(base.clip, source.clip, chosen.joints)
    point = points[0] if points else None
    if how == "plants":
        alternates = _by_plants(base, source, parameters)
        plain = choose_shift(alternates, point, parameters.shift)
        if not parameters.warp:
            plain = _unwarped(plain, base.clip, source.clip, parameters.speed)
    elif how == "registration":
        try:
            plain = map_by_registration(base.clip, source.clip, base.plants, source.plants)
        except ParameterError as error:
            if parameters.correlate == "registration":
                raise
            doubts.append(f"the motions do not correspond, so the source keeps its own speed: {error.message}")
            points = find_transition_points(base.clip, source.clip, chosen.joints)
            point = points[0] if points else None
            plain = map_naturally(base.clip, source.clip, points, parameters.speed)
    else:
        plain = map_naturally(base.clip, source.clip, points, parameters.speed)
    plain = _limited(plain, base_range, source_range).within(len(base.clip), len(source.clip))
    smooth = parameters.curve == "smooth" and plain.how == "plants" and parameters.warp
    return ChosenTime(plain.smoothed(base.clip.fps) if smooth else plain, plain, alternates, point, tuple(doubts))


def _kind(base: Motion, source: Motion, parameters: GraftParameters) -> str:
    if parameters.correlate != "auto":
        return parameters.correlate
    types = {base.type, source.type}
    if "stand" in types:
        return "natural"
    if types <= set(_LOCOMOTION):
        return "plants"
    return "registration"


def _by_plants(base: Motion, source: Motion, parameters: GraftParameters) -> tuple[TimeMap, ...]:
    for one in (base, source):
        if one.plants is None:
            raise ParameterError(
                "the skeleton has no feet, so steps cannot be paired; correlate=natural or registration may do",
                where=one.clip.name,
            )
    assert base.plants is not None
    assert source.plants is not None
    try:
        return correlate_plants(base.clip, source.clip, base.plants, source.plants, parameters.similar)
    except ParameterError as error:
        raise ParameterError(f"{error.message}; correlate=natural or registration may do", where=error.where) from error


def _unwarped(plain: TimeMap, base: Clip, source: Clip, speed: float) -> TimeMap:
    """The source at its own speed, in step with the base in the middle of the map."""
    middle = 0.5 * (plain.start + plain.end)
    point = TransitionPoint(round(middle), round(float(plain.at(round(middle)))), 0.0)
    straight = map_through(base, source, point, speed)
    return replace(_limited(straight, (int(np.ceil(plain.start)), int(plain.end) + 1), None), shift=plain.shift)


def _limited(
    plain: TimeMap, base_range: tuple[float, float] | None, source_range: tuple[float, float] | None
) -> TimeMap:
    """The map within a range of the base and one of the source, both half-open."""
    rows = plain.anchors
    for column, wanted in ((0, base_range), (1, source_range)):
        if wanted is None:
            continue
        low, high = max(rows[0, column], wanted[0]), min(rows[-1, column], wanted[1] - 1)
        if high - low < 1:
            raise ParameterError(
                f"the range {wanted[0]:g}:{wanted[1]:g} leaves nothing: frames {rows[0, column]:.0f} to {rows[-1, column]:.0f} of the "
                f"{('base', 'source')[column]} have a partner",
                where=("base_range", "source_range")[column],
            )
        other = 1 - column
        ends = np.interp([low, high], rows[:, column], rows[:, other])
        inner = rows[(rows[:, column] > low + 1e-9) & (rows[:, column] < high - 1e-9)]
        edge = np.zeros((2, 2))
        edge[:, column], edge[:, other] = (low, high), ends
        rows = np.vstack([edge[:1], inner, edge[1:]])
    return replace(plain, anchors=rows)


def describe_alternates(time: ChosenTime) -> list[dict[str, float | int]]:
    """Rows for a report: each shift with its domain and how far it leaves the transition points apart."""
    return [
        {
            "shift": one.shift,
            "start": round(one.start, 1),
            "end": round(one.end, 1),
            **({} if time.point is None else {"apart": round(transition_distance(one, time.point), 1)}),
        }
        for one in time.alternates
    ]
