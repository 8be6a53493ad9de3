from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import reenact
from reenact.analysis.chains import group_joints
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.pose_sampling import sample_poses_of
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError
from reenact.graft.chain_choice import chest_of, choose_chains
from reenact.graft.coupling import calm_headings
from reenact.graft.graft_parameters import KEEPS
from reenact.graft.grafting import GraftParameters, build_graft, graft_clips, make_graft


def test_a_graft_takes_two_clips(sample) -> None:
    with pytest.raises(ParameterError, match="two clips, base and source, 1 given"):
        graft_clips([sample("walk_normal")])


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"chains": "tail"}, "no chain 'tail'; there are .*left_arm"),
        ({"base_range": "50:50"}, "less than 2 frames"),
        ({"base_range": "5"}, "must be START:END"),
        ({"source_range": "a:b"}, "must be START:END"),
        ({"source_range": "0:100000"}, "less than 2 frames"),
        ({"shift": 99}, "no correlation is shifted by 99"),
    ],
)
def test_what_cannot_be_done_is_refused(sample, asked: dict, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        make_graft(sample("walk_normal"), sample("walk_brisk"), GraftParameters(**asked))


@pytest.mark.parametrize(
    "asked", [{"keep": "head"}, {"correlate": "dtw"}, {"curve": "cubic"}, {"blend": -1.0}, {"speed": 0.0}]
)
def test_parameters_are_checked(asked: dict) -> None:
    with pytest.raises(ParameterError):
        GraftParameters(**asked)


def test_clips_without_frames_or_numbers_are_refused(sample) -> None:
    walk = sample("walk_normal")
    short = Clip(walk.skeleton, walk.rotations[:2], walk.root[:2], walk.fps, "short")
    with pytest.raises(ParameterError, match="at least 4 frames"):
        make_graft(walk, short)
    root = walk.root.copy()
    root[3] = np.nan
    with pytest.raises(ParameterError, match="numbers that are none"):
        make_graft(walk, replace(walk, root=root, name="broken"))


def test_steps_that_cannot_be_paired_are_refused_with_a_hint(sample) -> None:
    with pytest.raises(ParameterError, match=r"never stands on one foot alone.*correlate=natural"):
        make_graft(sample("walk_normal"), sample("stand"), GraftParameters(correlate="plants"))


def test_another_skeleton_is_refused_unless_it_is_asked_for(sample) -> None:
    walk = sample("walk_normal")
    bare = Skeleton(("a", "b"), np.array([-1, 0]), np.zeros((2, 3)) + (0, 1, 0))
    other = Clip(bare, np.tile([1.0, 0, 0, 0], (50, 2, 1)), np.zeros((50, 3)), 60.0, "stick")
    with pytest.raises(SkeletonError, match="cannot be mapped"):
        make_graft(walk, other)
    renamed = replace(walk.skeleton, names=tuple(f"x{name}" for name in walk.skeleton.names))
    with pytest.raises(SkeletonError, match="use --map"):
        make_graft(walk, replace(walk, skeleton=renamed, name="renamed"))
    made = make_graft(walk, replace(walk, skeleton=renamed, name="renamed"), GraftParameters(map=True))
    assert "renamed was brought onto the skeleton" in made.report["mapped"]


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("name", ["walk_normal", "run", "wave_walking", "stand", "jump_forward"])
def test_a_motion_on_itself_is_itself(sample, name: str, keep: str) -> None:
    clip = sample(name)
    made = make_graft(clip, clip, GraftParameters(keep=keep))
    assert np.abs(made.clip.rotations - clip.rotations).max() <= 1e-9
    assert np.array_equal(made.clip.root, clip.root)


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize(
    "pair", [("walk_normal", "run"), ("run", "walk_slow"), ("walk_fast", "wave_standing"), ("jump_up", "jump_forward")]
)
def test_root_and_legs_are_the_bases_to_the_last_bit(sample, pair: tuple[str, str], keep: str) -> None:
    base, source = map(sample, pair)
    made = make_graft(base, source, GraftParameters(keep=keep))
    groups = group_joints(base.skeleton)
    kept = [*groups["root"], *groups["lower"]]
    assert np.array_equal(made.clip.rotations[:, kept], base.rotations[:, kept])
    assert np.array_equal(made.clip.root, base.root)
    assert made.clip.plants is made.plants
    ours = build_graft(base, source, GraftParameters(keep=keep)).base.plants
    for side in ("left", "right"):
        assert np.array_equal(made.plants.foot(side).heel, ours.foot(side).heel)
    assert not np.array_equal(made.clip.rotations, base.rotations)


def test_away_from_the_blends_a_chain_is_the_warped_source(sample) -> None:
    base, source = sample("walk_normal"), sample("run")
    graft = build_graft(base, source, GraftParameters(keep="local"))
    joints = list(graft.chosen.joints)
    alone = graft.made.frames[graft.made.shares == 1.0]
    assert len(alone) > 20
    wanted = sample_poses_of(graft.source.clip, graft.time.map.at(alone)).rotations[:, joints]
    np.testing.assert_allclose(graft.made.clip.rotations[alone][:, joints], wanted, atol=1e-6)
    before = np.setdiff1d(np.arange(len(base)), graft.made.frames)
    assert np.array_equal(graft.made.clip.rotations[before], base.rotations[before])


def test_a_selected_limb_leaves_the_others_alone(sample) -> None:
    base, source = sample("walk_normal"), sample("wave_walking")
    made = make_graft(base, source, GraftParameters(chains="right_arm"))
    arm = set(choose_chains(base.skeleton, "right_arm").joints)
    others = [joint for joint in range(len(base.skeleton)) if joint not in arm]
    assert np.array_equal(made.clip.rotations[:, others], base.rotations[:, others])
    hand, head = (base.skeleton.roles[name] for name in ("right_hand", "head"))

    def highest(clip: Clip) -> float:
        places = clip.world().positions
        return float((places[:, hand, 1] - places[:, head, 1]).max())

    assert highest(made.clip) > highest(base) + 0.2


def test_the_chest_is_held_as_in_the_source(sample) -> None:
    base, source = sample("run"), sample("walk_slow")
    chest = chest_of(base.skeleton)

    def held(clip: Clip, at) -> np.ndarray:
        world = clip.world(np.float64).rotations[:, chest]
        return R.multiply(R.about_y(-calm_headings(clip)), world)[np.rint(at).astype(int)]

    off = {}
    for keep in ("local", "chest"):
        graft = build_graft(base, source, GraftParameters(keep=keep))
        alone = graft.made.frames[graft.made.shares == 1.0]
        gaps = R.angle_between(held(graft.made.clip, alone), held(graft.source.clip, graft.time.map.at(alone)))
        off[keep] = float(np.degrees(gaps.mean()))
    assert off["chest"] < 1.0
    assert off["local"] > 2 * off["chest"]


def test_given_ranges_are_mapped_straight(sample) -> None:
    base, source = sample("walk_normal"), sample("walk_brisk")
    made = make_graft(base, source, GraftParameters(base_range="20:101", source_range="10:51"))
    assert made.report["correlation"] == "ranges"
    assert made.report["domain"] == [20, 101]
    assert made.report["source_frames"] == [10.0, 50.0]
    assert made.report["speeds"] == [0.5, 0.5]


def test_one_range_limits_the_map(sample) -> None:
    base, source = sample("walk_normal"), sample("walk_brisk")
    whole = make_graft(base, source).report["domain"]
    middle = (whole[0] + whole[1]) // 2
    made = make_graft(base, source, GraftParameters(base_range=f"{middle}:"))
    assert made.report["domain"][0] == middle
    assert made.report["correlation"] == "plants"
    late = next(one for one in make_graft(base, source).report["shifts"] if one["start"] > 10)
    with pytest.raises(ParameterError, match="leaves nothing"):
        make_graft(base, source, GraftParameters(base_range="0:5", shift=late["shift"]))


def test_only_the_grafted_frames_on_request(sample) -> None:
    base, source = sample("walk_normal"), sample("run")
    whole, cut = (make_graft(base, source, GraftParameters(cut=cut)) for cut in (False, True))
    start, end = whole.report["domain"]
    assert len(whole.clip) == len(base)
    assert np.array_equal(cut.clip.rotations, whole.clip.rotations[start:end])
    assert len(cut.plants) == end - start


def test_gestures_of_a_standing_body_keep_their_speed(sample) -> None:
    made = make_graft(sample("walk_normal"), sample("wave_standing"))
    assert made.report["correlation"] == "natural"
    assert made.report["speeds"] == [1.0, 1.0]
    fast = make_graft(sample("walk_normal"), sample("wave_standing"), GraftParameters(speed=2.0))
    assert fast.report["speeds"] == [2.0, 2.0]


def test_without_a_warp_the_source_keeps_its_speed(sample) -> None:
    made = make_graft(sample("walk_normal"), sample("run"), GraftParameters(warp=False))
    assert made.report["speeds"] == [1.0, 1.0]
    warped = build_graft(sample("walk_normal"), sample("run")).time.plain
    middle = 0.5 * (warped.start + warped.end)
    straight = build_graft(sample("walk_normal"), sample("run"), GraftParameters(warp=False)).time.map
    assert straight.at(middle) == pytest.approx(float(warped.at(middle)), abs=2)


def test_jumps_are_registered(sample) -> None:
    made = make_graft(sample("jump_up"), sample("jump_forward"))
    assert made.report["correlation"].startswith("registration")


def test_a_pair_outside_the_rules_is_made_with_a_word(sample) -> None:
    made = make_graft(sample("walk_normal"), sample("jump_up"))
    assert any("upper body of a jump" in words for words in made.report["doubts"])
    assert not any("upper body" in words for words in make_graft(sample("walk_normal"), sample("run")).report["doubts"])


def test_other_frame_rates_are_met(sample) -> None:
    walk, run = sample("walk_normal"), sample("run")
    slow = reenact.resample(run, fps=run.fps / 2).clip
    made = make_graft(walk, slow)
    assert made.clip.fps == walk.fps
    same = make_graft(walk, run).report
    assert np.allclose(np.array(made.report["source_frames"]) * 2, same["source_frames"], atol=8)


def test_by_the_function_of_the_package(sample) -> None:
    made = reenact.graft(sample("walk_normal"), sample("wave_walking"), chains="right_arm")
    assert made.report["masked"].startswith("right_arm")
    assert made.clip.name == "walk_normal+wave_walking"


def test_arms_swing_with_the_legs_of_another_gait(recording) -> None:
    for base, source in (("16_15", "16_35"), ("16_35", "16_15"), ("08_01", "08_07")):
        made = make_graft(recording(base), recording(source))
        assert made.report["phase_error"] < 0.1


def test_arms_go_with_legs_that_walk_backwards(recording) -> None:
    made = make_graft(recording("113_01"), recording("16_15"))
    assert "opposite feet" in made.report["correlation"]
    assert made.report["phase_error"] < 0.15
