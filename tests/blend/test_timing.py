"""How fast a blend goes along its curve."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.blend.time_warp import TimeWarp
from reenact.blend.timing import KeyTimes, find_key_times, schedule_blend, schedule_cells
from reenact.blend.weights import constant_weights, passing_weights, weights_of
from reenact.core.foot_plants import FootContact, FootPlants, mask_of
from reenact.errors import ParameterError

SEEDS = st.integers(0, 2**32 - 1)


def some_warp(seed: int, motions: int = 2, pieces: int = 20) -> TimeWarp:
    """A random warp whose motions have whole numbers of frames."""
    rng = np.random.default_rng(seed)
    slopes = rng.uniform(0.4, 1.6, (pieces + 1, motions))
    slopes *= np.round(slopes.sum(axis=0) * 6) / (6 * (slopes[:-1] + slopes[1:]).sum(axis=0) / 2)
    return TimeWarp.from_slopes(np.zeros(motions), slopes, 6.0)


@given(SEEDS, st.integers(0, 2))
def test_all_the_weight_on_one_motion_is_a_frame_for_a_frame(seed, motion):
    warp = some_warp(seed, 3)
    schedule = schedule_blend(warp, constant_weights(np.eye(3)[motion], 3), 30.0)
    steps = np.diff(schedule.frames[:, motion])
    assert np.abs(steps - 1).max() < 1e-6
    assert len(schedule) == round(warp.end[motion]) + 1


@given(SEEDS, st.floats(0.01, 0.99))
def test_the_length_is_bounded_and_time_never_runs_back(seed, share):
    warp = some_warp(seed)
    schedule = schedule_blend(warp, constant_weights([share, 1 - share], 2), 30.0)
    assert np.all(np.diff(schedule.u) > 0)
    assert schedule.u[0] == 0
    assert schedule.u[-1] == warp.length
    assert len(schedule) - 1 <= share * warp.end[0] + (1 - share) * warp.end[1] + 1
    assert np.allclose(schedule.frames[-1], warp.end)
    assert abs(schedule.rate - 1) < 0.6 / (len(schedule) - 1)


def test_no_step_is_cut_short():
    warp = some_warp(3)
    schedule = schedule_blend(warp, constant_weights([0.37, 0.63], 2), 30.0)
    steps = np.diff(schedule.u)
    assert abs(steps[-1] - steps[-2]) < 0.2 * steps[-2]


def test_weights_of_time_are_met():
    warp = some_warp(4)
    schedule = schedule_blend(warp, weights_of("1:1,0; 2:0,1", 2), 30.0)
    assert np.all(schedule.weights[:31, 0] == 1)
    assert np.all(schedule.weights[60:, 1] == 1)
    assert np.abs(np.diff(schedule.frames[:30, 0]) - schedule.rate).max() < 1e-6
    assert np.abs(np.diff(schedule.frames[62:, 1]) - schedule.rate).max() < 1e-6


def test_path_cells_give_a_frame_for_a_cell():
    path = np.array([[0, 0], [1, 1], [2, 1], [3, 2]])
    schedule = schedule_cells(path, path.mean(axis=1), passing_weights(2), 30.0)
    assert np.array_equal(schedule.frames, path)
    assert np.allclose(schedule.weights[[0, -1]], np.eye(2))


def _plants(frames, left, right):
    feet = [FootContact(mask_of(side, frames), mask_of(side, frames)) for side in (left, right)]
    return FootPlants(feet[0], feet[1], 30.0)


def test_key_times_join_equal_events():
    one = _plants(50, [(0, 20), (30, 50)], [(10, 40)])
    other = _plants(80, [(0, 30), (45, 80)], [(15, 60)])
    keys = find_key_times([one, other], [50, 80])
    assert isinstance(keys, KeyTimes)
    assert np.allclose(keys.events[:, 0], [0, 10, 19, 30, 39, 49], atol=0.01)
    assert np.allclose(keys.events[:, 1], [0, 15, 29, 45, 59, 79], atol=0.01)
    for motion in (0, 1):
        schedule = schedule_blend(keys, constant_weights(np.eye(2)[motion], 2), 30.0)
        assert np.abs(np.diff(schedule.frames[:, motion]) - 1).max() < 1e-6
    half = schedule_blend(keys, constant_weights([1, 1], 2), 30.0)
    assert np.all(np.diff(half.frames, axis=0) > 0)
    assert len(half) < 65


def test_key_times_need_the_same_steps():
    one, other = _plants(50, [(0, 20)], [(10, 40)]), _plants(50, [(0, 20), (30, 50)], [(10, 40)])
    with pytest.raises(ParameterError, match=r"same steps in every motion.*event 3"):
        find_key_times([one, other], [50, 50])
    with pytest.raises(ParameterError, match="motion 1 has none"):
        find_key_times([one, None], [50, 50])
