"""Poses between frames and between clips (reuse A02)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.core import rotations as R
from reenact.core.clip import Clip, JointTranslations
from reenact.core.pose_sampling import PoseParameters, sample_between, sample_poses_of, take_poses
from reenact.core.resample import sample_at
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError
from reenact.samples import make_sample

ARM = Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), np.array([[0, 0, 0], [0, 1.0, 0], [0, 0.5, 0.1]]))


def random_clip(seed: int, frames: int, moving: bool = False) -> Clip:
    rng = np.random.default_rng(seed)
    rotations = R.normalize(rng.normal(size=(frames, 3, 4)))
    moved = JointTranslations(np.array([2]), rng.normal(size=(frames, 1, 3))) if moving else None
    return Clip(ARM, rotations, rng.normal(size=(frames, 3)), 30.0, f"clip{seed}", moved)


def test_bad_input_says_what_is_wrong() -> None:
    clip = random_clip(0, 5)
    for at in (-0.1, 4.01, np.nan):
        with pytest.raises(ParameterError, match="frames must lie in 0 to 4"):
            sample_poses_of(clip, at)
    with pytest.raises(ParameterError, match="no frames"):
        sample_poses_of(Clip(ARM, np.zeros((0, 3, 4)), np.zeros((0, 3)), 30.0), 0)
    with pytest.raises(ParameterError, match="share must lie in 0 to 1"):
        sample_between(clip, clip, 0, 1, 1.5)
    with pytest.raises(ParameterError, match="as many as each other"):
        sample_between(clip, clip, [0, 1, 2], [0, 1], 0.5)
    other = Skeleton(("x",), np.array([-1]), np.zeros((1, 3)))
    with pytest.raises(SkeletonError, match="3 joints against 1"):
        sample_between(clip, Clip(other, np.tile([1.0, 0, 0, 0], (2, 1, 1)), np.zeros((2, 3)), 30.0), 0, 0, 0.5)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 6))
def test_corners_are_the_recorded_frames(seed: int, one: int, other: int) -> None:
    a, b = random_clip(seed, one, moving=True), random_clip(seed + 1, other)
    for share, clip, frame in ((0.0, a, one - 1), (1.0, b, other - 1), (0.0, a, 0), (1.0, b, 0)):
        pose = sample_between(a, b, frame if share == 0 else 0, frame if share == 1 else 0, share)
        np.testing.assert_array_equal(pose.rotations[0].astype(np.float32), clip.rotations[frame])
        np.testing.assert_array_equal(pose.root[0].astype(np.float32), clip.root[frame])
        place = a.translations.values[frame, 0] if share == 0 else ARM.offsets[2]  # type: ignore[union-attr]
        np.testing.assert_allclose(pose.places[0, 0], place, atol=1e-15)


@given(st.integers(0, 2**32 - 1), st.floats(0, 3), st.floats(0, 3), st.floats(0, 1))
def test_four_frames_make_a_pose(seed: int, at: float, and_at: float, share: float) -> None:
    """Against the same mix made step by step from the four recorded frames."""
    a, b = random_clip(seed, 4), random_clip(seed + 1, 4)
    halves = []
    for clip, when in ((a, at), (b, and_at)):
        k = min(int(when), 2)
        q = R.normalize(clip.rotations.astype(np.float64))
        root = clip.root.astype(np.float64)
        halves.append((R.slerp(q[k], q[k + 1], when - k), root[k] + (when - k) * (root[k + 1] - root[k])))
    want = R.slerp(halves[0][0], halves[1][0], share)
    pose = sample_between(a, b, at, and_at, share)
    assert R.angle_between(R.normalize(pose.rotations[0]), want).max() < 1e-6
    np.testing.assert_allclose(pose.root[0], halves[0][1] + share * (halves[1][1] - halves[0][1]), atol=1e-12)


def test_speed_between_frames_is_constant() -> None:
    """Within 1e-6, between two frames of a clip and between two clips."""
    a, b = random_clip(3, 2), random_clip(4, 2)
    dense = np.linspace(0, 1, 101)
    for poses in (sample_poses_of(a, dense[1:-1]), sample_between(a, b, 0.25, 0.75, dense[1:-1])):
        speeds = R.angle_between(poses.rotations[1:], poses.rotations[:-1]) * 100
        assert np.ptp(speeds, axis=0).max() < 1e-6


def test_one_clip_agrees_with_resampling() -> None:
    clip = make_sample("walk_normal").clip
    at = np.array([0, 0.25, 10.5, 99.9])
    poses, want = sample_poses_of(clip, at), sample_at(clip, at, clip.fps)
    assert R.angle_between(poses.rotations, want.rotations.astype(np.float64)).max() < 1e-5
    np.testing.assert_allclose(poses.root, want.root, atol=1e-6)


def test_relative_roots_forget_where_clips_were_recorded() -> None:
    clip = make_sample("walk_normal").clip
    away = Clip(clip.skeleton, clip.rotations, clip.root + np.array([5, 0, -3], np.float32), clip.fps)
    mixed = sample_between(clip, away, [0, 40.5], [0, 40.5], 0.5, root="relative")
    np.testing.assert_allclose(mixed.root[0, [0, 2]], 0, atol=1e-6)
    np.testing.assert_allclose(mixed.root[:, 1], sample_poses_of(clip, [0, 40.5]).root[:, 1], atol=1e-6)
    at_home = sample_poses_of(clip, [0, 40.5], root="relative")
    np.testing.assert_allclose(mixed.root, at_home.root, atol=1e-5)


def test_the_operation() -> None:
    walk, run = make_sample("walk_normal").clip, make_sample("run").clip
    made = take_poses([walk, run], PoseParameters(at="10.5, 11", second_at="4", share="0.25"))
    assert (len(made), made.fps, made.name) == (2, walk.fps, "walk_normal+run")
    want = sample_between(walk, run, [10.5, 11], 4, 0.25).as_clip(walk.fps)
    np.testing.assert_array_equal(made.rotations, want.rotations)
    assert len(take_poses([walk])) == len(walk)
    with pytest.raises(ParameterError, match="one clip or between two"):
        take_poses([walk] * 3)
    with pytest.raises(ParameterError, match="at must be numbers"):
        PoseParameters(at="1,x")
    with pytest.raises(ParameterError, match="root must be"):
        PoseParameters(root="here")  # type: ignore[arg-type]
