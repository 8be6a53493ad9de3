"""Flights and falls, with known accelerations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reenact.analysis.free_flight import G, find_falls, find_flights, mass_weights, runs
from reenact.analysis.limbs import find_limbs
from reenact.core.skeleton import Skeleton


def jump(seconds: float, fps: float, fall: float = G) -> np.ndarray:
    """(F,) height over the floor: 0.5 s on it, one parabola, 0.5 s on it."""
    times = np.arange(int((1 + seconds) * fps)) / fps - 0.5
    return np.where((times > 0) & (times < seconds), fall / 2 * times * (seconds - times), 0.0)


@given(st.floats(0.25, 0.8), st.sampled_from([30.0, 60.0, 100.0]), st.floats(-2, 2))
def test_a_jump_falls_at_g(seconds: float, fps: float, speed: float) -> None:
    assume(seconds * fps > 10)
    height = jump(seconds, fps)
    times = np.arange(len(height)) / fps
    mass = np.stack([speed * times, 0.95 + height, 0 * times], axis=1)
    points = np.stack([mass - [0, 0.95, 0], mass - [0.2, 0.95, 0]], axis=1)
    (flight,) = find_flights(mass, points, 0.83, fps)
    assert flight.fall == pytest.approx(G, rel=0.05)
    assert flight.seconds <= seconds


def test_standing_on_a_hand_is_no_flight() -> None:
    """A parabola of the centre of mass with one point held over the floor: a vault."""
    height = jump(0.6, 60.0)
    mass = np.stack([0 * height, 0.95 + height, np.arange(len(height)) / 60], axis=1)
    held = np.tile([0, 0.4, 1.0], (len(height), 1))
    held[height == 0] = [0, 0, 0]
    points = np.stack([mass - [0, 0.95, 0], held], axis=1)
    assert find_flights(mass, points, 0.83, 60.0) == []


def test_a_flight_cut_by_the_end_of_the_clip_does_not_count() -> None:
    height = jump(0.6, 60.0)[:45]
    mass = np.stack([0 * height, 0.95 + height, 0 * height], axis=1)
    assert find_flights(mass, mass[:, None] - [0, 0.95, 0], 0.83, 60.0) == []


@pytest.mark.parametrize(("fall", "count"), [(G, 0), (1.3 * G, 0), (4 * G, 1)])
def test_only_falls_beyond_g_are_found(fall: float, count: int) -> None:
    found = find_falls(0.9 + jump(0.3, 60.0, fall), 60.0)
    assert len(found) == count
    for one in found:
        assert one.fall == pytest.approx(fall, rel=0.15)
        assert one.push > G


def test_a_fault_of_one_frame_is_rough() -> None:
    height = np.full(100, 0.9)
    height[50:] += 0.1
    assert all(one.rough > 0.15 for one in find_falls(height, 60.0))


def test_too_few_frames_have_no_falls() -> None:
    assert find_falls(np.zeros(4), 60.0) == []


def test_weights_sum_to_one(body: Skeleton) -> None:
    limbs = find_limbs(body)
    assert limbs is not None
    assert sum(mass_weights(limbs).values()) == pytest.approx(1)


@given(st.lists(st.booleans(), max_size=30))
def test_runs_are_the_true_ranges(values: list[bool]) -> None:
    mask = np.array(values, dtype=bool)
    again = np.zeros(len(mask), bool)
    for begin, end in runs(mask):
        assert begin < end
        assert mask[begin:end].all()
        again[begin:end] = True
    np.testing.assert_array_equal(mask, again)
