"""Joints against themselves: accelerations, glitches of recordings, what is usual."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.samples import make_sample
from reenact.solve.joint_pushes import LEAST_PUSH, around, find_glitches, joint_pushes, usual_pushes


@pytest.fixture(scope="module")
def walk() -> Clip:
    return make_sample("walk_normal").clip


def twitched(clip: Clip, frame: int, joint: str, degrees: float) -> Clip:
    rotations = clip.rotations.copy()
    index = clip.skeleton.joint(joint)
    turn = R.from_axis_angle((1.0, 0.0, 0.0), np.radians(degrees))
    rotations[frame, index] = R.multiply(turn, rotations[frame, index].astype(np.float64)).astype(np.float32)
    return replace(clip, rotations=rotations)


def test_short_clips_are_not_pushed(walk: Clip) -> None:
    short = replace(walk, rotations=walk.rotations[:2], root=walk.root[:2])
    assert not joint_pushes(short).any()
    assert (usual_pushes([short]) == LEAST_PUSH).all()


def test_free_fall_pushes_every_joint_by_g(walk: Clip) -> None:
    time = np.arange(60) / walk.fps
    root = np.stack([0 * time, 1 - 0.5 * 9.81 * time**2, 0 * time], axis=1)
    still = replace(walk, rotations=np.repeat(walk.rotations[:1], 60, axis=0), root=root.astype(np.float32))
    assert np.allclose(joint_pushes(still)[1:-1], 9.81, atol=0.05)


def test_a_glitch_is_found_where_it_is_and_nowhere_else(walk: Clip) -> None:
    assert not find_glitches(walk).any()
    bad = twitched(walk, 100, "left_upper_arm", 25.0)
    found = find_glitches(bad)
    elbow = walk.skeleton.roles["left_lower_arm"]
    assert found[100, elbow]
    assert set(np.flatnonzero(found.any(axis=1))) <= set(range(97, 104))
    moved = set(walk.skeleton.subtree(walk.skeleton.roles["left_upper_arm"]))
    assert set(np.flatnonzero(found.any(axis=0))) <= moved


def test_a_glitch_makes_no_room(walk: Clip) -> None:
    bad = twitched(walk, 100, "left_upper_arm", 25.0)
    own, with_glitch = usual_pushes([walk]), usual_pushes([bad])
    assert joint_pushes(bad).max() > 3 * own.max()
    assert np.allclose(with_glitch, own, rtol=0.35)


@pytest.mark.parametrize("frame", [0, -1])
def test_a_first_or_last_frame_that_is_elsewhere_makes_no_room(walk: Clip, frame: int) -> None:
    root = walk.root.copy()
    root[frame] += np.float32(0.5)
    bad = replace(walk, root=root)
    assert joint_pushes(bad).max() > 20 * usual_pushes([walk]).max()
    assert np.allclose(usual_pushes([bad]), usual_pushes([walk]), rtol=0.05)


def test_around_is_the_hardest_nearby() -> None:
    pushes = np.zeros((20, 1))
    pushes[10] = 5.0
    assert np.flatnonzero(around(pushes)[:, 0]).tolist() == [7, 8, 9, 10, 11, 12, 13]
