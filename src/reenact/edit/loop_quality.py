"""What a loop is worth: every plant of the cycle once, as a whole, and feet that glide although they seem to stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reenact.core.arrays import Bool
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootContact, FootPlants, intervals_of
from reenact.edit.cycles import Cycle
from reenact.solve.feet import find_feet
from reenact.solve.gliding import Glide, find_glides
from reenact.solve.result_quality import ResultQuality, badness_of, measure_result
from reenact.solve.shown import Shown

_GLIDES, _USUALLY = (
    12.0,
    4.0,
)  # millimetres a foot may glide while it seems to stand before it is said: any, and half of them
_BEYOND, _FAR_BEYOND = 6.0, 15.0  # millimetres beyond the recording up to which a loop is good, and can be borne


@dataclass(frozen=True, slots=True)
class LoopQuality:
    """A loop against the recording it was made from.

    Attributes:
        measured: see `measure_result`; times are those of one cycle.
        glides_mm: (the farthest, the median) that points of the feet glide while they seem to stand.
        recorded_mm: the same in the recording.
        beyond_mm: the most by which a point glides farther than the same point does in the recording.
        held: whether feet were to be held; else they do what they do in the recording.
    """

    measured: ResultQuality
    glides_mm: tuple[float, float]
    recorded_mm: tuple[float, float]
    beyond_mm: float
    held: bool = True

    @property
    def badness(self) -> float:
        """The worst figure on the scale of `ResultQuality.badness`."""
        return max(self.measured.badness, badness_of(self.beyond_mm, _BEYOND, _FAR_BEYOND))

    def doubts(self) -> list[str]:
        """What is over its limit, in words; empty for a good loop."""
        said = self.measured.doubts()
        glides = self.glides_mm[0] > _GLIDES or self.glides_mm[1] > _USUALLY
        if glides and (self.held or self.beyond_mm > _BEYOND):
            said.append(
                f"feet that seem to stand glide by up to {self.glides_mm[0]:.0f} mm, half of them by {self.glides_mm[1]:.0f} mm or more; "
                f"in the recording by up to {self.recorded_mm[0]:.0f} mm and {self.recorded_mm[1]:.0f} mm"
            )
        return said

    def describe(self) -> dict[str, Any]:
        """Plain values for a report."""
        return self.measured.describe() | {
            "glides_mm": round(self.glides_mm[0], 1),
            "glides_in_source_mm": round(self.recorded_mm[0], 1),
            "glides_beyond_mm": round(self.beyond_mm, 1),
        }


def measure_loop(
    result: Clip, plants: FootPlants | None, source: Clip, cycle: Cycle, *, held: bool = True
) -> LoopQuality:
    """Repetitions of a cycle against the recording; of feet that are not held only what they slip beyond the recording counts."""
    period = cycle.end - cycle.start
    shown = cycle.start + np.arange(len(result)) % period
    judged = plants if plants is None or len(result) == period else _once(plants, period)
    measured = measure_result(result, judged, [Shown(source, None, shown)], beyond=not held)
    cycles = len(result) / period
    measured = replace(measured, slides_s=measured.slides_s / cycles, unsupported_s=measured.unsupported_s / cycles)
    feet = find_feet(source.skeleton, source)
    own, theirs = find_glides(result, feet), find_glides(source, feet, (cycle.start, cycle.end))
    far, farther = _farthest(theirs), 0.0
    for point, millimetres in _farthest(own).items():
        farther = max(farther, millimetres - far.get(point, 0.0))
    return LoopQuality(measured, _far(own), _far(theirs), farther, held)


def _far(glides: Sequence[Glide]) -> tuple[float, float]:
    """The farthest and the median."""
    far = [glide.millimetres for glide in glides]
    return (max(far), float(np.median(far))) if far else (0.0, 0.0)


def _farthest(glides: Sequence[Glide]) -> dict[tuple[str, str], float]:
    """(foot, point) -> the farthest it glides."""
    found: dict[tuple[str, str], float] = {}
    for glide in glides:
        point = glide.foot, glide.point
        found[point] = max(found.get(point, 0.0), glide.millimetres)
    return found


def _once(plants: FootPlants, period: int) -> FootPlants:
    """Every plant of a cycle once, as a whole: those that begin within the first, which go on into the second; and those without an end."""

    def begun(mask: Bool) -> Bool:
        kept = np.zeros(len(mask), np.bool_)
        for start, end in intervals_of(mask):
            kept[start:end] = 1 <= start <= period or end - start == len(mask)
        return kept

    feet = [FootContact(begun(foot.heel), begun(foot.ball), foot.confidence) for foot in (plants.left, plants.right)]
    return replace(plants, left=feet[0], right=feet[1])
