"""Closed-form inverse kinematics of a limb of three links whose last one keeps its orientation (Lyard 2008, section 3.2.2).

Two sines have two solutions each: of four candidates two reach the target, the knee ahead or behind, and the one that turns the hip
less is taken. All in the plane of the limb; what a target lies off it is met by a swing of the whole limb, after which the plane is
solved again. This is the way of the thesis, kept beside `solve.limb`, which the package uses: it says which targets have which
answers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float, Int

_SAME = 1e-6  # metres by which the second and third equation may differ, of a candidate that is one


@dataclass(frozen=True, slots=True, eq=False)
class PlanarSolution:
    """What a limb may turn by; angles turn clockwise seen along +X, as in the thesis.

    Attributes:
        angles: (N, 4, 3) radians, of hip, knee and ankle, for every candidate.
        valid: (N, 4) whether a candidate reaches the target; none does beyond the reach.
        picked: (N,) the valid candidate that turns the hip least; where there is none, that of a limb as long or short as it gets.
        reached: (N,) whether the target is within reach.
    """

    angles: Float
    valid: Bool
    picked: Int
    reached: Bool

    @property
    def best(self) -> Float:
        """(N, 3) angles of the picked candidates."""
        return self.angles[np.arange(len(self.picked)), self.picked]


def solve_plane(thigh: ArrayLike, shank: ArrayLike, displacement: ArrayLike) -> PlanarSolution:
    """Turns of a limb in its plane that move its ankle, and what hangs on that, by a displacement.

    Args:
        thigh, shank: (N, 2) metres, hip to knee and knee to ankle, as (y, z).
        displacement: (N, 2) metres.
    """
    upper, lower, moved = (np.atleast_2d(np.asarray(one, np.float64)) for one in (thigh, shank, displacement))
    y, z = (upper + lower + moved).T
    first, k1 = np.hypot(*lower.T), np.arctan2(lower[:, 1], lower[:, 0])
    third, k3 = np.hypot(*upper.T), np.arctan2(upper[:, 0], upper[:, 1])
    reach, k = np.hypot(y, z), np.arctan2(y, z)
    beta = (reach**2 + first**2 - third**2) / np.maximum(2 * reach * first, 1e-12)
    within = np.abs(beta) <= 1
    rise = np.arcsin(np.clip(beta, -1, 1))
    angles = np.zeros((len(y), 4, 3))
    off = np.zeros((len(y), 4))
    for n, ankle in enumerate((rise - k1 - k, np.pi - rise - k1 - k)):
        gamma = (y - first * np.cos(ankle + k1)) / third
        lift = np.arcsin(np.clip(gamma, -1, 1))
        for m, hip in enumerate((lift - k3, np.pi - lift - k3)):
            at = 2 * n + m
            angles[:, at] = np.stack([hip, -ankle - hip, ankle], axis=1)
            off[:, at] = np.abs(third * np.cos(hip + k3) - (z - first * np.sin(ankle + k1)))
    angles = (angles + np.pi) % (2 * np.pi) - np.pi
    valid = within[:, None] & (off < _SAME)
    size = np.abs(angles[:, :, 0])
    picked = np.where(valid.any(axis=1), np.where(valid, size, np.inf).argmin(axis=1), off.argmin(axis=1))
    return PlanarSolution(angles, valid, picked, within)


@dataclass(frozen=True, slots=True, eq=False)
class MovedLimb:
    """A limb whose end was moved.

    Attributes:
        root_turn, mid_turn: (N, 4) world rotations of thigh and shank, from the left; the foot is turned by none.
        mid, end: (N, 3) metres, knee and ankle.
        residual: (N,) metres the ankle is from where it should be.
    """

    root_turn: Float
    mid_turn: Float
    mid: Float
    end: Float
    residual: Float


def move_limb(
    root: Float, mid: Float, end: Float, displacement: Float, hinge: Float | None = None, rounds: int = 2
) -> MovedLimb:
    """Move the ankle of a limb by a displacement in any direction, the foot turned as it was.

    Args:
        root, mid, end: (N, 3) metres, hip, knee, ankle.
        displacement: (N, 3) metres.
        hinge: (N, 3) the knee's axis, for limbs that are straight.
        rounds: swings out of the plane.
    """
    goal = end + displacement
    thigh = np.broadcast_to(R.identity(len(root)), (len(root), 4)).copy()
    shank = thigh.copy()
    for turn in range(rounds + 1):
        x = np.cross(mid - root, end - mid)
        size = np.linalg.norm(x, axis=1, keepdims=True)
        spare = _across(end - root) if hinge is None else hinge
        x = np.where(size > 1e-6, x / np.maximum(size, 1e-12), spare)
        y = R.normalize(mid - root)
        z = np.cross(x, y)
        flat = [
            np.stack([(one * y).sum(axis=1), (one * z).sum(axis=1)], axis=1)
            for one in (mid - root, end - mid, goal - end)
        ]
        found = solve_plane(*flat).best
        hip, knee = R.exp(-found[:, :1] * x), R.exp(found[:, 2:] * x)
        mid, end = _chain(root, R.rotate(hip, mid - root), R.rotate(knee, end - mid))
        thigh, shank = R.multiply(hip, thigh), R.multiply(knee, shank)
        if turn == rounds:
            break
        leg = end - root
        axis = R.normalize(np.cross(leg, x))
        angle = np.arctan2(((goal - end) * x).sum(axis=1), np.linalg.norm(leg, axis=1))
        swing = R.exp(angle[:, None] * axis)
        mid, end = _chain(root, R.rotate(swing, mid - root), R.rotate(swing, end - mid))
        thigh, shank = R.multiply(swing, thigh), R.multiply(swing, shank)
    return MovedLimb(thigh, shank, mid, end, np.linalg.norm(goal - end, axis=1))


def _chain(root: Float, thigh: Float, shank: Float) -> tuple[Float, Float]:
    return root + thigh, root + thigh + shank


def _across(way: Float) -> Float:
    other = np.where(
        np.abs(way[:, :1]) < 0.5 * np.linalg.norm(way, axis=1, keepdims=True), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    )
    return R.normalize(np.cross(way, other))
