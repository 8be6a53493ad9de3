"""The gate of registration: what corresponding motions may differ by, and in words what goes beyond it.

Lengths are in leg lengths of the first clip's skeleton, so that a child and a giant are judged alike. A registration is refused when one
measure is above its limit, and doubtful when one is above `doubt_from` of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np

from reenact.core.parameters import option

Verdict = Literal["good", "doubtful", "refused"]
Span = tuple[int, int]
"""Frames [start, end) of a clip as it was given, at the common rate."""

STRETCH = 0.33
"""Seconds over which the worst distance is taken: single cells are noise."""


LIKENESS = frozenset({"most_q", "most_q_in_step", "most_distance"})
"""Limits on how alike motions look throughout: they promise a good blend, which can also be tried. Others tell of other things done."""


@dataclass(frozen=True, slots=True)
class GateLimits:
    """What corresponding motions may differ by."""

    most_q: float = option(
        0.75, "gate: highest q, the mean distance on the path over the mean of the whole grid", low=0, high=10
    )
    most_q_in_step: float = option(
        0.85, "gate: highest q of gaits that take the same steps with the same feet", low=0, high=10
    )
    most_distance: float = option(
        0.3, "gate: largest mean distance of corresponding frames", unit="leg lengths", low=0, high=100
    )
    most_stretch: float = option(
        0.55, "gate: largest mean distance over any third of a second", unit="leg lengths", low=0, high=100
    )
    most_astray: float = option(
        0.15,
        "gate: largest share of the common time in which the bodies travel in different directions, as seen from where they face",
        low=0,
        high=1,
    )
    astray_angle: float = option(
        np.pi / 4, "gate: directions of travel further apart than this are different", unit="rad", low=0, high=np.pi
    )
    most_squeezed: float = option(
        0.5, "gate: largest share of the common time in which a motion plays at the slope limit", low=0, high=1
    )
    most_uneven: float = option(
        0.1,
        "gate: most that one body stands higher than the other where both stand, as on stairs and on the floor",
        unit="leg lengths",
        low=0,
        high=100,
    )
    most_leap: float = option(
        0.25,
        "gate: most that one body rises in a jump where the other never jumps",
        unit="leg lengths",
        low=0,
        high=100,
    )
    near: float = option(
        0.06,
        "gate: where corresponding frames lie this near, and over no third of a second twice as far, q does not count",
        unit="leg lengths",
        low=0,
        high=100,
    )
    doubt_from: float = option(0.8, "gate: share of a limit from which motions are doubtful", low=0, high=1)


def limit(name: str) -> Any:
    """The field of one limit, for another class of parameters that has it."""
    of = GateLimits.__dataclass_fields__[name]
    return field(default=of.default, metadata=of.metadata)


def limits_of(parameters: Any) -> dict[str, Any]:
    """The limits that a class of parameters has, to be passed on."""
    return {one.name: getattr(parameters, one.name) for one in fields(GateLimits)}


@dataclass(frozen=True, slots=True)
class PairMeasures:
    """What is measured of two registered motions.

    Attributes:
        names: of the two clips.
        q: mean distance on the path over the mean of the whole grid.
        in_step: both are gaits and take the same steps with the same feet.
        fps: frames per second of both.
        leg: metres, the leg that lengths are measured by.
        distance: leg lengths, mean along the path.
        any_two: leg lengths, mean of the whole grid.
        stretch: leg lengths, mean over the worst third of a second.
        stretch_at: frames of the two clips there.
        astray: share of the common time in which the bodies travel in different directions.
        astray_at: frames of the two clips in the longest such time; None when there is none.
        courses: in words, where the two travel then, such as "forwards".
        squeezed: share of the common time in which one of them plays at the slope limit.
        faster: how many times as fast as the other it then plays, at most.
        uneven: leg lengths by which one stands higher than the other where both stand, but for a tenth of that time.
        leap: leg lengths that one of them rises in a jump, if the other never jumps.
    """

    names: tuple[str, str]
    q: float
    in_step: bool
    fps: float
    leg: float
    distance: float
    any_two: float
    stretch: float
    stretch_at: tuple[Span, Span]
    astray: float
    astray_at: tuple[Span, Span] | None
    courses: tuple[str, str]
    squeezed: float
    faster: float
    uneven: float
    leap: float


@dataclass(frozen=True, slots=True)
class Excess:
    """A measure that is above its limit, or near it.

    Attributes:
        limit: name of the limit.
        value: what was measured.
        most: what is allowed.
        refused: above the limit; else only above `doubt_from` of it.
        message: both in words, with the frames of both clips.
    """

    limit: str
    value: float
    most: float
    refused: bool
    message: str


def find_excesses(pair: PairMeasures, limits: GateLimits) -> list[Excess]:
    """What of a pair is above a limit or near it, refusals first."""
    found: list[Excess] = []
    both = f"corresponding frames of {pair.names[0]} and {pair.names[1]}"
    metres = f"{100 * pair.distance * pair.leg:.0f} cm"
    if pair.distance > limits.near or pair.stretch > 2 * limits.near:
        said = f"{both} lie {metres} apart where any two lie {100 * pair.any_two * pair.leg:.0f} cm (q {pair.q:.2f})"
        _judge(found, "most_q_in_step" if pair.in_step else "most_q", pair.q, limits, said, doubt=limits.most_q)
    said = f"{both} lie {pair.distance:.2f} leg lengths ({metres}) apart"
    _judge(found, "most_distance", pair.distance, limits, said)
    where, metres = _where(pair, pair.stretch_at), f"{100 * pair.stretch * pair.leg:.0f} cm"
    _judge(found, "most_stretch", pair.stretch, limits, f"{where} lie {pair.stretch:.2f} leg lengths ({metres}) apart")
    if pair.astray_at is not None:
        said = (
            f"{pair.names[0]} travels {pair.courses[0]} where {pair.names[1]} travels {pair.courses[1]}, "
            f"{100 * pair.astray:.0f} % of the time, longest in {_where(pair, pair.astray_at)}"
        )
        _judge(found, "most_astray", pair.astray, limits, said)
    _judge(found, "most_squeezed", pair.squeezed, limits, squeezed_in_words(pair))
    said = f"one of {pair.names[0]} and {pair.names[1]} stands {100 * pair.uneven * pair.leg:.0f} cm higher where both stand"
    _judge(found, "most_uneven", pair.uneven, limits, said)
    said = (
        f"one of {pair.names[0]} and {pair.names[1]} jumps by {100 * pair.leap * pair.leg:.0f} cm, the other never does"
    )
    _judge(found, "most_leap", pair.leap, limits, said)
    return sorted(found, key=lambda excess: not excess.refused)


def squeezed_in_words(pair: PairMeasures) -> str:
    """How long one of two motions plays at the slope limit."""
    return (
        f"for {100 * pair.squeezed:.0f} % of the time one of {pair.names[0]} and {pair.names[1]} is at the slope limit, "
        f"{pair.faster:.1f} times as fast as the other"
    )


def find_verdict(excesses: list[Excess]) -> Verdict:
    """The verdict that goes with what was found."""
    if any(excess.refused for excess in excesses):
        return "refused"
    return "doubtful" if excesses else "good"


def _judge(
    found: list[Excess], name: str, value: float, limits: GateLimits, said: str, doubt: float | None = None
) -> None:
    """Add what is above a limit, or above the share of it (or of `doubt`) from which there is doubt."""
    most = float(getattr(limits, name))
    if value <= limits.doubt_from * (most if doubt is None else doubt) and value <= most:
        return
    refused = value > most
    message = f"{said}; {'above' if refused else 'near'} the limit {name}={most:g}"
    found.append(Excess(name, value, most, refused, message))


def _where(pair: PairMeasures, spans: tuple[Span, Span]) -> str:
    """Frames and seconds of both clips; clips of another rate count at the common one, which the seconds tell."""
    first, second = (
        f"frames {start} to {end} ({start / pair.fps:.1f} to {end / pair.fps:.1f} s) of {name}"
        for name, (start, end) in zip(pair.names, spans, strict=True)
    )
    return f"{first} and {second}"
