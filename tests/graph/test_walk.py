"""The cluster walk."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.errors import ParameterError
from reenact.graph.joining import sources_from
from reenact.graph.walk import ClusterWalk


def _follow(graph, clip: str, steps: int) -> ClusterWalk:
    walk = ClusterWalk(graph)
    here = graph.sequence_at(clip, 0)
    walk.start(here.node)
    for _ in range(steps):
        after = graph.sequence(here.index + 1)
        assert after.node in walk.out_clusters()
        assert here in walk.continuations(after.node)
        walk.choose(here)
        here = after
    return walk


def test_following_a_clip_gives_the_clip(sample_graph, sample_clips) -> None:
    walk = _follow(sample_graph, "walk_normal", 12)
    made = walk.build(sources_from(sample_clips))
    wanted = sample_clips[1].rotations[: len(made.clip)]
    np.testing.assert_array_equal(made.clip.rotations, wanted)
    assert sum(entry.length for entry in walk.entries) == len(made.clip)


def test_a_walk_over_two_clips_has_a_transition(sample_graph, sample_clips) -> None:
    walk = _follow(sample_graph, "walk_normal", 30)
    other = sample_graph.clip_index("walk_fast")
    here = None
    for _ in range(20):  # go on until the node holds the other clip where it still has a while to play
        members = [one for one in sample_graph.sequences_of(walk.node) if one.clip == other and 60 < one.start < 300]
        if members:
            here = members[0]
            break
        last = walk.entries[-1]
        walk.choose(last.sequence + 1)
    assert here is not None
    for _ in range(20):
        walk.choose(here)
        here = sample_graph.sequence(here.index + 1)
    made = walk.build(sources_from(sample_clips))
    assert len(made.report["transitions"]) == 1
    assert made.report["transitions"][0]["to"] == "walk_fast"


def test_the_transcript_makes_the_same_walk(sample_graph, sample_clips) -> None:
    walk = _follow(sample_graph, "jog", 8)
    again = ClusterWalk.replay(sample_graph, walk.entries)
    assert again.transcript() == walk.transcript()
    one, two = (w.build(sources_from(sample_clips)).clip for w in (walk, again))
    np.testing.assert_array_equal(one.rotations, two.rotations)


def test_choices_can_be_taken_back_and_the_end_reached(sample_graph) -> None:
    walk = _follow(sample_graph, "run", 3)
    here = walk.node
    walk.choose(walk.entries[-1].sequence + 1)
    walk.undo()
    assert walk.node == here
    walk.finish(walk.entries[-1].sequence + 1)
    assert walk.node is None
    assert walk.entries[-1].next_node is None


def test_nodes_are_listed(sample_graph) -> None:
    walk = ClusterWalk(sample_graph)
    rows = walk.nodes()
    assert len(rows) == sample_graph.nodes
    assert sum(row.frames for row in rows) == sample_graph.frames
    branching = walk.nodes(branching=True)
    assert 0 < len(branching) < len(rows)
    assert all(row.out_nodes > 1 for row in branching)


def test_bad_choices_are_named(sample_graph, sample_clips) -> None:
    walk = ClusterWalk(sample_graph)
    with pytest.raises(ParameterError, match="start it"):
        walk.out_clusters()
    with pytest.raises(ParameterError, match="empty"):
        walk.build(sources_from(sample_clips))
    with pytest.raises(ParameterError, match="no node"):
        walk.start(10**6)
    walk.start(sample_graph.sequence_at("run", 0).node)
    elsewhere = next(n for n in range(len(sample_graph.sequence_starts)) if sample_graph.sequence(n).node != walk.node)
    with pytest.raises(ParameterError, match="the walk is in node"):
        walk.choose(elsewhere)
    with pytest.raises(ParameterError, match="no choice"):
        walk.undo()
