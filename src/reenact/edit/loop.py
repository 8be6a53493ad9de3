"""Loops: a cycle of a motion repeated as often as wanted, with a seam that cannot be seen (reuse specification 3.9).

Of the cycles that are most alike at both ends the first is taken that makes a good loop (`closing`) by its own measure. The way of one
cycle over the floor, turn included, is repeated from cycle to cycle, so a walk on a circle stays on its circle.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, Literal

import numpy as np

from reenact.analysis.carried_plants import known_plants, one_for_each
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import IN_PLACE, FootPlants
from reenact.core.made import Made
from reenact.core.parameters import check_ranges, option
from reenact.core.progress import tell
from reenact.core.rooting import carry_root
from reenact.edit.blending import moving_joints, take_apart
from reenact.edit.choosing import Keep
from reenact.edit.closing import ClosedCycle, close_cycle
from reenact.edit.cycles import Cycle, CycleParameters, best_cycle, cycle_error, cycles_beyond, rank_cycles
from reenact.edit.loop_delivery import at_rate, measure_seam, over_origin
from reenact.edit.loop_quality import LoopQuality, measure_loop
from reenact.edit.transition import TransitionParameters, keep_after, make_transition
from reenact.errors import ParameterError
from reenact.solve.result_quality import worst_push
from reenact.solve.second_opinion import doubt_glides
from reenact.solve.shown import Shown

_MOST_FRAMES = 2_000_000
_MOST_TRIED = 8  # cycles that are tried where the first does not make a good loop
_JUDGED = 5  # cycles in a row by which they are judged
_RANK = 2.0  # what a metre of difference between its ends counts against a loop that is as good as its limit


@dataclass(frozen=True, slots=True)
class LoopParameters:
    """Which cycle is repeated and how."""

    count: int = option(5, "number of cycles", low=1, high=100_000)
    start: int | None = option(None, "first frame of the cycle; default: found", unit="frames", low=0, moment="start")
    end: int | None = option(
        None, "frame after the cycle, like the first; default: found", unit="frames", low=1, moment="end"
    )
    near: int | None = option(None, "look for a cycle that begins about here", unit="frames", low=0, moment="first")
    pick: int | None = option(
        None, "which of the cycles that `loop --list` shows; default: the first that makes a good loop", low=1
    )
    method: Literal["spread", "blend"] = option(
        "spread",
        "spread: what the ends differ by is spread over the cycle; blend: a transition at the seam, as in the thesis",
    )
    window: float = option(0.3, "length of the blend at the seam (method blend)", unit="s", above=0, high=10)
    straighten: float = option(
        0.0873, "a turn per cycle smaller than this is taken as walking straight on", unit="rad", low=0, high=3.2
    )
    in_place: bool = option(
        False, "take the way over the floor out: a cycle on the spot, over the origin and facing forward (+z)"
    )
    at_origin: bool = option(
        False, "begin at the origin, facing forward (+z): a loop with root motion for a game engine"
    )
    fps: float | None = option(
        None,
        "frame rate of the loop: every cycle gets the nearest whole number of frames, so that none jumps; default: the clip's",
        unit="Hz",
        low=1,
        high=1000,
    )
    feet: Literal["hold", "free"] = option("hold", "hold: planted feet stay where they are; free: as they come")
    shortest: float = option(0.3, "shortest period looked for", unit="s", above=0)
    longest: float | None = option(None, "longest period looked for", unit="s", above=0)
    limit: float = option(0.08, "largest difference of the ends of a cycle that is found", unit="m", above=0)
    beyond: float = option(
        0.18,
        "largest difference of the ends of a cycle that is tried where none is within the limit, and taken where the loop is good in all "
        "that is measured; 0: none is",
        unit="m",
        low=0,
    )
    map: bool = option(False, "round trips: bring clips with other joints onto the skeleton of the first")

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.method not in ("spread", "blend"):
            raise ParameterError(f"method must be spread or blend, not {self.method!r}", where="method")
        if self.feet not in ("hold", "free"):
            raise ParameterError(f"feet must be hold or free, not {self.feet!r}", where="feet")
        if self.method == "blend" and (self.fps is not None or self.at_origin):
            raise ParameterError("fps and at_origin are of the method spread", where="method")
        if (self.start is None) != (self.end is None):
            raise ParameterError("give both start and end of the cycle, or neither", where="start")
        if self.start is not None and self.end is not None and self.end - self.start < 3:
            raise ParameterError(f"a cycle needs at least 3 frames, not {self.end - self.start}", where="end")

    def cycles(self) -> CycleParameters:
        """What counts as a cycle."""
        return CycleParameters(self.shortest, self.longest, self.limit)


def loop(
    clips: Clip | Sequence[Clip],
    parameters: LoopParameters | None = None,
    plants: Sequence[FootPlants | None] | None = None,
) -> Made:
    """A cycle of one clip repeated, or a round trip through several clips (the first, the second, ..., back to the first).

    `plants` are those of each clip.
    """
    given = [clips] if isinstance(clips, Clip) else list(clips)
    if not given:
        raise ParameterError("nothing to loop: give at least one clip")
    if len(given) > 1:
        return make_round_trip(given, parameters, plants)
    return make_loop(given[0], parameters, one_for_each(plants, given)[0])


def make_loop(clip: Clip, parameters: LoopParameters | None = None, plants: FootPlants | None = None) -> Made:
    """`count` cycles of a clip, one after the other, beginning where the recorded cycle begins.

    The last frame is the one before the first of the next cycle: playing the result over and over repeats no frame.

    Returns:
        clip; plants carried from the recorded cycle; report with `start`, `end`, `period_s`, `seam_error_m` (what the ends differed by
        before), `seam_acceleration_ratio` (joint accelerations at the seams as a share of the clip's largest), `advance_m` and
        `turn_degrees` of one cycle, `unsteady` (words, where it travels or turns otherwise than most of the clip), `beyond` (words, where
        its ends differ by more than the limit), `slip_mm`; with `fps` `resampled`, what became of the cycle.

    Raises:
        ParameterError: no cycle within the limit and none beyond it that makes a good loop, or frames outside the clip.
    """
    parameters = parameters or LoopParameters()
    plants = known_plants(clip, plants, wanted=parameters.feet == "hold")
    clip = carry_root(clip)
    try:
        cycles = iter(_candidates(clip, parameters, plants))
        first = next(cycles)
    except ParameterError:
        made = _good_beyond(clip, parameters, plants)
        if made is None:
            raise
        return made
    if parameters.method == "blend":
        return _loop_by_transitions(clip, first, parameters, plants)
    return _best_of(clip, chain([first], islice(cycles, _MOST_TRIED - 1)), parameters, plants)


def _candidates(clip: Clip, parameters: LoopParameters, plants: FootPlants | None) -> Iterable[Cycle]:
    """The cycle that was asked for, or those to try, the most promising first."""
    if parameters.start is not None and parameters.end is not None:
        if not parameters.end < len(clip):
            raise ParameterError(
                f"end {parameters.end} is not a frame of {clip.name!r}, which has frames 0 to {len(clip) - 1}",
                where="end",
            )
        error = cycle_error(clip, parameters.start, parameters.end, plants)
        return [Cycle(parameters.start, parameters.end, error)]
    if parameters.near is not None and parameters.near >= len(clip):
        raise ParameterError(
            f"near {parameters.near} is not a frame of {clip.name!r}, which has frames 0 to {len(clip) - 1}",
            where="near",
        )
    # feet that are not held, or glide because the body stays in place, tell nothing about a cycle
    one = parameters.method == "blend" or parameters.in_place or parameters.feet == "free"
    if parameters.pick is not None or one:
        return [best_cycle(clip, parameters.cycles(), plants, parameters.near, parameters.pick)]
    return rank_cycles(clip, parameters.cycles(), plants, parameters.near)


def _good_beyond(clip: Clip, parameters: LoopParameters, plants: FootPlants | None) -> Made | None:
    """A loop of a cycle whose ends are farther apart than the limit, where one is good in all that is measured; else None."""
    if parameters.start is not None or parameters.pick is not None or parameters.method == "blend":
        return None
    judged = replace(parameters, count=_JUDGED, in_place=False, at_origin=False, fps=None, feet="hold")
    found = cycles_beyond(clip, parameters.cycles(), plants, parameters.beyond, parameters.near)
    for cycle in found[:_MOST_TRIED]:
        _, worth = _closed(clip, cycle, judged, plants)
        if worth.badness > 1.0 or worth.doubts():
            continue
        made = _best_of(clip, [cycle], parameters, plants)
        if made.report["doubts"]:
            continue
        if cycle.error <= parameters.limit:
            return made
        said = f"its ends differ by {cycle.error:.3f} m; the limit is {parameters.limit:g} m, but the loop is good in all that is measured"
        return replace(made, report={**made.report, "beyond": said})
    return None


def _closed(
    clip: Clip, cycle: Cycle, parameters: LoopParameters, plants: FootPlants | None
) -> tuple[ClosedCycle, LoopQuality]:
    """A cycle made to repeat itself, and what the loop of it is worth."""
    held = parameters.feet == "hold"
    closed = close_cycle(clip, cycle, plants, straighten=parameters.straighten, in_place=parameters.in_place, hold=held)
    return closed, measure_loop(*closed.repeated(min(parameters.count, _JUDGED)), clip, cycle, held=held)


def _best_of(clip: Clip, cycles: Iterable[Cycle], parameters: LoopParameters, plants: FootPlants | None) -> Made:
    """The loop of the first cycle that is good by its own measure; else the best of them."""
    best: tuple[float, Cycle, ClosedCycle, LoopQuality] | None = None
    tried = 0
    for cycle in cycles:
        _require_room(cycle, parameters.count)
        tell(tried / _MOST_TRIED, f"trying the cycle from frame {cycle.start} to {cycle.end}")
        closed, worth = _closed(clip, cycle, parameters, plants)
        tried += 1
        rank = max(worth.badness, 1.0) + _RANK * cycle.error
        if best is None or rank < best[0]:
            best = rank, cycle, closed, worth
        if worth.badness <= 1.0:
            break
    assert best is not None
    _, cycle, closed, worth = best
    result, carried = closed.repeated(parameters.count)
    if parameters.count > _JUDGED:
        worth = measure_loop(result, carried, clip, cycle, held=parameters.feet == "hold")
    report = _report(result, clip, cycle, closed.way, carried, worth) | {"tried": tried}
    if parameters.fps is not None:
        closed = at_rate(closed, parameters.fps)
        report |= {"resampled": measure_seam(closed, clip, cycle)}
    if parameters.fps is not None or parameters.in_place or parameters.at_origin:
        if parameters.in_place or parameters.at_origin:
            closed = over_origin(closed, whole=parameters.in_place)
        result, carried = closed.repeated(parameters.count)
    result = replace(result, name=f"{clip.name}x{parameters.count}" if clip.name else "")
    if parameters.in_place and carried is not None:
        carried = replace(carried, source=IN_PLACE)
    return Made(result, report, carried)


def _require_room(cycle: Cycle, count: int) -> None:
    period = cycle.end - cycle.start
    if period * count > _MOST_FRAMES:
        raise ParameterError(f"{count} cycles of {period} frames are too many", where="count")


def _loop_by_transitions(clip: Clip, cycle: Cycle, parameters: LoopParameters, plants: FootPlants | None) -> Made:
    """The thesis' way: play to the end of the cycle, blend back to its beginning, and again."""
    _require_room(cycle, parameters.count)
    half = max(
        1,
        min(
            round(parameters.window * clip.fps) // 2,
            cycle.start,
            len(clip) - 1 - cycle.end,
            (cycle.end - cycle.start) // 2,
        ),
    )
    made = Made(cut_frames(clip, 0, len(clip)), {}, plants)
    at, reports = cycle.end, []
    blend = TransitionParameters(window=2 * half / clip.fps, feet=parameters.feet)
    for _ in range(parameters.count - 1):
        made = make_transition(made.clip, clip, replace(blend, at=at, into=cycle.start), made.plants, plants)
        reports.append(made.report)
        at += cycle.end - cycle.start
    result = cut_frames(made.clip, cycle.start, at)
    carried = None if made.plants is None else made.plants.picked(np.arange(cycle.start, at))
    local = take_apart(clip, moving_joints(clip))
    here, there = local.stands[cycle.start], local.stands[cycle.end]
    turn = float(local.steps[cycle.start + 1 : cycle.end + 1, 2].sum())
    away = there[:2] - here[:2]
    sine, cosine = np.sin(here[2]), np.cos(here[2])
    way = np.array([cosine * away[0] - sine * away[1], sine * away[0] + cosine * away[1], turn])
    name = f"{clip.name}x{parameters.count}" if clip.name else ""
    worth = measure_loop(result, carried, clip, cycle, held=parameters.feet == "hold")
    report = _report(result, clip, cycle, way, carried, worth, unlike=parameters.count - 1)
    return Made(replace(result, name=name), report, carried)


def make_round_trip(
    clips: Sequence[Clip],
    parameters: LoopParameters | None = None,
    plants: Sequence[FootPlants | None] | None = None,
) -> Made:
    """A loop through several clips: from the first into the second and so on, and back into the first (capability C35).

    The frames at which to leave and enter are the best found; the cycle closes on a frame of the first clip that is played untouched
    on both passes, so the seam itself has no error. `plants` are those of each clip.
    """
    parameters = parameters or LoopParameters()
    first, known = clips[0], one_for_each(plants, clips)
    blend = TransitionParameters(window=max(parameters.window, 0.4), feet=parameters.feet, map=parameters.map)
    made, trip = Made(first, {}, known_plants(first, known[0], wanted=parameters.feet == "hold")), []
    slips: list[float] = []
    plants_first, half = made.plants, round(blend.seconds * first.fps) // 2
    for following, own in (*zip(clips[1:], known[1:], strict=True), (first, plants_first)):
        back = following is first
        latest = trip[0]["window_frames"][0] - half - 3 if back else None
        if latest is not None and latest < half:
            raise ParameterError(
                f"{first.name!r} is left at frame {trip[0]['at']}, too soon to come back to a frame before that; give a longer clip, "
                "another order, or a shorter window",
                where=first.name,
            )
        earliest = trip[-1]["window_frames"][1] + half if trip else None
        asked = replace(blend, earliest=earliest, latest=latest)
        keep = keep_after(made.report, leaves=not back) if trip else Keep(leaves=not back)
        made = make_transition(made.clip, following, asked, made.plants, own, keep=keep)
        slips.append(made.report.get("slip_mm", 0.0))
        trip.append({key: made.report[key] for key in ("at", "into", "cost", "window_frames", "changed_frames")})
    result = close_trip(made, trip, parameters, first.name)
    slip = max(slips, default=0.0)  # the clips between the blends are as recorded
    return replace(result, report={**result.report, "slip_mm": slip, "trip": trip})


def close_trip(made: Made, trip: Sequence[dict[str, Any]], parameters: LoopParameters, name: str) -> Made:
    """A motion that leaves its first clip, goes through others and comes back into it, cut where both passes show the same, and repeated.

    Args:
        made: the motion, from the first frame of the first clip on.
        trip: reports of its transitions: `at`, `into`, `window_frames`, `changed_frames`.
        parameters: how often it is repeated.
        name: of the first clip.
    """
    start, end = trip[-1]["window_frames"]
    back = max(end, trip[-1]["changed_frames"][1])
    entered = trip[-1]["into"] - (trip[-1]["at"] - start) + (back - start)  # frame of the first clip that `back` shows
    if entered >= trip[0]["window_frames"][0]:
        raise ParameterError(
            f"on the way back a foot stands until frame {entered} of {name!r}, which is left before; give longer clips",
            where=name,
        )
    cycle = replace(parameters, start=entered, end=back, method="spread", straighten=0.0, feet="free")
    return make_loop(made.clip, cycle, made.plants)


def _report(
    result: Clip, source: Clip, cycle: Cycle, way: Float, plants: FootPlants | None, worth: LoopQuality, unlike: int = 1
) -> dict[str, Any]:
    """What is told of a loop; its first so many seams are `unlike` each other."""
    period, measured, said = cycle.end - cycle.start, worth.measured, worth.doubts()
    shown = [Shown(source, None, cycle.start + np.arange(len(result)) % period)]
    inner = [k * period for k in range(1, unlike + 1) if k * period < len(result)]
    report: dict[str, Any] = {
        "start": cycle.start,
        "end": cycle.end,
        "period_s": round(period / source.fps, 5),
        "cycles": len(result) // period,
        "seam_error_m": round(cycle.error, 5),
        "seam_acceleration_ratio": round(
            max((worst_push(result, shown, seam - 2, seam + 2)[0] for seam in inner), default=0.0), 4
        ),
        "acceleration_ratio": round(measured.acceleration, 4),
        "advance_m": round(float(np.hypot(way[0], way[1])), 5),
        "turn_degrees": round(float(np.degrees(way[2])), 4),
        "quality": worth.describe(),
        "doubts": [
            *(said or (doubt_glides(result, source) if worth.held else [])),
            *([cycle.unsteady] if cycle.unsteady else []),
        ],
    }
    if cycle.unsteady:
        report["unsteady"] = cycle.unsteady
    if plants is not None:
        report["slip_mm"] = measured.slip_mm
    return report
