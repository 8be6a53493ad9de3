"""Whether a recording is a walk: whether it gets on in steps, jumps, or climbs over something."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from reenact.errors import ParameterError
from reenact.walk.footprints import Footprint
from reenact.walk.walk_study import WalkStudy

_LEAST_STEP = 0.12  # of the leg: the mean step of a walk
_LEAST_TRAVEL = 0.3  # of the leg: body or feet that go less far do not walk
_CLIMB = (
    0.14  # of the leg that a footprint lies above or below the one before: no floor is so uneven, stairs are steeper
)


def check_travel(study: WalkStudy) -> None:
    """Raise an error unless the body goes somewhere in steps."""
    gone = float(np.ptp([one.along for one in study.prints]))
    if study.stride < _LEAST_STEP * study.leg or min(study.path.length, gone) < _LEAST_TRAVEL * study.leg:
        raise ParameterError(
            f"not a walk: the body goes {study.path.length:.2f} m, its {len(study.prints)} footprints get {gone:.2f} m ahead, mean step "
            f"{study.stride:.2f} m",
            where=study.clip.name,
        )
    jumps = len(study.jumps)
    if 2 * jumps > len(study.swings):
        raise ParameterError(
            f"not a walk: in {jumps} of {len(study.swings)} swings both feet are in the air together, as in a jump or a hop",
            where=study.clip.name,
        )


def jump_doubts(study: WalkStudy) -> list[str]:
    """That somebody jumps on the way, in words."""
    if not study.jumps:
        return []
    frames = ", ".join(f"{one.start} to {one.end}" for one in study.jumps[:3])
    return [
        f"both feet are in the air together (frames {frames}): a jump or a hop is moved along with the steps, it is not modelled"
    ]


def find_climb(study: WalkStudy) -> tuple[Footprint, Footprint] | None:
    """The two footprints, one after the other, between which a recording climbs or descends most, if it does."""
    before, after = max(pairwise(study.prints), key=lambda pair: abs(pair[1].place[1] - pair[0].place[1]))
    return (before, after) if abs(after.place[1] - before.place[1]) > _CLIMB * study.leg else None


def check_level(study: WalkStudy) -> None:
    """Raise an error where a recording climbs over something: what is there is not known, so no other ground can take its place."""
    climb = find_climb(study)
    if climb is not None:
        raise ParameterError(
            f"the recording is no walk on one level: {_climb_in_words(*climb)}. What it climbs is not known, so lifts, slopes, stairs, "
            "obstacles and terrains can be asked of its level parts alone (`reenact cut`); strides and distances of all of it",
            where=study.clip.name,
        )


def level_doubts(study: WalkStudy) -> list[str]:
    """That somebody climbs over something, in words."""
    climb = find_climb(study)
    if climb is None:
        return []
    return [
        f"the recording is no walk on one level: {_climb_in_words(*climb)}; what it climbs is moved along with the steps"
    ]


def _climb_in_words(before: Footprint, after: Footprint) -> str:
    rise = float(after.place[1] - before.place[1])
    way = "up" if rise > 0 else "down"
    return f"the {after.side} foot steps {way} by {abs(rise):.2f} m at frame {after.start}"
