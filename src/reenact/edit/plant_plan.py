"""Which foot is planted when during a blend, and where: the four cases of reuse specification 3.7, and what to do when they contradict.

Frames count from the start of the blend; the last one of the window is `window`. Plants of the first motion that reach into the window
are kept until they end (case 1), plants of the second that reach its end are kept from where they begin (case 2), plants inside belong
to the motion whose end of the window is closer (case 3). Where a plant of the first and a plant of the second leave the foot no time to
get from one place to the other, they contradict (case 4 is the longest form of it: both planted all the time). Then:

- when both places are near each other (after the path of the second motion was moved to suit), they become one plant at the first place,
  held until the second motion lifts the foot ("hold");
- else both are shortened and the foot makes a step from one to the other ("step");
- the thesis lets the foot slip from one to the other ("slip").
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from reenact.core.arrays import Bool, Float
from reenact.core.foot_plants import intervals_of
from reenact.solve.feet import FootTrack

Contradiction = Literal["auto", "step", "hold", "slip"]
CONTRADICTIONS = ("auto", "step", "hold", "slip")

_LEAST_SWING = 0.12  # seconds between two plants, however near
_STEP_TIME = (0.28, 0.5)  # seconds a step made up takes: for a short one, for one of half a metre and more
_TURN_IN = 0.3  # seconds in which a foot held from a motion that has ended takes on the roll of the other
_CONVERGE = 5.8  # peak acceleration of a quintic in units of way / time^2


@dataclass(frozen=True, slots=True)
class Plant:
    """One plant of one foot in the result.

    Attributes:
        start, end: half-open range of frames from the start of the blend; `end` may lie beyond the window.
        source: "a", "b", or "both" for a plant of the first motion that goes on in the second.
        case: 1 to 4 as in the specification.
        answer: what was done about a contradiction: "", "hold", "step" or "slip".
        swap: for "both": the frames between which the second motion takes over.
        natural: start and end the plant has in its source.
    """

    start: int
    end: int
    source: Literal["a", "b", "both"]
    case: int
    answer: str = ""
    swap: tuple[int, int] = (0, 0)
    natural: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True, eq=False)
class FootStates:
    """Contacts of one foot over the frames of a blend.

    Attributes:
        heel, ball: (F,) masks.
    """

    heel: Bool
    ball: Bool

    @property
    def plant(self) -> Bool:
        """(F,) any point is planted."""
        return self.heel | self.ball


@dataclass(frozen=True, slots=True)
class PlanRules:
    """What a plan goes by.

    Attributes:
        window: last frame of the window.
        fps: frames per second.
        one_sided: the first motion ends where the window begins.
        contradiction: see the module.
        near: metres under which two places are one ("auto").
        push: m/s^2 a correction may cost.
    """

    window: int
    fps: float
    one_sided: bool
    contradiction: Contradiction
    near: float
    push: float


def plan_foot(
    a: FootStates, b: FootStates, tracks: tuple[FootTrack, FootTrack, FootTrack], rules: PlanRules
) -> list[Plant]:
    """The plants of one foot, in order and without contradiction.

    Args:
        a: contacts of the first motion (window + 1 frames or more; what lies beyond the window does not count).
        b: contacts of the second motion, as far as it is known.
        tracks: the foot in the first motion, in the second (where it stands in the result), and in the blend before any correction.
        rules: times and limits.
    """
    kept = [_classify(start, end, "a", rules) for start, end in intervals_of(a.plant[: rules.window + 1])]
    kept += [_classify(start, end, "b", rules) for start, end in intervals_of(b.plant)]
    plants = sorted((plant for plant in kept if plant is not None), key=lambda plant: (plant.start, plant.source))
    plants = _away_from_the_other_end(plants, tracks, rules)
    result: list[Plant] = []
    for plant in plants:
        if result and result[-1].source == "a" and plant.source == "b":
            result[-1:] = _settle(result[-1], plant, tracks, rules)
        elif result and plant.start < result[-1].end:
            continue  # a plant of the first motion within one of the second: it came too late
        else:
            result.append(plant)
    return [plant for plant in result if plant.end > plant.start]


def _classify(start: int, end: int, source: Literal["a", "b"], rules: PlanRules) -> Plant | None:
    """The plant with its case, or None when the other motion decides there."""
    window, middle = rules.window, 0.5 * rules.window
    if start >= window:
        return None
    covers = start <= 0 and end > window
    if source == "a":
        if start > 0 and (start + min(end, window)) / 2 > middle:
            return None
        return Plant(start, min(end, window), "a", 4 if covers else 1 if start <= 0 else 3, natural=(start, end))
    if end <= window and (max(start, 0) + end) / 2 <= middle:
        return None
    return Plant(start, end, "b", 4 if covers else 2 if end > window else 3, natural=(start, end))


def _away_from_the_other_end(
    plants: list[Plant], tracks: tuple[FootTrack, FootTrack, FootTrack], rules: PlanRules
) -> list[Plant]:
    """A plant of the second motion cannot begin with the window, one of the first not end with it: the foot has to get there."""
    result = []
    starts_planted = any(plant.source == "a" and plant.start <= 0 for plant in plants)
    ends_planted = any(plant.source == "b" and plant.end > rules.window for plant in plants)
    for plant in plants:
        if plant.source == "b" and not starts_planted:
            need = _swing_frames(_away(tracks[1], tracks[2], min(plant.start + 2, rules.window)), rules)
            plant = replace(plant, start=min(max(plant.start, need), rules.window - 1))
        if plant.source == "a" and not ends_planted:
            need = _swing_frames(_away(tracks[0], tracks[2], max(min(plant.end, rules.window) - 1, 0)), rules)
            plant = replace(plant, end=max(min(plant.end, rules.window - need), 1))
        if plant.end - plant.start >= 2 or plant.start <= 0:
            result.append(plant)
    return result


def _settle(a: Plant, b: Plant, tracks: tuple[FootTrack, FootTrack, FootTrack], rules: PlanRules) -> list[Plant]:
    """Two plants that follow each other, from the first motion and from the second."""
    meeting = min(max((max(a.start, b.start) + min(a.end, b.end)) // 2, 0), rules.window)
    apart = _away(tracks[0], tracks[1], meeting)
    at_a, at_b = min(a.end - 1, rules.window), min(max(b.start, 0), rules.window)
    change = (tracks[1].ankle[at_b] - tracks[2].ankle[at_b]) - (tracks[0].ankle[at_a] - tracks[2].ankle[at_a])
    need = _swing_frames(float(np.linalg.norm(change)), rules)
    if b.start - a.end >= need:
        return [a, b]
    overlap = b.start < a.end
    case = 4 if overlap else max(a.case, b.case)
    if rules.contradiction == "slip" and overlap:
        return [replace(a, end=b.end, source="both", case=case, answer="slip", swap=(0, rules.window))]
    near = apart <= rules.near if rules.contradiction != "step" else apart <= 0.002
    if near or (rules.contradiction == "hold" and overlap):
        low, high = sorted((max(a.start, b.start), min(a.end, b.end)))
        if rules.one_sided:  # the first motion has ended: its foot turns into the second's while it stands
            high = max(high, low + min(round(_TURN_IN * rules.fps), rules.window))
        return [replace(a, end=b.end, source="both", case=case, answer="hold", swap=(low, max(high, low + 1)))]
    if overlap:
        short, long = _STEP_TIME
        need = max(need, round((short + (long - short) * min(apart / 0.5, 1.0)) * rules.fps))
    first, last = _step_span(a, b, need, rules)
    return [
        replace(a, end=min(a.end, first), answer="step" if overlap else ""),
        replace(b, start=max(b.start, last), case=case, answer="step" if overlap else ""),
    ]


def _step_span(a: Plant, b: Plant, need: int, rules: PlanRules) -> tuple[int, int]:
    """Frames (from, to) of a step between two plants: when the foot lifts or lands by itself, where one of them does; else between."""
    least = 1 if a.start <= 0 else a.start
    if b.start <= 0 and a.end < rules.window and not rules.one_sided:
        first = max(min(a.end, rules.window - need), least)
        return first, min(first + need, rules.window)
    if a.end >= rules.window and b.start > 0:
        last = min(max(b.start, need), rules.window)
        return max(last - need, least), last
    middle = round(0.5 * (min(a.end, rules.window) + max(b.start, 0)))
    middle = min(max(middle, (need + 1) // 2), rules.window - (need + 1) // 2)
    return max(middle - need // 2, least), min(middle + (need + 1) // 2, rules.window)


def _swing_frames(away: float, rules: PlanRules) -> int:
    """Frames a foot needs for a correction of so many metres."""
    return int(np.ceil(max(_LEAST_SWING, np.sqrt(_CONVERGE * away / rules.push)) * rules.fps))


def _away(a: FootTrack, b: FootTrack, frame: int) -> float:
    """Metres between a foot in two motions: the mean over its two points."""
    at = min(max(frame, 0), len(a) - 1, len(b) - 1)
    gaps: list[Float] = [a.heel[at] - b.heel[at], a.ball[at] - b.ball[at]]
    return float(np.mean([np.linalg.norm(gap) for gap in gaps]))


def separate_steps(plans: dict[str, list[Plant]], rules: PlanRules) -> dict[str, list[Plant]]:
    """Plans in which made-up steps of both feet do not happen at once: one foot after the other."""
    steps = {side: _made_up(plan) for side, plan in plans.items()}
    if any(step is None for step in steps.values()) or len(steps) < 2:
        return plans
    order = sorted(steps, key=lambda side: sum(steps[side] or (0, 0)))
    first, second = (steps[side] or (0, 0) for side in order)
    if first[1] <= second[0]:
        return plans
    half = rules.window // 2
    ranges = ((max(1, half - (first[1] - first[0])), half), (half, min(half + second[1] - second[0], rules.window - 1)))
    return {
        side: [
            replace(plant, end=min(plant.natural[1], low))
            if plant.source == "a" and plant.answer == "step"
            else replace(plant, start=max(high, plant.natural[0], 1))
            if plant.answer == "step"
            else plant
            for plant in plans[side]
        ]
        for side, (low, high) in zip(order, ranges, strict=True)
    }


def _made_up(plan: list[Plant]) -> tuple[int, int] | None:
    """(end of the plant before, start of the plant after) of the step that was made up, if there is one."""
    for before, after in pairwise(plan):
        if before.source == "a" and after.answer == "step":
            return before.end, after.start
    return None
