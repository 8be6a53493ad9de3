from __future__ import annotations

import numpy as np
import pytest

from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.graft.chain_choice import choose_chains
from reenact.graft.coupling import calm_headings, held_against_heading, spread_turn


def test_the_last_joint_is_turned_as_wanted_and_the_others_share(sample) -> None:
    clip = sample("walk_normal")
    spine = choose_chains(clip.skeleton, "upper").spine
    world = clip.world(np.float64)
    turn = R.from_axis_angle((1.0, 0.0, 0.0), 0.4)
    wanted = R.multiply(turn, world.rotations[:, spine[-1]])
    made = spread_turn(clip.skeleton, clip.rotations.astype(np.float64), world, spine, wanted)
    np.testing.assert_allclose(made.turns, 0.4, atol=1e-5)
    turned = Clip(clip.skeleton, made.rotations, clip.root, clip.fps).world(np.float64)
    assert R.angle_between(turned.rotations[:, spine[-1]], wanted).max() < 1e-5
    shares = [float(R.angle_between(turned.rotations[:, j], world.rotations[:, j]).mean()) for j in spine]
    assert shares == sorted(shares)
    assert 0 < shares[0] <= 0.4 + 1e-6
    others = [joint for joint in range(len(clip.skeleton)) if joint not in spine]
    assert np.array_equal(made.rotations[:, others], clip.rotations[:, others])


def test_no_difference_changes_no_bit(sample) -> None:
    clip = sample("walk_normal")
    spine = choose_chains(clip.skeleton, "upper").spine
    world, rotations = clip.world(np.float64), clip.rotations.astype(np.float64)
    made = spread_turn(clip.skeleton, rotations, world, spine, world.rotations[:, spine[-1]])
    assert made.rotations is rotations


@pytest.mark.parametrize("angle", [0.0, 1.2, -3.0])
def test_held_against_another_heading(angle: float) -> None:
    own = R.normalize(np.array([[0.9, 0.1, 0.3, 0.2]]))
    turned = held_against_heading(own, np.array([0.5]), np.array([0.5 + angle]))
    forward = R.rotate(own, np.array([0.0, 0.0, 1.0]))[0]
    new = R.rotate(turned, np.array([0.0, 0.0, 1.0]))[0]
    assert new[1] == pytest.approx(forward[1])
    gap = np.arctan2(new[0], new[2]) - np.arctan2(forward[0], forward[2]) - angle
    assert np.cos(gap) == pytest.approx(1.0)


def test_the_heading_neither_sways_nor_falls_behind_a_spin(sample) -> None:
    stand = sample("stand")
    frames = 240
    time = np.arange(frames) / 120.0
    hips = stand.rotations[0, 0].astype(np.float64)

    def facing(angle: np.ndarray) -> np.ndarray:
        rotations = np.tile(stand.rotations[:1], (frames, 1, 1)).astype(np.float64)
        rotations[:, 0] = R.multiply(R.about_y(angle), hips)
        clip = Clip(stand.skeleton, rotations, np.zeros((frames, 3)) + (0, 1, 0), 120.0)
        found = calm_headings(clip)
        return found - found[0] + angle[0]

    sway = 0.12 * np.sin(2 * np.pi * time / 0.5)
    assert np.ptp(facing(sway)[40:-40]) < 0.35 * np.ptp(sway)
    spin = 2 * np.pi * np.clip((time - 0.8) / 0.4, 0, 1)
    assert np.abs(facing(spin) - spin).max() < 0.25
