"""Motion matching: what is compared, how it is looked for, where it leads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.core.placement import Placement
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError
from reenact.kernels import playing_twins
from reenact.kernels.nearest import nearest_row
from reenact.mobility.goals import AlongPath, Follow, Goal
from reenact.mobility.matching_features import LAYOUT, MatchingParameters, make_matching_table, raw_features
from reenact.mobility.motion_matching import MatchingController, MatchSearch, walking_pace
from reenact.mobility.performance import Take, go_to, measure_take, perform
from reenact.mobility.pose_database import PoseDatabase, keep_clips


@pytest.fixture(scope="module")
def search(walking: PoseDatabase) -> MatchSearch:
    return MatchSearch(make_matching_table(walking))


def test_clips_too_short_to_search_are_told(walking: PoseDatabase) -> None:
    short = [n for n in range(len(walking.names)) if walking.starts[n + 1] - walking.starts[n] < 1000]
    one = keep_clips(walking, short[:1])
    table = make_matching_table(one)
    none = replace(table, usable=np.zeros_like(table.usable))
    with pytest.raises(ParameterError, match="longer than a second"):
        MatchSearch(none)
    with pytest.raises(ParameterError, match="tree or all"):
        MatchSearch(table, "guess")


def test_a_body_without_feet_is_told(walking: PoseDatabase) -> None:
    bare = Skeleton(walking.skeleton.names, walking.skeleton.parents, walking.skeleton.offsets, roles={"hips": 0})
    with pytest.raises(SkeletonError, match="feet"):
        raw_features(replace(walking, skeleton=bare))


def test_features_are_what_the_motion_says(walking: PoseDatabase) -> None:
    raw = raw_features(walking)
    clip = walking.names.index("walk_normal")
    first, last = int(walking.starts[clip]), int(walking.starts[clip + 1])
    played = walking.play(np.arange(first, last))
    feet = list(walking.skeleton.require_roles("left_foot", "right_foot"))
    world = played.world(np.float64).positions
    pose = 40
    from reenact.core.placement import placement_of

    here, later = placement_of(played, pose), placement_of(played, pose + 30)
    turn = here.heading
    to = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    way = to @ (np.array(later.position) - here.position)
    np.testing.assert_allclose(raw[first + pose, LAYOUT.way][4:], way, atol=2e-3)
    off = world[pose, feet][:, [0, 2]] - here.position
    np.testing.assert_allclose(raw[first + pose, LAYOUT.feet].reshape(2, 3)[:, [0, 2]], off @ to.T, atol=2e-3)
    np.testing.assert_allclose(raw[first + pose, LAYOUT.feet].reshape(2, 3)[:, 1], world[pose, feet, 1], atol=1e-3)
    speed = (world[pose, feet] - world[pose - 1, feet])[:, [0, 2]] * 30
    np.testing.assert_allclose(raw[first + pose, LAYOUT.feet_speed].reshape(2, 3)[:, [0, 2]], speed @ to.T, atol=0.02)


def test_kernel_and_tree_find_what_numpy_finds(walking: PoseDatabase, search: MatchSearch) -> None:
    rng = np.random.default_rng(0)
    table = search.table
    every = MatchSearch(table, "all")
    for _ in range(50):
        point = table.features[rng.integers(walking.poses)] + rng.normal(0, 0.5, table.features.shape[1])
        wanted, far = playing_twins.nearest_row(table.features, table.usable, point)
        assert nearest_row(table.features, table.usable, point.astype(np.float32))[0] == wanted
        for one in (search, every):
            found, cost = one.nearest(point)
            assert found == wanted
            assert cost == pytest.approx(far, rel=1e-4)


def test_it_goes_where_it_is_sent(walking: PoseDatabase, search: MatchSearch) -> None:
    rng = np.random.default_rng(4)
    controller = MatchingController(walking, search=search)
    take, trips = Take(walking), []
    for _ in range(12):
        x, z = controller.placement.position
        angle, far = rng.uniform(-np.pi, np.pi), rng.uniform(3, 6)
        goal = Goal((x + far * np.sin(angle), z + far * np.cos(angle)))
        trips.append(go_to(controller, goal, most=3 * far / walking_pace(walking) + 6, take=take))
    figures = measure_take(take, trips)
    assert figures["reached"] >= 11 / 12
    assert figures["slip_mm_median"] < 5
    assert figures["slip_mm_worst"] < 40
    assert controller.log.last is not None
    assert "costs least" in controller.log.why()


def test_it_follows_a_path_and_something_that_moves(walking: PoseDatabase, search: MatchSearch) -> None:
    controller = MatchingController(walking, search=search, placement=Placement((0.0, 0.0), 0.0))
    path = AlongPath([(0, 0), (0, 4), (4, 4)])
    controller.aim_at(path)
    take = perform(controller, 450, until=lambda shown: np.hypot(*(np.array(shown.placement.position) - (4, 4))) < 0.6)
    stands = np.array(take.stands)[:, :2]
    assert np.linalg.norm(stands - (4, 4), axis=1).min() < 0.6
    assert np.linalg.norm(stands - (0, 4), axis=1).min() < 1.5
    controller.aim_at(Follow(lambda t: (4 + 0.5 * t, 4.0)))
    gaps = []
    for _ in range(240):
        shown = controller.step()
        goal = controller.goal.position
        gaps.append(np.hypot(goal[0] - shown.placement.position[0], goal[1] - shown.placement.position[1]))
    assert np.mean(gaps[-60:]) < 4.0


def test_weights_are_checked() -> None:
    with pytest.raises(ParameterError):
        MatchingParameters(way=-1)
