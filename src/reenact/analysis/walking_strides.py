"""Strides of a walk, found without knowing the time scale, and how fast they are for their length.

People walk slowly with short and quickly with long strides: with the stride rate f, the stride length d and the leg l, the
number f^2 l^2 / (g d) (the square of the dimensionless rate of Hof 1996 over the relative stride length) stays near 0.04, and
every recorded walk looked at lies below 0.08. Played twice too fast it is four times as large.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.analysis.free_flight import G
from reenact.core.arrays import Float, Float64

_SWING = 0.12  # of a leg: how far a foot must be before the other to count as being before it
_STILL = 0.35  # of the hips' speed: a slower foot stands
_STANDING = 0.42  # least share of a stride in which a foot stands; a runner's stands less
_CARRIED = 0.9  # least share in which at least one foot stands
_LEAST_LENGTH = 0.8  # of a leg
_STRAIGHT = 0.75  # of the way of the hips: least distance between its ends
_ALIKE = 0.2  # largest difference to a neighbouring stride's length in time


@dataclass(frozen=True, slots=True)
class WalkingStrides:
    """Walking strides of a clip (every left and every right one, so that neighbours overlap by half).

    Attributes:
        rates: (N,) strides per second.
        lengths: (N,) metres.
        leg: leg length, metres.
    """

    rates: Float64
    lengths: Float64
    leg: float

    @property
    def haste(self) -> Float64:
        """(N,) f^2 l^2 / (g d): about 0.04 for a usual walk."""
        return self.rates**2 * self.leg**2 / (G * self.lengths)

    @property
    def dimensionless_rates(self) -> Float64:
        """(N,) f sqrt(l / g): about 0.26 for a usual walk (Hof 1996)."""
        return self.rates * np.sqrt(self.leg / G)


def find_walking_strides(
    hips: Float, thighs: Float, feet: Float, soles: Float, leg: float, fps: float
) -> WalkingStrides:
    """Strides in which the body is carried by a standing foot nearly all the time.

    A stride reaches from one passing of the feet to the next but one. A foot stands while it is much slower than the hips, so
    nothing here depends on the frame rate but the rates themselves.

    Args:
        hips: (F, 3) metres, Y up.
        thighs: (F, 2, 3) hip joints.
        feet: (F, 2, 3) ankles.
        soles: (F, 2, 3) balls of the feet.
        leg: leg length, metres.
        fps: of these samples.
    """
    side = thighs[:, 1] - thighs[:, 0]
    apart = feet[:, 0] - feet[:, 1]
    width = np.hypot(side[:, 0], side[:, 2])
    before = (apart[:, 2] * side[:, 0] - apart[:, 0] * side[:, 2]) / np.where(width > 0, width, 1.0)
    ahead = np.where(before > _SWING * leg, 1, np.where(before < -_SWING * leg, -1, 0))
    decided = np.flatnonzero(ahead)
    passing = decided[1:][np.diff(ahead[decided]) != 0]
    none = WalkingStrides(np.empty(0), np.empty(0), leg)
    if len(passing) < 3:
        return none
    start, end = passing[:-2], passing[2:]
    ground = hips[:, ::2].astype(np.float64)
    way = np.concatenate([[0.0], np.cumsum(_norms(np.diff(ground, axis=0)))])
    frames = (end - start).astype(np.float64)
    length, path = _norms(ground[end] - ground[start]), way[end] - way[start]
    # how far a foot moves from frame to frame: the heel or the ball, whichever is stiller, as a foot rolls
    moves = np.minimum(_norms(np.diff(feet, axis=0)), _norms(np.diff(soles, axis=0)))
    standing, carried = np.empty(len(start)), np.empty(len(start))
    for n, (a, b) in enumerate(zip(start, end, strict=True)):
        stands = moves[a:b] < _STILL * path[n] / frames[n]
        standing[n], carried[n] = stands.mean(), stands.any(axis=1).mean()
    good = (
        (standing >= _STANDING) & (carried >= _CARRIED) & (length >= _LEAST_LENGTH * leg) & (length >= _STRAIGHT * path)
    )
    ratio = np.abs(np.diff(np.log(frames)))
    alike = np.minimum(np.append(ratio, np.inf), np.insert(ratio, 0, np.inf)) <= _ALIKE
    good &= alike
    return WalkingStrides(fps / frames[good], length[good].astype(np.float64), leg)


def _norms(vectors: Float) -> Float:
    return np.sqrt(np.einsum("...i,...i->...", vectors, vectors))
