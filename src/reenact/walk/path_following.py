"""The operation `path`: a travelling motion bent to a curve, or set on footprints one by one, with planted feet planted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.heading import HeadingParameters, find_headings, wrap
from reenact.core.made import Made
from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError
from reenact.walk.replanting import Replanted, replant
from reenact.walk.step_plan import PlannedPrint, WalkPlan, plan_walk
from reenact.walk.stride_plan import scaled
from reenact.walk.suitability import check_travel, jump_doubts, level_doubts
from reenact.walk.travel_path import TravelPath, tightest_turn, to_the_left, unit
from reenact.walk.walk import reachable_step
from reenact.walk.walk_model import model_height
from reenact.walk.walk_report import WalkFigures, measure_walk
from reenact.walk.walk_study import WalkStudy, study_walk
from reenact.walk.ways import balance, balance_of, check_curves, circle, curve_through, feet_outside, lean_into

_STRAIGHT = 0.17  # radians from how it mostly faces along its way, within which a body walks straight
_SWAY = 0.25  # seconds, width of the low-pass over the heading
_ON_THE_SPOT = 1.6  # radians within half a metre: that is no curve of a way
_BESIDE = 0.05  # metres that a body may be beside the path without a word
_OFF = 15.0  # degrees that it may be off the path's direction, likewise
_MISSED = 0.005  # metres that an ankle may be from where its footprint asks for


@dataclass(frozen=True, slots=True)
class PathParameters:
    """The curve, and how it is walked."""

    along: Path | None = option(
        None, "table (.csv) of the curve's points x,z in metres; the motion starts at the first", endings=(".csv",)
    )
    through: str = option("", 'points to pass after the start, as "x,z; x,z" in metres on the floor')
    radius: float | None = option(None, "walk on a circle of this radius; positive to the left, negative to the right", unit="m",
                                  low=-1000, high=1000)  # fmt: skip
    footprints: Path | None = option(
        None,
        "table (.csv) of footprints left|right,x,z and a heading in degrees, one for each step of the motion",
        endings=(".csv",),
    )
    write_footprints: Path | None = option(
        None,
        "file to write the footprints of the result to, as `footprints` reads them; alone: those of the motion as it is",
        endings=(".csv",),
        written=True,
    )
    stride: float = option(1.0, "factor of the length of steps", above=0, high=3)
    speed: float | None = option(
        None, "speed along the path instead: steps are as long as it asks for", unit="m/s", above=0, high=12
    )
    fit: bool = option(False, "steps as long as it takes to end where the curve ends")
    lean: float = option(1.0, "lean into curves, as a multiple of what recorded bodies do; 0: none", low=0, high=5)

    def __post_init__(self) -> None:
        check_ranges(self)
        given = [name for name in ("along", "through", "radius", "footprints") if getattr(self, name) not in (None, "")]
        if len(given) != 1 and (given or self.write_footprints is None):
            raise ParameterError(
                "give one of along, through, radius and footprints" + (f", not {' and '.join(given)}" if given else ""),
                where="path",
            )
        if self.radius is not None and abs(self.radius) < 0.1:
            raise ParameterError(f"a radius must be at least 0.1 m, not {self.radius:g}", where="radius")
        if self.fit and self.radius is not None:
            raise ParameterError("a circle has no end to fit to", where="fit")
        read_through(self.through)

    @property
    def changes_nothing(self) -> bool:
        """Only the footprints are asked for."""
        return self.along is None and not self.through and self.radius is None and self.footprints is None


def read_through(text: str) -> list[tuple[float, float]]:
    """Points from text "x,z; x,z"."""
    points = []
    for part in (one.strip() for one in text.replace("\n", ";").split(";")):
        if not part:
            continue
        try:
            x, z = (float(word) for word in part.replace(" ", ",").split(",") if word)
        except ValueError:
            raise ParameterError(f"a point is x,z in metres, not {part!r}", where="through") from None
        points.append((x, z))
    return points


def follow_path(clip: Clip, parameters: PathParameters, plants: FootPlants | None = None) -> Made:
    """The motion along a curve or on footprints.

    Args:
        clip: a walk, run or other travel on two feet.
        parameters: see `PathParameters`.
        plants: its foot plants; default: those that travel with it, else detected.

    Returns:
        The motion; a report with the steps, what slips, how far the body is beside the path beyond its recorded sway
        (`path_error_m`) and turned off its direction (`off_direction_degrees`, where the clip walks straight), footprints
        that are not reached, `doubts`; and its plants.

    Raises:
        ParameterError: not a walk, a path too tight to walk, or footprints too far apart.
    """
    study = study_walk(clip, plants)
    check_travel(study)
    if parameters.changes_nothing:
        rows = [(one.side, one.place[0], one.place[2], one.heading) for one in study.prints]
        return Made(clip, {"changed": False, "footprints": len(rows), **_written(rows, parameters)}, study.plants)
    if parameters.footprints is not None:
        plan, way = _on_footprints(study, parameters.footprints)
    else:
        plan, way = _on_curve(study, parameters)
    plan, lean, sink = _lean_in(study, plan, way, parameters)
    made = replant(study, plan, lean=lean, height=model_height(study, plan) - sink)
    figures = measure_walk(study, plan, made)
    rows = [(one.old.side, one.place[0], one.place[2], one.old.heading + one.turn) for one in plan.prints]
    report = _report(study, plan, way, made, figures) | _written(rows, parameters)
    return Made(made.clip.renamed(clip.name), report, figures.plants)


def _written(rows: list[tuple[str, float, float, float]], asked: PathParameters) -> dict[str, Any]:
    """Where the footprints have been written, if that was asked for."""
    if asked.write_footprints is None:
        return {}
    from reenact.formats.places_text import write_footprints

    write_footprints(asked.write_footprints, rows)
    return {"footprints_file": str(asked.write_footprints)}


def _lean_in(
    study: WalkStudy, plan: WalkPlan, way: TravelPath, asked: PathParameters
) -> tuple[WalkPlan, Float | None, Float]:
    """The plan with feet outside the body in its curves, how far the trunk leans (F,), and what hips sink by over such feet (F,).

    What the recording does in curves of its own is taken off.
    """
    fps = study.clip.fps
    if asked.lean == 0.0:
        return plan, None, np.zeros(len(study.clip))
    there, own = balance(way, plan.along, fps), balance_of(study.path, fps)
    lean = asked.lean * (lean_into(there, fps) - lean_into(own, fps))
    hips = float(np.mean(study.world.positions[:, study.clip.skeleton.roles.get("hips", 0), 1]))
    outside = asked.lean * hips * (feet_outside(there, fps) - feet_outside(own, fps))
    if asked.footprints is None:
        plan = plan_walk(study, np.array([one.along for one in plan.prints]), way, outside=outside)
    else:  # the feet stand where they are told to, so the body keeps inside of them
        inside = plan.points + outside[:, None] * to_the_left(unit(plan.directions))
        plan = replace(plan, points=inside, below=plan.points)
    return plan, lean, hips - np.sqrt(np.maximum(hips**2 - outside**2, 0.0)) - hips * (1.0 - np.cos(lean))


def _on_curve(study: WalkStudy, asked: PathParameters) -> tuple[WalkPlan, TravelPath]:
    start, direction = study.path.points[0], float(study.path.directions[0])
    seconds = len(study.clip) / study.clip.fps
    factor = asked.stride if asked.speed is None else asked.speed * seconds / study.path.length
    length = factor * study.path.length + 3.0
    if asked.radius is not None:
        way = circle(start, direction, asked.radius, length)
    elif asked.along is not None:
        from reenact.formats.places_text import read_points

        way = curve_through(read_points(asked.along))
    else:
        way = curve_through([tuple(start), *read_through(asked.through)])
    if asked.fit:
        factor = way.length / study.path.length
    step = factor * float(np.max(np.abs(study.steps)))
    if step > reachable_step(study) and factor > 1:
        raise ParameterError(
            f"steps would be up to {step:.2f} m; legs of {study.leg:.2f} m reach {reachable_step(study):.2f} m, which is a factor of "
            f"{reachable_step(study) / float(np.max(np.abs(study.steps))):.2f}",
            where="path",
        )
    along = scaled(study, np.full(len(study.prints) - 1, factor))
    check_curves(
        way,
        np.linspace(0.0, factor * study.path.length, 200),
        factor * study.path.length / seconds,
        factor * study.stride,
    )
    return plan_walk(study, along, way), way


def _on_footprints(study: WalkStudy, table: Path) -> tuple[WalkPlan, TravelPath]:
    """A plan by footprints that are given one by one; the body goes along the curve in the middle between them."""
    from reenact.formats.places_text import read_footprints

    rows = read_footprints(table)
    first = next((n for n, one in enumerate(study.prints) if one.side == rows[0][0]), 0)
    prints = study.prints[first:]
    if len(rows) > len(prints):
        raise ParameterError(
            f"{len(rows)} footprints are given, the motion makes {len(prints)} from its first {rows[0][0]} one on; repeat it first "
            "(`reenact loop`)",
            where="footprints",
        )
    for n, (row, one) in enumerate(zip(rows, prints, strict=False)):
        if row[0] != one.side:
            raise ParameterError(
                f"footprint {n + 1} is a {row[0]} one where the motion sets down its {one.side} foot",
                where="footprints",
            )
    places = np.array([[row[1], row[2]] for row in rows])
    longest = reachable_step(study)
    for n, step in enumerate(np.linalg.norm(np.diff(places, axis=0), axis=1)):
        if step > 1.15 * longest:
            raise ParameterError(
                f"footprint {n + 2} lies {step:.2f} m from footprint {n + 1}; legs of {study.leg:.2f} m reach {longest:.2f} m",
                where="footprints",
            )
    middles = 0.5 * (places[1:] + places[:-1])
    way = curve_through(_extended(middles, study))
    used = replace(study, prints=prints[: len(rows)])
    along = np.array([_nearest(way, place) for place in places])
    along = np.maximum.accumulate(along)
    rest = [one for one in study.prints if one not in used.prints]
    everything = _along_all(study, used, along, rest)
    plan = plan_walk(study, everything, way)
    exact = []
    for one in plan.prints:
        n = next((k for k, old in enumerate(used.prints) if old is one.old), None)
        exact.append(one if n is None else _exactly(one, rows[n]))
    return replace(plan, prints=tuple(exact)), way


def _extended(middles: Float, study: WalkStudy) -> Float:
    """Points of the way with half a step more at both ends."""
    if len(middles) < 2:
        return middles
    before, after = middles[0] - middles[1], middles[-1] - middles[-2]
    return np.concatenate([[middles[0] + before], middles, [middles[-1] + after]])


def _nearest(way: TravelPath, place: Float) -> float:
    at = int(np.argmin(np.linalg.norm(way.points - place, axis=1)))
    direction = np.array([np.sin(way.directions[at]), np.cos(way.directions[at])])
    return float(way.along[at] + (place - way.points[at]) @ direction)


def _along_all(study: WalkStudy, used: WalkStudy, along: Float, rest: list[Any]) -> Float:
    """Metres along the way of all footprints: those given, and the others as far from them as they were."""
    known = {id(one): float(at) for one, at in zip(used.prints, along, strict=True)}
    first, last = used.prints[0], used.prints[-1]
    found = []
    for one in study.prints:
        if id(one) in known:
            found.append(known[id(one)])
        elif one.along <= first.along:
            found.append(float(along[0]) + one.along - first.along)
        else:
            found.append(float(along[-1]) + one.along - last.along)
    return np.array(found)


def _exactly(one: PlannedPrint, row: tuple[str, float, float, float | None]) -> PlannedPrint:
    turn = one.turn
    if row[3] is not None:  # the same way round as the body
        turn += float(wrap(np.array(row[3] - one.old.heading - one.turn)))
    return replace(one, place=np.array([row[1], one.place[1], row[2]]), turn=turn)


def path_error(study: WalkStudy, plan: WalkPlan, made: Clip) -> float:
    """Metres that the hips are beside the new path more than they were beside their own (95 % of the frames): sway does not count."""
    hips = study.clip.skeleton.roles.get("hips", 0)
    own, new = (world.positions[:, hips][:, [0, 2]] for world in (study.world, made.world(np.float64)))
    recorded = np.einsum("fi,fi->f", own - study.path.points, to_the_left(unit(study.path.directions)))
    beside = np.einsum("fi,fi->f", new - plan.points, to_the_left(unit(plan.directions)))
    return float(np.percentile(np.abs(beside - recorded), 95))


def _report(study: WalkStudy, plan: WalkPlan, way: TravelPath, made: Replanted, figures: WalkFigures) -> dict[str, Any]:
    report: dict[str, Any] = {
        "recorded": {"step_m": round(study.stride, 4), "way_m": round(study.path.length, 3)},
        "way_m": round(float(plan.along[-1] - plan.along[0]), 3),
        "footprints": len(plan.prints),
        "path_error_m": round(path_error(study, plan, made.clip), 4),
        **figures.describe(),
    }
    calm = HeadingParameters(smoothing=_SWAY)  # hips turn to and fro with every step
    own = wrap(find_headings(study.base, calm).angles - study.path.directions)
    straight = np.abs(own - np.median(own)) < _STRAIGHT
    away = wrap(find_headings(made.clip, calm).angles - way.direction_at(plan.along) - float(np.median(own)))
    if straight.any():
        report["off_direction_degrees"] = round(float(np.degrees(np.percentile(np.abs(away[straight]), 95))), 1)
    reached = _not_reached(study, plan, made)
    doubts = figures.doubts()
    if report["path_error_m"] > _BESIDE:
        doubts.append(f"the body is {report['path_error_m']:.2f} m beside the path, beyond what it was beside its own")
    if report.get("off_direction_degrees", 0.0) > _OFF:
        doubts.append(
            f"the body is turned {report['off_direction_degrees']:.0f} degrees off the direction of the path where it walks straight"
        )
    if reached:
        report["not_reached"] = reached
        doubts.append("footprints that are not reached: " + ", ".join(str(n) for n in reached))
    doubts += [*jump_doubts(study), *level_doubts(study)]
    turn = tightest_turn(study.path)
    if turn.angle > _ON_THE_SPOT:
        doubts.append(
            f"the recording turns by {np.degrees(turn.angle):.0f} degrees nearly on the spot (frames {turn.start} to {turn.end}); the "
            "path takes that out: cut the clip there if it matters"
        )
    report["doubts"] = doubts
    return report


def _not_reached(study: WalkStudy, plan: WalkPlan, made: Replanted) -> list[int]:
    """Numbers of footprints, from 1, that the legs do not reach."""
    found = []
    missed = {foot.side: miss for foot, miss in zip(study.feet, made.placed.missed, strict=True)}
    for n, one in enumerate(plan.prints, 1):
        frames = slice(one.old.start, one.old.end)
        planted = study.plants.foot(one.old.side).plant[frames]
        if float(np.max(np.where(planted, missed[one.old.side][frames], 0.0), initial=0.0)) > _MISSED:
            found.append(n)
    return found
