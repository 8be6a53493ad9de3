"""How believable a graft is: arms in step, weight over the feet, limbs beside each other, joints that move as recorded ones do.

Every figure is told against what base and source themselves do, so a motion that reels or crosses its arms is not blamed for it. Each
becomes a factor 1 / (1 + (figure / half)^2), one at nothing and a half at its `half`; the score is their product.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reenact.analysis.quality.limits import QualityLimits
from reenact.analysis.quality.overlap import deepest_told, overlap_depths
from reenact.core import rotations as R
from reenact.core.arrays import Bool
from reenact.core.clip import Clip
from reenact.errors import SkeletonError
from reenact.graft.chain_choice import chest_of
from reenact.graft.coupling import calm_headings
from reenact.graft.graft_report import Graft
from reenact.graft.torso_screen import find_safe_frames
from reenact.solve.balancing import body_scale, measure_support
from reenact.solve.feet import find_feet

HALVES = {"phase": 0.15, "balance_mm": 40.0, "collision": 0.1, "push": 2.0, "lean_degrees": 15.0, "spine_degrees": 60.0}
"""Figures at which a graft is half as believable: share of a cycle; millimetres that the weight is farther out; share of frames in which
limbs run through each other; how much harder than in the sources a joint is pushed; degrees that the chest is held otherwise than in either
motion; degrees taken up by the spine."""

_DEEPER = 10.0  # millimetres that limbs must be deeper in each other than in base and source


@dataclass(frozen=True, slots=True)
class Believability:
    """What was measured of a graft.

    Attributes:
        phase: share of a cycle that arms swing otherwise with the legs than in the source; None where no arm swings.
        balance_mm: the mean by which the centre of mass is farther outside the planted feet than in the base.
        collision: share of the frames replaced in which limbs run through each other deeper than in base and source.
        push: how hard a joint is pushed, as a multiple of the same joint's in base and source.
        lean_degrees: the mean by which the chest is held otherwise against the heading than in the base and than in the source.
        spine_degrees: the most that the spine takes up between both pelvises.
        safe: share of the frames replaced in which both trunks are held alike (`torso_screen`); not part of the score.
    """

    phase: float | None
    balance_mm: float
    collision: float
    push: float
    lean_degrees: float
    spine_degrees: float
    safe: float

    @property
    def score(self) -> float:
        """0..1, more is better."""
        figures = {
            "phase": self.phase or 0.0,
            "balance_mm": self.balance_mm,
            "collision": self.collision,
            "push": max(self.push - 1.0, 0.0),
            "lean_degrees": self.lean_degrees,
            "spine_degrees": self.spine_degrees,
        }
        return float(np.prod([1.0 / (1.0 + (value / HALVES[name]) ** 2) for name, value in figures.items()]))

    def describe(self) -> dict[str, Any]:
        """Plain values for a report."""
        return {
            "score": round(self.score, 4),
            "phase_error": None if self.phase is None else round(self.phase, 4),
            "balance_mm": round(self.balance_mm, 1),
            "collision": round(self.collision, 4),
            "push": round(self.push, 3),
            "lean_degrees": round(self.lean_degrees, 1),
            "spine_degrees": round(self.spine_degrees, 1),
            "safe": round(self.safe, 4),
        }


def measure_believability(graft: Graft) -> Believability:
    """All figures of a graft."""
    return Believability(
        graft.phase_error(),
        _farther_out(graft),
        float(np.mean(find_collisions(graft))),
        graft.push()[0],
        _leaning(graft),
        float(np.degrees(graft.made.turns.max(initial=0.0))),
        float(np.mean(find_safe_frames(graft))),
    )


def find_collisions(graft: Graft) -> Bool:
    """(N,) for each frame replaced: limbs run through each other, deeper than they do in the base's frame and the source's."""
    frames, clip = graft.made.frames, graft.made.clip
    scale, roles = body_scale(clip.skeleton), clip.skeleton.roles
    limit = QualityLimits().overlap_mm * scale
    made, base, source = (
        overlap_depths(one.world().positions[at], roles, scale)
        for one, at in ((clip, frames), (graft.base.clip, frames), (graft.source.clip, graft.partners))
    )
    found = np.zeros(len(frames), np.bool_)
    for (a, b), depth in made.items():
        allowed = np.maximum(base[a, b], source[a, b]) + _DEEPER * scale
        found |= (depth > min(limit, deepest_told(a, b, scale))) & (depth > allowed)
    return found


def _leaning(graft: Graft) -> float:
    """Degrees by which the chest is held otherwise than in base and source, the nearer of both counting, the mean; 0 without a chest."""
    chest = chest_of(graft.base.clip.skeleton)
    if chest < 0:
        return 0.0

    def held(clip: Clip, at: np.ndarray) -> np.ndarray:
        return R.multiply(R.about_y(-calm_headings(clip)), clip.world(np.float64).rotations[:, chest])[at]

    frames = graft.made.frames
    made, base = held(graft.made.clip, frames), held(graft.base.clip, frames)
    source = held(graft.source.clip, graft.partners)
    return float(np.degrees(np.mean(np.minimum(R.angle_between(made, base), R.angle_between(made, source)))))


def _farther_out(graft: Graft) -> float:
    """Millimetres that the weight is farther outside the planted feet than in the base, the mean; 0 where that is not known."""
    plants = graft.base.plants
    if plants is None:
        return 0.0
    feet = find_feet(graft.base.clip.skeleton, graft.base.clip)

    def outside(clip: Clip) -> np.ndarray:
        return np.maximum(measure_support(clip.world(np.float64), clip.skeleton, plants, feet).distance, 0.0)

    try:
        ours, made = outside(graft.base.clip), outside(graft.made.clip)
    except SkeletonError:
        return 0.0
    at = graft.made.frames[np.isfinite(ours[graft.made.frames])]
    return 1000 * float(np.mean(np.maximum(made[at] - ours[at], 0.0))) if len(at) else 0.0
