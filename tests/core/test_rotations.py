"""Rotations: algebra, conversions, and agreement with SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from reenact.core import rotations as r
from reenact.errors import ParameterError

SEEDS = st.integers(0, 2**32 - 1)


def some(seed: int, *shape: int) -> np.ndarray:
    return r.normalize(np.random.default_rng(seed).normal(size=(*shape, 4)))


def scipy(q: np.ndarray) -> Rotation:
    return Rotation.from_quat(q[..., [1, 2, 3, 0]])


def gap(a: np.ndarray, b: np.ndarray) -> float:
    """Largest difference between rotations, whatever their signs."""
    return float(np.minimum(np.abs(a - b).max(-1), np.abs(a + b).max(-1)).max())


@given(SEEDS)
def test_group_axioms(seed: int) -> None:
    a, b, c = some(seed, 3, 20)
    one = r.identity()
    assert gap(r.multiply(r.multiply(a, b), c), r.multiply(a, r.multiply(b, c))) < 1e-12
    assert gap(r.multiply(a, one), a) < 1e-15
    assert gap(r.multiply(a, r.conjugate(a)), np.broadcast_to(one, a.shape)) < 1e-12
    np.testing.assert_allclose(np.linalg.norm(r.multiply(a, b), axis=-1), 1, atol=1e-12)


@given(SEEDS)
def test_products_and_turned_vectors_agree_with_scipy(seed: int) -> None:
    a, b = some(seed, 2, 20)
    v = np.random.default_rng(seed).normal(size=(20, 3))
    assert gap(r.multiply(a, b), (scipy(a) * scipy(b)).as_quat()[:, [3, 0, 1, 2]]) < 1e-12
    np.testing.assert_allclose(r.rotate(a, v), scipy(a).apply(v), atol=1e-12)
    np.testing.assert_allclose(r.to_matrix(a), scipy(a).as_matrix(), atol=1e-12)
    np.testing.assert_allclose(r.log(a), scipy(a).as_rotvec(), atol=1e-9)
    np.testing.assert_allclose(r.angle_between(a, b), (scipy(a).inv() * scipy(b)).magnitude(), atol=1e-9)


@given(SEEDS, st.sampled_from([1e-9, 1e-7, 1e-5, 1e-3, 1.0, math.pi - 1e-6]))
def test_log_and_exp_are_inverse(seed: int, angle: float) -> None:
    axis = np.random.default_rng(seed).normal(size=(20, 3))
    v = axis / np.linalg.norm(axis, axis=-1, keepdims=True) * angle
    np.testing.assert_allclose(r.log(r.exp(v)), v, rtol=1e-6, atol=1e-15)
    np.testing.assert_allclose(r.exp(v), scipy_exp(v), atol=1e-12)


def scipy_exp(v: np.ndarray) -> np.ndarray:
    return Rotation.from_rotvec(v).as_quat(canonical=True)[..., [3, 0, 1, 2]]


@pytest.mark.parametrize("order", r.EULER_ORDERS)
@given(SEEDS)
def test_euler_angles_of_all_twelve_orders(order: str, seed: int) -> None:
    q = some(seed, 30)
    angles = r.to_euler(q, order)
    assert gap(r.from_euler(angles, order), q) < 1e-12
    np.testing.assert_allclose(np.exp(1j * angles), np.exp(1j * scipy(q).as_euler(order.upper())), atol=1e-6)


@pytest.mark.parametrize("order", r.EULER_ORDERS)
def test_euler_angles_at_gimbal_lock(order: str) -> None:
    middle = [0.0, math.pi] if order[0] == order[2] else [math.pi / 2, -math.pi / 2]
    for b in middle:
        for nudge in (0.0, 1e-12, 1e-9, 1e-6):
            q = r.from_euler(np.array([0.7, b + nudge, -0.4]), order)
            assert gap(r.from_euler(r.to_euler(q, order), order), q) < 1e-12


def test_bvh_order_means_z_then_y_then_x_from_the_left() -> None:
    z, y, x = 0.1, 0.2, 0.3
    turns = [r.from_axis_angle(np.eye(3)[axis], angle) for axis, angle in ((2, z), (1, y), (0, x))]
    want = r.multiply(r.multiply(turns[0], turns[1]), turns[2])
    assert gap(r.from_euler(np.array([z, y, x]), "zyx"), want) < 1e-15


def test_large_arrays_take_the_kernel_and_agree() -> None:
    q = some(1, 6000)
    angles = r.to_euler(q, "yxz")
    assert gap(r.from_euler(angles, "yxz"), q) < 1e-10
    both = np.concatenate([r.multiply(q[:3000], q[3000:]), r.multiply(q[:3000], q[3000:])])
    assert gap(r.multiply(q, np.concatenate([q[3000:], q[3000:]]))[:3000], both[:3000]) < 1e-12
    assert gap(r.slerp(q, q[::-1], 0.3)[:100], r.slerp(q[:100], q[::-1][:100], 0.3)) < 1e-10


@given(SEEDS, st.floats(0, 1))
def test_slerp_agrees_with_scipy(seed: int, t: float) -> None:
    a, b = some(seed, 2)
    if a @ b < 0:
        b = -b
    want = Slerp([0, 1], scipy(np.stack([a, b])))(t).as_quat()[[3, 0, 1, 2]]
    assert gap(r.slerp(a, b, t), want) < 1e-9
    assert gap(r.slerp(a, -b, t), want) < 1e-9


@given(SEEDS, st.floats(1e-6, 3.0))
@example(0, 0.05)
def test_slerp_turns_at_a_constant_speed(seed: int, angle: float) -> None:
    """Reuse A02: within 1e-6, also between frames that hardly differ."""
    a, axis = some(seed, 2)
    b = r.multiply(a, r.from_axis_angle(r.normalize(axis[1:] + 1e-3), angle))
    steps = r.slerp(a, b, np.linspace(0, 1, 41))
    speeds = r.angle_between(steps[1:], steps[:-1]) * 40
    assert np.abs(speeds - angle).max() < 1e-6
    many = r.slerp(a, b, np.linspace(0, 1, 5001))  # the kernel
    assert gap(many[::125], steps) < 1e-12


@given(SEEDS)
def test_matrix_and_six_numbers_give_the_rotation_back(seed: int) -> None:
    q = some(seed, 40)
    assert gap(r.from_matrix(r.to_matrix(q)), q) < 1e-12
    assert gap(r.from_six(r.to_six(q)), q) < 1e-12
    assert gap(r.from_six(r.to_six(q) * [2, 2, 2, 3, 3, 3]), q) < 1e-12


@pytest.mark.parametrize("turn", [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 0.6, 0.8, 0]])
def test_half_turns_survive_matrices(turn: list[float]) -> None:
    assert gap(r.from_matrix(r.to_matrix(np.array(turn, float))), np.array(turn, float)) < 1e-12


@given(SEEDS)
def test_swing_and_twist(seed: int) -> None:
    q = some(seed, 30)
    axis = np.random.default_rng(seed).normal(size=3)
    axis /= np.linalg.norm(axis)
    swing, twist = r.swing_twist(q, axis)
    assert gap(r.multiply(swing, twist), q) < 1e-12
    np.testing.assert_allclose(r.rotate(twist, axis), np.broadcast_to(axis, (30, 3)), atol=1e-12)
    np.testing.assert_allclose(r.log(swing) @ axis, 0, atol=1e-9)


def test_swing_of_a_half_turn_square_to_the_axis_has_no_twist() -> None:
    swing, twist = r.swing_twist(np.array([0.0, 1.0, 0.0, 0.0]), [0, 1, 0])
    np.testing.assert_allclose(twist, [1, 0, 0, 0])
    np.testing.assert_allclose(swing, [0, 1, 0, 0])


@given(SEEDS)
def test_between_turns_one_direction_into_another(seed: int) -> None:
    a, b = np.random.default_rng(seed).normal(size=(2, 20, 3))
    np.testing.assert_allclose(r.rotate(r.between(a, b), r.normalize(a)), r.normalize(b), atol=1e-9)
    np.testing.assert_allclose(r.rotate(r.between(a, -a), r.normalize(a)), -r.normalize(a), atol=1e-6)


@given(SEEDS)
def test_mean_ignores_signs_and_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    centre = some(seed)
    near = r.multiply(centre, r.exp(rng.normal(0, 0.1, (9, 3))))
    mean = r.mean(near)
    signs = rng.choice([-1.0, 1.0], 9)[:, None]
    assert gap(r.mean((near * signs)[::-1]), mean) < 1e-9
    assert gap(r.mean(np.stack([centre, near[0]]), [1, 0]), centre) < 1e-9
    want = scipy(near).mean().as_quat()[[3, 0, 1, 2]]
    assert gap(mean, want) < 1e-9


def test_heading_is_counter_clockwise_from_plus_z() -> None:
    np.testing.assert_allclose(r.rotate(r.about_y(math.pi / 2), [0, 0, 1]), [1, 0, 0], atol=1e-15)


def test_unknown_order_lists_the_choices() -> None:
    with pytest.raises(ParameterError, match="xyz, xzy"):
        r.from_euler(np.zeros(3), "abc")


def test_types_are_kept() -> None:
    q = some(0, 5).astype(np.float32)
    for result in (
        r.multiply(q, q),
        r.conjugate(q),
        r.log(q),
        r.exp(r.log(q)),
        r.slerp(q, q, 0.5),
        r.to_matrix(q),
        r.rotate(q, np.ones(3, np.float32)),
    ):
        assert result.dtype == np.float32
