"""From plan and posture to the pose of every joint: legs by limb IK, the pelvis so that the centre of mass is where it should be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from reenact import kernels
from reenact.body.segments import centre_of_mass
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.clip import World
from reenact.samples.feet import FootMotion
from reenact.samples.plan import SIDES
from reenact.samples.posture import Posture, stand_posture
from reenact.samples.skeleton import ANKLE_HEIGHT, LEG, SHANK, THIGH, sample_skeleton
from reenact.solve.limb import bend_limb, soften_reach

REACH = 0.995 * LEG
"""Farthest a hip may be from a planted ankle: the knee keeps a bend of 11 degrees, so it never locks and never pops."""

_STANDING = 0.9945 * LEG  # the same distance in a relaxed stand
_SWING_REACH = 0.9990 * LEG
_RUN_REACH = 0.990 * LEG  # motions with flight land on a softer knee
_SOFTNESS = 0.001
_SWING_FULL, _SWING_SOFTNESS = 0.996, 0.014
_ROUNDS = 6
_X = np.array([1.0, 0.0, 0.0])


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """The whole body for F frames.

    Attributes:
        rotations: (F, J, 4) local.
        root: (F, 3) metres.
        world: forward kinematics.
        centre: (F, 3) centre of mass.
        residual: (F, 2) metres by which the left and right ankle miss their foot.
    """

    rotations: Float
    root: Float
    world: World
    centre: Float
    residual: Float


def pose_body(
    heading: Float,
    posture: Posture,
    feet: dict[str, FootMotion],
    centre: Float,
    flight: Bool,
    keep: Bool,
    fps: float,
) -> Pose:
    """Solve every frame.

    Args:
        heading: (F,) radians of the body.
        posture: pelvis, spine, head, arms.
        feet: motion of both feet.
        centre: (F, 3) wanted centre of mass. Its height is lowered where a planted foot would be out of reach.
        flight: (F,) no foot is down; the course of the centre's height is kept in motions that have flight.
        keep: (F,) frames that will be kept; the others only lead in and out.
        fps: frames per second.
    """
    skeleton = sample_skeleton()
    local, pelvis = _upper_locals(heading, posture)
    root = centre + np.array([0, _hips_below_centre(), 0])
    wanted = centre.copy()
    world, actual, residual = None, centre, np.zeros((len(heading), 2))
    for round_ in range(_ROUNDS):
        if round_ in (1, 2, 3):
            drop = _lowering(root, pelvis, feet, flight, keep, fps)
            wanted[:, 1] -= drop
            root[:, 1] -= drop
        residual = _solve_legs(local, root, pelvis, heading, feet)
        positions, rotations = kernels.kinematics.forward_kinematics(local, root, skeleton.offsets, skeleton.parents)
        world = World(positions, rotations)
        actual = centre_of_mass(world, skeleton)
        if round_ < _ROUNDS - 1:
            root = root + (wanted - actual)
    assert world is not None
    return Pose(R.make_continuous(local), root, world, actual, residual)


def _upper_locals(heading: Float, posture: Posture) -> tuple[Float, Float]:
    """Local rotations (F, J, 4) of all but the legs, and the pelvis in the world (F, 4)."""
    skeleton = sample_skeleton()
    local = R.identity(len(heading), len(skeleton))
    facing = R.about_y(heading)
    pelvis, chest, head = (R.multiply(facing, q) for q in (posture.pelvis, posture.chest, posture.head))
    local[:, 0] = pelvis
    spine = skeleton.require_roles("spine")[0]
    third = R.exp(R.log(R.multiply(R.conjugate(pelvis), chest)) / 3)
    local[:, spine : spine + 3] = third[:, None]
    half = R.exp(R.log(R.multiply(R.conjugate(chest), head)) / 2)
    local[:, list(skeleton.require_roles("neck", "head"))] = half[:, None]
    for side in SIDES:
        collar, upper, lower, hand = skeleton.require_roles(
            *(f"{side}_{p}" for p in ("shoulder", "upper_arm", "lower_arm", "hand"))
        )
        sign = 1.0 if side == "left" else -1.0
        raised = R.from_axis_angle(np.array([0, 0, 1.0]), sign * posture.collars[side])
        local[:, collar] = raised
        local[:, upper] = R.multiply(R.conjugate(raised), posture.arms[side])
        local[:, lower] = R.from_axis_angle(np.array([0, 1.0, 0]), -sign * posture.elbows[side])
        local[:, hand] = posture.hands[side]
    return local, pelvis


def _hip_places(root: Float, pelvis: Float, side: str) -> Float:
    skeleton = sample_skeleton()
    return root + R.rotate(pelvis, skeleton.offsets[skeleton.roles[f"{side}_upper_leg"]])


def _lowering(root: Float, pelvis: Float, feet: dict[str, FootMotion], flight: Bool, keep: Bool, fps: float) -> Float:
    """(F,) metres the body must come down so that both legs reach; smooth, and one constant for motions with flight."""
    need = np.zeros(len(root))
    for side in SIDES:
        way = _hip_places(root, pelvis, side) - feet[side].ankle
        level = np.hypot(way[:, 0], way[:, 2])
        reach = np.where(feet[side].down, _RUN_REACH if flight.any() else REACH, _SWING_REACH)
        highest = np.sqrt(np.maximum(reach**2 - level**2, (0.3 * LEG) ** 2))
        need = np.maximum(need, np.where(flight, 0, way[:, 1] - highest))
    if flight.any():
        return np.full(len(root), need[keep & ~flight].max())
    if need.max() < 1e-5:
        return need * 0
    width = int(0.09 * fps)
    return gaussian_filter1d(maximum_filter1d(need, 2 * width + 1, mode="nearest"), 0.5 * width, mode="nearest")


def _solve_legs(local: Float, root: Float, pelvis: Float, heading: Float, feet: dict[str, FootMotion]) -> Float:
    skeleton = sample_skeleton()
    residual = np.zeros((len(root), 2))
    for column, side in enumerate(SIDES):
        foot = feet[side]
        upper, lower, ankle, toes = skeleton.require_roles(
            *(f"{side}_{p}" for p in ("upper_leg", "lower_leg", "foot", "toes"))
        )
        hip = _hip_places(root, pelvis, side)
        thigh = R.multiply(pelvis, R.from_axis_angle(_X, -0.15))  # a knee bent a little, so that the hinge is known
        shank = R.multiply(pelvis, R.from_axis_angle(_X, 0.15))
        knee = hip + R.rotate(thigh, skeleton.offsets[lower])
        end = knee + R.rotate(shank, skeleton.offsets[ankle])
        outwards = 0.07 if side == "left" else -0.07
        facing = 0.5 * (heading + foot.yaw) + outwards
        goal = _ease_swing(hip, foot)
        left = np.stack([np.cos(facing), np.zeros_like(facing), -np.sin(facing)], axis=-1)
        pole = np.cross(
            goal - hip, left
        )  # the knee bends in the plane the leg swings in, however high the foot is raised
        bend = bend_limb(hip, knee, end, goal, pole=pole, softness=_SOFTNESS)
        thigh, shank = R.multiply(bend.root_turn, thigh), R.multiply(bend.mid_turn, shank)
        local[:, upper] = R.multiply(R.conjugate(pelvis), thigh)
        local[:, lower] = R.multiply(R.conjugate(thigh), shank)
        local[:, ankle] = R.multiply(R.conjugate(shank), foot.rotation)
        local[:, toes] = R.from_axis_angle(_X, -foot.toe_bend)
        residual[:, column] = bend.residual
    return residual


def _ease_swing(hip: Float, foot: FootMotion) -> Float:
    """(F, 3) ankle places, drawn towards the hip where a swinging leg would otherwise come near full extension."""
    way = foot.ankle - hip
    asked = np.linalg.norm(way, axis=1)
    given = soften_reach(asked, _SWING_FULL * THIGH, _SWING_FULL * SHANK, _SWING_SOFTNESS)
    return hip + way * (1 + foot.air * (given / asked - 1))[:, None]


@cache
def standing_height() -> float:
    """Metres of the centre of mass in a relaxed stand."""
    return _standing_root() - _hips_below_centre()


def _standing_root() -> float:
    return ANKLE_HEIGHT + _STANDING


def posture_rise(posture: Posture) -> Float:
    """(F,) metres by which a posture has its centre of mass higher above the hips than a relaxed stand has.

    Raised arms lift the centre of mass, not the hips: add this to a height that was meant for the hips.
    """
    return _centre_over_hips(posture) + _hips_below_centre()


def _centre_over_hips(posture: Posture) -> Float:
    skeleton = sample_skeleton()
    local, _ = _upper_locals(np.zeros(len(posture.pelvis)), posture)
    legs = list(skeleton.require_roles("left_upper_leg", "right_upper_leg"))
    local[:, legs] = R.conjugate(posture.pelvis)[:, None]  # hanging straight down
    root = np.tile([0.0, _standing_root(), 0.0], (len(local), 1))
    positions, rotations = kernels.kinematics.forward_kinematics(local, root, skeleton.offsets, skeleton.parents)
    return centre_of_mass(World(positions, rotations), skeleton)[:, 1] - root[:, 1]


@cache
def _hips_below_centre() -> float:
    """Metres (negative) from the centre of mass down to the hips in a stand."""
    return -float(_centre_over_hips(stand_posture(1))[0])
