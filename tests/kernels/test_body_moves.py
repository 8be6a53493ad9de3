"""Kernels of the body's move: equal to their plain twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact import kernels


@given(st.integers(0, 10_000), st.booleans(), st.sampled_from([1.0, 0.06]))
def test_steps_are_set_up_as_their_twins_do(seed: int, reach_only: bool, damped: float) -> None:
    rng = np.random.default_rng(seed)
    frames, legs = int(rng.integers(1, 9)), int(rng.integers(1, 3))
    ways = rng.normal(size=(frames, legs, 3)) * 0.1 + [0.0, -0.8, 0.0]
    moved, active = 0.05 * rng.normal(size=(frames, 3)), rng.random(frames) < 0.8
    full, scale, own = rng.uniform(0.78, 0.9, (3, frames, legs)) * [[[1.0]], [[0.2]], [[1.0]]]
    asked = ways, moved, full, scale, own, active, damped, reach_only
    ours, plain = kernels.body_moves.bend_knees(*asked), kernels.body_twins.bend_knees(*asked)
    for one, other in zip(ours, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    calm = 2.0 * rng.random(frames), 3.0 * rng.random((frames, legs))
    system = moved, rng.random(frames), calm[0], *ours, rng.random((frames, legs)), calm[1]
    for one, other in zip(kernels.body_moves.set_up(*system), kernels.body_twins.set_up(*system), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    start, given, firm = *rng.normal(size=(2, frames, 3)), rng.random(frames) < 0.5
    paid = moved, start, given, firm, ours[0], system[1], system[5], *calm, 0.1
    assert kernels.body_moves.cost(*paid) == pytest.approx(kernels.body_twins.cost(*paid))


@given(st.integers(0, 10_000))
def test_gradients_are_those_of_the_bends(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ways = rng.normal(size=(4, 2, 3)) * 0.02 + [0.0, -0.83, 0.0]
    full, scale, active = np.full((4, 2), 0.84), np.full((4, 2), 0.176), np.ones(4, np.bool_)

    def bends(moved: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return kernels.body_moves.bend_knees(ways, moved, full, scale, full, active, 0.06)

    step = 1e-7 * rng.normal(size=(4, 3))
    change = bends(step)[0] - bends(-step)[0]
    np.testing.assert_allclose(change, 2 * np.einsum("fni,fi->fn", bends(0 * step)[1], step), atol=1e-8)


@given(st.integers(0, 10_000), st.booleans())
def test_knees_are_spared_as_their_twin_does(seed: int, reach_only: bool) -> None:
    rng = np.random.default_rng(seed)
    frames, legs = int(rng.integers(1, 20)), int(rng.integers(1, 3))
    ways = rng.normal(size=(frames, legs, 3)) * 0.05 + [0.0, -0.8, 0.0]
    full, scale, own = rng.uniform(0.78, 0.9, (3, frames, legs)) * [[[1.0]], [[0.2]], [[1.0]]]
    start, given = 0.01 * rng.normal(size=(2, frames, 3))
    active, firm = rng.random((2, frames)) < [[0.9], [0.3]]
    stay, loose = np.where(active, 40.0, 1e5), rng.uniform(5.0, 10.0, (frames, legs))
    calm = rng.uniform(500.0, 900.0, frames), rng.uniform(90.0, 180.0, (frames, legs))
    asked = ways, full, scale, own, active, start, given, firm, stay, loose, *calm, 0.001, reach_only
    asked += np.array([1.0, 0.3, 0.06, 0.06, 0.06]), 4, 2e-5
    if seed % 2:
        asked += 0.02 * rng.normal(size=(frames, 3)), rng.random(frames) < 0.3
    ours, plain = kernels.body_moves.spare_knees(*asked), kernels.body_twins.spare_knees(*asked)
    np.testing.assert_allclose(ours, plain, atol=1e-6)


def test_equations_without_a_solution_are_refused() -> None:
    none, ones = np.zeros((5, 3)), np.ones((5, 2))
    nowhere = np.full((5, 2, 3), np.nan)
    asked = nowhere, ones, ones, ones, np.ones(5, np.bool_), none, none, np.zeros(5, np.bool_), np.ones(5), ones
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        kernels.body_moves.spare_knees(*asked, np.ones(5), ones, 1.0, False, np.array([1.0]), 4, 2e-5)
