"""Poses apart from where they were recorded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.analysis.plants import detect_plants
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.cutting import CutParameters, cut
from reenact.core.heading import headings, wrap
from reenact.core.mirror import mirror
from reenact.core.placement import Placement, move_rigidly, placement_of
from reenact.core.resample import ResampleParameters, resample
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError
from reenact.mobility.gathering import GatheringParameters, build_pose_database
from reenact.mobility.labels import LABELS, label_bit
from reenact.mobility.level_clips import MOST, share_off_level
from reenact.mobility.map_building import _left_out
from reenact.mobility.pose_database import PoseDatabase, join_databases, keep_clips, turn_rates_of

PLAIN = GatheringParameters(mirrored=False)


def test_no_clips_and_too_short_clips_are_refused(walks) -> None:
    with pytest.raises(ParameterError, match="at least one clip"):
        build_pose_database([])
    short = cut(walks[1], CutParameters(start=0, end=4))
    with pytest.raises(ParameterError, match="no clip has 3 poses at 30 Hz"):
        build_pose_database([short])
    made = build_pose_database([walks[1], short], PLAIN)
    assert made.names == (walks[1].name,)


def test_other_joints_are_refused_with_an_offer_to_map_them(walks, recordings) -> None:
    with pytest.raises(SkeletonError, match="--map") as error:
        build_pose_database([recordings[0], walks[1]], PLAIN)
    assert walks[1].name in str(error.value)
    assert dict(error.value.remedies[0].parameters) == {"map": True}
    made = build_pose_database([recordings[0], walks[1]], GatheringParameters(mirrored=False, map=True))
    assert made.skeleton is recordings[0].skeleton
    assert len(made.names) == 2


def test_joints_that_cannot_be_mapped_are_refused_even_then(walks, stick: Skeleton) -> None:
    still = Clip(stick, np.tile([1.0, 0, 0, 0], (60, 3, 1)), np.zeros((60, 3)), 60.0, "stick")
    with pytest.raises(SkeletonError, match="stick"):
        build_pose_database([walks[1], still], GatheringParameters(map=True))


@pytest.mark.parametrize("wrong", [{"fps": 0}, {"heading_smoothing": -1}, {"detector": "x"}])
def test_parameters_out_of_range_are_refused(wrong) -> None:
    with pytest.raises(ParameterError):
        GatheringParameters(**wrong)


def test_poses_and_clips_are_those_of_the_files(walks, poses: PoseDatabase) -> None:
    wanted = [int((len(clip) - 1) * 30 / clip.fps) + 1 for clip in walks]
    assert np.diff(poses.starts).tolist() == wanted * 2
    assert poses.mirrored.tolist() == [False] * len(walks) + [True] * len(walks)
    assert poses.names == tuple(clip.name for clip in walks) * 2
    assert poses.is_first.sum() == poses.is_last.sum() == 2 * len(walks)
    assert poses.locate(int(poses.starts[2]) + 5) == (walks[2].name, False, 5)
    with pytest.raises(ParameterError, match="no pose"):
        poses.locate(poses.poses)


def _turning(skeleton: Skeleton, angles: np.ndarray) -> Clip:
    """A body that stands on one spot and turns to known headings."""
    rotations = np.tile([1.0, 0, 0, 0], (len(angles), len(skeleton), 1))
    rotations[:, 0] = R.multiply(R.about_y(angles), R.from_axis_angle([1.0, 0, 0], 0.3))
    legs = np.array([[0.1, 0, 0], [-0.1, 0, 0]])
    two_legs = Skeleton(
        ("Hips", "LeftUpLeg", "RightUpLeg"),
        np.array([-1, 0, 0], np.int32),
        np.concatenate([[[0, 1, 0]], legs]),
        roles={"hips": 0, "left_upper_leg": 1, "right_upper_leg": 2},
    )
    root = np.tile([0.5, 1.0, -0.3], (len(angles), 1))
    return Clip(two_legs, rotations[:, :3], root, 30.0, "turning")


def test_known_headings_over_the_full_circle(stick) -> None:
    angles = np.linspace(-np.pi, np.pi, 91)
    made = build_pose_database([_turning(stick, angles)], PLAIN)
    np.testing.assert_allclose(made.increments[1:, 2], np.diff(angles), atol=1e-6)
    tilted = R.from_axis_angle([1.0, 0, 0], 0.3)
    assert np.max(R.angle_between(made.rotations[:, 0].astype(np.float64), tilted)) < 1e-5
    np.testing.assert_allclose(made.increments[:, :2], 0, atol=1e-6)


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_replay_from_anywhere_is_the_recording_moved_rigidly(walks, smoothing) -> None:
    clip = resample(walks[4], ResampleParameters(fps=30, method="smooth"))
    made = build_pose_database([clip], GatheringParameters(mirrored=False, heading_smoothing=smoothing))
    for place in (Placement((3.0, -2.0), 2.5), Placement()):
        played = made.play(np.arange(made.poses), place)
        back = placement_of(clip) if smoothing == 0 else None
        turn = place.heading - (headings(clip)[0] if back else 0.0)
        if back is None:  # the smoothed heading of the first pose is not that of the hips
            own = placement_of(clip)
            turn = float(wrap(placement_of(played).heading - own.heading))
        moved = move_rigidly(clip, heading=turn)
        shift = played.root[0, [0, 2]] - moved.root[0, [0, 2]]
        np.testing.assert_allclose(played.root[:, [0, 2]], moved.root[:, [0, 2]] + shift, atol=1e-4)
        apart = R.angle_between(played.rotations.astype(np.float64), moved.rotations.astype(np.float64))
        assert np.max(apart) < 1e-3
        np.testing.assert_allclose(np.diff(played.root[:, 1]), np.diff(clip.root[:, 1]), atol=1e-5)


def test_real_poses_have_no_heading_and_replay_without_error(recorded_poses, recordings) -> None:
    database = keep_clips(recorded_poses, np.flatnonzero(~recorded_poses.mirrored))
    for clip in range(len(database.names)):
        rows = np.arange(database.starts[clip], database.starts[clip + 1])
        still = replace(
            database.play(rows),
            rotations=database.rotations[rows],
            root=database.positions[rows],
        )
        assert np.max(np.abs(wrap(headings(still)))) < 2e-6
        played = database.play(rows, Placement((1.0, 2.0), -1.0))
        steps = np.diff(np.unwrap(headings(played)))
        np.testing.assert_allclose(steps, wrap(database.increments[rows][1:, 2].astype(float)), atol=1e-4)


def test_jumps_drift_neither_in_height_nor_in_tilt(recorded_poses: PoseDatabase) -> None:
    order = np.random.default_rng(1).integers(0, recorded_poses.poses, 10_000)
    played = recorded_poses.play(order)
    np.testing.assert_array_equal(played.root[:, 1], recorded_poses.positions[order, 1])
    tilts = recorded_poses.rotations[order, 0].astype(np.float64)
    up = R.rotate(played.rotations[:, 0].astype(np.float64), np.array([0.0, 1.0, 0.0]))
    np.testing.assert_allclose(up[:, 1], R.rotate(tilts, np.array([0.0, 1.0, 0.0]))[:, 1], atol=1e-5)


def test_velocities_and_turn_rates_are_those_of_the_motion(walks) -> None:
    made = build_pose_database([walks[1]], PLAIN)
    played = made.play(np.arange(made.poses), Placement((0, 0), 1.0))
    speeds = np.linalg.norm(np.diff(played.root.astype(float), axis=0), axis=1) * 30
    np.testing.assert_allclose(np.linalg.norm(made.velocities[1:], axis=1), speeds, atol=1e-3)
    rates = turn_rates_of(played.rotations, 30.0)
    np.testing.assert_allclose(made.turn_rates, rates, atol=5e-3)
    np.testing.assert_array_equal(made.turn_rates[0], made.turn_rates[1])
    assert turn_rates_of(played.rotations[:1], 30.0).tolist() == np.zeros((1, len(played.skeleton), 3)).tolist()


def test_mirrored_poses_are_mirror_images(walks) -> None:
    both = build_pose_database([walks[4]])
    half = both.poses // 2
    np.testing.assert_allclose(both.increments[half:, 0], -both.increments[:half, 0], atol=1e-5)
    np.testing.assert_allclose(both.increments[half:, 1], both.increments[:half, 1], atol=1e-5)
    np.testing.assert_allclose(both.increments[half:, 2], -both.increments[:half, 2], atol=1e-5)
    np.testing.assert_array_equal(both.contacts[half:], both.contacts[:half][:, [2, 3, 0, 1]])
    other = build_pose_database([mirror(resample(walks[4], ResampleParameters(fps=30, method="smooth")))], PLAIN)
    apart = R.angle_between(both.rotations[half:].astype(float), other.rotations.astype(float))
    assert np.max(apart) < 1e-3


def test_labels_and_contacts_say_what_the_samples_do(poses: PoseDatabase) -> None:
    def share(name: str, label: str, mirrored: bool = False) -> float:
        clip = next(k for k, own in enumerate(poses.names) if own == name and poses.mirrored[k] == mirrored)
        bits = poses.labels[poses.starts[clip] : poses.starts[clip + 1]]
        return float(np.mean((bits & label_bit(label)) > 0))

    assert share("stand", "stand") > 0.9
    assert share("walk_normal", "walk") > 0.8
    assert share("jog", "run") > 0.8
    assert share("turn_180_left", "turn_left") > 0.2
    assert share("turn_180_left", "turn_right") == 0
    assert share("turn_180_left", "turn_right", mirrored=True) > 0.2
    assert share("walk_normal", "backward") == share("walk_normal", "sideways") == 0
    stand = poses.contacts[: poses.starts[1]]
    assert stand.mean() > 0.9
    gaits = poses.labels & ((1 << 5) - 1)
    assert LABELS[:5] == ("stand", "walk", "run", "jump", "other")
    assert np.all((gaits & (gaits - 1)) == 0)
    assert np.all(gaits > 0)


def test_databases_are_joined_and_parted(poses: PoseDatabase) -> None:
    parts = [keep_clips(poses, [clip]) for clip in range(3)]
    joined, kept = join_databases(parts), keep_clips(poses, [0, 1, 2])
    for name in ("rotations", "increments", "labels", "starts", "mirrored"):
        np.testing.assert_array_equal(getattr(joined, name), getattr(kept, name))
    with pytest.raises(ParameterError):
        join_databases([])
    with pytest.raises(ParameterError):
        keep_clips(poses, [len(poses.names)])
    with pytest.raises(ParameterError, match="a second"):
        join_databases([parts[0], replace(parts[1], fps=60.0)])
    with pytest.raises(ParameterError, match="poses must be numbers"):
        poses.play([poses.poses])
    with pytest.raises(ParameterError, match="ascend"):
        replace(poses, starts=poses.starts[::-1])


def test_clips_that_leave_their_floor_are_left_out(walks) -> None:
    walk = walks[1]
    climb = np.zeros((len(walk), 3), np.float32)
    climb[:, 1] = np.linspace(0, 0.8, len(walk))
    up = replace(walk, root=walk.root + climb, name="up")
    plants = detect_plants(walk)
    assert share_off_level(walk, plants) == 0
    assert share_off_level(up, plants) > MOST
    both = build_pose_database([walk, up], PLAIN, [plants, plants])
    assert both.names == (walk.name,)
    assert "up" in _left_out([walk, up], both)[0]
    assert len(build_pose_database([walk, up], replace(PLAIN, uneven=True), [plants, plants]).names) == 2
    with pytest.raises(ParameterError, match="no clip stays on its floor"):
        build_pose_database([up], PLAIN, [plants])
