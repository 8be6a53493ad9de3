"""Feet led through goals: what is steered begins and ends where the motion around it goes on."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.core.cutting import cut_frames
from reenact.core.placement import move_rigidly
from reenact.samples import make_sample
from reenact.solve.feet import find_feet, track_foot
from reenact.solve.steering import FootGoal, steer_feet


@pytest.mark.parametrize("raised", [0.01, -0.02])
def test_the_body_does_not_move_at_the_ends(raised: float) -> None:
    """A leg that is led up to the last frame moved the body there by centimetres: every joint jumped in the frame after."""
    walk = cut_frames(make_sample("walk_normal").clip, 40, 120)
    higher = move_rigidly(walk, (0.0, raised, 0.0)).world(np.float64)
    goals = []
    for foot in find_feet(walk.skeleton, walk):
        planted = np.zeros(len(walk), np.bool_)
        planted[50:] = True
        goals.append(FootGoal(foot, planted, track_foot(higher, foot)))
    steered = steer_feet(walk, goals, firm=True)
    assert steered.pelvis > 0.002
    moved = np.abs(steered.clip.root - walk.root).max(axis=1)
    assert moved[[0, 1, -2, -1]].max() < 1e-6
