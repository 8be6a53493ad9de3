"""Jerks that cancel in a recording and do not in a blend."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.edit.blending import put_together, take_apart
from reenact.edit.calming import calm
from reenact.samples import make_sample
from reenact.solve.joint_pushes import joint_pushes


def taken_apart():
    walk = make_sample("walk_normal").clip
    local = take_apart(walk, ())

    def show(one) -> Clip:
        return put_together(one, one.stands, walk)

    return walk, local, show


def test_a_calm_motion_is_not_touched() -> None:
    walk, local, show = taken_apart()
    assert calm(local, show, 1.01 * joint_pushes(walk).max(axis=0)) is local


def test_a_jump_of_one_frame_is_taken_out_and_the_rest_stays() -> None:
    walk, local, show = taken_apart()
    shoulder = walk.skeleton.roles["left_upper_arm"]
    turns = local.turns.copy()
    turns[70, shoulder] = R.multiply(R.from_axis_angle((1.0, 0.0, 0.0), np.radians(8.0)), turns[70, shoulder])
    jerky = replace(local, turns=turns)
    limit = np.maximum(1.1 * joint_pushes(walk).max(axis=0), 1.0)
    assert (joint_pushes(show(jerky)) / limit).max() > 2
    calmed = calm(jerky, show, limit)
    assert (joint_pushes(show(calmed)) / limit).max() <= 1.0
    far = np.abs(np.arange(len(walk)) - 70) > 0.3 * walk.fps
    np.testing.assert_allclose(calmed.turns[far], jerky.turns[far], atol=1e-12)
    assert np.degrees(R.angle_between(calmed.turns, local.turns)).max() < 6.0


def test_the_ends_of_the_window_stay() -> None:
    walk, local, show = taken_apart()
    turns = local.turns.copy()
    turns[3] = R.multiply(R.from_axis_angle((1.0, 0.0, 0.0), np.radians(8.0)), turns[3])
    calmed = calm(replace(local, turns=turns), show, joint_pushes(walk).max(axis=0))
    np.testing.assert_allclose(calmed.turns[[0, 1, -2, -1]], turns[[0, 1, -2, -1]], atol=1e-12)
