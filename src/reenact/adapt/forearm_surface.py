"""What every turn of a forearm would cost in one frame: the surface over its two degrees of freedom that a stage walks down."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reenact.adapt.contact_body import ContactBody
from reenact.adapt.degrees import Degrees, limb_way
from reenact.adapt.many_starts import grid_of, sides_of
from reenact.adapt.stages import at_frames, forearm_degrees, forearm_pairs, forearm_terms, study
from reenact.core.arrays import Float, Float64
from reenact.core.clip import Clip, World


@dataclass(frozen=True, slots=True, eq=False)
class ForearmSurface:
    """The objective over both turns.

    Attributes:
        twist: (A,) radians, the upper arm about itself.
        elbow: (B,) radians, the elbow bent more.
        direction: (A, B) cost of what the forearm points elsewhere, and of the turns.
        collisions: (A, B) cost of what it runs into.
    """

    twist: Float
    elbow: Float
    direction: Float64
    collisions: Float64

    @property
    def costs(self) -> Float64:
        """(A, B) both."""
        return self.direction + self.collisions

    @property
    def least(self) -> tuple[float, float]:
        """The turns that cost least."""
        a, b = np.unravel_index(self.costs.argmin(), self.costs.shape)
        return float(self.twist[a]), float(self.elbow[b])


def forearm_surface(
    clip: Clip, body: ContactBody, side: str, frame: int, before: World, step: float = 0.05
) -> ForearmSurface:
    """The surface of one frame.

    Args:
        clip: the motion after its upper arms were parted from the trunk.
        body: what collides.
        side: left or right.
        frame: which.
        before: joints in the world as the forearm pointed there.
        step: radians between samples.
    """
    seen = study(clip, 0.12)
    degrees = forearm_degrees(seen, side)
    one = replace(seen.few, rotations=clip.rotations[[frame]], root=clip.root[[frame]], translations=None)
    sides = sides_of(Degrees(one, [at_frames(degree, np.array([frame], np.int32)) for degree in degrees]), step)
    grid = grid_of(sides)
    same = np.full(len(grid), frame, np.int32)
    moved = None if clip.translations is None else clip.translations[same]
    many = replace(clip, rotations=clip.rotations[same], root=clip.root[same], translations=moved)
    there = Degrees(many, [at_frames(degree, same) for degree in degrees])
    lower, hand = clip.skeleton.require_roles(f"{side}_lower_arm", f"{side}_hand")
    ways = limb_way(clip.skeleton, before, lower, hand)[same]
    wanted, kept = forearm_terms(there, body, forearm_pairs(body, side), lower, hand, ways)
    posed = there.pose(grid)
    found = []
    for terms in (kept, wanted):
        costs = np.zeros(len(grid))
        for term in terms:
            one = term.residuals(posed)
            np.add.at(costs, one.frames, 0.5 * one.values**2)
        found.append(costs.reshape(len(sides[0]), -1))
    return ForearmSurface(sides[0], sides[1], found[0], found[1])
