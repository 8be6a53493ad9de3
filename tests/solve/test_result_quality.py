"""The measure of results: each of its figures sees what it is for, and nothing where nothing is wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.analysis.plants import detect_plants
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.placement import move_rigidly
from reenact.errors import ParameterError, SkeletonError
from reenact.samples import make_sample
from reenact.solve.joint_pushes import joint_pushes
from reenact.solve.result_matching import match_frames, measure_against
from reenact.solve.result_quality import LIMITS, ResultQuality, measure_result, standing_level
from reenact.solve.shown import Shown, played_shares


@pytest.fixture(scope="module")
def walk() -> tuple[Clip, FootPlants]:
    clip = make_sample("walk_normal").clip
    return clip, detect_plants(clip)


def measured(result: Clip, walk: tuple[Clip, FootPlants], **asked) -> ResultQuality:
    clip, plants = walk
    return measure_result(result, plants, [Shown(clip, plants, np.arange(len(clip)))], **asked)


def turned(clip: Clip, joint: str, frames: slice, degrees: float) -> Clip:
    rotations = clip.rotations.copy()
    index = clip.skeleton.joint(joint)
    turn = R.from_axis_angle((1.0, 0.0, 0.0), np.radians(degrees))
    rotations[frames, index] = R.multiply(turn, rotations[frames, index].astype(np.float64)).astype(np.float32)
    return replace(clip, rotations=rotations)


def test_a_clip_against_itself_is_good(walk) -> None:
    found = measured(walk[0], walk)
    assert found.acceleration == pytest.approx(1.0, abs=1e-6)
    assert (found.slides_s, found.height_mm, found.pitch_degrees) == (0.0, 0.0, 0.0)
    assert found.floor_mm == pytest.approx(0.0, abs=1e-6)
    assert found.played == (1.0,)
    assert found.badness <= 1.0
    assert not found.doubts()


def test_a_knee_that_pops_is_compared_with_itself(walk) -> None:
    popped = turned(walk[0], "left_lower_leg", slice(100, 101), 6.0)
    found = measured(popped, walk)
    assert found.acceleration > 1.5
    assert found.joint in [
        walk[0].skeleton.names[j] for j in walk[0].skeleton.subtree(walk[0].skeleton.roles["left_lower_leg"])
    ]
    assert abs(found.frame - 100) <= 1
    assert "times as hard" in found.doubts()[0]


def test_a_pop_that_feet_outshout_is_seen(walk) -> None:
    """The largest push of any joint over the largest of any said nothing of it: a foot that lands is pushed harder."""
    popped = turned(walk[0], "neck", slice(100, 101), 2.0)
    of_any = [joint_pushes(clip).max() for clip in (popped, walk[0])]
    assert of_any[0] <= of_any[1]
    found = measured(popped, walk)
    assert found.acceleration > 3.0
    assert found.joint == "Head"


def test_a_glitch_of_the_source_counts_only_where_it_is_played(walk) -> None:
    clip, plants = walk
    bad = turned(clip, "left_upper_arm", slice(100, 101), 25.0)
    as_played = measure_result(bad, plants, [Shown(bad, plants, np.arange(len(bad)))])
    assert as_played.acceleration == pytest.approx(1.0, abs=1e-6)
    elsewhere = turned(bad, "left_upper_arm", slice(160, 161), 25.0)
    assert measure_result(elsewhere, plants, [Shown(bad, plants, np.arange(len(bad)))]).acceleration > 1.5


@pytest.mark.parametrize("metres", [0.02, -0.03])
def test_feet_held_in_the_air_or_in_the_floor(walk, metres: float) -> None:
    clip, _ = walk
    root = clip.root.copy()
    root[80:160, 1] += np.float32(metres)
    found = measured(replace(clip, root=root), walk, changed=(80, 160))
    assert found.height_mm == pytest.approx(1000 * abs(metres), abs=2.0)


def test_a_floor_that_is_shifted(walk) -> None:
    higher = move_rigidly(walk[0], (0.0, 0.025, 0.0))
    assert measured(higher, walk).floor_mm == pytest.approx(25.0, abs=0.5)


def test_a_foot_on_tiptoe(walk) -> None:
    tiptoe = turned(walk[0], "left_foot", slice(None), 12.0)
    assert measured(tiptoe, walk).pitch_degrees == pytest.approx(12.0, abs=3.0)


def test_a_foot_that_snaps_round_into_its_stance(walk) -> None:
    """A foot that is planted where another clip has it turned, and gets there within a few frames."""
    clip, plants = walk
    start = plants.left.intervals()[2][0]
    whole = clip.with_plants(None)
    for degrees, seen in ((0.0, False), (8.0, False), (50.0, True)):
        share = np.clip((np.arange(len(clip)) - start + 5) / 5, 0.0, 1.0) * (np.arange(len(clip)) < start + 30)
        world = clip.world(np.float64).rotations[:, clip.skeleton.roles["left_lower_leg"]]
        yaw = R.about_y(np.radians(degrees) * share)
        local = R.multiply(R.conjugate(world), R.multiply(yaw, world))  # about the ankle, in the shin's axes
        rotations = clip.rotations.copy()
        foot = clip.skeleton.roles["left_foot"]
        rotations[:, foot] = R.multiply(local, rotations[:, foot].astype(np.float64)).astype(np.float32)
        found = measured(replace(whole, rotations=rotations), walk, changed=(start - 20, start + 10))
        assert any("turns" in doubt for doubt in found.doubts()) == seen, (degrees, found.yaw_degrees)
        assert found.yaw_degrees == pytest.approx(degrees, abs=6) or degrees < 20


def test_a_body_that_glides(walk) -> None:
    clip, _ = walk
    root = clip.root.copy()
    root[60:180, 0] += np.linspace(0, 0.9, 120, dtype=np.float32)
    root[180:, 0] += np.float32(0.9)
    found = measured(replace(clip, root=root), walk)
    assert found.slides_s > 0.4
    assert found.slip_mm > 50.0
    assert any("slides" in doubt for doubt in found.doubts())


def test_feet_that_creep_count_the_more_the_faster_they_are(walk) -> None:
    """A body pushed over the floor at 0.15 m/s creeps, at 0.4 m/s it slides; in between every moment counts in part."""
    clip, _ = walk
    seconds = np.clip(np.arange(len(clip)) - 100, 0, 60) / clip.fps
    slides = []
    for speed in (0.15, 0.25, 0.45):
        root = clip.root.copy()
        root[:, 0] += (speed * seconds).astype(np.float32)
        slides.append(measured(replace(clip, root=root), walk, changed=(100, 160)).slides_s)
    assert slides[0] < 0.1 * 60 / clip.fps
    assert slides[0] < slides[1] < slides[2]
    assert slides[2] > 0.7 * 60 / clip.fps


def test_nobody_carries_a_body_that_sinks_from_a_step(walk) -> None:
    """Who stands on a step stands: planted feet carry the body however high they are, and nothing carries it on its way down."""
    clip, plants = walk
    higher = move_rigidly(clip, (0.0, 0.4, 0.0))
    root = clip.root.copy()
    root[:, 1] += np.clip(0.4 - 0.4 * (np.arange(len(clip)) - 100) / 40, 0.0, 0.4).astype(np.float32)
    standing = np.ones(len(clip), np.bool_)
    everywhere = replace(
        plants,
        left=replace(plants.left, heel=standing, ball=standing),
        right=replace(plants.right, heel=standing, ball=standing),
    )
    nowhere = replace(
        plants,
        left=replace(plants.left, heel=~standing, ball=~standing),
        right=replace(plants.right, heel=~standing, ball=~standing),
    )
    frames = np.arange(len(clip))
    sources = [Shown(clip, everywhere, frames), Shown(higher, everywhere, frames)]
    found = measure_result(replace(clip, root=root), nowhere, sources, (100, 140))
    assert found.unsupported_s > 0.2


def test_one_scale_for_all_figures() -> None:
    """Being over a limit is worse than being at another one, whatever the figures."""
    good = ResultQuality(1.0, "", 0)
    assert replace(good, acceleration=1.2).badness == pytest.approx(1.0)
    for name, (fine, limit, _) in LIMITS.items():
        assert replace(good, **{name: fine}).badness == pytest.approx(1.0)
        assert replace(good, **{name: limit}).badness == pytest.approx(2.0)
        assert replace(good, **{name: 1.1 * limit}).badness > 2.1
    assert replace(good, pitch_degrees=5.9).badness < replace(good, acceleration=1.55).badness


def test_a_source_is_played_up_to_the_middle_of_where_it_goes_over(walk) -> None:
    clip = walk[0]
    at = np.arange(200)
    first, second = np.where(at < 120, at, -1), np.where(at >= 80, at - 30, -1)
    shown = [Shown(clip, None, frames) for frames in (first, second)]
    assert played_shares(shown) == (100 / len(clip), 100 / len(clip))
    mixed = [Shown(clip, None, at, np.full(200, 0.5)) for _ in range(2)]
    assert played_shares(mixed) == (200 / len(clip), 200 / len(clip))
    nested = [Shown(clip, None, np.arange(200)), Shown(clip, None, np.where((at > 50) & (at < 100), at, -1))]
    assert played_shares(nested) == (200 / len(clip), 49 / len(clip))


def test_a_share_is_what_is_shown(walk) -> None:
    clip, plants = walk
    frames = np.where(np.arange(len(clip)) < len(clip) // 4, np.arange(len(clip)), -1)
    assert played_shares([Shown(clip, plants, frames)])[0] == pytest.approx(0.25, abs=0.01)


def test_limits_are_good_and_worst() -> None:
    assert all(good < worst for good, worst, _ in LIMITS.values())


def test_without_plants_joints_alone_are_measured(walk) -> None:
    clip, _ = walk
    found = measure_result(clip, None, [Shown(clip, None, np.arange(len(clip)))])
    assert found.acceleration == pytest.approx(1.0)
    assert not found.plants


def test_levels(walk) -> None:
    from reenact.solve.feet import find_feet

    feet = find_feet(walk[0].skeleton, walk[0])
    higher = move_rigidly(walk[0], (0.0, 0.1, 0.0))
    assert standing_level(higher, feet) - standing_level(walk[0], feet) == pytest.approx(0.1, abs=1e-4)


class TestAgainst:
    def test_frames_are_found_by_their_poses(self, walk) -> None:
        clip, _ = walk
        part = replace(clip, rotations=clip.rotations[50:150], root=clip.root[50:150])
        moved = move_rigidly(part, (3.0, 0.0, -1.0), 0.7)
        shown = match_frames(moved, [clip])[0]
        # a walk repeats itself: what counts is the pose that is shown
        world, there = clip.world().positions, moved.world().positions
        near = world[shown.frames] - world[shown.frames][:, :1]
        own = there - there[:, :1]
        assert np.abs(np.linalg.norm(near, axis=2) - np.linalg.norm(own, axis=2))[2:-2].max() < 0.02

    def test_a_part_of_a_clip_is_good_and_a_popped_one_is_not(self, walk) -> None:
        clip, plants = walk
        assert not measure_against(clip, plants, [clip]).doubts()
        popped = turned(clip, "right_lower_leg", slice(90, 91), 8.0)
        assert measure_against(popped, plants, [clip]).doubts()

    def test_other_joints_and_nothing_are_refused(self, walk) -> None:
        clip, plants = walk
        with pytest.raises(ParameterError, match="at least one source"):
            measure_against(clip, plants, [])
        other = replace(clip, skeleton=replace(clip.skeleton, names=tuple(f"x{n}" for n in clip.skeleton.names)))
        unknown = other.with_skeleton(other.skeleton.with_roles({"hips": 0}))
        with pytest.raises(SkeletonError, match="joint by joint"):
            measure_against(clip, plants, [unknown])

    def test_other_joints_are_compared_by_their_roles_in_the_size_of_the_result(self, walk) -> None:
        clip, plants = walk
        names = tuple(f"x{n}" for n in range(len(clip.skeleton)))
        small = replace(clip, skeleton=replace(clip.skeleton.scaled(0.5), names=names), root=0.5 * clip.root)
        assert measure_against(small, plants, [clip]).acceleration == pytest.approx(1.0, abs=0.02)
        popped = turned(small, "right_lower_leg", slice(90, 91), 8.0)
        assert measure_against(popped, plants, [clip]).acceleration > 1.5


def test_feet_that_stand_at_other_heights_against_each_other_are_said(walk) -> None:
    clip, plants = walk
    frames = np.arange(len(clip))
    alike = measure_result(clip, plants, [Shown(clip, plants, frames), Shown(clip, plants, frames)])
    assert alike.uneven_mm == pytest.approx(0.0, abs=1e-6)
    tilt = R.from_axis_angle((0.0, 0.0, 1.0), np.radians(20.0))
    rotations = clip.rotations.copy()
    rotations[:, 0] = R.multiply(tilt, rotations[:, 0].astype(np.float64)).astype(np.float32)
    found = measure_result(
        clip, plants, [Shown(clip, plants, frames), Shown(replace(clip, rotations=rotations), plants, frames)]
    )
    assert found.uneven_mm > 12.0
    assert any("do not stand on one floor" in said for said in found.doubts())
