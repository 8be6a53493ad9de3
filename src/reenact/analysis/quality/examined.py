"""A clip under examination: what several checks need, computed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reenact.analysis.foot_points import FootPoints, find_foot_points
from reenact.analysis.limbs import Limbs, find_limbs
from reenact.analysis.units import HUMAN_LEG
from reenact.core.arrays import Bool, Float, Float32
from reenact.core.clip import Clip, World
from reenact.core.foot_plants import FootPlants
from reenact.core.rotations import conjugate, log, multiply
from reenact.errors import SkeletonError


@dataclass(eq=False)
class Examined:
    """A clip with finite numbers, and what follows from it.

    Attributes:
        clip: the motion.
        plants: foot plants, given or detected; None when there are no feet or too few frames.
        bad: (F,) frames in which an earlier check found the recording broken; later checks leave them out.
    """

    clip: Clip
    plants: FootPlants | None
    bad: Bool

    @cached_property
    def world(self) -> World:
        """Forward kinematics."""
        return self.clip.world()

    @property
    def positions(self) -> Float32:
        """(F, J, 3) metres."""
        return self.world.positions

    @cached_property
    def limbs(self) -> Limbs | None:
        """Legs, arms and head, where there are any."""
        return find_limbs(self.clip.skeleton)

    @cached_property
    def scale(self) -> float:
        """Size of the body: its leg over a grown person's; 1 where there are no legs. Lengths among the limits are multiplied by it."""
        leg = 0.0 if self.limbs is None else self.limbs.leg
        return leg / HUMAN_LEG if leg > 0 else 1.0

    @cached_property
    def feet(self) -> FootPoints | None:
        """Heel and ball of each foot."""
        try:
            return find_foot_points(self.clip.skeleton, self.clip)
        except SkeletonError:
            return None

    @cached_property
    def foot_paths(self) -> Float:
        """(F, 2 S, 3) heel and ball of each foot."""
        return self.feet.paths(self.clip) if self.feet is not None else np.zeros((len(self.clip), 0, 3), np.float32)

    @cached_property
    def turns(self) -> Float:
        """(F - 1, J, 3) radians: rotation vectors from each frame to the next, in each joint's own axes; the short way round."""
        q = self.clip.rotations
        return log(multiply(conjugate(q[:-1]), q[1:]))

    @cached_property
    def steps(self) -> Float:
        """(F - 1, J, 3) metres from each frame to the next."""
        return np.diff(self.positions, axis=0)

    def samples(self, seconds: float, least: int = 1) -> int:
        """Number of frames in a time."""
        return max(least, round(seconds * self.clip.fps))

    def name(self, joint: int) -> str:
        """Name of a joint."""
        return self.clip.skeleton.names[joint]


def mean_around(values: Float, reach: int, hole: int) -> Float:
    """Mean over the frames within `reach` of each frame but not within `hole`, along the first axis; ends use what there is."""
    count = len(values)
    total = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0, dtype=np.float64)])
    frames = np.arange(count)

    def sums(wide: int) -> tuple[Float, Float]:
        low, high = np.maximum(frames - wide, 0), np.minimum(frames + wide + 1, count)
        return total[high] - total[low], (high - low).astype(np.float64)

    outer, many = sums(reach)
    inner, few = sums(hole)
    left = np.maximum(many - few, 1.0).reshape(-1, *([1] * (values.ndim - 1)))
    return np.maximum(outer - inner, 0.0) / left


def widened(mask: Bool, by: int) -> Bool:
    """The mask with `by` frames added on both sides of every true stretch."""
    if by <= 0 or not mask.any():
        return mask
    return np.convolve(mask, np.ones(2 * by + 1), "same") > 0.5 if len(mask) > 2 * by else np.ones_like(mask)
