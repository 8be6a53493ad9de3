"""Nodes, sequences and edges (A07)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.analysis.constraint_states import STATES
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError
from reenact.graph.building import (
    build_cluster_graph,
    describe_clip,
    merge_standing,
    recut,
)
from reenact.graph.calibration import gait_cycles, sequences_per_cycle
from reenact.graph.extending import extend_cluster_graph
from reenact.graph.graph_parameters import THESIS_ERROR, GraphParameters
from reenact.graph.search import shared_nodes
from reenact.graph.storage import graph_from_arrays, graph_to_arrays, read_about
from reenact.loading import load


def test_samples(sample_graph, check_graph) -> None:
    check_graph(sample_graph)


def test_recordings(recorded_graph, check_graph) -> None:
    check_graph(recorded_graph)


@pytest.mark.parametrize(
    "options", [{"linkage": "median"}, {"alignment": "greedy"}, {"standing": 0.0}, {"error": THESIS_ERROR}]
)
def test_choices_of_the_thesis(sample_clips, options, check_graph) -> None:
    check_graph(build_cluster_graph(sample_clips[:3], GraphParameters(**options)))


def test_a_gait_cycle_falls_into_a_few_sequences(recorded, corpus) -> None:
    walks = [load(next(corpus.joinpath("cmu-bvh").rglob(f"{name}.bvh"))) for name in ("07_01", "16_31")]
    graph = build_cluster_graph([*recorded, *walks])
    cycles = gait_cycles(graph.states, graph.clips)
    assert len(cycles) >= 10
    assert 5 <= sequences_per_cycle(graph.node_of_frame, cycles) <= 15


def test_walk_and_exaggerated_stride_share_nodes(recorded_graph) -> None:
    assert len(shared_nodes(recorded_graph, "08_01", "08_07")) >= 5


def test_links_and_neighbours(sample_graph) -> None:
    for node in range(sample_graph.nodes):
        for after in sample_graph.out_nodes(node):
            assert node in sample_graph.in_nodes(after)
            assert sample_graph.links(node, after)
    first = sample_graph.sequence_at("walk_normal", 0)
    assert first.start == 0
    assert sample_graph.state_of(first.node) in STATES


def test_recut_is_the_cut_of_the_same_tree(sample_graph, check_graph) -> None:
    coarse = recut(sample_graph, 0.2)
    check_graph(coarse)
    assert coarse.nodes < sample_graph.nodes


def test_an_added_double_joins_the_nodes_of_its_original(sample_clips) -> None:
    graph = build_cluster_graph(sample_clips[:4])
    double = replace(sample_clips[1], name="double")
    longer = extend_cluster_graph(graph, [describe_clip(double, graph.metric)], 1.0).graph
    start = int(longer.starts[1])
    original = longer.node_of_frame[start : start + len(double)]
    same = longer.node_of_frame[-len(double) :] == original
    assert same.mean() > 0.9  # frames on the border of two nodes may fall to the other side


def test_mirrored_clips_stand_beside_their_originals(sample_clips, check_graph) -> None:
    graph = build_cluster_graph(sample_clips[1:3], GraphParameters(mirrored=True))
    check_graph(graph)
    assert [clip.mirrored for clip in graph.clips] == [False, False, True, True]
    normal, mirrored = graph.clip_index("walk_normal"), graph.clip_index("walk_normal", mirrored=True)
    swap = {"L": "R", "LB": "RB", "LN": "RN", "R": "L", "RB": "LB", "RN": "LN", "N": "N", "B": "B"}
    for frame in range(0, 400, 37):
        here, there = (STATES[graph.states[graph.frame(clip, frame)]] for clip in (normal, mirrored))
        assert swap[here] == there


def test_standing_is_one_state() -> None:
    names = ["L"] * 3 + ["LB"] * 8 + ["R"] * 2 + ["RB"] * 3 + ["L"]
    states = np.array([STATES.index(name) for name in names], np.int8)
    merged = [STATES[state] for state in merge_standing(states, 6)]
    assert merged == ["L"] * 3 + ["B"] * 8 + ["R"] * 2 + ["RB"] * 3 + ["L"]
    np.testing.assert_array_equal(merge_standing(states, 0), states)


def test_a_graph_comes_back_from_its_arrays(sample_graph, sample_clips) -> None:
    keys = tuple(f"key{n}" for n in range(len(sample_graph.clips)))
    arrays = graph_to_arrays(sample_graph, keys)
    again = graph_from_arrays(arrays, sample_clips[0].skeleton)
    assert read_about(arrays)["keys"] == list(keys)
    assert again.clips == sample_graph.clips
    assert again.parameters == sample_graph.parameters
    for name in ("features", "states", "node_of_frame", "aligned"):
        np.testing.assert_array_equal(getattr(again, name), getattr(sample_graph, name))
    np.testing.assert_array_equal(again.tree.cut(0.03), sample_graph.tree.cut(0.03))
    assert all(not values.dtype.hasobject for values in arrays.values())


def test_a_library_without_gait_takes_the_error_of_the_thesis(sample_clips) -> None:
    assert build_cluster_graph(sample_clips[:1]).error == pytest.approx(THESIS_ERROR, abs=1e-4)


def test_bad_input_is_named(sample_clips, sample_graph) -> None:
    with pytest.raises(ParameterError, match="at least one clip"):
        build_cluster_graph([])
    with pytest.raises(ParameterError, match="two clips are called 'stand'"):
        build_cluster_graph([sample_clips[0], sample_clips[0]])
    bones = Skeleton(("a", "b"), np.array([-1, 0]), np.ones((2, 3)))
    odd = replace(
        sample_clips[0], skeleton=bones, rotations=sample_clips[0].rotations[:, :2], translations=None, name="odd"
    )
    with pytest.raises(SkeletonError, match=r"odd.*22 joints against 2"):
        build_cluster_graph([sample_clips[1], odd])
    with pytest.raises(ParameterError, match="did you mean walk_normal"):
        sample_graph.clip_index("walk_norml")
    with pytest.raises(ParameterError, match="frames 0 to 419"):
        sample_graph.frame("walk_normal", 420)
    with pytest.raises(ParameterError, match="no node"):
        sample_graph.sequences_of(sample_graph.nodes)
    with pytest.raises(ParameterError, match="error must be"):
        GraphParameters(error=0.0)
    with pytest.raises(ParameterError, match="linkage must be one of centroid, median"):
        GraphParameters(linkage="ward")  # type: ignore[arg-type]
