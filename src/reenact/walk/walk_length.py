"""Walks made longer or shorter by whole cycles and steps: repeated, or cut where both feet stand."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np

from reenact.core.arrays import Float, Int
from reenact.core.cutting import cut_frames
from reenact.edit.cycles import cycle_error
from reenact.edit.loop import LoopParameters, make_loop
from reenact.errors import ParameterError
from reenact.walk.forward_knees import with_forward_knees
from reenact.walk.stride_plan import steps_ahead
from reenact.walk.walk_study import WalkStudy, study_walk

_LOOPS = 200
_LEAST_STEPS = 3  # footprints that a walk has at least
_NEARLY = 0.98  # of the longest steps that legs reach, that a distance may ask for
_LONGER, _SHORTER = 1.15, 0.8  # times as long as recorded that steps of a distance that must be met mostly are


def with_footprints(study: WalkStudy, count: int, standing: int = 0) -> WalkStudy:
    """The walk repeated until it has so many footprints; after the first `standing` ones only steps ahead count."""

    def enough(one: WalkStudy) -> bool:
        return len(one.prints) >= count and (not standing or standing + len(steps_ahead(one, standing)) >= count)

    return study if enough(study) else repeated(study, enough)


def with_steps_for(study: WalkStudy, distance: float, longest: float) -> WalkStudy:
    """The walk with as many steps as a distance asks for, ending where both feet stand: repeated, or cut there.

    Args:
        study: the walk.
        distance: metres that the body shall go.
        longest: metres of a step that legs reach.
    """
    recorded, reach = study, longest / float(np.max(np.abs(study.steps)))
    if distance > min(_LONGER, _NEARLY * reach) * float(np.max(study.path.along[ends_of_steps(study)], initial=0.0)):
        try:
            study = repeated(study, lambda one: one.path.length >= distance + one.stride)
        except ParameterError as error:
            if distance > reach * study.path.length:
                raise ParameterError(
                    f"the walk goes {study.path.length:.2f} m, with the longest steps {reach * study.path.length:.2f} m, and cannot be "
                    f"repeated to go {distance:.2f} m: {error}",
                    where=study.clip.name,
                ) from None
    ends = ends_of_steps(study)
    if not len(ends):
        return study
    factors = distance / np.maximum(study.path.along[ends], 1e-6)
    off = np.abs(np.log(factors))
    off[(factors > min(_LONGER, reach)) | (factors < _SHORTER)] += 1.0
    off[factors > reach] += 10.0
    end = int(ends[int(np.argmin(off))]) + 1
    if end >= len(study.clip):
        return study
    shorter = study_walk(cut_frames(study.clip, 0, end), study.plants.cut(0, end))
    return shorter if study is recorded else replace(_held_to(recorded, shorter), notes=study.notes)


def _held_to(recorded: WalkStudy, study: WalkStudy) -> WalkStudy:
    """The study with knees and joints held to what the recording does, not to what a seam adds."""
    return replace(study, usual=recorded.usual, knees=recorded.knees, backward=recorded.backward)


def ends_of_steps(study: WalkStudy) -> Int:
    """Frames in which a walk may end: both feet stand, or the foot that has come down if they never do at once."""
    both, found = study.double_support, []
    for n, (before, one) in enumerate(pairwise(study.prints), 2):
        if n < _LEAST_STEPS or before.side == one.side:
            continue
        together = np.flatnonzero(both[one.start : one.end]) + one.start
        found.append(int(together[len(together) // 2]) if len(together) else one.middle)
    return np.array(sorted(set(found)), dtype=np.int64)


def repeated(study: WalkStudy, enough: Callable[[WalkStudy], bool]) -> WalkStudy:
    """The walk's best cycle repeated until it is enough.

    Where none comes back to how it began, or it is one in which nobody walks, the two steps are repeated that come nearest to it, and the
    study has a note of that.
    """
    try:
        return _repeated(study, enough, LoopParameters())
    except ParameterError as error:
        cycle = nearest_cycle(study)
        if cycle is None:
            raise error
    start, end, apart = cycle
    longer = _repeated(study, enough, LoopParameters(start=start, end=end))
    if apart <= LoopParameters().limit:
        return longer
    note = (
        f"the walk has no two steps that end as they begin: frames {start} to {end} are repeated, whose poses are {apart:.2f} m apart; "
        "the seam may be seen"
    )
    return replace(longer, notes=(note,))


def _repeated(study: WalkStudy, enough: Callable[[WalkStudy], bool], how: LoopParameters) -> WalkStudy:
    count = 2
    while True:
        made = make_loop(study.clip, replace(how, count=count), study.plants)
        longer = study_walk(with_forward_knees(made.clip, study.feet, study.backward), made.plants)
        if enough(longer):
            return _held_to(study, longer)
        if count > _LOOPS:
            raise ParameterError("the walk would have to be repeated more than 200 times", where=study.clip.name)
        count = math.ceil(count * 1.6)


def nearest_cycle(study: WalkStudy) -> tuple[int, int, float] | None:
    """The two steps ahead that end most as they begin: frames in which a foot comes down, and metres that the poses are apart there."""
    ahead, found = set(steps_ahead(study)), []
    for n, (one, two, three) in enumerate(zip(study.prints, study.prints[1:], study.prints[2:], strict=False), 1):
        if one.side == three.side != two.side and n in ahead and n + 1 in ahead and one.start > 0:
            found.append((cycle_error(study.clip, one.start, three.start, study.plants), one.start, three.start))
    if not found:
        return None
    apart, start, end = min(found)
    return start, end, apart


def travelled(hips: Float, points: Float, along: Float, directions: Float) -> float:
    """Metres that hips (F, 2) go along a way from the first frame to the last.

    Args:
        hips: metres.
        points, along, directions: of the way, in every frame.
    """
    off = hips[[0, -1]] - points[[0, -1]]
    ahead = np.stack([np.sin(directions[[0, -1]]), np.cos(directions[[0, -1]])], axis=1)
    more = np.einsum("fi,fi->f", off, ahead)
    return float(along[-1] - along[0] + more[1] - more[0])
