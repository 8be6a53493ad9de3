"""Loops on the cluster graph: within a clip where a node holds it twice, and through several clips and back (A11, C34, C35)."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from reenact.core.placement import placement_of
from reenact.edit.loop import LoopParameters
from reenact.errors import ParameterError
from reenact.graph.building import build_cluster_graph
from reenact.graph.joining import sources_from
from reenact.graph.loops import (
    describe_loops,
    find_clip_loops,
    find_round_trips,
    find_trips_from,
    make_clip_loop,
    make_trip_loop,
)
from reenact.graph.reach import NoPathError
from reenact.graph.search import waypoint
from reenact.graph.search_parameters import SearchParameters
from reenact.samples import make_sample
from reenact.solve.joint_pushes import joint_accelerations


def test_every_pair_of_sequences_in_a_node_is_a_loop(sample_graph) -> None:
    """Q (q - 1) / 2 for q sequences, less those shorter than asked for."""
    clip = sample_graph.clip_index("walk_normal")
    mine = sample_graph.sequence_nodes[sample_graph.sequence_clips == clip]
    counts = Counter(mine.tolist())
    loops = find_clip_loops(sample_graph, "walk_normal", shortest=0.0)
    assert len(loops) == sum(q * (q - 1) // 2 for q in counts.values()) > 50
    for loop in loops:
        first, second = (sample_graph.sequence(index) for index in loop.sequences)
        assert first.node == second.node == loop.node
        assert (first.clip, second.clip) == (clip, clip)
        assert (first.align, second.align) == (loop.start, loop.end)
        assert loop.start < loop.end
        a, b = sample_graph.frame(clip, loop.start), sample_graph.frame(clip, loop.end)
        assert loop.error == pytest.approx(sample_graph.error_between(a, b))
        assert loop.seconds == pytest.approx((loop.end - loop.start) / 60)
    fewer = find_clip_loops(sample_graph, "walk_normal", shortest=0.3, longest=1.5, near=200)
    assert fewer
    assert all(0.3 <= loop.seconds <= 1.5 and loop.start <= 200 < loop.end for loop in fewer)
    assert {(loop.start, loop.end) for loop in fewer} < {(loop.start, loop.end) for loop in loops}


@pytest.mark.parametrize("name", ["walk_normal", "walk_fast", "run"])
def test_the_period_is_that_of_the_sample(sample_graph, name: str) -> None:
    best = find_clip_loops(sample_graph, name)[0]
    true = np.median(np.diff(make_sample(name).truth.cycles))
    assert abs(best.end - best.start - true) <= 1


def test_a_motion_that_does_not_come_back_has_no_loop() -> None:
    clip = make_sample("sit_down").clip
    graph = build_cluster_graph([clip, make_sample("walk_normal").clip])
    for loop in find_clip_loops(graph, "sit_down", shortest=0.5):
        assert loop.error <= graph.error  # standing or sitting still at most
    with pytest.raises(ParameterError, match="no clip 'swim'"):
        find_clip_loops(graph, "swim")


def test_loops_are_described_and_made(sample_graph, sample_clips) -> None:
    sources = sources_from(sample_clips)
    loops = describe_loops(sample_graph, find_clip_loops(sample_graph, "walk_normal"), sources)
    best = loops[0]
    assert best.advance == pytest.approx(1.2 * best.seconds, rel=0.05)
    assert abs(np.degrees(best.turn)) < 3
    assert best.unsteady == ""
    assert {"clip", "start", "end", "seconds", "node", "error_m", "advance_m", "turn_degrees"} <= set(
        best.as_dict(sample_graph)
    )
    made = make_clip_loop(sample_graph, best, sources, LoopParameters(count=20))
    assert (made.report["start"], made.report["end"]) == (best.start, best.end)
    period = best.end - best.start
    stands = [placement_of(made.clip, k * period) for k in (0, 19)]
    far = np.hypot(*(np.array(stands[1].position) - stands[0].position))
    np.testing.assert_allclose(far, 19 * made.report["advance_m"], rtol=0.02)
    assert made.report["seam_acceleration_ratio"] <= 1.2
    thesis = make_clip_loop(sample_graph, best, sources, LoopParameters(count=3, method="blend"))
    assert len(thesis.clip) == 3 * period
    assert thesis.report["seam_acceleration_ratio"] <= 1.2


@pytest.mark.parametrize(
    "names", [("walk_normal", "walk_fast"), ("walk_normal", "walk_fast", "jog"), ("stand", "walk_normal", "kick_left")]
)
def test_a_loop_through_several_clips(sample_graph, sample_clips, names) -> None:
    trips = find_round_trips(sample_graph, [waypoint(sample_graph, name) for name in names], count=3)
    assert [trip.cost for trip in trips] == sorted(trip.cost for trip in trips)
    for trip in trips:
        assert [sample_graph.clips[option.leave[0]].name for option in trip.options] == list(names)
        assert trip.options[-1].enter[0] == trip.options[0].leave[0]
        for before, after in pairwise([trip.options[-1], *trip.options]):
            assert before.enter[0] == after.leave[0]
            assert after.leave[1] - before.enter[1] >= 0.8 * 60
        assert trip.cost == pytest.approx(sum(option.cost for option in trip.options))
    trip = trips[0]
    made = make_trip_loop(sample_graph, trip, sources_from(sample_clips), 3)
    period = made.report["end"] - made.report["start"]
    assert len(made.clip) == 3 * period
    assert abs(period / 60 - trip.seconds) < 0.1
    local = made.clip.rotations[:, 1:].reshape(3, period, -1)
    assert np.abs(local - local[0]).max() < 1e-6  # every round is the first one again
    assert made.report["seam_error_m"] < 0.005
    assert made.report["seam_acceleration_ratio"] <= 1.2
    assert made.report["slip_mm"] <= 5.0
    assert len(made.report["transitions"]) == len(trip.switches)
    seams = [frame for k in (1, 2) for frame in (k * period - 1, k * period, k * period + 1)]
    most = max(joint_accelerations(clip).max() for clip in sample_clips if clip.name in names)
    assert joint_accelerations(made.clip)[seams].max() <= 1.2 * most


def test_the_best_trip_is_the_best_of_all(sample_graph) -> None:
    """Of every way there and every way back that fit together."""
    from reenact.graph.search import find_options

    points = [waypoint(sample_graph, name) for name in ("walk_normal", "walk_fast")]
    there = find_options(sample_graph, points[0], points[1], count=60)
    back = find_options(sample_graph, points[1], points[0], count=60)
    least = min(
        a.cost + b.cost for a in there for b in back if a.enter[1] + 48 <= b.leave[1] and b.enter[1] + 66 <= a.leave[1]
    )
    assert find_round_trips(sample_graph, points)[0].cost == pytest.approx(least)


def test_trips_from_a_clip_through_any_other(sample_graph) -> None:
    trips = find_trips_from(sample_graph, "walk_normal", count=4)
    assert len(trips) == 4
    assert all(sample_graph.clips[trip.options[0].leave[0]].name == "walk_normal" for trip in trips)
    assert len({trip.options[0].enter[0] for trip in trips}) == 4
    assert [trip.cost for trip in trips] == sorted(trip.cost for trip in trips)


def test_trips_that_cannot_be_are_named(sample_graph) -> None:
    with pytest.raises(ParameterError, match="at least two, 1 named"):
        find_round_trips(sample_graph, [waypoint(sample_graph, "run")])
    points = [waypoint(sample_graph, name) for name in ("walk_normal", "walk_fast")]
    with pytest.raises(NoPathError, match="never so that all are entered before they are left"):
        find_round_trips(sample_graph, points, SearchParameters(window=6.6))
    apart = build_cluster_graph([make_sample("stand").clip, make_sample("run").clip])
    with pytest.raises(NoPathError, match="no way from stand to run"):
        find_round_trips(apart, [waypoint(apart, "stand"), waypoint(apart, "run")])
    assert find_trips_from(apart, "stand") == []


@pytest.mark.corpus
def test_recordings(recorded_graph, recorded) -> None:
    """The walk of A11, and a walk and a stride of one person that go over into each other and back."""
    loops = describe_loops(recorded_graph, find_clip_loops(recorded_graph, "16_15"), sources_from(recorded))
    assert 120 <= loops[0].end - loops[0].start <= 160
    points = [waypoint(recorded_graph, name) for name in ("16_15", "08_07")]
    made = make_trip_loop(recorded_graph, find_round_trips(recorded_graph, points)[0], sources_from(recorded), 2)
    assert made.report["seam_error_m"] < 0.005
    assert made.report["slip_mm"] <= 5.0
