"""Loops: a cycle of a motion repeated as often as wanted, with a seam that cannot be seen (reuse specification 3.9).

What the two ends of the cycle differ by is spread over the whole cycle (the softfade of animation looping: half of it at either end,
value and velocity), instead of being blended away within a short window. Planted feet are held. The way of one cycle over the floor,
turn included, is repeated from cycle to cycle, so a walk on a circle stays on its circle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from reenact.analysis.carried_plants import join_plants, known_plants, one_for_each, pick_plants
from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import FootPlants
from reenact.core.heading import wrap
from reenact.core.made import Made
from reenact.core.parameters import check_ranges, option
from reenact.core.placement import move_rigidly
from reenact.core.ramps import coast
from reenact.core.rooting import carry_root
from reenact.edit.blending import Local, add_up, moving_joints, put_together, take_apart
from reenact.edit.choosing import Keep
from reenact.edit.crossing import concatenate_kept
from reenact.edit.cycles import Cycle, CycleParameters, best_cycle, cycle_error
from reenact.edit.transition import TransitionParameters, keep_after, make_transition
from reenact.errors import ParameterError
from reenact.solve.feet import find_feet, track_foot
from reenact.solve.held_feet import hold_feet
from reenact.solve.result_quality import Shown, measure_result, worst_push
from reenact.solve.stances import HoldParameters

_UNROLLED = 5  # cycles solved at once, of which the middle one is taken: it knows its neighbours
_LEAST_UNROLLED = 2.5  # seconds of them before and after it
_MOST_FRAMES = 2_000_000
_SPEED_FADE = 0.4  # seconds in which a change of speed at the seam dies out on either side


@dataclass(frozen=True, slots=True)
class LoopParameters:
    """Which cycle is repeated and how."""

    count: int = option(5, "number of cycles", low=1, high=100_000)
    start: int | None = option(None, "first frame of the cycle; default: found", unit="frames", low=0)
    end: int | None = option(None, "frame after the cycle, like the first; default: found", unit="frames", low=1)
    near: int | None = option(None, "look for a cycle that begins about here", unit="frames", low=0)
    pick: int = option(1, "which of the cycles found, the best first; `loop --list` shows them", low=1)
    method: Literal["spread", "blend"] = option(
        "spread",
        "spread: what the ends differ by is spread over the cycle; blend: a transition at the seam, as in the thesis",
    )
    window: float = option(0.3, "length of the blend at the seam (method blend)", unit="s", above=0, high=10)
    straighten: float = option(
        0.0873, "a turn per cycle smaller than this is taken as walking straight on", unit="rad", low=0, high=3.2
    )
    in_place: bool = option(False, "take the way over the floor out: a cycle on the spot")
    feet: Literal["hold", "free"] = option("hold", "hold: planted feet stay where they are; free: as they come")
    shortest: float = option(0.3, "shortest period looked for", unit="s", above=0)
    longest: float | None = option(None, "longest period looked for", unit="s", above=0)
    limit: float = option(0.08, "largest difference of the ends of a cycle that is found", unit="m", above=0)
    map: bool = option(False, "round trips: bring clips with other joints onto the skeleton of the first")

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.method not in ("spread", "blend"):
            raise ParameterError(f"method must be spread or blend, not {self.method!r}", where="method")
        if self.feet not in ("hold", "free"):
            raise ParameterError(f"feet must be hold or free, not {self.feet!r}", where="feet")
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
        `turn_degrees` of one cycle, `unsteady` (words, where it travels or turns otherwise than most of the clip), `slip_mm`.

    Raises:
        ParameterError: no cycle within the limit, or frames outside the clip.
    """
    parameters = parameters or LoopParameters()
    plants = known_plants(clip, plants, wanted=parameters.feet == "hold")
    clip = carry_root(clip)
    cycle = _chosen(clip, parameters, plants)
    period = cycle.end - cycle.start
    if period * parameters.count > _MOST_FRAMES:
        raise ParameterError(f"{parameters.count} cycles of {period} frames are too many", where="count")
    if parameters.method == "blend":
        return _loop_by_transitions(clip, cycle, parameters, plants)
    return _loop_by_spreading(clip, cycle, parameters, plants)


def _chosen(clip: Clip, parameters: LoopParameters, plants: FootPlants | None) -> Cycle:
    if parameters.start is not None and parameters.end is not None:
        if not parameters.end < len(clip):
            raise ParameterError(
                f"end {parameters.end} is not a frame of {clip.name!r}, which has frames 0 to {len(clip) - 1}",
                where="end",
            )
        error = cycle_error(clip, parameters.start, parameters.end, plants)
        return Cycle(parameters.start, parameters.end, error)
    if parameters.near is not None and parameters.near >= len(clip):
        raise ParameterError(
            f"near {parameters.near} is not a frame of {clip.name!r}, which has frames 0 to {len(clip) - 1}",
            where="near",
        )
    return best_cycle(clip, parameters.cycles(), plants, parameters.near, parameters.pick)


