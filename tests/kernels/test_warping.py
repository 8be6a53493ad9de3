"""Slope-limited time warping and rising curves do what their plain twins do."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reenact.kernels import piecewise, warping, warping_twins

SEEDS = st.integers(0, 2**32 - 1)


@given(st.integers(1, 7), st.integers(1, 7), st.integers(0, 9), SEEDS, st.integers(1, 4), st.integers(1, 4))
def test_costs_and_paths(rows: int, columns: int, limit: int, seed: int, first_rows: int, first_columns: int) -> None:
    first_rows, first_columns = min(first_rows, rows), min(first_columns, columns)
    d = np.random.default_rng(seed).random((rows, columns))
    want = warping_twins.best_cost(d, limit, first_rows, first_columns)
    pointers, top, side, final = warping.accumulate(d, limit, 0.0, first_rows, first_columns)
    assert pointers.dtype == (np.uint8 if limit <= 7 else np.uint16)
    for j in range(columns):
        np.testing.assert_allclose(top[j], want.get((rows - 1, j), (np.inf,))[0], atol=1e-12)
    for i in range(rows):
        np.testing.assert_allclose(side[i], want.get((i, columns - 1), (np.inf,))[0], atol=1e-12)
    np.testing.assert_allclose(final.min(), top[-1], atol=1e-12)
    for (i, j), (_, path) in want.items():
        if i == rows - 1 or j == columns - 1:
            assert warping.trace(pointers, limit, i, j).tolist() == [list(cell) for cell in path]


@given(st.integers(2, 6), st.integers(2, 6), SEEDS)
def test_an_offset_counts_per_cell(rows: int, columns: int, seed: int) -> None:
    d = np.random.default_rng(seed).random((rows, columns))
    shifted = warping.accumulate(d, 3, 0.25)
    plain = warping.accumulate(d - 0.25, 3)
    for a, b in zip(shifted, plain, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


@given(st.integers(2, 9), st.integers(1, 3), st.floats(0.1, 9), SEEDS)
def test_rising_curves(knots: int, curves: int, step: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    slopes = rng.random((knots, curves)) * rng.choice([0.02, 1.0, 5.0], (knots, curves)) + 1e-3
    rises = np.cumsum(0.5 * step * (slopes[:-1] + slopes[1:]), axis=0)
    values = np.vstack([np.zeros(curves), rises]) + rng.normal(size=curves)
    at = np.concatenate([rng.random(20) * step * (knots - 1), np.arange(knots) * step, [-1.0, step * knots]])
    found = piecewise.evaluate(values, slopes, step, at)
    np.testing.assert_allclose(found, warping_twins.evaluate(values, slopes, step, at), atol=1e-12)
    np.testing.assert_allclose(
        piecewise.evaluate_slopes(slopes, step, at), warping_twins.evaluate_slopes(slopes, step, at), atol=1e-12
    )
    weights = rng.dirichlet(np.ones(curves)) * 1.4 - 0.4 / curves
    for u in at[:20:4]:
        given_ones = values, slopes, step, float(u), weights, 0.7, 0.2
        np.testing.assert_allclose(piecewise.step_on(*given_ones), warping_twins.step_on(*given_ones), atol=1e-8)
    for curve in range(curves):
        span = values[-1, curve] - values[0, curve]
        wanted = values[0, curve] + span * np.linspace(-0.2, 1.2, 29)
        got = piecewise.invert(values, slopes, step, curve, wanted)
        np.testing.assert_allclose(got, warping_twins.invert(values, slopes, step, curve, wanted), atol=1e-8)
        inside = np.clip(at, 0, step * (knots - 1))
        back = piecewise.invert(values, slopes, step, curve, piecewise.evaluate(values, slopes, step, inside)[:, curve])
        np.testing.assert_allclose(back, inside, atol=1e-8)
