"""What the demo makes of the samples: motions that are in none of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from reenact.core.clip import Clip
from reenact.core.made import Made
from reenact.samples.truth import Sample


@dataclass(frozen=True, slots=True)
class Performance:
    """Something made of samples.

    Attributes:
        name: of its files.
        title: what it is, in words.
        sources: samples it is made of.
        make: clips of these samples -> the result.
    """

    name: str
    title: str
    sources: tuple[str, ...]
    make: Callable[[list[Clip]], Made]


def _walk_to_kick(clips: list[Clip]) -> Made:
    from reenact.edit.transition import TransitionParameters, transition

    return transition(clips, TransitionParameters())


def _long_walk(clips: list[Clip]) -> Made:
    from reenact.edit.loop import LoopParameters, loop

    return loop(clips, LoopParameters(count=6))


def _between(clips: list[Clip]) -> Made:
    from reenact.blend.blend import BlendParameters, blend

    return blend(clips, BlendParameters(weights="0.5,0.5"))


def _speed(clips: list[Clip]) -> Made:
    from reenact.blend.motion_space import SpaceMotionParameters, make_motion

    return make_motion(clips, SpaceMotionParameters(parameter="speed", value=1.35))


PERFORMANCES = (
    Performance(
        "walk_to_kick",
        "a walk that becomes a kick, feet held where they stand",
        ("walk_normal", "kick_right"),
        _walk_to_kick,
    ),
    Performance("long_walk", "six cycles of one walk, without a seam", ("walk_brisk",), _long_walk),
    Performance(
        "left_and_right",
        "a left turn and a right turn, half and half",
        ("walk_circle_medium_left", "walk_circle_medium_right"),
        _between,
    ),
    Performance(
        "walk_135", "a walk of 1.35 m/s, asked of three walks", ("walk_slow", "walk_normal", "walk_fast"), _speed
    ),
)
"""In the order of the page."""


def make_performances(samples: Mapping[str, Sample]) -> dict[str, tuple[Performance, Made]]:
    """Every performance by name, its clip named after it."""
    found = {}
    for one in PERFORMANCES:
        made = one.make([samples[name].clip for name in one.sources])
        found[one.name] = (one, replace(made, clip=made.clip.renamed(one.name)))
    return found
