from __future__ import annotations

import pytest

from reenact.errors import ParameterError
from reenact.graft.other_maps import map_by_registration, map_naturally, map_ranges, parse_range
from reenact.graft.synchronising import TransitionPoint


@pytest.mark.parametrize(
    ("text", "wanted"), [("", None), ("10:20", (10, 20)), (":20", (0, 20)), ("10:", (10, 420)), ("-20:-10", (400, 410))]
)
def test_ranges_are_half_open_and_count_from_either_end(sample, text: str, wanted) -> None:
    assert parse_range(text, sample("walk_normal"), "base_range") == wanted


@pytest.mark.parametrize("text", ["10", "x:y", "20:10", "5:6", "0:421", "-500:10"])
def test_ranges_that_are_none_are_refused(sample, text: str) -> None:
    with pytest.raises(ParameterError) as caught:
        parse_range(text, sample("walk_normal"), "base_range")
    assert caught.value.where == "base_range"


def test_ends_of_ranges_meet() -> None:
    made = map_ranges((32, 257), (19, 245))
    assert made.at([32, 256]).tolist() == [19, 244]


def test_the_transition_point_that_leaves_most_is_met(sample) -> None:
    base, source = sample("walk_normal"), sample("wave_standing")
    points = [TransitionPoint(300, 20, 0.0), TransitionPoint(40, 30, 0.1), TransitionPoint(40, 30, 0.05)]
    made = map_naturally(base, source, points)
    assert made.at(40) == 30
    assert made.start == 10
    twice = map_naturally(base, source, points[:1], speed=2.0)
    assert twice.at(310) == 40


def test_a_transition_point_that_leaves_little_is_passed_over(sample) -> None:
    base, source = sample("walk_normal"), sample("wave_standing")
    made = map_naturally(base, source, [TransitionPoint(len(base) - 10, 0, 0.0)])
    assert made.start == 0
    assert made.at(0) == 0


def test_motions_that_do_not_correspond_are_refused(sample) -> None:
    with pytest.raises(ParameterError):
        map_by_registration(sample("walk_normal"), sample("sit_down"), None, None)
