"""Cutting motions to equal steps: which steps, how many, and what is said when there are none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from reenact.analysis.plants import detect_plants
from reenact.blend.preparing import bring_together
from reenact.blend.registration import RegistrationParameters, register
from reenact.blend.registration_quality import count_strikes, steps_correspond
from reenact.blend.trimming import Strike, find_strikes, match_steps
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import FootContact, FootPlants, mask_of
from reenact.errors import ParameterError

Find = Callable[[str], Clip]


def plants_of(left: list[tuple[int, int]], right: list[tuple[int, int]], frames: int = 200) -> FootPlants:
    feet = [mask_of(intervals, frames) for intervals in (left, right)]
    return FootPlants(FootContact(feet[0], feet[0]), FootContact(feet[1], feet[1]), 120.0)


def feet_of(plants: FootPlants, start: int, end: int) -> str:
    return "".join(s.side[0] for s in find_strikes(plants.cut(start, end)))


def test_strikes_are_beginnings_of_plants() -> None:
    plants = plants_of([(0, 20), (60, 90), (150, 200)], [(10, 70), (85, 160)])
    assert find_strikes(plants) == [
        Strike(10, "right"),
        Strike(60, "left"),
        Strike(85, "right"),
        Strike(150, "left"),
    ]
    assert count_strikes(plants) == 4
    assert count_strikes(plants, 60, 151) == 2


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("names", "steps"), [(("07_01", "16_15"), 3), (("07_01", "77_28"), 3), (("16_11", "16_13"), 5), (("07_01", "08_01"), 3)]
)  # fmt: skip
def test_walks_of_different_step_counts(recording: Find, names: tuple[str, str], steps: int) -> None:
    clips = [recording(name) for name in names]
    if names[1] == "77_28":
        clips[1] = cut_frames(clips[1], 2320, 2917)
    clips, plants = bring_together(clips)
    match = match_steps(clips, plants)
    assert match.steps == steps
    assert match.q < 0.5
    feet = [feet_of(p, *kept) for p, kept in zip(plants, match.ranges, strict=True) if p is not None]
    assert feet[0] == feet[1]
    assert len(feet[0]) in (steps + 1, steps)  # a cut that begins with a strike has the foot standing already
    for clip, (start, end) in zip(clips, match.ranges, strict=True):
        assert 0 <= start < end <= len(clip)
    curve = register(clips, RegistrationParameters(trim="steps"), plants)
    assert curve.ranges == match.ranges
    assert curve.quality.q == pytest.approx(match.q, abs=0.03)
    assert [len(clip) for clip in curve.clips] == [end - start for start, end in match.ranges]
    assert any(f.code == "registration.trimmed" and f"cut to {steps} steps" in f.message for f in curve.findings)


@pytest.mark.corpus
def test_no_other_choice_of_steps_is_better(recording: Find) -> None:
    clips = [recording("07_01"), recording("16_15")]
    plants = [detect_plants(clip) for clip in clips]
    match = match_steps(clips, plants)
    strikes = find_strikes(plants[1])
    begin, end = match.ranges[1]
    first = next(n for n, strike in enumerate(strikes) if strike.frame >= begin and strike.side == match.first)
    for other in range(len(strikes) - match.steps):
        if strikes[other].side != match.first or other == first:
            continue
        shift = strikes[other].frame - strikes[first].frame
        kept = max(begin + shift, 0), min(end + shift, len(clips[1]))
        moved = [clips[0], cut_frames(clips[1], *kept)]
        assert register(moved, RegistrationParameters(trim="off", gate="off")).quality.q >= match.q - 0.02


@pytest.mark.corpus
@pytest.mark.parametrize("names", [("16_15", "16_35"), ("02_01", "02_03"), ("07_01", "09_01")])
def test_walks_and_runs_can_be_registered(recording: Find, names: tuple[str, str]) -> None:
    clips = [recording(name) for name in names]
    whole = register(clips, RegistrationParameters(trim="off", gate="off"))
    curve = register(clips)
    assert curve.quality.q < whole.quality.q
    assert curve.quality.verdict == "doubtful"
    said = "; ".join(curve.quality.reasons)
    assert "posture and speed" in said
    assert "they take the same steps with the same feet" in said
    assert steps_correspond(curve.plants[0], curve.plants[1], curve.frames)
    sides = [[s.side for s in find_strikes(p)] for p in curve.plants if p is not None]
    assert sides[0] == sides[1]


@pytest.mark.corpus
def test_motions_that_correspond_are_left_whole(recording: Find) -> None:
    clips = [recording("16_15"), recording("16_17")]
    curve = register(clips, RegistrationParameters(trim="needed"))
    assert curve.quality.verdict == "good"
    assert curve.ranges == tuple((0, len(clip)) for clip in clips)
    assert not any(f.code == "registration.trimmed" for f in curve.findings)


@pytest.mark.corpus
def test_other_numbers_of_steps_are_cut_to_equal_ones(recording: Find) -> None:
    clips = [recording("16_11"), recording("16_13")]
    whole = register(clips, RegistrationParameters(trim="off"))
    assert any("steps in" in reason for reason in whole.quality.reasons)
    curve = register(clips)
    assert any(f.code == "registration.trimmed" for f in curve.findings)
    assert not any("steps in" in reason for reason in curve.quality.reasons)
    assert curve.quality.q < whole.quality.q


@pytest.mark.corpus
def test_three_gaits(recording: Find) -> None:
    clips = [recording(name) for name in ("07_01", "16_15", "16_11")]
    plants = [detect_plants(clip) for clip in clips]
    match = match_steps(clips, plants)
    feet = {feet_of(p, *kept) for p, kept in zip(plants, match.ranges, strict=True)}
    assert len(feet) == 1
    assert match.q < 0.6
    assert register(clips, RegistrationParameters(trim="steps"), plants).quality.verdict == "good"


def test_what_can_not_be_matched_is_told(sample: Find) -> None:
    walk, stand = cut_frames(sample("walk_normal"), 0, 200), cut_frames(sample("stand"), 0, 100)
    walking = detect_plants(walk)
    with pytest.raises(ParameterError, match=r"stand.*: a foot strikes the floor 0 times; matching steps needs two"):
        match_steps([walk, stand], [walking, detect_plants(stand)])
    with pytest.raises(ParameterError, match="without foot plants"):
        match_steps([walk, walk], [walking, None])
    hops = plants_of([(20, 40), (60, 80), (100, 120)], [], 200)
    steps = plants_of([(20, 60), (100, 140)], [(55, 105), (130, 180)], 200)
    with pytest.raises(ParameterError, match=r"no steps with the same feet .* LLL, .* LRLR"):
        match_steps([walk, walk], [hops, steps])


def test_infeasible_lengths_are_cut_to_steps(sample: Find) -> None:
    walk = sample("walk_normal")
    plants = detect_plants(walk)
    strikes = find_strikes(plants)
    end = strikes[3].frame + 2
    short, few = cut_frames(walk, 0, end), plants.cut(0, end)
    curve = register([walk, short], None, [plants, few])
    assert curve.quality.q < 0.3
    assert np.ptp([len(clip) for clip in curve.clips]) < 0.3 * end
    with pytest.raises(ParameterError, match="the smallest limit that can is"):
        register([walk, cut_frames(sample("stand"), 0, 24)])


def test_little_is_not_cut_out_of_much_unasked(sample: Find) -> None:
    clips = [cut_frames(sample(name), 0, 200) for name in ("walk_normal", "sneak")]
    plants = [  # the first step is the same, then one hops on the left foot, the other on the right
        plants_of([(20, 40), (80, 90), (110, 120), (140, 150)], [(60, 70)]),
        plants_of([(20, 40)], [(60, 70), (80, 90), (110, 120), (140, 150)]),
    ]
    asked = register(clips, RegistrationParameters(trim="steps", gate="off"), plants)
    assert max(len(a) / len(b) for a, b in zip(asked.clips, clips, strict=True)) < 0.5
    curve = register(clips, RegistrationParameters(gate="off"), plants)
    assert curve.quality.verdict != "good"
    assert curve.ranges == ((0, 200), (0, 200))
    assert any(why.startswith("only 1 step with the same feet, 4") for why in curve.quality.reasons)
