"""Foot plants of blends."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.blend.blended_plants import blend_plants, blended_intervals
from reenact.blend.timing import Schedule
from reenact.blend.weights import passing_weights
from reenact.core.foot_plants import FootContact, FootPlants, intervals_of, mask_of


def schedule(weights, count=101):
    """Frames one by one, u the frame itself; constant weights or (N, k)."""
    u = np.arange(count, dtype=float)
    used = np.broadcast_to(np.asarray(weights, dtype=float), (count, np.shape(weights)[-1]))
    return Schedule(u, np.repeat(u[:, None], used.shape[1], axis=1), used)


def plants(heel, ball, count=101):
    none = FootContact(np.zeros(count, bool), np.zeros(count, bool))
    return FootPlants(FootContact(mask_of(heel, count), mask_of(ball, count)), none, 30.0)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_the_ends_are_linear_in_the_weights(share):
    match = ((10.0, 30.0), (18.0, 50.0))
    [(start, end)] = blended_intervals([match], schedule([1 - share, share]))
    assert start == np.ceil(10 + 8 * share)
    assert end == np.floor(30 + 20 * share) + 1


def test_changing_weights_give_one_stretch():
    """Weights that swing would turn the plant on and off: it is on from its first frame to its last."""
    u = np.arange(101.0)
    swing = 0.5 + 0.5 * np.sin(u)
    used = np.column_stack([swing, 1 - swing])
    found = blended_intervals([((20.0, 60.0), (30.0, 70.0))], Schedule(u, np.zeros((101, 2)), used))
    assert len(found) == 1
    assert 20 <= found[0][0] <= 30
    assert 60 <= found[0][1] <= 71


def test_a_match_that_is_never_met_is_left_out():
    assert blended_intervals([((200.0, 210.0), (200.0, 210.0))], schedule([0.5, 0.5])) == []


def test_one_motion_alone_keeps_all_of_its_own():
    own = plants([(5, 20), (40, 60)], [(15, 30)])
    other = plants([(7, 18)], [])
    matches = {"left_heel": [((4.5, 19.5), (6.5, 17.5))]}
    found = blend_plants(matches, [own, other], schedule([1.0, 0.0]), 30.0)
    assert found is not None
    assert np.array_equal(found.left.heel, own.left.heel)
    assert np.array_equal(found.left.ball, own.left.ball)
    mixed = blend_plants(matches, [own, other], schedule([0.5, 0.5]), 30.0)
    assert mixed is not None
    assert intervals_of(mixed.left.heel) == [(6, 19)]
    assert not mixed.left.ball.any(), "a plant without partner is gone"


def test_a_transition_keeps_partnerless_plants_at_its_ends():
    own, other = plants([(0, 8)], []), plants([(92, 101)], [])
    share = np.linspace(0, 1, 101)
    used = np.array([passing_weights(2).at(0, p) for p in share])
    found = blend_plants({}, [own, other], schedule(used), 30.0)
    assert found is not None
    assert intervals_of(found.left.heel) == [(0, 8), (92, 101)]


def test_heel_and_ball_of_a_step_follow_each_other():
    matches = {"left_heel": [((10.0, 20.0), (10.0, 20.0))], "left_ball": [((22.0, 40.0), (22.0, 40.0))]}
    found = blend_plants(matches, [plants([], []), plants([], [])], schedule([0.5, 0.5]), 30.0)
    assert found is not None
    assert intervals_of(found.left.plant) == [(10, 41)]
    apart = {"left_heel": [((10.0, 20.0), (10.0, 20.0))], "left_ball": [((30.0, 40.0), (30.0, 40.0))]}
    found = blend_plants(apart, [plants([], []), plants([], [])], schedule([0.5, 0.5]), 30.0)
    assert found is not None
    assert len(found.left.intervals()) == 2


def test_unknown_plants_of_a_motion_that_counts():
    own = plants([(0, 8)], [])
    assert blend_plants({}, [own, None], schedule([0.5, 0.5]), 30.0) is None
    assert blend_plants({}, [own, None], schedule([1.0, 0.0]), 30.0) is not None


def test_what_stands_in_every_motion_stands_in_the_blend():
    """Bodies that shift about: their plants begin and end apart and are no match, yet for a while both stand."""
    own, other = plants([(10, 60), (70, 72)], []), plants([(40, 90)], [])
    found = blend_plants({}, [own, other], schedule([0.5, 0.5]), 30.0)
    assert found is not None
    assert intervals_of(found.left.heel) == [(40, 60)], "and two frames are no stance"
    alone = blend_plants({}, [own, other], schedule([1.0, 0.0]), 30.0)
    assert alone is not None
    assert intervals_of(alone.left.heel) == [(10, 60), (70, 72)]
