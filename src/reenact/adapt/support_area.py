"""The ground a body stands on: the box around the sole of each planted foot, and all that lies between both (Lyard 2008, 4.7.3).

A sole is a box turned with the foot. With the heel off the floor, only the front of it stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from reenact.body.character import Character
from reenact.body.soles import soles
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.clip import World
from reenact.core.foot_plants import SIDES, FootPlants

_WIDTH = 0.36  # of its length: a foot whose sole is not known


@dataclass(frozen=True, slots=True, eq=False)
class SupportAreas:
    """The ground enclosed in every frame.

    Attributes:
        corners: (F, 8, 2) metres, x and z, of both boxes.
        stands: (F, 2) whether the left and the right foot stand.
    """

    corners: Float
    stands: Bool

    @property
    def any(self) -> Bool:
        """(F,) frames in which a foot stands."""
        return np.asarray(self.stands.any(axis=1))

    def polygon(self, frame: int) -> Float:
        """(N, 2) the outline in a frame, counter-clockwise seen with x to the right and z up; empty where no foot stands."""
        used = np.repeat(self.stands[frame], 4)
        return convex_outline(self.corners[frame][used])

    def distances(self, points: Float) -> Float:
        """(F,) metres from points (F, 2) to the ground: 0 inside, infinite where no foot stands."""
        return np.linalg.norm(self.nearest(points) - points, axis=1)

    def nearest(self, points: Float) -> Float:
        """(F, 2) the point of the ground nearest to each point; infinite where no foot stands."""
        found = np.full((len(points), 2), np.inf)
        for frame in np.flatnonzero(self.any):
            found[frame] = nearest_inside(self.polygon(int(frame)), points[frame])
        return found


def support_areas(character: Character, world: World, plants: FootPlants) -> SupportAreas:
    """Where a character stands in a motion.

    Args:
        character: the body; its soles are taken from its skin.
        world: joints in the world.
        plants: when its feet are planted.
    """
    known = soles(character)
    frames = len(world.positions)
    corners, stands = np.zeros((frames, 8, 2)), np.zeros((frames, 2), np.bool_)
    for number, side in enumerate(SIDES):
        if side not in known:
            continue
        sole, contact = known[side], plants.foot(side)
        stands[:, number] = contact.plant
        heel, ball, toe = (_place(world, point) for point in sole.points)
        back = np.where(contact.heel[:, None], heel, ball)  # with the heel off the floor the ball is the rear end
        back, front = back[:, [0, 2]], toe[:, [0, 2]]
        ahead = front - heel[:, [0, 2]]
        ahead = ahead / np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
        width = 0.5 * (sole.width if sole.width > 0 else _WIDTH * sole.length)
        aside = width * np.stack([-ahead[:, 1], ahead[:, 0]], axis=1)
        corners[:, 4 * number : 4 * number + 4] = np.stack(
            [back - aside, back + aside, front + aside, front - aside], axis=1
        )
    return SupportAreas(corners, stands)


def _place(world: World, point) -> Float:
    turned = np.asarray(world.rotations[:, point.joint], np.float64)
    return world.positions[:, point.joint] + R.rotate(turned, np.asarray(point.place, np.float64))


def convex_outline(points: Float) -> Float:
    """The convex hull of points (N, 2), counter-clockwise (Andrew 1979)."""
    rows = sorted({(float(x), float(y)) for x, y in points})
    if len(rows) <= 2:
        return np.array(rows).reshape(-1, 2)

    def half(some):
        line: list[tuple[float, float]] = []
        for point in some:
            while len(line) >= 2 and _turn(line[-2], line[-1], point) <= 0:
                line.pop()
            line.append(point)
        return line[:-1]

    return np.array(half(rows) + half(rows[::-1]))


def _turn(a, b, c) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def nearest_inside(outline: Float, point: Float) -> Float:
    """The point of a convex outline (N, 2), or within it, that is nearest to a point."""
    if not len(outline):
        return np.full(2, np.inf)
    if len(outline) > 2 and all(_turn(a, b, point) >= 0 for a, b in pairwise([*outline, outline[0]])):
        return np.asarray(point, np.float64)
    best, least = outline[0], np.inf
    for a, b in pairwise([*outline, outline[0]]):
        way = b - a
        share = np.clip((point - a) @ way / max(float(way @ way), 1e-15), 0, 1)
        place = a + share * way
        far = float(np.linalg.norm(place - point))
        if far < least:
            best, least = place, far
    return best
