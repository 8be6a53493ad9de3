"""Blends of motions by registration curves."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from reenact.analysis.plants import detect_plants
from reenact.blend.blend import BlendParameters, blend, blend_curve
from reenact.blend.blend_quality import floor_way, slide_speed, toe_slide
from reenact.blend.grounding import lowest_points
from reenact.blend.playing import schedule_curve
from reenact.blend.preparing import bring_together
from reenact.blend.registration import RegistrationParameters, register
from reenact.blend.stilling import still_twitches
from reenact.blend.weights import weights_of
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.heading import find_headings
from reenact.core.mirror import mirror
from reenact.core.placement import move_rigidly
from reenact.core.resample import ResampleParameters, resample, sample_at
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError
from reenact.solve.feet import find_feet

FREE = BlendParameters(enforce=False)


def warped_copy(clip: Clip, seed: int) -> tuple[Clip, np.ndarray]:
    """A copy that runs faster here and slower there, turned and moved, and the frames of the original it shows."""
    rng = np.random.default_rng(seed)
    count = int(len(clip) * rng.uniform(0.75, 1.35))
    rates = np.interp(np.linspace(0, 7, count), np.arange(8), rng.uniform(0.5, 1.5, 8))
    at = np.concatenate([[0.0], np.cumsum(rates[1:])])
    at *= (len(clip) - 1) / at[-1]
    return move_rigidly(sample_at(clip, at, clip.fps, "smooth"), (5, 0, -3), 2.1), at


def turn_of(clip: Clip) -> float:
    """Degrees from the first frame to the last."""
    angles = np.unwrap(find_headings(clip).angles)
    return float(np.degrees(angles[-1] - angles[0]))


class TestBadInput:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"method": "magic"}, "method must be one of registration, linear"),
            ({"mode": "jump"}, "mode must be one of"),
            ({"timing": "late"}, "timing must be one of"),
            ({"gap_rule": "coin"}, "gap_rule must be one of"),
            ({"overlap": "some"}, "overlap must be one of close, any"),
            ({"window": 0.3}, "window belongs to mode=transition"),
            ({"window": -1.0, "mode": "transition"}, "window must be above 0"),
            ({"mode": "transition", "weights": "1,0"}, "has its own weights"),
            ({"mode": "transition", "window": 0.3, "method": "linear"}, "needs method=registration"),
            ({"slope_limit": 0}, "slope_limit must be 1 to 15"),
        ],
    )
    def test_parameters(self, options, message):
        with pytest.raises(ParameterError, match=message):
            BlendParameters(**options)

    @pytest.mark.parametrize(
        ("weights", "message"),
        [
            ("1", "2 motions need 2 weights"),
            ("1,-1", "more than 0"),
            ("1.3,-0.3", "-0.2 to 1.2 of their sum"),
            ("0,0", "more than 0"),
            ("1;2", "is not a number"),
        ],
    )
    def test_weights_that_do_not_fit(self, sample, weights, message):
        with pytest.raises(ParameterError, match=message):
            blend([sample("walk_normal"), sample("walk_brisk")], BlendParameters(weights=weights))

    def test_one_clip(self, sample):
        with pytest.raises(ParameterError, match="two clips or more, 1 given"):
            blend([sample("walk_normal")], FREE)

    @pytest.mark.parametrize("method", ["registration", "linear", "thesis"])
    def test_clips_of_a_frame(self, sample, method):
        one = cut_frames(sample("walk_brisk"), 0, 1)
        with pytest.raises(ParameterError, match="at least 4 frames, this has 1"):
            blend([sample("walk_normal"), one], BlendParameters(method=method))

    def test_different_skeletons(self, sample):
        clip = sample("walk_normal")
        skeleton = clip.skeleton
        names = (*skeleton.names[:-1], "Tail")
        other = Clip(Skeleton(names, skeleton.parents, skeleton.offsets), clip.rotations, clip.root, clip.fps, "beast")
        with pytest.raises(SkeletonError, match="Tail"):
            blend([clip, other], FREE)

    def test_unrelated_motions(self, sample):
        with pytest.raises(ParameterError, match=r"do not correspond \(q = .*travels.*gate") as caught:
            blend([sample("walk_normal"), sample("punch_standing")], FREE)
        assert "walk_normal" in str(caught.value)
        forced = blend([sample("walk_normal"), sample("punch_standing")], replace(FREE, gate="warn"))
        assert forced.report["verdict"] == "refused"
        assert np.isfinite(forced.clip.rotations).all()

    def test_plants_that_do_not_fit(self, sample):
        with pytest.raises(ParameterError, match="1 sets of plants for 2 clips"):
            blend([sample("walk_normal"), sample("walk_brisk")], FREE, plants=[None])


class TestOneMotionAlone:
    @pytest.mark.parametrize("motion", [0, 1])
    def test_samples(self, sample, distance, motion):
        clips, plants = bring_together([sample("walk_circle_medium_left"), sample("walk_brisk")])
        made = blend(clips, replace(FREE, weights=("1,0", "0,1")[motion], gate="off", trim="off"), plants)
        assert len(made.clip) == len(clips[motion])
        assert distance(made.clip, clips[motion]) < 1e-5

    @pytest.mark.parametrize(("a", "b"), [("16_17", "16_19"), ("16_11", "16_13"), ("07_01", "08_01")])
    def test_recordings(self, recording, distance, a, b):
        clips, plants = bring_together([recording(a), recording(b)])
        for motion, weights in enumerate(("1,0", "0,1")):
            made = blend(clips, replace(FREE, weights=weights, trim="off"), plants)
            assert len(made.clip) == len(clips[motion])
            assert distance(made.clip, clips[motion]) < 1e-5

    def test_the_clip_comes_back_whole_and_as_recorded(self, recording, distance):
        clips = [recording("16_11"), recording("16_13")]
        made = blend(clips, BlendParameters(weights="1,0"))
        assert len(made.clip) == len(clips[0])
        assert distance(made.clip, clips[0]) < 1e-5
        assert np.abs(made.clip.root - clips[0].root).max() < 1e-4, "it stands where it stood"

    @pytest.mark.parametrize("motion", [0, 1])
    @pytest.mark.parametrize(
        "options", [{}, {"trim": "off"}, {"trim": "steps"}, {"timing": "keytimes", "trim": "steps"}]
    )
    def test_it_is_the_clip_however_it_is_asked_for(self, recording, distance, motion, options):
        """T14 of the specification: within a hundredth of a millimetre up to one rigid transform, frame for frame, feet held or not."""
        clips, plants = bring_together([recording("16_17"), recording("16_19")])
        made = blend(clips, BlendParameters(weights=("1,0", "0,1")[motion], **options), plants)
        start, end = made.report["ranges"][motion]
        assert len(made.clip) == end - start
        assert distance(made.clip, cut_frames(clips[motion], start, end)) < 1e-5

    def test_a_function_and_a_curve_give_the_clip_too(self, recording, distance):
        clips, plants = bring_together([recording("16_17"), recording("16_19")])
        curve = register(clips, RegistrationParameters(trim="off"), plants)
        for made in (
            blend(clips, BlendParameters(trim="off"), plants, weights=lambda _: [0.0, 1.0]),
            blend_curve(curve, BlendParameters(weights="0,1")),
        ):
            assert distance(made.clip, clips[1]) < 1e-5
            assert made.report["clean_up"].startswith("not done")

    @pytest.mark.parametrize(("weights", "motion"), [("1,0", 0), ("0,3", 1), ("0%:0,1; 100%:0,2", 1)])
    def test_untouched(self, recording, weights, motion):
        """To the bit, even when the clips do not correspond and have other rates."""
        clips = [recording("16_15"), resample(recording("79_08"), ResampleParameters(fps=50.0))]
        with pytest.raises(ParameterError, match="do not correspond"):
            blend(clips, BlendParameters(weights=weights))
        made = blend(clips, BlendParameters(weights=weights, untouched=True))
        assert np.shares_memory(made.clip.rotations, clips[motion].rotations)
        assert np.shares_memory(made.clip.root, clips[motion].root)
        assert made.plants is not None
        assert len(made.plants) == len(made.clip)
        with pytest.raises(ParameterError, match="do not correspond"):
            blend(clips, BlendParameters(weights="0.5,0.5", untouched=True))

    def test_plants_are_that_motions(self, recording):
        clips, plants = bring_together([recording("16_17"), recording("16_19")])
        for motion, weights in enumerate(("1,0", "0,1")):
            made = blend(clips, replace(FREE, weights=weights, trim="off"), plants)
            for side in ("left", "right"):
                for point in ("heel", "ball"):
                    own = getattr(plants[motion].foot(side), point)
                    assert np.array_equal(getattr(made.plants.foot(side), point), own)


class TestWarpedCopies:
    @pytest.mark.parametrize("name", ["16_11", "16_15", "07_01"])
    @pytest.mark.parametrize("weights", ["0.5,0.5", "0.2,0.8"])
    def test_a_copy_is_found_again(self, recording, distance, name, weights):
        clip = still_twitches(recording(name))  # those of a recording are not blended
        copy, at = warped_copy(clip, 0)
        made = blend([clip, copy], replace(FREE, weights=weights))
        clips, plants = bring_together([clip, copy])
        curve = register(clips, RegistrationParameters(), plants)
        plan = weights_of(weights, 2)
        schedule = schedule_curve(curve, plan, "blended", curve.fps)
        shown = np.interp(schedule.frames[:, 1], np.arange(len(at)), at)
        truth = sample_at(
            clip, schedule.weights[:, 0] * schedule.frames[:, 0] + schedule.weights[:, 1] * shown, clip.fps
        )
        assert distance(made.clip, truth) < 0.005
        assert toe_slide(made.clip) < toe_slide(truth) + 0.03

    def test_three_copies(self, recording, distance):
        clip = recording("16_11")
        copies = [clip, *(warped_copy(clip, seed) for seed in (1, 2))]
        clips, plants = bring_together([clip, copies[1][0], copies[2][0]])
        shown = [np.arange(len(clip), dtype=float), copies[1][1], copies[2][1]]
        curve = register(clips, RegistrationParameters(), plants)
        frames = curve.warp.frames_at(np.linspace(0, curve.length, 300))
        truth = np.column_stack([np.interp(frames[:, j], np.arange(len(shown[j])), shown[j]) for j in range(3)])
        assert np.abs(truth - truth[:, :1]).mean() < clip.fps / 30
        for motion, weights in enumerate(("1,0,0", "0,1,0", "0,0,1")):
            made = blend(clips, replace(FREE, weights=weights), plants)
            assert distance(made.clip, clips[motion]) < 1e-5


class TestPath:
    @pytest.mark.parametrize(("name", "most"), [("16_17", 0.9), ("16_19", 0.9), ("16_11", 1.0)])
    def test_a_turn_and_its_mirror_image_go_straight(self, recording, name, most):
        clip = recording(name)
        pair = [clip, mirror(clip)]
        assert abs(turn_of(clip)) > 35
        made = blend(pair, replace(FREE, gate="off"))
        assert abs(turn_of(made.clip)) < 3
        assert 0.97 < made.report["path_ratio"] < 1.03
        for method in ("linear", "linear-normalised"):
            assert blend(pair, BlendParameters(method=method)).report["path_ratio"] < most

    def test_opposite_headings_do_not_flip(self, recording):
        clip = recording("16_15")
        away = move_rigidly(clip, (3, 0, 1), np.pi)
        ours, linear = blend([clip, away], FREE), blend([clip, away], BlendParameters(method="linear"))
        steps = [
            np.degrees(np.abs(np.diff(np.unwrap(find_headings(made.clip).angles)))).max() for made in (ours, linear)
        ]
        assert steps[0] < 15
        assert ours.report["path_ratio"] == pytest.approx(1, abs=0.01)
        assert linear.report["path_ratio"] < 0.01, "linear blending walks on the spot between opposite ways"

    def test_the_turn_follows_the_weights(self, recording):
        clips = [recording(name) for name in ("16_11", "16_15", "16_13")]
        turns = [
            turn_of(blend(clips, replace(FREE, weights=w, gate="off", trim="off")).clip)
            for w in ("1,0,0", "0.5,0.5,0", "0,1,0", "0,0.5,0.5", "0,0,1")
        ]
        assert np.all(np.diff(turns) < 0)

    def test_the_reference_path(self, recording):
        """As in the thesis: whatever the weights, the way over the floor is the first motion's."""
        a, b = recording("16_17"), recording("16_19")
        made = blend([a, b], replace(FREE, path="reference", trim="off"))
        end = made.clip.root[-1] - a.root[-1]
        assert np.linalg.norm(end[[0, 2]]) < 0.15
        assert np.linalg.norm(made.clip.root[0] - a.root[0]) < 0.1

    def test_where_clips_stand_does_not_matter(self, recording, distance):
        a, b = recording("16_11"), recording("16_13")
        near = blend([a, b], FREE)
        far = blend([a, move_rigidly(b, (100, 0, -300), 1.0)], FREE)
        assert distance(near.clip, far.clip) < 1e-3


