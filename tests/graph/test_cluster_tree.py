"""The cluster tree (A07)."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.errors import ParameterError
from reenact.graph.cluster_tree import build_cluster_tree
from reenact.graph.features import frame_metric
from reenact.kernels import sequence_twins
from reenact.samples import make_sample


@pytest.fixture(scope="module")
def frames():
    clip = make_sample("walk_corner_left").clip
    features = frame_metric(clip.skeleton).features(clip)[:200]
    return features, (np.arange(200) // 25 % 3).astype(np.int8)


@pytest.mark.parametrize("linkage", ["centroid", "median"])
def test_agrees_with_brute_force_on_200_frames(frames, linkage) -> None:
    features, states = frames
    tree = build_cluster_tree(features, states, linkage=linkage)
    errors = []
    for state in np.unique(states):
        part = features[states == state]
        errors.append(np.sqrt(sequence_twins.agglomerate(part, median=linkage == "median")[1]))
    np.testing.assert_allclose(tree.errors, np.concatenate(errors), rtol=1e-6, atol=1e-9)


def test_cuts_are_nested_and_never_grow(frames) -> None:
    tree = build_cluster_tree(*frames)
    before = None
    for error in (0.0, 0.01, 0.02, 0.05, 0.1, 0.3, 10.0):
        nodes = tree.cut(error)
        assert nodes.max() + 1 == tree.node_count(error)
        assert len(np.unique(nodes)) == nodes.max() + 1
        if before is not None:
            pairs = np.unique(np.column_stack([before, nodes]), axis=0)
            assert len(pairs) == before.max() + 1  # every finer node lies in one coarser node
        before = nodes
    assert before is not None
    assert before.max() + 1 == len(np.unique(frames[1]))


def test_states_are_never_mixed(frames) -> None:
    features, states = frames
    nodes = build_cluster_tree(features, states).cut(10.0)
    for node in range(nodes.max() + 1):
        assert len(np.unique(states[nodes == node])) == 1


def test_bounds_grow_towards_the_root(frames) -> None:
    tree = build_cluster_tree(*frames)
    above = tree.parents()[tree.frames :]
    inner = np.flatnonzero(above >= 0)
    assert np.all(tree.bounds[above[inner] - tree.frames] >= tree.bounds[inner])


def test_a_limited_tree_is_the_lower_part_of_the_whole(frames) -> None:
    whole, part = build_cluster_tree(*frames), build_cluster_tree(*frames, limit=0.08)
    np.testing.assert_array_equal(part.cut(0.05), whole.cut(0.05))
    with pytest.raises(ParameterError, match=r"0\.08"):
        part.cut(0.1)


def test_bad_input_is_named(frames) -> None:
    features, states = frames
    with pytest.raises(ParameterError, match="linkage"):
        build_cluster_tree(features, states, linkage="ward")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="same frames"):
        build_cluster_tree(features, states[1:])
    with pytest.raises(ParameterError, match="at least 0"):
        build_cluster_tree(features, states).cut(-1.0)


@pytest.mark.parametrize("linkage", ["centroid", "median"])
def test_agrees_with_scipy(linkage) -> None:
    from scipy.cluster.hierarchy import linkage as scipy_linkage

    points = np.random.default_rng(5).normal(size=(400, 7))
    tree = build_cluster_tree(points, np.zeros(400, np.int8), linkage=linkage)
    wanted = scipy_linkage(points, method=linkage)
    np.testing.assert_allclose(np.sort(tree.errors), np.sort(wanted[:, 2]), rtol=1e-7)
