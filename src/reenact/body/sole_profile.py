"""The side view of a foot: on which line it stands, and where that line touches its heel and its toes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Float, Float64

_LEVEL = 0.03  # of the foot's length: points this near to the line it stands on lie on it
_STEEPEST = np.deg2rad(50.0)  # between the sole and the floor of the bind pose; hanging feet are tilted that much
_TOE_RISE = np.deg2rad(45.0)  # the underside ends where it rises more than this, before the ball or behind the heel


@dataclass(frozen=True, slots=True, eq=False)
class SoleProfile:
    """What a foot stands on, seen from its side; all points are (ahead, up) in metres.

    Attributes:
        heel: the rearmost point that the foot stands on.
        toe: the foremost point of the underside; shoes may curve up there.
        front: the foremost point that the foot stands on when it is flat.
        tilt: radians by which the line from heel to front rises.
        length: metres, the whole foot from its back to its tip.
    """

    heel: Float64
    toe: Float64
    front: Float64
    tilt: float
    length: float

    @property
    def along(self) -> Float64:
        """Unit vector from the heel forward along the sole."""
        return np.array([np.cos(self.tilt), np.sin(self.tilt)])

    @property
    def out(self) -> Float64:
        """Unit vector out of the sole, upwards."""
        return np.array([-np.sin(self.tilt), np.cos(self.tilt)])

    def above(self, points: Float) -> Float64:
        """(P,) metres that points (P, 2) lie above the line of the sole."""
        return (points - self.heel) @ self.out


def sole_profile(points: Float) -> SoleProfile | None:
    """The line a foot stands on: the longest stretch that its lower outline shares with one straight line.

    A rigid foot on a floor touches it with an edge of its convex hull, whatever is inside a shoe or hangs over it; of these edges the
    longest is the sole: heel to ball of a bare foot with its arch, heel tip to ball of a high heel, all of a box.

    Args:
        points: (P, 2) metres, the foot's points in the plane of ahead and up.

    Returns:
        the profile, or None for fewer than two points that differ.
    """
    hull = _lower_hull(points)
    if len(hull) < 2:
        return None
    length = float(np.ptp(points[:, 0]))
    best: tuple[float, float, int, int] | None = None
    for start in range(len(hull) - 1):
        way = hull[start + 1] - hull[start]
        tilt = float(np.arctan2(way[1], way[0]))
        if abs(tilt) > _STEEPEST:
            continue
        ahead, out = np.array([np.cos(tilt), np.sin(tilt)]), np.array([-np.sin(tilt), np.cos(tilt)])
        near = np.flatnonzero((hull - hull[start]) @ out <= _LEVEL * length)
        first, last = int(near[0]), int(near[-1])
        while first < start and _steepness(hull, first) - tilt < -_TOE_RISE:
            first += 1  # the upright back of a heel is no sole
        while last > start + 1 and _steepness(hull, last - 1) - tilt > _TOE_RISE:
            last -= 1
        score = float((hull[last] - hull[first]) @ ahead) * np.cos(tilt)
        if best is None or score > best[0]:
            best = (score, tilt, first, last)
    if best is None:
        return None
    _, tilt, first, last = best
    end = last
    while end + 1 < len(hull):
        if _steepness(hull, end) - tilt > _TOE_RISE:
            break
        end += 1
    span = hull[last] - hull[first]
    return SoleProfile(hull[first], hull[end], hull[last], float(np.arctan2(span[1], span[0])), length)


def _steepness(hull: Float64, at: int) -> float:
    """The angle at which an outline rises from one point to the next."""
    way = hull[at + 1] - hull[at]
    return float(np.arctan2(way[1], way[0]))


def _lower_hull(points: Float) -> Float64:
    """(H, 2) the lower convex hull, from back to front (Andrew's monotone chain, 1979)."""
    ordered = np.unique(np.asarray(points, np.float64), axis=0)
    hull: list[Float64] = []
    for point in ordered:
        if hull and point[0] - hull[-1][0] < 1e-9:
            continue  # straight above the one before
        while len(hull) > 1 and _turn(hull[-2], hull[-1], point) <= 0:
            hull.pop()
        hull.append(point)
    return np.array(hull).reshape(-1, 2)


def _turn(a: Float64, b: Float64, c: Float64) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
