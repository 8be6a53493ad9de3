"""The optimiser of an adaptation: slopes, monotone objective, bounds, and nothing where nothing is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from tests.capsule_body import capsule_body

from reenact.adapt.contact_body import contact_body
from reenact.adapt.control_points import place_control_points
from reenact.adapt.corrections import Corrections, Layer
from reenact.adapt.degrees import Degree, Degrees, Link, swing_axes
from reenact.adapt.space_time import solve_curves
from reenact.adapt.stages import arm_stage, elbow_degree, leg_stage, study, swing_degrees, twist_degree
from reenact.adapt.terms import KeptDirection, LittleChange, NoCollisions
from reenact.body.growth import GrowthParameters, grow
from reenact.core import rotations as R
from reenact.errors import ParameterError
from reenact.samples import make_sample


@pytest.fixture(scope="module")
def stout():
    return grow(capsule_body(), GrowthParameters(girth=1.2, trunk=1.3, joints=False))


@pytest.fixture(scope="module")
def body(stout):
    return contact_body(stout)


@pytest.fixture(scope="module")
def walk(stout):
    clip = make_sample("walk_normal").clip
    return type(clip)(stout.skeleton, clip.rotations, clip.root, clip.fps, clip.name)


def degrees_of(seen):
    skeleton = seen.clip.skeleton
    upper, lower = skeleton.require_roles("left_upper_arm", "left_lower_arm")
    found = swing_degrees(seen, upper, lower, "left", 1.5)
    return [*found, twist_degree(seen, upper, lower, "left", 1.5), elbow_degree(seen, "left")]


def slopes_by_differences(degrees, term, values):
    step = 1e-6
    base = term.residuals(degrees.pose(values))
    found = np.zeros((len(base.values), len(degrees)))
    for d in range(len(degrees)):
        ends = []
        for sign in (1, -1):
            moved = values.copy()
            moved[:, d] += sign * step
            ends.append(term.residuals(degrees.pose(moved)).values)
        assert len(ends[0]) == len(ends[1]) == len(base.values)
        found[:, d] = (ends[0] - ends[1]) / (2 * step)
    return base, found


@pytest.mark.parametrize("kind", ["change", "direction"])
def test_slopes_are_those_of_differences(walk, kind):
    seen = study(walk, 0.12)
    degrees = Degrees(walk, degrees_of(seen))
    lower, hand = walk.skeleton.require_roles("left_lower_arm", "left_hand")
    ways = np.tile((0.0, 0.0, 1.0), (len(walk), 1))
    term = LittleChange(degrees) if kind == "change" else KeptDirection(degrees, lower, hand, ways)
    values = np.random.default_rng(1).normal(0, 0.3, (len(walk), len(degrees)))
    base, found = slopes_by_differences(degrees, term, values)
    np.testing.assert_allclose(base.slopes, found, atol=1e-5)


def test_slopes_of_collisions_are_those_of_differences(walk, body):
    seen = study(walk, 0.12)
    degrees = Degrees(walk, degrees_of(seen))
    term = NoCollisions(degrees, body, body.chosen(("arm", "trunk")))
    values = np.random.default_rng(2).normal(0, 0.05, (len(walk), len(degrees)))
    posed = degrees.pose(values)
    base = term.residuals(posed)
    assert len(base.values) > 20
    step, now = 1e-7, body.contacts(posed.world, term.pairs)
    known = np.abs(np.linalg.norm(now.normals, axis=1) - 0.9) < 0.55  # elsewhere the slope is bounded
    assert known.mean() > 0.8
    checked = 0
    for d in range(len(degrees)):
        moved = values.copy()
        moved[:, d] += step
        later = body.contacts(degrees.pose(moved).world, term.pairs)
        if not (np.array_equal(now.frames, later.frames) and np.array_equal(now.pairs, later.pairs)):
            continue
        found = (later.depths - now.depths) / step
        off = np.abs(found - 0.01 * base.slopes[:, d])[known]
        assert np.quantile(off, 0.98) < 1e-4  # a point that crosses from cell to cell has two slopes
        checked += 1
    assert checked >= 2


def test_the_objective_never_rises_and_arms_come_free(walk, body):
    seen = study(walk, 0.12)
    before = body.contacts(walk.world(np.float64), body.chosen(("upper_arm", "trunk")), reach=0.0)
    assert len(before) > 0
    current = walk
    for side in ("left", "right"):
        stage = arm_stage(study(current, 0.12), body, side)
        assert all(b < a for a, b in zip(stage.costs, stage.costs[1:], strict=False))
        current = Corrections(len(current), (stage.layer,)).apply(current)
    after = body.contacts(current.world(np.float64), body.chosen(("upper_arm", "trunk")), reach=0.0)
    assert after.depths.sum() < 0.1 * before.depths.sum()
    assert len(seen.frames)


def test_arms_are_not_twisted(walk, body):
    stage = arm_stage(study(walk, 0.12), body, "left")
    made = Corrections(len(walk), (stage.layer,)).apply(walk)
    upper, lower = walk.skeleton.require_roles("left_upper_arm", "left_lower_arm")
    world = walk.world(np.float64)
    way = world.positions[:, lower] - world.positions[:, upper]
    parent = world.rotations[:, walk.skeleton.parents[upper]]
    turn = R.exp(stage.layer.turns["LeftArm"])
    _, twist = R.swing_twist(turn, R.rotate(R.conjugate(parent), way / np.linalg.norm(way, axis=1, keepdims=True)))
    assert np.abs(R.log(twist)).max() < 1e-6
    untouched = [joint for joint in range(len(walk.skeleton)) if joint != upper]
    np.testing.assert_array_equal(made.rotations[:, untouched], walk.rotations[:, untouched])


def test_a_body_that_touches_nothing_stays_what_it_is(walk):
    slim = grow(capsule_body(), GrowthParameters(girth=0.6))
    stage = arm_stage(study(walk, 0.12), contact_body(slim), "left")
    assert stage.layer.empty
    assert stage.costs == (0.0,)


def test_thighs_go_apart_by_equal_angles_and_the_trunk_stays(walk):
    stout = grow(capsule_body(), GrowthParameters(girth=1.0, legs=1.5, joints=False))
    stage = leg_stage(study(walk, 0.12), contact_body(stout))
    made = Corrections(len(walk), (stage.layer,)).apply(walk)
    before, after = (clip.world(np.float64) for clip in (walk, made))
    chest = walk.skeleton.roles["chest"]
    assert R.angle_between(before.rotations[:, chest], after.rotations[:, chest]).max() < 1e-3
    turned = [
        R.angle_between(before.rotations[:, j], after.rotations[:, j])
        for j in walk.skeleton.require_roles("left_upper_leg", "right_upper_leg")
    ]
    np.testing.assert_allclose(turned[0], turned[1], atol=2e-3)
    feet = walk.skeleton.require_roles("left_foot", "right_foot")
    gaps = [np.linalg.norm((w.positions[:, feet[0]] - w.positions[:, feet[1]]), axis=1).mean() for w in (before, after)]
    assert gaps[1] > gaps[0]


def test_bounds_hold(walk, body):
    seen = study(walk, 0.12)
    upper, lower = walk.skeleton.require_roles("left_upper_arm", "left_lower_arm")
    degrees = [Degree(one.name, one.links, 0.05) for one in swing_degrees(seen, upper, lower, "left", 1.0)]
    some = Degrees(walk, degrees)
    control = place_control_points(len(walk), walk.fps, 0.12)
    solved = solve_curves(
        some,
        control,
        np.arange(len(walk), dtype=np.int32),
        [NoCollisions(some, body, body.chosen(("upper_arm", "trunk")))],
        [LittleChange(some)],
    )
    assert 0.049 < np.abs(solved.points).max() <= 0.05 + 1e-12


def test_linked_joints_turn_together(walk):
    axis = np.tile((0.0, 0.0, 1.0), (len(walk), 1))
    left, right = walk.skeleton.require_roles("left_upper_leg", "right_upper_leg")
    degrees = Degrees(walk, [Degree("apart", (Link(left, axis), Link(right, -axis)))])
    vectors = degrees.vectors(np.full((len(walk), 1), 0.2))
    np.testing.assert_array_equal(vectors[left], -vectors[right])


def test_swing_axes_are_across_and_smooth():
    angle = np.linspace(0, 6, 200)
    ways = np.stack([np.sin(angle), -np.cos(angle), 0.2 * np.sin(2 * angle)], axis=1)
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    first, second = swing_axes(ways)
    for axis in (first, second):
        assert np.abs((axis * ways).sum(axis=1)).max() < 1e-12
        assert np.linalg.norm(np.diff(axis, axis=0), axis=1).max() < 0.08


def test_layers_can_be_switched_off(walk):
    turn = np.zeros((len(walk), 3))
    turn[10:20, 0] = 0.1
    layers = Corrections(len(walk), (Layer("arms", {"LeftArm": turn}), Layer("feet", {}, np.ones((len(walk), 3)))))
    assert layers.without("arms", "feet").apply(walk) is walk
    only = layers.without("feet").apply(walk)
    np.testing.assert_array_equal(only.rotations[:10], walk.rotations[:10])
    assert np.abs(only.rotations[12] - walk.rotations[12]).max() > 0.01
    with pytest.raises(ParameterError, match="no layer 'hat'"):
        layers.without("hat")
    with pytest.raises(ParameterError, match="shape"):
        Corrections(3, (Layer("arms", {"LeftArm": turn}),))


def test_control_points_add_up_to_one():
    control = place_control_points(100, 30.0, 0.2)
    _, weights = control.basis(np.arange(100))
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    line = np.linspace(0, 1, control.count)[:, None]
    np.testing.assert_allclose(np.diff(control.values(line, np.arange(100)), 2, axis=0), 0, atol=1e-12)
