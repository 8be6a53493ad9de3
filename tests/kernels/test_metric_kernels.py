"""The kernels of the metrics do what their plain twins do."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reenact.kernels import metric_twins, metrics

SIZES = st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**32 - 1))


@given(SIZES, st.integers(1, 5), st.integers(1, 3))
def test_aligned_clouds(sizes: tuple[int, int, int], window: int, step: int) -> None:
    rows, columns, seed = sizes
    rng = np.random.default_rng(seed)
    offsets = np.arange(window, dtype=np.int64) * step
    wide = int(offsets[-1])
    products = [rng.normal(size=(rows + wide, columns + wide)) for _ in range(3)]
    weights = rng.random(window)
    rest = (rng.normal(size=rows), rng.normal(size=columns), rng.normal(size=(rows, 2)), rng.normal(size=(2, columns)))
    found, want = (
        module.aligned_clouds(*products, offsets, weights, *rest, np.empty((rows, columns))) for module in (metrics, metric_twins)
    )  # fmt: skip
    np.testing.assert_allclose(found, want, rtol=1e-10, atol=1e-10)


@given(SIZES)
def test_roots(sizes: tuple[int, int, int]) -> None:
    rows, columns, seed = sizes
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rows, columns))
    squares = rng.random(rows) * 3, rng.random(columns) * 3
    found, want = (module.root_of_gap(values.copy(), *squares) for module in (metrics, metric_twins))
    np.testing.assert_allclose(found, want, atol=1e-12)
    single = values.astype(np.float32)
    np.testing.assert_allclose(metrics.root(single.copy()), metric_twins.root(single.copy()), atol=1e-6)


@given(SIZES, st.integers(1, 4), st.floats(1e-6, 3))
def test_joint_angles(sizes: tuple[int, int, int], joints: int, spread: float) -> None:
    rows, columns, seed = sizes
    rng = np.random.default_rng(seed)
    base = np.array([1.0, 0, 0, 0])
    q = [base + spread * rng.normal(size=(n, joints, 4)) for n in (rows, columns)]
    q = [(x / np.linalg.norm(x, axis=2, keepdims=True)).astype(np.float32) for x in q]
    v = [rng.normal(size=(n, joints + 1, 3)).astype(np.float32) for n in (rows, columns)]
    weights, speeds = rng.random(joints).astype(np.float32), rng.random(joints + 1).astype(np.float32)
    turned, moving = (np.ascontiguousarray(np.moveaxis(x[1], 0, -1)) for x in (q, v))
    arguments = (q[0], turned, weights, v[0], moving, speeds)
    found, want = (
        module.joint_angles(*arguments, np.empty((rows, columns), np.float32)) for module in (metrics, metric_twins)
    )
    np.testing.assert_allclose(found, want, rtol=2e-5, atol=2e-5)
