"""The registration curve: everything that is needed to blend a set of motions (Kovar and Gleicher 2003)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from reenact.blend.alignment_curve import AlignmentCurve
from reenact.blend.distance_grid import DistanceGrid
from reenact.blend.gate import Excess, PairMeasures, Verdict
from reenact.blend.time_warp import TimeWarp
from reenact.core.arrays import Float64
from reenact.core.clip import Clip
from reenact.core.findings import Finding
from reenact.core.foot_plants import FootPlants

Interval = tuple[float, float]
"""Start and end in u."""

MATCH_KEYS = ("left_heel", "left_ball", "right_heel", "right_ball")
"""The kinds of constraint that are matched, each by itself."""


@dataclass(frozen=True, slots=True)
class RegistrationQuality:
    """How well the motions correspond.

    Attributes:
        q: mean distance on the path over the mean of the whole grid; of several pairs the worst. 0.36 to 0.59 blends well, 0.75 and more
            hardly better than blending without registration.
        mean_distance: metres, root mean square over the body's points, mean along the path; of several pairs the worst.
        worst_distance: metres, the worst cell of any path.
        worst_at: u of that cell, in frames.
        each: q of every motion against the reference; 0 for the reference itself.
        verdict: "refused" when a measure is above its limit, "doubtful" when one is near it, else "good"; see `gate` for the limits.
        reasons: in words, what keeps the motions from corresponding; empty when the verdict is good and nothing was found.
        pairs: what was measured of the reference and each other motion.
        excesses: the measures that are above their limits or near them.
    """

    q: float
    mean_distance: float
    worst_distance: float
    worst_at: float
    each: tuple[float, ...]
    verdict: Verdict
    reasons: tuple[str, ...] = ()
    pairs: tuple[PairMeasures, ...] = ()
    excesses: tuple[Excess, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Plain values for reports."""
        return {
            "q": round(self.q, 4),
            "mean_distance_m": round(self.mean_distance, 5),
            "worst_distance_m": round(self.worst_distance, 5),
            "mean_distance_legs": round(max((pair.distance for pair in self.pairs), default=0.0), 4),
            "worst_stretch_legs": round(max((pair.stretch for pair in self.pairs), default=0.0), 4),
            "astray": round(max((pair.astray for pair in self.pairs), default=0.0), 4),
            "verdict": self.verdict,
            "exceeded": [
                {"limit": excess.limit, "value": round(excess.value, 4), "most": round(excess.most, 4)}
                for excess in self.excesses
                if excess.refused
            ],
            "reasons": list(self.reasons),
        }


@dataclass(frozen=True, slots=True, eq=False)
class RegistrationCurve:
    """Motions, and for every u in 0..warp.length which of their frames belong together and how they lie on each other.

    Attributes:
        clips: the motions, cut where they were trimmed, on the first one's skeleton and at its frame rate. Frames of `warp` and u count
            frames of these.
        reference: the motion that stays where it is.
        samples: for each motion (m,) fractional frames of its clip that were compared: the rows and columns of the grids.
        path: (P, k) int64, corresponding samples.
        frames: (P, k) float64, the same as frames of the clips.
        warp: the time warp.
        alignment: the alignment curve.
        plants: foot plants of the clips; None for skeletons without feet.
        quality: how well the motions correspond.
        grids: for each motion the distances of the reference's samples (rows) to its own (columns); None for the reference.
        ranges: the part of each motion that was kept, [start, end) in frames of the given motion brought to the common rate.
        wholes: the motions as they were given, on the first one's skeleton and at its frame rate, and their foot plants.
        part: where only a part of the motions is used: in words, which, and why. Else empty.
        findings: what was noticed on the way.
        matches: corresponding plants by kind (`MATCH_KEYS`): for each match one (start, end) in u per motion. Empty until
            the plants have been matched.
    """

    clips: tuple[Clip, ...]
    reference: int
    samples: tuple[Float64, ...]
    path: np.ndarray
    frames: Float64
    warp: TimeWarp
    alignment: AlignmentCurve
    plants: tuple[FootPlants | None, ...]
    quality: RegistrationQuality
    grids: tuple[DistanceGrid | None, ...]
    ranges: tuple[tuple[int, int], ...]
    wholes: tuple[tuple[Clip, FootPlants | None], ...] = ()
    part: str = ""
    findings: tuple[Finding, ...] = ()
    matches: Mapping[str, list[tuple[Interval, ...]]] = field(default_factory=dict)

    @property
    def motions(self) -> int:
        """Number of motions, k."""
        return len(self.clips)

    @property
    def fps(self) -> float:
        """Frames per second of the clips and of u."""
        return self.clips[0].fps

    @property
    def length(self) -> float:
        """U, in frames."""
        return self.warp.length

    def pair_path(self, motion: int) -> np.ndarray:
        """(P, 2) the path as cells of that motion's grid: sample of the reference, sample of the motion."""
        return self.path[:, [self.reference, motion]]

    def report(self) -> dict[str, Any]:
        """Plain values for reports: names, lengths, ranges, quality."""
        return {
            "clips": [clip.name for clip in self.clips],
            "reference": self.clips[self.reference].name,
            "fps": self.fps,
            "frames": [len(clip) for clip in self.clips],
            "ranges": [list(kept) for kept in self.ranges],
            **({"part": self.part} if self.part else {}),
            "length": round(self.length, 3),
            "path_cells": len(self.path),
            "quality": self.quality.as_dict(),
            "findings": [finding.as_dict() for finding in self.findings],
        }
