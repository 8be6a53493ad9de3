"""Pose graphs, states and actions, least-cost sequences."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.compute.executor import open_executor
from reenact.core.placement import Placement, advance
from reenact.errors import ParameterError
from reenact.kernels.components import strong_components
from reenact.kernels.least_cost import cut_trees, least_costs
from reenact.mobility.edge_search import search_edges
from reenact.mobility.gathering import GatheringParameters, build_pose_database
from reenact.mobility.least_cost import QUANTA, find_trees, path_arrays, smoothest_sequence, unused_edges
from reenact.mobility.pose_graph import Chosen, PoseGraph, PruningParameters, build_pose_graph, without_edges
from reenact.mobility.state_actions import StateActions, collapse
from reenact.mobility.transition_cost import make_metric_table, transition_costs


@pytest.fixture(scope="module")
def graph(recorded_map):
    """The graph of recordings."""
    return recorded_map.graph


@pytest.fixture(scope="module")
def actions(recorded_map) -> StateActions:
    """Their states and actions."""
    return recorded_map.map.graph


def test_clips_that_do_not_meet_are_refused(walks) -> None:
    table = make_metric_table(build_pose_database(walks[1:3], GatheringParameters(mirrored=False)))
    with pytest.raises(ParameterError, match=r"no 60 poses can be reached .* of \d+ poses .* Add clips"):
        build_pose_graph(table, PruningParameters(tau_max=1e-6))


@pytest.mark.parametrize("wrong", [{"tau_max": 0}, {"connected": 0}, {"connected": 1.5}, {"most_jumps": -1}])
def test_parameters_out_of_range_are_refused(wrong) -> None:
    with pytest.raises(ParameterError):
        PruningParameters(**wrong)


def test_every_kept_pose_can_be_entered_and_left(graph) -> None:
    out = np.diff(graph.pointers)
    into = np.bincount(graph.targets, minlength=len(graph.kept))
    assert np.all(out[graph.kept] >= 1)
    assert np.all(into[graph.kept] >= 1)
    assert np.all(out[~graph.kept] == 0)
    assert np.all(into[~graph.kept] == 0)
    assert graph.poses == graph.kept.sum()


def test_a_million_random_steps_never_stop(graph) -> None:
    rng = np.random.default_rng(0)
    walkers = rng.choice(np.flatnonzero(graph.kept), 1000)
    seen = np.zeros(len(graph.kept), np.bool_)
    for _ in range(1000):
        degrees = graph.pointers[walkers + 1] - graph.pointers[walkers]
        assert degrees.min() >= 1
        walkers = graph.targets[graph.pointers[walkers] + (rng.random(len(walkers)) * degrees).astype(int)]
        seen[walkers] = True
    assert not seen[~graph.kept].any()


def test_no_edge_is_dearer_than_the_dearest_and_costs_are_tau(graph, recorded_map) -> None:
    costs = transition_costs(recorded_map.table, graph.sources, graph.targets)
    np.testing.assert_array_equal(graph.costs, costs.astype(np.float32))
    assert graph.costs.max() <= graph.tau_max
    natural = graph.targets == graph.sources + 1
    assert np.all(graph.costs[natural] == 0)
    assert graph.jumps == np.count_nonzero(~natural)


def test_the_dearest_jump_is_the_least_that_connects_enough(recorded_poses) -> None:
    table = make_metric_table(recorded_poses)
    made = build_pose_graph(table, PruningParameters(connected=0.5, dearest=6.0))
    assert made.chosen.how == "share"
    assert made.poses >= 0.5 * len(table)
    taus, shares = np.array(made.chosen.tried).T
    assert np.all(np.diff(taus) > 0)
    assert np.all(np.diff(shares) >= 0), "the share never falls with tau"
    below = taus < made.tau_max
    assert below.any()
    assert np.all(shares[below] < 0.5)
    less = build_pose_graph(
        table, PruningParameters(tau_max=float(np.nextafter(np.float32(made.tau_max), np.float32(0))))
    )
    assert less.poses < 0.5 * len(table)
    capped = build_pose_graph(table, PruningParameters(connected=1.0))
    assert capped.chosen.how == "dearest"
    assert capped.tau_max <= 4.0 * capped.chosen.step


def test_local_minima_are_fewer_and_cheaper_than_what_lies_beside_them(recorded_poses) -> None:
    table = make_metric_table(recorded_poses)
    every, least = (build_pose_graph(table, PruningParameters(tau_max=2.5, minimum_within=reach)) for reach in (0, 2))
    assert least.jumps < every.jumps / 2
    assert np.bincount(least.sources[least.targets != least.sources + 1]).max() == 4
    beside = [
        transition_costs(table, least.sources + a, least.targets + b) for a, b in ((1, 1), (-1, -1), (0, 1), (1, 0))
    ]
    jumps = least.targets != least.sources + 1
    for costs in beside:
        same = np.isfinite(costs[jumps])
        assert np.all(least.costs[jumps][same] <= costs[jumps][same] + 1e-5)


def test_actions_give_back_the_edges(graph, actions: StateActions) -> None:
    starts = actions.state_pose[actions.action_from]
    before = np.empty(len(actions.action_poses), np.int64)
    before[1:] = actions.action_poses[:-1]
    before[actions.action_pose_starts[:-1]] = starts
    played = set(zip(before.tolist(), actions.action_poses.tolist(), strict=True))
    assert played == set(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
    costs = dict(
        zip(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True), graph.costs.tolist(), strict=True)
    )
    passed = np.array([costs[edge] for edge in zip(before.tolist(), actions.action_poses.tolist(), strict=True)])
    np.testing.assert_allclose(np.add.reduceat(passed, actions.action_pose_starts[:-1]), actions.action_cost, atol=1e-4)
    ends = actions.action_poses[actions.action_pose_starts[1:] - 1]
    np.testing.assert_array_equal(actions.pose_state[ends], actions.action_to)
    inner = np.delete(actions.action_poses, actions.action_pose_starts[1:] - 1)
    assert np.all(actions.pose_state[inner] == -1)
    assert np.all(np.diff(graph.pointers)[actions.state_pose] == np.diff(actions.action_starts))
    assert strong_components(actions.action_starts, actions.action_to)[0] == 1


def test_moves_of_actions_are_those_of_their_poses(actions: StateActions, recorded_poses) -> None:
    for action in range(0, actions.actions, max(actions.actions // 50, 1)):
        place = Placement()
        for pose in actions.poses_of([action]):
            place = advance(place, recorded_poses.increments[pose])
        np.testing.assert_allclose(actions.action_moves[action], (*place.position, place.heading), atol=1e-4)


def test_costs_of_trees_are_the_least(actions: StateActions) -> None:
    trees = find_trees(actions, 6, exact=True)
    held = path_arrays(actions)
    for state in range(0, actions.states, max(actions.states // 20, 1)):
        rows = np.arange(trees.begins[state], trees.begins[state + 1])
        costs, _, _ = least_costs(
            held["pointers"], held["targets"], held["costs"], held["frames"], np.array([state], np.int32)
        )
        found = np.zeros(len(rows))
        for k, row in enumerate(rows):
            parent = trees.parents[row]
            found[k] = (found[parent] if parent >= 0 else 0) + held["costs"][trees.actions[row]]
        np.testing.assert_allclose(found, costs[trees.nodes[rows]], atol=1e-9)


def test_ten_thousand_ways_cost_what_the_least_costs_say(actions: StateActions) -> None:
    """Followed back from state to state, and every state of the graph can be reached from every other."""
    rng = np.random.default_rng(9)
    held = path_arrays(actions)
    for source in rng.integers(0, actions.states, 100):
        costs, frames, last = least_costs(
            held["pointers"], held["targets"], held["costs"], held["frames"], np.array([source], np.int32)
        )
        assert np.isfinite(costs).all()
        at = rng.integers(0, actions.states, 100)
        spent, played = np.zeros(len(at)), np.zeros(len(at), np.int64)
        wanted, times = costs[at], frames[at]
        while np.any(at != source):
            going = at != source
            edges = last[at[going]]
            spent[going] += held["costs"][edges]
            played[going] += held["frames"][edges]
            at[going] = actions.action_from[edges]
        np.testing.assert_allclose(spent, wanted, atol=1e-9)
        np.testing.assert_array_equal(played, times)


def test_without_unused_jumps_the_least_costs_stay(graph, actions: StateActions, recorded_poses) -> None:
    dropped = unused_edges(graph, actions, exact=True)
    assert 0.1 * graph.jumps < dropped.sum() < graph.jumps
    assert not dropped[graph.targets == graph.sources + 1].any(), "nothing is cheaper than what was recorded"
    less = without_edges(graph, dropped)
    fewer = collapse(less, recorded_poses.increments)
    assert strong_components(fewer.action_starts, fewer.action_to)[0] == 1
    assert fewer.action_frames.mean() > actions.action_frames.mean()
    was, now = path_arrays(actions), path_arrays(fewer)
    both = np.flatnonzero(fewer.pose_state >= 0)
    assert np.all(actions.pose_state[both] >= 0)
    assert len(both) > 50
    for pose in both[:: max(len(both) // 10, 1)]:
        costs = [
            least_costs(
                held["pointers"],
                held["targets"],
                held["costs"],
                held["frames"],
                np.array([one.pose_state[pose]], np.int32),
            )[0][one.pose_state[both]]
            for one, held in ((actions, was), (fewer, now))
        ]
        np.testing.assert_allclose(costs[1], costs[0], atol=1e-9)


def test_levels_of_a_grid_are_known() -> None:
    """On a torus of unit costs the states at the n-th level are those n steps away."""
    size = 9
    x, z = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")
    around = [((x + dx) % size) * size + (z + dz) % size for dx, dz in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    targets = np.stack([one.ravel() for one in around], axis=1).astype(np.int32).ravel()
    pointers = np.arange(0, 4 * size * size + 1, 4)
    ones, free = np.ones(len(targets), np.int32), np.full(size * size, -1, np.int32)
    away = np.minimum(np.arange(size), size - np.arange(size))
    distances = (away[:, None] + away[None]).ravel()
    for exact in (False, True):
        trees, counts, depths = cut_trees(
            pointers, targets, ones, ones.astype(float), ones, free, 0, size * size, 5, exact
        )
        first = slice(0, int(counts[0]))
        np.testing.assert_array_equal(depths[first], distances[trees[first, 0]])
        np.testing.assert_array_equal(np.sort(trees[first, 0]), np.flatnonzero((distances > 0) & (distances <= 5)))
        assert np.all(counts == counts[0])


def test_whole_costs_are_off_by_half_a_part_for_each_action(actions: StateActions) -> None:
    held = path_arrays(actions)
    quantum = float(held["quantum"][0])
    assert held["whole"].max() == QUANTA
    jumps = held["whole"] > 1
    np.testing.assert_allclose(held["whole"][jumps] * quantum, held["costs"][jumps], atol=quantum / 2 + 1e-9)
    assert np.all(held["costs"][held["whole"] == 0] == 0)
    exact, whole = (find_trees(actions, 4, exact=choice) for choice in (True, False))
    costs = {}
    for name, trees in (("exact", exact), ("whole", whole)):
        found = np.zeros(len(trees.nodes))
        for row, owner in enumerate(trees.owners):
            parent = trees.parents[row]
            before = found[trees.begins[owner] + parent] if parent >= 0 else 0
            found[row] = before + held["costs"][trees.actions[row]]
        costs[name] = dict(
            zip(zip(trees.owners.tolist(), trees.nodes.tolist(), strict=True), found.tolist(), strict=True)
        )
    both = costs["exact"].keys() & costs["whole"].keys()
    assert len(both) > 100
    assert all(costs["whole"][pair] >= costs["exact"][pair] - 1e-9 for pair in both)
    # an exact way of a actions is at most half a part for each of its actions dearer in whole numbers, and so is the whole one found
    worst = max(costs["whole"][pair] - costs["exact"][pair] for pair in both)
    assert worst < 200 * quantum


def test_the_smoothest_sequence_and_its_parts(actions: StateActions) -> None:
    rng = np.random.default_rng(4)
    held = path_arrays(actions)
    for source, target in rng.integers(0, actions.states, (30, 2)):
        found = smoothest_sequence(actions, int(source), int(target))
        costs, _, _ = least_costs(
            held["pointers"], held["targets"], held["costs"], held["frames"], np.array([source], np.int32)
        )
        assert found.cost == pytest.approx(costs[target])
        state, spent = int(source), 0.0
        for action in found.actions:
            assert actions.action_from[action] == state
            state = int(actions.action_to[action])
            spent += float(actions.action_cost[action])
            assert spent == pytest.approx(costs[state], abs=1e-6), "every beginning of a least-cost sequence is one"
        assert state == target
    with pytest.raises(ParameterError, match="no state"):
        smoothest_sequence(actions, 0, actions.states)
    assert len(smoothest_sequence(actions, 3, 3).actions) == 0
    with pytest.raises(ParameterError, match="horizon"):
        find_trees(actions, 0)


def test_poses_that_go_round_in_a_ring_leave_nothing_to_decide() -> None:
    count = 20
    chosen = Chosen(1.0, "given", 1.0, ())
    ring = PoseGraph(
        np.arange(count + 1),
        (np.arange(count) + 1) % count,
        np.zeros(count, np.float32),
        np.ones(count, np.bool_),
        count,
        1,
        1,
        chosen,
    )
    with pytest.raises(ParameterError, match=r"20 poses .* go round in a ring"):
        collapse(ring, np.zeros((count, 3)))


def test_processes_give_what_threads_give(recorded_poses, actions: StateActions) -> None:
    """Edges and trees are the same whoever works them out."""
    table = make_metric_table(recorded_poses)
    with open_executor("processes:2") as executor:
        there, here = search_edges(table, 1.5, executor=executor), search_edges(table, 1.5)
        for name in ("sources", "targets", "costs"):
            np.testing.assert_array_equal(getattr(there, name), getattr(here, name))
        far, near = find_trees(actions, 8, executor=executor), find_trees(actions, 8)
        for name in ("begins", "nodes", "parents", "actions", "depths"):
            np.testing.assert_array_equal(getattr(far, name), getattr(near, name))
