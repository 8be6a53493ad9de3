"""From a place in the world back to a joint's rotation and its degrees of freedom (reuse specification 3.17 and appendix D)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.errors import ParameterError


def recover_rotation(rotation: ArrayLike, offset: ArrayLike, target: ArrayLike) -> Float:
    """Local rotations (..., 4) nearest to `rotation` that bring a child to the direction of a target.

    The shortest turn is put before the recorded rotation, so the twist about the bone is kept, and nothing changes where the child is
    there already.

    Args:
        rotation: (..., 4) the joint's recorded local rotation.
        offset: (..., 3) the child in the joint's frame.
        target: (..., 3) where the child should be, seen from the joint in its parent's axes; only the direction counts.
    """
    rotation, offset, target = (np.asarray(v, dtype=np.float64) for v in (rotation, offset, target))
    if np.any(np.linalg.norm(offset, axis=-1) <= 0):
        raise ParameterError("a child that lies on its joint has no direction", where="offset")
    now = R.rotate(rotation, offset)
    shape = np.broadcast_shapes(now.shape, target.shape)
    turn = R.between(R.normalize(np.broadcast_to(now, shape)), R.normalize(np.broadcast_to(target, shape)))
    return R.normalize(R.multiply(turn, rotation))


def align_x(direction: ArrayLike) -> Float:
    """Rotations (..., 4) that turn the X axis to a direction by one turn about Z, then one about Y (appendix D, corrected).

    Right-handed, column vectors: Ry(-atan2(z, x)) Rz(atan2(y, sqrt(x^2 + z^2))). At the poles, straight up and down, the turn about Y
    is none.
    """
    x, y, z = np.moveaxis(np.asarray(direction, dtype=np.float64), -1, 0)
    flat = np.hypot(x, z)
    if np.any((flat == 0) & (y == 0)):
        raise ParameterError("a direction needs some length", where="direction")
    about_z = R.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.arctan2(y, flat))
    about_y = R.from_axis_angle(np.array([0.0, 1.0, 0.0]), -np.arctan2(z, x))
    return R.multiply(about_y, about_z)


def align_offset(offset: ArrayLike, target: ArrayLike) -> Float:
    """The thesis' rotation that takes a child's offset to a target's direction through the X axis; loses the twist about the bone."""
    return R.multiply(align_x(target), R.conjugate(align_x(offset)))


def project_to_axes(
    rotation: ArrayLike, order: str, free: Sequence[str], limits: ArrayLike | None = None, axis: ArrayLike | None = None
) -> tuple[Float, Float]:
    """Rotations a joint with fewer degrees of freedom can make, nearest by angles, and what is lost.

    Args:
        rotation: (..., 4) local rotations wanted.
        order: Euler order of the joint, such as "zyx".
        free: the axes it can turn about, such as ("x",) for a knee.
        limits: (3, 2) radians, least and most for each angle of the order; None for none.
        axis: (4,) the joint's own axis frame (ASF): its angles turn about the axes of this frame.

    Returns:
        rotations (..., 4) and residuals (...) in radians between them and those wanted.
    """
    axes = order.lower()
    unknown = [name for name in free if name.lower() not in axes]
    if unknown:
        raise ParameterError(f"axis {unknown[0]!r} is not one of {', '.join(axes)}", where="free")
    wanted = np.asarray(rotation, dtype=np.float64)
    frame = R.identity() if axis is None else np.asarray(axis, dtype=np.float64)
    angles = np.array(R.to_euler(R.multiply(R.multiply(R.conjugate(frame), wanted), frame), order))
    kept = [letter in {name.lower() for name in free} for letter in axes]
    angles[..., ~np.array(kept)] = 0.0
    if limits is not None:
        low, high = np.asarray(limits, dtype=np.float64).T
        angles = np.clip(angles, low, high)
    found = R.multiply(R.multiply(frame, R.from_euler(angles, order)), R.conjugate(frame))
    return found, R.angle_between(found, wanted)


def euler_near(rotation: ArrayLike, order: str, previous: ArrayLike) -> Float:
    """Euler angles (3,) of a rotation nearest to those of the frame before: no flips, no jumps of a full turn.

    Every rotation has two sets of angles (and their full turns); near gimbal lock, where only the sum or difference of the outer two
    counts, the first keeps its previous value.
    """
    before = np.asarray(previous, dtype=np.float64)
    a, b, c = np.asarray(R.to_euler(np.asarray(rotation, dtype=np.float64), order))
    proper = order[0].lower() == order[2].lower()
    candidates = [np.array([a, b, c]), np.array([a + np.pi, -b if proper else np.pi - b, c + np.pi])]
    locked = np.abs(np.sin(b)) < 1e-6 if proper else np.abs(np.cos(b)) < 1e-6
    if locked:
        for base in list(candidates):
            for sign in (1.0, -1.0):
                moved = np.array([before[0], base[1], base[2] + sign * (base[0] - before[0])])
                if R.angle_between(R.from_euler(moved, order), rotation) < 1e-5:
                    candidates.append(moved)
    turned = [angles + 2 * np.pi * np.round((before - angles) / (2 * np.pi)) for angles in candidates]
    return min(turned, key=lambda angles: float(np.abs(angles - before).sum()))
