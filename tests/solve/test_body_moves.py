"""The move of the body: what it is for, and that it is found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.solve import body_moves
from reenact.solve.body_moves import Legs, move_body

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


def test_a_locked_leg_whose_foot_stops_sliding_is_reached() -> None:
    """A straight leg that drags its foot about: the body sinks a little, instead of going where no leg reaches."""
    time = np.linspace(0, 4, 480)
    slide = 0.04 * np.stack([np.sin(5 * time), 0 * time, np.cos(3 * time)], axis=1)
    slide += 0.0003 * np.random.default_rng(1).normal(size=slide.shape)
    asked = legs(480, 0.0, slide)
    spread = np.array([[-0.25, 0.0, 0.0], [0.25, 0.0, 0.0]])  # feet wide apart: what they slide by lengthens the legs
    size = 2 * THIGH / np.linalg.norm(asked.ankles[0, 0] + spread[0] - asked.hips[0, 0])
    ankles = asked.hips + size * (asked.ankles + spread - asked.hips)
    asked = replace(
        asked, knees=0.5 * (asked.hips + ankles), ankles=ankles, targets=ankles + slide[:, None] * [[[1], [0]]]
    )
    moved = move_body(asked, FPS, 0.1)
    far = np.linalg.norm(asked.targets - asked.hips - moved[:, None], axis=2)
    assert far.max() < THIGH + SHANK + 0.0005


def test_more_rounds_find_nothing_better(monkeypatch: pytest.MonkeyPatch) -> None:
    wave = 0.03 * np.sin(np.linspace(0, 9, 360))[:, None] * [[0.5, -0.3, 1.0]]
    asked = legs(360, 0.08, wave)
    found = move_body(asked, FPS, 0.1)
    monkeypatch.setattr(body_moves, "_ROUNDS", 200)
    assert np.abs(move_body(asked, FPS, 0.1) - found).max() < 0.0005


def test_a_jump_of_the_recording_is_no_reason_to_crouch() -> None:
    """Straight legs, one of them a little too short, and a frame from which on the recording is elsewhere."""
    down = np.zeros((240, 3))
    down[:, 1] = -0.006
    straight = legs(240, 0.02, down)
    jump = np.zeros((240, 1, 3))
    jump[120:] = (0.004, 0.008, 0.0)
    jumping = replace(
        straight, **{part: getattr(straight, part) + jump for part in ("hips", "knees", "ankles")}, pushes=(0.3, 1.0)
    )
    moved = move_body(jumping, FPS, 0.15)
    assert np.abs(moved).max() < 0.03


def test_small_bodies_are_moved_in_proportion() -> None:
    down = np.zeros((240, 3))
    down[:, 1] = -0.03 * np.sin(np.linspace(0, np.pi, 240))
    grown = legs(240, 0.05, down)
    parts = {part: 0.4 * getattr(grown, part) for part in ("hips", "knees", "ankles", "targets")}
    small = replace(grown, **parts, pushes=(0.4 * 3.0, 0.4 * 10.0))
    found = [np.abs(move_body(one, FPS, 0.15 * size)).max() for one, size in ((grown, 1.0), (small, 0.4))]
    assert found[1] == pytest.approx(0.4 * found[0], rel=0.25)


def test_upright_legs_stay_straight() -> None:
    """One leg is too short by a centimetre and trembles, the other too long: no crouch evens that out."""
    asked = legs(360, 0.02, np.zeros((360, 3)))
    targets = asked.targets.copy()
    targets[:, 0, 1] += -0.008 + 0.002 * np.sin(2 * np.pi * 8.0 * np.arange(360) / FPS)
    targets[:, 1, 1] += 0.008
    asked = replace(asked, targets=targets, pushes=(0.3, 1.0))
    usual, upright = (-np.median(move_body(asked, FPS, 0.15, upright=times)[:, 1]) for times in (1.0, 5.0))
    assert usual > 0.02
    assert upright < 0.01
