"""Knees that pop."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.analysis.quality import check_clip
from reenact.core import rotations as R
from reenact.samples import make_sample

STRAIGHT = (1.0, 0.0, 0.0, 0.0)  # rotation of the sample skeleton's knees


@pytest.mark.parametrize(
    ("degrees", "severity"), [(0.0, None), (6.0, None), (9.0, "info"), (12.0, "warning"), (18.0, "warning")]
)
def test_a_knee_that_pops_is_found(degrees: float, severity: str | None) -> None:
    clip = make_sample("stand", 120.0).clip
    rotations = clip.rotations.copy()
    knee = clip.skeleton.roles["left_lower_leg"]
    turn = R.from_axis_angle((1.0, 0.0, 0.0), np.radians(degrees / 2))
    rotations[100, knee] = R.multiply(turn, rotations[100, knee].astype(np.float64)).astype(np.float32)
    report = check_clip(replace(clip, rotations=rotations))
    found = [finding for finding in report.findings if finding.code == "pop.knee"]
    assert {finding.severity for finding in found} == ({severity} if severity else set())
    if severity == "info":
        assert report.measures["knee_pop_deg_max"] == 0.0
    elif severity:
        assert found[0].joint == "left knee"
        assert found[0].frames[0] <= 100 < found[0].frames[1]
        assert report.measures["knee_pop_deg_max"] == pytest.approx(degrees, rel=0.15)


def test_walks_do_not_pop() -> None:
    for name in ("walk_normal", "jog", "jump_forward"):
        assert not [f for f in check_clip(make_sample(name, 120.0).clip).findings if f.code == "pop.knee"], name


@pytest.mark.parametrize(("degrees", "severity"), [(12.0, "info"), (20.0, "warning")])
def test_a_locked_leg_that_is_let_go(degrees: float, severity: str) -> None:
    """Solvers of recordings lock knees that would be bent through; letting them go is a jump, however they do it."""
    clip = make_sample("stand", 120.0).clip
    rotations = clip.rotations.copy()
    knee = clip.skeleton.roles["left_lower_leg"]
    turn = R.from_axis_angle((1.0, 0.0, 0.0), np.radians(degrees))
    rotations[60:100, knee] = STRAIGHT
    rotations[100:140, knee] = turn.astype(np.float32)
    found = [one for one in check_clip(replace(clip, rotations=rotations)).findings if one.code == "pop.knee"]
    assert severity in {one.severity for one in found if one.frames[0] <= 100 <= one.frames[1]}


def test_a_knee_that_passes_through_straight_does_not_turn_round_there() -> None:
    clip = make_sample("stand", 120.0).clip
    rotations = clip.rotations.copy()
    knee = clip.skeleton.roles["left_lower_leg"]
    angles = np.radians(30.0 * np.sin(np.arange(60, 180) / 120 * 2 * np.pi * 4))
    turns = R.from_axis_angle((1.0, 0.0, 0.0), angles)
    rotations[60:180, knee] = turns.astype(np.float32)
    found = [one for one in check_clip(replace(clip, rotations=rotations)).findings if one.code == "pop.knee"]
    assert not [one for one in found if one.frames[0] > 66 and one.frames[1] < 174]
