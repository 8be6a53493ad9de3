"""The pendulum that carries the body."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.samples.balance import solve_balance
from reenact.samples.gait import GRAVITY

FPS = 120.0


def test_over_a_resting_point_the_body_rests() -> None:
    pressure = np.tile([0.3, -0.2], (200, 1))
    np.testing.assert_allclose(solve_balance(pressure, np.full(200, 1.0), FPS), pressure, atol=1e-12)


def test_the_body_leaves_before_the_step() -> None:
    """A step of the pressure at time 0 is answered by half an exponential before and half after (w = sqrt(g / h))."""
    times = np.arange(-600, 601) / FPS
    pressure = np.stack([np.where(times < 0, 0.0, 1.0), 0 * times], axis=1)
    pressure[600, 0] = 0.5
    w = np.sqrt(GRAVITY / 0.98)
    expected = np.where(times < 0, 0.5 * np.exp(w * times), 1 - 0.5 * np.exp(-w * times))
    assert np.abs(solve_balance(pressure, np.full(len(times), 0.98), FPS)[:, 0] - expected).max() < 1e-3


def test_in_flight_it_goes_straight_on() -> None:
    times = np.arange(0, 481) / FPS
    height = np.full(len(times), 1.0)
    air = (times > 1.8) & (times < 2.2)
    height[air] = 1.0 + GRAVITY / 2 * (times[air] - 1.8) * (2.2 - times[air])
    pressure = np.stack([0 * times, np.where(times < 2, 0.0, 0.8)], axis=1)
    centre = solve_balance(pressure, height, FPS)[:, 1]
    inside = (times > 1.83) & (times < 2.17)
    assert np.abs(np.diff(centre, 2)[inside[1:-1]]).max() < 1e-9
    assert np.diff(centre)[inside[1:]].mean() * FPS == pytest.approx(0.8 * 1.1, rel=0.3)
