"""Velocities and accelerations: exact on polynomials, right on rotations, defined on the shortest clips."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reenact
from reenact.core.clip import Clip
from reenact.core.derivatives import (
    DerivativeParameters,
    acceleration,
    accelerations,
    angular_velocities,
    angular_velocity_of,
    differentiate,
    differentiate_twice,
    point_path,
    velocities,
    velocity,
)
from reenact.core.rotations import exp, from_axis_angle, multiply, rotate
from reenact.core.skeleton import Skeleton
from reenact.core.smoothing import smooth
from reenact.errors import ParameterError, SkeletonError

ARM = Skeleton(("root", "elbow", "wrist"), np.array([-1, 0, 1]), np.array([[0.0, 0, 0], [0.3, 0, 0], [0.25, 0, 0]]))


def still(frames: int) -> Clip:
    return Clip(ARM, np.tile([1.0, 0, 0, 0], (frames, 3, 1)), np.zeros((frames, 3)), 50.0)


@given(st.integers(3, 40), st.floats(5, 240), st.integers(0, 1000))
def test_parabolas_are_exact_everywhere(frames: int, fps: float, seed: int) -> None:
    a, b, c = np.random.default_rng(seed).normal(size=(3, 2))
    t = np.arange(frames)[:, None] / fps
    values = a + b * t + c * t * t
    assert np.allclose(differentiate(values, fps), b + 2 * c * t, atol=1e-7)
    assert np.allclose(differentiate_twice(values, fps), np.broadcast_to(2 * c, values.shape), atol=1e-5)


def test_cubics_have_exact_accelerations() -> None:
    t = np.arange(12) / 30
    assert np.allclose(differentiate_twice(t**3, 30), 6 * t, atol=1e-8)
    assert np.allclose(differentiate_twice(t[:4] ** 3, 30), 6 * t[:4], atol=1e-8)


def test_order_of_convergence_is_two() -> None:
    errors = []
    for fps in (50, 100):
        t = np.arange(int(2 * fps)) / fps
        errors.append(np.abs(differentiate(np.sin(5 * t), fps) - 5 * np.cos(5 * t)).max())
    assert 3.5 < errors[0] / errors[1] < 4.5


def test_shortest_clips() -> None:
    assert np.array_equal(differentiate([[1.0, 2.0]], 30), [[0, 0]])
    assert np.allclose(differentiate([1.0, 3.0], 30), [60, 60])
    assert np.array_equal(differentiate_twice([1.0, 3.0], 30), [0, 0])
    assert np.allclose(differentiate_twice([0.0, 1.0, 4.0], 10), [200, 200, 200])
    assert differentiate(np.zeros((0, 3)), 30).shape == (0, 3)
    for frames in (1, 2, 3):
        clip = still(frames)
        for found in (
            velocity(clip, 0),
            acceleration(clip, "wrist"),
            velocities(clip),
            accelerations(clip),
            angular_velocities(clip),
        ):
            assert np.abs(found).max() < 1e-9
            assert len(found) == frames


def test_falling_body() -> None:
    t = np.arange(30) / 50
    clip = Clip(ARM, np.tile([1.0, 0, 0, 0], (30, 3, 1)), np.column_stack([2 * t, 5 - 4.905 * t**2, 0 * t]), 50.0)
    assert np.allclose(acceleration(clip, "root"), [0, -9.81, 0], atol=0.02)  # positions are float32
    assert np.allclose(velocity(clip, "wrist")[:, 0], 2, atol=1e-4)
    assert velocities(clip, ["wrist", 0]).shape == (30, 2, 3)


def test_a_turning_arm() -> None:
    """Velocity of a point = angular velocity x lever, about every axis."""
    spin = np.array([0.7, -1.1, 2.0])
    t = np.arange(200) / 200
    rotations = np.tile([1.0, 0, 0, 0], (200, 3, 1))
    rotations[:, 0] = exp(t[:, None] * spin)
    clip = Clip(ARM, rotations, np.zeros((200, 3)), 200.0)
    assert np.allclose(angular_velocities(clip, ["root"], space="world"), spin, atol=2e-3)
    assert np.allclose(angular_velocities(clip, ["wrist"], space="world"), spin, atol=2e-3)
    assert np.allclose(angular_velocities(clip, ["wrist"]), 0, atol=1e-6)
    offset = (0.1, 0.05, -0.02)
    lever = point_path(clip, "wrist", offset)
    assert np.allclose(velocity(clip, "wrist", offset), np.cross(spin, lever), atol=3e-3)


def test_local_and_world_axes_differ_by_the_rotation() -> None:
    t = np.arange(300) / 300
    q = multiply(from_axis_angle([0.0, 1, 0], 3 * t), from_axis_angle([1.0, 0, 0], 2 * t))
    world, local = angular_velocity_of(q, 300, space="world"), angular_velocity_of(q, 300, space="local")
    assert np.allclose(rotate(q, local), world, atol=1e-3)
    expected = np.array([0, 3.0, 0]) + 2 * rotate(from_axis_angle([0.0, 1, 0], 3 * t), np.array([1.0, 0, 0]))
    assert np.abs(world - expected).max() < 1e-3


def test_signs_of_quaternions_and_fast_turns_do_not_matter() -> None:
    t = np.arange(40) / 30
    q = from_axis_angle([0.0, 0, 1], 80 * t)  # 153 degrees a frame
    flips = np.where(np.random.default_rng(0).random(40) < 0.5, -1, 1)[:, None]
    assert np.allclose(angular_velocity_of(q * flips, 30), [0, 0, 80], atol=1e-6)


def test_smoothing_quiets_noise_without_delay() -> None:
    rng = np.random.default_rng(2)
    t = np.arange(400) / 100
    noisy = np.sin(2 * t) + rng.normal(0, 0.002, 400)
    rough = differentiate_twice(noisy, 100) + 4 * np.sin(2 * t)
    calm = differentiate_twice(noisy, 100, DerivativeParameters(smoothing=0.08)) + 4 * np.sin(2 * t)
    assert np.std(calm[40:-40]) < 0.05 * np.std(rough)
    pulse = np.exp(-(((t - 2) / 0.1) ** 2))
    assert np.argmax(smooth(pulse, 10)) == np.argmax(pulse)


def test_smoothing_keeps_lines_constants_and_short_clips() -> None:
    line = np.stack([3 + 0.5 * np.arange(20), np.full(20, 7.0)], axis=1)
    assert np.allclose(smooth(line, 4), line)
    assert np.allclose(smooth([1.0, 5.0], 10), [1, 5])
    assert np.array_equal(smooth([2.0], 3), [2.0])
    assert np.array_equal(smooth(line, 0), line)


def test_bad_input_is_refused() -> None:
    with pytest.raises(ParameterError, match="fps"):
        differentiate([0.0, 1.0], 0)
    with pytest.raises(ParameterError, match="smoothing"):
        DerivativeParameters(smoothing=-0.1)
    with pytest.raises(ParameterError, match="local or world"):
        angular_velocities(still(3), space="up")  # type: ignore[arg-type]
    with pytest.raises(SkeletonError, match="knee"):
        velocity(still(3), "knee")


@pytest.mark.corpus
def test_a_walker_moves_at_walking_speed(corpus: Path) -> None:
    clip = reenact.load(corpus / "cmu-bvh/02_01.bvh")
    speed = np.linalg.norm(velocity(clip, 0)[:, [0, 2]], axis=1)
    assert 0.9 < np.median(speed) < 1.8
    path = np.sum(np.linalg.norm(np.diff(clip.root[:, [0, 2]], axis=0), axis=1)) * clip.fps / (len(clip) - 1)
    assert np.isclose(np.mean(speed), path, rtol=0.02)
