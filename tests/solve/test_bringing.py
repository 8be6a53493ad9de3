"""One way onto another skeleton: bodies with equal joint names, other bones, other feet and another floor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import reenact
from reenact.analysis.carried_plants import known_plants
from reenact.analysis.foot_stance import find_stances
from reenact.blend.preparing import bring_together
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.foot_plants import intervals_of
from reenact.core.placement import move_rigidly
from reenact.core.skeleton import Skeleton
from reenact.edit.join import join
from reenact.edit.transition import TransitionParameters, make_transition
from reenact.errors import SkeletonError
from reenact.samples import make_sample
from reenact.solve.bringing import bring_onto, put_on_skeleton
from reenact.solve.feet import find_feet, track_foot

PAIRS = [("16_15", "08_01"), ("07_01", "61_10"), ("104_02", "133_16"), ("35_04", "143_38"), ("83_01", "79_25")]
"""Sources and targets of other subjects; the feet of 61, 133 and 79 point down in their rest poses, those of 83 and 08 hardly."""


def with_other_feet(clip: Clip, degrees: float, lower: float = 0.0) -> Clip:
    """The same motion of a body whose foot joints have their axes pitched, as those of another subject's skeleton are."""
    skeleton = clip.skeleton
    offsets, rotations = skeleton.offsets.copy(), clip.rotations.astype(np.float64)
    ends = skeleton.end_offsets.copy()
    turn = R.from_axis_angle((1.0, 0.0, 0.0), np.radians(degrees))
    for side in ("left", "right"):
        foot = skeleton.roles[f"{side}_foot"]
        rotations[:, foot] = R.multiply(rotations[:, foot], turn)
        for child in skeleton.children[foot]:
            offsets[child] = R.rotate(R.conjugate(turn), offsets[child])
            rotations[:, child] = R.multiply(R.conjugate(turn), rotations[:, child])
        at = skeleton.end_joints == foot
        ends[at] = R.rotate(R.conjugate(turn), ends[at])
    other = Skeleton(
        skeleton.names, skeleton.parents, offsets, skeleton.rest, skeleton.end_joints, ends, dict(skeleton.roles)
    )
    return Clip(other, rotations.astype(np.float32), clip.root - np.array([0, lower, 0], np.float32), clip.fps, "other")


@pytest.fixture(scope="module")
def recording(corpus: Path):
    return lambda name: reenact.load(corpus / "cmu-bvh" / f"{name}.bvh")


class TestOneBody:
    def test_its_frames_stay_bit_equal(self, recording) -> None:
        a, b = recording("16_15"), recording("16_35")
        b = b.with_skeleton(replace(b.skeleton, offsets=b.skeleton.offsets + 1e-7))
        brought = put_on_skeleton(b, a)
        assert not brought.mapped
        assert brought.clip.skeleton is a.skeleton
        np.testing.assert_array_equal(brought.clip.rotations, b.rotations)
        np.testing.assert_array_equal(brought.clip.root, b.root)

    def test_it_is_set_on_the_other_ones_floor(self, recording) -> None:
        a, b = recording("16_15"), recording("16_35")
        lower = move_rigidly(b, (0.0, -0.3, 0.0))
        # floors within half a millimetre are one, and the clip stays as recorded
        np.testing.assert_allclose(bring_onto(lower, a).clip.root, bring_onto(b, a).clip.root, atol=5.1e-4)
        assert find_stances(bring_onto(lower, a).clip)["left"].level == pytest.approx(
            find_stances(a)["left"].level, abs=0.02
        )

    def test_other_ends_are_another_body(self, recording) -> None:
        a = recording("16_15")
        ends = a.skeleton.end_offsets + 0.01
        assert not a.skeleton.same_body(replace(a.skeleton, end_offsets=ends))
        assert a.skeleton.same_body(replace(a.skeleton, rest=-a.skeleton.rest))


class TestOtherJoints:
    def test_they_are_refused_unless_asked_for(self, recording, corpus) -> None:
        other = reenact.load(corpus / "bvh-other" / "pirouette.bvh")
        with pytest.raises(SkeletonError, match=r"skeletons of 'pirouette' and '16_15' differ \(31 joints against"):
            bring_onto(other, recording("16_15"))
        with pytest.raises(SkeletonError, match="31 joints against"):
            join([recording("16_15"), other])


