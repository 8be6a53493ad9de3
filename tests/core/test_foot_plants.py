"""Foot plants: ranges, masks, floors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.core.foot_plants import Floor, FootContact, FootPlants, intervals_of, mask_of
from reenact.errors import ParameterError


@given(st.lists(st.booleans(), max_size=40))
def test_ranges_and_masks_are_inverse(mask: list[bool]) -> None:
    ranges = intervals_of(mask)
    np.testing.assert_array_equal(mask_of(ranges, len(mask)), mask)
    assert all(start < end for start, end in ranges)


def test_ranges_outside_are_refused() -> None:
    for wrong in ([(3, 2)], [(-1, 2)], [(0, 11)]):
        with pytest.raises(ParameterError, match="not a part of 0 to 10"):
            mask_of(wrong, 10)


def test_a_plant_is_heel_or_ball() -> None:
    foot = FootContact([True, True, False, False], [False, True, True, False])
    assert foot.plant.tolist() == [True, True, True, False]
    assert foot.intervals() == [(0, 3)]
    assert foot.confidence.tolist() == [1, 1, 1, 1]


def test_cutting_and_mirroring() -> None:
    left, right = FootContact([True, False, True], [False] * 3), FootContact([False] * 3, [True] * 3)
    plants = FootPlants(left, right, 30.0)
    assert len(plants.cut(1, 3)) == 2
    assert plants.cut(1, 3).left.heel.tolist() == [False, True]
    assert plants.mirrored().left is right
    with pytest.raises(ParameterError, match="left or right"):
        plants.foot("middle")
    with pytest.raises(ParameterError, match="3 and 2 frames"):
        FootPlants(left, FootContact([True] * 2, [True] * 2), 30.0)


def test_height_above_a_tilted_floor() -> None:
    normal = np.array([0.0, np.cos(0.1), np.sin(0.1)])
    floor = Floor(0.5, normal)
    np.testing.assert_allclose(floor.above(normal * 0.7), 0.2)
    np.testing.assert_allclose(Floor(0.1).above([[1, 0.3, 5]]), [0.2])
