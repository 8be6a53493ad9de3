"""Corrections between shapes that were worked out before."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.capsule_body import capsule_body

import reenact
from reenact.adapt.contact_body import contact_body
from reenact.adapt.corrections import Corrections
from reenact.adapt.parameters import AdaptParameters
from reenact.adapt.shape_space import KERNELS, LEVELS, ShapeSpace, fit_shapes, grow_shape, growing_clip
from reenact.errors import ParameterError
from reenact.samples import make_sample


def some_space(seed: int = 0) -> ShapeSpace:
    """The thesis' grid of 243 shapes with corrections drawn by chance."""
    clip = reenact.cut(make_sample("walk_normal").clip, start=0, end=60).clip
    nodes = np.array(list(itertools.product(LEVELS, repeat=5)))
    axes = ("trunk", "left_arm", "right_arm", "left_leg", "right_leg")
    turns = np.random.default_rng(seed).normal(0, 0.3, (243, 4, 16, 3))
    return ShapeSpace(
        axes,
        (LEVELS,) * 5,
        nodes,
        ("LeftArm", "RightArm", "LeftUpLeg", "RightUpLeg"),
        np.linspace(0, 59, 16),
        turns,
        clip,
    )


def test_shapes_that_are_none_are_refused():
    space = some_space()
    for girths, match in (({"tail": 1.0}, "no dimension"), ((1.0, 2.0), "5 girths"), ((np.nan,) * 5, "5 girths")):
        with pytest.raises(ParameterError, match=match):
            space.weights(girths)
    with pytest.raises(ParameterError, match="no kernel"):
        space.weights((1.0,) * 5, "round")
    with pytest.raises(ParameterError, match="no limb may be in two"):
        fit_shapes(space.clip, capsule_body(), ("body", "trunk"))
    with pytest.raises(ParameterError, match="rising"):
        fit_shapes(space.clip, capsule_body(), ("body",), (1.0, 0.5))


@pytest.mark.parametrize("kernel", ["linear", "chebyshev"])
def test_samples_come_out_exactly(kernel):
    space = some_space()
    for number in range(0, 243, 7):
        np.testing.assert_allclose(space.corrections(space.nodes[number], kernel), space.turns[number], atol=1e-12)


@pytest.mark.parametrize("kernel", KERNELS)
def test_nothing_leaves_the_range_of_the_samples(kernel):
    space = some_space()
    rng = np.random.default_rng(1)
    for _ in range(30):
        girths = rng.uniform(0.6, 1.7, 5)
        weights = space.weights(girths, kernel)
        assert weights.min() >= 0
        assert weights.sum() == pytest.approx(1)
        found = space.corrections(girths, kernel)
        assert np.all(found <= space.turns.max(axis=0) + 1e-12)
        assert np.all(found >= space.turns.min(axis=0) - 1e-12)


def test_a_straight_line_stays_one_between_hats():
    space = some_space()
    steps = space._steps(space.nodes)
    straight = ShapeSpace(
        space.axes, space.levels, space.nodes, space.joints, space.frames,
        (steps @ np.arange(1.0, 6.0))[:, None, None, None] * np.ones((1, 4, 16, 3)), space.clip,
    )  # fmt: skip
    girths = np.random.default_rng(2).uniform(0.75, 1.5, (20, 5))
    for row in girths:
        assert straight.corrections(row)[0, 0, 0] == pytest.approx(
            (straight._steps(row[None]) @ np.arange(1.0, 6.0))[0]
        )
    off = [abs(straight.corrections(row, "chebyshev")[0, 0, 0] - straight.corrections(row)[0, 0, 0]) for row in girths]
    assert max(off) > 0.01  # the kernel of the thesis does not


def test_a_body_that_grows_while_it_walks():
    body = capsule_body()
    clip = reenact.cut(make_sample("walk_normal").clip, start=0, end=100).clip
    space = fit_shapes(clip, body, ("arms",), (1.0, 2.4), AdaptParameters(rounds=1))
    assert space.joints
    girths = np.linspace(1, 2.4, len(clip))[:, None]
    layer = space.growing(girths)
    first, last = space.layer({"arms": 1.0}), space.layer({"arms": 2.4})
    for joint in space.joints:
        np.testing.assert_allclose(layer.turns[joint][0], first.turns[joint][0], atol=1e-12)
        np.testing.assert_allclose(layer.turns[joint][-1], last.turns[joint][-1], atol=1e-12)
    made = Corrections(len(clip), (layer,)).apply(clip)
    steps = [np.abs(np.diff(one.world(np.float64).positions, axis=0)).max() for one in (clip, made)]
    assert steps[1] < 1.5 * steps[0]
    biggest = grow_shape(body, {"arms": 2.2})
    contacts = contact_body(biggest)
    fitted = Corrections(len(clip), (space.layer({"arms": 2.2}),)).apply(clip)
    depth = [contacts.contacts(one.world(np.float64), reach=0.0).depths.sum() for one in (clip, fitted)]
    assert depth[0] > 0
    assert depth[1] < 0.3 * depth[0]


def test_hips_and_shoulders_move_with_the_trunk():
    body = capsule_body()
    clip = reenact.cut(make_sample("walk_normal").clip, start=0, end=40).clip
    girths = np.linspace(1, 1.5, len(clip))[:, None]
    made = growing_clip(clip, body, ("trunk",), girths)
    last = grow_shape(body, {"trunk": 1.5}).skeleton
    world, there = made.world(np.float64), clip.with_skeleton(last).world(np.float64)
    np.testing.assert_allclose(world.positions[-1], there.positions[-1], atol=1e-5)
    np.testing.assert_allclose(world.positions[0], clip.world(np.float64).positions[0], atol=1e-5)
    assert growing_clip(clip, body, ("legs",), girths) is clip
