"""Sampled worlds and joint paths equal the whole forward kinematics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.analysis.sampling import joint_paths, sample_world
from reenact.core.clip import Clip, JointTranslations
from reenact.core.rotations import normalize
from reenact.core.skeleton import Skeleton


def random_clip(seed: int, frames: int, *, moved: bool = False) -> Clip:
    random = np.random.default_rng(seed)
    joints = int(random.integers(2, 12))
    parents = np.array([-1] + [int(random.integers(0, j)) for j in range(1, joints)])
    skeleton = Skeleton(tuple(f"j{n}" for n in range(joints)), parents, random.normal(size=(joints, 3)))
    translations = None
    if moved:
        which = np.unique(random.integers(1, joints, size=2))
        translations = JointTranslations(which, random.normal(size=(frames, len(which), 3)))
    rotations = normalize(random.normal(size=(frames, joints, 4)))
    return Clip(skeleton, rotations, random.normal(size=(frames, 3)), 60.0, translations=translations)


@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 5), st.booleans())
def test_paths_are_those_of_the_whole_clip(seed: int, frames: int, step: int, moved: bool) -> None:
    clip = random_clip(seed, frames, moved=moved)
    random = np.random.default_rng(seed + 1)
    joints = [int(j) for j in random.integers(0, len(clip.skeleton), size=3)]
    expected = clip.world().positions[::step, joints]
    np.testing.assert_allclose(joint_paths(clip, joints, step), expected, atol=1e-4)


@given(st.integers(0, 10**6), st.integers(1, 60), st.integers(2, 20), st.booleans())
def test_sampled_frames_are_frames_of_the_clip(seed: int, frames: int, most: int, moved: bool) -> None:
    clip = random_clip(seed, frames, moved=moved)
    sample, whole = sample_world(clip, most), clip.world()
    assert len(sample.positions) == min(frames, most)
    np.testing.assert_array_equal(sample.positions[[0, -1]], whole.positions[[0, -1]])
    nearest = [np.abs(whole.positions - one).max(axis=(1, 2)).min() for one in sample.positions]
    assert max(nearest) == pytest.approx(0, abs=1e-5)
