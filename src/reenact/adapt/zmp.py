"""The zero-moment point: where the floor must push a body for it to move as it does (Vukobratovic and Borovac 2004).

It is reckoned from point masses; accelerations are second differences of low-passed places: half a millimetre of noise at 120 frames a
second would move the point by metres. Where hardly any weight is on the floor, in flight, it is not defined.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.adapt.support_area import SupportAreas
from reenact.analysis.free_flight import G
from reenact.body.masses import BodyMasses
from reenact.core.arrays import Bool, Float
from reenact.core.clip import World

CUT = 6.0
"""Hz: motion above is taken for noise (second-order Butterworth, forwards and backwards)."""

_LIGHT = 0.2  # of the weight: with less on the floor there is no such point


@dataclass(frozen=True, slots=True, eq=False)
class ZeroMoment:
    """Where the floor must push.

    Attributes:
        points: (F, 2) metres, x and z; not a number where it is not defined.
        weight: (F,) share of the weight that is on the floor.
    """

    points: Float
    weight: Float

    @property
    def defined(self) -> Bool:
        """(F,) frames in which there is such a point."""
        return np.asarray(np.isfinite(self.points).all(axis=1))


def zero_moment(
    masses: BodyMasses, world: World, fps: float, floor: float = 0.0, cut: float | None = CUT
) -> ZeroMoment:
    """The zero-moment point of a motion.

    Args:
        masses: of the body.
        world: its joints, float64.
        fps: frames per second.
        floor: metres, its height.
        cut: Hz, see `CUT`; None: no filter.
    """
    places = masses.places(world)
    places = places - (0.0, floor, 0.0)
    if cut is not None:
        places = low_passed(places, fps, cut)
    return zero_moment_of(places, accelerations(places, fps), masses.masses)


def zero_moment_of(places: Float, pulls: Float, masses: Float) -> ZeroMoment:
    """The point from places and accelerations (F, P, 3) of masses (P,), above a floor at 0."""
    down = (pulls[..., 1] + G) @ masses
    turning = np.einsum("fp,fpk,p->fk", pulls[..., 1] + G, places[..., ::2], masses)
    turning -= np.einsum("fp,fpk,p->fk", places[..., 1], pulls[..., ::2], masses)
    weight = down / (G * masses.sum())
    enough = weight > _LIGHT
    points = np.where(enough[:, None], turning / np.where(enough, down, 1.0)[:, None], np.nan)
    return ZeroMoment(points, weight)


def accelerations(places: Float, fps: float) -> Float:
    """Second differences over time, at the ends those next to them."""
    if len(places) < 3:
        return np.zeros_like(places)
    inner = (places[2:] - 2 * places[1:-1] + places[:-2]) * fps**2
    return np.concatenate([inner[:1], inner, inner[-1:]])


def low_passed(values: Float, fps: float, cut: float) -> Float:
    """Values (F, ...) filtered along the first axis, without delay."""
    if cut >= 0.45 * fps or len(values) < 4:
        return values
    from scipy.signal import butter, sosfiltfilt

    sections = butter(2, cut, fs=fps, output="sos")
    padding = min(len(values) - 1, round(fps / cut * 1.5))
    return sosfiltfilt(sections, values, axis=0, padlen=padding)


def distances_to_support(moment: ZeroMoment, areas: SupportAreas) -> Float:
    """(F,) metres from the point to the ground its feet enclose: 0 inside; not a number where there is no point or no foot."""
    return np.where(moment.defined & areas.any, areas.distances(np.nan_to_num(moment.points)), np.nan)
