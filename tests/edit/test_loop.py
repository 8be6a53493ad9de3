"""Loops: the right period, a seam that cannot be seen, the way of one cycle again and again."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.cutting import CutParameters, concatenate, cut
from reenact.core.foot_plants import FootPlants
from reenact.core.placement import MoveParameters, find_headings, headings, move, placement_of
from reenact.edit.cycles import CycleParameters, find_cycles
from reenact.edit.loop import LoopParameters, loop, make_loop
from reenact.edit.loop_delivery import step_ratio
from reenact.errors import ParameterError
from reenact.samples import make_sample
from reenact.solve.joint_pushes import joint_accelerations
from reenact.solve.limb import limb_of
from reenact.solve.result_quality import LIMITS

Planted = Callable[[str], tuple[Clip, FootPlants]]


def test_bad_input_is_named(planted: Planted) -> None:
    walk, plants = planted("walk_normal")
    with pytest.raises(ParameterError, match="too short for one"):
        make_loop(cut(walk, CutParameters(0, 15)), None, plants.cut(0, 15))
    with pytest.raises(ParameterError, match="end 500 is not a frame of 'walk_normal', which has frames 0 to 419"):
        make_loop(walk, LoopParameters(start=10, end=500), plants)
    with pytest.raises(ParameterError, match="give both start and end"):
        LoopParameters(start=3)
    with pytest.raises(ParameterError, match="at least 3 frames, not 1"):
        LoopParameters(start=3, end=4)
    with pytest.raises(ParameterError, match="count must be 1 to 100000, not 0"):
        LoopParameters(count=0)
    with pytest.raises(ParameterError, match="near 900 is not a frame"):
        make_loop(walk, LoopParameters(near=900), plants)
    with pytest.raises(ParameterError, match="nothing to loop"):
        loop([])


def test_a_motion_that_never_comes_back_has_no_cycle(planted: Planted) -> None:
    clip, _ = planted("stand")
    away = np.linspace(0, 2.5, len(clip))
    rotations = clip.rotations.copy()
    for role in ("spine", "left_upper_arm", "right_upper_leg"):
        joint = clip.skeleton.roles[role]
        rotations[:, joint] = R.multiply(
            rotations[:, joint].astype(np.float64), R.from_axis_angle(np.array([0.3, 1.0, 0.2]), away)
        )
    drifting = replace(clip, rotations=rotations)
    limit = CycleParameters(shortest=1.0, limit=0.05)
    assert find_cycles(drifting, limit) == []
    assert find_cycles(drifting) == []  # nor with the usual parameters
    with pytest.raises(
        ParameterError, match="no cycle of 1 s or more found: its pose goes on changing and never comes"
    ):
        make_loop(drifting, LoopParameters(shortest=1.0, limit=0.05, feet="free"))


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["05_03", "16_51", "78_04", "127_09"])
def test_recordings_that_never_come_back_have_no_cycle(recorded: Planted, name: str) -> None:
    """A dance turn, a run round a corner and others, with the usual parameters; the error says how near they come."""
    clip, plants = recorded(name)
    assert find_cycles(clip, None, plants) == []
    with pytest.raises(
        ParameterError, match=r"comes back to within 0\.\d+ m at best \(frames \d+ and \d+\), the limit is 0.08 m"
    ) as refused:
        make_loop(clip, None, plants)
    assert float(str(refused.value).split("within ")[1].split(" m")[0]) > 0.08


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["127_21", "141_14", "93_06", "10_03"])
def test_a_refusal_does_not_contradict_its_figure(recorded: Planted, name: str) -> None:
    """Slow changes are within the limit of themselves a little later; they are no cycle, so they are not what comes nearest to one."""
    clip, plants = recorded(name)
    with pytest.raises(ParameterError) as refused:
        make_loop(clip, LoopParameters(beyond=0.0), plants)
    said, limit = re.findall(r"(\d\.\d+) m", str(refused.value))
    assert float(said) > float(limit)


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["69_06", "69_20", "39_11", "16_17", "83_36"])
def test_a_walk_with_a_turn_loops_the_walk(recorded: Planted, name: str) -> None:
    """Corners, U-turns and pivots between straight steps: the steps are looped."""
    clip, plants = recorded(name)
    report = make_loop(clip, LoopParameters(count=2, straighten=0.0), plants).report
    assert abs(report["turn_degrees"]) / report["period_s"] < 30
    assert "unsteady" not in report


@pytest.mark.parametrize("way", ["stand", "turn"])
def test_steady_cycles_come_first(planted: Planted, way: str) -> None:
    """A long stand before a walk, and a walk with a sharp turn in it: what most of the clip does is looped first."""
    walk, _ = planted("walk_normal")
    if way == "stand":
        clip = concatenate([cut(planted("stand")[0], CutParameters(0, 150)), walk])
    else:
        stands = np.zeros(len(walk))
        stands[200:280] = np.radians(2.0)  # 160 degrees within 80 frames
        clip = turned_by(walk, np.cumsum(stands))
    cycles = find_cycles(clip)
    assert cycles[0].unsteady == ""
    period = cycles[0].end - cycles[0].start
    assert abs(period - np.median(np.diff(make_sample("walk_normal").truth.cycles))) <= 2
    assert abs(cycles[0].advance / (period / clip.fps) - 1.3) < 0.3
    assert abs(np.degrees(cycles[0].turn)) < 15
    order = [bool(cycle.unsteady) for cycle in cycles]
    assert order == sorted(order)


def turned_by(clip: Clip, angles: np.ndarray) -> Clip:
    """The clip walking round corners: steps and headings turned by angles (F,) about the vertical."""
    turns = R.about_y(angles)
    steps = np.diff(clip.root.astype(np.float64), axis=0, prepend=clip.root[:1].astype(np.float64))
    flat = R.rotate(turns, steps * (1.0, 0.0, 1.0))
    root = np.cumsum(flat, axis=0) + clip.root[0] * (1.0, 0.0, 1.0)
    root[:, 1] = clip.root[:, 1]
    rotations = clip.rotations.astype(np.float64)
    rotations[:, 0] = R.multiply(turns, rotations[:, 0])
    return replace(clip, root=root.astype(np.float32), rotations=rotations.astype(np.float32))


@pytest.mark.corpus
def test_an_unsteady_cycle_is_named(recorded: Planted) -> None:
    """A stand before a kick: nothing else comes back within the limit, and the report says that it is not like the rest."""
    clip, plants = recorded("10_01")
    report = make_loop(clip, LoopParameters(count=2), plants).report
    assert "the cycle travels at 0.0" in report["unsteady"]
    assert re.search(
        r"steady would be frames \d+ to \d+, which differ by 0\.\d+ m, more than the limit", report["unsteady"]
    )


def test_no_cycle_is_cut_where_a_recording_dropped_out(planted: Planted) -> None:
    """Frames that are repeated to the last digit are alike in their speed, which they do not have."""
    walk, plants = planted("walk_normal")
    period = int(np.median(np.diff(make_sample("walk_normal").truth.cycles)))
    order = np.arange(len(walk))
    for start in (120, 120 + period):
        order[start : start + 12] = start
    dropped = replace(walk, rotations=walk.rotations[order], root=walk.root[order])
    frozen = {frame for start in (120, 120 + period) for frame in range(start - 1, start + 13)}
    cycles = find_cycles(dropped, None, plants, most=50)
    assert cycles
    assert not frozen & {frame for cycle in cycles for frame in (cycle.start, cycle.end)}
    still = replace(
        walk, rotations=np.repeat(walk.rotations[:1], 200, axis=0), root=np.repeat(walk.root[:1], 200, axis=0)
    )
    assert find_cycles(still)  # all of it stands: that is meant


@pytest.mark.corpus
def test_a_recording_that_drops_out_loops_its_steps(recorded: Planted) -> None:
    clip, plants = recorded("93_08")
    report = make_loop(clip, None, plants).report
    assert not {report["start"], report["end"]} & ({*range(101, 118)} | {*range(379, 396)})
    assert report["quality"]["height_mm"] <= 6.0


def test_a_cycle_is_picked_by_its_number(planted: Planted) -> None:
    clip, plants = planted("walk_normal")
    cycles = find_cycles(clip, None, plants)
    assert len(cycles) > 2
    made = make_loop(clip, LoopParameters(count=2, pick=3), plants)
    assert (made.report["start"], made.report["end"]) == (cycles[2].start, cycles[2].end)
    with pytest.raises(ParameterError, match=r"there are only \d+ cycles, number 99 is not one of them"):
        make_loop(clip, LoopParameters(pick=99), plants)


@pytest.mark.parametrize("name", ["walk_normal", "walk_slow", "run", "march", "walk_circle_tight_right", "hop_left"])
def test_periods_of_samples_are_known(planted: Planted, name: str) -> None:
    clip, plants = planted(name)
    true = np.diff(make_sample(name).truth.cycles)
    found = find_cycles(clip, None, plants)[0]
    assert abs(found.end - found.start - np.median(true)) <= 1


@pytest.mark.parametrize("name", ["walk_normal", "run", "walk_circle_medium_left", "walk_backwards_slow"])
def test_twenty_cycles(planted: Planted, name: str) -> None:
    clip, plants = planted(name)
    made = make_loop(clip, LoopParameters(count=20), plants)
    period = made.report["end"] - made.report["start"]
    assert len(made.clip) == 20 * period == len(made.plants)
    # every cycle is the first one again, moved and turned as a whole
    local = made.clip.rotations[:, 1:].reshape(20, period, -1)
    assert np.abs(local - local[0]).max() < 1e-6
    stands = [placement_of(made.clip, k * period) for k in range(20)]
    ways = [np.hypot(*(np.array(b.position) - a.position)) for a, b in pairwise(stands)]
    np.testing.assert_allclose(ways, made.report["advance_m"], rtol=1e-3, atol=1e-4)
    turns = np.diff(np.unwrap([stand.heading for stand in stands]))
    np.testing.assert_allclose(np.degrees(turns), made.report["turn_degrees"], atol=0.05)
    if made.report["turn_degrees"] == 0.0:
        far = np.hypot(*(np.array(stands[-1].position) - stands[0].position))
        np.testing.assert_allclose(far, 19 * made.report["advance_m"], rtol=0.02)
    else:  # all on one circle
        points = np.array([stand.position for stand in stands])
        centre = np.linalg.lstsq(np.c_[2 * points, np.ones(20)], (points**2).sum(axis=1), rcond=None)[0][:2]
        radius = np.linalg.norm(points - centre, axis=1)
        assert np.ptp(radius) < 0.01 * radius.mean()
    most = joint_accelerations(clip).max()
    seams = [frame for k in range(1, 20) for frame in (k * period - 1, k * period, k * period + 1)]
    assert joint_accelerations(made.clip)[seams].max() <= 1.2 * most
    assert made.report["slip_mm"] <= 5.0


def bends_of(clip: Clip, role: str) -> np.ndarray:
    """(F,) degrees by which a limb is bent."""
    limb, places = limb_of(clip.skeleton, role), clip.world(np.float64).positions
    upper, lower = (R.normalize(places[:, b] - places[:, a]) for a, b in ((limb.root, limb.mid), (limb.mid, limb.end)))
    return np.degrees(np.arccos(np.clip(np.einsum("fi,fi->f", upper, lower), -1, 1)))


def changed_by(made, clip: Clip) -> np.ndarray:
    """(period, J - 1) degrees by which the joints below the root differ from the recorded cycle."""
    start, end = made.report["start"], made.report["end"]
    done = made.clip.rotations[: end - start, 1:].astype(np.float64)
    return np.degrees(R.angle_between(done, clip.rotations[start:end, 1:].astype(np.float64)))


def test_a_change_of_speed_at_the_seam_does_not_lead_limbs_away(planted: Planted) -> None:
    """A kick as one cycle of four seconds: its ends differ in speed, and what is changed for that stays small and near them."""
    clip, plants = planted("kick_right")
    asked = LoopParameters(count=2, start=20, end=260, feet="free")
    made = make_loop(clip, asked, plants)
    turned = changed_by(made, clip)
    gap = np.degrees(R.angle_between(*clip.rotations[[20, 260], 1:].astype(np.float64)))
    assert (turned.max(axis=0) < 0.5 * gap + 15.0).all()
    middle = turned[60:-60]
    assert (middle.max(axis=0) < 0.5 * gap + 0.5).all()
    seam = joint_accelerations(made.clip)[238:243].max()
    assert seam <= 1.2 * joint_accelerations(clip).max()
    # joints that stand still in the recording are pushed for that, and the report says so
    assert made.report["seam_acceleration_ratio"] > 1.5
    assert any("times as hard" in doubt for doubt in made.report["doubts"])


def test_a_stand_stays_where_it_is(planted: Planted) -> None:
    clip, plants = planted("stand_shift")
    made = make_loop(clip, LoopParameters(count=4), plants)
    assert made.report["advance_m"] == 0.0
    assert np.ptp(made.clip.root[:, [0, 2]], axis=0).max() < 0.3
    assert made.report["slip_mm"] <= 5.0


def test_in_place_takes_the_way_out(planted: Planted) -> None:
    clip, plants = planted("walk_normal")
    made = make_loop(clip, LoopParameters(count=5, in_place=True, feet="free"), plants)
    assert np.ptp(made.clip.root[:, [0, 2]], axis=0).max() < 0.2
    assert made.report["advance_m"] < 1e-6


def test_turns_are_kept_when_asked(planted: Planted) -> None:
    clip, plants = planted("walk_circle_wide_left")
    kept = make_loop(clip, LoopParameters(count=3, straighten=0.0), plants)
    straight = make_loop(clip, LoopParameters(count=3, straighten=1.0), plants)
    assert abs(kept.report["turn_degrees"]) > 5
    assert straight.report["turn_degrees"] == 0.0
    turned = np.degrees(np.ptp(headings(straight.clip)))
    assert turned < np.degrees(np.ptp(headings(kept.clip)))


def test_given_frames_and_blending_at_the_seam(planted: Planted) -> None:
    clip, plants = planted("walk_normal")
    cycle = find_cycles(clip, None, plants)[0]
    asked = LoopParameters(count=3, start=cycle.start, end=cycle.end, method="blend")
    made = make_loop(clip, asked, plants)
    assert len(made.clip) == 3 * (cycle.end - cycle.start)
    assert made.report["seam_acceleration_ratio"] <= 1.2


def test_a_cycle_near_a_frame(planted: Planted) -> None:
    clip, plants = planted("walk_normal")
    for near in (60, 250):
        cycle = find_cycles(clip, None, plants, near=near)[0]
        assert abs(cycle.start - near) <= 0.6 * (cycle.end - cycle.start)


def test_a_round_trip_through_two_clips(planted: Planted) -> None:
    clips = [planted("walk_normal")[0], planted("walk_brisk")[0]]
    made = loop(clips, LoopParameters(count=3))
    assert len(made.report["trip"]) == 2
    assert made.report["period_s"] > 0.6 * sum(clip.seconds for clip in clips)  # both play mostly
    assert made.report["seam_error_m"] < 0.005
    assert made.report["seam_acceleration_ratio"] <= 1.2
    assert made.report["slip_mm"] <= 5.0


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["11_01", "69_68", "93_03", "02_01", "16_15"])
def test_recordings_keep_their_look_in_a_loop(recorded: Planted, name: str) -> None:
    """Cycles up to 4.5 s long, and feet that are held: no limb swings far away from the recorded cycle, no knee is drawn up."""
    clip, plants = recorded(name)
    free, held = (make_loop(clip, LoopParameters(count=2, feet=feet, limit=0.12), plants) for feet in ("free", "hold"))
    assert changed_by(free, clip).mean() < 5
    assert changed_by(free, clip).max() < 30
    start, end = held.report["start"], held.report["end"]
    for role in ("left_leg", "right_leg"):
        assert bends_of(held.clip, role).max() < bends_of(clip, role)[start:end].max() + 12
    assert held.report["seam_acceleration_ratio"] <= 1.2
    assert held.report["acceleration_ratio"] <= 1.5


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["16_15", "02_01", "07_01", "08_01", "09_01", "16_35", "141_04"])
def test_recordings_loop(recorded: Planted, name: str) -> None:
    clip, plants = recorded(name)
    made = make_loop(clip, LoopParameters(count=20), plants)
    period = made.report["end"] - made.report["start"]
    if name == "16_15":
        assert 120 <= period <= 160
    assert made.report["seam_acceleration_ratio"] <= 1.2
    assert made.report["acceleration_ratio"] <= 1.5
    assert made.report["slip_mm"] <= 5.0
    if made.report["turn_degrees"] == 0.0:
        stands = [placement_of(made.clip, k * period) for k in (0, 19)]
        far = np.hypot(*(np.array(stands[1].position) - stands[0].position))
        np.testing.assert_allclose(far, 19 * made.report["advance_m"], rtol=0.02, atol=0.01)


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["83_51", "111_27", "07_12"])
def test_the_cycle_that_makes_a_good_loop_is_taken(recorded: Planted, name: str) -> None:
    """The ends of the first cycle are most alike; looped, a foot slides, a hand pops or a foot stands too high."""
    clip, plants = recorded(name)
    first, taken = (make_loop(clip, LoopParameters(pick=pick), plants).report for pick in (1, None))
    assert badness(first["quality"]) > 1.2
    assert badness(taken["quality"]) <= 1.1
    assert taken["tried"] > 1
    assert "unsteady" not in taken


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["16_20", "69_20", "16_18", "83_37"])
def test_a_walk_with_a_turn_in_it_is_looped_straight_on(recorded: Planted, name: str) -> None:
    """Walks of a few steps, a turn of 90 degrees and a few steps were looped with their turn, round a square."""
    clip, plants = recorded(name)
    assert abs(make_loop(clip, None, plants).report["turn_degrees"]) < 15


def badness(quality: dict) -> float:
    """The worst figure as a multiple of what is good."""
    return max(quality[name] / good for name, (good, _, _) in LIMITS.items())


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["75_01", "141_05", "143_39", "93_07", "09_11"])
def test_planted_feet_stand_as_recorded_in_a_loop(recorded: Planted, name: str) -> None:
    """Heel and ball of a stance are raised alike, also where one of them stands longer; plants are judged as a whole, once each."""
    clip, plants = recorded(name)
    quality = make_loop(clip, LoopParameters(pick=1), plants).report["quality"]
    assert quality["height_mm"] <= 6.0
    assert quality["pitch_degrees"] <= 3.1


@pytest.mark.parametrize("degrees", [210.0, -200.0, 358.0])
def test_a_turn_of_more_than_half_a_circle_is_made_as_it_is(planted: Planted, degrees: float) -> None:
    """Turned by 210 degrees a cycle the body does not turn back by 150 on its planted feet; a whole turn leads straight on."""
    walk, plants = planted("walk_normal")
    cycle = find_cycles(walk, None, plants)[0]
    period = cycle.end - cycle.start
    clip = turned_by(walk, np.radians(degrees) / period * np.arange(len(walk)))
    asked = LoopParameters(count=3, start=cycle.start, end=cycle.end, feet="free")
    made = make_loop(clip, asked, plants)
    wanted = 360.0 if degrees > 350 else degrees
    assert abs(made.report["turn_degrees"] - wanted) < 5
    steps = np.degrees(np.diff(np.unwrap(headings(made.clip))))
    assert abs(steps.sum() - wanted * (3 * period - 1) / period) < 15
    assert np.abs(steps - wanted / period).max() < 2.5


def test_in_place_keeps_a_pirouette(planted: Planted) -> None:
    walk, plants = planted("walk_normal")
    cycle = find_cycles(walk, None, plants)[0]
    period = cycle.end - cycle.start
    clip = turned_by(walk, 2 * np.pi / period * np.arange(len(walk)))
    asked = LoopParameters(count=2, start=cycle.start, end=cycle.end, feet="free", in_place=True)
    turned = np.degrees(np.ptp(np.unwrap(headings(make_loop(clip, asked, plants).clip))))
    assert abs(turned - 720) < 20


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["76_09", "13_33", "90_02"])
def test_feet_that_glide_although_they_seem_to_stand_are_named(recorded: Planted, name: str) -> None:
    """A foot that is let go, or that no detector took for planted, slides by centimetres where it looks as if it stood."""
    clip, plants = recorded(name)
    report = make_loop(clip, LoopParameters(count=3), plants).report
    assert report["quality"]["glides_mm"] > 12
    assert any(
        re.search(r"seem to stand glide by up to \d+ mm, .* in the recording by up to \d+", s) for s in report["doubts"]
    )


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["75_13", "81_05", "143_37"])
def test_legs_do_not_run_through_each_other_in_a_loop(recorded: Planted, name: str) -> None:
    clip, plants = recorded(name)
    assert make_loop(clip, None, plants).report["quality"]["legs_mm"] <= 10.0


@pytest.mark.corpus
@pytest.mark.parametrize(("name", "stand"), [("127_03", 2), ("104_53", 2), ("141_34", 9), ("104_56", 216)])
def test_a_run_does_not_loop_the_stand_before_or_after_it(recorded: Planted, name: str, stand: int) -> None:
    clip, plants = recorded(name)
    with pytest.raises(ParameterError, match="only its stand comes back") as told:
        make_loop(clip, LoopParameters(count=2, beyond=0.0), plants)
    limit = float(re.search(r"--limit (\S+) takes them", str(told.value))[1])  # type: ignore[index]
    run = make_loop(clip, LoopParameters(count=2, limit=limit), plants).report
    assert run["advance_m"] / run["period_s"] > 1.5
    standing = make_loop(clip, LoopParameters(count=2, near=stand), plants).report  # asked for
    assert standing["advance_m"] < 0.1


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["141_34", "143_01", "16_39", "127_15"])
def test_ends_beyond_the_limit_are_taken_where_the_loop_is_good(recorded: Planted, name: str) -> None:
    """Runs of one or two strides were refused, though what their ends differ by can be spread over the cycle unseen."""
    clip, plants = recorded(name)
    with pytest.raises(ParameterError, match="comes back"):
        make_loop(clip, LoopParameters(beyond=0.0), plants)
    report = make_loop(clip, None, plants).report
    assert report["beyond"].endswith("good in all that is measured")
    assert report["seam_error_m"] <= 0.18
    assert report["advance_m"] / report["period_s"] > 1.5
    assert not report["doubts"]
    quality = report["quality"]
    assert quality["acceleration"] <= 1.2
    assert quality["height_mm"] <= 6
    assert quality["glides_beyond_mm"] <= 6


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["16_51", "78_06", "74_18"])
def test_a_cycle_beyond_the_limit_is_refused_where_it_hardly_comes_back(recorded: Planted, name: str) -> None:
    """Half a stride of a run is like its other half, mirrored: looped, it hops on. A slope goes up each cycle."""
    clip, plants = recorded(name)
    with pytest.raises(ParameterError, match="comes back"):
        make_loop(clip, None, plants)


CYCLES = ["02_01", "02_03", "05_01", "07_01", "08_01", "08_07", "09_02", "09_11", "113_01", "128_03", "136_01", "141_25", "141_32", "16_11",
          "16_13", "16_15", "16_18", "16_20", "16_23", "16_25", "16_27", "16_29", "16_31", "16_36", "111_27", "143_32", "143_39", "16_35",
          "16_45", "09_01"]  # fmt: skip


@pytest.mark.corpus
@pytest.mark.parametrize("name", CYCLES)
def test_a_resampled_loop_does_not_jump_at_its_seam(recorded: Planted, name: str) -> None:
    clip, plants = recorded(name)
    made = make_loop(clip, LoopParameters(count=3, fps=30), plants)
    told = made.report["resampled"]
    period = told["frames_per_cycle"]
    assert made.clip.fps == 30
    assert len(made.clip) == 3 * period
    assert abs(period / 30 - made.report["period_s"]) <= 0.5 / 30 + 1e-4
    places = made.clip.world(np.float64).positions
    for seam in (period, 2 * period):
        assert step_ratio(places, seam) == pytest.approx(1.0, abs=0.15)
    assert told["slip_mm"] < 2.5
    assert made.plants is not None
    assert (len(made.plants), made.plants.fps) == (3 * period, 30)


def test_cycles_of_a_resampled_loop_are_alike(planted: Planted) -> None:
    clip, plants = planted("jog_circle_left")
    made = make_loop(clip, LoopParameters(count=3, fps=24), plants)
    period = made.report["resampled"]["frames_per_cycle"]
    one, two = made.clip.rotations[:period, 1:], made.clip.rotations[period : 2 * period, 1:]
    np.testing.assert_allclose(one, two, atol=1e-6)
    way = made.clip.root[[0, period, 2 * period]][:, [0, 2]]
    steps = np.linalg.norm(np.diff(way, axis=0), axis=1)
    assert steps[0] == pytest.approx(steps[1], abs=1e-4)
    assert steps[0] > 0.5


def test_an_in_place_loop_is_over_the_origin_and_faces_forward(planted: Planted) -> None:
    clip, plants = planted("walk_normal")
    away = move(clip, MoveParameters(x=3.0, z=-2.0, turn=1.2))
    made = make_loop(away, LoopParameters(count=2, in_place=True, fps=30), plants)
    hips = made.clip.root[:, [0, 2]]
    np.testing.assert_allclose(hips.mean(axis=0), 0.0, atol=1e-4)
    angles = find_headings(made.clip).angles
    assert abs(float(np.sin(angles).mean())) < 0.02
    assert float(np.cos(angles).mean()) > 0.9


def test_a_loop_can_begin_at_the_origin(planted: Planted) -> None:
    clip, plants = planted("walk_normal")
    away = move(clip, MoveParameters(x=3.0, z=-2.0, turn=1.2))
    made = make_loop(away, LoopParameters(count=3, at_origin=True), plants)
    first = placement_of(made.clip)
    np.testing.assert_allclose(first.position, 0.0, atol=0.02)
    assert abs(first.heading) < 0.05
    assert made.clip.root[-1, 2] > 2.0  # forward


def test_too_few_frames_and_the_other_method_are_refused(planted: Planted) -> None:
    clip, plants = planted("walk_normal")
    with pytest.raises(ParameterError, match=r"has \d frames at 2 Hz, at least 4 are needed"):
        make_loop(clip, LoopParameters(fps=2), plants)
    with pytest.raises(ParameterError, match="are of the method spread"):
        LoopParameters(fps=30, method="blend")
