"""Characters on a mobility map: bad input, every decision against plain NumPy, where they go, how they move."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from reenact.core.heading import wrap
from reenact.core.placement import Placement
from reenact.errors import ParameterError
from reenact.kernels import playing_twins
from reenact.kernels.option_costs import TERMS, Wanted, option_costs
from reenact.mobility.arrival_values import ArrivalValues, ValueParameters, find_arrival_values
from reenact.mobility.decisions import NEW_GOAL
from reenact.mobility.goal_costs import HOLD, THESIS, CostWeights, Situation
from reenact.mobility.goals import AlongPath, Follow, Goal
from reenact.mobility.labels import LABELS
from reenact.mobility.map_building import BuiltMap
from reenact.mobility.map_controller import MapController, standing_pose
from reenact.mobility.menus import Menu, actions_of, sequences_of
from reenact.mobility.mobility_map import MobilityMap
from reenact.mobility.motion_matching import walking_pace
from reenact.mobility.performance import Take, go_to, joint_steps, measure_take, perform, recorded_steps
from reenact.mobility.pose_player import PlayingParameters

STRAIGHT = PlayingParameters(blend="one_sided", blend_time=8 / 30)


@pytest.fixture(scope="module")
def values(small_map: MobilityMap) -> ArrivalValues:
    return find_arrival_values(small_map.graph, small_map.database)


@pytest.fixture(scope="module")
def real_map(recorded_map: BuiltMap) -> MobilityMap:
    return recorded_map.map


@pytest.fixture(scope="module")
def real_values(real_map: MobilityMap) -> ArrivalValues:
    return find_arrival_values(real_map.graph, real_map.database)


def random_trips(
    controller: MapController, count: int, near: float, far: float, seed: int, take: Take | None = None
) -> list:
    rng, trips = np.random.default_rng(seed), []
    for _ in range(count):
        x, z = controller.placement.position
        angle, way = rng.uniform(-np.pi, np.pi), rng.uniform(near, far)
        goal = Goal((x + way * np.sin(angle), z + way * np.cos(angle)))
        most = 3 * way / walking_pace(controller.map.database) + 4
        trips.append(go_to(controller, goal, most=most, take=take))
    return trips


def test_poses_without_a_way_are_refused(small_map: MobilityMap) -> None:
    lost = np.flatnonzero((small_map.escape_frames < 0) & (small_map.pose_state < 0))
    with pytest.raises(ParameterError, match="no pose"):
        MapController(small_map, pose=small_map.database.poses)
    if len(lost):
        with pytest.raises(ParameterError, match="no way leads"):
            MapController(small_map, pose=int(lost[0]))


def test_weights_and_terms_are_checked(small_map: MobilityMap) -> None:
    with pytest.raises(ParameterError, match="no label 'fly'"):
        CostWeights(labels={"fly": 1.0})
    with pytest.raises(ParameterError):
        CostWeights(distance=-1.0)
    controller = MapController(small_map, (3.0, 3.0), terms={"odd": lambda seen: np.zeros(1 + len(seen.entries))})
    with pytest.raises(ParameterError, match="'odd' must give"):
        controller.step()


@pytest.mark.parametrize("menu", [sequences_of, actions_of])
def test_costs_agree_with_plain_numpy(small_map: MobilityMap, menu: Callable[[MobilityMap], Menu]) -> None:
    found = menu(small_map)
    options = found.options
    rng = np.random.default_rng(1)
    states = np.flatnonzero(np.diff(found.starts) > 0)
    circles = np.array([[1.0, 2.0, 1.5], [-3.0, 0.0, 0.4]])
    for state in rng.choice(states, 25):
        first, last = int(found.starts[state]), int(found.starts[state + 1])
        place = np.array([rng.normal(), rng.normal(), rng.uniform(-9, 9)])
        heading = float("nan") if rng.random() < 0.3 else 1.0
        wanted = Wanted(rng.normal(0, 4), rng.normal(0, 4), 0.4, heading, 1.3, 1.1, 1.4, 30.0)
        for ends in (np.zeros(0), rng.uniform(0, 9, last - first)):
            terms = np.zeros((last - first, TERMS + len(LABELS)))
            option_costs(options, int(state), first, last, place, wanted, circles, ends, terms)
            plain = playing_twins.option_costs(options, int(state), first, last, place, wanted, circles, ends)
            np.testing.assert_allclose(terms, plain, atol=2e-4)


def test_the_thesis_cost_of_cases_known_by_hand(small_map: MobilityMap) -> None:
    controller = MapController(small_map, weights=THESIS, hold=None)
    state = int(small_map.pose_state[controller.player.pose])
    first = int(small_map.row_starts[state])
    dx, dz, turn = (float(v) for v in small_map.moves[first])
    # straight ahead of where the first option ends, 2 m away; behind it; and exactly there
    for distance, angle, wanted in ((2.0, 0.0, 620.0), (2.0, np.pi, 620.0 + 17 * 180), (0.0, 0.0, 0.0)):
        facing = turn + angle
        controller.aim_at((dx + distance * np.sin(facing), dz + distance * np.cos(facing)))
        entries, costs, _ = controller.options()
        assert entries[0] == first
        assert costs[0].sum() == pytest.approx(wanted, abs=1.0)


def test_what_is_chosen_costs_least_and_is_replaced_only_by_something_better(small_map: MobilityMap) -> None:
    controller = MapController(small_map, weights=THESIS, hold=None, playing=STRAIGHT)
    rng = np.random.default_rng(3)
    ends: list[float] = []
    for frame in range(600):
        if frame % 150 == 0:
            controller.aim_at((float(rng.normal(0, 4)), float(rng.normal(0, 4))))
            ends = []
        pose = controller.player.pose
        on_map = small_map.pose_state[pose] >= 0 and small_map.is_map_state[small_map.pose_state[pose]]
        before = controller.log.count
        costs = controller.options(pose)[1].sum(axis=1) if on_map and not controller.player.reaching else None
        controller.step()
        last = controller.log.last
        if controller.log.count > before and last is not None and last.options > 1 and costs is not None:
            assert last.chosen.cost == pytest.approx(costs.min())
            if not last.kept:
                if last.reason != NEW_GOAL and last.reason != "plan ended" and ends:
                    assert last.chosen.cost < ends[-1]
                ends.append(last.chosen.cost)
    assert controller.log.changes > 8
    assert "costs least" in controller.log.why()


def test_weights_count_from_the_next_decision_on(real_map: MobilityMap) -> None:
    controller = MapController(real_map, (0.0, 30.0), weights=CostWeights(arrival=0, distance=1), hold=None)
    speeds = {}
    for wanted in (0.0, 0.6, 1.4, 3.0):
        controller.weights = CostWeights(arrival=0, distance=0.05, speed=100, wanted_speed=wanted)
        controller.aim_at((0.0, 1000.0))
        perform(controller, 150)
        take = perform(controller, 400)
        steps = np.diff(np.array(take.stands)[:, :2], axis=0)
        speeds[wanted] = float(np.linalg.norm(steps, axis=1).mean() * 30)
    ordered = list(speeds.values())
    assert all(a < b + 0.05 for a, b in itertools.pairwise(ordered)), speeds
    assert ordered[-1] > ordered[0] + 0.8, speeds


def test_labels_are_rewards(real_map: MobilityMap) -> None:
    stand = np.uint32(1 << LABELS.index("stand"))
    shares = {}
    for name in ("stand", "walk"):
        controller = MapController(
            real_map, weights=CostWeights(arrival=0, distance=0.01, labels={name: 50.0}), hold=None
        )
        controller.aim_at((2.0, 2.0))
        perform(controller, 120)
        poses = np.array(perform(controller, 400).poses)
        shares[name] = float(((real_map.database.labels[poses] & stand) > 0).mean())
    assert shares["stand"] > shares["walk"] + 0.25, shares


def test_a_character_goes_to_goals_near_and_far(small_map: MobilityMap, values: ArrivalValues) -> None:
    controller = MapController(small_map, values=values)
    take = Take(small_map.database)
    far = random_trips(controller, 25, 3, 6, 11, take)
    near = random_trips(controller, 12, 1, 2, 12, take)
    figures = measure_take(take, far)
    assert figures["reached"] >= 0.95
    assert figures["path_ratio_median"] <= 1.6
    assert np.mean([trip.reached for trip in near]) >= 0.9
    assert figures["slip_mm_median"] < 5
    assert figures["slip_mm_worst"] < 20
    assert np.median(controller.reactions) / 30 <= 0.3


def test_values_beat_the_end_of_an_option_alone(small_map: MobilityMap, values: ArrivalValues) -> None:
    ways = {}
    for name, one in (("values", {"values": values}), ("thesis", {"weights": THESIS})):
        trips = random_trips(MapController(small_map, **one), 20, 3, 6, 21)
        ways[name] = np.mean([trip.seconds for trip in trips])
    assert ways["values"] < ways["thesis"]


def test_values_are_a_fixed_point(small_map: MobilityMap) -> None:
    parameters = ValueParameters(settled=1e-3, sweeps=300, angles=16)
    found = find_arrival_values(small_map.graph, small_map.database, parameters)
    graph = small_map.graph
    rng = np.random.default_rng(0)
    for state in rng.choice(graph.states, 20):
        row = slice(int(graph.action_starts[state]), int(graph.action_starts[state + 1]))
        for cell in rng.choice(found.values.shape[1], 5):
            far, turn = found.distances[cell // 16], 2 * np.pi * (cell % 16) / 16
            goal = (float(far * np.sin(turn)), float(far * np.cos(turn)))
            worth = found.worth(graph.action_moves, found.efforts, graph.action_to, row, np.zeros(3), goal)
            assert worth.min() == pytest.approx(float(found.values[state, cell]), abs=5e-3)
    with pytest.raises(ParameterError):
        ValueParameters(angles=2)


def test_goals_behind_and_beside(small_map: MobilityMap, values: ArrivalValues) -> None:
    controller = MapController(small_map, (0.0, 12.0), values=values)
    perform(controller, 120)
    for angle in (np.pi, np.pi / 2, -np.pi / 2):
        place = controller.placement
        to = place.heading + angle
        goal = Goal((place.position[0] + 4 * np.sin(to), place.position[1] + 4 * np.cos(to)))
        trip = go_to(controller, goal, most=20)
        assert trip.reached
        if abs(angle) < 3:
            assert abs(trip.turned[1] if angle > 0 else trip.turned[0]) > abs(
                trip.turned[0] if angle > 0 else trip.turned[1]
            )
        else:
            off = wrap(np.array(controller.placement.heading - place.heading))
            assert abs(off) > np.radians(110)


def test_it_stands_at_its_goal_and_faces_where_it_should(real_map: MobilityMap, real_values: ArrivalValues) -> None:
    controller = MapController(real_map, Goal((2.0, 2.0)), values=real_values)
    perform(controller, 300)
    take = perform(controller, 300)
    bit = np.uint32(1 << LABELS.index("stand"))
    stands = (real_map.database.labels[np.array(take.poses)] & bit) > 0
    gaps = np.linalg.norm(np.array(take.stands)[:, :2] - (2.0, 2.0), axis=1)
    assert stands.mean() > 0.4  # these few recordings hold little standing
    assert gaps.max() < 1.5
    assert HOLD.labels["stand"] > 0


def test_paths_and_moving_goals_are_followed(small_map: MobilityMap, values: ArrivalValues) -> None:
    controller = MapController(small_map, values=values, placement=Placement((0.0, 0.0), 0.0))
    controller.aim_at(AlongPath([(0, 0), (0, 5), (5, 5), (5, 0)], ahead=1.5))
    take = perform(controller, 900, until=lambda shown: np.hypot(*(np.array(shown.placement.position) - (5, 0))) < 0.6)
    stands = np.array(take.stands)[:, :2]
    for corner in ((0, 5), (5, 5), (5, 0)):
        assert np.linalg.norm(stands - corner, axis=1).min() < 1.3
    controller = MapController(small_map, values=values)
    controller.aim_at(Follow(lambda t: (3 * np.sin(0.2 * t), 3 * np.cos(0.2 * t))))
    gaps = []
    for _ in range(900):
        shown = controller.step()
        gaps.append(np.hypot(*(np.array(shown.placement.position) - controller.goal.position)))
    assert np.mean(gaps[300:]) < 2.0


def test_it_keeps_away_from_what_it_should(real_map: MobilityMap) -> None:
    nearest = {}
    for name, weight in (("heedless", 0.0), ("careful", 200.0)):
        controller = MapController(real_map, weights=CostWeights(away=weight), placement=Placement())
        controller.away = np.array([[0.0, 4.0, 1.0]])
        controller.aim_at((0.0, 9.0))
        take = perform(controller, 500)
        nearest[name] = np.linalg.norm(np.array(take.stands)[:, :2] - (0.0, 4.0), axis=1).min()
    assert nearest["heedless"] < 0.3, nearest
    assert nearest["careful"] > nearest["heedless"] + 0.25, nearest


def test_terms_of_ones_own_are_told_in_the_log(small_map: MobilityMap) -> None:
    def left_is_dear(seen: Situation) -> np.ndarray:
        return 100.0 * np.maximum(wrap(seen.ends[:, 2] - seen.placement.heading), 0.0)

    controller = MapController(
        small_map, (0.0, 5.0), weights=CostWeights(arrival=0.0), terms={"left": left_is_dear}, hold=None
    )
    take = perform(controller, 300)
    headings = np.array(take.stands)[:, 2]
    assert headings[-1] < 0.3
    assert any("left" in choice.parts for one in controller.log for choice in one.others) or headings[-1] <= 0


@pytest.mark.parametrize("playing", [PlayingParameters(), STRAIGHT])
def test_goals_that_change_at_any_moment_break_nothing(
    small_map: MobilityMap, values: ArrivalValues, playing: PlayingParameters
) -> None:
    rng = np.random.default_rng(8)
    controller = MapController(small_map, weights=THESIS if playing is STRAIGHT else None, playing=playing)
    if playing is not STRAIGHT:
        controller = MapController(small_map, values=values, playing=playing)
    take = Take(small_map.database)
    for _ in range(2500):
        if rng.random() < 0.08:
            controller.aim_at((float(rng.normal(0, 5)), float(rng.normal(0, 5))))
        take.add(controller.step())
    clip = take.clip()
    assert np.isfinite(clip.rotations).all()
    assert np.isfinite(clip.root).all()
    usual = recorded_steps(small_map.database)
    over = (joint_steps(take, usual).max(axis=1) > 1.5).mean()
    assert over < 0.03


def test_the_log_forgets_what_is_long_ago(small_map: MobilityMap, values: ArrivalValues) -> None:
    controller = MapController(small_map, values=values)
    controller.log.most = 20
    random_trips(controller, 3, 3, 6, 5)
    assert controller.log.count > 20
    assert len(controller.log) == 20


def test_a_stand_is_where_it_begins(small_map: MobilityMap) -> None:
    pose = standing_pose(small_map)
    assert small_map.is_map_state[small_map.pose_state[pose]]
