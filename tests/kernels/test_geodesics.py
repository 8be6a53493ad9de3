"""Shortest ways: equal to the plain twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reenact.kernels import geodesic_twins, geodesics


@given(st.integers(0, 10_000))
def test_distances(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count, width = int(rng.integers(1, 40)), int(rng.integers(1, 5))
    neighbours = rng.integers(-1, count, (count, width)).astype(np.int32)
    steps, slowness = rng.uniform(0.1, 2, width), rng.uniform(0.5, 3, count)
    start = np.where(rng.random(count) < 0.2, rng.uniform(0, 2, count), np.inf)
    found, plain = (one.spread(_mutual(neighbours), steps, slowness, start) for one in (geodesics, geodesic_twins))
    np.testing.assert_allclose(found, plain, atol=1e-9)


def _mutual(neighbours: np.ndarray) -> np.ndarray:
    """Only pairs that are next to each other in the same place of both rows, so that both directions cost the same."""
    back = np.take_along_axis(np.vstack([neighbours, -np.ones((1, neighbours.shape[1]), np.int32)]), neighbours, 0)
    return np.where(back == np.arange(len(neighbours))[:, None], neighbours, -1).astype(np.int32)
