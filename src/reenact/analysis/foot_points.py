"""Where the heel and the ball of each foot are, on any skeleton.

The points lie on the sole as far as the skeleton tells where that is: an end site below and behind the ankle is a heel; without one the
heel is put below and behind the ankle, at the level of the joint of the toes. Skeletons without toes have one point for both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from reenact import kernels
from reenact.analysis.sampling import sample_world
from reenact.core.arrays import Float
from reenact.core.clip import Clip, World
from reenact.core.foot_plants import SIDES
from reenact.core.foot_point import FootPoint
from reenact.core.rotations import conjugate, rotate
from reenact.core.skeleton import Skeleton
from reenact.errors import SkeletonError

__all__ = ["HEEL_BEHIND", "FootPoint", "FootPoints", "find_foot_points", "point_paths"]

Vector = Sequence[float]  # three of them

HEEL_BEHIND = 0.4
"""Of the way from the ankle to the ball: how far the heel is taken to lie behind the ankle where the skeleton does not say (a little
less than the half of Winter 2009, figure 4.1, so that the point stays within the foot on coarse skeletons)."""

_PLANS: WeakKeyDictionary[Skeleton, dict[tuple[int, ...], Any]] = WeakKeyDictionary()
_FOUND: WeakKeyDictionary[Skeleton, FootPoints] = WeakKeyDictionary()  # where the skeleton alone gives the answer

_USABLE = 0.82  # |cos| between shank and foot at rest, from which on the rest pose is a straight line and says nothing
_LEAST_FOOT = 0.05  # of a leg: a shorter way from the ankle to the toes is no foot
_STILLEST = 0.2  # share of sampled frames, the ones with the slowest and lowest foot, that tell how it stands


@dataclass(frozen=True, slots=True, eq=False)
class FootPoints:
    """The points of a skeleton's feet.

    Attributes:
        heel: side ("left", "right") -> heel, for the feet there are.
        ball: likewise the ball; the heel itself where the foot has one point only.
        leg: metres, thigh and shank along the bones, mean of the sides.
        hips: joint that carries the body.
        on_sole: True when the skeleton itself says where its heels are; else the points are estimates, which move a little while a foot
            rolls.
    """

    heel: dict[str, FootPoint]
    ball: dict[str, FootPoint]
    leg: float
    hips: int
    on_sole: bool = False

    @property
    def sides(self) -> tuple[str, ...]:
        """The feet there are."""
        return tuple(side for side in SIDES if side in self.heel)

    def single(self, side: str) -> bool:
        """True when the foot has one point for heel and ball."""
        return self.heel[side] is self.ball[side]

    def paths(self, clip: Clip) -> Float:
        """(F, 2 S, 3) float32 metres: heel and ball of each foot there is, in the order of `sides`."""
        points = [point for side in self.sides for point in (self.heel[side], self.ball[side])]
        return point_paths(clip, points)


def point_paths(clip: Clip, points: list[FootPoint], step: int = 1) -> Float:
    """(ceil(F / step), P, 3) float32 metres, world positions of points fixed to joints in every `step`-th frame."""
    moved = clip.translations
    skeleton = clip.skeleton
    joints = tuple(point.joint for point in points)
    plans = _PLANS.setdefault(skeleton, {})
    plan = plans.get(joints)
    if plan is None:
        plan = plans[joints] = kernels.point_paths.plan_paths(skeleton.parents, joints)
    return kernels.point_paths.point_paths(
        clip.rotations[::step],
        clip.root[::step],
        skeleton.offsets,
        plan,
        np.array([point.place for point in points], np.float32),
        None if moved is None else moved.joints,
        None if moved is None else moved.values[::step],
    )


def find_foot_points(skeleton: Skeleton, clip: Clip | None = None) -> FootPoints:
    """Heel and ball of each foot.

    Args:
        skeleton: with the roles left_foot, right_foot (one is enough), better also toes and legs.
        clip: tells how the feet stand where the rest pose does not (bones all along one axis); without it the ankle stands for the heel.

    Raises:
        SkeletonError: no role of a foot is known.
    """
    known_points = _FOUND.get(skeleton)
    if known_points is not None:
        return known_points
    sides = [side for side in SIDES if f"{side}_foot" in skeleton.roles]
    if not sides:
        skeleton.require_roles("left_foot", "right_foot")
        raise SkeletonError("the skeleton has no feet")
    body = _Bones(skeleton)
    leg = sum(body.leg_length(side) for side in sides) / len(sides)
    heels: dict[str, FootPoint] = {}
    balls: dict[str, FootPoint] = {}
    world: World | None = None
    told, alone = 0, True
    for side in sides:
        foot, toes = skeleton.roles[f"{side}_foot"], skeleton.roles.get(f"{side}_toes")
        sites = body.sites(foot)
        ahead = body.offsets[toes] if toes is not None else max(sites, key=_length, default=None)
        if ahead is None or _length(ahead) < _LEAST_FOOT * leg:
            heels[side] = balls[side] = FootPoint(foot, np.zeros(3))
            continue
        down = body.down_at_rest(foot, ahead)
        alone &= down is not None
        if down is None and clip is not None and len(clip):
            world = world or sample_world(clip, 64)
            down = _down_in_motion(world, foot, ahead)
        heels[side], balls[side], known = body.place_points(foot, toes, sites, ahead, down)
        told += known
    points = FootPoints(heels, balls, leg, skeleton.roles.get("hips", 0), told == len(sides))
    if alone:
        _FOUND[skeleton] = points
    return points


class _Bones:
    """A skeleton as plain numbers: for a few vectors these are much quicker than arrays."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.roles = skeleton.roles
        self.offsets: list[Vector] = skeleton.offsets.tolist()
        self.parents: list[int] = skeleton.parents.tolist()
        self.rest = skeleton.rest
        self.ends: list[tuple[int, Vector]] = list(
            zip(skeleton.end_joints.tolist(), skeleton.end_offsets.tolist(), strict=True)
        )

    def leg_length(self, side: str) -> float:
        """Metres from the hip joint (else from the root) along the bones to the ankle."""
        top, joint = self.roles.get(f"{side}_upper_leg", 0), self.roles[f"{side}_foot"]
        total = 0.0
        while joint not in (top, -1):
            total += _length(self.offsets[joint])
            joint = self.parents[joint]
        return total

    def sites(self, foot: int) -> list[Vector]:
        """Places of a foot's end sites and children, in its frame."""
        sites = [offset for joint, offset in self.ends if joint == foot]
        return sites + [self.offsets[joint] for joint, parent in enumerate(self.parents) if parent == foot]

    def down_at_rest(self, foot: int, ahead: Vector) -> Vector | None:
        """Direction along the shank away from the knee, in the foot's frame at rest; None when it runs along the foot."""
        shank = self.offsets[foot]
        length = _length(shank)
        if foot == 0 or length == 0:
            return None
        down = _turned_back(self.rest[foot].tolist(), _along(1 / length, shank))
        return down if abs(_dot(down, ahead)) < _USABLE * _length(ahead) else None

    def place_points(
        self, foot: int, toes: int | None, sites: list[Vector], ahead: Vector, down: Vector | None
    ) -> tuple[FootPoint, FootPoint, bool]:
        """Heel and ball of a foot, and whether the skeleton itself told the heel."""
        ball = FootPoint(foot, np.array(ahead)) if toes is None else FootPoint(toes, np.zeros(3))
        if down is None:
            return FootPoint(foot, np.zeros(3)), ball, False
        drop = _dot(ahead, down)
        forward = _along(-drop, down, ahead)
        # an end site or child of the foot below the ankle and not before it is its heel
        before = 0.1 * _dot(forward, forward)
        behind = [site for site in sites if _dot(site, down) > 0 and _dot(site, forward) <= before]
        if not behind:
            return FootPoint(foot, np.array(_along(max(0.0, drop), down, _along(-HEEL_BEHIND, forward)))), ball, False
        site = min(behind, key=lambda site: _dot(site, forward))
        lower = _dot(site, down) - drop
        if lower > 0 and toes is not None:
            # in the frame of the toes, which at rest is that of the foot but for the rest rotation
            ball = FootPoint(toes, np.array(_turned_back(self.rest[toes].tolist(), _along(lower, down))))
        return FootPoint(foot, np.array(site)), ball, True


