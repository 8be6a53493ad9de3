"""Clean-up beyond still feet: bodies at rest over their feet, legs that do not run through each other."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import reenact
from reenact.blend.clean import CleanParameters, clean
from reenact.cli.main import main
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.foot_plants import Floor, FootContact, FootPlants, intervals_of
from reenact.core.made import Made
from reenact.core.ramps import bump
from reenact.errors import ParameterError, SkeletonError
from reenact.formats.plants_text import write_plants
from reenact.loading import LoadOptions
from reenact.samples import make_sample
from reenact.solve.balancing import body_scale
from reenact.solve.feet import find_feet
from reenact.solve.holding import hold_foot
from reenact.solve.joint_pushes import around, joint_pushes, usual_pushes
from reenact.solve.placing import place_feet
from reenact.solve.planted_points import measure_slips
from reenact.solve.stances import HoldParameters

BALANCED, APART = CleanParameters(balance=0.03), CleanParameters(apart=True)


@cache
def sample(name: str, fps: float = 60.0) -> tuple[Clip, FootPlants]:
    """A sample and its plants from the plan."""
    made = make_sample(name, fps)
    feet = [FootContact(foot.heel, foot.ball) for foot in (made.truth.left, made.truth.right)]
    return made.clip, FootPlants(feet[0], feet[1], fps, Floor(), "plan")


def leaning(name: str, shift: tuple[float, float, float]) -> tuple[Clip, FootPlants]:
    """A sample whose body is shifted over feet that stay where they are."""
    clip, plants = sample(name)
    world = clip.world(np.float64)
    feet = find_feet(clip.skeleton, clip)
    holds = [hold_foot(world, foot, plants.foot(foot.side), clip.fps, HoldParameters()) for foot in feet]
    return place_feet(clip, world, holds, most=0.1, offset=np.tile(shift, (len(clip), 1))).clip, plants


def led_through(name: str, side: str, shift: tuple[float, float, float]) -> tuple[Clip, FootPlants, slice]:
    """A sample one of whose feet is led aside in its third step, and the frames of that step."""
    clip, plants = sample(name)
    world = clip.world(np.float64)
    start, end = intervals_of(~plants.foot(side).plant)[2]
    path = np.zeros((len(clip), 3))
    path[start:end] = bump((np.arange(start, end) - start + 1) / (end - start + 1))[:, None] * np.array(shift)
    holds = []
    for foot in find_feet(clip.skeleton, clip):
        hold = hold_foot(world, foot, plants.foot(foot.side), clip.fps, HoldParameters())
        if foot.side == side:
            hold = replace(hold, shift=hold.shift + path, active=hold.active | np.any(path != 0.0, axis=1))
        holds.append(hold)
    return place_feet(clip, world, holds, most=0.0).clip, plants, slice(start, end)


def hardest(source: Clip, made: Made) -> float:
    """The hardest push of a joint as a multiple of the same joint's hardest before; where that has a glitch, of the glitch."""
    allowed = np.maximum(usual_pushes([source]), around(joint_pushes(source)))
    return float((joint_pushes(made.clip) / allowed).max())


def slip(clip: Clip, plants: FootPlants) -> float:
    """Millimetres the worst planted point slips."""
    return max((one["slip_mm"] for one in measure_slips(clip, plants)), default=0.0)


def ankles(clip: Clip, side: str) -> Float:
    return clip.world(np.float64).positions[:, clip.skeleton.roles[f"{side}_foot"]]


def test_too_long_a_shift_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"balance must be 0 to 0\.03"):
        CleanParameters(balance=0.05)
    with pytest.raises(ParameterError, match=r"balance must be 0 to 0\.03"):
        CleanParameters(balance=-0.01)


def test_a_body_without_arms_has_no_balance_to_mend() -> None:
    clip, plants = sample("stand")
    armless = {role: joint for role, joint in clip.skeleton.roles.items() if "arm" not in role and "hand" not in role}
    other = clip.with_skeleton(clip.skeleton.with_roles(armless))
    assert clean(other, None, plants).report["balance"] is None
    with pytest.raises(SkeletonError, match="left_upper_arm"):
        clean(other, BALANCED, plants)


