"""A performance made as long as wanted: what goes round in it goes round more often, and the end is cut."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import FootPlants, join_plants
from reenact.core.made import Made
from reenact.core.placement import move_rigidly
from reenact.edit.crossing import concatenate_kept
from reenact.edit.cycles import Cycle, find_cycles
from reenact.edit.transition import TransitionParameters, make_transition
from reenact.errors import ParameterError

_MOST_TIMES = 4  # that a cycle is played again
_WINDOW = 0.4  # seconds of the blend from the end of a cycle to its beginning
_CLEAR = 0.25  # seconds that a cycle keeps off the transitions beside it
_MOST_REPEATS = 60  # of the whole list


@dataclass(frozen=True, slots=True)
class _Round:
    """A cycle between two transitions of a performance.

    Attributes:
        start, end: the frames between the transitions.
        cycle: its frames, counted from `start`.
        name: of the clip that plays there.
    """

    start: int
    end: int
    cycle: Cycle
    name: str

    @property
    def period(self) -> int:
        """Frames that it adds each time."""
        return self.cycle.end - self.cycle.start


def fill_time(made: Made, seconds: float) -> Made:
    """The performance with its cycles played again, each `_MOST_TIMES` at most, until it is long enough or nothing more can be.

    Args:
        made: of `join_segments`: its report says where its transitions are.
        seconds: how long it is to be.
    """
    missing = round(seconds * made.clip.fps) - len(made.clip)
    if missing <= 0:
        return made
    rounds = _find_rounds(made)
    times = _share_out([one.period for one in rounds], missing)
    rows, told = list(made.report.get("transitions", [])), []
    for one, count in reversed(list(zip(rounds, times, strict=True))):
        done = _go_round(made, one, count) if count else None
        if done is None:
            continue
        grown = len(done.clip) - len(made.clip)
        rows = [_later(row, one.end, grown) for row in rows]
        made = done
        frames = [one.start + one.cycle.start, one.start + one.cycle.end]
        told.insert(0, {"clip": one.name, "frames": frames, "times": count})
    return Made(made.clip, {**made.report, "transitions": rows, "loops": told}, made.plants)


def repeats_for(made: Made, seconds: float) -> int:
    """How often a list must be played that fills this much of the time with its loops."""
    length = len(made.clip) / made.clip.fps
    return min(_MOST_REPEATS, max(1, math.ceil(seconds / length - 1e-6)))


def cut_to(made: Made, seconds: float) -> Made:
    """The first seconds of a performance; the report says how much was cut, or how much is missing."""
    wanted, length, fps = round(seconds * made.clip.fps), len(made.clip), made.clip.fps
    if wanted < 2:
        raise ParameterError(f"{seconds:g} s are less than two frames", where="seconds")
    if length <= wanted:
        told = {"seconds_missing": round((wanted - length) / fps, 3)} if length < wanted else {}
        return Made(made.clip, {**made.report, **told}, made.plants)
    plants = None if made.plants is None else made.plants.cut(0, wanted)
    rows = [row for row in made.report.get("transitions", []) if row["window_frames"][0] < wanted]
    told = {"transitions": rows, "seconds_cut": round((length - wanted) / fps, 3)}
    return Made(cut_frames(made.clip, 0, wanted), {**made.report, **told}, plants)


def _find_rounds(made: Made) -> list[_Round]:
    """The best steady cycle of every stretch between two transitions, where there is one."""
    rows = made.report.get("transitions", [])
    fps, clear = made.clip.fps, round(_CLEAR * made.clip.fps)
    edges = [(0, 0), *((_first(row), _last(row)) for row in rows), (len(made.clip), len(made.clip))]
    names = [row["from"] for row in rows] + [rows[-1]["to"]] if rows else [made.clip.name]
    found = []
    for name, (before, after) in zip(names, itertools.pairwise(edges), strict=True):
        start, end = before[1], after[0]
        if end - start < fps:
            continue
        part = cut_frames(made.clip, start, end)
        plants = None if made.plants is None else made.plants.cut(start, end)
        try:
            cycles = find_cycles(part, None, plants)
        except ParameterError:
            continue
        fits = (one for one in cycles if one.start >= clear and one.end <= end - start - clear and not one.unsteady)
        cycle = next(fits, None)
        if cycle is not None:
            found.append(_Round(start, end, cycle, name))
    return found


def _first(row: dict[str, Any]) -> int:
    return min(row["window_frames"][0], row["changed_frames"][0])


def _last(row: dict[str, Any]) -> int:
    return max(row["window_frames"][1], row["changed_frames"][1])


def _share_out(periods: list[int], missing: int) -> list[int]:
    """How often each cycle is played again: those that have had least time first, until the time is filled."""
    times = [0] * len(periods)
    while missing > 0:
        free = [n for n in range(len(periods)) if times[n] < _MOST_TIMES]
        if not free:
            break
        chosen = min(free, key=lambda n: times[n] * periods[n])
        times[chosen] += 1
        missing -= periods[chosen]
    return times


def _go_round(made: Made, one: _Round, count: int) -> Made | None:
    """The performance with a cycle played again so many times; None where the blend would reach beyond its stretch."""
    clip, fps = made.clip, made.clip.fps
    part = cut_frames(clip, one.start, one.end)
    states = None if made.plants is None else made.plants.cut(one.start, one.end)
    cycle, period = one.cycle, one.period
    half = max(1, min(round(_WINDOW * fps) // 2, cycle.start, len(part) - 1 - cycle.end, period // 2 - 1))
    blend = TransitionParameters(window=2 * half / fps, feet="free" if states is None else "hold")
    longer, at = Made(part, {}, states), cycle.end
    for _ in range(count):
        asked = TransitionParameters(at=at, into=cycle.start, window=blend.window, feet=blend.feet)
        longer = make_transition(longer.clip, part, asked, longer.plants, states)
        first, last = longer.report["changed_frames"]
        if first < 1 or last >= len(longer.clip):
            return None
        at += period
    rest = _after(clip, one.end, longer.clip)
    pieces = [piece for piece in (cut_frames(clip, 0, one.start) if one.start else None, longer.clip, rest) if piece]
    plants = _joined_plants(made.plants, one, longer.plants)
    return Made(concatenate_kept(pieces), made.report, plants)


def _after(clip: Clip, end: int, longer: Clip) -> Clip | None:
    """The frames from `end` on, moved to where the longer stretch ends."""
    if end >= len(clip):
        return None
    turn = R.multiply(
        longer.rotations[-1, 0].astype(np.float64), R.conjugate(clip.rotations[end - 1, 0].astype(np.float64))
    )
    heading = 2.0 * math.atan2(float(turn[2]), float(turn[0]))
    here, there = clip.root[end - 1].astype(np.float64), longer.root[-1].astype(np.float64)
    shift = there - here
    return move_rigidly(cut_frames(clip, end, len(clip)), (shift[0], 0.0, shift[2]), heading, here[[0, 2]])


def _joined_plants(plants: FootPlants | None, one: _Round, longer: FootPlants | None) -> FootPlants | None:
    if plants is None or longer is None:
        return None
    parts = [plants.cut(0, one.start), longer, plants.cut(one.end, len(plants))]
    return join_plants([part for part in parts if len(part)])


def _later(row: dict[str, Any], end: int, grown: int) -> dict[str, Any]:
    """The row of a transition that lies later than it did, where it comes after a cycle that goes round more often."""
    if row["window_frames"][0] < end:
        return row
    moved = {name: [frame + grown for frame in row[name]] for name in ("window_frames", "changed_frames")}
    return {**row, **moved, "at": row["at"] + grown}