class TestAgainstLinear:
    @pytest.mark.parametrize(
        ("a", "b", "share"),
        [("16_11", "16_13", 0.5), ("16_17", "16_19", 0.5), ("16_15", "16_17", 0.5), ("07_01", "08_01", 0.9)],
    )
    def test_feet_slide_less_and_the_path_is_kept(self, recording, a, b, share):
        clips = [recording(a), recording(b)]
        made = blend(clips, replace(FREE, trim="off"))
        assert made.report["q"] < 0.6
        linear = [toe_slide(blend(clips, BlendParameters(method=m)).clip) for m in ("linear", "linear-normalised")]
        assert toe_slide(made.clip) < share * min(linear)
        assert 0.97 < made.report["path_ratio"] < 1.03


class TestEnforced:
    @pytest.mark.parametrize(
        ("a", "b"), [("16_11", "16_13"), ("16_17", "16_19"), ("16_15", "16_17"), ("07_01", "08_01")]
    )
    def test_planted_points_stay(self, recording, a, b):
        clips = [recording(a), recording(b)]
        made = blend(clips, BlendParameters(trim="off"))
        assert made.plants is not None
        assert made.report["slide_m_s"] <= 0.01
        assert made.report["slide_m_s"] < 0.1 * made.report["slide_before_clean_up_m_s"]
        assert 0.96 <= made.report["path_ratio"] <= 1.03  # held feet that slid forwards take the body back with them
        assert made.report["clean_up"]["drift_mm"]["after"] < 2

    def test_detected_plants_are_the_carried_ones(self, recording):
        made = blend([recording("16_11"), recording("16_13")])
        assert made.plants is not None
        found = detect_plants(made.clip)
        for side in ("left", "right"):
            carried, seen = made.plants.foot(side).plant, found.foot(side).plant
            assert (carried & seen).sum() / (carried | seen).sum() >= 0.7

    def test_lengths_of_bones_do_not_change(self, recording):
        made = blend([recording("16_15"), recording("16_17")])
        places = made.clip.world(np.float64).positions
        parents = made.clip.skeleton.parents
        lengths = np.linalg.norm(places[:, 1:] - places[:, parents[1:]], axis=2)
        assert np.ptp(lengths, axis=0).max() < 1e-5

    def test_the_linear_methods_know_no_plants(self, recording):
        made = blend([recording("16_11"), recording("16_13")], BlendParameters(method="linear"))
        assert "clean_up" not in made.report
        assert made.report["slide_m_s"] > 0.1

    def test_a_transition_at_a_frame_is_held_too(self, recording):
        made = blend([recording("16_11"), recording("16_13")], BlendParameters(mode="transition", window=0.33))
        assert made.report["slide_m_s"] <= 0.01


