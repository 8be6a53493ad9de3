"""Warps: exact at keys, nothing outside, monotone in time, bands that add up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.edit.displacement import PoseKey, displace, key_to_pose
from reenact.edit.filtering import filter_bands, smooth_motion, split_bands
from reenact.edit.splines import SPLINES, spread_keys
from reenact.edit.time_warp import warp_time
from reenact.edit.warp import WarpParameters, read_keys, warp
from reenact.errors import ParameterError, SkeletonError
from reenact.samples import make_sample
from reenact.solve.joint_pushes import joint_accelerations
from reenact.solve.planted_points import measure_slips

Planted = Callable[[str], tuple[Clip, FootPlants]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("120 head", "a key is FRAME JOINT X,Y,Z or FRAME JOINT xFACTOR, not '120 head'"),
        ("x head 1,2,3", "a key is FRAME"),
        ("1 head 1,2,z", "X,Y,Z must be numbers"),
        ("1 head xy", "a factor must be one number after the x"),
        ("1 head x1,2", "a key is FRAME JOINT"),
        ("1 move x2", "move takes X,Y,Z in metres"),
        ("1 head x2; 1 head x3", "head has two keys in frame 1"),
        ("1 head 1,2,3; 1 head 0,0,1", "head has two keys in frame 1"),
    ],
)
def test_bad_keys_are_named(text: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        WarpParameters(keys=text)


def test_bad_input_is_named(planted: Planted) -> None:
    clip, _ = planted("walk_normal")
    with pytest.raises(ParameterError, match="nothing to do"):
        warp(clip)
    with pytest.raises(
        ParameterError, match="key at frame 420 is not a frame of 'walk_normal', which has frames 0 to 419"
    ):
        warp(clip, WarpParameters(keys="420 head 1,2,3"))
    with pytest.raises(SkeletonError, match="no joint or role 'tail'"):
        warp(clip, WarpParameters(keys="20 tail 1,2,3"))
    with pytest.raises(ParameterError, match="must lie between start 30 and end"):
        warp(clip, WarpParameters(keys="20 head 1,2,3", start=30))
    with pytest.raises(ParameterError, match="must ascend on both sides"):
        warp(clip, WarpParameters(times="50=60, 60=55"))
    with pytest.raises(ParameterError, match="OLD=NEW in frames, not '50'"):
        WarpParameters(times="50")
    with pytest.raises(ParameterError, match="time key 500 is not a frame"):
        warp_time(clip, [(500, 600)])
    with pytest.raises(ParameterError, match="bands must be numbers"):
        WarpParameters(bands="a,b")
    with pytest.raises(ParameterError, match="spline must be one of"):
        WarpParameters(keys="1 head 1,2,3", spline="linear")  # type: ignore[arg-type]


@given(
    st.lists(st.integers(1, 99), min_size=1, max_size=8, unique=True),
    st.sampled_from(SPLINES),
    st.integers(0, 1000),
)
def test_curves_pass_through_their_keys(places: list[int], spline: str, seed: int) -> None:
    keys = np.array(sorted(places), dtype=np.float64)
    values = np.random.default_rng(seed).normal(size=(len(keys), 3))
    at = np.arange(-20.0, 121.0)
    curve = spread_keys(keys, values, 0.0, 100.0, at, spline)  # type: ignore[arg-type]
    np.testing.assert_allclose(curve[keys.astype(int) + 20], values, atol=1e-6)
    assert np.all(curve[(at <= 0) | (at >= 100)] == 0)


@pytest.mark.parametrize("spline", SPLINES)
def test_an_edit_is_exact_at_keys_and_nothing_outside(planted: Planted, spline: str) -> None:
    clip, _ = planted("walk_normal")
    keys = [
        PoseKey(150, {"left_upper_arm": (0.0, 0.0, 0.8), "head": (0.2, 0.0, 0.0)}, (0.0, -0.04, 0.0)),
        PoseKey(190, {"left_upper_arm": (0.3, 0.0, -0.4)}),
    ]
    edited = displace(clip, keys, start=120, end=230, spline=spline)  # type: ignore[arg-type]
    for key in keys:
        for name, turn in key.turns.items():
            joint = clip.skeleton.joint(name)
            wanted = R.multiply(clip.rotations[key.frame, joint].astype(np.float64), R.exp(np.array(turn)))
            assert R.angle_between(edited.rotations[key.frame, joint].astype(np.float64), wanted) < 1e-6
    np.testing.assert_allclose(edited.root[150] - clip.root[150], [0, -0.04, 0], atol=1e-6)
    outside = np.r_[0:121, 230 : len(clip)]
    assert np.array_equal(edited.rotations[outside], clip.rotations[outside])
    assert np.array_equal(edited.root[outside], clip.root[outside])
    others = [
        j for j in range(len(clip.skeleton)) if j not in {clip.skeleton.joint(n) for n in ("left_upper_arm", "head")}
    ]
    assert np.array_equal(edited.rotations[:, others], clip.rotations[:, others])
    if spline != "monotone":
        assert joint_accelerations(edited).max() < 1.5 * joint_accelerations(clip).max()


def test_a_key_taken_from_a_pose_meets_it(planted: Planted) -> None:
    clip, _ = planted("walk_normal")
    pose = planted("kick_right")[0].rotations[120]
    edited = displace(clip, [key_to_pose(clip, 200, pose, clip.root[200] + [0, 0.1, 0])])
    assert R.angle_between(edited.rotations[200].astype(np.float64), pose.astype(np.float64)).max() < 1e-5
    np.testing.assert_allclose(edited.root[200], clip.root[200] + [0, 0.1, 0], atol=1e-6)


def test_keys_from_text_are_degrees_and_metres(planted: Planted) -> None:
    keys = read_keys("# a comment\n150 head 90,0,0; 150 move 0, 0.1, 0\n 120 left_hand 0,0,-45")
    assert [key.frame for key in keys] == [120, 150]
    np.testing.assert_allclose(keys[1].turns["head"], [np.pi / 2, 0, 0])
    assert list(keys[1].shift or ()) == [0.0, 0.1, 0.0]
    clip, _ = planted("walk_normal")
    made = warp(clip, WarpParameters(keys="150 head 30,0,0", reach=0.25))
    assert made.report["frames_changed"] == [136, 165]
    np.testing.assert_allclose(made.report["largest_edit_degrees"], 30.0, atol=0.01)


def test_held_feet_stay_when_the_hips_go_down(planted: Planted) -> None:
    clip, plants = planted("walk_normal")
    asked = WarpParameters(keys="200 move 0,-0.12,0", reach=0.8)
    free, held = warp(clip, asked, plants), warp(clip, replace(asked, feet="hold"), plants)
    assert free.clip.world().positions[:, :, 1].min() < -0.03
    assert held.clip.world().positions[:, :, 1].min() > -0.005
    assert held.report["slip_mm"] <= 5.0
    hips = clip.skeleton.roles["hips"]
    gap = held.clip.world().positions[200, hips, 1] - clip.world().positions[200, hips, 1]
    np.testing.assert_allclose(gap, -0.12, atol=0.005)


def test_time_keys_move_moments(planted: Planted) -> None:
    clip, plants = planted("walk_normal")
    made = warp(clip, WarpParameters(times="100=140, 200=220"), plants)
    assert len(made.clip) == len(clip) + 20 == len(made.plants)
    for old, new in ((0, 0), (100, 140), (200, 220), (419, 439)):
        np.testing.assert_allclose(made.clip.root[new], clip.root[old], atol=1e-6)
    _, shown = warp_time(clip, [(100, 140), (200, 220)])
    assert (np.diff(shown) > 0).all()
    np.testing.assert_allclose(np.diff(shown)[260:], 1.0, atol=1e-6)
    assert made.plants.left.heel[140] == plants.left.heel[100]


def test_bands_add_up_and_gains_work(planted: Planted) -> None:
    clip, _ = planted("march")
    curves = np.random.default_rng(3).normal(size=(200, 4))
    np.testing.assert_allclose(sum(split_bands(curves, 5)), curves, atol=1e-12)
    same = filter_bands(clip, (1.0, 1.0, 1.0))
    assert R.angle_between(same.rotations.astype(np.float64), clip.rotations.astype(np.float64)).max() < 1e-5
    np.testing.assert_allclose(same.root, clip.root, atol=1e-6)
    arm = clip.skeleton.roles["left_upper_leg"]
    spans = {}
    for gain in (0.5, 1.0, 1.5):
        changed = filter_bands(clip, (1, 1, 1, gain, gain, gain), ["left_upper_leg"])
        turned = R.angle_between(changed.rotations[:, arm].astype(np.float64), R.mean(changed.rotations[:, arm]))
        spans[gain] = float(np.percentile(turned, 90))
        others = [j for j in range(len(clip.skeleton)) if j != arm]
        assert np.array_equal(changed.rotations[:, others], clip.rotations[:, others])
    assert spans[0.5] < 0.8 * spans[1.0] < 0.8 * spans[1.5]


def test_smoothing_calms_noise(planted: Planted) -> None:
    clip, _ = planted("walk_normal")
    noise = R.exp(np.random.default_rng(1).normal(scale=0.02, size=(len(clip), len(clip.skeleton), 3)))
    noisy = replace(clip, rotations=R.multiply(clip.rotations.astype(np.float64), noise).astype(np.float32))
    calm = smooth_motion(noisy, 0.04)
    assert joint_accelerations(calm).max() < 0.3 * joint_accelerations(noisy).max()
    gap = np.linalg.norm(calm.world().positions - clip.world().positions, axis=2)
    assert np.median(gap) < 0.02
    np.testing.assert_array_equal(calm.root[:, [0, 2]], noisy.root[:, [0, 2]])


def test_scaled_joints_are_turned_so_many_times_as_far() -> None:
    walk = make_sample("walk_normal").clip
    joint = walk.skeleton.joint("left_upper_arm")
    keys = read_keys("60 left_upper_arm x2; 90 left_upper_arm x2; 120 left_upper_arm x0")
    edited = displace(walk, keys, start=40, end=140)
    mean = R.normalize(R.mean(walk.rotations[:, joint].astype(np.float64)))

    def away(clip, frame):
        return R.log(R.multiply(R.conjugate(mean), clip.rotations[frame, joint].astype(np.float64)))

    for frame, factor in ((60, 2.0), (90, 2.0), (120, 0.0)):
        np.testing.assert_allclose(away(edited, frame), factor * away(walk, frame), atol=2e-6)
    outside = np.r_[0:41, 140 : len(walk)]
    np.testing.assert_array_equal(edited.rotations[outside], walk.rotations[outside])
    others = [j for j in range(len(walk.skeleton)) if j != joint]
    np.testing.assert_array_equal(edited.rotations[:, others], walk.rotations[:, others])


def test_a_joint_is_scaled_before_it_is_displaced() -> None:
    walk = make_sample("walk_normal").clip
    both = displace(walk, read_keys("70 head x1.5; 70 head 0,20,0"))
    one_by_one = displace(displace(walk, read_keys("70 head x1.5")), read_keys("70 head 0,20,0"))
    np.testing.assert_allclose(both.rotations, one_by_one.rotations, atol=1e-6)
    with pytest.raises(ParameterError, match="a scale must lie in -10 to 10, not 40"):
        displace(walk, read_keys("70 head x40"))


@pytest.mark.parametrize("seed", range(20))
def test_many_levels_meet_every_key_and_hardly_swing_beyond(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 9))
    keys = np.sort(rng.choice(np.arange(1, 240), count, replace=False)).astype(np.float64)
    values = rng.normal(size=(count, 3))
    curve = spread_keys(keys, values, 0.0, 240.0, np.arange(0, 241.0), "multiresolution")
    np.testing.assert_allclose(curve[keys.astype(int)], values, atol=1e-9)
    np.testing.assert_array_equal(curve[[0, -1]], 0.0)
    assert np.abs(curve).max() < 3 * np.abs(values).max()


def test_keys_in_neighbouring_frames_of_a_long_clip() -> None:
    keys = np.array([5000.0, 5001.0, 5002.0, 70000.0])
    values = np.array([[1.0], [-1.0], [1.0], [0.5]])
    curve = spread_keys(keys, values, 0.0, 100_000.0, np.arange(0, 100_001.0), "multiresolution")
    np.testing.assert_allclose(curve[keys.astype(int)], values, atol=1e-9)


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["16_15", "10_01", "75_17"])
@pytest.mark.parametrize("spline", SPLINES)
def test_recordings_meet_their_keys_and_are_left_alone_outside(recorded: Planted, name: str, spline: str) -> None:
    clip, _ = recorded(name)
    middle = len(clip) // 2
    keys = [
        PoseKey(middle - 30, {"right_upper_arm": (0.4, -0.2, 0.9), "spine": (0.2, 0.0, 0.1)}, (0.02, -0.05, 0.0)),
        PoseKey(middle + 25, {"right_upper_arm": (0.0, 0.3, -0.5)}),
    ]
    start, end = middle - 80, middle + 90
    edited = displace(clip, keys, start=start, end=end, spline=spline)  # type: ignore[arg-type]
    for key in keys:
        for role, turn in key.turns.items():
            joint = clip.skeleton.joint(role)
            wanted = R.multiply(clip.rotations[key.frame, joint].astype(np.float64), R.exp(np.array(turn)))
            assert R.angle_between(edited.rotations[key.frame, joint].astype(np.float64), wanted) < 1e-6
    np.testing.assert_allclose(edited.root[middle - 30] - clip.root[middle - 30], [0.02, -0.05, 0.0], atol=1e-6)
    outside = np.r_[0 : start + 1, end : len(clip)]
    np.testing.assert_array_equal(edited.rotations[outside], clip.rotations[outside])
    np.testing.assert_array_equal(edited.root[outside], clip.root[outside])


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["16_15", "02_01"])
def test_held_feet_leave_the_rest_of_a_recording_alone(recorded: Planted, name: str) -> None:
    clip, plants = recorded(name)
    middle, reach = len(clip) // 2, round(0.6 * clip.fps)
    made = warp(clip, WarpParameters(keys=f"{middle} move 0,-0.1,0", reach=0.6, feet="hold"), plants)
    outside = np.r_[0 : middle - reach + 1, middle + reach : len(clip)]
    np.testing.assert_array_equal(made.clip.rotations[outside], clip.rotations[outside])
    np.testing.assert_array_equal(made.clip.root[outside], clip.root[outside])
    before = max(slip["slip_mm"] for slip in measure_slips(clip, plants))
    assert made.report["slip_mm"] <= before + 1.5
    assert joint_accelerations(made.clip).max() <= 1.5 * joint_accelerations(clip).max()
    hips = made.clip.world().positions[middle, 0, 1] - clip.world().positions[middle, 0, 1]
    np.testing.assert_allclose(hips, -0.1, atol=0.01)
