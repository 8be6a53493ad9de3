"""Balance: bodies whose pressure on the floor is known."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.analysis.balance import NO_BALANCE, find_balance
from reenact.analysis.free_flight import G, mass_weights
from reenact.analysis.limbs import find_limbs
from reenact.analysis.sampling import joint_paths
from reenact.core.clip import Clip
from reenact.samples import make_sample

LEG, FPS = 0.83, 60.0
FEET = np.array([[0.1, 0.05, -0.05], [-0.1, 0.05, -0.05], [0.1, 0.0, 0.1], [-0.1, 0.0, 0.1]])


def standing_mass(path: np.ndarray) -> np.ndarray:
    """(F, 5, 3) two feet that stay, and one mass above them."""
    return np.concatenate([np.tile(FEET, (len(path), 1, 1)), path[:, None]], axis=1)


MASSES = np.array([0.0, 0, 0, 0, 1])


def balance_of(clip: Clip, claimed: float = 1.0) -> tuple[float, tuple[float, float]]:
    """Middle lean and loads of a clip whose rate is said to be `claimed` times what it is."""
    limbs = find_limbs(clip.skeleton)
    assert limbs is not None
    weights = mass_weights(limbs)
    joints = sorted({*weights, *limbs.feet, *limbs.soles})
    feet = tuple(joints.index(joint) for joint in (*limbs.feet, *limbs.soles))
    assert len(feet) == 4
    share = np.array([weights.get(joint, 0.0) for joint in joints])
    found = find_balance(joint_paths(clip, joints), share, feet, limbs.leg, clip.fps * claimed)
    return float(np.median(found.leans)), found.loads


def test_a_mass_at_rest_presses_below_itself() -> None:
    found = find_balance(standing_mass(np.tile([0.0, 1.0, 0.02], (60, 1))), MASSES, (0, 1, 2, 3), LEG, FPS)
    assert found.loads == pytest.approx((0.0, 0.0), abs=1e-9)
    assert found.plunge == pytest.approx(0.0, abs=1e-9)
    assert found.seconds == pytest.approx(54 / FPS)
    assert len(found.leans) == 0


def test_an_accelerated_mass_presses_behind_itself() -> None:
    """1 m/s2 forward at a height of 1 m: the pressure is 1 / 9.81 m behind, and the feet reach 0.05 + 0.06 m that way."""
    times = np.arange(30) / FPS
    path = np.stack([0 * times, 1 + 0 * times, 0.5 * times**2 - 0.0], axis=1)
    found = find_balance(standing_mass(path), MASSES, (0, 1, 2, 3), LEG, FPS)
    slow = find_balance(standing_mass(path), MASSES, (0, 1, 2, 3), LEG, 2 * FPS)
    # the mass moves on while it is accelerated, so the way to the heels grows
    assert (1 / G) / (0.05 + 0.12 + 0.08) < found.loads[1] < (1 / G) / (0.05 + 0.08)
    assert slow.loads[1] > 3.5 * found.loads[1]


def test_a_sinking_mass_plunges() -> None:
    path = np.stack([np.zeros(60), 1 - np.linspace(0, 0.5, 60), np.zeros(60)], axis=1)
    found = find_balance(standing_mass(path), MASSES, (0, 1, 2, 3), LEG, FPS)
    assert found.plunge == pytest.approx(0.5 / 59 * FPS)


def test_a_mass_beside_its_feet_is_carried_by_something_else() -> None:
    path = np.tile([0.0, 0.5, -0.6], (60, 1)) + np.random.default_rng(0).normal(0, 0.01, (60, 3))
    path[:, 2] = np.abs(path[:, 2]) * -1
    found = find_balance(standing_mass(path), MASSES, (0, 1, 2, 3), LEG, FPS)
    assert found.seconds < 0.6  # only while the noise throws the pressure towards the feet


@pytest.mark.parametrize("frames", [0, 1, 5, 9])
def test_few_frames_tell_nothing(frames: int) -> None:
    path = np.tile([0.0, 1.0, 0.0], (frames, 1))
    assert find_balance(standing_mass(path), MASSES, (0, 1, 2, 3), LEG, FPS) == NO_BALANCE


@pytest.mark.parametrize(
    "name", ["walk_normal", "walk_brisk", "sneak", "walk_backwards_normal", "walk_circle_wide_left"]
)
@pytest.mark.parametrize("fps", [60.0, 120.0])
def test_steps_lean_on_their_foot_and_four_times_as_far_when_too_fast(name: str, fps: float) -> None:
    clip = make_sample(name, fps).clip
    lean, loads = balance_of(clip)
    fast_lean, fast_loads = balance_of(clip, 2.0)
    assert 0.3 < lean < 1.9  # the most of a right recording
    assert fast_lean == pytest.approx(4 * lean, rel=0.25)
    assert loads[0] < 1.3
    assert fast_loads[0] > 2 * loads[0]
