"""The added T-pose frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.analysis.added_pose import detect_added_pose, frame_changes
from reenact.core.clip import Clip
from reenact.core.rotations import from_euler, multiply
from reenact.core.skeleton import Skeleton

Make = Callable[..., Clip]


def moving(body: Skeleton, standing: Make, frames: int = 40, pace: float = 1.0) -> Clip:
    """Arms hanging, every joint swaying by up to 10 degrees at `pace` turns a second."""
    clip = standing(body, np.tile([0, 0.93, 0], (frames, 1)))
    phase = np.arange(len(body)) * 0.7
    sway = np.radians(10) * np.sin(2 * np.pi * pace * np.arange(frames)[:, None] / 60 + phase)
    rotations = from_euler(np.stack([sway, 0.5 * sway, 0 * sway], axis=-1), "xyz")
    for side, sign in (("left", -1), ("right", 1)):
        joint = body.joint(f"{side}_upper_arm")
        rotations[:, joint] = multiply(from_euler(np.array([0, 0, sign * 1.3]), "xyz"), rotations[:, joint])
    return replace(clip, rotations=rotations)


def with_t_pose(clip: Clip) -> Clip:
    pose = np.tile([1.0, 0, 0, 0], (1, len(clip.skeleton), 1))
    return replace(
        clip, rotations=np.concatenate([pose, clip.rotations]), root=np.concatenate([clip.root[:1], clip.root])
    )


@pytest.mark.parametrize("frames", [2, 10, 400])
def test_an_added_pose_is_found_and_its_clip_has_none(frames: int, body: Skeleton, standing: Make) -> None:
    clip = moving(body, standing, frames)
    assert not detect_added_pose(clip).present
    found = detect_added_pose(with_t_pose(clip))
    assert found.present
    assert [f.code for f in found.findings("a")] == ["added-pose.dropped"]
    assert [f.code for f in found.findings("a", applied=False)] == ["added-pose.kept"]


def test_a_recording_that_begins_in_a_t_pose_loses_nothing(body: Skeleton, standing: Make) -> None:
    """The arms come down from the T-pose at a natural pace."""
    clip = standing(body, np.tile([0, 0.93, 0], (60, 1)))
    rotations = clip.rotations.copy()
    down = 1.3 * (1 - np.cos(np.linspace(0, np.pi, 60))) / 2
    for side, sign in (("left", -1), ("right", 1)):
        angles = np.stack([0 * down, 0 * down, sign * down], axis=-1)
        rotations[:, body.joint(f"{side}_upper_arm")] = from_euler(angles, "xyz")
    found = detect_added_pose(replace(clip, rotations=rotations))
    assert not found.present
    assert found.findings("a") == ()


def test_only_the_added_frame_of_a_t_pose_recording_is_found(body: Skeleton, standing: Make) -> None:
    """A person's own T-pose after the made one: 8 degrees away in every joint, then nearly still."""
    clip = moving(body, standing, 60)
    rotations = from_euler(
        np.radians(8 + 0.3 * np.sin(np.arange(60)))[:, None, None] * np.ones((1, 17, 3)) * 0.4, "xyz"
    )
    held = replace(clip, rotations=np.concatenate([rotations, rotations[:, :2]], axis=1)[:, : len(body)])
    assert detect_added_pose(with_t_pose(held)).present
    assert not detect_added_pose(held).present


def test_a_jump_from_another_pose_is_no_added_t_pose(body: Skeleton, standing: Make) -> None:
    clip = moving(body, standing)
    rotations = clip.rotations.copy()
    rotations[0] = multiply(rotations[0], from_euler(np.array([0.4, 0, 0]), "xyz"))
    found = detect_added_pose(replace(clip, rotations=rotations))
    assert not found.present
    assert "no T-pose" in found.reason


def test_one_frame_and_bodies_without_arms(body: Skeleton, standing: Make) -> None:
    assert not detect_added_pose(standing(body, np.zeros((1, 3)))).present
    rope = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0, 0, 0], [0, 1.0, 0]]))
    clip = standing(rope, np.zeros((5, 3)))
    rotations = clip.rotations.copy()
    rotations[1:] = from_euler(np.array([0.5, 0, 0]), "xyz")
    assert not detect_added_pose(replace(clip, rotations=rotations)).present


@given(st.floats(0, np.pi), st.integers(0, 10**6))
def test_changes_are_angles(angle: float, seed: int) -> None:
    axis = np.random.default_rng(seed).normal(size=3)
    axis /= np.linalg.norm(axis)
    turned = np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)])
    pair = np.array([[[1.0, 0, 0, 0]], [-turned]], dtype=np.float32)
    assert frame_changes(pair)[0] == pytest.approx(np.degrees(angle), abs=0.05)
