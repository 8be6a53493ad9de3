"""Triangles in a picture: the kernel against its twin, and against what must hold."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reenact.kernels import triangles, triangles_twins


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 30), st.integers(1, 30))
def test_as_its_twin(seed: int, count: int, wide: int, tall: int) -> None:
    rng = np.random.default_rng(seed)
    corners = rng.uniform(-0.5, 1.5, (20, 2)) * (wide, tall)
    corners[0] = 1e4, -1e4  # far outside
    depth = rng.uniform(1, 2, 20)
    faces = np.array([rng.permutation(20)[:3] for _ in range(count)], np.int32)
    owner, shares = triangles.nearest_faces(corners, depth, faces, wide, tall)
    wanted, parts = triangles_twins.nearest_faces(corners, depth, faces, wide, tall)
    np.testing.assert_array_equal(owner, wanted)
    np.testing.assert_allclose(shares, parts, atol=1e-6)


def test_the_nearer_of_two_that_cross() -> None:
    """Two walls that cross in the middle: each is seen where it is nearer, and none from behind."""
    corners = np.array([[0, 0], [20, 0], [20, 4], [0, 4]], float)
    corners = np.concatenate([corners, corners])
    depth = np.array([1.0, 3, 3, 1, 3, 1, 1, 3])
    faces = np.array([[0, 2, 1], [0, 3, 2], [4, 6, 5], [4, 7, 6]], np.int32)
    owner, shares = triangles.nearest_faces(corners, depth, faces, 20, 4)
    rows = owner.reshape(4, 20)
    assert (rows[:, :10] < 2).all()
    assert (rows[:, 10:] >= 2).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-6)
    behind, _ = triangles.nearest_faces(corners, depth, faces[:, ::-1].copy(), 20, 4)
    assert (behind == -1).all()