def test_one_leg_does_not_overlap() -> None:
    clip, plants = sample("walk_normal")
    roles = {role: joint for role, joint in clip.skeleton.roles.items() if not role.startswith("right_")}
    other = clip.with_skeleton(clip.skeleton.with_roles(roles))
    made = clean(other, APART, plants)
    assert made.report["overlap"] is None
    np.testing.assert_array_equal(made.clip.rotations, clip.rotations)


def test_every_frame_is_reported() -> None:
    clip, plants = leaning("stand", (0.0, 0.0, -0.2))
    report = clean(clip, None, plants).report
    balance, overlap = report["balance"], report["overlap"]
    assert len(balance["distance_mm"]) == len(overlap["distance_mm"]) == len(clip)
    assert max(balance["distance_mm"]) == balance["worst_mm"]["after"] == balance["worst_mm"]["before"] > 30
    assert balance["out_s"]["before"] == balance["rest_s"] == clip.seconds
    assert min(overlap["distance_mm"]) == overlap["least_mm"]["after"] > 50
    upright = clean(*sample("stand")[:1], None, plants).report["balance"]
    assert upright["worst_mm"]["before"] < -50
    assert upright["out_s"]["before"] == 0.0
    flying = clean(sample("jump_up")[0], None, sample("jump_up")[1]).report["balance"]
    assert None in flying["distance_mm"]


@pytest.mark.parametrize(
    ("name", "shift", "nearer"),
    [
        ("stand", (0.0, 0.0, -0.2), 20.0),
        ("wave_standing", (0.0, 0.0, -0.2), 20.0),
        ("stand_shift", (0.12, 0.0, 0.0), 11.6),
        ("kick_left", (0.05, 0.0, 0.0), 8.0),
    ],
)
def test_a_body_at_rest_is_pulled_over_its_feet(name: str, shift: tuple[float, float, float], nearer: float) -> None:
    clip, plants = leaning(name, shift)
    plain, made = clean(clip, None, plants), clean(clip, BALANCED, plants)
    before, after = plain.report["balance"], made.report["balance"]
    assert before["worst_mm"]["after"] > 10
    assert after["worst_mm"]["after"] < before["worst_mm"]["after"] - nearer
    assert after["out_s"]["after"] < before["out_s"]["after"]
    moved = made.clip.root.astype(np.float64) - plain.clip.root
    assert 0.015 < np.linalg.norm(moved[:, [0, 2]], axis=1).max() < 0.031
    assert after["shift_mm"] <= 30.0
    assert hardest(clip, made) <= 1.2
    assert slip(made.clip, plants) <= slip(plain.clip, plants) + 0.1
    for side in ("left", "right"):
        down = plants.foot(side).plant
        assert np.abs(ankles(made.clip, side) - ankles(plain.clip, side))[down].max() < 0.0005


def test_the_shift_is_no_longer_than_asked() -> None:
    clip, plants = leaning("stand", (0.0, 0.0, -0.2))
    made = clean(clip, CleanParameters(balance=0.01), plants)
    moved = np.linalg.norm((made.clip.root.astype(np.float64) - clip.root)[:, [0, 2]], axis=1)
    assert 0.009 < moved.max() < 0.0105


@pytest.mark.parametrize("name", ["walk_normal", "sneak", "run", "walk_backwards_slow"])
def test_what_moves_falls_from_foot_to_foot_and_is_left_alone(name: str) -> None:
    clip, plants = sample(name)
    made = clean(clip, BALANCED, plants)
    assert max(one for one in made.report["balance"]["distance_mm"] if one is not None) > 3
    assert made.report["balance"]["rest_s"] == made.report["balance"]["shift_mm"] == 0.0
    np.testing.assert_array_equal(made.clip.root, clean(clip, None, plants).clip.root)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("name", ["walk_normal", "sneak", "run", "walk_backwards_normal"])
def test_a_foot_led_through_the_other_goes_round_it(name: str, side: str) -> None:
    clip, plants, step = led_through(name, side, (-0.12 if side == "left" else 0.12, 0.0, 0.0))
    plain, made = clean(clip, None, plants), clean(clip, APART, plants)
    before, after = plain.report["overlap"], made.report["overlap"]
    assert before["least_mm"]["after"] < -40
    assert before["overlapping"]["after"] == sum(end - start for start, end in before["frames"]) >= 3
    assert after["overlapping"]["after"] == 0
    assert after["frames"] == []
    assert 0.0 <= after["least_mm"]["after"] < 6.0  # no more than needed
    assert hardest(clip, made) <= 1.2
    away = np.abs(ankles(made.clip, side) - ankles(plain.clip, side)).max(axis=1)
    assert away[step].max() > 0.04
    other = "right" if side == "left" else "left"
    for foot in (side, other):
        down = plants.foot(foot).plant
        assert np.abs(ankles(made.clip, foot) - ankles(plain.clip, foot))[down].max() < 0.0005
    assert slip(made.clip, plants) <= slip(plain.clip, plants) + 0.1


