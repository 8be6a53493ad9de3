"""Plants without what a foot cannot do."""

from __future__ import annotations

import numpy as np

from reenact.core.foot_plants import intervals_of
from reenact.solve.feet import FootTrack
from reenact.solve.holdable import _end_when_rolled

FPS = 120.0


def rolling(pitch: np.ndarray) -> FootTrack:
    """A foot of 15 cm that rolls about its ball, heel up for positive angles (F,) in radians."""
    frames = len(pitch)
    ball = np.zeros((frames, 3))
    heel = np.stack([np.zeros(frames), 0.15 * np.sin(pitch), -0.15 * np.cos(pitch)], axis=1)
    still = np.tile([1.0, 0.0, 0.0, 0.0], (frames, 1))
    return FootTrack(heel + [0.0, 0.08, 0.02], still, still, heel, ball)


def test_a_heel_that_rolls_up_at_the_end_stands_no_longer() -> None:
    pitch = np.zeros(60)
    pitch[48:] = np.linspace(0.02, 0.4, 12)
    masks = {"heel": np.ones(60, np.bool_), "ball": np.ones(60, np.bool_)}
    _end_when_rolled(masks, rolling(pitch), FPS)
    assert masks["ball"].all()
    (start, end), *others = intervals_of(masks["heel"])
    assert not others
    assert start == 0
    assert 48 < end < 53


def test_a_foot_that_stands_otherwise_for_long_stands() -> None:
    pitch = np.zeros(200)
    pitch[120:] = 0.15
    masks = {"heel": np.ones(200, np.bool_), "ball": np.ones(200, np.bool_)}
    _end_when_rolled(masks, rolling(pitch), FPS)
    assert masks["heel"].all()
    pitch[150:170] = 0.6  # but not on a heel in the air
    _end_when_rolled(masks, rolling(pitch), FPS)
    assert intervals_of(~masks["heel"]) == [(150, 170)]


def test_a_trembling_foot_keeps_both() -> None:
    pitch = 0.03 * np.random.default_rng(2).normal(size=120).clip(-2, 2)
    masks = {"heel": np.ones(120, np.bool_), "ball": np.ones(120, np.bool_)}
    _end_when_rolled(masks, rolling(pitch), FPS)
    assert masks["heel"].all()
    assert masks["ball"].all()


def test_a_plant_of_a_few_frames_between_two_pitches_stands_somewhere() -> None:
    """At 30 frames a second a plant may be two frames long, neither of which is near the median of both."""
    masks = {"heel": np.ones(2, np.bool_), "ball": np.ones(2, np.bool_)}
    _end_when_rolled(masks, rolling(np.array([0.0, 0.4])), 30.0)
    assert masks["ball"].all()
    assert masks["heel"].any()
