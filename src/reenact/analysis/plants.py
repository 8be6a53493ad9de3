"""Foot plants of a clip: one door to all detectors, by name."""

from __future__ import annotations

from collections.abc import Callable

from reenact.analysis.plants_adaptive import AdaptivePlantParameters, detect_adaptive
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.errors import ParameterError

Detector = Callable[[Clip], FootPlants]

DETECTORS: dict[str, Detector] = {
    "adaptive": detect_adaptive,
}
"""Every detector by name; the first is the default."""


def detect_plants(clip: Clip, detector: str = "adaptive") -> FootPlants:
    """Foot plants of a clip.

    Args:
        clip: any skeleton with the role of at least one foot.
        detector: a name out of `DETECTORS`.

    Raises:
        SkeletonError: the skeleton has no feet.
        ParameterError: no such detector.
    """
    if detector not in DETECTORS:
        raise ParameterError(f"no detector {detector!r}; there are {', '.join(DETECTORS)}", where="detector")
    return DETECTORS[detector](clip)


__all__ = ["DETECTORS", "AdaptivePlantParameters", "detect_plants"]
