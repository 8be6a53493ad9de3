"""The mean of several rotations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from reenact.blend.quaternion_mean import mean_rotations
from reenact.core import rotations as R
from reenact.errors import ParameterError
from reenact.kernels import blend_twins

SEEDS = st.integers(0, 2**32 - 1)


def _near(rng: np.random.Generator, spread: float, *shape: int) -> np.ndarray:
    """Rotations round a random one: (F, k, J, 4)."""
    frames, motions, joints = shape
    middle = R.normalize(rng.normal(size=(frames, 1, joints, 4)))
    return R.multiply(middle, R.exp(rng.uniform(-1, 1, (frames, motions, joints, 3)) * spread))


@pytest.mark.parametrize(
    ("shape", "weights", "message"),
    [
        ((3, 2, 4), [1, 1], "must have shape"),
        ((3, 2, 5, 4), [1, 1, 1], "weights must have shape"),
        ((3, 2, 5, 4), [1, -1], "sum to more than 0"),
        ((3, 2, 5, 4), [0, 0], "sum to more than 0"),
        ((3, 2, 5, 4), [np.nan, 1], "must be finite"),
    ],
)
def test_bad_input_is_refused(shape, weights, message):
    with pytest.raises(ParameterError, match=message):
        mean_rotations(np.ones(shape) / 2, weights)


@given(SEEDS, st.integers(2, 5), st.floats(0.01, 1.0))
def test_the_kernel_gives_what_its_twin_gives(seed, motions, spread):
    rng = np.random.default_rng(seed)
    q = _near(rng, spread, 1, motions, 6)
    w = rng.dirichlet(np.ones(motions), 1)
    ours = mean_rotations(q, w)
    means, apart = blend_twins.mean_rotations(q, w)
    assert np.abs(R.angle_between(ours.rotations, means)).max() < 1e-9
    assert np.allclose(ours.apart, apart, atol=1e-6)


@given(SEEDS, st.integers(2, 4), st.floats(0.01, 0.8))
def test_the_kernel_gives_what_its_twin_gives_beyond_the_inputs(seed, motions, spread):
    rng = np.random.default_rng(seed)
    q = _near(rng, spread, 1, motions, 6)
    w = rng.dirichlet(np.ones(motions), 1)
    w = (1.2 * w).clip(max=1.2)
    w[0, np.argmin(w[0])] -= 0.2
    ours = mean_rotations(q, w)
    means, apart = blend_twins.mean_rotations(q, w)
    assert np.abs(R.angle_between(ours.rotations, means)).max() < 1e-8
    assert np.allclose(ours.apart, apart, atol=1e-6)


@given(SEEDS, st.floats(-0.2, 1.2))
def test_two_rotations_are_extrapolated_along_their_arc(seed, t):
    rng = np.random.default_rng(seed)
    q = _near(rng, 0.5, 1, 2, 6)
    found = mean_rotations(q, [1 - t, t]).rotations[0]
    way = R.log(R.multiply(R.conjugate(q[0, 0]), q[0, 1]))
    wanted = R.multiply(q[0, 0], R.exp(t * way))
    assert np.abs(R.angle_between(found, wanted)).max() < 1e-7


@given(SEEDS, st.integers(2, 4))
def test_the_kernel_gives_what_its_twin_gives_over_time(seed, motions):
    """Tracks that wander all over the sphere: the ways round that are kept and left are the same."""
    rng = np.random.default_rng(seed)
    steps = R.exp(rng.normal(scale=0.12, size=(80, motions, 2, 3)))
    q = np.empty((80, motions, 2, 4))
    q[0] = R.normalize(rng.normal(size=(1, 1, 4)))
    for frame in range(1, 80):
        q[frame] = R.multiply(q[frame - 1], steps[frame])
    w = rng.dirichlet(np.full(motions, 5.0), 80)
    ours = mean_rotations(q * rng.choice([-1.0, 1.0], (80, motions, 2, 1)), w)
    means, _ = blend_twins.mean_rotations(q, w)
    assert np.abs(R.angle_between(ours.rotations, means)).max() < 1e-6


@given(SEEDS, st.floats(0.0, 1.0))
def test_two_rotations_give_the_slerp(seed, t):
    rng = np.random.default_rng(seed)
    q = R.normalize(rng.normal(size=(1, 2, 6, 4)))
    found = mean_rotations(q, [1 - t, t]).rotations[0]
    for joint in range(6):
        ends = Rotation.from_quat(q[0, :, joint], scalar_first=True)
        wanted = Slerp([0, 1], ends)(t).as_quat(scalar_first=True)
        assert min(np.abs(found[joint] - wanted).max(), np.abs(found[joint] + wanted).max()) < 1e-9


@given(SEEDS)
def test_signs_and_order_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    q = _near(rng, 0.8, 1, 4, 6)
    w = rng.dirichlet(np.ones(4))
    wanted = mean_rotations(q, w).rotations
    for order in itertools.permutations(range(4)):
        signs = rng.choice([-1.0, 1.0], (1, 4, 6, 1))
        found = mean_rotations((q * signs)[:, order], w[list(order)]).rotations
        assert R.angle_between(found, wanted).max() < 1e-9


@given(SEEDS)
def test_turning_the_inputs_turns_the_mean(seed):
    rng = np.random.default_rng(seed)
    q = _near(rng, 0.8, 1, 3, 6)
    w = rng.dirichlet(np.ones(3))
    before, after = R.normalize(rng.normal(size=(2, 4)))
    turned = mean_rotations(R.multiply(R.multiply(before, q), after), w).rotations
    wanted = R.multiply(R.multiply(before, mean_rotations(q, w).rotations), after)
    assert R.angle_between(turned, wanted).max() < 1e-9


def test_all_the_weight_gives_the_input():
    rng = np.random.default_rng(1)
    q = R.normalize(rng.normal(size=(3, 3, 4, 4)))
    for motion in range(3):
        found = mean_rotations(q, np.eye(3)[motion])
        assert R.angle_between(found.rotations, q[:, motion]).max() < 1e-12
        assert found.apart.max() == 0


def test_inputs_half_a_turn_apart_are_told():
    q = np.tile((1.0, 0, 0, 0), (5, 2, 3, 1))
    q[2, 1, 1] = R.from_axis_angle((0, 1, 0), np.radians(178))
    q[3, 1, 1] = R.from_axis_angle((0, 1, 0), np.radians(172))
    q[3, 1, 2] = R.from_axis_angle((0, 1, 0), np.radians(150))
    found = mean_rotations(q, [0.5, 0.5])
    assert found.opposed(("a", "b", "c")) == [{"joint": "b", "frame": 2, "degrees": 178.0, "frames": 2}]


def test_motions_half_a_turn_apart_do_not_jump_from_side_to_side():
    """One joint trembles about half a turn from the other's: the mean keeps to one side of it."""
    tremble = np.radians(180 + 8 * np.sin(np.arange(200) * 0.7))
    q = np.empty((200, 2, 1, 4))
    q[:, 0, 0] = (1.0, 0, 0, 0)
    q[:, 1, 0] = R.from_axis_angle((1.0, 0, 0), tremble)
    q[::3, 1] *= -1
    found = mean_rotations(q, [0.5, 0.5])
    assert np.degrees(R.angle_between(found.rotations[1:], found.rotations[:-1])).max() < 5
    assert found.opposed(("ankle",))[0]["frames"] == 200


def test_a_way_that_has_become_much_longer_is_left():
    """A joint that turns all the way round against the other's comes back to it the short way."""
    q = np.empty((361, 2, 1, 4))
    q[:, 0, 0] = (1.0, 0, 0, 0)
    q[:, 1, 0] = R.from_axis_angle((1.0, 0, 0), np.radians(np.arange(361.0)))
    found = mean_rotations(q, [0.5, 0.5]).rotations[:, 0]
    assert np.degrees(R.angle_between(found[200], R.from_axis_angle((1.0, 0, 0), np.radians(100)))) < 1e-6
    assert np.degrees(R.angle_between(found[340], R.from_axis_angle((1.0, 0, 0), np.radians(-10)))) < 1e-6


def test_signs_run_on_from_frame_to_frame():
    angles = np.linspace(0, 4 * np.pi, 200)
    q = R.from_axis_angle((0, 0, 1.0), angles)[:, None, None]
    q = np.concatenate([q, -q], axis=1)
    found = mean_rotations(q, [0.3, 0.7]).rotations[:, 0]
    assert np.all(np.einsum("fi,fi->f", found[1:], found[:-1]) > 0.9)