def _down_in_motion(world: World, foot: int, ahead: Vector) -> Vector | None:
    """World down in the foot's frame, as it mostly is while the foot is slow and low."""
    height = world.point(foot, np.array(ahead))[:, 1] + world.positions[:, foot, 1]
    finite = np.isfinite(height) & np.isfinite(world.rotations[:, foot]).all(axis=1)
    if not finite.any():
        return None
    frames = np.flatnonzero(finite)
    lowest = frames[np.argsort(height[frames], kind="stable")][: max(1, round(_STILLEST * len(frames)))]
    directions = rotate(conjugate(world.rotations[lowest, foot]), np.array([0.0, -1.0, 0.0]))
    down: Vector = np.median(directions, axis=0).astype(np.float64).tolist()
    length = _length(down)
    return _along(1 / length, down) if length > 0.5 else None


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _length(a: Vector) -> float:
    return math.sqrt(_dot(a, a))


def _along(share: float, a: Vector, start: Vector = (0.0, 0.0, 0.0)) -> Vector:
    """From `start` on along `share` times a vector."""
    return start[0] + share * a[0], start[1] + share * a[1], start[2] + share * a[2]


def _turned_back(rotation: Sequence[float], vector: Vector) -> Vector:
    """A vector of the parent's frame in the frame that `rotation` (wxyz) turns."""
    w, u = rotation[0], (-rotation[1], -rotation[2], -rotation[3])
    twice = _along(2.0, _cross(u, vector))
    return _along(1.0, _cross(u, twice), _along(w, twice, vector))


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
