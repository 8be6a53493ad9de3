"""The move of the body: the least-squares system against a plain dense one, and what it is for."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.solve.body_moves import Legs, _Banded, move_body

THIGH = SHANK = 0.42
FPS = 120.0


def legs(frames: int, bend: float, away: np.ndarray, active: np.ndarray | None = None) -> Legs:
    """Two legs that stand, bent by `bend` radians, whose ankles should move by `away` (F, 3)."""
    hips = np.tile(np.array([[-0.1, 0.9, 0.0], [0.1, 0.9, 0.0]]), (frames, 1, 1))
    half = bend / 2
    knees = hips + np.array([0.0, -THIGH * np.cos(half), THIGH * np.sin(half)])
    ankles = knees + np.array([0.0, -SHANK * np.cos(half), -SHANK * np.sin(half)])
    planted = np.ones((frames, 2), bool)
    return Legs(
        hips,
        knees,
        ankles,
        ankles + away[:, None],
        planted,
        np.ones(frames, bool) if active is None else active,
        (3.0, 10.0),
    )


def test_the_banded_system_is_the_dense_one() -> None:
    rng = np.random.default_rng(3)
    frames = 7
    system = _Banded(frames)
    dense, right = np.zeros((3 * frames, 3 * frames)), np.zeros(3 * frames)
    weight, rows, residual = rng.random(frames), rng.normal(size=(frames, 2, 3)), rng.normal(size=(frames, 2))
    system.add(weight, rows, residual)
    for f in range(frames):
        for m in range(2):
            row = np.zeros(3 * frames)
            row[3 * f : 3 * f + 3] = weight[f] * rows[f, m]
            dense += np.outer(row, row)
            right -= row * weight[f] * residual[f, m]
    system.add_second_difference(1.7, rows, residual)
    for f in range(1, frames - 1):
        for m in range(2):
            row = np.zeros(3 * frames)
            for k, part in ((-1, 1.0), (0, -2.0), (1, 1.0)):
                row[3 * (f + k) : 3 * (f + k) + 3] = 1.7 * part * rows[f + k, m]
            value = 1.7 * (residual[f - 1, m] - 2 * residual[f, m] + residual[f + 1, m])
            dense += np.outer(row, row)
            right -= row * value
    system.add(np.ones(frames), np.eye(3)[None], np.zeros((frames, 3)))
    dense += np.eye(3 * frames)
    np.testing.assert_allclose(system.solve().ravel(), np.linalg.solve(dense, right), atol=1e-9)


def test_nothing_to_do_moves_nothing() -> None:
    still = np.zeros((50, 3))
    assert np.abs(move_body(legs(50, 0.3, still), FPS, 0.1)).max() < 1e-6
    assert not move_body(legs(50, 0.3, still + 0.05, np.zeros(50, bool)), FPS, 0.1).any()
    assert not move_body(legs(50, 0.3, still + 0.05), FPS, 0.0).any()


def test_straight_legs_pull_the_body_further_than_bent_ones() -> None:
    down = np.zeros((240, 3))
    down[:, 1] = -0.03 * np.sin(np.linspace(0, np.pi, 240))
    straight, bent = (np.abs(move_body(legs(240, bend, down), FPS, 0.1)).max() for bend in (0.05, 1.6))
    assert straight > 0.01
    assert bent < 0.8 * straight


def test_a_body_that_stands_is_not_jolted() -> None:
    step = np.zeros((240, 3))
    step[120:, 1] = -0.015  # the feet are asked to be lower from one frame to the next
    moved = move_body(legs(240, 0.1, step), FPS, 0.1)
    pushed = np.abs(np.diff(moved, 2, axis=0)).max() * FPS**2
    assert pushed < 0.05 * 0.015 * FPS**2  # following at once
    assert moved[200, 1] == pytest.approx(-0.015, abs=0.006)


def test_the_limit_is_kept_and_inactive_frames_stay() -> None:
    active = np.ones(100, bool)
    active[:10] = False
    moved = move_body(legs(100, 0.05, np.full((100, 3), -0.2), active), FPS, 0.05)
    assert np.linalg.norm(moved, axis=1).max() <= 0.05
    assert not moved[:10].any()
