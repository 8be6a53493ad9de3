"""Velocities and accelerations of joints and points, linear and angular.

Central differences of second order inside the clip and one-sided ones of second order at its ends; clips of one to three frames are
defined: one frame does not move, two have one velocity, fewer than three have no acceleration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.parameters import check_ranges, option
from reenact.core.rotations import conjugate, log, multiply, rotate
from reenact.core.smoothing import smooth
from reenact.errors import ParameterError


@dataclass(frozen=True, slots=True)
class DerivativeParameters:
    """How derivatives are taken."""

    smoothing: float = option(
        0.0, "width (sigma) of a low-pass over the values before they are differentiated", unit="s", low=0
    )

    def __post_init__(self) -> None:
        check_ranges(self)


def differentiate(values: ArrayLike, fps: float, parameters: DerivativeParameters | None = None) -> Float:
    """First derivative by time along the first axis.

    Args:
        values: (F, ...) samples at `fps` per second.
        fps: samples per second.
        parameters: smoothing before.

    Returns:
        (F, ...) float64, units per second. Exact for parabolas (from 3 frames on).
    """
    x = _prepared(values, fps, parameters)
    out = np.zeros_like(x)
    if len(x) == 2:
        out[:] = (x[1] - x[0]) * fps
    elif len(x) > 2:
        out[1:-1] = (x[2:] - x[:-2]) * (0.5 * fps)
        out[0] = (-3 * x[0] + 4 * x[1] - x[2]) * (0.5 * fps)
        out[-1] = (3 * x[-1] - 4 * x[-2] + x[-3]) * (0.5 * fps)
    return out


def differentiate_twice(values: ArrayLike, fps: float, parameters: DerivativeParameters | None = None) -> Float:
    """Second derivative by time along the first axis, (F, ...) float64; zero for clips of fewer than three frames.

    Exact for parabolas; from 4 frames on also for cubics.
    """
    x = _prepared(values, fps, parameters)
    out = np.zeros_like(x)
    if len(x) > 2:
        out[1:-1] = (x[2:] - 2 * x[1:-1] + x[:-2]) * (fps * fps)
        if len(x) == 3:
            out[0] = out[2] = out[1]
        else:
            out[0] = (2 * x[0] - 5 * x[1] + 4 * x[2] - x[3]) * (fps * fps)
            out[-1] = (2 * x[-1] - 5 * x[-2] + 4 * x[-3] - x[-4]) * (fps * fps)
    return out


def _prepared(values: ArrayLike, fps: float, parameters: DerivativeParameters | None) -> Float:
    if not (np.isfinite(fps) and fps > 0):
        raise ParameterError(f"fps must be a positive number, not {fps}")
    x = np.asarray(values, dtype=np.float64)
    return smooth(x, parameters.smoothing * fps) if parameters is not None and parameters.smoothing > 0 else x


def point_path(clip: Clip, joint: str | int, offset: ArrayLike = (0.0, 0.0, 0.0)) -> Float:
    """(F, 3) world positions in metres of a joint (role, name or index), or of a point fixed in its frame."""
    world, index = clip.world(np.float64), clip.skeleton.joint(joint)
    return world.positions[:, index] + rotate(world.rotations[:, index], np.asarray(offset, dtype=np.float64))


def velocity(
    clip: Clip,
    joint: str | int,
    offset: ArrayLike = (0.0, 0.0, 0.0),
    parameters: DerivativeParameters | None = None,
) -> Float:
    """(F, 3) world velocity in m/s of a joint, or of a point fixed in its frame at `offset` (metres)."""
    return differentiate(point_path(clip, joint, offset), clip.fps, parameters)


def acceleration(
    clip: Clip,
    joint: str | int,
    offset: ArrayLike = (0.0, 0.0, 0.0),
    parameters: DerivativeParameters | None = None,
) -> Float:
    """(F, 3) world acceleration in m/s^2 of a joint, or of a point fixed in its frame at `offset` (metres)."""
    return differentiate_twice(point_path(clip, joint, offset), clip.fps, parameters)


def velocities(
    clip: Clip, joints: Sequence[str | int] | None = None, parameters: DerivativeParameters | None = None
) -> Float:
    """(F, N, 3) world velocities in m/s of some joints, or of all."""
    return differentiate(clip.world(np.float64).positions[:, _indices(clip, joints)], clip.fps, parameters)


def accelerations(
    clip: Clip, joints: Sequence[str | int] | None = None, parameters: DerivativeParameters | None = None
) -> Float:
    """(F, N, 3) world accelerations in m/s^2 of some joints, or of all."""
    return differentiate_twice(clip.world(np.float64).positions[:, _indices(clip, joints)], clip.fps, parameters)


def angular_velocities(
    clip: Clip,
    joints: Sequence[str | int] | None = None,
    *,
    space: Literal["local", "world"] = "local",
    parameters: DerivativeParameters | None = None,
) -> Float:
    """(F, N, 3) angular velocities in rad/s of some joints, or of all.

    Args:
        clip: the motion.
        joints: roles, names or indices; None for all.
        space: "local": the joint against its parent, in the joint's own axes (the root against the world); "world": the joint against
            the world, in world axes.
        parameters: smoothing of the result.
    """
    if space not in ("local", "world"):
        raise ParameterError(f"space must be local or world, not {space!r}", where="space")
    which = _indices(clip, joints)
    all_rotations = clip.rotations.astype(np.float64) if space == "local" else clip.world(np.float64).rotations
    found = angular_velocity_of(all_rotations[:, which], clip.fps, space=space)
    if parameters is not None and parameters.smoothing > 0:
        found = smooth(found, parameters.smoothing * clip.fps)
    return found


def angular_velocity_of(rotations: ArrayLike, fps: float, *, space: Literal["local", "world"] = "world") -> Float:
    """Angular velocities (F, ..., 3) in rad/s of rotations (F, ..., 4).

    The step between two frames is taken the short way round, so turns below 180 degrees a frame are right; a frame's value is the mean
    of the steps before and after it, and runs on in a straight line at the ends.

    Args:
        rotations: unit quaternions.
        fps: frames per second.
        space: axes of the result: those of the rotating frame ("local") or the fixed ones ("world").
    """
    q = np.asarray(rotations, dtype=np.float64)
    out = np.zeros((*q.shape[:-1], 3))
    if len(q) < 2:
        return out
    if space == "world":
        steps = log(multiply(q[1:], conjugate(q[:-1]))) * fps
    else:
        steps = log(multiply(conjugate(q[:-1]), q[1:])) * fps
    if len(steps) == 1:
        out[:] = steps[0]
        return out
    out[1:-1] = 0.5 * (steps[1:] + steps[:-1])
    out[0], out[-1] = 1.5 * steps[0] - 0.5 * steps[1], 1.5 * steps[-1] - 0.5 * steps[-2]
    return out


def _indices(clip: Clip, joints: Sequence[str | int] | None) -> list[int]:
    return list(range(len(clip.skeleton))) if joints is None else [clip.skeleton.joint(joint) for joint in joints]
