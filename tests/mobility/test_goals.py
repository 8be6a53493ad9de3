"""Goals and aims: what is refused, when a goal is reached, how a path leads on."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.core.placement import Placement
from reenact.errors import ParameterError
from reenact.mobility.goals import AlongPath, Follow, Goal, Stay


@pytest.mark.parametrize("position", [(np.nan, 0.0), (1.0, np.inf), (1.0, 2.0, 3.0)])
def test_places_that_are_none_are_refused(position: tuple[float, ...]) -> None:
    with pytest.raises(ParameterError, match="two finite numbers"):
        Goal(position)  # type: ignore[arg-type]


def test_radius_and_heading_are_checked() -> None:
    with pytest.raises(ParameterError, match="radius"):
        Goal((0.0, 0.0), radius=0.0)
    with pytest.raises(ParameterError, match="heading"):
        Goal((0.0, 0.0), heading=float("nan"))


def test_a_goal_is_reached_within_its_radius() -> None:
    goal = Goal((3.0, 4.0), radius=0.5)
    assert goal.distance(Placement((0.0, 0.0))) == pytest.approx(5.0)
    assert goal.is_reached(Placement((3.3, 4.3)))
    assert not goal.is_reached(Placement((3.4, 4.4)))
    assert not Goal((3.0, 4.0), moving=True).is_reached(Placement((3.0, 4.0)))
    assert Stay(goal).at(7.0, Placement()) is goal


def test_something_that_moves_is_where_it_says() -> None:
    aim = Follow(lambda t: (t, 2 * t))
    assert aim.at(1.5, Placement()).position == (1.5, 3.0)
    assert aim.at(1.5, Placement()).moving


def test_a_path_needs_two_points() -> None:
    for points in ([(0, 0)], [(0, 0), (0, 0)], [(0, 0), (np.nan, 1)], [0, 1, 2]):
        with pytest.raises(ParameterError):
            AlongPath(points)


def test_a_path_leads_ahead_and_never_back() -> None:
    path = AlongPath([(0, 0), (0, 4), (3, 4)], ahead=1.0)
    assert path.length == pytest.approx(7.0)
    np.testing.assert_allclose(path.place(5.5), (1.5, 4.0))
    assert path.at(0.0, Placement((0.2, 0.5))).position == pytest.approx((0.0, 1.5), abs=0.06)
    passed = path.passed
    path.at(0.1, Placement((0.0, 0.0)))
    assert path.passed >= passed
    for z in (1.0, 2.0, 3.0, 4.0):
        path.at(0.2, Placement((0.0, z)))
    end = path.at(0.3, Placement((2.6, 4.0)))
    path.at(0.4, Placement((2.8, 4.0)))
    end = path.at(0.5, Placement((2.9, 4.0)))
    assert end.position == pytest.approx((3.0, 4.0))
    assert not end.moving
