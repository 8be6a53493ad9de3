"""Medians and quantiles of kernels against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.kernels import medians


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=200))
def test_median(values: list[float]) -> None:
    assert medians.median(np.array(values), len(values)) == pytest.approx(np.median(values), abs=1e-12)


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=1, max_size=200))
def test_median_of_equal_numbers(values: list[float]) -> None:
    assert medians.median(np.array(values), len(values)) == np.median(values)


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=200), st.floats(0, 1))
def test_quantile(values: list[float], share: float) -> None:
    found = medians.quantile(np.array(values), len(values), share)
    assert found == pytest.approx(np.quantile(values, share), abs=1e-9)