class TestTransition:
    def test_over_the_whole_of_both(self, recording, distance):
        clips, plants = bring_together([recording("16_11"), recording("16_13")])
        made = blend(clips, replace(FREE, mode="transition"), plants)
        first, last = (cut_frames(made.clip, n, n + 1) for n in (0, len(made.clip) - 1))
        assert distance(first, cut_frames(clips[0], 0, 1)) < 1e-4
        assert distance(last, cut_frames(clips[1], len(clips[1]) - 1, len(clips[1]))) < 1e-4
        assert len(made.clip) <= max(map(len, clips)) + 1
        assert 0.95 < made.report["path_ratio"] < 1.05

    @pytest.mark.parametrize(("a", "b"), [("16_11", "16_13"), ("16_15", "16_35"), ("07_01", "16_15")])
    def test_at_a_frame(self, recording, distance, a, b):
        clips, plants = bring_together([recording(a), recording(b)])
        made = blend(clips, replace(FREE, mode="transition", window=0.33), plants)
        start, end = made.report["window_frames"]
        rest = len(made.clip) - end
        assert distance(cut_frames(made.clip, 0, start + 1), cut_frames(clips[0], 0, start + 1)) < 1e-4
        tail = cut_frames(clips[1], len(clips[1]) - rest - 1, len(clips[1]))
        assert distance(cut_frames(made.clip, end - 1, len(made.clip)), tail) < 1e-4
        jumps = [
            np.linalg.norm(np.diff(clip.world(np.float64).positions, n=2, axis=0), axis=2).max(axis=1)
            for clip in (*clips, made.clip)
        ]
        usual = max(np.percentile(jump, 99) for jump in jumps[:2])
        seams = [n for n in (start - 2, start - 1, end - 3, end - 2) if 0 <= n < len(jumps[2])]
        assert jumps[2][seams].max() < usual
        assert made.plants is not None
        assert len(made.plants) == len(made.clip)

    def test_frames_can_be_given(self, recording):
        made = blend([recording("16_11"), recording("16_13")], replace(FREE, mode="transition", at=200, into=100))
        assert (made.report["at"], made.report["into"]) == (200, 100)
        with pytest.raises(ParameterError, match="at must be 4 to"):
            blend([recording("16_11"), recording("16_13")], replace(FREE, mode="transition", at=9999))

    @pytest.mark.parametrize(("at", "into"), [(150, 200), (300, 180)])
    def test_given_frames_are_the_ones_that_are_joined(self, recording, at, into):
        """Half way the pose is the mean of the two that were asked for, and not of others that fit better."""
        clips = [recording("16_11"), recording("16_13")]
        made = blend(clips, replace(FREE, mode="transition", at=at, into=into))
        a, b = (clip.rotations[frame, 1:].astype(np.float64) for clip, frame in zip(clips, (at, into), strict=True))
        half = R.normalize(a + np.where(np.sum(a * b, axis=-1, keepdims=True) < 0, -b, b))
        off = np.abs(np.sum(made.clip.rotations[:, 1:] * half, axis=-1)).clip(max=1)
        apart = np.degrees(2 * np.arccos(off)).max(axis=1)
        assert apart.min() < 3

    def test_through_three(self, sample):
        clips = [sample(name) for name in ("walk_slow", "walk_normal", "walk_brisk")]
        made = blend(clips, replace(FREE, mode="transition"))
        speed = np.linalg.norm(np.diff(made.clip.root[:, [0, 2]], axis=0), axis=1) * made.clip.fps
        assert speed[:40].mean() < speed[-40:].mean()
        with pytest.raises(ParameterError, match="joins two clips, 3 given"):
            blend(clips, replace(FREE, mode="transition", window=0.3))


