"""The four cases of plants in a blend, and plants that contradict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from reenact.core.clip import Clip
from reenact.core.foot_plants import FootContact, FootPlants, mask_of
from reenact.core.placement import move_rigidly
from reenact.edit.transition import TransitionParameters, make_transition
from reenact.solve.feet import find_feet, track_foot
from reenact.solve.planted_points import measure_slips

Planted = Callable[[str], tuple[Clip, FootPlants]]


def only_left(plants: FootPlants, spans: list[tuple[int, int]]) -> FootPlants:
    """The plants with the left foot planted just there, heel and ball, and the right one free."""
    mask = mask_of(spans, len(plants))
    none = np.zeros(len(plants), bool)
    return replace(plants, left=FootContact(mask, mask), right=FootContact(none, none))


def lowest_planted(clip: Clip, plants: FootPlants) -> float:
    """Metres, the lowest that a planted heel or ball of the left foot lies."""
    world = clip.world(np.float64)
    track = next(track_foot(world, foot) for foot in find_feet(clip.skeleton, clip) if foot.side == "left")
    points = ((track.heel, plants.left.heel), (track.ball, plants.left.ball))
    return min(float(path[mask, 1].min()) for path, mask in points)


def rows(made) -> list[tuple[int, str, str]]:
    return [(row["case"], row["from"], row["answer"]) for row in made.report["feet"]["plants"] if row["foot"] == "left"]


CASES = {
    1: ([(150, 195)], []),
    2: ([], [(110, 160)]),
    3: ([(185, 195)], []),
}


@pytest.mark.parametrize("case", CASES)
def test_cases_one_to_three(planted: Planted, case: int) -> None:
    """The window is frames 180 to 220 of the first clip and 80 to 120 of the second."""
    clip, plants = planted("walk_normal")
    a, b = (only_left(plants, spans) for spans in CASES[case])
    asked = TransitionParameters(at=200, into=100, window=40 / 60)
    made = make_transition(
        clip, planted("walk_brisk")[0], asked, a, only_left(planted("walk_brisk")[1], CASES[case][1])
    )
    assert [row[:2] for row in rows(made)] == [(case, "b" if case == 2 else "a")]
    slips = measure_slips(made.clip, made.plants, 180, 221)
    assert slips
    assert max(slip["slip_mm"] for slip in slips) <= 5.0
    assert max(slip["step_mm"] for slip in slips) <= 2.0
    free = make_transition(clip, planted("walk_brisk")[0], replace(asked, feet="free"), a, b)
    # case 3 is a foot in mid-swing declared planted: it is pitched, and its heel and ball cannot both be on the floor
    assert lowest_planted(made.clip, made.plants) > (-0.055 if case == 3 else -0.005)
    before = measure_slips(free.clip, made.plants, 180, 221)
    most = max(slip["slip_mm"] for slip in slips)
    # case 2 is a foot in mid-swing declared planted: out of reach for most of it, and cut short to what can be held
    assert max(slip["slip_mm"] for slip in before) > 3 * most or (case == 2 and most == 0.0)


def standing(planted: Planted, apart: float) -> tuple[Clip, FootPlants, Clip, FootPlants]:
    """Two stands; the second has its left foot's leg moved aside by leading the whole body, its plants all the time."""
    a, plants_a = planted("stand")
    b, plants_b = planted("stand_shift")
    return a, plants_a, move_rigidly(b, (apart, 0.0, 0.0)), plants_b


def test_contradicting_plants_near_each_other_become_one(planted: Planted) -> None:
    a, plants_a, b, plants_b = standing(planted, 2.0)
    made = make_transition(a, b, TransitionParameters(at=200, into=200), plants_a, plants_b)
    assert {row[2] for row in rows(made)} == {"hold"}
    assert made.report["slip_mm"] <= 5.0
    assert made.report["moved"]["metres"] < 0.2


def test_contradicting_plants_far_apart_make_a_step(planted: Planted) -> None:
    """A walker's long stance against a stand: one foot steps over, lifts, and nothing slips."""
    a, plants_a = planted("stand")
    b, plants_b = planted("sit_down")
    wide = replace(TransitionParameters(at=200, into=200, window=1.2), absorb=False, near=0.0)
    made = make_transition(a, b, wide, plants_a, plants_b)
    answers = {row["answer"] for row in made.report["feet"]["plants"]}
    assert answers <= {"step", "hold", ""}
    assert made.report["slip_mm"] <= 5.0
    slipped = make_transition(a, b, replace(wide, contradiction="slip"), plants_a, plants_b)
    assert {row["answer"] for row in slipped.report["feet"]["plants"]} == {"slip"}


def test_steps_of_both_feet_do_not_happen_at_once(planted: Planted) -> None:
    a, plants_a = planted("stand")
    b, plants_b = planted("carry_standing")
    asked = TransitionParameters(at=200, into=120, window=1.2, contradiction="step", absorb=False)
    made = make_transition(a, b, asked, plants_a, plants_b)
    start, end = made.report["window_frames"]
    flight = ~(made.plants.left.plant | made.plants.right.plant)[start:end]
    assert not flight.any()
    assert made.report["slip_mm"] <= 5.0
