"""The floor of a clip, found from where its feet are slow: a plane, fitted so that raised, sliding and noisy samples do not pull it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Float, Float64
from reenact.core.foot_plants import Floor

MOST_SAMPLES = 2000
"""More slow samples than these are thinned evenly: the plane has three numbers."""

_LOWEST = 10  # percentile of the heights of slow samples at which the search begins
_BANDS = (0.10, 0.08, 0.06, 0.05, 0.04, 0.04)  # leg-scaled metres above the plane that still count, pass by pass
_BELOW = 2.0  # as many times the band may lie below it: the floor is under the feet, never over them
_SPREAD = 0.15  # leg-scaled metres: feet spread over less than this tell nothing of a tilt
_STEEPEST = 0.2  # slope of the plane: 11 degrees
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
    count = points.shape[1]
    slow = speeds < limit
    if np.count_nonzero(slow) < 3:
        finite = speeds[np.isfinite(speeds)]
        slow = speeds <= np.percentile(finite, 20) if len(finite) else np.zeros(speeds.shape, np.bool_)
    frame, which = np.nonzero(slow)
    if len(frame) > MOST_SAMPLES:
        every = -(-len(frame) // MOST_SAMPLES)
        frame, which = frame[::every], which[::every]
    samples = points[frame, which].astype(np.float64)
    finite = np.isfinite(samples).all(axis=1)
    samples, which = samples[finite], which[finite]
    if not len(samples):
        return FloorFit(Floor(0.0, confidence=0.0), np.zeros(count), 0)
    middle = samples.mean(axis=0)
    place = samples - middle
    up = place[:, 1]
    level = np.array([np.percentile(up, _LOWEST), 0.0, 0.0])
    offsets = np.zeros(count)
    basis = np.stack([np.ones(len(place)), place[:, 0], place[:, 2]], axis=1)
    stiff = np.array([0.0, 1.0, 1.0]) * (_SPREAD * scale) ** 2
    keep = np.ones(len(place), np.bool_)
    for band in _BANDS:
        rest = up - basis @ level - offsets[which]
        keep = (rest < band * scale) & (rest > -_BELOW * band * scale)
        kept = int(np.count_nonzero(keep))
        if kept < 4:
            break
        inside, at = basis[keep], which[keep]
        normal_matrix = inside.T @ inside
        normal_matrix[[1, 2], [1, 2]] += kept * stiff[1:]
        level = np.linalg.solve(normal_matrix, inside.T @ (up[keep] - offsets[at]))
        level[1:] = np.clip(level[1:], -_STEEPEST, _STEEPEST)
        over = up[keep] - inside @ level
        for n in range(count):
            mine = over[at == n]
            if len(mine):
                offsets[n] = np.clip(np.median(mine), -_STANDING * scale, _STANDING * scale)
        lowest = offsets.min()
        offsets -= lowest
        level[0] += lowest
    normal = np.array([-level[1], 1.0, -level[2]])
    length = float(np.linalg.norm(normal))
    height = (middle[1] + level[0] - level[1] * middle[0] - level[2] * middle[2]) / length
    on_floor = int(np.count_nonzero(keep))
    sure = on_floor / len(samples) * min(1.0, on_floor / 20)
    return FloorFit(Floor(float(height), normal / length, float(sure)), offsets / length, on_floor)
