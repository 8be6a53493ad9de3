"""Cutting motions to equal steps, so that gaits with different numbers of steps can be registered.

Registration presumes that motions do the same things in the same order. Two walks of four and seven steps do not, and no path through
their grid of distances can help. The foot strikes say where steps begin: every motion is cut from one strike to another, so that all take
the same steps with the same feet. Which of the longer motion's steps are taken is decided by the distances: the choice whose q, or whose
worst third of a second, is farthest from the limits of the gate.
Before the first strike and after the last one as much is kept as all motions have, counted in their own steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from reenact.blend.compared_motions import ComparedMotions
from reenact.blend.registration_parameters import RegistrationParameters
from reenact.core.clip import Clip
from reenact.core.foot_plants import SIDES, FootPlants
from reenact.errors import ParameterError

_MOST_CHOICES = 64  # sets of first strikes that are looked at for one number of steps
_FEWER = 3  # so many steps fewer than can be had are tried when more do not correspond well


@dataclass(frozen=True, slots=True)
class Strike:
    """A foot that comes down.

    Attributes:
        frame: the first frame of its plant.
        side: "left" or "right".
    """

    frame: int
    side: str


@dataclass(frozen=True, slots=True)
class StepMatch:
    """The parts of motions that take the same steps.

    Attributes:
        ranges: for each motion [start, end) in frames.
        steps: strike to strike, how many steps each part holds.
        first: side of the foot whose strike begins them.
        q: of the registration they lead to; of several pairs the worst.
    """

    ranges: tuple[tuple[int, int], ...]
    steps: int
    first: str
    q: float


def find_strikes(plants: FootPlants) -> list[Strike]:
    """Foot strikes in order of time: the beginnings of plants, but for feet that stand when the motion begins."""
    found = [Strike(start, side) for side in SIDES for start, _ in plants.foot(side).intervals() if start > 0]
    return sorted(found, key=lambda strike: (strike.frame, strike.side))


def match_steps(
    clips: Sequence[Clip],
    plants: Sequence[FootPlants | None],
    parameters: RegistrationParameters | None = None,
) -> StepMatch:
    """The longest parts of the motions that take the same steps with the same feet, chosen where they correspond best.

    A few steps fewer are taken when the motions then correspond well and with more steps do not.

    Args:
        clips: two or more, of one skeleton and frame rate.
        plants: their foot plants.
        parameters: how motions are compared (rate, window, weights, slope limit).

    Raises:
        ParameterError: a motion has no feet or takes fewer than two steps, or no part of the motions takes the same steps; the message says
            which.
    """
    parameters = parameters or RegistrationParameters()
    strikes = []
    for clip, own in zip(clips, plants, strict=True):
        if own is None:
            raise ParameterError("without foot plants no steps can be matched", where=clip.name)
        strikes.append(find_strikes(own))
        if len(strikes[-1]) < 2:
            raise ParameterError(
                f"a foot strikes the floor {len(strikes[-1])} times; matching steps needs two or more", where=clip.name
            )
    sides = ["".join(strike.side[0].upper() for strike in own) for own in strikes]
    most = min(len(own) for own in strikes) - 1
    most_q = max(parameters.most_q, 1e-9)
    compared = ComparedMotions(clips, plants, parameters)
    longest: StepMatch | None = None
    for steps in range(most, 0, -1):
        if longest is not None and steps < longest.steps - _FEWER:
            break
        best: StepMatch | None = None
        least = np.inf
        for choice in same_steps(sides, steps):
            for around in (True, False):
                ranges = step_ranges(clips, strikes, choice, steps, around)
                found = compared.measure(ranges)
                q = np.inf if found is None else found.q
                strain = (
                    np.inf if found is None else max(q / most_q, found.stretch / max(parameters.most_stretch, 1e-9))
                )
                if best is None or strain < least:
                    best, least = StepMatch(ranges, steps, strikes[0][choice[0]].side, q), strain
                if strain <= parameters.doubt_from:
                    break  # what lies around the steps is worth keeping when it fits
        if best is not None and least <= parameters.doubt_from:
            return best
        longest = longest or best
    if longest is not None and np.isfinite(longest.q):
        return longest
    said = ", ".join(f"{clip.name} {own}" for clip, own in zip(clips, sides, strict=True))
    raise ParameterError(f"no steps with the same feet in all motions that the slope limit lets correspond: {said}")


def same_steps(sides: Sequence[str], steps: int) -> Iterable[tuple[int, ...]]:
    """First strikes, one of each motion, from which all motions take `steps` steps with the same feet; evenly thinned when many."""
    patterns = [[own[n : n + steps + 1] for n in range(len(own) - steps)] for own in sides]
    found = [()]
    for own in patterns:
        found = [
            (*before, n)
            for before in found
            for n, feet in enumerate(own)
            if not before or feet == patterns[0][before[0]]
        ]
        if len(found) > _MOST_CHOICES:
            found = [found[n] for n in np.linspace(0, len(found) - 1, _MOST_CHOICES).astype(int)]
    return found


def step_ranges(
    clips: Sequence[Clip], strikes: Sequence[Sequence[Strike]], choice: tuple[int, ...], steps: int, around: bool
) -> tuple[tuple[int, int], ...]:
    """The frames from strike to strike, and `around` them what all motions have, as shares of their own neighbouring steps."""
    marks, before, after = [], [], []
    for clip, own, first in zip(clips, strikes, choice, strict=True):
        frames = [strike.frame for strike in own]
        start, end = frames[first], frames[first + steps]
        opening, closing = max(frames[first + 1] - start, 1), max(end - frames[first + steps - 1], 1)
        earlier = frames[first - 1] + 1 if first > 0 else 0
        later = frames[first + steps + 1] - 1 if first + steps + 1 < len(frames) else len(clip) - 1
        marks.append((start, end, opening, closing))
        before.append((start - earlier) / opening)
        after.append((later - end) / closing)
    lead, tail = (min(before), min(after)) if around else (0.0, 0.0)
    return tuple(
        (round(start - lead * opening), round(end + tail * closing) + 1) for start, end, opening, closing in marks
    )
