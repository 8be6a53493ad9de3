"""Blends of motions that look too unlike for the gate: their measured quality decides, and what was tried is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from reenact.blend import trial
from reenact.blend.blend import BlendParameters, blend
from reenact.blend.common_parts import SHORTEST
from reenact.blend.registration import register
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.errors import ParameterError
from reenact.solve.result_quality import LIMITS

Find = Callable[[str], Clip]
STRICT = BlendParameters(most_q=0.01, most_q_in_step=0.01, near=0.0)
"""Limits that two plain walks are above."""


@pytest.fixture
def walks(sample: Find) -> list[Clip]:
    return [cut_frames(sample(name), 0, 300) for name in ("walk_normal", "walk_brisk")]


def test_what_blends_well_is_let_through_and_both_are_said(walks: list[Clip]) -> None:
    with pytest.raises(ParameterError, match="above the limit most_q"):
        blend(walks, replace(STRICT, gate="refuse"))
    report = blend(walks, STRICT).report
    assert report["verdict"] == "doubtful"
    assert "above the limit most_q" in report["reasons"][0]
    assert "tried out, and is good" in report["reasons"][-1]
    assert report["part"].startswith("only a part of these motions is used")
    assert report["doubts"] == []


def test_a_blend_that_is_not_good_is_refused_with_its_worst_figure(
    walks: list[Clip], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same motions, but nothing would be good enough: what is measured decides, not what was promised."""
    monkeypatch.setattr(trial, "_GOOD", 1e-6)
    with pytest.raises(
        ParameterError,
        match=r"above the limit most_q.* parts .*, and none is good: of the best, \w+ is [\d.]+, good is",
    ):
        blend(walks, STRICT)


def test_a_blend_over_a_limit_is_refused_however_its_figures_look(
    walks: list[Clip], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A doubt that no figure tells, such as of the second opinion, counts."""
    found = []

    def doubted(make):
        def made(curve):
            one = make(curve)
            found.append(one)
            return replace(one, report={**one.report, "doubts": ["a foot floats"]})

        return made

    own = trial.blend_what_holds
    monkeypatch.setattr(
        "reenact.blend.blend.blend_what_holds", lambda curve, parameters, make: own(curve, parameters, doubted(make))
    )
    with pytest.raises(ParameterError, match="none is good: of the best, a foot floats"):
        blend(walks, STRICT)
    assert len(found) > 1


def test_other_limits_are_no_matter_of_looks(walks: list[Clip]) -> None:
    """An arm held away for a while is another thing done; no figure of a blend tells."""
    arm = walks[1].skeleton.roles["left_upper_arm"]
    turned = walks[1].rotations.astype(np.float64)
    lift = R.exp(np.array([0.0, 0.0, 1.2]))
    turned[:, arm] = R.multiply(np.broadcast_to(lift, turned[:, arm].shape), turned[:, arm])
    other = replace(walks[1], rotations=turned.astype(np.float32))
    strict = replace(STRICT, most_stretch=0.1)
    with pytest.raises(ParameterError, match=r"most_stretch=0\.1") as caught:
        blend([walks[0], other], strict)
    assert "none is good" not in str(caught.value)  # nothing was tried


def test_nothing_is_tried_where_all_of_both_was_asked_for(walks: list[Clip]) -> None:
    with pytest.raises(ParameterError, match="above the limit most_q"):
        blend(walks, replace(STRICT, trim="off"))


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("20_06", "77_34"),  # a march x a creep
        ("16_24", "77_19"),  # a walk x a limp
        ("83_40", "90_05"),  # a hop x a jump kick
        ("16_44", "128_09"),  # a run x the way up to a roll
    ],
)
def test_recordings_that_look_otherwise_but_blend_well(recording: Find, a: str, b: str) -> None:
    clips = [recording(a), recording(b)]
    with pytest.raises(ParameterError, match="do not correspond"):
        register(clips)
    made = blend(clips)
    quality = made.report["quality"]
    assert all(quality[name] <= good for name, (good, _, _) in LIMITS.items())
    assert made.report["doubts"] == []
    lengths = [(end - start) / made.clip.fps for start, end in made.report["ranges"]]
    assert np.mean(lengths) >= SHORTEST


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("69_20", "141_33", "most_astray"),  # forward x sideways
        ("16_14", "141_31", "most_astray"),  # forward x backward
        ("69_50", "69_01", "most_astray"),
        ("118_09", "131_07", "most_stretch"),  # a jump x one that stops
    ],
)
def test_recordings_that_do_other_things_stay_refused(recording: Find, a: str, b: str, said: str) -> None:
    with pytest.raises(ParameterError, match=f"above the limit {said}"):
        blend([recording(a), recording(b)])


@pytest.mark.corpus
def test_the_flight_of_a_run_is_no_leap(recording: Find) -> None:
    """A jog that rises by 8 cm and a jump by 29 cm: both leave the floor, and a blend of that is smooth and stands still."""
    with pytest.raises(ParameterError, match="above the limit most_q"):
        blend([recording("104_04"), recording("13_11")])


@pytest.mark.corpus
def test_what_was_tried_in_vain_is_said(recording: Find) -> None:
    with pytest.raises(
        ParameterError,
        match=r"\d parts that go the same way were blended all the same, and none is good: of the best, ",
    ):
        blend([recording("127_05"), recording("128_03")])


@pytest.mark.corpus
@pytest.mark.parametrize(("first", "second"), [("35_01", "35_03"), ("16_12", "16_13"), ("16_18", "16_11")])
def test_a_swing_that_one_motion_begins_with_does_not_whip(recording: Find, first: str, second: str) -> None:
    """One walk began in a stance and the other in a swing: a foot swung at 5 m/s, or the hips hurried."""
    clips = [recording(first), recording(second)]
    whole = blend(clips, BlendParameters(trim="off", gate="warn")).report["quality"]
    made = blend(clips)
    quality = made.report["quality"]
    worst = [
        max(one[name] / LIMITS[name][0] for name in ("whips_ms", "hurry_ms", "sinks_mm")) for one in (whole, quality)
    ]
    assert worst[0] > 1 >= worst[1]
    assert made.report["part"].startswith("from step to step; with what is around them, ")
    assert not made.report["doubts"]
    assert min(quality["played"]) > 0.75


@pytest.mark.corpus
def test_a_blend_that_steps_do_not_mend_stays_whole(recording: Find) -> None:
    """A blend that is good already, and one whose steps alone are no better."""
    for first, second in (("16_15", "16_31"), ("83_61", "143_06")):
        assert "step to step" not in blend([recording(first), recording(second)]).report.get("part", "")