class TestThesis:
    def test_preset(self, recording):
        a, b = recording("16_11"), recording("16_13")
        made = blend([a, b], BlendParameters(method="thesis"))
        clips, plants = bring_together([a, b])
        curve = register(clips, BlendParameters(method="thesis").registration(), plants)
        assert [len(own) for own in curve.samples] == [70, 70]
        assert curve.frames[0].tolist() == [0, 0]
        assert curve.frames[-1].tolist() == [len(a) - 1, len(b) - 1]
        assert len(made.clip) == len(curve.path), "a frame for every cell of the path"
        assert np.linalg.norm(made.clip.root[-1, [0, 2]] - a.root[-1, [0, 2]]) < 0.15, "the path of the first motion"
        assert "clean_up" not in made.report
        assert made.clip.seconds == pytest.approx(np.mean([a.seconds, b.seconds]), rel=0.5)


class TestExtrapolation:
    """Weights from -0.2 to 1.2 lead beyond the clips."""

    def test_speed(self, sample):
        clips = [sample("walk_slow"), sample("walk_brisk")]
        speeds = []
        for weights in ("1.2,-0.2", "1,0", "0.5,0.5", "0,1", "-0.2,1.2"):
            made = blend(clips, replace(FREE, weights=weights, trim="steps"))
            speeds.append(floor_way(made.clip) / made.clip.seconds)
            assert np.isfinite(made.clip.rotations).all()
        assert np.all(np.diff(speeds) > 0.05)

    def test_turn(self, recording):
        clips = [recording("16_11"), recording("16_13")]
        turns = [
            turn_of(blend(clips, replace(FREE, weights=w, trim="steps")).clip)
            for w in ("1.2,-0.2", "1,0", "0,1", "-0.2,1.2")
        ]
        assert np.all(np.diff(turns) < -3)

    @pytest.mark.parametrize("weights", ["1.2,-0.2", "-0.2,1.2"])
    def test_feet_stay_planted_and_on_the_floor(self, recording, weights):
        clips = [recording("16_15"), recording("16_17")]
        made = blend(clips, BlendParameters(weights=weights))
        assert made.report["slide_m_s"] <= 0.01
        floor = np.mean([detect_plants(clip).floor.height for clip in clips])
        lowest = lowest_points(made.clip, find_feet(made.clip.skeleton, *clips))
        assert np.percentile(lowest, 1) > floor - 0.02
        assert np.median(lowest) < floor + 0.03

    def test_the_pose_goes_on_where_the_arc_ends(self, sample):
        """At one moment of a clip and a copy whose elbow is bent by a known angle."""
        clip = cut_frames(sample("stand"), 0, 120)
        elbow = clip.skeleton.roles["left_lower_arm"]
        bend = R.exp(np.array([0.0, 0.4, 0.0]))
        bent = clip.rotations.astype(np.float64)
        bent[:, elbow] = R.multiply(bent[:, elbow], np.broadcast_to(bend, bent[:, elbow].shape))
        other = replace(clip, rotations=bent.astype(np.float32))
        made = blend([clip, other], replace(FREE, weights="-0.2,1.2", trim="off"))
        way = R.log(
            R.multiply(
                R.conjugate(clip.rotations[60, elbow].astype(float)), made.clip.rotations[60, elbow].astype(float)
            )
        )
        assert np.linalg.norm(way) == pytest.approx(1.2 * 0.4, abs=0.01)


