"""Forearms that are inside the body are told."""

from __future__ import annotations

import numpy as np

import reenact
from reenact.core.cutting import cut_frames
from reenact.samples import make_sample
from reenact.solve.arms_inside import arms_inside
from reenact.solve.body_parts import ThickLine

WALK = cut_frames(make_sample("walk_normal").clip, 0, 120)


def lines(away: float) -> dict[str, ThickLine]:
    """A trunk 0.3 m thick, and a forearm that hangs beside it so many metres from its axis, for ten frames."""
    start, end = np.tile([0.0, 1.0, 0.0], (10, 1)), np.tile([0.0, 1.5, 0.0], (10, 1))
    aside = np.tile([away, 0.2, 0.0], (10, 1))
    return {"trunk": ThickLine(start, end, 0.15), "left_forearm": ThickLine(start + aside, end + aside, 0.04)}


def test_only_what_is_deeper_than_in_the_recording_counts() -> None:
    assert arms_inside(lines(0.3), lines(0.3), (1.0, 1.0)) == {"left": 0.0}
    assert arms_inside(lines(0.3), lines(0.1), (1.0, 1.0)) == {"left": 100.0}
    assert arms_inside(lines(0.1), lines(0.1), (1.0, 1.0)) == {"left": 0.0}
    assert arms_inside({}, lines(0.1), (1.0, 1.0)) == {}


def test_a_stout_body_is_told_of_and_a_slim_one_is_not() -> None:
    slim, stout = (reenact.retarget(WALK, reenact.humanoid(preset="heavy", girth=girth)) for girth in (0.8, 1.4))
    assert max(slim.report["arms_inside_percent"].values()) < 5.0
    assert not slim.report["findings"]
    assert max(stout.report["arms_inside_percent"].values()) > 20.0
    (finding,) = stout.report["findings"]
    assert finding["code"] == "retarget.arms-inside"
    assert "reenact adapt" in finding["message"]
