"""Foot-skate clean-up: planted points stay, the rest stays as it was, nothing pops, nothing stretches."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reenact
from reenact.analysis.plants import detect_plants
from reenact.blend.clean import CleanParameters, clean
from reenact.blend.clean_report import knee_accelerations
from reenact.cli.main import main
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.cutting import CutParameters, cut
from reenact.core.foot_plants import Floor, FootContact, FootPlants
from reenact.core.resample import ResampleParameters, resample
from reenact.errors import ParameterError, SkeletonError
from reenact.formats.plants_text import write_plants
from reenact.samples import make_sample
from reenact.solve.feet import find_feet, track_foot
from reenact.solve.joint_pushes import joint_accelerations
from reenact.solve.planted_points import measure_slips

STILL_MM = 2.0
RECORDINGS = (
    "cmu-bvh/02_01.bvh",
    "cmu-bvh/09_01.bvh",
    "cmu-bvh/16_05.bvh",
    "cmu-bvh/74_01.bvh",
    "hdm05-asfamc/HDM_mm_jog*.amc",
    "noncommercial/lafan1/*.bvh",
    "noncommercial/bandai-namco/dataset-1_walk_normal_001.bvh",
    "noncommercial/bandai-namco/dataset-2_run_normal_001.bvh",
)


@cache
def walk(name: str = "walk_normal", fps: float = 60.0) -> tuple[Clip, FootPlants]:
    """A sample and its plants from the plan."""
    sample = make_sample(name, fps)
    feet = [FootContact(foot.heel, foot.ball) for foot in (sample.truth.left, sample.truth.right)]
    return sample.clip, FootPlants(feet[0], feet[1], fps, Floor(), "plan")


def skate(clip: Clip, speed: tuple[float, float] = (0.02, 0.05), wave: float = 0.008) -> Clip:
    """The clip sliding over the ground at a speed (m/s), and to and fro."""
    time = clip.times[:, None]
    slide = time * np.array([speed[0], 0.0, speed[1]]) + wave * np.sin(5 * time) * np.array([1.0, 0.0, 0.4])
    return replace(clip, root=(clip.root + slide).astype(np.float32))


def drifts(clip: Clip, plants: FootPlants) -> list[float]:
    """Millimetres each held point moves on the ground."""
    return [one["slip_mm"] for one in measure_slips(clip, plants)]


def knee_ratio(before: Clip, after: Clip) -> float:
    """Largest knee acceleration after over that before."""
    feet = find_feet(before.skeleton, before)
    most = [knee_accelerations(clip.world(np.float64), feet, clip.fps).max() for clip in (before, after)]
    return float(most[1] / most[0])


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"anchor": "middle"}, "anchor must be one of mean, start, end, not 'middle'"),
        ({"floor": "sink"}, "floor must be one of lift, keep, level, snap"),
        ({"stretch": 0.05}, "stretch must be 0 to 0.02"),
        ({"ramp": 0.0}, "ramp must be above 0"),
        ({"root": -1.0}, "root must be 0 to 1"),
    ],
)
def test_bad_parameters_are_named(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        CleanParameters(**asked)


def test_bad_input_is_named() -> None:
    clip, plants = walk()
    with pytest.raises(ParameterError, match="the plants have 20 frames, the clip 420"):
        clean(clip, None, plants.cut(0, 20))
    footless = clip.with_skeleton(clip.skeleton.with_roles({"hips": 0}))
    with pytest.raises(SkeletonError, match=r"no such leg \(found: hips\)"):
        clean(footless)
    broken = clip.root.copy()
    broken[7] = np.nan
    with pytest.raises(ParameterError, match="1 frames from 7 on hold numbers that are none"):
        clean(replace(clip, root=broken), None, plants)


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_clips_of_few_frames_come_back(frames: int) -> None:
    clip, plants = walk()
    short = cut(clip, CutParameters(0, frames))
    made = clean(skate(short), None, plants.cut(0, frames))
    assert len(made.clip) == frames
    assert np.isfinite(made.clip.rotations).all()
    assert made.report["drift_mm"]["after"] < STILL_MM


def test_without_plants_nothing_changes() -> None:
    clip, _ = walk()
    none = np.zeros(len(clip), np.bool_)
    empty = FootPlants(FootContact(none, none), FootContact(none, none), clip.fps)
    made = clean(clip, None, empty)
    np.testing.assert_array_equal(made.clip.rotations, clip.rotations)
    np.testing.assert_array_equal(made.clip.root, clip.root)
    assert made.report["plants"] == made.report["changed_frames"] == 0


@pytest.mark.parametrize(
    "name", ["walk_normal", "walk_circle_tight_left", "run", "jump_forward", "turn_180_left", "sneak"]
)
def test_added_skate_is_removed(name: str) -> None:
    clip, plants = walk(name)
    slid = skate(clip)
    assert max(drifts(slid, plants)) > 4.0
    made = clean(slid, None, plants)
    assert max(drifts(made.clip, plants)) < STILL_MM
    assert made.report["unreachable"] == []
    assert made.plants is plants
    assert made.report["drift_mm"]["after"] < STILL_MM < made.report["drift_mm"]["before"]
    assert knee_ratio(slid, made.clip) <= 1.5
    assert joint_accelerations(made.clip).max() <= 1.5 * joint_accelerations(slid).max()
    # in all three directions: the sample's own points do not rise
    world = made.clip.world(np.float64)
    for foot in find_feet(clip.skeleton, clip):
        track = track_foot(world, foot)
        for one in made.report["intervals"]:
            if one["foot"] == foot.side:
                path = getattr(track, one["point"])[one["start"] : one["end"]]
                assert np.ptp(path, axis=0).max() < 0.004


def test_bones_keep_their_lengths() -> None:
    clip, plants = walk()
    made = clean(skate(clip), None, plants)
    assert made.clip.translations is None
    assert made.report["stretch"] == 0.0
    world = made.clip.world(np.float64)
    for joint in range(1, len(clip.skeleton)):
        bone = world.positions[:, joint] - world.positions[:, clip.skeleton.parents[joint]]
        length = float(np.linalg.norm(clip.skeleton.offsets[joint]))
        np.testing.assert_allclose(np.linalg.norm(bone, axis=1), length, atol=1e-6)


@pytest.mark.parametrize("ramp", [0.05, 0.1])
def test_frames_beyond_the_ramps_are_exactly_what_they_were(ramp: float) -> None:
    clip, plants = walk("jump_forward_twice")
    slid = skate(clip)
    made = clean(slid, CleanParameters(ramp=ramp), plants)
    frames = np.arange(len(clip))
    near = np.zeros(len(clip), np.bool_)
    for contact in (plants.left, plants.right):
        planted = np.flatnonzero(contact.plant)
        near |= np.abs(frames[:, None] - planted).min(axis=1) < ramp * clip.fps
    assert (~near).sum() > 5
    np.testing.assert_array_equal(made.clip.rotations[~near], slid.rotations[~near])
    np.testing.assert_array_equal(made.clip.root[~near], slid.root[~near])
    assert made.report["changed_frames"] <= near.sum()
    legs = {role: joint for role, joint in clip.skeleton.roles.items() if role.endswith(("leg", "foot"))}
    others = [joint for joint in range(len(clip.skeleton)) if joint not in legs.values()]
    np.testing.assert_array_equal(made.clip.rotations[:, others], slid.rotations[:, others])


def test_cleaning_twice_changes_nothing_more() -> None:
    clip, plants = walk()
    once = clean(skate(clip), None, plants)
    twice = clean(once.clip, None, plants)
    away = np.abs(twice.clip.world(np.float64).positions - once.clip.world(np.float64).positions)
    assert away.max() < 1e-4


def test_a_clip_without_skate_is_left_alone() -> None:
    clip, plants = walk()
    made = clean(clip, None, plants)
    assert max(drifts(clip, plants)) < 1.0
    np.testing.assert_array_equal(made.clip.rotations, clip.rotations)


def test_the_foot_still_rolls() -> None:
    clip, plants = walk()
    slid = skate(clip)
    made = clean(slid, None, plants)
    for foot in find_feet(clip.skeleton, clip):
        before, after = (one.world(np.float64).rotations[:, foot.leg.end] for one in (slid, made.clip))
        assert np.degrees(R.angle_between(before, after)).max() < 6.0
        planted = plants.foot(foot.side).plant
        pitch = R.rotate(after[planted], np.array([0.0, 0.0, 1.0]))[:, 1]
        assert np.ptp(np.degrees(np.arcsin(pitch))) > 25.0


@pytest.mark.parametrize("anchor", ["start", "end"])
def test_anchors_hold_the_first_or_last_place(anchor: str) -> None:
    clip, plants = walk()
    slid = skate(clip)
    made = clean(slid, CleanParameters(anchor=anchor), plants)  # type: ignore[arg-type]
    assert max(drifts(made.clip, plants)) < STILL_MM
    feet = {foot.side: track_foot(slid.world(np.float64), foot) for foot in find_feet(clip.skeleton, clip)}
    whole = [one for one in made.report["intervals"] if one["start"] > 0 and one["end"] < len(clip)]
    kept = [one for one in whole if one["point"] == ("heel" if anchor == "start" else "ball")]
    assert kept
    for one in kept:
        frame = one["start"] if anchor == "start" else one["end"] - 1
        place = getattr(feet[one["foot"]], one["point"])[frame]
        assert np.abs(place - one["place"])[[0, 2]].max() < 0.003


def test_a_leg_that_cannot_reach_is_listed_and_may_be_stretched() -> None:
    clip, plants = walk()
    slid = skate(clip, (0.0, 0.6), 0.0)
    made = clean(slid, CleanParameters(root=0.02), plants)
    assert made.report["unreachable"]
    assert all(one["missed_mm"] > 1 for one in made.report["unreachable"])
    assert np.isfinite(made.clip.rotations).all()
    assert made.report["root_mm"] <= 20.0
    longer = clean(slid, CleanParameters(root=0.02, stretch=0.02), plants)
    assert longer.clip.translations is not None
    assert 0 < longer.report["stretch"] <= 0.0201
    missed = [sum(one["missed_mm"] for one in report["unreachable"]) for report in (made.report, longer.report)]
    assert missed[1] < missed[0]


@pytest.mark.parametrize("fps", [24.0, 30.0, 120.0, 240.0])
def test_any_frame_rate(fps: float) -> None:
    clip, plants = walk(fps=fps)
    made = clean(skate(clip), None, plants)
    assert max(drifts(made.clip, plants)) < STILL_MM


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_any_size(factor: float) -> None:
    clip, plants = walk()
    slid = skate(replace(clip, skeleton=clip.skeleton.scaled(factor), root=clip.root * np.float32(factor)))
    made = clean(slid, None, plants)
    assert max(drifts(made.clip, plants)) < STILL_MM


def test_a_tilted_floor_keeps_its_heights() -> None:
    clip, plants = walk()
    tilt = R.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.radians(8.0))
    rotations = clip.rotations.copy()
    rotations[:, 0] = R.multiply(tilt, clip.rotations[:, 0])
    root = R.rotate(tilt, clip.root.astype(np.float64)) + (0.0, 1.5, 0.0)
    slid = replace(
        clip, rotations=rotations, root=(root + R.rotate(tilt, skate(clip).root - clip.root)).astype(np.float32)
    )
    normal = R.rotate(tilt, np.array([0.0, 1.0, 0.0]))
    floor = Floor(float(normal @ (0.0, 1.5, 0.0)), np.asarray(normal, dtype=np.float64))
    made = clean(slid, None, replace(plants, floor=floor))
    assert max(drifts(made.clip, plants)) < STILL_MM
    world = made.clip.world(np.float64)
    for foot in find_feet(clip.skeleton, clip):
        track, contact = track_foot(world, foot), plants.foot(foot.side)
        assert np.abs(floor.above(track.ball[contact.ball])).max() < 0.012


def test_feet_are_brought_to_the_floor_when_asked() -> None:
    clip, plants = walk()
    raised = replace(plants, floor=Floor(0.012))
    for way, least in (("lift", 0.011), ("snap", 0.011)):
        made = clean(clip, CleanParameters(floor=way), raised)  # type: ignore[arg-type]
        world = made.clip.world(np.float64)
        for foot in find_feet(clip.skeleton, clip):
            track, contact = track_foot(world, foot), plants.foot(foot.side)
            assert track.ball[contact.ball][:, 1].min() > least
            assert track.heel[contact.heel][:, 1].min() > least
    kept = clean(clip, CleanParameters(floor="keep"), raised)
    np.testing.assert_array_equal(kept.clip.rotations, clip.rotations)


def test_skeletons_without_toes_or_with_one_leg() -> None:
    clip, plants = walk()
    skeleton = clip.skeleton
    toeless = {role: joint for role, joint in skeleton.roles.items() if not role.endswith("toes")}
    one_leg = {role: joint for role, joint in skeleton.roles.items() if not role.startswith("right_")}
    for roles in (toeless, one_leg):
        other = skate(clip).with_skeleton(skeleton.with_roles(roles))
        made = clean(other, None, plants)
        assert made.report["drift_mm"]["after"] < STILL_MM
        assert made.report["plants"] > 0


@pytest.mark.parametrize("pattern", RECORDINGS)
def test_recordings_of_several_skeletons(corpus: Path, pattern: str) -> None:
    found = sorted(corpus.glob(pattern))
    assert found, pattern
    clip = reenact.load(found[0])
    clip = clip if clip.seconds < 20 else cut(clip, CutParameters(0, round(20 * clip.fps)))
    found_plants = detect_plants(clip)
    made = clean(clip, None, found_plants)
    report, plants = made.report, made.plants
    assert plants is not None
    for side in (
        "left",
        "right",
    ):  # what would push a joint much harder than it is pushed by itself is let go, and said
        assert not (plants.foot(side).plant & ~found_plants.foot(side).plant).sum() > 0.06 * clip.fps
    assert report["held_share"] > (0.8 if clip.fps > 50 else 0.5)
    assert bool(report["let_go"]) == (report["held_share"] < 1)
    assert report["quality"]["acceleration"] <= 1.21
    assert report["plants"] > 2
    assert report["drift_mm"]["after"] < STILL_MM < report["drift_mm"]["before"]
    assert max(drifts(made.clip, plants)) < STILL_MM
    assert not report["unreachable"]
    assert report["knee_acceleration"]["ratio"] <= 1.1
    assert report["joint_change"]["mean_mm"] < 30
    again = clean(made.clip, None, plants)
    away = np.abs(again.clip.world(np.float64).positions - made.clip.world(np.float64).positions)
    assert away.max() < 5e-4


@pytest.mark.parametrize("name", ["79_38", "83_01", "136_21", "62_07"])
def test_feet_of_recordings_with_straight_knees_are_held(corpus: Path, name: str) -> None:
    """Legs locked straight, or hardly bent: the body gives way; hardly a plant is given up."""
    made = clean(reenact.load(corpus / "cmu-bvh" / f"{name}.bvh"))
    assert made.report["held_share"] > 0.9
    assert made.report["quality"]["acceleration"] < 1.5
    assert not made.report["unreachable"]


@pytest.mark.parametrize("name", ["127_23", "38_03", "64_01", "120_08"])
def test_planted_feet_keep_their_heights_and_pitch(corpus: Path, name: str) -> None:
    quality = clean(reenact.load(corpus / "cmu-bvh" / f"{name}.bvh")).report["quality"]
    assert quality["height_mm"] < 9.0
    assert quality["pitch_degrees"] < 6.1


def test_feet_that_still_slide_are_said(corpus: Path) -> None:
    """A boxer who turns on his feet for a quarter of a minute: nothing is let go, and yet feet move."""
    report = clean(reenact.load(corpus / "cmu-bvh" / "02_05.bvh")).report
    assert report["held_share"] == 1.0
    assert report["standing"]["drift_mm"] > 4
    assert {row["why"] for row in report["standing"]["sliding"]} >= {"it turns about the other end of the foot"}
    assert any("looks planted moves by more than 4 mm" in doubt for doubt in report["doubts"])


def test_feet_that_stand_are_not_doubted() -> None:
    clip, plants = walk()
    report = clean(skate(clip), None, plants).report
    assert report["standing"]["stands"] > 5
    assert report["standing"]["drift_mm"] < STILL_MM
    assert report["doubts"] == []


def test_another_rate_gives_nearly_the_same_feet() -> None:
    clip, plants = walk(fps=120.0)
    slid = skate(clip)
    half = resample(slid, ResampleParameters(fps=60.0))
    fine = clean(slid, None, plants)
    coarse = clean(half, None, walk(fps=60.0)[1])
    away = fine.clip.world(np.float64).positions[::2][: len(half)] - coarse.clip.world(np.float64).positions
    roles = clip.skeleton.roles
    knees = [
        roles[f"{side}_lower_leg"] for side in ("left", "right")
    ]  # a straight one moves by centimetres for a millimetre
    away = np.delete(away, knees, axis=1)
    assert np.abs(away).max() < 0.012


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clip, plants = walk()
    source, out, file = tmp_path / "slid.bvh", tmp_path / "clean.bvh", tmp_path / "plants.txt"
    reenact.save(skate(clip), source)
    write_plants(plants, file)
    assert main(["clean", str(source), "-o", str(out), "--plants", str(file), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert {"out", "frames", "seconds", "report"} <= set(said)
    assert said["report"]["drift_mm"]["after"] < STILL_MM
    assert max(drifts(reenact.load(out), plants)) < STILL_MM
    write_plants(plants.cut(0, 50), file)
    assert main(["clean", str(source), "-o", str(out), "--plants", str(file), "--json"]) == 2
    assert "the plants have 50 frames, the clip 420" in json.loads(capsys.readouterr().out)["error"]["message"]
    assert main(["check", str(out), "--against", str(source), "--json"]) in (0, 1)
    compared = capsys.readouterr().out
    assert "skate_mm_max" in compared


def test_a_planted_foot_that_twitches_for_a_frame_is_put_in_line() -> None:
    clip, plants = walk("stand_shift")
    ankle, frame = clip.skeleton.roles["left_foot"], 120
    assert plants.left.heel[frame]
    rotations = clip.rotations.copy()
    twitch = R.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.radians(10.0))
    rotations[frame, ankle] = R.multiply(rotations[frame, ankle], twitch.astype(np.float32))
    made = clean(skate(replace(clip, rotations=rotations)), None, plants)
    world = made.clip.world(np.float64).rotations[:, ankle]
    assert np.degrees(R.angle_between(world[frame], world[frame - 1])) < 1.0
    assert max(drifts(made.clip, plants)) < STILL_MM


def test_plants_found_again_are_those_that_were_held() -> None:
    clip, plants = walk()
    made = clean(skate(clip), None, plants)
    found = detect_plants(made.clip)
    for side in ("left", "right"):
        asked, again = plants.foot(side).plant, found.foot(side).plant
        assert (asked & again).sum() >= 0.7 * (asked | again).sum()


def test_a_jump_of_the_recording_parts_the_plant() -> None:
    clip, plants = walk()
    contact = plants.left
    start, end = max(contact.intervals(), key=lambda span: span[1] - span[0])
    middle = (start + end) // 2
    root = clip.root.copy()
    root[middle:] += np.float32([0.0, 0.0, 0.15])  # the whole body is elsewhere from one frame to the next
    torn = replace(skate(replace(clip, root=root)))
    made = clean(torn, None, plants)
    assert made.report["jumps"] == [middle]
    assert made.plants is not None
    assert not made.plants.left.plant[middle - 1 : middle + 1].any()
    assert np.array_equal(made.plants.left.plant[:start], contact.plant[:start])
    assert max(drifts(made.clip, made.plants)) < STILL_MM
    moved = np.diff(made.clip.root.astype(np.float64) - torn.root, axis=0)
    assert np.linalg.norm(moved, axis=1).max() < 0.02  # the body does not make up for the jump
    whole = clean(skate(clip), None, plants)
    assert "jumps" not in whole.report