def _loop_by_spreading(clip: Clip, cycle: Cycle, parameters: LoopParameters, plants: FootPlants | None) -> Made:
    period = cycle.end - cycle.start
    local = take_apart(clip, moving_joints(clip))
    states = None if plants is None else pick_plants(plants, np.arange(cycle.start, cycle.end))
    closed, way = _close(local, cycle, parameters, states, clip.fps)
    start = local.stands[cycle.start]
    times = _UNROLLED + 2 * int(_LEAST_UNROLLED * clip.fps / period / 2)
    unrolled = _unroll(closed, way, start, times, clip)
    if states is not None and parameters.feet == "hold":
        unrolled, states = _hold(unrolled, states, clip, cycle)
    middle = times // 2
    one = cut_frames(unrolled, middle * period, (middle + 1) * period)
    # back to where the recorded cycle stands: the middle cycle stands `middle` ways further
    here = _repeat(start, way, middle)
    one = move_rigidly(one, (start[0] - here[0], 0.0, start[1] - here[1]), float(start[2] - here[2]), here[:2])
    copies = []
    for number in range(parameters.count):
        there = _repeat(start, way, number)
        copies.append(
            move_rigidly(one, (there[0] - start[0], 0.0, there[1] - start[1]), float(there[2] - start[2]), start[:2])
        )
    result = replace(concatenate_kept(copies), name=f"{clip.name}x{parameters.count}" if clip.name else "")
    carried = None if states is None else join_plants([states] * parameters.count)
    report = _report(result, clip, cycle, way, carried, parameters.count)
    return Made(result, report, carried)


def _close(
    local: Local, cycle: Cycle, parameters: LoopParameters, states: FootPlants | None, fps: float
) -> tuple[Local, Float]:
    """The cycle with its ends made alike, and its way over the floor (left, forward, turn) from start to start."""
    start, end = cycle.start, cycle.end
    period = end - start
    t = np.arange(period) / period
    joints = local.turns.shape[1]
    gap = R.log(R.multiply(local.turns[end], R.conjugate(local.turns[start])))
    turn_speed = _speed_of_turns(local.turns, end) - _speed_of_turns(local.turns, start)
    offset = _softfade(t, gap.ravel(), turn_speed.ravel(), period, fps).reshape(period, joints, 3)
    turns = R.multiply(R.exp(offset), local.turns[start:end])
    gap_points = (local.points[end] - local.points[start]).ravel()
    point_speed = (_speed(local.points, end) - _speed(local.points, start)).ravel()
    points = local.points[start:end] + _softfade(t, gap_points, point_speed, period, fps).reshape(period, -1, 3)
    steps = local.steps[start + 1 : end + 1].copy()  # the step out of each frame
    uneven = np.mean(local.steps[end : end + 2], axis=0) - np.mean(local.steps[start : start + 2], axis=0)
    steps += _softfade(t, uneven, np.zeros(3), period, fps)
    stays = states is not None and any(bool(f.plant.all()) for f in (states.left, states.right))
    total = wrap(local.stands[end, 2:] - local.stands[start, 2:])[0]
    if stays or parameters.in_place:
        steps -= steps.mean(axis=0)
    else:
        wanted = 0.0 if abs(total) < parameters.straighten else total
        steps[:, 2] += (wanted - steps[:, 2].sum()) / period
    before = np.concatenate([steps[-1:], steps])
    way = add_up(np.zeros(3), before[: period + 1])[-1]
    if stays or parameters.in_place:  # the sum of steps turns as it goes: what is left is taken out evenly
        steps[:, :2] -= way[:2] / period
        way = np.zeros(3)
    # `steps[k]` leads into frame k, as in `Local`: the first comes from the frame before the seam
    into = np.concatenate([steps[-1:], steps[:-1]])
    return Local(turns, points, into, local.stands[start:end], local.moving), way


def _softfade(t: Float, gap: Float, speed: Float, period: int, fps: float) -> Float:
    """(N, D) what is added over a cycle so that its ends meet: half the gap and half the change of speed at either end.

    The gap goes away evenly over the whole cycle. A change of speed must not: kept up over a long cycle it would lead limbs far away, so
    it dies out within `_SPEED_FADE` of either end.
    """
    fade = min(0.5, _SPEED_FADE * fps / period)  # of the cycle
    push = 0.5 * speed * period * fade
    return (0.5 - t[:, None]) * gap + coast(t / fade, push) + coast((1.0 - t) / fade, push)


