"""Knees that pop."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.analysis.quality import check_clip
from reenact.core import rotations as R
from reenact.samples import make_sample


@pytest.mark.parametrize(("degrees", "severity"), [(0.0, None), (12.0, "info"), (18.0, "warning")])
def test_a_knee_that_pops_is_found(degrees: float, severity: str | None) -> None:
    clip = make_sample("stand", 120.0).clip
    rotations = clip.rotations.copy()
    knee = clip.skeleton.roles["left_lower_leg"]
    turn = R.from_axis_angle((1.0, 0.0, 0.0), np.radians(degrees / 2))
    rotations[100, knee] = R.multiply(turn, rotations[100, knee].astype(np.float64)).astype(np.float32)
    report = check_clip(replace(clip, rotations=rotations))
    found = [finding for finding in report.findings if finding.code == "pop.knee"]
    assert {finding.severity for finding in found} == ({severity} if severity else set())
    if severity:
        assert found[0].joint == "left knee"
        assert found[0].frames[0] <= 100 < found[0].frames[1]
        assert report.measures["knee_pop_deg_max"] == pytest.approx(degrees, rel=0.15)


def test_walks_do_not_pop() -> None:
    for name in ("walk_normal", "jog", "jump_forward"):
        assert not [f for f in check_clip(make_sample(name, 120.0).clip).findings if f.code == "pop.knee"], name