class TestKnownAnswers:
    def test_feet_with_other_axes_stand_as_they_stood(self) -> None:
        """The mapped motion puts the ankles, balls and heels of the pitched feet where those of the source are."""
        walk = make_sample("walk_normal").clip
        other = with_other_feet(make_sample("walk_brisk").clip, 8.0)
        plants = known_plants(walk, None)
        brought = bring_onto(walk, other, plants, known_plants(other, None))
        assert brought.mapped
        before, after = walk.world(np.float64), brought.clip.world(np.float64)
        for role in ("left_foot", "right_foot", "left_toes", "right_toes"):
            joint = walk.skeleton.roles[role]
            for start, end in intervals_of(plants.foot(role.split("_")[0]).plant):
                gap = (after.positions - before.positions)[start:end, joint]
                assert np.abs(gap[:, 1]).max() < 0.004, role
        pitched = R.angle_between(
            after.rotations[:, walk.skeleton.roles["left_foot"]], before.rotations[:, walk.skeleton.roles["left_foot"]]
        )
        assert np.degrees(np.median(pitched)) == pytest.approx(8.0, abs=0.5)

    def test_the_floor_is_that_of_the_target(self) -> None:
        walk = make_sample("walk_normal").clip
        other = with_other_feet(make_sample("walk_brisk").clip, 10.0, lower=0.7)
        for plants in (known_plants(walk, None), None):
            brought = bring_onto(walk, other, plants, known_plants(other, None))
            for side, stance in find_stances(brought.clip).items():
                assert stance.level == pytest.approx(find_stances(other)[side].level, abs=0.004)

    def test_what_was_brought_once_stays(self, recording) -> None:
        clips, plants = bring_together([recording("07_01"), recording("08_01")])
        again, _ = bring_together(clips, plants)
        np.testing.assert_allclose(again[1].root, clips[1].root, atol=1e-5)
        np.testing.assert_array_equal(again[1].rotations, clips[1].rotations)


@pytest.mark.parametrize(("source", "target"), PAIRS)
class TestOtherSubjects:
    """With local rotations kept on other offsets these stood up to 5 cm off the floor, with feet up to 20 degrees off."""

    def test_floor_height_and_pitch(self, recording, source, target) -> None:
        clip, like = recording(source), recording(target)
        plants, like_plants = known_plants(clip, None), known_plants(like, None)
        brought = bring_onto(clip, like, plants, like_plants)
        stands = find_stances(clip, plants), find_stances(like, like_plants)
        old = {foot.side: track_foot(clip.world(np.float64), foot) for foot in find_feet(clip.skeleton, clip)}
        levels, pitches, heights = [], [], []
        for foot in find_feet(like.skeleton, like):
            track, was = track_foot(brought.clip.world(np.float64), foot), old[foot.side]
            levels.append(np.percentile(track.ball[:, 1], 5) - stands[1][foot.side].level)
            for start, end in plants.foot(foot.side).intervals():
                ways = [(of.ball - of.ankle)[start:end] for of in (track, was)]
                now, then = (np.median(np.arcsin(way[:, 1] / np.linalg.norm(way, axis=1))) for way in ways)
                pitches.append(np.degrees(now - stands[1][foot.side].pitch - then + stands[0][foot.side].pitch))
            for start, end in intervals_of(plants.foot(foot.side).ball):
                now, then = (np.median(of.ball[start:end, 1]) for of in (track, was))
                heights.append(now - stands[1][foot.side].level - then + stands[0][foot.side].level)
        assert abs(np.mean(levels)) < 0.002
        assert np.percentile(np.abs(heights), 95) < 0.006
        assert np.max(np.abs(heights)) < 0.012
        assert np.percentile(np.abs(pitches), 95) < 3
        assert np.max(np.abs(pitches)) < 6

    def test_every_method_takes_this_way(self, recording, source, target) -> None:
        first, second = recording(target), recording(source)
        plants = known_plants(first, None), known_plants(second, None)
        wanted = bring_onto(second, first, plants[1], plants[0]).clip
        together, _ = bring_together([first, second], plants)
        np.testing.assert_array_equal(together[1].rotations, wanted.rotations)
        joined = join([first, second])
        np.testing.assert_array_equal(joined.rotations[len(first) :, 1:], wanted.rotations[:, 1:])
        made = make_transition(first, second, TransitionParameters(feet="free"), *plants)
        assert made.report["mapped"]
        tail = made.clip.rotations[-20:, 1:]
        np.testing.assert_allclose(tail, wanted.rotations[-20:, 1:], atol=1e-5)


