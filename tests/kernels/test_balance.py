"""The kernel of balance against its plain twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reenact import kernels
from reenact.analysis.free_flight import G
from reenact.analysis.limbs import find_limbs
from reenact.analysis.sampling import joint_paths
from reenact.samples import make_sample


def limits(half: int, leg: float = 0.83, firm: int = 4) -> kernels.balance.BalanceLimits:
    return kernels.balance.BalanceLimits(
        half, G, 0.3, 0.06, 0.02, 0.17 * leg, 0.1 * leg, 0.03 * leg, 0.15, 0.12 * leg, 0.2 * leg, 4, 0.03 * leg, firm, 8
    )


def agree(points: np.ndarray, masses: np.ndarray, fps: float, asked: kernels.balance.BalanceLimits) -> None:
    feet = (0, 1, 2, 3)
    leans, numbers = kernels.balance.find_balance(points, masses, feet, fps, asked)
    plain_leans, plain_numbers = kernels.balance_twins.find_balance(points, masses, feet, fps, asked)
    np.testing.assert_allclose(leans, plain_leans, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(numbers, plain_numbers, rtol=1e-6, atol=1e-9)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(10, 90), st.integers(2, 4), st.integers(2, 9))
def test_kernel_agrees_with_its_twin(seed: int, frames: int, half: int, firm: int) -> None:
    """Feet that take turns in standing and in wandering, under a body that sways."""
    rng = np.random.default_rng(seed)
    moves = rng.normal(0, 0.03, (frames, 7, 3)) * [1, 0.2, 1]
    for foot in range(2):
        stands = np.repeat(rng.random(-(-frames // 12)) < 0.6, 12)[:frames]
        moves[stands, foot] = moves[stands, foot + 2] = 0
    points = np.cumsum(moves, axis=0) + rng.normal(0, 0.1, (7, 3)) * [1, 0.1, 1]
    points[:, 4:, 1] += 1
    agree(points.astype(np.float32), rng.dirichlet(np.ones(7)), 60.0, limits(half, firm=firm))


@pytest.mark.parametrize("name", ["walk_normal", "sneak", "run", "jump_up", "sit_down", "kick_left", "stand"])
@pytest.mark.parametrize("fps", [30.0, 60.0])
def test_kernel_agrees_on_samples(name: str, fps: float) -> None:
    clip = make_sample(name, fps).clip
    limbs = find_limbs(clip.skeleton)
    assert limbs is not None
    joints = [*limbs.feet, *limbs.soles, limbs.hips, limbs.head, *limbs.hands]
    agree(joint_paths(clip, joints), np.array([0.1, 0.1, 0.05, 0.05, 0.3, 0.3, 0.05, 0.05]), fps, limits(3))
