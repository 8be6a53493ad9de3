"""Heading: which way a body faces on the floor, frame by frame, and the root orientation without it.

The facing direction is up x (left hip to right hip); heading 0 looks along +Z and grows counter-clockwise seen from above, so +90
degrees looks along +X. The mobility specification (A1, equation 3.1 in its corrected form with atan2) takes an axis of the pelvis
instead; the hip axis says the same on any skeleton, however its root frame is turned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip
from reenact.core.parameters import check_ranges, option
from reenact.core.rotations import about_y, conjugate, multiply, rotate
from reenact.core.smoothing import smooth

Source = Literal["hips", "shoulders", "root"]
_AXES: tuple[tuple[Source, str], ...] = (("hips", "upper_leg"), ("shoulders", "upper_arm"))


@dataclass(frozen=True, slots=True)
class HeadingParameters:
    """How the heading is taken from the pose."""

    smoothing: float = option(
        0.0, "width (sigma) of the low-pass over the heading; 0.2 removes the sway of the gait", unit="s", low=0
    )
    flattest: float = option(
        0.3,
        "a side axis with a smaller horizontal share (0 upright on its side, 1 level) gives no heading",
        low=0,
        high=1,
    )

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True, slots=True, eq=False)
class Headings:
    """Headings of a clip.

    Attributes:
        angles: (F,) float64 radians, continuous over frames; the first lies in -pi..pi.
        defined: (F,) bool, False where the pose has no heading (lying on the side) and lies between those before and after.
        source: what they were taken from: the hip joints, the shoulder joints, or the root's own +Z axis.
    """

    angles: Float
    defined: Bool
    source: Source


def headings(clip: Clip, parameters: HeadingParameters | None = None) -> Float:
    """(F,) headings in radians, continuous; see `find_headings` for frames without one."""
    return find_headings(clip, parameters).angles


def find_headings(clip: Clip, parameters: HeadingParameters | None = None) -> Headings:
    """Headings from the hip joints by roles, else the shoulder joints, else the root's +Z axis.

    Frames in which the axis is nearly vertical turn evenly from the last heading before to the first after them (at the ends of the clip:
    they keep the nearest). A heading that was kept, and jumped when the body came up again, jerked every blend of a cartwheel.
    Smoothing is a Gaussian without delay; what it removes stays in the yaw-free orientation, so nothing is lost.
    """
    parameters = parameters or HeadingParameters()
    facing, source = _facing(clip)
    angles, defined = _angles(facing, parameters.flattest)
    if source != "root" and not np.any(defined):
        forward = rotate(clip.rotations[:, 0].astype(np.float64), np.array([0.0, 0.0, 1.0]))
        angles, fallback = _angles(
            np.stack([forward[:, 0], forward[:, 2], np.ones(len(clip))], axis=1), parameters.flattest
        )
        if np.any(fallback):
            source = "root"
    if parameters.smoothing > 0:
        angles = smooth(angles, parameters.smoothing * clip.fps)
    return Headings(angles, defined, source)


def _facing(clip: Clip) -> tuple[Float, Source]:
    """(F, 3): x and z of the unnormalised facing direction, and the length that it has at most."""
    for source, part in _AXES:
        if clip.skeleton.has_roles(f"left_{part}", f"right_{part}"):
            left, right = clip.skeleton.require_roles(f"left_{part}", f"right_{part}")
            points = clip.world(np.float64).positions
            side = points[:, right] - points[:, left]
            length = np.linalg.norm(side, axis=1)
            if np.max(length, initial=0.0) > 1e-9:
                return np.stack([side[:, 2], -side[:, 0], length], axis=1), source
    forward = rotate(clip.rotations[:, 0].astype(np.float64), np.array([0.0, 0.0, 1.0]))
    return np.stack([forward[:, 0], forward[:, 2], np.ones(len(clip))], axis=1), "root"


def _angles(facing: Float, flattest: float) -> tuple[Float, Bool]:
    x, z, length = facing.T
    defined = np.hypot(x, z) > np.maximum(flattest * length, 1e-9)
    raw = np.arctan2(x, z)
    if not np.any(defined):
        return np.zeros(len(raw)), defined
    known = np.flatnonzero(defined)
    return np.interp(np.arange(len(raw)), known, np.unwrap(raw[known])), defined


def factor_heading(clip: Clip, parameters: HeadingParameters | None = None) -> tuple[Headings, Float]:
    """Headings and the yaw-free root orientations (F, 4): root rotation = turn about Y by the heading, then the yaw-free one (3.2)."""
    found = find_headings(clip, parameters)
    return found, multiply(conjugate(about_y(found.angles)), clip.rotations[:, 0].astype(np.float64))


def wrap(angle: Float) -> Float:
    """Angles brought into -pi..pi."""
    return (np.asarray(angle) + np.pi) % (2 * np.pi) - np.pi