class TestDeepInTheFloor:
    """90_30 squats on its toes, which are 10 cm in the floor for much of the dance: it was set 10 cm too high on other bodies."""

    @pytest.mark.parametrize("target", ["16_23", "143_24"])
    def test_planted_feet_stand_on_the_floor(self, recording, target) -> None:
        clip, like = recording("90_30"), recording(target)
        plants = known_plants(clip, None)
        brought = bring_onto(clip, like, plants, known_plants(like, None))
        stands = find_stances(clip, plants), find_stances(like, known_plants(like, None))
        feet = {foot.side: foot for foot in find_feet(clip.skeleton, clip)}
        away = []
        for foot in find_feet(like.skeleton, like):
            now, was = (
                track_foot(brought.clip.world(np.float64), foot),
                track_foot(clip.world(np.float64), feet[foot.side]),
            )
            above = (now.ball[:, 1] - stands[1][foot.side].level) - (was.ball[:, 1] - stands[0][foot.side].level)
            away.append(np.median(above[brought.plants.foot(foot.side).ball]))
        assert np.abs(away).max() < 0.006


class TestFeetThatHardlyStand:
    """A foot that is never seen flat is taken to stand as the other one does, not as it rests."""

    def test_the_other_foot_tells(self, recording) -> None:
        clip = recording("35_04")
        plants = known_plants(clip, None)
        both = find_stances(clip, plants)
        nothing = np.zeros(len(clip), np.bool_)
        unseen = replace(plants, right=replace(plants.right, heel=nothing, ball=nothing))
        alone, rest = (
            find_stances(clip, unseen)["right"],
            find_stances(clip, replace(unseen, left=unseen.right))["right"],
        )
        assert alone.seconds == 0.0
        assert abs(alone.pitch - both["right"].pitch) < 0.5 * abs(rest.pitch - both["right"].pitch)

    @pytest.mark.parametrize("subject", ["16", "127", "35"])
    def test_clips_of_one_subject_agree(self, recording, corpus, subject) -> None:
        names = sorted(path.stem for path in (corpus / "cmu-bvh").glob(f"{subject}_*.bvh"))[:8]
        found = [find_stances(clip, known_plants(clip, None)) for clip in map(recording, names)]
        for side in ("left", "right"):
            pitches = np.degrees([stances[side].pitch for stances in found])
            assert np.mean(np.abs(pitches - np.median(pitches))) < 2.5


class TestHipsOfAnotherWidth:
    """The hip joints of 141 lie 34 cm apart, those of 79 half as far: legs that kept their directions crossed."""

    @pytest.mark.parametrize(("source", "target"), [("141_04", "79_25"), ("141_14", "143_23"), ("111_09", "132_51")])
    def test_feet_stand_as_wide(self, recording, source, target) -> None:
        clip, like = recording(source), recording(target)
        plants = known_plants(clip, None)
        brought = bring_onto(clip, like, plants, known_plants(like, None)).clip
        widths = []
        for motion in (clip, brought):
            roles, places = motion.skeleton.roles, motion.world(np.float64).positions
            across = R.normalize(places[:, roles["left_upper_leg"]] - places[:, roles["right_upper_leg"]])
            apart = places[:, roles["left_foot"]] - places[:, roles["right_foot"]]
            widths.append(np.median(np.einsum("fi,fi->f", apart, across)))
        assert widths[1] == pytest.approx(widths[0], abs=0.03)


class TestKneesThatStandBentBackwards:
    """Subject 141 reads as standing with its knees bent backwards by 13 degrees; brought onto 104 and 79 they were by up to 35."""

    @pytest.mark.parametrize(("source", "target"), [("141_16", "104_53"), ("141_04", "79_25")])
    def test_they_are_not_on_another_body(self, recording, source, target) -> None:
        clip, like = recording(source), recording(target)
        brought = bring_onto(clip, like, known_plants(clip, None), known_plants(like, None)).clip
        world = brought.world(np.float64)
        for foot in find_feet(like.skeleton, like):
            hip, knee, ankle = (world.positions[:, joint] for joint in (foot.leg.root, foot.leg.mid, foot.leg.end))
            thigh, shank = knee - hip, ankle - knee
            hinge = R.rotate(world.rotations[:, foot.leg.root], foot.hinge)
            wrong = np.arctan2(np.sum(np.cross(thigh, shank) * hinge, axis=1), np.sum(thigh * shank, axis=1))
            assert np.degrees(np.percentile(wrong, 99)) < 8
