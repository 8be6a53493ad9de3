"""What jumps cost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.placement import move_rigidly
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError
from reenact.mobility.edge_search import edge_tile, even_parts, search_edges, search_records
from reenact.mobility.gathering import GatheringParameters, build_pose_database
from reenact.mobility.pose_database import keep_clips
from reenact.mobility.transition_cost import (
    JOINT_WEIGHTS,
    TransitionParameters,
    make_metric_table,
    may_jump,
    pair_tile,
    pose_distances,
    pose_terms,
    search_edges_plainly,
    settle,
    transition_costs,
)
from reenact.samples import make_sample


@pytest.fixture(scope="module")
def strides(poses):
    """Walks alone: where people stand, everything is alike."""
    return make_metric_table(keep_clips(poses, [1, 2, 7, 9]))


def test_parameters_that_compare_nothing_are_refused(stick: Skeleton) -> None:
    with pytest.raises(ParameterError, match="nothing would be compared"):
        TransitionParameters(root_weight=0, limb_weight=0)
    with pytest.raises(ParameterError):
        TransitionParameters(exclude=-1)
    bare = replace(stick, roles={})
    still = Clip(bare, np.tile([1.0, 0, 0, 0], (9, 3, 1)), np.zeros((9, 3)), 30.0, "bare")
    with pytest.raises(SkeletonError, match="cannot be compared"):
        make_metric_table(build_pose_database([still], GatheringParameters(mirrored=False)))


def test_one_joint_turned_costs_its_weight_times_the_angle(stick: Skeleton) -> None:
    """The specification's logarithm is half of the angle: its cost of a turn by a is w a / 2, of the full angle w a."""
    angles = np.array([0.0, 0.0, 0.0, 0.4, 0.4, 0.4])
    for joint, weight in ((1, 1.0), (2, JOINT_WEIGHTS["left_upper_arm"])):
        rotations = np.tile([1.0, 0, 0, 0], (6, 3, 1))
        rotations[:, joint] = R.from_axis_angle([0, 1.0, 0], angles)
        clip = Clip(stick, rotations, np.tile([0, 1.0, 0], (6, 1)), 30.0, "stick")
        made = build_pose_database([clip], GatheringParameters(mirrored=False))
        table = make_metric_table(made, TransitionParameters(rate_scale=0, velocity_scale=0))
        assert pose_distances(table, [0], [5])[0] == pytest.approx(weight * 0.4, abs=1e-6)


@given(st.integers(0, 1000))
def test_it_is_a_metric(table, seed) -> None:
    a, b, c = np.random.default_rng(seed).integers(0, len(table), (3, 50))
    ab, ba, bc, ac = (pose_distances(table, *pair) for pair in ((a, b), (b, a), (b, c), (a, c)))
    np.testing.assert_array_equal(ab, ba)
    assert np.all(ac <= ab + bc + 1e-9)
    assert np.all(ab >= 0)
    np.testing.assert_allclose(pose_distances(table, a, a), 0, atol=1e-12)
    flipped = replace(table, quaternions=-table.quaternions)
    mixed = replace(table, quaternions=np.where(np.arange(len(table))[:, None, None] % 2, 1, -1) * table.quaternions)
    np.testing.assert_allclose(pose_distances(flipped, a, b), ab, atol=1e-12)
    np.testing.assert_allclose(pose_distances(mixed, a, b), ab, atol=1e-12)


def test_turning_and_moving_a_clip_changes_nothing(walks) -> None:
    plain = build_pose_database([walks[1], walks[4]])
    moved = build_pose_database([move_rigidly(walks[1], (4, 0, -7), 2.0), walks[4]])
    tables = [make_metric_table(one, TransitionParameters(rate_scale=0.2, velocity_scale=2)) for one in (plain, moved)]
    a, b = np.random.default_rng(0).integers(0, plain.poses, (2, 2000))
    np.testing.assert_allclose(*(pose_distances(one, a, b) for one in tables), atol=2e-3)
    assert np.median(np.abs(pose_distances(tables[0], a, b) - pose_distances(tables[1], a, b))) < 1e-4


def test_the_recorded_continuation_is_free_and_ends_are_closed(table) -> None:
    natural = np.flatnonzero(table.clips[:-1] == table.clips[1:])
    assert np.all(transition_costs(table, natural, natural + 1) == 0)
    ends = np.flatnonzero(table.clips[:-1] != table.clips[1:])
    assert np.all(np.isinf(transition_costs(table, ends, np.full(len(ends), 5))))
    assert np.all(np.isinf(transition_costs(table, np.full(len(ends), 5), ends + 1)))
    assert not may_jump(table, natural, natural + 1).any()
    assert not may_jump(table, ends, np.full(len(ends), 5)).any()
    i, j = np.random.default_rng(2).integers(1, len(table) - 1, (2, 3000))
    there, back = transition_costs(table, i, j), transition_costs(table, j - 1, i + 1)
    np.testing.assert_allclose(
        there[np.isfinite(there) & np.isfinite(back)], back[np.isfinite(there) & np.isfinite(back)]
    )


