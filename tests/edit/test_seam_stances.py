"""Feet across the seam of a cycle: as recorded but there, and without a step there."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.core.foot_plants import FootContact, FootPlants
from reenact.edit.seam_stances import heights_across, seam_gap
from reenact.solve.feet import FootTrack

FPS = 100.0


def track_of(heel: np.ndarray, ball: np.ndarray) -> FootTrack:
    """A foot whose heel and ball are that high."""
    empty = np.zeros((len(heel), 3))
    turns = np.tile((1.0, 0.0, 0.0, 0.0), (len(heel), 1))
    return FootTrack(empty, turns, turns, empty + heel[:, None] * (0, 1, 0), empty + ball[:, None] * (0, 1, 0))


def stands_but(frames: int, lifted: slice) -> np.ndarray:
    mask = np.ones(frames, np.bool_)
    mask[lifted] = False
    return mask


@pytest.fixture
def sinking() -> FootTrack:
    """A recording whose floor sinks by 2 cm within 200 frames, its heels a little more."""
    down = np.linspace(0.02, 0.0, 201)
    return track_of(1.5 * down, down)


@pytest.mark.parametrize("lifted", [slice(60, 120), slice(10, 140), slice(0, 0)])
def test_there_is_no_step_across_the_seam(sinking: FootTrack, lifted: slice) -> None:
    stands = stands_but(150, lifted)
    for heights, path in zip(heights_across(sinking, stands, 20, 170, FPS), (sinking.heel, sinking.ball), strict=True):
        recorded = path[20:170, 1]
        assert abs(heights[0] - heights[-1]) < 0.001
        assert abs(recorded[0] - recorded[-1]) > 0.014
        assert np.array_equal(heights[~stands], recorded[~stands])
        assert np.abs(np.diff(heights)[stands[1:] & stands[:-1]]).max() < 0.0008


def test_the_side_on_which_it_stands_longer_is_changed_less(sinking: FootTrack) -> None:
    stands = stands_but(150, slice(80, 130))
    _, ball = heights_across(sinking, stands, 20, 170, FPS)
    changed = np.abs(ball - sinking.ball[20:170, 1])
    assert changed[:80].max() < 0.3 * changed[130:].max()


def test_a_foot_in_the_air_at_the_seam_is_as_recorded(sinking: FootTrack) -> None:
    heel, _ = heights_across(sinking, stands_but(150, slice(140, 150)), 20, 170, FPS)
    assert np.array_equal(heel, sinking.heel[20:170, 1])


def test_the_gap_counts_feet_that_stand_across_the_seam_only(sinking: FootTrack) -> None:
    stands, flies = stands_but(201, slice(90, 110)), stands_but(201, slice(150, 201))
    gaps = []
    for mask in (stands, flies):
        foot = FootContact(mask, mask)
        gaps.append(seam_gap({"left": sinking}, FootPlants(foot, foot, FPS), 20, 170))
    apart = float(sinking.heel[20, 1] - sinking.heel[170, 1])
    assert gaps[0] == pytest.approx(apart * 60 / 130, rel=0.02)
    assert gaps[1] == 0.0
