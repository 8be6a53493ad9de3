"""Kernels of legs and fades: equal to their plain twins, and true to what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact import kernels
from reenact.core import rotations as R


def random_legs(seed: int, frames: int = 40, legs: int = 2) -> tuple[np.ndarray, ...]:
    """Hips, knees, ankles (F, L, 3), hinges (F, L, 3) of legs bent by -0.1 to 2 radians, and targets some centimetres away."""
    rng = np.random.default_rng(seed)
    turn = R.normalize(rng.normal(size=(frames, legs, 4)))
    bend = rng.uniform(0.0, 2.0, (frames, legs)) * rng.choice([-0.05, 0.0, 0.05, 1.0], (frames, legs))
    thigh = np.broadcast_to([0.0, -0.42, 0.0], (frames, legs, 3))
    shank = np.stack([np.zeros_like(bend), -0.4 * np.cos(bend), -0.4 * np.sin(bend)], axis=-1)
    hips = rng.normal(size=(frames, legs, 3))
    knees = hips + R.rotate(turn, thigh)
    ankles = knees + R.rotate(turn, shank)
    hinges = R.rotate(turn, np.broadcast_to([-1.0, 0.0, 0.0], (frames, legs, 3)))
    targets = ankles + rng.normal(size=(frames, legs, 3)) * rng.choice([0.0, 0.005, 0.05])
    return hips, knees, ankles, hinges, targets


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.02]))
def test_a_leg_bends_as_its_twin_does(seed: int, stretch: float) -> None:
    hips, knees, ankles, hinges, targets = (part[:, 0].copy() for part in random_legs(seed))
    active = np.random.default_rng(seed).random(len(hips)) < 0.8
    asked = hips, knees, ankles, targets, hinges, active, stretch
    for ours, plain in zip(kernels.legs.bend_legs(*asked), kernels.leg_twins.bend_legs(*asked), strict=True):
        np.testing.assert_allclose(ours, plain, atol=1e-7)


def test_a_bent_leg_comes_to_its_target() -> None:
    hips, knees, ankles, hinges, _ = (part[:, 0].copy() for part in random_legs(3, 400))
    bend = np.arccos(np.clip(np.einsum("ij,ij->i", R.normalize(knees - hips), R.normalize(ankles - knees)), -1, 1))
    chosen = bend > 0.5
    hips, knees, ankles, hinges = (part[chosen] for part in (hips, knees, ankles, hinges))
    targets = ankles + np.random.default_rng(1).normal(size=hips.shape) * 0.01
    active = np.ones(len(hips), np.bool_)
    hip, knee, missed, stretched = kernels.legs.bend_legs(hips, knees, ankles, targets, hinges, active)
    there = hips + R.rotate(hip, knees - hips) + R.rotate(knee, ankles - knees)
    assert missed.max() < 1e-9
    assert np.linalg.norm(there - targets, axis=1).max() < 1e-9
    assert (stretched == 1.0).all()


@pytest.mark.parametrize("bend", [-0.08, -0.02, 0.0, 0.02, 0.2])
def test_a_knee_that_is_locked_or_bent_a_little_the_wrong_way_comes_to_a_nearer_target(bend: float) -> None:
    hip, knee = np.array([[0.0, 0.0, 0.0]]), np.array([[0.0, -0.42, 0.0]])
    ankle = knee + [[0.0, -0.4 * np.cos(bend), -0.4 * np.sin(bend)]]
    hinge, active = np.array([[-1.0, 0.0, 0.0]]), np.ones(1, np.bool_)
    for nearer in (0.006, 0.012, 0.03):
        turned, bent, missed, _ = kernels.legs.bend_legs(hip, knee, ankle, ankle * (1 - nearer / 0.82), hinge, active)
        assert missed[0] < 1e-9
        forward = (R.rotate(turned, knee) - hip)[0, 2]
        assert forward > 0  # the right way
        assert np.isfinite(bent).all()


def test_a_target_out_of_reach_is_missed_by_what_it_is_too_far() -> None:
    hips, knees, ankles = np.zeros((1, 3)), np.array([[0.0, -0.4, 0.1]]), np.array([[0.0, -0.8, 0.0]])
    length = 2 * np.hypot(0.4, 0.1)
    target, hinge = np.array([[0.0, -1.0, 0.0]]), np.array([[-1.0, 0.0, 0.0]])
    active = np.ones(1, np.bool_)
    _, _, missed, _ = kernels.legs.bend_legs(hips, knees, ankles, target, hinge, active)
    assert missed[0] == pytest.approx(1.0 - length, abs=1e-9)
    _, _, missed, stretched = kernels.legs.bend_legs(hips, knees, ankles, target, hinge, active, 0.02)
    assert stretched[0] == pytest.approx(1.02)
    assert missed[0] == pytest.approx(1.0 - 1.02 * length, abs=1e-9)


def test_legs_of_no_length_are_left_alone() -> None:
    zero, active = np.zeros((2, 3)), np.ones(2, np.bool_)
    target = np.ones((2, 3))
    hip, knee, missed, _ = kernels.legs.bend_legs(zero, zero, zero, target, target, active)
    assert np.isfinite(hip).all()
    assert np.isfinite(knee).all()
    np.testing.assert_allclose(missed, np.sqrt(3))


@given(st.integers(0, 10_000))
def test_turns_go_down_a_chain_as_their_twin_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frames, joints = 12, 6
    local = R.normalize(rng.normal(size=(frames, joints, 4)))
    parents = np.array([-1, 0, 1, 2, 3, 4], np.int32)
    _, world = kernels.kinematics.forward_kinematics(local, np.zeros((frames, 3)), np.zeros((joints, 3)), parents)
    chain = np.array([1, 3, 4], np.int32)
    turns = R.normalize(rng.normal(size=(3, frames, 4)))
    active = rng.random(frames) < 0.7
    ours, plain = local.copy(), local.copy()
    kernels.legs.turn_chain(world, parents[chain], chain, turns, active, ours)
    kernels.leg_twins.turn_chain(world, parents[chain], chain, turns, active, plain)
    np.testing.assert_allclose(ours, plain, atol=1e-12)
    np.testing.assert_array_equal(ours[~active], local[~active])
    _, turned = kernels.kinematics.forward_kinematics(ours, np.zeros((frames, 3)), np.zeros((joints, 3)), parents)
    wanted = kernels.twins.multiply(turns[2], world[:, 4])
    assert R.angle_between(turned[:, 4], wanted)[active].max(initial=0.0) < 1e-6


@given(st.integers(0, 10_000))
def test_fades_are_those_of_their_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frames = int(rng.integers(1, 80))
    values, known = rng.normal(size=(frames, 3)), rng.random(frames) < rng.random()
    asked = rng.uniform(1, 20), int(rng.integers(3, 8)), rng.uniform(1, 9), rng.uniform(1, 5), 0.1
    ours, plain = (f(values, known, *asked) for f in (kernels.fading.fade, kernels.fading_twins.fade))
    np.testing.assert_allclose(ours, plain, atol=1e-8)
    np.testing.assert_array_equal(ours[known], values[known])


def test_a_fade_has_no_jump_in_value_slope_or_curvature() -> None:
    time = np.linspace(0, 1, 1001)[:, None]
    values, known = 0.3 + 0.5 * time - 0.8 * time**2, (time[:, 0] > 0.4) & (time[:, 0] < 0.6)
    out = kernels.fading.fade(values, known, 300.0, 50, 120.0, 60.0, 1.0)
    assert np.abs(np.diff(out, axis=0)).max() < 0.01
    bends = np.abs(np.diff(out, 2, axis=0))[:, 0]
    assert bends.max() < 3e-4
    assert np.abs(np.diff(out, 3, axis=0)).max() < 3e-5  # a jump in curvature would be as large as the curvature
    assert not out[:99].any()
    assert not out[901:].any()


@pytest.mark.parametrize("shorter", [0.001, 0.01, 0.05])
def test_a_nearly_straight_knee_never_bends_farther_than_its_target_asks(shorter: float) -> None:
    bends = np.linspace(-0.02, 0.1, 25)
    hips, knees = np.zeros((25, 3)), np.tile([0.0, -0.42, 0.0], (25, 1))
    ankles = knees + 0.4 * np.stack([np.zeros(25), -np.cos(bends), -np.sin(bends)], axis=1)
    targets = ankles * (1.0 - shorter)
    hinges = np.tile([-1.0, 0.0, 0.0], (25, 1))
    hip, knee, missed, _ = kernels.legs.bend_legs(hips, knees, ankles, targets, hinges, np.ones(25, np.bool_))
    there = R.rotate(hip, knees) + R.rotate(knee, ankles - knees)
    assert (np.linalg.norm(there, axis=1) >= np.linalg.norm(targets, axis=1) - 1e-9).all()
    assert (missed <= np.linalg.norm(ankles - targets, axis=1) + 1e-9).all()  # better than not bending at all
    assert missed[bends > 0].max() < 0.0008
