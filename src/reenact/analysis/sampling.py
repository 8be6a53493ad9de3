"""Joints of some frames, or of some joints, without the forward kinematics of the whole clip."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact import kernels
from reenact.core.arrays import Float32
from reenact.core.clip import Clip, World


def sample_world(clip: Clip, most: int = 200) -> World:
    """Forward kinematics of at most `most` frames spread evenly over the clip, the first and the last among them."""
    count = len(clip)
    frames = np.arange(count) if count <= most else np.linspace(0, count - 1, most).astype(np.intp)
    moved = clip.translations
    positions, rotations = kernels.kinematics.forward_kinematics(
        clip.rotations[frames],
        clip.root[frames],
        clip.skeleton.offsets.astype(np.float32),
        clip.skeleton.parents,
        None if moved is None else moved.joints,
        None if moved is None else moved.values[frames],
    )
    return World(positions, rotations)


def joint_paths(clip: Clip, joints: Sequence[int], step: int = 1) -> Float32:
    """(ceil(F / step), K, 3) world positions of a few joints in every `step`-th frame.

    Only the joints between them and the root are computed.
    """
    skeleton = clip.skeleton
    needed = sorted({above for joint in joints for above in skeleton.ancestors(joint)})
    place = {joint: n for n, joint in enumerate(needed)}
    parents = np.array([-1] + [place[int(skeleton.parents[joint])] for joint in needed[1:]], np.int32)
    moved_joints, moved = None, None
    if clip.translations is not None:
        slots = [n for n, joint in enumerate(clip.translations.joints) if int(joint) in place]
        if slots:
            moved_joints = np.array([place[int(clip.translations.joints[n])] for n in slots], np.int32)
            moved = np.ascontiguousarray(clip.translations.values[::step, slots])
    positions, _ = kernels.kinematics.forward_kinematics(
        np.take(clip.rotations[::step], needed, axis=1),
        np.ascontiguousarray(clip.root[::step]),
        skeleton.offsets[needed].astype(np.float32),
        parents,
        moved_joints,
        moved,
    )
    return positions[:, [place[joint] for joint in joints]]
