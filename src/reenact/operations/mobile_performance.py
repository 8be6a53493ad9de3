"""Performances by a controller: a character sent to goals or along a path on a mobility map, and trials of controllers against each
other.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from reenact.core.made import Made
from reenact.core.parameters import check_ranges, option
from reenact.core.placement import Placement
from reenact.core.progress import tell
from reenact.errors import ParameterError
from reenact.mobility.arrival_values import ArrivalValues, ValueParameters, find_arrival_values
from reenact.mobility.controller import Controller
from reenact.mobility.goal_costs import THESIS
from reenact.mobility.goals import AlongPath, Goal
from reenact.mobility.map_controller import MapController, standing_pose
from reenact.mobility.matching_features import MatchingParameters, make_matching_table
from reenact.mobility.mobility_map import MobilityMap
from reenact.mobility.motion_matching import MatchingController, MatchSearch, walking_pace
from reenact.mobility.performance import Take, Trip, go_to, measure_take
from reenact.mobility.pose_player import PlayingParameters

Kind = Literal["map", "thesis", "matching"]
KINDS: tuple[Kind, ...] = ("map", "thesis", "matching")


@dataclass(frozen=True, slots=True)
class PerformanceParameters:
    """Where a character goes, and what leads it."""

    controller: Kind = option(
        "map",
        "map: values over the map's actions; thesis: its sequences by equation 5.1 and one-sided blends; matching: motion matching",
    )
    to: str = option("", 'goals one after the other, "x,z; x,z", metres')
    along: Path | None = option(None, "file of a path, a line x,z for each point; instead of goals")
    ahead: float = option(2.0, "on a path, how far ahead the character looks", unit="m", low=0.3, high=20)
    start: str = option("0,0,0", "where it begins: x,z and the degrees it faces")
    radius: float = option(0.5, "within which a goal is reached", unit="m", low=0.1, high=10)
    patience: float = option(30.0, "seconds after which a goal is given up", unit="s", low=1, high=3600)
    hold: float = option(1.0, "seconds that it stays at the last goal", unit="s", low=0, high=600)
    feet: bool = option(True, "planted feet are held where they came down")

    def __post_init__(self) -> None:
        check_ranges(self)


def perform_on_map(map: MobilityMap, parameters: PerformanceParameters | None = None) -> Made:
    """A character sent on its way.

    Raises:
        ParameterError: no goal and no path, both, or places that are none.
    """
    asked = parameters or PerformanceParameters()
    if bool(asked.to) == (asked.along is not None):
        raise ParameterError('say where to go: --to "x,z; x,z" or --along FILE, one of both', where="to")
    controller = make_controller(map, asked.controller, placement=_start(asked.start), feet=asked.feet)
    take, trips = Take(map.database), []
    take.add(controller.player.shown())
    if asked.along is not None:
        _follow(controller, asked, take)
    else:
        goals = read_goals(asked.to, asked.radius)
        for number, goal in enumerate(goals):
            tell(number / len(goals), "on the way")
            trips.append(go_to(controller, goal, most=asked.patience, take=take))
    for _ in range(round(asked.hold * map.database.fps)):
        take.add(controller.step())
    report = {
        "controller": asked.controller,
        **_plain(measure_take(take, trips)),
        "trips": [_told(one) for one in trips],
    }
    report["doubts"] = _doubts(report)
    report["decisions"] = [decision.in_words() for decision in controller.log if not decision.kept][-20:]
    return Made(take.clip("performance"), report)


def _follow(controller: Controller, asked: PerformanceParameters, take: Take) -> None:
    from reenact.formats.places_text import read_points

    path = AlongPath(read_points(Path(asked.along or "")), ahead=asked.ahead, radius=asked.radius)
    controller.aim_at(path)
    most = round(asked.patience * controller.player.database.fps)
    end = Goal((float(path.points[-1, 0]), float(path.points[-1, 1])), radius=asked.radius)
    for _ in range(most):
        take.add(controller.step())
        if path.passed > path.length - 2 * asked.ahead and end.is_reached(controller.player.placement):
            return


def make_controller(
    map: MobilityMap,
    kind: Kind,
    *,
    placement: Placement | None = None,
    feet: bool = True,
    shared: ArrivalValues | MatchSearch | None = None,
) -> MapController | MatchingController:
    """A controller of one of the `KINDS`; `shared` is what `prepare` made."""
    pose = standing_pose(map)
    if kind == "matching":
        search = shared if isinstance(shared, MatchSearch) else prepare(map, kind)
        assert isinstance(search, MatchSearch)
        playing = PlayingParameters(feet=feet)
        return MatchingController(map.database, pose=pose, placement=placement, playing=playing, search=search)
    if kind == "thesis":
        playing = PlayingParameters(blend="one_sided", blend_time=8 / map.database.fps, feet=feet)
        return MapController(map, pose=pose, placement=placement, weights=THESIS, playing=playing)
    values = shared if isinstance(shared, ArrivalValues) else prepare(map, kind)
    assert isinstance(values, ArrivalValues)
    return MapController(map, pose=pose, placement=placement, values=values, playing=PlayingParameters(feet=feet))


def prepare(map: MobilityMap, kind: Kind) -> ArrivalValues | MatchSearch | None:
    """What all characters with one kind of controller share, beside the map."""
    if kind == "map":
        return find_arrival_values(map.graph, map.database, ValueParameters())
    if kind == "matching":
        return MatchSearch(make_matching_table(map.database, MatchingParameters()))
    return None


def read_goals(text: str, radius: float) -> list[Goal]:
    """Goals of "x,z; x,z".

    Raises:
        ParameterError: what is no such list.
    """
    goals = []
    for part in filter(None, (one.strip() for one in text.split(";"))):
        try:
            x, z = (float(word) for word in part.split(","))
        except ValueError:
            raise ParameterError(f'a goal is two numbers "x,z", not {part!r}', where="to") from None
        goals.append(Goal((x, z), radius=radius))
    if not goals:
        raise ParameterError("there is no goal", where="to")
    return goals


def _start(text: str) -> Placement:
    try:
        x, z, *rest = (float(word) for word in text.split(","))
        (heading,) = rest or (0.0,)
    except ValueError:
        raise ParameterError(f'a start is "x,z" or "x,z,degrees", not {text!r}', where="start") from None
    if not np.all(np.isfinite([x, z, heading])):
        raise ParameterError(f"a start must be finite, not {text!r}", where="start")
    return Placement((x, z), float(np.radians(heading)))


def _told(trip: Trip) -> dict[str, Any]:
    return {
        "to": [round(v, 3) for v in trip.goal.position],
        "reached": trip.reached,
        "seconds": round(trip.seconds, 2),
        "path_ratio": round(trip.ratio, 3) if trip.straight > 0.1 else None,
    }


def _plain(figures: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in figures.items()}


def _doubts(report: dict[str, Any]) -> list[str]:
    doubts = []
    for number, trip in enumerate(report["trips"]):
        if not trip["reached"]:
            doubts.append(f"goal {number + 1} was not reached within {trip['seconds']:g} s")
    if report["slip_mm_worst"] > 20:
        doubts.append(f"a planted foot slips by {report['slip_mm_worst']:.0f} mm")
    if report["joint_steps_over"] > 0:
        doubts.append(f"in {report['joint_steps_over']} frames a joint turns farther than recordings do")
    return doubts


# Trials


def try_controllers(
    map: MobilityMap,
    kinds: Sequence[Kind] = KINDS,
    *,
    goals: int = 100,
    near: float = 3.0,
    far: float = 6.0,
    seed: int = 0,
) -> dict[str, Any]:
    """The same random goals for each controller: what is reached, by which ways, how soon, how smoothly, at what cost.

    A goal counts as reached within 0.5 m, in three times what the straight line takes at the library's pace and 4 s. Goals are drawn
    around where the character stands, so that the places differ and the draws do not.
    """
    if not 0.6 < near < far:
        raise ParameterError(
            f"goals must lie between two distances above 0.6 m, not {near:g} and {far:g}", where="near"
        )
    rows = {}
    for kind in kinds:
        began = time.process_time()
        shared = prepare(map, kind)
        prepared = time.process_time() - began
        controller = make_controller(map, kind, shared=shared)
        rng, take, trips, reactions = np.random.default_rng(seed), Take(map.database), [], []
        began = time.process_time()
        for number in range(goals):
            tell(number / goals, f"trial of {kind}")
            (x, z), _ = controller.placement
            angle, way = rng.uniform(-np.pi, np.pi), rng.uniform(near, far)
            goal = Goal((float(x + way * np.sin(angle)), float(z + way * np.cos(angle))))
            first = len(take)
            trips.append(go_to(controller, goal, most=3 * way / walking_pace(map.database) + 4, take=take))
            reactions.append(_reaction(take, first, goal))
        spent = time.process_time() - began
        figures = _plain(measure_take(take, trips))
        figures["seconds_a_goal"] = round(float(np.mean([trip.seconds for trip in trips])), 2)
        figures["reaction_s"] = round(float(np.nanmedian(reactions)), 3)
        figures["microseconds_a_frame"] = round(1e6 * spent / max(len(take), 1), 1)
        figures["preparation_s"] = round(prepared, 2)
        figures["character_bytes"] = controller.player.bytes
        figures["shared_bytes"] = int(
            getattr(getattr(shared, "values", None), "nbytes", 0) or getattr(shared, "bytes", 0)
        )
        rows[kind] = figures
    return {"goals": goals, "near": near, "far": far, "seed": seed, "controllers": rows}


def _reaction(take: Take, first: int, goal: Goal) -> float:
    """Seconds until the body goes or turns towards a new goal: its way or its facing is nearer to the goal's direction than when it was
    set.

    NaN where it went there anyway.
    """
    stands = np.array(take.stands[first:])
    if len(stands) < 3:
        return float("nan")
    toward = np.arctan2(goal.position[0] - stands[0, 0], goal.position[1] - stands[0, 1])
    off = np.abs((stands[:, 2] - toward + np.pi) % (2 * np.pi) - np.pi)
    if off[0] < np.radians(20):
        return float("nan")
    turned = np.flatnonzero(off < off[0] - np.radians(10))
    return float(turned[0] / take.database.fps) if len(turned) else len(stands) / take.database.fps
