"""Blends that begin or end in mid-step say so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.blend.blend import BlendParameters, blend
from reenact.blend.cut_steps import describe_cut_steps
from reenact.core.foot_plants import FootContact, FootPlants


def planted(left: list[bool], right: list[bool]) -> FootPlants:
    feet = [FootContact(np.array(foot), np.array(foot)) for foot in (left, right)]
    return FootPlants(feet[0], feet[1], 60.0)


WHOLE, CUT = [(0, 100), (0, 90)], [(20, 80), (20, 70)]
LENGTHS = [100, 90]


def test_whole_motions_begin_and_end_as_recorded() -> None:
    assert describe_cut_steps(planted([False, False], [True, False]), WHOLE, LENGTHS, 60.0) == ""
    assert describe_cut_steps(None, CUT, LENGTHS, 60.0) == ""


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ([True, True], [True, True], []),
        ([False, True], [True, True], ["begins in mid-step (the left foot is in the air)"]),
        ([True, True], [True, False], ["ends in mid-step (the right foot is in the air)"]),
        (
            [True, False],
            [False, False],
            ["begins in mid-step (the right", "ends in mid-step (both feet are in the air)"],
        ),
    ],
)
def test_the_foot_in_the_air_is_named(left: list[bool], right: list[bool], said: list[str]) -> None:
    found = describe_cut_steps(planted(left, right), CUT, LENGTHS, 60.0)
    assert bool(found) == bool(said)
    assert all(one in found for one in said)


def test_one_motion_that_is_over_there_has_no_step_to_finish() -> None:
    ends = [(0, 80), (0, 88)]  # the second has two frames left
    assert describe_cut_steps(planted([True, False], [True, True]), ends, LENGTHS, 60.0) == ""


def test_clips_that_are_blended_whole_say_nothing(sample) -> None:
    clips = [sample("walk_normal"), replace(sample("walk_normal"), name="again")]
    assert "mid_step" not in blend(clips, BlendParameters(trim="off")).report


@pytest.mark.corpus
@pytest.mark.parametrize(("first", "second"), [("82_12", "138_07"), ("16_07", "118_03")])
def test_a_blend_of_parts_says_where_a_foot_is_in_the_air(recording, first: str, second: str) -> None:
    """Both motions go on beyond the part that they have in common."""
    made = blend([recording(first), recording(second)])
    assert made.plants is not None
    said = made.report.get("mid_step", "")
    for side in ("left", "right"):
        alone = (
            not made.plants.foot(side).plant[-1]
            and made.plants.foot({"left": "right", "right": "left"}[side]).plant[-1]
        )
        assert (f"ends in mid-step (the {side} foot" in said) == alone
    assert ("ends in" in said) != made.plants.left.plant[-1] & made.plants.right.plant[-1]
