from __future__ import annotations

import numpy as np
import pytest

from reenact.analysis.plants import detect_plants
from reenact.errors import ParameterError
from reenact.graft.chain_choice import choose_chains
from reenact.graft.correlation import correlate_plants
from reenact.graft.synchronising import TransitionPoint, choose_shift, find_transition_points, transition_distance
from reenact.graft.time_map import TimeMap


def shifted(cycles: int, cycle: float = 100.0, length: float = 300.0, shorter: float = 0.0) -> TimeMap:
    """A map of whole cycles: the base's frame f belongs to f - cycles * cycle."""
    rows = [[400.0, 400.0 - cycles * cycle], [400.0 + length - shorter, 400.0 + length - shorter - cycles * cycle]]
    return TimeMap(np.array(rows), "plants", cycles)


def test_a_shift_that_is_not_there_lists_those_that_are() -> None:
    with pytest.raises(ParameterError, match="no correlation is shifted by 7 cycles; there are -1, 0, 1"):
        choose_shift([shifted(-1), shifted(0), shifted(1)], None, shift=7)


@pytest.mark.parametrize("late", [0, 30, -45])
def test_the_shift_that_brings_the_transition_points_together_is_taken(late: int) -> None:
    """Case 1, points in phase with the steps (late 0), and case 2, out of phase: the least distance by enumeration."""
    maps = [shifted(n) for n in range(-2, 4)]
    point = TransitionPoint(500, 300 + late, 0.0)
    chosen = choose_shift(maps, point)
    distances = {one.shift: abs(float(one.at(500)) - (300 + late)) for one in maps}
    assert transition_distance(chosen, point) == pytest.approx(min(distances.values()))
    assert distances[chosen.shift] == min(distances.values())
    assert transition_distance(chosen, point) == pytest.approx(abs(late))


def test_of_equals_the_longer_is_taken() -> None:
    maps = [shifted(0, shorter=40), shifted(1)]
    halfway = TransitionPoint(500, 450, 0.0)
    assert choose_shift(maps, halfway).shift == 1
    assert choose_shift([shifted(0), shifted(1, shorter=40)], halfway).shift == 0


def test_a_shift_that_leaves_little_is_not_taken_by_itself() -> None:
    maps = [shifted(0), shifted(1, shorter=200)]
    meets_short = TransitionPoint(450, 350, 0.0)
    assert choose_shift(maps, meets_short).shift == 0
    assert choose_shift(maps, meets_short, shift=1).shift == 1


def test_without_a_transition_point_the_longest_is_taken() -> None:
    assert choose_shift([shifted(0, shorter=60), shifted(1), shifted(2, shorter=30)], None).shift == 1


def test_transition_points_are_frames_that_look_alike(sample) -> None:
    walk, wave = sample("walk_normal"), sample("wave_walking")
    joints = choose_chains(walk.skeleton, "upper").joints
    points = find_transition_points(walk, wave, joints)
    assert points
    assert [p.base + p.source for p in points] == sorted(p.base + p.source for p in points)
    assert all(0 <= p.base < len(walk) and 0 <= p.source < len(wave) for p in points)
    hand = walk.skeleton.roles["right_hand"]
    hips = walk.skeleton.roles["hips"]
    heights = [
        clip.world(np.float64).positions[:, hand, 1] - clip.world(np.float64).positions[:, hips, 1]
        for clip in (walk, wave)
    ]
    assert max(abs(heights[0][p.base] - heights[1][p.source]) for p in points) < 0.45
    assert np.median([abs(heights[0][p.base] - heights[1][p.source]) for p in points]) < 0.1


def test_by_enumeration_on_recordings(recording) -> None:
    walk, run = recording("16_15"), recording("16_35")
    maps = correlate_plants(walk, run, detect_plants(walk), detect_plants(run))
    longest = max(len(one.frames) for one in maps)
    able = [one for one in maps if len(one.frames) >= 0.8 * longest]
    for point in (TransitionPoint(100, 20, 0.0), TransitionPoint(300, 60, 0.0), TransitionPoint(210, 5, 0.0)):
        chosen = choose_shift(maps, point)
        assert transition_distance(chosen, point) <= min(transition_distance(one, point) for one in able) + 0.5
