"""Graphs that several test files look at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from reenact.core.clip import Clip
from reenact.graph.building import build_cluster_graph
from reenact.graph.cluster_graph import ClusterGraph
from reenact.loading import load
from reenact.samples import make_sample

SAMPLES = ("stand", "walk_normal", "walk_fast", "start_walk_left", "stop_walk_left", "kick_left", "jog", "run")


@pytest.fixture(scope="session")
def sample_clips() -> list[Clip]:
    """A few generated motions."""
    return [make_sample(name).clip for name in SAMPLES]


@pytest.fixture(scope="session")
def sample_graph(sample_clips) -> ClusterGraph:
    """Their graph."""
    return build_cluster_graph(sample_clips)


@pytest.fixture(scope="session")
def recorded(corpus: Path) -> list[Clip]:
    """Recordings of several people: walks, strides, a run, kicks."""
    names = ("02_01", "08_01", "08_07", "16_15", "02_03", "11_01", "10_03")
    return [load(next(corpus.joinpath("cmu-bvh").rglob(f"{name}.bvh"))) for name in names]


@pytest.fixture(scope="session")
def recorded_graph(recorded) -> ClusterGraph:
    """Their graph."""
    return build_cluster_graph(recorded)


@pytest.fixture
def check_graph() -> Callable[[ClusterGraph], None]:
    """Asserts everything that must hold in any graph."""
    return _check_graph


def _check_graph(graph: ClusterGraph) -> None:
    """Everything that must hold in any graph, recomputed from the frames alone."""
    nodes = graph.node_of_frame
    assert sorted(np.unique(nodes)) == list(range(graph.nodes))
    rows, links = [], set()
    for clip in range(len(graph.clips)):
        start = int(graph.starts[clip])
        for frame in range(graph.clips[clip].frames):
            if frame and nodes[start + frame] == nodes[start + frame - 1]:
                rows[-1][3] += 1
            else:
                if frame:
                    links.add((int(nodes[start + frame - 1]), int(nodes[start + frame]), len(rows) - 1))
                rows.append([int(nodes[start + frame]), clip, frame, frame + 1])
    found = [graph.sequence(n) for n in range(len(graph.sequence_starts))]
    assert [[one.node, one.clip, one.start, one.end] for one in found] == rows
    assert {tuple(map(int, link)) for link in graph.edges} == links
    assert all(one.start <= one.align < one.end for one in found)
    for node in range(graph.nodes):
        assert len(np.unique(graph.states[nodes == node])) == 1
    assert sum(len(graph.sequences_of(node)) for node in range(graph.nodes)) == len(rows)
