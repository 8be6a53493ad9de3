"""The published detectors: de-bouncing, presets, seeds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reenact.analysis.debounce import debounce
from reenact.analysis.plants_grow import GROW_THESIS, detect_grow, grow, turning_points
from reenact.analysis.plants_threshold import CMU_UNIT, THESIS, ThresholdPlantParameters, detect_threshold
from reenact.core.foot_plants import intervals_of
from reenact.samples import make_sample

MASKS = arrays(np.bool_, st.integers(0, 60))


@given(MASKS, st.integers(0, 6))
def test_debounce_only_adds_and_keeps_long_gaps(mask: np.ndarray, half: int) -> None:
    once = debounce(mask, half)
    assert (once | mask).tolist() == once.tolist()
    for start, end in intervals_of(~mask):
        inside = start > 0 and end < len(mask)
        closed = inside and end - start < 2 * half
        assert once[start:end].tolist() == [closed] * (end - start)


@given(MASKS, st.integers(0, 6))
def test_debounce_marks_what_has_marks_on_both_sides(mask: np.ndarray, half: int) -> None:
    once = debounce(mask, half)
    for i in range(len(mask)):
        if mask[max(0, i - half) : i].any() and mask[i + 1 : i + half + 1].any():
            assert once[i]


@given(arrays(np.bool_, st.tuples(st.integers(0, 60), st.integers(1, 3))), st.integers(0, 6))
def test_debounce_twice_is_debounce_once(mask: np.ndarray, half: int) -> None:
    once = debounce(mask, half)
    np.testing.assert_array_equal(debounce(once, half), once)
    for n in range(mask.shape[1]):
        np.testing.assert_array_equal(debounce(mask[:, n], half), once[:, n])


def test_constants_of_the_source_in_metres() -> None:
    assert abs(CMU_UNIT - 0.056444) < 1e-6
    assert abs(THESIS.height - 0.0056444) < 1e-7
    assert abs(THESIS.speed - 0.383822) < 1e-5
    assert (THESIS.floor, THESIS.scaled) == ("constant", False)
    assert GROW_THESIS.height == THESIS.height


def test_height_and_speed_both_count() -> None:
    sample = make_sample("walk_normal")
    loose = detect_threshold(sample.clip, ThresholdPlantParameters(height=10, speed=100))
    assert loose.left.plant.all()
    strict = detect_threshold(sample.clip, ThresholdPlantParameters(speed=1e-6, window=0))
    assert strict.left.plant.mean() < 0.9


def test_seeds_grow_to_the_ends_of_slow_runs() -> None:
    slow = np.array([0, 1, 1, 1, 0, 1, 1, 0], bool)[:, None]
    seeds = np.array([0, 0, 1, 0, 0, 0, 0, 1], bool)[:, None]
    assert grow(seeds, slow)[:, 0].tolist() == [False, True, True, True, False, False, False, False]
    heights = np.array([0.0, 1, 2, 1, 0, 0])[:, None]
    assert turning_points(heights)[:, 0].tolist() == [False, False, True, False, True, True]


def test_seed_and_grow_finds_the_steps_of_a_walk() -> None:
    sample = make_sample("walk_normal", 120.0)
    plants = detect_grow(sample.clip)
    for side in ("left", "right"):
        truth = sample.truth.foot(side).planted
        assert np.mean(plants.foot(side).plant == truth) > 0.9
        assert len(plants.foot(side).intervals()) == len(intervals_of(truth))
