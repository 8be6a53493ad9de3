"""The agglomeration kernel against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.kernels import clustering, sequence_twins


def _points(seed: int, count: int, width: int, kind: str) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if kind == "path":
        return np.cumsum(rng.normal(size=(count, width)), axis=0)
    if kind == "grid":  # many equal distances
        return rng.integers(0, 4, size=(count, width)).astype(float)
    points = rng.normal(size=(count, width))
    points[count // 2 :] = points[: count - count // 2]  # doubles
    return points


@given(
    st.integers(0, 10_000),
    st.integers(1, 70),
    st.integers(1, 12),
    st.sampled_from(["path", "grid", "doubles"]),
    st.booleans(),
    st.sampled_from([np.inf, 4.0, 0.5, 0.0]),
)
def test_merges_are_those_of_brute_force(seed, count, width, kind, median, limit) -> None:
    points = _points(seed, count, width, kind)
    sizes = np.random.default_rng(seed).integers(1, 9, count)
    pairs, heights = clustering.agglomerate(points, sizes, limit, median)
    wanted, wanted_heights = sequence_twins.agglomerate(points, sizes, limit, median)
    np.testing.assert_allclose(heights, wanted_heights, rtol=1e-9, atol=1e-12)
    if kind == "path":  # without equal distances the pairs are the same, too
        np.testing.assert_array_equal(pairs, wanted)


@given(st.integers(0, 1000), st.integers(1, 60))
def test_bounds_are_those_of_the_subtree(seed, count) -> None:
    pairs, heights = clustering.agglomerate(_points(seed, count, 3, "path"))
    got = clustering.largest_below(count, pairs, heights)
    np.testing.assert_array_equal(got, sequence_twins.largest_below(count, pairs, heights))


def test_equals_brute_force_on_200_points_after_several_rebuilds() -> None:
    points = np.sin(_points(3, 200, 20, "path") * 0.2)
    pairs, heights = clustering.agglomerate(points)
    wanted, wanted_heights = sequence_twins.agglomerate(points)
    np.testing.assert_array_equal(pairs, wanted)
    np.testing.assert_allclose(heights, wanted_heights)


def test_many_equal_points_end_in_one_cluster() -> None:
    pairs, heights = clustering.agglomerate(np.zeros((3000, 4)))
    assert len(pairs) == 2999
    assert not heights.any()


@pytest.mark.parametrize("count", [0, 1])
def test_nothing_to_merge(count) -> None:
    pairs, heights = clustering.agglomerate(np.zeros((count, 3)))
    assert pairs.shape == (0, 2)
    assert heights.shape == (0,)


def test_the_input_stays_as_it_is_unless_it_may_be_used() -> None:
    points = _points(1, 40, 5, "path")
    before = points.copy()
    kept = clustering.agglomerate(points)
    np.testing.assert_array_equal(points, before)
    for one, other in zip(clustering.agglomerate(points, own=True), kept, strict=True):
        np.testing.assert_array_equal(one, other)
