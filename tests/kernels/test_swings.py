"""Kernels of what a foot does between its plants: equal to their plain twins."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reenact.kernels import swing_twins, swings


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.floats(0.5, 12.0), st.sampled_from([0.0, 0.3, 0.7, 1.0]))
def test_swings_are_bridged_as_their_twins_do(seed: int, frames: int, wide: float, share: float) -> None:
    rng = np.random.default_rng(seed)
    planted, values = rng.random(frames) < share, rng.normal(size=(frames, 3))
    near = swings.nearness(planted, wide)
    np.testing.assert_allclose(near, swing_twins.nearness(planted, wide), atol=1e-12)
    given_back = swings.bridge(values, planted, near)
    np.testing.assert_allclose(given_back, swing_twins.bridge(values, planted, near), atol=1e-12)
    assert np.array_equal(given_back[planted], values[planted])
