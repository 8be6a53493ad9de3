from __future__ import annotations

import numpy as np

from reenact.core.foot_plants import FootContact, FootPlants, mask_of
from reenact.graft.single_supports import cycle_frames, find_single_supports


def plants_of(left: list[tuple[int, int]], right: list[tuple[int, int]], frames: int = 200) -> FootPlants:
    feet = [FootContact(mask_of(spans, frames), mask_of(spans, frames)) for spans in (left, right)]
    return FootPlants(feet[0], feet[1], 100.0)


def test_a_foot_that_is_never_alone_has_none() -> None:
    assert find_single_supports(plants_of([], [])) == ()
    assert find_single_supports(plants_of([(0, 200)], [(0, 200)])) == ()
    assert cycle_frames(()) == 0.0


def test_double_support_and_flight_are_none() -> None:
    found = find_single_supports(plants_of([(0, 60), (100, 160)], [(50, 90)]))
    assert [(one.foot, one.start, one.end) for one in found] == [("left", 0, 50), ("right", 60, 90), ("left", 100, 160)]
    assert [one.planted for one in found] == [(0, 60), (50, 90), (100, 160)]
    assert [one.begins for one in found] == [False, True, True]
    assert all(one.ends for one in found)


def test_blinks_of_a_detector_are_closed() -> None:
    torn = find_single_supports(plants_of([(20, 50), (54, 80)], [(85, 88), (120, 160)]))
    assert [(one.foot, one.start, one.end) for one in torn] == [("left", 20, 80), ("right", 120, 160)]


def test_a_cycle_is_from_a_foot_to_the_same_foot() -> None:
    found = find_single_supports(plants_of([(10, 40), (90, 120), (170, 199)], [(50, 80), (130, 160)]))
    assert np.isclose(cycle_frames(found), 80)
