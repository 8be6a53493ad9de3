"""Foot plants of a clip: one door to all detectors, by name, and what there is to say about the feet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reenact.analysis.body_motion import observe_body
from reenact.analysis.foot_points import find_foot_points
from reenact.analysis.in_place import put_on_ground
from reenact.analysis.plants_adaptive import detect_adaptive
from reenact.analysis.plants_grow import GROW_THESIS, detect_grow
from reenact.analysis.plants_static import detect_static
from reenact.analysis.plants_threshold import THESIS, detect_threshold
from reenact.core.clip import Clip
from reenact.core.findings import Finding
from reenact.core.foot_plants import SIDES, FootPlants
from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError

DETECTORS: dict[str, Callable[[Clip], FootPlants]] = {
    "adaptive": detect_adaptive,
    "threshold": detect_threshold,
    "thesis": lambda clip: detect_threshold(clip, THESIS),
    "seed-grow": detect_grow,
    "seed-grow-thesis": lambda clip: detect_grow(clip, GROW_THESIS),
    "static": detect_static,
}
"""Every detector by name; the first is the default. Those named after the thesis (Shanbhag) have its published constants; `static` is the
one of registration curves (Aherne)."""

_FEW = 3  # frames: too few to see a foot move


def detect_plants(clip: Clip, detector: str = "adaptive") -> FootPlants:
    """Foot plants of a clip.

    Args:
        clip: any skeleton with the role of at least one foot.
        detector: a name out of `DETECTORS`.

    Raises:
        SkeletonError: the skeleton has no feet.
        ParameterError: no such detector.
    """
    require_detector(detector)
    return DETECTORS[detector](clip)


@dataclass(frozen=True, slots=True)
class DetectParameters:
    """How foot plants are found."""

    detector: str = option("adaptive", f"one of {', '.join(DETECTORS)}")

    def __post_init__(self) -> None:
        check_ranges(self)
        require_detector(self.detector)


def find_plants(clip: Clip, parameters: DetectParameters | None = None) -> FootPlants:
    """Foot plants of a clip, detected on its motion whatever plants travel with it; see `detect_plants`."""
    return detect_plants(clip, (parameters or DetectParameters()).detector)


def require_detector(name: str) -> None:
    """Raise a `ParameterError` unless there is a detector of this name."""
    if name not in DETECTORS:
        raise ParameterError(f"no detector {name!r}; there are {', '.join(DETECTORS)}", where="detector")


def foot_findings(clip: Clip, plants: FootPlants) -> tuple[Finding, ...]:
    """What keeps foot plants of a clip from being sure: a missing foot, no toes, few frames, numbers that are none, no floor."""
    found: list[Finding] = []

    def say(code: str, message: str, severity: str = "warning") -> None:
        found.append(Finding(f"plants.{code}", severity, clip.name or "clip", message))  # type: ignore[arg-type]

    points = find_foot_points(clip.skeleton, clip)
    for side in SIDES:
        if side not in points.sides:
            say("one-foot", f"the skeleton has no {side} foot; it is never planted")
        elif points.single(side):
            say("no-toes", f"the {side} foot has one point: its heel and ball are the same", "info")
    if len(clip) < _FEW:
        say("few-frames", f"{len(clip)} frames are too few to see whether a foot moves")
    wrong = np.flatnonzero(~np.isfinite(clip.root).all(axis=1) | ~np.isfinite(clip.rotations).all(axis=(1, 2)))
    if len(wrong):
        say(
            "not-finite", f"{len(wrong)} frames from {wrong[0]} on hold numbers that are none; no foot is planted there"
        )
    elif put_on_ground(clip, plants, points, observe_body(clip, points)) is not None:
        say(
            "in-place",
            "the feet slide evenly under a body that stays, as on a treadmill; so none of them stands",
            "info",
        )
    elif plants.floor.confidence < 0.25 and len(clip) >= _FEW:
        say("floor", "the feet are nowhere still enough to show a level floor")
    return tuple(found)
