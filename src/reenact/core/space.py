"""Units and up axes: from a file's space to ours (metres, Y up) and back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reenact.core.arrays import Float, Float64
from reenact.core.clip import Clip, JointTranslations
from reenact.core.origin import AddedPose, UpAxis
from reenact.core.rotations import conjugate, multiply, rotate
from reenact.errors import ParameterError

_HALF = np.sqrt(0.5)
_FROM_UP: dict[str, tuple[float, float, float, float]] = {
    "y": (1.0, 0.0, 0.0, 0.0),
    "z": (_HALF, -_HALF, 0.0, 0.0),  # a quarter turn about x: z becomes y, -y becomes z
    "x": (_HALF, 0.0, 0.0, _HALF),  # a quarter turn about z: x becomes y
}


def up_rotation(up: UpAxis) -> Float64:
    """The rotation (4,) that takes a file with this up axis to Y up."""
    if up not in _FROM_UP:
        raise ParameterError(f"up axis must be x, y or z, not {up!r}")
    return np.array(_FROM_UP[up])


def from_file_space(clip: Clip, unit: float, up: UpAxis) -> Clip:
    """A clip read in file units and axes, in metres and Y up; the origin remembers both."""
    if not (np.isfinite(unit) and unit > 0):
        raise ParameterError(f"the unit must be a positive number of metres, not {unit}")
    moved = _change(clip, unit, up_rotation(up))
    return _keep_pristine(clip, replace(moved, origin=replace(moved.origin, unit=unit, up=up)))


def in_file_space(clip: Clip, unit: float, up: UpAxis) -> Clip:
    """A clip in the units and axes a file asks for, an added T-pose of an unedited clip put back in front."""
    if clip.pristine and clip.origin.added_pose is not None:
        pose = clip.origin.added_pose
        moved = clip.translations
        if moved is not None:
            moved = JointTranslations(moved.joints, np.concatenate([moved.values[:1], moved.values]))
        clip = replace(
            clip,
            rotations=np.concatenate([pose.rotations[None], clip.rotations]),
            root=np.concatenate([pose.root[None], clip.root]),
            translations=moved,
        )
    return _change(clip, 1.0 / unit, conjugate(up_rotation(up)))


def _change(clip: Clip, factor: float, turn: Float) -> Clip:
    skeleton = clip.skeleton.scaled(factor)
    moved = clip.translations
    if moved is not None:
        moved = JointTranslations(moved.joints, moved.values * np.float32(factor))
    turned = bool(np.any(turn[1:] != 0))
    root = clip.root * np.float32(factor) if factor != 1.0 else clip.root
    rotations, pose = clip.rotations, clip.origin.added_pose
    if pose is not None:
        pose = AddedPose(pose.rotations, pose.root * np.float32(factor))
    if turned:
        offsets, rest = skeleton.offsets.copy(), skeleton.rest.copy()
        offsets[0], rest[0] = rotate(turn, offsets[0]), multiply(turn, rest[0])
        skeleton = replace(skeleton, offsets=offsets, rest=rest)
        root = rotate(turn, root.astype(np.float64))
        rotations = rotations.copy()
        rotations[:, 0] = multiply(turn, rotations[:, 0].astype(np.float64))
        if pose is not None:
            head = pose.rotations.copy()
            head[0] = multiply(turn, head[0].astype(np.float64))
            pose = AddedPose(head, rotate(turn, pose.root.astype(np.float64)).astype(np.float32))
    return replace(
        clip, skeleton=skeleton, rotations=rotations, root=root, translations=moved,
        origin=replace(clip.origin, added_pose=pose),
    )  # fmt: skip


def _keep_pristine(before: Clip, after: Clip) -> Clip:
    return after.as_recorded() if before.pristine else after
