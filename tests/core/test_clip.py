"""Clips: what they refuse, forward kinematics, and when a clip counts as unedited."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from reenact.core.clip import Clip, JointTranslations
from reenact.core.rotations import about_y, identity
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError

ARM = Skeleton(("shoulder", "elbow", "wrist"), np.array([-1, 0, 1]), np.array([[0, 0, 0], [0, 0, 1.0], [0, 0, 0.5]]))


def straight(frames: int = 4) -> Clip:
    return Clip(ARM, identity(frames, 3), np.zeros((frames, 3)), 30.0, "arm")


def test_shapes_and_rates_are_checked() -> None:
    with pytest.raises(ValueError, match=r"rotations must have shape \(\*, 3, 4\)"):
        Clip(ARM, identity(4, 2), np.zeros((4, 3)), 30)
    with pytest.raises(ValueError, match=r"root must have shape \(4, 3\)"):
        Clip(ARM, identity(4, 3), np.zeros((5, 3)), 30)
    for fps in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ParameterError, match="positive"):
            Clip(ARM, identity(4, 3), np.zeros((4, 3)), fps)
    with pytest.raises(ParameterError, match="3 frames"):
        Clip(
            ARM,
            identity(4, 3),
            np.zeros((4, 3)),
            30,
            translations=JointTranslations(np.array([1]), np.zeros((3, 1, 3))),
        )
    with pytest.raises(ParameterError, match="ascending"):
        JointTranslations(np.array([2, 1]), np.zeros((3, 2, 3)))


def test_forward_kinematics_by_hand() -> None:
    rotations = identity(1, 3)
    rotations[0, 0] = about_y(np.pi / 2)
    rotations[0, 1] = about_y(np.pi / 2)
    world = Clip(ARM, rotations, [[1, 2, 3]], 30).world(np.float64)
    np.testing.assert_allclose(world.positions[0], [[1, 2, 3], [2, 2, 3], [2, 2, 2.5]], atol=1e-6)
    np.testing.assert_allclose(world.point(2, (0, 0, 0.25))[0], [2, 2, 2.25], atol=1e-6)


def test_moving_joints_replace_offsets() -> None:
    moved = JointTranslations(np.array([2]), np.array([[[0, 0.5, 0]], [[0, 0, 2]]]))
    world = replace(straight(2), translations=moved).world()
    np.testing.assert_allclose(world.positions[:, 2], [[0, 0.5, 1], [0, 0, 3]])


def test_times() -> None:
    clip = straight(6)
    assert (len(clip), clip.frames, clip.seconds) == (6, 6, 0.2)
    np.testing.assert_allclose(clip.times, np.arange(6) / 30)


def test_every_edit_ends_being_pristine() -> None:
    clip = straight().as_recorded()
    assert clip.pristine
    assert clip.renamed("other").pristine
    assert clip.with_skeleton(ARM.with_roles({"left_hand": 2})).pristine
    assert not replace(clip, fps=60.0).pristine
    assert pickle.loads(pickle.dumps(clip)).pristine


def test_frames_are_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        straight().root[0] = 1
