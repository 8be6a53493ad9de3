"""Parts that motions have in common, where the whole of them does not correspond.

A run that ends in a roll and a run that goes on have their first steps in common; two jumps the jump, however differently they are begun
and ended. Such parts are built about what happens in them, never about quiet frames, which are alike in all motions: either steps with the
same feet by bodies that travel, or frames of two bodies that travel the same way, or one jump of each. A part is of use when it lasts about
a step cycle and holds a jump of every motion that has one. As it was looked for, no leniency goes with it: the plain limit of q counts.
Only where no part keeps it, two steps and more with the same feet are held to the limit of gaits in step, as whole motions are: it was
the feet that chose them. Of those that the gate would let through the longest is taken, and one that it lets through without doubt is
worth half as much again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from reenact.blend.compared_motions import ComparedMotions, PartMeasures
from reenact.blend.gate import GateLimits
from reenact.blend.jumps import Jump, find_jumps
from reenact.blend.registration_parameters import RegistrationParameters
from reenact.blend.registration_quality import GOING, pace
from reenact.blend.trimming import find_strikes, same_steps, step_ranges
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants

Ranges = tuple[tuple[int, int], ...]

SHORTEST = 0.7
"""Seconds that a part lasts at least, on the mean of the motions: about a step cycle."""

_SHORTEST_OF_ONE = 0.45  # seconds of each motion at least
_MARGINS = (0.2, 0.3, 0.45, 0.65, 0.9, 1.2)  # seconds that are tried before a jump and after it
_FASTER = 2.0  # times: bodies that travel at such different speeds have no gait in common
_HIGHER = 2.0  # times: bodies that rise by so different heights take no jump in common, unless they look it
_MOST_JUMPS = 6  # of each motion, the highest
_WITHOUT_DOUBT = 1.5  # times as long as it is: what a part is worth that the gate does not doubt
_MOST_PARTS = 4  # that are handed out for a closer look
_STEPS_OF_A_CYCLE = 2


@dataclass(frozen=True, slots=True)
class CommonPart:
    """Frames of several motions that correspond.

    Attributes:
        ranges: for each motion [start, end) in frames.
        what: in words, what happens in it.
        worth: seconds, how long it is, times what little doubt is worth.
        in_step: it keeps the limit of q of gaits in step alone.
    """

    ranges: Ranges
    what: str
    worth: float
    in_step: bool = False

    def most_q(self, limits: GateLimits) -> float:
        """The limit of q that it is held to."""
        return limits.most_q_in_step if self.in_step else limits.most_q


def find_common_parts(
    clips: Sequence[Clip], plants: Sequence[FootPlants | None], parameters: RegistrationParameters
) -> list[CommonPart]:
    """The parts of motions that may be registered instead of the whole of them, the best first; none when nothing of use corresponds.

    Args:
        clips: two or more, of one skeleton and rate.
        plants: their foot plants; without them nothing is found.
        parameters: how motions are compared, and the limits of the gate.
    """
    limits = parameters.limits
    found: list[CommonPart] = []
    in_step: list[CommonPart] = []
    for ranges, what, steps, seconds, measured in _parts_of_use(clips, plants, parameters):
        strain = measured.strain(limits, limits.most_q)
        if strain <= 1:
            sure = strain <= limits.doubt_from
            found.append(CommonPart(ranges, what, seconds * (_WITHOUT_DOUBT if sure else 1.0)))
        elif steps >= _STEPS_OF_A_CYCLE and measured.strain(limits, limits.most_q_in_step) <= 1:
            in_step.append(CommonPart(ranges, what, seconds, in_step=True))
    return sorted(found or in_step, key=lambda part: -part.worth)[:_MOST_PARTS]


def find_parts_to_try(
    clips: Sequence[Clip], plants: Sequence[FootPlants | None], parameters: RegistrationParameters
) -> list[CommonPart]:
    """Parts of motions that go and stand alike but do not look alike enough for the gate, the most promising first: long and yet alike.

    Whether they blend well is not known before it is tried. Arguments as of `find_common_parts`.
    """
    limits = parameters.limits
    jumps = [[] if own is None else find_jumps(clip, own) for clip, own in zip(clips, plants, strict=True)]
    found = [
        CommonPart(ranges, what, seconds / max(measured.unlike(limits, limits.most_q), 1.0))
        for ranges, what, _, seconds, measured in _parts_of_use(clips, plants, parameters)
        if measured.contrary(limits) <= 1 and measured.q < 1 and _rise_alike(ranges, jumps)
    ]
    return sorted(found, key=lambda part: -part.worth)


def _parts_of_use(
    clips: Sequence[Clip], plants: Sequence[FootPlants | None], parameters: RegistrationParameters
) -> Iterator[tuple[Ranges, str, int, float, PartMeasures]]:
    """Parts that last long enough, with what happens in them, how many steps, the seconds on the mean, and how alike the motions are."""
    known = [own for own in plants if own is not None]
    if len(known) < len(clips):
        return
    jumps = [find_jumps(clip, own) for clip, own in zip(clips, known, strict=True)]
    compared = ComparedMotions(clips, known, parameters)
    fps = clips[0].fps
    travel = [(ranges, "where both travel the same way", 0) for ranges in compared.travelling_together()]
    gaits = [part for part in (*_with_steps(clips, known), *travel) if _go_alike(clips, part[0])]
    for ranges, what, steps in (*gaits, *_with_jumps(clips, jumps)):
        long = [(end - start) / fps for start, end in ranges]
        if float(np.mean(long)) < SHORTEST or min(long) < _SHORTEST_OF_ONE or not _holds_jumps(ranges, jumps):
            continue
        measured = compared.measure(ranges)
        if measured is not None:
            yield ranges, what, steps, float(np.mean(long)), measured


def describe_part(clips: Sequence[Clip], part: CommonPart, why: str) -> str:
    """In words, which part of each motion is used, and why the rest is left out: the reason that the whole does not correspond."""
    used = [
        f"{clip.name} {start / clip.fps:.1f} to {end / clip.fps:.1f} s of {clip.seconds:.1f} (frames {start} to {end})"
        for clip, (start, end) in zip(clips, part.ranges, strict=True)
    ]
    return (
        f"only a part of these motions is used, {part.what}: {', '.join(used)}; the rest is left out, as the whole does not "
        f"correspond: {why}"
    )


def _holds_jumps(ranges: Ranges, jumps: Sequence[Sequence[Jump]]) -> bool:
    """Whether a jump of every motion that has one lies in its range."""
    return all(
        not own or any(start < jump.start and jump.end < end for jump in own)
        for (start, end), own in zip(ranges, jumps, strict=True)
    )


def _rise_alike(ranges: Ranges, jumps: Sequence[Sequence[Jump]]) -> bool:
    """Whether none rises much higher in its jumps than another; a run that just leaves the floor takes no part in a leap."""
    highest = [
        max((jump.rise for jump in own if start < jump.start and jump.end < end), default=0.0)
        for (start, end), own in zip(ranges, jumps, strict=True)
    ]
    return max(highest) <= _HIGHER * min(highest)


def _go_alike(clips: Sequence[Clip], ranges: Ranges) -> bool:
    """Whether all bodies travel, and none so much faster than another that it is another gait."""
    paces = [pace(clip, start, end - 1) for clip, (start, end) in zip(clips, ranges, strict=True)]
    return min(paces) > max(GOING, max(paces) / _FASTER)


def _with_steps(clips: Sequence[Clip], plants: Sequence[FootPlants]) -> Iterator[tuple[Ranges, str, int]]:
    """Steps with the same feet, and how many."""
    strikes = [find_strikes(own) for own in plants]
    sides = ["".join(strike.side[0].upper() for strike in own) for own in strikes]
    for steps in range(min(len(own) for own in strikes) - 1, 0, -1):
        what = f"{steps} step{'s' * (steps > 1)} with the same feet"
        for choice in same_steps(sides, steps):
            for around in (True, False):
                yield step_ranges(clips, strikes, choice, steps, around), what, steps


def _with_jumps(clips: Sequence[Clip], jumps: Sequence[Sequence[Jump]]) -> Iterator[tuple[Ranges, str, int]]:
    """One jump of each motion, with more or less of what comes before and after it."""
    fps = clips[0].fps
    highest = [sorted(own, key=lambda jump: -jump.rise)[:_MOST_JUMPS] for own in jumps]
    for choice in product(*highest):
        tried = set()
        for before, after in product(_MARGINS, _MARGINS):
            ranges = tuple(
                (max(jump.start - round(before * fps), 0), min(jump.end + round(after * fps), len(clip)))
                for jump, clip in zip(choice, clips, strict=True)
            )
            if ranges not in tried:
                tried.add(ranges)
                yield ranges, "the jump", 0
