"""Graphs that several test files look at."""

from __future__ import annotations

from pathlib import Path

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