@pytest.mark.parametrize("name", ["walk_normal", "sneak"])
def test_legs_crossed_far_are_not_uncrossed(name: str) -> None:
    clip, plants, _ = led_through(name, "left", (-0.22, 0.0, 0.0))
    plain, made = clean(clip, None, plants), clean(clip, APART, plants)
    assert plain.report["overlap"]["overlapping"]["after"] >= 5
    assert made.report["overlap"]["push_mm"] < 141 * body_scale(clip.skeleton)
    assert hardest(clip, made) <= 1.2


@pytest.mark.parametrize("name", ["walk_circle_tight_left", "walk_circle_tight_right"])
def test_a_tight_circle_does_not_cross_its_own_feet(name: str) -> None:
    clip, plants = sample(name)
    made = clean(clip, APART, plants)
    assert made.report["overlap"]["overlapping"]["before"] >= 25
    assert made.report["overlap"]["overlapping"]["after"] == 0
    assert hardest(clip, made) <= 1.2


def test_planted_feet_in_each_other_are_reported_and_stay() -> None:
    clip, plants = sample("stand")
    world = clip.world(np.float64)
    holds = []
    for foot in find_feet(clip.skeleton, clip):
        hold = hold_foot(world, foot, plants.foot(foot.side), clip.fps, HoldParameters())
        inwards = -0.07 if foot.side == "left" else 0.07
        holds.append(replace(hold, shift=hold.shift + (inwards, 0.0, 0.0), active=np.ones_like(hold.active)))
    narrow = place_feet(clip, world, holds, most=0.0).clip
    made = clean(narrow, APART, plants)
    overlap = made.report["overlap"]
    assert overlap["overlapping"]["after"] == overlap["both_planted"] == len(clip)
    assert overlap["push_mm"] == 0.0
    np.testing.assert_array_equal(made.clip.rotations, clean(narrow, None, plants).clip.rotations)


def test_without_overlap_nothing_is_pushed() -> None:
    clip, plants = sample("walk_normal")
    made = clean(clip, CleanParameters(apart=True, balance=0.03), plants)
    np.testing.assert_array_equal(made.clip.rotations, clean(clip, None, plants).clip.rotations)


@pytest.mark.parametrize("name", ["03_01", "05_16", "82_12", "83_28", "74_14"])
def test_recordings(corpus: Path, name: str) -> None:
    clip = reenact.load(corpus / "cmu-bvh" / f"{name}.bvh", LoadOptions(fps="auto"))
    plain, made = clean(clip), clean(clip, CleanParameters(apart=True, balance=0.03))
    before, after = plain.report, made.report
    assert before["overlap"]["overlapping"]["after"] > 10 or before["balance"]["out_s"]["after"] > 0.5
    assert after["overlap"]["overlapping"]["after"] == 0
    assert after["balance"]["out_s"]["after"] < 0.2
    assert hardest(clip, made) <= max(1.2, 1.02 * hardest(clip, plain))
    assert after["quality"]["slip_mm"] <= before["quality"]["slip_mm"] + 0.1


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clip, plants, _ = led_through("walk_normal", "left", (-0.12, 0.0, 0.0))
    source, out, file = tmp_path / "through.bvh", tmp_path / "apart.bvh", tmp_path / "plants.txt"
    reenact.save(clip, source)
    write_plants(plants, file)
    asked = ["clean", str(source), "-o", str(out), "--plants", str(file)]
    assert main([*asked, "--apart", "--balance", "0.02", "--json"]) == 0
    overlap = json.loads(capsys.readouterr().out)["report"]["overlap"]
    assert overlap["overlapping"]["before"] > overlap["overlapping"]["after"] == 0
    assert main([*asked, "--balance", "0.2", "--json"]) == 2
    assert "balance must be 0 to 0.03" in json.loads(capsys.readouterr().out)["error"]["message"]
    assert main(asked) == 0
    assert "overlap: least_mm (before -" in capsys.readouterr().out
