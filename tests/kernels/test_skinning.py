"""Skinning kernels: equal to their plain twins."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reenact.kernels import skinning, skinning_twins

SEEDS = st.integers(0, 10_000)


def some_skin(seed: int):
    rng = np.random.default_rng(seed)
    frames, joints, vertices = int(rng.integers(1, 4)), int(rng.integers(1, 6)), int(rng.integers(0, 12))
    counts = rng.integers(1, 5, vertices)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    weights = rng.random(starts[-1])
    if vertices:
        weights /= np.repeat(np.add.reduceat(weights, starts[:-1]), counts)
    listed = starts, rng.integers(0, joints, starts[-1]).astype(np.int32), weights.astype(np.float32)
    return rng, frames, joints, listed, rng.normal(size=(vertices, 3)).astype(np.float32)


@given(SEEDS)
def test_points_and_directions(seed: int) -> None:
    rng, frames, joints, listed, points = some_skin(seed)
    moves = rng.normal(size=(frames, joints, 3, 4)).astype(np.float32)
    found, plain = skinning.blend_points(moves, *listed, points), skinning_twins.blend_points(moves, *listed, points)
    np.testing.assert_allclose(found, plain, atol=2e-5)
    turns = moves[..., :3].copy()
    found = skinning.blend_directions(turns, *listed, points)
    np.testing.assert_allclose(found, skinning_twins.blend_directions(turns, *listed, points), atol=5e-4)


@given(SEEDS)
def test_dual_quaternions(seed: int) -> None:
    rng, frames, joints, listed, points = some_skin(seed)
    real = rng.normal(size=(frames, joints, 4))
    real /= np.linalg.norm(real, axis=2, keepdims=True)
    duals = np.concatenate([real, rng.normal(size=real.shape)], axis=2).astype(np.float32)
    directions = points if seed % 2 else None
    found, turned = skinning.blend_dual(duals, *listed, points, directions)
    plain, plain_turned = skinning_twins.blend_dual(duals.astype(np.float64), *listed, points, directions)
    # near a half turn between joints the sum is nearly nothing, and its direction is rounding
    np.testing.assert_allclose(found, plain, atol=5e-3, rtol=5e-3)
    assert (turned is None) == (plain_turned is None) == (directions is None)
    if turned is not None:
        np.testing.assert_allclose(turned, plain_turned, atol=5e-3)


def test_a_direction_of_no_length_stays_one() -> None:
    nothing = np.zeros((1, 3), np.float32)
    listed = np.array([0, 1], np.int32), np.zeros(1, np.int32), np.ones(1, np.float32)
    assert not skinning.blend_directions(np.eye(3, dtype=np.float32)[None, None], *listed, nothing).any()
