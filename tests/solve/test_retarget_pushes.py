"""Pushes that holding feet has added are taken out, and held feet stay where they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootContact, FootPlants
from reenact.samples import make_sample
from reenact.solve.feet import find_feet
from reenact.solve.joint_pushes import around, joint_pushes, usual_pushes
from reenact.solve.retarget_pushes import calm_pushes

WALK = make_sample("walk_normal").clip
FEET = find_feet(WALK.skeleton, WALK)


def plants(left: bool, right: bool) -> FootPlants:
    """A foot that is held in every frame, or in none."""
    feet = [FootContact(np.full(len(WALK), down), np.full(len(WALK), down)) for down in (left, right)]
    return FootPlants(feet[0], feet[1], WALK.fps)


def allowed() -> np.ndarray:
    return np.maximum(usual_pushes([WALK]), around(joint_pushes(WALK)))


def hardest(clip: Clip) -> float:
    return float((joint_pushes(clip) / allowed()).max())


def test_a_calm_motion_is_not_touched() -> None:
    assert calm_pushes(WALK, WALK, plants(True, True), FEET, allowed()) is WALK


def test_a_body_that_is_jolted_is_not_and_its_feet_stay() -> None:
    jolt = np.zeros((len(WALK), 3))
    jolt[60:, 1] = -0.01  # from one frame to the next
    jolted = replace(WALK, root=(WALK.root + jolt).astype(np.float32))
    assert hardest(jolted) > 2.0
    made = calm_pushes(jolted, WALK, plants(True, True), FEET, allowed())
    assert hardest(made) < 1.3
    before, after = (clip.world(np.float64).positions for clip in (jolted, made))
    ankles = [foot.leg.end for foot in FEET]
    assert np.linalg.norm(after[:, ankles] - before[:, ankles], axis=2).max() < 0.002
    assert np.abs(made.root[:40] - jolted.root[:40]).max() < 1e-6
    assert np.abs(made.root[90:] - jolted.root[90:]).max() < 1e-6


def test_a_knee_that_pops_in_the_air_is_calmed_where_it_does() -> None:
    foot = FEET[0]
    rotations = WALK.rotations.astype(np.float64)
    bend = R.exp(0.12 * foot.hinge)
    rotations[70, foot.leg.root] = R.multiply(rotations[70, foot.leg.root], bend)
    rotations[70, foot.leg.mid] = R.multiply(rotations[70, foot.leg.mid], R.conjugate(R.multiply(bend, bend)))
    level = WALK.world(np.float64).rotations[70, [foot.leg.mid, foot.leg.end]]
    shank = R.multiply(level[0], R.conjugate(bend))  # the foot stays level
    rotations[70, foot.leg.end] = R.multiply(R.conjugate(shank), level[1])
    popped = replace(WALK, rotations=rotations.astype(np.float32))
    assert hardest(popped) > 2.0
    made = calm_pushes(popped, WALK, plants(False, True), FEET, allowed())
    assert hardest(made) < 1.3
    places = [clip.world(np.float64).positions for clip in (popped, made)]
    others = [joint for joint in range(len(WALK.skeleton)) if joint not in WALK.skeleton.subtree(foot.leg.root)]
    assert np.abs(places[0][:, others] - places[1][:, others]).max() < 1e-6
    assert np.abs(places[0][:50] - places[1][:50]).max() < 1e-6
    held = calm_pushes(popped, WALK, plants(True, True), FEET, allowed())
    ankle = foot.leg.end
    gap = held.world(np.float64).positions[:, ankle] - places[0][:, ankle]
    assert np.linalg.norm(gap, axis=1).max() < 0.002
