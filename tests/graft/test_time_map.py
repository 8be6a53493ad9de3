from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.errors import ParameterError
from reenact.graft.time_map import STEEPEST, TimeMap


@pytest.mark.parametrize("rows", [[[0, 0]], [[0, 0], [5, 0]], [[0, 3], [0, 5]], [[0, 5], [5, 3]]])
def test_a_map_must_rise(rows) -> None:
    with pytest.raises(ParameterError, match="two anchors or more"):
        TimeMap(np.array(rows, float), "plants")


def test_motions_without_a_frame_in_common_are_refused() -> None:
    with pytest.raises(ParameterError, match="less than two frames in common"):
        TimeMap(np.array([[0, 100], [10, 110.0]]), "natural").within(11, 50)


def test_between_anchors_it_is_straight_and_beyond_them_it_goes_on() -> None:
    made = TimeMap(np.array([[10, 5], [20, 10], [30, 30.0]]), "plants")
    np.testing.assert_allclose(made.at([10, 15, 20, 25, 30]), [5, 7.5, 10, 20, 30])
    np.testing.assert_allclose(made.at([8, 34]), [5 - 2 * 1.25, 30 + 4 * 1.25])
    assert made.speeds == (0.5, 2.0)
    assert made.frames[0] == 10
    assert made.frames[-1] == 30


def test_cut_to_the_frames_that_both_have() -> None:
    made = TimeMap(np.array([[0, -4], [20, 16], [40, 60.0]]), "natural").within(100, 39)
    assert made.start == 4
    assert made.at(made.end) == pytest.approx(38)


gaps = st.lists(st.tuples(st.integers(8, 60), st.floats(0.4, 2.2)), min_size=2, max_size=8)


@given(gaps)
def test_smoothed_it_still_rises_and_keeps_its_ends(steps) -> None:
    base = np.cumsum([0, *(a for a, _ in steps)]).astype(float)
    source = np.cumsum([0, *(a * slope for a, slope in steps)])
    made = TimeMap(np.column_stack([base, source]), "plants")
    smooth = made.smoothed(120.0)
    frames = made.frames
    assert np.all(np.diff(smooth.at(frames)) > 0)
    np.testing.assert_allclose([smooth.at(0), smooth.at(base[-1])], [0, source[-1]], atol=1e-6)
    slow, fast = smooth.speeds
    assert slow > 1 / (2 * STEEPEST)
    assert fast < 2 * STEEPEST


def test_a_straight_map_is_not_touched() -> None:
    made = TimeMap(np.array([[3, 1], [10, 8], [30, 28.0]]), "plants")
    assert made.smoothed(120.0) is made
