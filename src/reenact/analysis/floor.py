"""The floor of a clip, found from where its feet are slow: a plane, fitted so that raised, sliding and noisy samples do not pull it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reenact import kernels
from reenact.core.arrays import Float, Float64
from reenact.core.foot_plants import Floor

if TYPE_CHECKING:
    from reenact.kernels.floor_plane import FloorLimits

MOST_SAMPLES = 400
"""More slow samples than these are thinned evenly: the plane has three numbers."""

_BANDS = np.array(
    [0.10, 0.08, 0.06, 0.05, 0.04, 0.04]
)  # leg-scaled metres above the plane that still count, pass by pass
_BELOW = 2.0  # as many times the band may lie below it: the floor is under the feet, never over them
_SPREAD = 0.15  # leg-scaled metres: feet spread over less than this tell nothing of a tilt
_STEEPEST = 0.2  # slope of the plane: 11 degrees
_FEW = 3
_STANDING = 0.04  # leg-scaled metres: how far a point of the sole may stand over the floor


@dataclass(frozen=True, slots=True, eq=False)
class FloorFit:
    """A floor and how the points of the feet stand on it.

    Attributes:
        floor: the plane.
        offsets: (P,) metres, height of each point over it while it stands; the lowest is 0.
        samples: how many slow samples lie on it.
    """

    floor: Floor
    offsets: Float64
    samples: int


def fit_floor(points: Float, speeds: Float, limit: float, scale: float) -> FloorFit:
    """Fit a plane below the slow samples of foot points, by least squares within a band that narrows (trimmed least squares).

    Args:
        points: (F, P, 3) metres, world.
        speeds: (F, P) metres per second.
        limit: metres per second; slower samples are looked at (when there are none, the slowest fifth).
        scale: leg length over that of an adult (0.82 m).
    """
    offsets = np.zeros(speeds.shape[1])
    normal, height, sure, samples = kernels.floor_plane.fit_plane(points, speeds, floor_limits(limit, scale), offsets)
    return FloorFit(Floor(height, normal, sure), offsets, int(samples))


def floor_limits(speed: float, scale: float) -> FloorLimits:
    """Limits of the fit, for a leg of `scale` times that of an adult; samples slower than `speed` (m/s) are looked at."""
    return kernels.floor_plane.FloorLimits(
        speed, _FEW, MOST_SAMPLES, _BANDS * scale, _BELOW, (_SPREAD * scale) ** 2, _STEEPEST, _STANDING * scale
    )
