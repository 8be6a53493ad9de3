"""Finding transitions (A10)."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from reenact.analysis.plants import detect_plants
from reenact.core.cutting import CutParameters, cut
from reenact.core.placement import move_rigidly
from reenact.errors import ParameterError
from reenact.graph.building import build_cluster_graph, recut
from reenact.graph.explain import describe_state, explain_option, explain_switch, overlay_poses
from reenact.graph.graph_parameters import GraphParameters
from reenact.graph.reach import find_joining_error, leading_to, no_path_error, reached_from
from reenact.graph.search import Waypoint, find_options, switch_room, waypoint, waypoints_of
from reenact.graph.search_parameters import SearchParameters
from reenact.loading import load
from reenact.samples import make_sample


@pytest.mark.parametrize("name", ["walk_corner_left", "turn_180_left"])
def test_two_overlapping_parts_are_joined_in_the_overlap(name) -> None:
    whole = make_sample(name).clip
    middle = len(whole) // 2
    first = replace(cut(whole, CutParameters(0, middle + 40)), name="first")
    second = replace(move_rigidly(cut(whole, CutParameters(middle - 40)), (5.0, 0.0, 3.0), 1.2), name="second")
    graph = build_cluster_graph([first, second])
    source, target = waypoint(graph, "first", leave=middle), waypoint(graph, "second", 40)
    best = find_options(graph, source, target)[0]
    assert best.kind == "exact"
    assert abs(best.leave[1] - (best.enter[1] + middle - 40)) <= 2  # the same moment of the whole
    errors = [
        graph.error_between(int(a), int(b)) for a, b in np.random.default_rng(0).integers(0, graph.frames, (500, 2))
    ]
    assert best.switches[0].error < 0.01 * np.median(errors)


def test_options_are_sorted_and_their_parts_add_up(sample_graph) -> None:
    found = find_options(
        sample_graph, waypoint(sample_graph, "walk_normal"), waypoint(sample_graph, "walk_fast"), count=20
    )
    assert len(found) == 20
    costs = [option.cost for option in found]
    assert costs == sorted(costs)
    for option in found:
        assert option.cost == pytest.approx(sum(option.parts.values()))
        (switch,) = option.switches
        a = sample_graph.frame(switch.leave_clip, switch.leave_frame)
        b = sample_graph.frame(switch.enter_clip, switch.enter_frame)
        assert sample_graph.node_of_frame[a] == sample_graph.node_of_frame[b] == switch.node
        assert switch.error == pytest.approx(sample_graph.error_between(a, b), rel=1e-3, abs=1e-5)


def test_the_best_option_is_the_best_of_all_pairs(sample_graph) -> None:
    parameters = SearchParameters()
    source, target = waypoint(sample_graph, "walk_normal", leave=200), waypoint(sample_graph, "walk_fast", 150)
    best = find_options(sample_graph, source, target, parameters)[0]
    starts, half = sample_graph.starts, parameters.window / 2 * 60
    least = np.inf
    for a in range(1, 419):
        for b in range(1, 151):
            i, j = starts[source.clips[0]] + a, starts[target.clips[0]] + b
            if sample_graph.node_of_frame[i] != sample_graph.node_of_frame[j]:
                continue
            room = sum(max(0.0, 1 - min(k, 419 - k) / half) for k in (a, b))
            error = sample_graph.error_between(int(i), int(j)) / sample_graph.error
            least = min(least, 1 + error**2 + 0.5 * abs(a - 200) / 60 + 0.5 * (150 - b) / 60 + room)
    assert best.cost == pytest.approx(least, rel=1e-4)


def test_the_target_is_entered_before_its_frame(sample_graph) -> None:
    for option in find_options(
        sample_graph, waypoint(sample_graph, "walk_fast"), waypoint(sample_graph, "run", 60), count=9
    ):
        assert option.enter[1] <= 60


def test_a_way_through_other_clips(sample_graph) -> None:
    best = find_options(sample_graph, waypoint(sample_graph, "stand"), waypoint(sample_graph, "walk_normal"))[0]
    assert best.kind == "indirect"
    names = [sample_graph.clips[switch.enter_clip].name for switch in best.switches]
    assert names[-1] == "walk_normal"
    assert "start_walk_left" in names
    for before, after in zip(best.switches, best.switches[1:], strict=False):
        assert before.enter_clip == after.leave_clip
        assert after.leave_frame - before.enter_frame >= 0.8 * 60 - 1


def test_a_way_is_found_exactly_when_there_is_one(recorded_graph) -> None:
    graph, count = recorded_graph, 0
    for hops in (1, 2, 3):
        parameters = SearchParameters(hops=hops, via="any")
        for a in range(len(graph.clips)):
            for b in range(len(graph.clips)):
                if a == b:
                    continue
                source, target = Waypoint((a,)), Waypoint((b,))
                touched = np.intersect1d(
                    graph.sequence_nodes[reached_from(graph, source, parameters)],
                    graph.sequence_nodes[leading_to(graph, target, replace(parameters, hops=1))],
                )
                direct = np.intersect1d(
                    graph.sequence_nodes[graph.sequence_clips == a], graph.sequence_nodes[graph.sequence_clips == b]
                )
                found = find_options(graph, source, target, parameters, 1)
                if len(touched):
                    assert found, (graph.clips[a].name, graph.clips[b].name, hops)
                elif not len(direct):
                    assert not found
                count += bool(found)
    assert count > 20


def clips_within(graph, source: int, hops: int, parameters: SearchParameters) -> set[int]:
    """Clips that a plain breadth-first search over single moves can enter from a clip, with at most so many switches.

    A state is a sequence of a clip that plays, and the first frame at which it may be left. Written without the code that is tested.
    """
    room = np.isfinite(switch_room(graph, parameters))
    least = [round(parameters.window * clip.fps) for clip in graph.clips]
    rows = [graph.sequence(n) for n in range(len(graph.sequence_starts))]
    inside = {node: [n for n in range(len(rows)) if rows[n].node == node and room[n]] for node in range(graph.nodes)}
    earliest = {source: -1}  # of each clip that plays, the first frame in which it may be left
    found: set[int] = set()
    for _ in range(hops):
        entered: dict[int, int] = {}
        for n, row in enumerate(rows):
            if room[n] and row.clip in earliest and row.align >= earliest[row.clip]:
                for m in inside[row.node]:
                    if rows[m].clip != row.clip:
                        clip, frame = rows[m].clip, rows[m].align
                        entered[clip] = min(entered.get(clip, frame), frame)
        found |= set(entered)
        for clip, frame in entered.items():
            ready = frame + max(least[clip], 1)
            earliest[clip] = min(earliest.get(clip, ready), ready)
    return found


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_ways_are_those_of_a_plain_search(sample_graph, hops) -> None:
    """Whatever single moves over alignment frames reach is found; what is found beyond that goes over other frames of a node."""
    graph, parameters = sample_graph, SearchParameters(hops=hops, via="any")
    nodes = [set(graph.sequence_nodes[graph.sequence_clips == clip]) for clip in range(len(graph.clips))]
    for a in range(len(graph.clips)):
        reached = clips_within(graph, a, hops, parameters)
        for b in range(len(graph.clips)):
            if a == b:
                continue
            found = bool(find_options(graph, Waypoint((a,)), Waypoint((b,)), parameters, 1))
            if b in reached:
                assert found, (graph.clips[a].name, graph.clips[b].name)
            elif not nodes[a] & nodes[b]:
                assert not found, (graph.clips[a].name, graph.clips[b].name)


@pytest.mark.parametrize("name", ["16_17", "69_20"])
def test_two_overlapping_parts_of_a_recording_are_joined_in_the_overlap(corpus, name) -> None:
    whole = load(next(corpus.joinpath("cmu-bvh").rglob(f"{name}.bvh")))
    middle = len(whole) // 2
    first = replace(cut(whole, CutParameters(0, middle + 80)), name="first")
    second = replace(move_rigidly(cut(whole, CutParameters(middle - 80)), (5.0, 0.0, 3.0), 1.2), name="second")
    plants = detect_plants(whole)  # of the whole: near the ends of a part the same frame can be seen otherwise
    parts = [plants.cut(0, middle + 80), plants.cut(middle - 80, len(whole))]
    graph = build_cluster_graph([first, second], GraphParameters(standing=0.0), plants=parts)
    best = find_options(graph, waypoint(graph, "first", leave=middle), waypoint(graph, "second", 80))[0]
    assert abs(best.leave[1] - (best.enter[1] + middle - 80)) <= 2
    pairs = np.random.default_rng(0).integers(0, graph.frames, (500, 2))
    assert best.switches[0].error < 0.01 * np.median([graph.error_between(int(a), int(b)) for a, b in pairs])


def test_no_path_says_what_is_missing(sample_clips) -> None:
    graph = build_cluster_graph([sample_clips[0], sample_clips[7]])
    source, target = waypoint(graph, "stand"), waypoint(graph, "run")
    assert find_options(graph, source, target) == []
    message = str(no_path_error(graph, source, target, SearchParameters()))
    assert "no way from stand to run" in message
    assert "needed is a clip that begins like stand at frame" in message
    assert "(both feet planted)" in message
    assert "pose like run at frame" in message
    assert "mirrored" in message


def test_what_is_said_to_help_does_help(recorded_graph) -> None:
    """A kick and a run on a graph that is cut too fine: the error proposed joins them, and a smaller one does not."""
    fine = recut(recorded_graph, 0.05)
    source, target = waypoint(fine, "11_01"), waypoint(fine, "02_03")
    assert find_options(fine, source, target) == []
    error = find_joining_error(fine, source, target, SearchParameters())
    assert error is not None
    assert f"--error {error:g})" in str(no_path_error(fine, source, target, SearchParameters()))
    assert find_options(recut(fine, error), source, target)
    assert not find_options(recut(fine, 0.85 * error), source, target)


def test_more_switches_are_proposed_where_they_help(sample_graph) -> None:
    source, target = waypoint(sample_graph, "stand"), waypoint(sample_graph, "walk_normal")
    one = SearchParameters(hops=1)
    assert find_options(sample_graph, source, target, one) == []
    said = re.search(r"--hops (\d+)", str(no_path_error(sample_graph, source, target, one)))
    assert said
    assert find_options(sample_graph, source, target, replace(one, hops=int(said[1])))
    direct = no_path_error(sample_graph, source, target, SearchParameters(via="direct"))
    assert "--via auto" in str(direct)


def test_a_clip_too_short_for_a_blend_is_named(sample_clips) -> None:
    short = replace(cut(sample_clips[1], CutParameters(100, 108)), name="short")
    graph = build_cluster_graph([sample_clips[0], short])
    message = str(no_path_error(graph, waypoint(graph, "stand"), waypoint(graph, "short"), SearchParameters()))
    assert "short is too short for a blend (8 frames, 0.13 s)" in message


def test_mirrored_clips_are_candidates(sample_clips) -> None:
    graph = build_cluster_graph(sample_clips[1:3], GraphParameters(mirrored=True))
    found = find_options(graph, waypoint(graph, "walk_normal"), waypoint(graph, "walk_fast"), count=40)
    assert any(graph.clips[option.enter[0]].mirrored and option.parts["mirror"] == 0.25 for option in found)


def test_classes_of_clips(sample_graph) -> None:
    walks = waypoints_of(sample_graph, ["walk_normal", "walk_fast", "not there"], "type:walk")
    assert len(walks.clips) == 2
    best = find_options(sample_graph, walks, waypoint(sample_graph, "jog"))[0]
    assert best.leave[0] in walks.clips
    with pytest.raises(ParameterError, match="type:swim"):
        waypoints_of(sample_graph, ["nothing"], "type:swim")


def test_a_jump_within_a_clip_is_a_jump(sample_graph) -> None:
    walk = waypoint(sample_graph, "walk_normal", leave=300)
    for option in find_options(sample_graph, walk, waypoint(sample_graph, "walk_normal", 200)):
        assert abs(option.leave[1] - option.enter[1]) >= 48


def test_every_choice_is_explained(sample_graph, sample_clips) -> None:
    option = find_options(sample_graph, waypoint(sample_graph, "walk_normal"), waypoint(sample_graph, "walk_fast"))[0]
    switch = option.switches[0]
    why = explain_switch(sample_graph, switch)
    assert sum(share.share for share in why.joints) == pytest.approx(1.0)
    total = sum(s.position**2 + s.velocity**2 + s.acceleration**2 for s in why.joints)
    assert total == pytest.approx(switch.error**2, rel=1e-3)
    assert why.node_clips >= 2
    text = "\n".join(explain_option(sample_graph, option))
    assert describe_state(switch.state) in text
    assert f"frame {switch.leave_frame}" in text
    a, b = overlay_poses(sample_clips[1], switch.leave_frame, sample_clips[2], switch.enter_frame)
    assert len(a) == len(b) == 1
    gap = np.linalg.norm(a.world().positions - b.world().positions, axis=2)
    assert gap.max() < 0.5


def test_bad_input_is_named(sample_graph) -> None:
    with pytest.raises(ParameterError, match="no clip 'swim'"):
        waypoint(sample_graph, "swim")
    with pytest.raises(ParameterError, match="frames 0 to 419"):
        waypoint(sample_graph, "walk_normal", 999)
    with pytest.raises(ParameterError, match="count"):
        find_options(sample_graph, waypoint(sample_graph, "run"), waypoint(sample_graph, "jog"), count=0)
    with pytest.raises(ParameterError, match="via must be"):
        SearchParameters(via="magic")  # type: ignore[arg-type]


def test_speeds_that_differ_cost(sample_graph) -> None:
    """A walk goes over into a run where both travel at speeds as near as they come; the parts still add up."""
    source, target = waypoint(sample_graph, "stop_walk_left"), waypoint(sample_graph, "start_walk_left")
    speeds = sample_graph.travel_speeds
    apart = []
    for speed in (0.0, 50.0):
        best = find_options(sample_graph, source, target, SearchParameters(speed=speed), 1)[0]
        assert best.cost == pytest.approx(sum(best.parts.values()), rel=1e-4)
        a, b = (sample_graph.frame(*place) for place in (best.leave, best.enter))
        apart.append(abs(np.log2(max(speeds[a], 0.3)) - np.log2(max(speeds[b], 0.3))))
    assert best.parts["speed"] == pytest.approx(50 * apart[1] ** 2, abs=1e-6)
    assert apart[1] <= apart[0]
    ways = find_options(sample_graph, source, target, SearchParameters(speed=5.0, via="any"), 3)
    for way in ways:
        assert way.cost == pytest.approx(sum(way.parts.values()), rel=1e-3)


def test_travel_speeds_are_those_of_the_samples(sample_graph, sample_clips) -> None:
    for clip in sample_clips:
        span = sample_graph.starts[sample_graph.clip_index(clip.name)] + np.arange(len(clip))
        way = np.linalg.norm(np.diff(clip.root[:, [0, 2]].astype(np.float64), axis=0), axis=1).sum()
        assert sample_graph.travel_speeds[span].mean() == pytest.approx(way / clip.seconds, rel=0.1, abs=0.05)
