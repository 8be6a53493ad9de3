"""Filters without SciPy: the same numbers as SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import interpolate, ndimage, signal

from reenact.core import filters
from reenact.core.monotone import monotone_curve

EDGES: tuple[filters.Edge, ...] = ("nearest", "reflect", "mirror", "constant")


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape)


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("size", [1, 3, 9, 41])
def test_means_maxima_and_medians(edge: filters.Edge, size: int) -> None:
    for values in (numbers(60, 4, 3), numbers(7), numbers(1, 2)):
        wanted = ndimage.uniform_filter1d(values, size, axis=0, mode=edge)
        assert_allclose(filters.mean(values, size, axis=0, edge=edge), wanted, atol=1e-12)
        for width in (size, size + 1):
            wanted = ndimage.maximum_filter1d(values, width, axis=0, mode=edge)
            assert_array_equal(filters.maximum(values, width, axis=0, edge=edge), wanted)
    values = numbers(80)
    assert_array_equal(filters.median(values, size, edge=edge), ndimage.median_filter(values, size, mode=edge))


@pytest.mark.parametrize("edge", EDGES)
def test_bells(edge: filters.Edge) -> None:
    for sigma in (0.3, 1.0, 4.7):
        values = numbers(50, 3)
        wanted = ndimage.gaussian_filter1d(values, sigma, axis=0, mode=edge)
        assert_allclose(filters.gaussian(values, sigma, axis=0, edge=edge), wanted, atol=1e-12)
        wanted = ndimage.gaussian_filter1d(values[:, 0], sigma, mode=edge, radius=5)
        assert_allclose(filters.gaussian(values[:, 0], sigma, edge=edge, radius=5), wanted, atol=1e-12)


def test_types_are_kept() -> None:
    values = numbers(20).astype(np.float32)
    assert filters.mean(values, 5).dtype == filters.gaussian(values, 2.0).dtype == np.float32
    assert filters.maximum(values > 0, 3).dtype == np.bool_


@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 1.0])
def test_masks(share: float) -> None:
    mask = np.random.default_rng(3).random(200) < share
    for reach in (0, 1, 2, 7):
        wanted = ndimage.binary_dilation(mask, np.ones(2 * reach + 1, np.bool_))
        assert_array_equal(filters.widened(mask, reach), wanted)
    found = filters.distance_to(mask)
    if mask.any():
        assert_array_equal(found, ndimage.distance_transform_edt(~mask))
    else:
        assert np.isinf(found).all()


@pytest.mark.parametrize("size", [5, 9, 21])
@pytest.mark.parametrize("derivative", [0, 1, 2])
def test_polynomial_derivatives(size: int, derivative: int) -> None:
    values = numbers(60, 4, 3)
    wanted = signal.savgol_filter(values, size, 3, deriv=derivative, delta=1 / 30, axis=0)
    found = filters.polynomial_derivatives(values, size, 3, derivative, 1 / 30)
    assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())


@pytest.mark.parametrize("count", [3, 4, 12])
def test_monotone_curves(count: int) -> None:
    random = np.random.default_rng(count)
    knots = np.cumsum(random.random(count) + 0.1)
    for values in (np.cumsum(random.random(count)), random.normal(size=count), np.zeros(count)):
        at = np.linspace(knots[0], knots[-1], 57)
        assert_allclose(monotone_curve(knots, values, at), interpolate.PchipInterpolator(knots, values)(at), atol=1e-12)
