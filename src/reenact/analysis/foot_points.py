"""Where the heel and the ball of each foot are, on any skeleton.

The points lie on the sole as far as the skeleton tells where that is: an end site below and behind the ankle is a heel; without one the
heel is put below and behind the ankle, at the level of the joint of the toes. Skeletons without toes have one point for both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from reenact import kernels
from reenact.analysis.sampling import sample_world
from reenact.core.arrays import Float, Float64
from reenact.core.clip import Clip, World
from reenact.core.foot_plants import SIDES
from reenact.core.rotations import conjugate, rotate
from reenact.core.skeleton import Skeleton
from reenact.errors import SkeletonError

HEEL_BEHIND = 0.4
"""Of the way from the ankle to the ball: how far the heel is taken to lie behind the ankle where the skeleton does not say (a little
less than the half of Winter 2009, figure 4.1, so that the point stays within the foot on coarse skeletons)."""

_PLANS: WeakKeyDictionary[Skeleton, dict[tuple[int, ...], Any]] = WeakKeyDictionary()
_FOUND: WeakKeyDictionary[Skeleton, FootPoints] = WeakKeyDictionary()  # where the skeleton alone gives the answer

_USABLE = 0.82  # |cos| between shank and foot at rest, from which on the rest pose is a straight line and says nothing
_LEAST_FOOT = 0.05  # of a leg: a shorter way from the ankle to the toes is no foot
_STILLEST = 0.2  # share of sampled frames, the ones with the slowest and lowest foot, that tell how it stands


@dataclass(frozen=True, slots=True, eq=False)
class FootPoint:
    """A point fixed to a joint.

    Attributes:
        joint: the joint.
        place: (3,) float64 metres in the joint's frame.
    """

    joint: int
    place: Float64


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
    leg = float(np.mean([_leg_length(skeleton, side) for side in sides]))
    heels: dict[str, FootPoint] = {}
    balls: dict[str, FootPoint] = {}
    world: World | None = None
    told, alone = 0, True
    for side in sides:
        foot, toes = skeleton.roles[f"{side}_foot"], skeleton.roles.get(f"{side}_toes")
        tip = _toe_tip(skeleton, foot, leg) if toes is None else None
        ahead = skeleton.offsets[toes] if toes is not None else tip
        if ahead is None or np.linalg.norm(ahead) < _LEAST_FOOT * leg:
            heels[side] = balls[side] = FootPoint(foot, np.zeros(3))
            continue
        down = _down_at_rest(skeleton, foot, ahead)
        alone &= down is not None
        if down is None and clip is not None and len(clip):
            world = world or sample_world(clip, 64)
            down = _down_in_motion(world, foot, ahead)
        heels[side], balls[side], known = _place_points(skeleton, foot, toes, ahead, down)
        told += known
    hips = skeleton.roles.get("hips", 0)
    points = FootPoints(heels, balls, leg, hips, told == len(sides))
    if alone:
        _FOUND[skeleton] = points
    return points


def _leg_length(skeleton: Skeleton, side: str) -> float:
    """Metres from the hip joint (else from the root) along the bones to the ankle."""
    top = skeleton.roles.get(f"{side}_upper_leg", 0)
    total = 0.0
    for joint in skeleton.ancestors(skeleton.roles[f"{side}_foot"]):
        if joint == top:
            break
        total += float(np.linalg.norm(skeleton.offsets[joint]))
    return total


def _toe_tip(skeleton: Skeleton, foot: int, leg: float) -> Float64 | None:
    """Place of the farthest end site or child of a foot without toes, in the foot's frame."""
    ends = [offset for joint, offset in zip(skeleton.end_joints, skeleton.end_offsets, strict=True) if joint == foot]
    ends += [skeleton.offsets[child] for child in skeleton.children[foot]]
    far = [end for end in ends if np.linalg.norm(end) >= _LEAST_FOOT * leg]
    return max(far, key=np.linalg.norm) if far else None


def _down_at_rest(skeleton: Skeleton, foot: int, ahead: Float64) -> Float64 | None:
    """Direction along the shank away from the knee, in the foot's frame at rest; None when it runs along the foot."""
    shank = skeleton.offsets[foot]
    length = np.linalg.norm(shank)
    if foot == 0 or length == 0:
        return None
    down = _turned_back(skeleton.rest[foot], shank / length)
    return down if abs(down @ ahead) < _USABLE * np.linalg.norm(ahead) else None


def _down_in_motion(world: World, foot: int, ahead: Float64) -> Float64 | None:
    """World down in the foot's frame, as it mostly is while the foot is slow and low."""
    height = world.point(foot, ahead)[:, 1] + world.positions[:, foot, 1]
    finite = np.isfinite(height) & np.isfinite(world.rotations[:, foot]).all(axis=1)
    if not finite.any():
        return None
    frames = np.flatnonzero(finite)
    lowest = frames[np.argsort(height[frames], kind="stable")][: max(1, round(_STILLEST * len(frames)))]
    directions = rotate(conjugate(world.rotations[lowest, foot]), np.array([0.0, -1.0, 0.0]))
    down = np.median(directions, axis=0).astype(np.float64)
    length = np.linalg.norm(down)
    return down / length if length > 0.5 else None


def _place_points(
    skeleton: Skeleton, foot: int, toes: int | None, ahead: Float64, down: Float64 | None
) -> tuple[FootPoint, FootPoint, bool]:
    """Heel and ball of a foot, and whether the skeleton itself told the heel."""
    ball = FootPoint(foot, ahead) if toes is None else FootPoint(toes, np.zeros(3))
    if down is None:
        return FootPoint(foot, np.zeros(3)), ball, False
    forward = ahead - (ahead @ down) * down
    site = _heel_site(skeleton, foot, forward, down)
    if site is None:
        return FootPoint(foot, max(0.0, float(ahead @ down)) * down - HEEL_BEHIND * forward), ball, False
    drop = float((site - ahead) @ down)
    if drop > 0 and toes is not None:
        # in the frame of the toes, which at rest is that of the foot but for the rest rotation
        ball = FootPoint(toes, _turned_back(skeleton.rest[toes], drop * down))
    return FootPoint(foot, site), ball, True


def _heel_site(skeleton: Skeleton, foot: int, forward: Float64, down: Float64) -> Float64 | None:
    """An end site or child of the foot below the ankle and not before it."""
    sites = [offset for joint, offset in zip(skeleton.end_joints, skeleton.end_offsets, strict=True) if joint == foot]
    sites += [skeleton.offsets[child] for child in skeleton.children[foot]]
    behind = [site for site in sites if site @ down > 0 and site @ forward <= 0.1 * (forward @ forward)]
    return min(behind, key=lambda site: float(site @ forward)) if behind else None


def _turned_back(rotation: Float64, vector: Float64) -> Float64:
    """A vector of the parent's frame in the frame that `rotation` (wxyz) turns."""
    w, u = float(rotation[0]), -rotation[1:]
    twice = 2 * _cross(u, vector)
    return vector + w * twice + _cross(u, twice)


def _cross(a: Float64, b: Float64) -> Float64:
    """Of two single vectors; `np.cross` takes longer than all the rest."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
