"""Curves that join two ends smoothly."""

from __future__ import annotations

import numpy as np

from reenact.core.ramps import bridge, coast


def test_a_speed_dies_out_in_its_own_time() -> None:
    speed = np.array([2.0, -1.0])
    t = np.linspace(-0.5, 2.0, 2501)
    way = coast(t, speed)
    start, end = np.flatnonzero(t >= 0)[0], np.flatnonzero(t >= 1)[0]
    np.testing.assert_allclose((way[start + 1] - way[start]) / (t[start + 1] - t[start]), speed, rtol=1e-3)
    np.testing.assert_allclose(way[t <= 0], 0.0, atol=1e-15)
    np.testing.assert_allclose(way[t >= 1], 0.0, atol=1e-12)
    assert np.abs(way).max() < 0.2 * np.abs(speed).max()
    after = np.diff(way[end - 3 : end + 4], 2, axis=0) / (t[1] - t[0]) ** 2
    assert np.abs(after).max() < 0.1  # neither speed nor acceleration jumps where it ends


def test_a_bridge_meets_values_and_slopes() -> None:
    start, end, first, last = (np.array([value]) for value in (1.0, -2.0, 3.0, 0.5))
    t = np.linspace(0, 1, 10_001)
    path = bridge(t, start, first, end, last)[:, 0]
    assert path[0] == 1.0
    assert path[-1] == -2.0
    np.testing.assert_allclose(np.diff(path)[[0, -1]] / t[1], [3.0, 0.5], atol=1e-3)
    assert np.abs(np.diff(path, 2)[[0, -1]]).max() / t[1] ** 2 < 0.1
