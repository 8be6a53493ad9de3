"""Clips named in a sequence play mostly: left late, entered early, and what is lost is said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.analysis.action import action_density
from reenact.core.cutting import CutParameters, concatenate, cut
from reenact.errors import ParameterError
from reenact.graph.building import build_cluster_graph
from reenact.graph.joining import join_segments, sources_from
from reenact.graph.planning import plan_sequence
from reenact.graph.search import find_options, waypoint
from reenact.graph.search_parameters import SearchParameters
from reenact.samples import make_sample


def played(graph, option) -> list[float]:
    """Shares of time and action that are played of the clip left and the clip entered."""
    (left, leave), (entered, enter) = option.leave, option.enter
    first, second = graph.action_of(left), graph.action_of(entered)
    return [(leave + 1) / len(first), first[: leave + 1].sum(), 1 - enter / len(second), second[enter:].sum()]


def test_a_graph_knows_where_the_action_is(sample_graph, sample_clips) -> None:
    """From the few effectors it keeps, about what the whole body tells."""
    for number, clip in enumerate(sample_clips):
        known = sample_graph.action_of(number)
        assert known.sum() == pytest.approx(1.0)
        assert np.abs(np.cumsum(known) - np.cumsum(action_density(clip))).max() < 0.12, clip.name


def test_half_of_each_clip_is_played_or_it_is_said(sample_graph) -> None:
    count = 0
    for a in range(len(sample_graph.clips)):
        for b in range(len(sample_graph.clips)):
            if a == b:
                continue
            for option in find_options(sample_graph, waypoint(sample_graph, a), waypoint(sample_graph, b), count=3):
                assert (min(played(sample_graph, option)) < 0.5 - 1e-9) == bool(option.lost)
                assert option.cost == pytest.approx(sum(option.parts.values()), rel=1e-3)
                count += not option.lost
    assert count > 30


def test_a_kick_is_entered_before_it() -> None:
    """A walk into a clip that walks, kicks, and walks on for long: both walks fit, the kick is played."""
    walk, kick = make_sample("walk_normal").clip, make_sample("kick_left").clip
    long_walk = cut(make_sample("walk_fast").clip, CutParameters(0, 360))
    clip = replace(concatenate([cut(walk, CutParameters(0, 130)), kick, long_walk]), name="walk_kick_walk")
    graph = build_cluster_graph([make_sample("walk_fast").clip, clip])
    source, target = waypoint(graph, "walk_fast"), waypoint(graph, "walk_kick_walk")
    anywhere = find_options(graph, source, target, SearchParameters(search="anywhere", entry=0.0), 1)[0]
    assert anywhere.enter[1] > 130 + len(kick)  # the same walk: no pose differs
    assert "% of walk_kick_walk is lost: it is entered at frame" in anywhere.lost
    assert "(search anywhere)" in anywhere.lost
    best = find_options(graph, source, target, SearchParameters(entry=0.0), 1)[0]
    assert best.enter[1] < 130
    assert best.lost == ""


def test_where_there_is_no_other_way_more_is_lost_and_said() -> None:
    """Clips that share only the end of the one and the end of the other."""
    run, walk = make_sample("run").clip, make_sample("walk_normal").clip
    late = replace(concatenate([run, cut(walk, CutParameters(0, 120))]), name="run_walk")
    graph = build_cluster_graph([make_sample("walk_normal").clip, late])
    option = find_options(graph, waypoint(graph, "walk_normal"), waypoint(graph, "run_walk"))[0]
    assert option.enter[1] > len(run) - 20
    assert "of run_walk is lost: it is entered at frame" in option.lost
    assert "no other way was found" in option.lost
    plan = plan_sequence(graph, [waypoint(graph, "walk_normal"), waypoint(graph, "run_walk")])[0]
    assert plan.as_dict(graph)["lost"] == [option.lost]
    assert plan.played(graph)[1].time < 0.5


def test_frames_asked_for_are_no_loss(sample_graph) -> None:
    source, target = waypoint(sample_graph, "walk_normal", leave=100), waypoint(sample_graph, "walk_fast", 350)
    option = find_options(sample_graph, source, target)[0]
    assert abs(option.leave[1] - 100) < 60
    assert option.lost == ""
    assert option.parts["lost"] == 0.0


@pytest.mark.parametrize(
    "names", [("walk_normal", "walk_fast", "jog"), ("stand", "walk_normal", "kick_left", "walk_fast")]
)
def test_clips_in_the_middle_play_mostly(sample_graph, sample_clips, names) -> None:
    plan = plan_sequence(sample_graph, [waypoint(sample_graph, name) for name in names])[0]
    shares = plan.played(sample_graph)
    assert [sample_graph.clips[one.clip].name for one in shares] == list(names)
    assert all(min(one.time, one.action) >= 0.5 for one in shares[1:-1])
    assert plan.lost(sample_graph) == tuple(option.lost for option in plan.options if option.lost)
    told = plan.as_dict(sample_graph)["played"]
    assert [row["clip"] for row in told] == list(names)
    made = join_segments(sample_graph, plan.segments(sample_graph), sources_from(sample_clips))
    for row, leave in zip(made.report["transitions"], plan.switches, strict=True):
        if leave.leave_clip == shares[0].clip:
            assert row["played_of_first"] == pytest.approx(shares[0].time, abs=0.01)


def test_bad_input_is_named() -> None:
    with pytest.raises(ParameterError, match="search must be one of action, anywhere, not 'best'"):
        SearchParameters(search="best")  # type: ignore[arg-type]
