"""Strides of a made walk, whose rate and length are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.analysis.walking_strides import WalkingStrides, find_walking_strides


def walk(rate: float, length: float, fps: float, standing: float = 0.62, heading: float = 0.0) -> WalkingStrides:
    """Five seconds of a walk with `rate` strides a second of `length` metres, each foot standing for a share of a stride."""
    times = np.arange(int(5 * fps)) / fps
    hips = np.stack([0 * times, 0.95 + 0 * times, rate * length * times], axis=1)
    feet = []
    for shift in (0.0, 0.5):
        cycle = rate * times + shift
        whole, part = np.floor(cycle), cycle % 1.0
        swing = np.clip((part - standing) / (1 - standing), 0, 1)
        along = (whole + (1 - np.cos(np.pi * swing)) / 2 - shift + standing / 2) * length
        feet.append(
            np.stack([np.full_like(times, 0.1 - 0.2 * (shift > 0)), 0.08 + 0.05 * np.sin(np.pi * swing), along], axis=1)
        )
    turn = np.array([[np.cos(heading), 0, np.sin(heading)], [0, 1, 0], [-np.sin(heading), 0, np.cos(heading)]])
    feet = np.stack(feet, axis=1) @ turn.T
    hips = hips @ turn.T
    thighs = np.stack([hips + turn @ [0.1, 0, 0], hips - turn @ [0.1, 0, 0]], axis=1)
    return find_walking_strides(hips, thighs, feet, feet, 0.83, fps)


@given(st.floats(0.6, 1.2), st.floats(0.9, 1.7), st.sampled_from([30.0, 60.0]), st.floats(-3, 3))
def test_rate_and_length_of_a_walk(rate: float, length: float, fps: float, heading: float) -> None:
    strides = walk(rate, length, fps, heading=heading)
    assert len(strides.rates) >= 3
    assert np.median(strides.rates) == pytest.approx(rate, rel=0.05)
    assert np.median(strides.lengths) == pytest.approx(length, rel=0.05)


def test_haste_is_four_times_as_large_at_twice_the_rate() -> None:
    one, two = walk(0.9, 1.3, 60.0), walk(1.8, 1.3, 120.0)
    assert np.median(two.haste) == pytest.approx(4 * np.median(one.haste), rel=0.05)
    assert np.median(one.haste) == pytest.approx(0.9**2 * 0.83**2 / (9.81 * 1.3), rel=0.05)


def test_a_run_has_no_walking_strides() -> None:
    assert len(walk(1.4, 2.4, 60.0, standing=0.35).rates) == 0


def test_standing_still_has_no_strides() -> None:
    points = np.zeros((100, 2, 3))
    assert len(find_walking_strides(np.zeros((100, 3)), points, points, points, 0.83, 60.0).rates) == 0
