from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.analysis.plants import detect_plants
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootContact, FootPlants
from reenact.graft.chain_choice import choose_chains
from reenact.graft.swing_phase import SwingLags, gait_cycles_of, lag_error, measure_lags


def delayed_arms(clip: Clip, frames: int) -> Clip:
    """The same walk with arms that come so many frames later."""
    arms = list(choose_chains(clip.skeleton, "arms").joints)
    rotations = clip.rotations.copy()
    rotations[:, arms] = np.roll(clip.rotations[:, arms], frames, axis=0)
    return replace(clip, rotations=rotations)


def test_without_steps_there_are_no_lags(sample) -> None:
    clip = sample("stand")
    none = FootContact(np.ones(len(clip), bool), np.ones(len(clip), bool))
    found = measure_lags(clip, FootPlants(none, none, clip.fps))
    assert found.lags.shape == (0, 2)
    assert lag_error(found) is None


def test_people_swing_arms_with_the_opposite_legs(recording) -> None:
    clip = recording("16_15")
    found = measure_lags(clip, detect_plants(clip))
    assert len(found.cycles) >= 4
    assert found.known().all()
    assert np.abs(found.lags).max() < 0.06


@pytest.mark.parametrize("share", [0.25, 0.5, -0.25])
def test_arms_that_come_later_lag(recording, share: float) -> None:
    clip = recording("16_15")
    plants = detect_plants(clip)
    start, end = gait_cycles_of(plants)[2]
    late = delayed_arms(clip, round(share * (end - start)))
    own, found = measure_lags(clip, plants), measure_lags(late, plants, span=(100, 371))
    assert lag_error(found, own) == pytest.approx(abs(share), abs=0.05)
    assert lag_error(found) == pytest.approx(abs(share), abs=0.08)


def test_hanging_arms_tell_nothing() -> None:
    hanging = SwingLags(np.full((3, 2), 0.4), np.full((3, 2), 0.01), np.zeros((3, 2), int))
    assert lag_error(hanging) is None


def test_lags_wrap_round_the_cycle() -> None:
    swings = np.full((2, 1), 0.2)
    made = SwingLags(np.array([[0.48], [-0.49]]), swings, np.zeros((2, 2), int))
    own = SwingLags(np.array([[0.5], [-0.5]]), swings, np.zeros((2, 2), int))
    assert lag_error(made, own) == pytest.approx(0.015)
