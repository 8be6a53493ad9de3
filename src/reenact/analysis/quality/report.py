"""The quality report of a clip: every measure, and what is over a limit. The figures every method reports against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reenact.analysis.plants import detect_plants
from reenact.analysis.quality.bones import check_bones
from reenact.analysis.quality.doubts import check_doubts, check_numbers
from reenact.analysis.quality.examined import Examined
from reenact.analysis.quality.findings import QualityFinding, noted
from reenact.analysis.quality.floor import check_floor
from reenact.analysis.quality.frames import check_frames
from reenact.analysis.quality.jitter import check_jitter
from reenact.analysis.quality.joint_angles import check_joint_angles
from reenact.analysis.quality.knees import check_knees
from reenact.analysis.quality.limits import QualityLimits
from reenact.analysis.quality.overlap import check_overlap
from reenact.analysis.quality.popping import check_flips, check_pops
from reenact.analysis.quality.posture import check_balance, check_t_pose
from reenact.analysis.quality.skate import check_skate
from reenact.analysis.quality.timing import check_timing
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.errors import ParameterError, SkeletonError

_BREAKS = (check_t_pose, check_flips, check_frames, check_pops)
"""What breaks a recording in single frames; each tells the next which frames to leave out."""

_CHECKS = (
    check_skate,
    check_floor,
    check_jitter,
    check_joint_angles,
    check_knees,
    check_bones,
    check_timing,
    check_overlap,
    check_balance,
    check_doubts,
)
_RANK = {"error": 0, "warning": 1, "info": 2}
_SHORT = 8  # frames


@dataclass(frozen=True, slots=True, eq=False)
class QualityReport:
    """What was measured about a clip.

    Attributes:
        name: of the clip.
        frames: number of frames.
        fps: frames per second.
        measures: name -> number (names end in their unit), None where nothing could be measured.
        findings: most severe first, then in order of frames.
        curves: name -> (F,) values over the frames, for plots.
        plants: the foot plants that were used; None without feet.
        limits: the limits that were asked for.
        bounds: measure -> the limit that was applied to it, scaled to this body and frame rate.
    """

    name: str
    frames: int
    fps: float
    measures: dict[str, float | None]
    findings: tuple[QualityFinding, ...]
    curves: dict[str, np.ndarray]
    plants: FootPlants | None
    limits: QualityLimits
    bounds: dict[str, float]

    @property
    def over(self) -> tuple[QualityFinding, ...]:
        """What is over a limit: warnings and errors."""
        return tuple(finding for finding in self.findings if finding.severity != "info")

    @property
    def ok(self) -> bool:
        """True when nothing is over a limit."""
        return not self.over

    def as_dict(self) -> dict[str, Any]:
        """Plain values and findings, for reports."""
        return {
            "clip": self.name,
            "frames": self.frames,
            "fps": self.fps,
            "ok": self.ok,
            "measures": dict(self.measures),
            "limits": dict(self.bounds),
            "findings": list(self.findings),
        }


def check_clip(clip: Clip, limits: QualityLimits | None = None, plants: FootPlants | None = None) -> QualityReport:
    """The quality report of a clip. Never raises for bad motion: what cannot be measured is a finding.

    Args:
        clip: in metres, Y up.
        limits: what is allowed; default: `QualityLimits()`.
        plants: foot plants carried over from the sources of an edited clip: slip is measured over what should stand, not over what
            happens to. Default: those that travel with the clip, else detected.
    """
    limits, plants = limits or QualityLimits(), clip.plants if plants is None else plants
    if plants is not None and len(plants) != len(clip):
        raise ParameterError(f"the plants have {len(plants)} frames, the clip {len(clip)}", where=clip.name)
    findings: list[QualityFinding] = check_numbers(clip)
    measures: dict[str, float | None] = {}
    curves: dict[str, np.ndarray] = {}
    bounds: dict[str, float] = {}
    if findings:
        return QualityReport(clip.name, len(clip), clip.fps, measures, tuple(findings), curves, plants, limits, bounds)
    if len(clip) < _SHORT:
        message = f"{len(clip)} frames are too few for most measures"
        findings.append(noted("clip.short", "info", message, frames=(0, len(clip))))
    plants = _detect(clip, findings) if plants is None else plants.standing()
    examined = Examined(clip, plants, np.zeros(len(clip), np.bool_))
    for check in (*_BREAKS, *_CHECKS):
        part = check(examined, limits)
        measures.update(part.measures)
        findings += part.findings
        curves.update(part.curves)
        bounds.update({name: round(limit, 4) for name, limit in part.bounds.items()})
        if part.bad is not None:
            examined.bad = examined.bad | part.bad
    findings.sort(key=lambda finding: (_RANK[finding.severity], finding.frames or (0, 0)))
    rounded = {name: None if value is None else round(float(value), 4) for name, value in measures.items()}
    return QualityReport(clip.name, len(clip), clip.fps, rounded, tuple(findings), curves, plants, limits, bounds)


def _detect(clip: Clip, findings: list[QualityFinding]) -> FootPlants | None:
    try:
        return detect_plants(clip)
    except SkeletonError as error:
        findings.append(noted("feet.none", "info", f"no foot plants, so no skate and no floor: {error.message}"))
        return None
