"""What the demo makes: real motion, with feet that stay."""

from __future__ import annotations

import pytest

from reenact.analysis.quality import check_clip
from reenact.operations.demo_performances import PERFORMANCES, Performance
from reenact.samples import make_sample
from reenact.solve.planted_points import measure_slips


@pytest.mark.parametrize("one", PERFORMANCES, ids=lambda one: one.name)
def test_performance_stands_up_to_the_report(one: Performance) -> None:
    made = one.make([make_sample(name).clip for name in one.sources])
    assert made.clip.seconds > 4
    assert made.plants is not None
    assert max(slip["slip_mm"] for slip in measure_slips(made.clip, made.plants)) < 3
    report = check_clip(made.clip, plants=made.plants)
    assert report.ok, [finding.message for finding in report.over]
