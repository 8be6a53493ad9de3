"""Feet that turn where they stand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reenact import load
from reenact.analysis.carried_plants import known_plants
from reenact.analysis.foot_points import find_foot_points
from reenact.analysis.pivots import MOST_TURN, let_pivot
from reenact.analysis.plants import detect_plants
from reenact.blend.clean import clean
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import FootContact, FootPlants, intervals_of
from reenact.samples import make_sample


def pivoting(turn: float, frames: int = 90) -> tuple[Clip, FootPlants]:
    """A stiff body that turns about the ball of its left foot, which stands."""
    stiff = cut_frames(make_sample("stand").clip, 0, 1)
    points = find_foot_points(stiff.skeleton, stiff)
    ball = points.paths(stiff)[0, 2 * points.sides.index("left") + 1].astype(np.float64)
    heading = turn * np.linspace(0, 1, frames)
    spin = R.about_y(heading)
    root = ball + R.rotate(spin, np.tile(stiff.root[0] - ball, (frames, 1)))
    rotations = np.repeat(stiff.rotations, frames, axis=0).astype(np.float64)
    rotations[:, 0] = R.multiply(spin, rotations[:, 0])
    clip = replace(stiff, rotations=rotations.astype(np.float32), root=root.astype(np.float32))
    down, up = np.ones(frames, bool), np.zeros(frames, bool)
    return clip, FootPlants(FootContact(down, down), FootContact(up, up), clip.fps)


def soles(clip: Clip, side: str) -> np.ndarray:
    points = find_foot_points(clip.skeleton, clip)
    at = 2 * points.sides.index(side)
    paths = points.paths(clip).astype(np.float64)
    sole = paths[:, at + 1] - paths[:, at]
    return np.unwrap(np.arctan2(sole[:, 0], sole[:, 2]))


def test_heel_that_sweeps_is_let_go() -> None:
    clip, plants = pivoting(np.radians(60))
    found = let_pivot(plants, clip)
    assert not found.left.heel.any()
    assert found.left.ball.all()
    assert np.array_equal(found.left.plant, plants.left.plant)


def test_foot_that_stands_keeps_both() -> None:
    clip, plants = pivoting(np.radians(8))
    assert let_pivot(plants, clip) is plants


def test_cleaned_foot_still_turns() -> None:
    clip, plants = pivoting(np.radians(60))
    turned = soles(clean(clip, None, let_pivot(plants, clip)).clip, "left")
    assert np.ptp(turned) == pytest.approx(np.radians(60), abs=np.radians(2))


def test_recorded_turns(corpus: Path) -> None:
    for name in ("77_16", "135_04", "86_01"):
        clip = load(corpus / "cmu-bvh" / f"{name}.bvh")
        before = detect_plants(clip)
        after = let_pivot(before, clip)
        for side in ("left", "right"):
            assert np.array_equal(after.foot(side).plant, before.foot(side).plant)
            angles = soles(clip, side)
            spans = intervals_of(after.foot(side).heel & after.foot(side).ball)
            assert all(np.ptp(angles[a:b]) <= MOST_TURN + 1e-6 for a, b in spans)
        assert clean(clip).report["joint_change"]["max_degrees"] < 25


def test_only_detected_plants_may_pivot() -> None:
    clip, planned = pivoting(np.radians(60))
    assert known_plants(clip, planned) is planned
    found = known_plants(clip, replace(planned, source="adaptive"))
    assert found is not None
    assert not found.left.heel.any()