class TestReport:
    def test_it_is_plain_and_complete(self, sample):
        made = blend([sample("walk_normal"), sample("walk_brisk")], FREE)
        json.dumps(made.report)
        wanted = {
            "q", "verdict", "reasons", "ranges", "matches", "slide_m_s", "path_m", "path_ratio", "jerk_m_s3", "seconds",
        }  # fmt: skip
        assert wanted <= set(made.report)
        assert made.report["weights"] == [0.5, 0.5]
        assert made.report["path_m"] == pytest.approx(floor_way(made.clip), abs=1e-3)
        assert made.report["slide_m_s"] == pytest.approx(slide_speed(made.clip, made.plants), abs=1e-4)

    def test_points_of_the_body_can_have_weights(self, sample, tmp_path):
        clips = [cut_frames(sample(name), 0, 300) for name in ("walk_normal", "walk_brisk")]
        file = tmp_path / "w.txt"
        file.write_text("left_foot 1\nright_foot 1\n")
        asked = (
            {},
            {"point_weights": "left_foot=1,right_foot=1"},
            {"point_weights_file": file},
        )
        q = [blend(clips, replace(FREE, trim="off", gate="off", **one)).report["q"] for one in asked]
        assert q[1] == q[2] != q[0]
        with pytest.raises(ParameterError, match="weights must be equal"):
            BlendParameters(point_weights="feet")

    def test_weights_as_a_function(self, sample):
        made = blend([sample("walk_normal"), sample("walk_brisk")], FREE, weights=lambda t: [1.0, t])
        assert made.report["weights"] == "a function of time"

    def test_a_function_that_gives_one_clip_says_that_it_is_cut(self, sample):
        clips = [sample("walk_normal"), sample("walk_fast")]
        made = blend(clips, FREE, weights=lambda _: [1.0, 0.0])
        assert len(made.clip) < len(clips[0])
        assert any(made.report["left_out"] in doubt for doubt in made.report["doubts"])
        (start, end), _ = made.report["ranges"]
        assert f"frames 0 to {start} and {end} to {len(clips[0])} of walk_normal" in made.report["left_out"]
        whole = blend(clips, FREE, weights=[1.0, 0.0])
        assert len(whole.clip) == len(clips[0])
        assert "left_out" not in whole.report
        assert not whole.report["doubts"]

    def test_rates_and_floors_are_brought_together(self, sample):
        a, b = sample("walk_normal"), sample("walk_brisk")
        other = move_rigidly(resample(b, ResampleParameters(fps=30.0)), (0, 0.4, 0))
        clips, plants = bring_together([a, other])
        assert clips[1].fps == a.fps
        assert len(plants[1]) == len(clips[1])
        assert abs(np.median(clips[1].root[:, 1]) - np.median(b.root[:, 1])) < 0.005
        made = blend([a, other], FREE)
        assert made.clip.fps == a.fps
        assert made.clip.root[:, 1].max() < a.root[:, 1].max() + 0.05