def test_velocity_terms_are_balanced_by_medians(table) -> None:
    a, b = np.random.default_rng(5).integers(0, len(table), (2, 20_000))
    medians = [float(np.median(term)) for term in pose_terms(table, a, b)]
    assert max(medians) / min(medians) < 1.1


def test_a_jump_in_a_periodic_walk_is_cheapest_in_phase() -> None:
    """Between two walks of one kind the cheapest target of a pose has its phase, and never the opposite one."""
    walk = make_sample("walk_normal")
    database = build_pose_database([walk.clip], GatheringParameters(mirrored=False))
    table = make_metric_table(database, TransitionParameters(exclude=8))
    swings = database.contacts[:, :2].any(axis=1).astype(int)
    period = np.diff(np.flatnonzero(np.diff(swings) == 1)).mean()
    middle = np.arange(int(period), database.poses - int(period))
    for i in middle:
        j = np.arange(1, database.poses)
        allowed = may_jump(table, np.full(len(j), i), j)
        best = int(j[allowed][np.argmin(transition_costs(table, np.full(allowed.sum(), i), j[allowed]))])
        phase = (best - (i + 1)) / period % 1
        assert min(phase, 1 - phase) * period <= 2.0


def test_edges_are_those_of_brute_force(recorded_poses) -> None:
    """On thousands of real poses, with and without a cap, in any tiles."""
    assert recorded_poses.poses > 2000
    half = keep_clips(recorded_poses, np.arange(0, len(recorded_poses.names), 3))
    for database, parameters in (
        (recorded_poses, TransitionParameters()),
        (half, TransitionParameters(contacts=True, exclude=3)),
    ):
        table = make_metric_table(database, parameters)
        plain = search_edges_plainly(table, 2.2)
        for limit, most in ((2.2, 10), (2.2, 1), (1.2, 0)):
            got, wanted = search_edges(table, limit, most), settle(table, *plain, limit, most)
            assert len(wanted) > 200
            np.testing.assert_array_equal(got.sources, wanted.sources)
            np.testing.assert_array_equal(got.targets, wanted.targets)
            np.testing.assert_array_equal(got.costs, wanted.costs)
            assert got.costs.max() <= limit
            if most:
                assert np.bincount(got.sources).max() <= most


def test_edges_do_not_depend_on_who_runs_the_tiles(strides) -> None:
    table = strides
    here, one = search_edges(table, 2.0), search_edges(table, 2.0, executor="serial")
    np.testing.assert_array_equal(here.targets, one.targets)
    shared = {**search_records(table), "caps": np.full(len(table), 2.01, np.float32)}
    for parts in (1, 7):
        tiles = [edge_tile((first, last, 10), shared) for first, last in even_parts(len(table), parts)]
        again = settle(table, *(np.concatenate([tile[k] for tile in tiles]) for k in range(2)), 2.0)
        np.testing.assert_array_equal(here.sources, again.sources)
        np.testing.assert_array_equal(here.targets, again.targets)


def test_more_is_allowed_with_a_higher_limit(strides) -> None:
    counts = [len(search_edges(strides, limit, 0)) for limit in (0.5, 1.0, 2.0)]
    assert counts[0] < counts[1] < counts[2]


def test_jumps_are_smoother_than_random_ones(recorded_poses) -> None:
    """Joint angles and their velocities change at least five times less over the kept jumps than between any two poses."""
    table = make_metric_table(recorded_poses)
    jumps = search_edges(table, 1.0)
    assert len(jumps) > 100
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, len(table), (2, 20_000))
    kept, random = pose_terms(table, jumps.sources + 1, jumps.targets), pose_terms(table, a, b)
    assert 5 * kept[0].mean() < random[0].mean()
    assert 5 * kept[2].mean() < random[2].mean()


def test_proposals_may_come_twice_in_any_order_and_too_dear(strides) -> None:
    table = strides
    wanted = search_edges(table, 1.0, 3)
    i, j = pair_tile(table, (0, len(table)), (0, len(table)), 2.0)
    assert len(i) > len(wanted) > 100
    order = np.random.default_rng(0).permutation(2 * len(i))
    got = settle(table, np.tile(i, 2)[order], np.tile(j, 2)[order], 1.0, 3)
    np.testing.assert_array_equal(got.targets, wanted.targets)
    empty = settle(table, [], [], 1.0)
    assert len(empty) == 0
    assert pair_tile(table, (5, 5), (0, 10), 1.0)[0].shape == (0,)
