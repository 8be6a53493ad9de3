"""Plans and the clips made of them (A10)."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.core.derivatives import accelerations
from reenact.errors import ParameterError
from reenact.graph.joining import join_segments, sources_from
from reenact.graph.planning import Segment, plan_sequence
from reenact.graph.reach import NoPathError
from reenact.graph.search import waypoint
from reenact.graph.search_parameters import SearchParameters


def _make(graph, clips, names, **options):
    plan = plan_sequence(graph, [waypoint(graph, name) for name in names], SearchParameters(**options))[0]
    return plan, join_segments(graph, plan.segments(graph), sources_from(clips))


@pytest.mark.parametrize(
    "names", [("walk_normal", "walk_fast"), ("walk_normal", "kick_left"), ("stand", "walk_normal", "jog")]
)
def test_samples_are_joined_smoothly(sample_graph, sample_clips, names) -> None:
    plan, made = _make(sample_graph, sample_clips, names)
    segments = plan.segments(sample_graph)
    assert len(made.clip) == sum(one.end - one.start for one in segments)
    assert made.plants is not None
    assert len(made.plants) == len(made.clip)
    for row in made.report["transitions"]:
        assert row["slip_mm"] <= 5
        assert row["acceleration_ratio"] <= 3.5  # each joint against itself: those of a stand hardly move
    used = {sample_graph.clips[one.clip].name for one in segments}
    most = max(np.linalg.norm(accelerations(clip), axis=2).max() for clip in sample_clips if clip.name in used)
    assert np.linalg.norm(accelerations(made.clip), axis=2).max() <= 1.5 * most


@pytest.mark.parametrize("names", [("08_01", "08_07"), ("08_07", "08_01"), ("02_01", "11_01"), ("11_01", "02_03")])
def test_recordings_are_joined(recorded_graph, recorded, names) -> None:
    """Walk and exaggerated stride both ways, walk to kick, kick to run (08_01 stands for the missing 08_02)."""
    plan, made = _make(recorded_graph, recorded, names, hops=6)
    assert len(made.report["transitions"]) == len(plan.switches)
    first = plan.segments(recorded_graph)[0]
    source = recorded[recorded_graph.clip_index(names[0])]
    head = first.end - 60
    np.testing.assert_allclose(made.clip.root[:head], source.root[:head], atol=1e-5)
    for row in made.report["transitions"]:
        assert row["slip_mm"] <= 5
        assert row["acceleration_ratio"] <= 1.5


def test_several_plans_are_sorted_and_different(sample_graph) -> None:
    points = [waypoint(sample_graph, name) for name in ("walk_normal", "walk_fast", "jog")]
    plans = plan_sequence(sample_graph, points, count=5)
    assert [plan.cost for plan in plans] == sorted(plan.cost for plan in plans)
    assert len({plan.switches for plan in plans}) == 5
    for plan in plans:
        middle = plan.segments(sample_graph)[1]
        assert middle.end - middle.start >= 47


def test_frames_of_a_plan(sample_graph, sample_clips) -> None:
    points = [waypoint(sample_graph, "walk_normal", 40, 250), waypoint(sample_graph, "walk_fast", 200, 300)]
    plan = plan_sequence(sample_graph, points)[0]
    first, last = plan.segments(sample_graph)
    assert first.start == 40
    assert abs(first.end - 250) < 60
    assert last.start <= 200
    assert last.end == 301
    made = join_segments(sample_graph, plan.segments(sample_graph), sources_from(sample_clips))
    assert len(made.clip) == first.end - first.start + last.end - last.start
    with pytest.raises(ParameterError, match="before"):
        waypoint(sample_graph, "walk_normal", 40, 20)


def test_continuing_segments_are_played_on(sample_graph, sample_clips) -> None:
    walk = sample_graph.clip_index("walk_normal")
    made = join_segments(sample_graph, [Segment(walk, 10, 100), Segment(walk, 100, 150)], sources_from(sample_clips))
    np.testing.assert_array_equal(made.clip.rotations, sample_clips[walk].rotations[10:150])
    assert made.report["transitions"] == []


def test_bad_input_is_named(sample_graph, sample_clips) -> None:
    with pytest.raises(ParameterError, match="at least two clips"):
        plan_sequence(sample_graph, [waypoint(sample_graph, "run")])
    points = [waypoint(sample_graph, name) for name in ("walk_normal", "walk_fast", "jog")]
    with pytest.raises(NoPathError, match="not one after the other"):
        plan_sequence(sample_graph, points, SearchParameters(window=7.0))
    with pytest.raises(ParameterError, match="nothing to join"):
        join_segments(sample_graph, [], sources_from(sample_clips))
    with pytest.raises(ParameterError, match="no clip"):
        join_segments(sample_graph, [Segment(0, 0, 10)], sources_from(sample_clips[1:]))