def _speed_of_turns(turns: Float, frame: int) -> Float:
    """(J, 3) rotation per frame about world-side axes, over two frames on either side."""
    low, high = max(frame - 2, 0), min(frame + 2, len(turns) - 1)
    return R.log(R.multiply(turns[high], R.conjugate(turns[low]))) / max(high - low, 1)


def _speed(values: Float, frame: int) -> Float:
    low, high = max(frame - 2, 0), min(frame + 2, len(values) - 1)
    return (values[high] - values[low]) / max(high - low, 1)


def _repeat(start: Float, way: Float, times: int) -> Float:
    """The stand (x, z, heading) after going `way` so many times."""
    return add_up(start, np.concatenate([np.zeros((1, 3)), np.tile(way, (times, 1))]))[-1]


def _unroll(closed: Local, way: Float, start: Float, times: int, like: Clip) -> Clip:
    """The cycle `times` times in a row."""
    one = add_up(np.zeros(3), closed.steps)
    stands = []
    for number in range(times):
        origin = _repeat(start, way, number)
        sine, cosine = np.sin(origin[2]), np.cos(origin[2])
        x = origin[0] + cosine * one[:, 0] + sine * one[:, 1]
        z = origin[1] - sine * one[:, 0] + cosine * one[:, 1]
        stands.append(np.column_stack([x, z, origin[2] + one[:, 2]]))
    order = np.tile(np.arange(len(closed)), times)
    many = Local(closed.turns[order], closed.points[order], closed.steps[order], closed.stands[order], closed.moving)
    return put_together(many, np.concatenate(stands), like)


def _hold(unrolled: Clip, states: FootPlants, source: Clip, cycle: Cycle) -> tuple[Clip, FootPlants]:
    """The unrolled cycles with planted feet still, each where the foot is on the average and as high as recorded; and the plants held."""
    times = len(unrolled) // len(states)
    feet = find_feet(source.skeleton, source)
    if not feet:
        return unrolled, states
    how = HoldParameters(on_floor="keep")
    world, shown = source.world(np.float64), np.tile(np.arange(cycle.start, cycle.end), times)
    tracks = {foot.side: track_foot(world, foot) for foot in feet}
    heights = {side: (track.heel[shown, 1], track.ball[shown, 1]) for side, track in tracks.items()}
    plants = join_plants([states] * times)
    held = hold_feet(unrolled, plants, feet, how, sources=[source], heights=heights, period=len(states))
    middle = times // 2 * len(states)
    return held.clip, held.plants.cut(middle, middle + len(states))


def _loop_by_transitions(clip: Clip, cycle: Cycle, parameters: LoopParameters, plants: FootPlants | None) -> Made:
    """The thesis' way: play to the end of the cycle, blend back to its beginning, and again."""
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
    carried = None if made.plants is None else pick_plants(made.plants, np.arange(cycle.start, at))
    local = take_apart(clip, moving_joints(clip))
    here, there = local.stands[cycle.start], local.stands[cycle.end]
    turn = wrap(there[2:] - here[2:])[0]
    away = there[:2] - here[:2]
    sine, cosine = np.sin(here[2]), np.cos(here[2])
    way = np.array([cosine * away[0] - sine * away[1], sine * away[0] + cosine * away[1], turn])
    name = f"{clip.name}x{parameters.count}" if clip.name else ""
    report = _report(result, clip, cycle, way, carried, parameters.count)
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
    plants_first, half = made.plants, round(blend.window * first.fps) // 2
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
    result: Clip, source: Clip, cycle: Cycle, way: Float, plants: FootPlants | None, count: int
) -> dict[str, Any]:
    period = cycle.end - cycle.start
    frames = cycle.start + np.arange(len(result)) % period
    # feet are judged over one cycle about a seam, so that no plant is cut there
    whole = (period // 2, period // 2 + period) if count > 1 else None
    measured = measure_result(result, plants, [Shown(source, None, frames)], held=whole)
    seams = [
        worst_push(result, [Shown(source, None, frames)], k * period - 2, k * period + 2)[0] for k in range(1, count)
    ]
    report: dict[str, Any] = {
        "start": cycle.start,
        "end": cycle.end,
        "period_s": round(period / source.fps, 5),
        "cycles": count,
        "seam_error_m": round(cycle.error, 5),
        "seam_acceleration_ratio": round(max(seams, default=0.0), 4),
        "acceleration_ratio": round(measured.acceleration, 4),
        "advance_m": round(float(np.hypot(way[0], way[1])), 5),
        "turn_degrees": round(float(np.degrees(way[2])), 4),
        "quality": measured.describe(),
        "doubts": [*measured.doubts(), *([cycle.unsteady] if cycle.unsteady else [])],
    }
    if cycle.unsteady:
        report["unsteady"] = cycle.unsteady
    if plants is not None:
        report["slip_mm"] = measured.slip_mm
    return report
