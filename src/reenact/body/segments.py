"""Masses of the body's segments and the centre of mass of a motion.

The shares of body mass and the places of the segment centres are those of Winter, *Biomechanics and Motor Control of Human Movement*
(4th edition, 2009), table 4.1, after Dempster (1955). Segments are found by joint roles, so any humanoid skeleton will do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Float
from reenact.core.clip import Clip, World
from reenact.core.skeleton import Skeleton


@dataclass(frozen=True, slots=True)
class LimbSegment:
    """A limb segment of each side.

    Attributes:
        name: for people.
        near: role (without the side) of the joint at its near end.
        far: role of the joint at its far end.
        mass: share of the body's mass, one side.
        centre: where its centre lies, as a share of the way from `near` to `far`.
    """

    name: str
    near: str
    far: str
    mass: float
    centre: float


LIMB_SEGMENTS = (
    LimbSegment("thigh", "upper_leg", "lower_leg", 0.100, 0.433),
    LimbSegment("shank", "lower_leg", "foot", 0.0465, 0.433),
    LimbSegment("foot", "foot", "toes", 0.0145, 0.500),
    LimbSegment("upper arm", "upper_arm", "lower_arm", 0.028, 0.436),
    LimbSegment("forearm and hand", "lower_arm", "hand", 0.022, 0.682),
)
"""Winter's table for one side; the forearm and hand are one segment, so that no knuckle has to be known."""

TRUNK_SEGMENTS = (("pelvis", 0.142, 0.12), ("abdomen", 0.139, 0.38), ("thorax", 0.216, 0.70))
"""Name, share of the mass, and place along the line mid-hips, chest, neck. The masses are Winter's; the places share out his trunk
centre (half way from the hip to the shoulder joints) so that it follows a bent spine."""

HEAD_MASS = 0.081
"""Head and neck; the centre is at the ear canal."""

_EAR = 0.4  # of the way from the head joint to the crown
_NEEDED = (
    *("hips", "neck", "head"),
    *(f"{side}_{part}" for side in ("left", "right") for part in ("upper_arm", "lower_arm", "hand")),
    *(f"{side}_{part}" for side in ("left", "right") for part in ("upper_leg", "lower_leg", "foot")),
)


def centre_of_mass(motion: Clip | World, skeleton: Skeleton | None = None) -> Float:
    """Centre of mass (F, 3) in metres, in the type of the positions.

    Args:
        motion: a clip, or its forward kinematics together with `skeleton`.
        skeleton: the joints of `motion` when that is a `World`.

    Raises:
        SkeletonError: when hips, neck, head, arms or legs are not known by role. Toes and chest may be missing.
    """
    if isinstance(motion, Clip):
        skeleton, motion = motion.skeleton, motion.world()
    assert skeleton is not None, "a World needs its skeleton"
    skeleton.require_roles(*_NEEDED)
    positions, roles = motion.positions, skeleton.roles
    total = np.zeros_like(positions[:, 0])
    for side in ("left", "right"):
        for segment in LIMB_SEGMENTS:
            near = positions[:, roles[f"{side}_{segment.near}"]]
            far = positions[:, roles.get(f"{side}_{segment.far}", roles[f"{side}_{segment.near}"])]
            total += segment.mass * (near + segment.centre * (far - near))
    low = 0.5 * (positions[:, roles["left_upper_leg"]] + positions[:, roles["right_upper_leg"]])
    neck = positions[:, roles["neck"]]
    middle = positions[:, roles["chest"]] if "chest" in roles else 0.5 * (low + neck)
    for _, mass, place in TRUNK_SEGMENTS:
        total += mass * _along(low, middle, neck, place)
    return (total + HEAD_MASS * _ear(motion, skeleton)) / body_mass()


def body_mass() -> float:
    """Sum of all shares: 1, as far as the published table rounds."""
    limbs = sum(segment.mass for segment in LIMB_SEGMENTS)
    return 2 * limbs + sum(mass for _, mass, _ in TRUNK_SEGMENTS) + HEAD_MASS


def _along(low: Float, middle: Float, high: Float, place: float) -> Float:
    """The point at a share of the length of the line low, middle, high (each (F, 3))."""
    first = np.linalg.norm(middle - low, axis=-1, keepdims=True)
    second = np.linalg.norm(high - middle, axis=-1, keepdims=True)
    way = place * (first + second)
    tiny = np.finfo(low.dtype).tiny
    on_first = low + (middle - low) * (way / np.maximum(first, tiny))
    on_second = middle + (high - middle) * ((way - first) / np.maximum(second, tiny))
    return np.where(way <= first, on_first, on_second)


def _ear(motion: World, skeleton: Skeleton) -> Float:
    head = skeleton.roles["head"]
    crowns = np.flatnonzero(skeleton.end_joints == head)
    if len(crowns):
        return motion.point(head, _EAR * skeleton.end_offsets[crowns[0]])
    here, neck = motion.positions[:, head], motion.positions[:, skeleton.roles["neck"]]
    return here + _EAR * (here - neck)
