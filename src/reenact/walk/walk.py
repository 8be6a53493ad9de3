"""The operation `walk`: one recorded walk with another stride, lift, slope, stairs, terrain, obstacle or goal (reuse 3.15)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.made import Made
from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError
from reenact.walk.grounds import Ground, Slope, Stairs, Terrain, read_stairs
from reenact.walk.replanting import Replanted, replant
from reenact.walk.step_plan import WalkPlan, plan_walk
from reenact.walk.stride_plan import factors_over, given_steps, on_stairs, over_obstacle, scaled, swing_lifts
from reenact.walk.suitability import check_level, check_travel, jump_doubts, level_doubts
from reenact.walk.walk_length import travelled, with_footprints, with_steps_for
from reenact.walk.walk_model import bend_into, literal_height
from reenact.walk.walk_report import WalkFigures, measure_walk
from reenact.walk.walk_study import WalkStudy, study_walk

_DEEPEST = 0.72  # of the leg: hips that would be carried lower cannot walk
_GOAL = 0.01  # metres that a goal may be missed by without a word
_NEAR, _TRIES = 0.001, 6  # metres from a goal, and times it is tried


@dataclass(frozen=True, slots=True)
class WalkParameters:
    """What is changed. Lengths are metres, factors multiply what was recorded; nothing asked for is nothing changed."""

    stride: float = option(1.0, "factor of the length of steps", low=0, high=3)
    stride_end: float | None = option(
        None, "factor of the last step: steps grow or shrink evenly towards it", low=0, high=3
    )
    step: float | None = option(None, "length of a step instead of a factor", unit="m", above=0, high=3)
    lift: float = option(1.0, "factor of how high feet are lifted", low=0.3, high=5)
    incline: float = option(
        0.0, "slope of the ground along the way, negative downhill", unit="rad", low=-0.61, high=0.61
    )
    stairs: str = option("", "stairs as RISExDEPTHxCOUNT in metres, such as 0.17x0.29x6; a negative rise goes down")
    before: int = option(2, "footprints on the floor before the stairs", low=1, high=100)
    obstacle: str = option("", "step over something: AT,HEIGHT,DEPTH in metres from the start, such as 1.8,0.3,0.2")
    to: float | None = option(
        None, "distance that the body goes, exactly; whole cycles are added or left out", unit="m", above=0, high=10_000
    )
    plan: Path | None = option(
        None, "table (.csv) of steps: a length in metres on each line, and a factor of the lift", endings=(".csv",)
    )
    steps: str = option("", "lengths of the first steps in metres, with commas between")
    terrain: Path | None = option(
        None,
        "heights of the ground: .npy (metres) or a grey .png; the body starts in its middle",
        endings=(".npy", ".png"),
    )
    cell: float = option(0.1, "of a terrain: metres between its values", unit="m", above=0, high=100)
    relief: float = option(
        1.0, "of a terrain: factor of its heights; of a picture: metres between black and white", low=0, high=1000
    )
    lean: float = option(
        1.0, "bend of the trunk into slopes and stairs, as a multiple of what is usual; 0: none", low=0, high=3
    )
    ease_in: int = option(0, "steps over which the walk begins from standing", low=0, high=1000)
    ease_out: int = option(0, "steps over which it ends", low=0, high=1000)
    model: Literal["balanced", "delta", "literal"] = option(
        "balanced",
        "height of the body: balanced brings it where both legs reach and no knee pops; delta and literal are the thesis' model, "
        "added to the recording or instead of it",
    )

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.stairs:
            read_stairs(self.stairs)
        if self.obstacle:
            read_obstacle(self.obstacle)
        read_lengths(self.steps)
        grounds = [name for name in ("stairs", "obstacle", "terrain") if getattr(self, name)]
        grounds += ["incline"] if self.incline else []
        if len(grounds) > 1:
            raise ParameterError(f"one ground at a time, not {' and '.join(grounds)}", where=grounds[-1])
        if self.plan is not None and self.steps:
            raise ParameterError("plan and steps say the same; give one of them", where="steps")

    @property
    def changes_nothing(self) -> bool:
        """All is as recorded."""
        return self == replace(
            WalkParameters(), model=self.model, cell=self.cell, relief=self.relief, before=self.before, lean=self.lean
        )


def read_obstacle(text: str) -> tuple[float, float, float]:
    """Place, height and depth from text such as "1.8,0.3,0.2"."""
    try:
        values = [float(word) for word in text.replace("x", ",").split(",")]
        at, height, depth = values if len(values) == 3 else (*values, 0.1)
    except ValueError:
        raise ParameterError(f"an obstacle is AT,HEIGHT,DEPTH in metres, not {text!r}", where="obstacle") from None
    if not (at > 0 and 0 < height <= 1.0 and 0 < depth <= 1.5):
        raise ParameterError(
            f"an obstacle lies ahead (AT above 0) and is at most 1 m high and 1.5 m deep, not {text!r}",
            where="obstacle",
        )
    return at, height, depth


def read_lengths(text: str) -> list[float]:
    """Metres from text such as "0.6,0.7"."""
    try:
        lengths = [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise ParameterError(f"steps are metres with commas between, not {text!r}", where="steps") from None
    if not all(math.isfinite(one) and 0 <= one <= 3 for one in lengths):
        raise ParameterError(f"steps must be 0 to 3 m long, not {text!r}", where="steps")
    return lengths


def walk(clip: Clip, parameters: WalkParameters | None = None, plants: FootPlants | None = None) -> Made:
    """The walk reshaped.

    Args:
        clip: a walk, run or other travel on two feet.
        parameters: see `WalkParameters`.
        plants: its foot plants; default: those that travel with it, else detected.

    Returns:
        The motion; a report with the steps and lifts as they came out, what slips, how far soles are from the ground, what knees and joints
        do against the recording, `doubts` in words; and its plants.

    Raises:
        ParameterError: not a walk, steps no leg reaches (the message has the range), or a ground that does not fit.
    """
    asked = parameters or WalkParameters()
    study = study_walk(clip, plants)
    check_travel(study)
    climbs = level_doubts(study)
    if asked.changes_nothing:
        return Made(
            clip, {"changed": False, "step_m": round(study.stride, 4), "lift_m": round(study.lift, 4)}, study.plants
        )
    if asked.incline or asked.stairs or asked.obstacle or asked.terrain or asked.lift != 1.0:
        check_level(study)
    if asked.to is not None:
        study = with_steps_for(study, asked.to, reachable_step(study))
        study, plan, made, goal = _reach(study, asked, asked.to)
    else:
        if asked.stairs or asked.plan or asked.steps:
            study = with_footprints(study, _footprints_for(asked), asked.before if asked.stairs else 1)
        plan = make_plan(study, asked)
        made, goal = _replant(study, plan, asked), None
    figures = measure_walk(study, plan, made)
    report = _report(study, asked, plan, figures, goal)
    report["doubts"] += climbs
    return Made(made.clip.renamed(clip.name), report, figures.plants)


def reachable_step(study: WalkStudy) -> float:
    """Metres, the longest step that the legs allow: hips no lower than 0.72 of a leg, or a tenth beyond what was recorded."""
    return max(2.0 * study.leg * math.sqrt(1.0 - _DEEPEST**2), 1.1 * float(np.max(np.abs(study.steps))))


def make_plan(study: WalkStudy, asked: WalkParameters) -> WalkPlan:
    """The plan that parameters ask for."""
    first = asked.stride if asked.step is None else asked.step / study.stride
    last = first if asked.stride_end is None else asked.stride_end
    factors = factors_over(study, first, last, asked.ease_in, asked.ease_out)
    lifts = swing_lifts(study, asked.lift, factors)
    ground: Ground | None = None
    lengths = read_lengths(asked.steps)
    if asked.plan is not None:
        from reenact.formats.steps_text import read_steps

        lengths, factor_of = read_steps(asked.plan)
        for n, swing in enumerate(study.swings):
            if swing.after - 1 < len(factor_of):
                lifts[n] *= factor_of[swing.after - 1]
    if lengths:
        planned = given_steps(study, lengths)
        factors = np.where(np.arange(len(factors)) < len(lengths), planned, factors)
        lifts = lifts / np.maximum(swing_lifts(study, 1.0, np.ones(len(factors))), 1e-6)
    _check_reach(study, factors)
    along = scaled(study, factors)
    if asked.incline:
        along, ground = along * math.cos(asked.incline), Slope(asked.incline)
    elif asked.stairs:
        rise, depth, count = read_stairs(asked.stairs)
        along, ground = on_stairs(study, rise, depth, count, asked.before)
    elif asked.obstacle:
        at, height, depth = read_obstacle(asked.obstacle)
        along, ground = over_obstacle(study, at, depth, height)
    elif asked.terrain is not None:
        ground = _terrain(study, asked)
    return plan_walk(study, along, ground=ground, lifts=lifts)


def _check_reach(study: WalkStudy, factors: Float) -> None:
    longest = reachable_step(study)
    steps = study.steps * factors
    far = np.flatnonzero(np.abs(steps) > longest + 1e-9)
    grown = [n for n in far if abs(factors[n]) > 1.0 + 1e-9]
    if grown:
        n = grown[0]
        raise ParameterError(
            f"step {n + 1} would be {steps[n]:.2f} m; legs of {study.leg:.2f} m reach steps of 0 to {longest:.2f} m, which is a factor of "
            f"up to {longest / study.steps.max():.2f} for this walk",
            where="stride",
        )


def _terrain(study: WalkStudy, asked: WalkParameters) -> Terrain:
    from reenact.formats.heights_file import read_heights

    assert asked.terrain is not None
    field = read_heights(asked.terrain) * asked.relief
    rows, columns = field.shape
    middle = 0.5 * asked.cell * np.array([columns - 1, rows - 1])
    start = study.path.points[0]
    origin = (float(start[0] - middle[0]), float(start[1] - middle[1]))
    ground = Terrain(field, asked.cell, origin)
    here = float(ground.heights(start[None], np.zeros(1))[0])  # the body starts at the height it has
    return replace(ground, field=field - here)


def _replant(study: WalkStudy, plan: WalkPlan, asked: WalkParameters) -> Replanted:
    if asked.model == "balanced":
        return replant(study, plan, forward=bend_into(study, plan, asked.lean))
    height = literal_height(study, plan) if asked.model == "literal" else None
    return replant(study, plan, height=height, follow_model=True)


def _footprints_for(asked: WalkParameters) -> int:
    """Footprints that a plan needs."""
    if asked.stairs:
        count = read_stairs(asked.stairs)[2]
        return asked.before + count + 1 if count < 1000 else 0
    if asked.plan is not None:
        from reenact.formats.steps_text import read_steps

        return len(read_steps(asked.plan)[0]) + 1
    return len(read_lengths(asked.steps)) + 1


def _reach(study: WalkStudy, asked: WalkParameters, distance: float) -> tuple[WalkStudy, WalkPlan, Replanted, float]:
    """The walk whose body goes a distance exactly: tried, measured and corrected."""
    factor, slope = distance / study.path.length, study.path.length
    best: tuple[float, WalkPlan, Replanted] | None = None
    before: tuple[float, float] | None = None
    for _ in range(_TRIES):
        plan = make_plan(study, replace(asked, stride=asked.stride * factor, step=None))
        made = _replant(study, plan, asked)
        gone = _travelled(study, plan, made)
        if best is None or abs(gone - distance) < abs(best[0] - distance):
            best = (gone, plan, made)
        if abs(gone - distance) < _NEAR:
            break
        if (
            before is not None and abs(factor - before[0]) > 1e-9
        ):  # a body that shuffles first does not go in proportion
            slope = max((gone - before[1]) / (factor - before[0]), 0.2 * study.path.length)
        before = (factor, gone)
        factor = max(factor + (distance - gone) / slope, 0.05)
    assert best is not None
    return study, best[1], best[2], best[0]


def _travelled(study: WalkStudy, plan: WalkPlan, made: Replanted) -> float:
    hips = study.clip.skeleton.roles.get("hips", 0)
    places = made.clip.world(np.float64).positions[:, hips][:, [0, 2]]
    return travelled(places, plan.points, plan.along, plan.directions)


def _report(
    study: WalkStudy, asked: WalkParameters, plan: WalkPlan, figures: WalkFigures, goal: float | None
) -> dict[str, Any]:
    report: dict[str, Any] = {
        "recorded": {"step_m": round(study.stride, 4), "lift_m": round(study.lift, 4), "leg_m": round(study.leg, 3)},
        "footprints": len(plan.prints),
        **figures.describe(),
    }
    if goal is not None and asked.to is not None:
        report["distance_m"] = round(goal, 4)
        report["off_goal_mm"] = round(1000 * abs(goal - asked.to), 2)
    report["ground"] = type(plan.ground).__name__.lower()
    if isinstance(plan.ground, Stairs):
        report["treads_m"] = np.round(plan.ground.treads(), 3).tolist()
    doubts = figures.doubts()
    wanted = read_stairs(asked.stairs)[2] if asked.stairs else 1000
    if isinstance(plan.ground, Stairs) and plan.ground.count < wanted < 1000:
        doubts.append(f"the walk climbs {plan.ground.count} of {wanted} steps")
    if goal is not None and asked.to is not None and abs(goal - asked.to) > _GOAL:
        doubts.append(f"the goal is missed by {1000 * abs(goal - asked.to):.0f} mm")
    doubts += [*study.notes, *jump_doubts(study)]
    if study.flies and (asked.incline or asked.stairs):
        doubts.append("the motion flies between its steps; what a slope does to a flight is not modelled")
    report["doubts"] = doubts
    return report
