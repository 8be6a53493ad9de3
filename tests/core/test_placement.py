"""Headings, root-relative motion and rigid moves: acceptance M3 to M6 of the mobility specification, and invalid input."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reenact
from reenact.core.clip import Clip, JointTranslations
from reenact.core.heading import HeadingParameters, factor_heading, find_headings, headings, wrap
from reenact.core.placement import (
    MoveParameters,
    Placement,
    advance,
    factor_root,
    factor_root_literally,
    move,
    move_rigidly,
    place_at,
    placement_of,
    replay,
    replay_clip,
    replay_literally,
    root_increments,
)
from reenact.core.role_finding import assign_roles
from reenact.core.rotations import about_y, angle_between, from_axis_angle, multiply, normalize, rotate
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError

BODY = Skeleton(
    ("Hips", "LeftUpLeg", "RightUpLeg", "Spine"),
    np.array([-1, 0, 0, 0]),
    np.array([[0, 1, 0], [0.1, -0.05, 0], [-0.1, -0.05, 0], [0, 0.2, 0.0]]),
    roles={"hips": 0, "left_upper_leg": 1, "right_upper_leg": 2},
)


def wander(seed: int, frames: int = 60, skeleton: Skeleton = BODY) -> Clip:
    """A smooth random walk with turns and tilts."""
    rng = np.random.default_rng(seed)
    steps = np.cumsum(rng.normal(0, 0.3, (frames, 6)), axis=0) / 8
    rotations = np.tile([1.0, 0, 0, 0], (frames, len(skeleton), 1))
    tilt = from_axis_angle(rng.normal(size=3), 0.3 * np.sin(steps[:, 3]))
    rotations[:, 0] = multiply(about_y(2 * steps[:, 4] + rng.uniform(-3, 3)), tilt)
    return Clip(
        skeleton,
        rotations,
        np.column_stack([steps[:, 0], 1 + 0.1 * np.cos(steps[:, 1]), steps[:, 2]]),
        30.0,
        f"wander {seed}",
    )


def facing(angles: np.ndarray) -> Clip:
    rotations = np.tile([1.0, 0, 0, 0], (len(angles), 4, 1))
    rotations[:, 0] = about_y(angles)
    return Clip(BODY, rotations, np.zeros((len(angles), 3)), 30.0)


# headings


def test_heading_zero_looks_along_z_and_grows_towards_x() -> None:
    assert np.allclose(
        headings(facing(np.radians([0.0, 90.0, 180.0, 270.0]))), np.radians([0, 90, 180, 270]), atol=1e-6
    )


def test_known_yaw_over_the_full_circle() -> None:
    angles = np.linspace(-np.pi, np.pi, 721)
    assert np.abs(wrap(headings(facing(angles)) - angles)).max() < 1e-6


@given(st.integers(0, 10_000), st.floats(-10, 10))
def test_turning_a_clip_shifts_its_heading(seed: int, angle: float) -> None:
    clip = wander(seed, 20)
    turned = move_rigidly(clip, heading=angle)
    assert np.abs(wrap(headings(turned) - headings(clip) - angle)).max() < 1e-5


def test_shoulders_then_the_root_axis_stand_in_for_missing_hips() -> None:
    clip = wander(3)
    arms = replace(clip, skeleton=BODY.with_roles({"left_upper_arm": 1, "right_upper_arm": 2}))
    assert find_headings(arms).source == "shoulders"
    assert np.allclose(headings(arms), headings(clip))
    bare = facing(np.array([0.3, -2.0]))
    found = find_headings(replace(bare, skeleton=BODY.with_roles({})))
    assert found.source == "root"
    assert np.allclose(found.angles, [0.3, -2.0], atol=1e-6)


def test_a_pose_on_its_side_keeps_the_heading_before() -> None:
    angles = np.full(9, 0.7)
    clip = facing(angles)
    rotations = clip.rotations.copy()
    lying = multiply(about_y(np.array([2.0, 2.5, 3.0])), from_axis_angle([0.0, 0, 1], np.pi / 2))
    rotations[3:6, 0] = lying
    rotations[0, 0] = lying[0]
    found = find_headings(replace(clip, rotations=rotations))
    assert found.defined.tolist() == [False, True, True, False, False, False, True, True, True]
    assert np.allclose(found.angles, 0.7, atol=1e-6)
    everywhere = find_headings(replace(clip, rotations=np.tile(rotations[3:4], (9, 1, 1))))
    assert not everywhere.defined.any()
    assert np.allclose(everywhere.angles, everywhere.angles[0])
    assert np.isfinite(everywhere.angles).all()


def test_headings_of_a_body_that_rolls_over_its_side_do_not_jump() -> None:
    """A cartwheel that also turns: the heading that was kept jumped when the body came up again, by all it had turned meanwhile."""
    frames = 61
    roll, yaw = np.linspace(0, np.pi, frames), np.radians(np.linspace(0, 60, frames))
    rotations = np.tile([1.0, 0, 0, 0], (frames, len(BODY), 1))
    rotations[:, 0] = multiply(about_y(yaw), from_axis_angle(np.array([0.0, 0.0, 1.0]), roll))
    # past the vertical the hips point the other way: half a turn, spread over the frames that have no heading
    found = find_headings(Clip(BODY, rotations, np.zeros((frames, 3)), 30.0))
    without = int((~found.defined).sum())
    assert without > 3
    assert np.abs(np.diff(found.angles)).max() < (np.pi + 1.0) / without


def test_headings_are_continuous_over_many_turns() -> None:
    angles = np.linspace(0, 20, 200)
    assert np.allclose(headings(facing(angles)), angles, atol=1e-5)


def test_smoothing_removes_sway_and_keeps_trends() -> None:
    time = np.arange(300) / 30
    trend, sway = 0.4 * time, 0.15 * np.sin(2 * np.pi * 2 * time)
    smoothed = headings(facing(trend + sway), HeadingParameters(smoothing=0.2))
    assert np.abs(smoothed - trend)[15:-15].max() < 0.15 * 0.06  # a Gaussian of 0.2 s passes 4 percent of 2 Hz
    assert np.allclose(headings(facing(trend), HeadingParameters(smoothing=0.2)), trend, atol=1e-5)


def test_smoothed_heading_leaves_the_rest_in_the_tilt() -> None:
    clip = wander(5)
    found, tilts = factor_heading(clip, HeadingParameters(smoothing=0.2))
    back = multiply(about_y(found.angles), tilts)
    assert np.abs(angle_between(back, clip.rotations[:, 0].astype(float))).max() < 1e-6


@pytest.mark.parametrize("wrong", [{"smoothing": -1}, {"smoothing": float("nan")}, {"flattest": 1.5}])
def test_bad_heading_parameters_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        HeadingParameters(**wrong)


# root-relative motion


@given(st.integers(0, 10_000), st.floats(-3, 3), st.floats(-5, 5), st.sampled_from([0.0, 0.2]))
def test_replay_equals_the_moved_original(seed: int, angle: float, x: float, smoothing: float) -> None:
    clip, parameters = wander(seed), HeadingParameters(smoothing=smoothing)
    motion = factor_root(clip, parameters)
    target = Placement((x, -x), angle)
    root, turned = replay(motion.increments, motion.positions, motion.tilts, target)
    moved = move_rigidly(
        clip,
        (x - motion.start.position[0], 0, -x - motion.start.position[1]),
        angle - motion.start.heading,
        motion.start.position,
    )
    assert np.abs(root - moved.root).max() < 1e-5
    assert np.abs(angle_between(turned, moved.rotations[:, 0].astype(float))).max() < 1e-5


def test_increments_are_steps_in_the_facing_frame_of_the_pose_before() -> None:
    clip = facing(np.radians([90.0, 90.0, 180.0]))
    clip = replace(clip, root=np.array([[0, 1, 0], [0.5, 1, 0], [0.5, 1, 0.25]]))
    # facing +X, left is -Z: the first step goes forward, the second to the right
    steps = root_increments(clip)
    assert np.allclose(steps[1], [0, 0.5, 0], atol=1e-6)
    assert np.allclose(steps[2], [-0.25, 0, np.pi / 2], atol=1e-6)
    assert np.array_equal(steps[0], steps[1])


def test_one_and_no_neighbour() -> None:
    clip = wander(1, 1)
    assert np.array_equal(root_increments(clip), np.zeros((1, 3)))
    again = replay_clip(clip, Placement((1, 2), 0.5))
    assert np.allclose(placement_of(again).position, (1, 2), atol=1e-6)


def test_advance_is_what_replay_does() -> None:
    motion = factor_root(wander(8))
    placement = Placement((1.0, -2.0), 0.4)
    root, _ = replay(motion.increments, motion.positions[:, 1], motion.tilts, placement)
    for k in range(1, 60):
        placement = advance(placement, motion.increments[k])
        assert np.allclose(placement.position, root[k, [0, 2]], atol=1e-9)


def test_ten_thousand_jumps_do_not_drift() -> None:
    clip = wander(2, 400)
    motion = factor_root(clip)
    order = np.random.default_rng(0).integers(0, 400, 10_000)
    root, turned = replay(motion.increments[order], motion.positions[order], motion.tilts[order], Placement())
    assert root[:, 1].min() >= clip.root[:, 1].min() - 1e-6
    assert root[:, 1].max() <= clip.root[:, 1].max() + 1e-6
    up = np.array([0.0, 1, 0])
    tilt = np.einsum("fi,i->f", rotate(turned, up), up)
    assert np.abs(tilt - np.einsum("fi,i->f", rotate(motion.tilts[order], up), up)).max() < 1e-9
    assert np.abs(np.linalg.norm(turned, axis=1) - 1).max() < 1e-6


def test_the_literal_form_equals_the_planar_one_on_consecutive_frames_and_wanders_at_jumps() -> None:
    clip = wander(4, 300)
    target = Placement((2.0, 1.0), -1.0)
    planar, literal = (replay_clip(clip, target, form=form) for form in ("planar", "literal"))
    assert np.abs(planar.world().positions - literal.world().positions).max() < 1e-5
    order = np.random.default_rng(1).integers(0, 300, 5000)
    stored = factor_root_literally(clip)
    root, turned = replay_literally(stored, order.tolist(), target)
    height = clip.root[:, 1]
    assert np.ptp(root[:, 1]) > 2 * np.ptp(height)  # what the planar form is for
    expected = multiply(turned, normalize(stored.tilts[order] * [1, -1, -1, -1]))
    assert np.abs(expected[:, [1, 3]]).max() < 1e-6  # but the tilt stays the stored one


def test_frames_can_be_listed_in_any_order() -> None:
    clip = wander(6, 10)
    again = replay_clip(clip, placement_of(clip, 4), [4, 5, 6, -1])
    assert len(again) == 4
    assert np.abs(again.root[:3] - clip.root[4:7]).max() < 1e-5
    with pytest.raises(ParameterError, match="no frame 10"):
        replay_clip(clip, Placement(), [10])
    with pytest.raises(ParameterError, match="planar or literal"):
        replay_clip(clip, Placement(), form="round")  # type: ignore[arg-type]


# a root that stands still above moving hips


def carried(seed: int) -> Clip:
    """The body of `wander` below a motionless root joint, its hips moving by translations."""
    clip = wander(seed)
    skeleton = Skeleton(
        ("Root", *BODY.names),
        np.array([-1, 0, 1, 1, 1]),
        np.concatenate([np.zeros((1, 3)), BODY.offsets]),
        roles={role: joint + 1 for role, joint in BODY.roles.items()},
    )
    rotations = np.concatenate([np.tile([1.0, 0, 0, 0], (len(clip), 1, 1)), clip.rotations], axis=1)
    return Clip(
        skeleton,
        rotations,
        np.zeros((len(clip), 3)),
        30.0,
        "carried",
        JointTranslations(np.array([1]), clip.root[:, None]),
    )


def test_hips_below_a_motionless_root_carry_the_placement() -> None:
    plain, clip = wander(11), carried(11)
    assert np.allclose(root_increments(clip), root_increments(plain), atol=1e-5)
    target = Placement((-1.0, 4.0), 2.2)
    a, b = replay_clip(plain, target), replay_clip(clip, target)
    assert np.abs(a.world().positions - b.world().positions[:, 1:]).max() < 1e-5
    motion, order = factor_root(clip), np.random.default_rng(3).integers(0, 60, 2000)
    root, turned = replay(motion.increments[order], motion.positions[order], motion.tilts[order], Placement())
    hips = root + rotate(turned, clip.translations.values[order, 0].astype(float))  # type: ignore[union-attr]
    steps = np.linalg.norm(np.diff(hips[:, [0, 2]], axis=0), axis=1)
    assert np.allclose(steps, np.linalg.norm(motion.increments[order[1:], :2], axis=1), atol=1e-6)


# moves


def test_move_about_start_and_origin() -> None:
    clip = wander(9)
    there = placement_of(clip)
    turned = move(clip, MoveParameters(x=1, y=0.5, z=-2, turn=0.8))
    assert np.allclose(placement_of(turned).position, np.add(there.position, (1, -2)), atol=1e-5)
    assert np.isclose(placement_of(turned).heading, wrap(there.heading + 0.8), atol=1e-5)
    assert np.allclose(turned.root[:, 1], clip.root[:, 1] + 0.5, atol=1e-6)
    about_origin = move(clip, MoveParameters(turn=0.8, about="origin"))
    assert np.allclose(about_origin.root, rotate(about_y(0.8), clip.root.astype(float)), atol=1e-5)


def test_a_move_is_rigid() -> None:
    clip = wander(10)
    before, after = clip.world(np.float64), move_rigidly(clip, (3, 1, 2), 2.0, (0.5, 0.5)).world(np.float64)
    assert np.allclose(
        np.linalg.norm(np.diff(before.positions, axis=0), axis=2),
        np.linalg.norm(np.diff(after.positions, axis=0), axis=2),
        atol=1e-5,
    )
    assert not move_rigidly(clip.as_recorded()).pristine


@given(st.integers(0, 1000), st.integers(-20, 19), st.floats(-6, 6))
def test_place_at_any_frame(seed: int, frame: int, heading: float) -> None:
    clip = place_at(wander(seed, 20), (1.5, -0.5), heading, frame)
    found = placement_of(clip, frame)
    assert np.allclose(found.position, (1.5, -0.5), atol=1e-5)
    assert abs(wrap(found.heading - heading)) < 1e-5


def test_placement_of_a_lying_pose_looks_back() -> None:
    clip = facing(np.array([0.7, 0.7]))
    rotations = clip.rotations.copy()
    rotations[1, 0] = multiply(about_y(2.0), from_axis_angle([0.0, 0, 1], np.pi / 2))
    assert np.isclose(placement_of(replace(clip, rotations=rotations), 1).heading, 0.7, atol=1e-6)


def test_bad_moves_are_refused() -> None:
    clip = wander(0, 5)
    with pytest.raises(ParameterError, match="position must be 2 finite numbers"):
        place_at(clip, (1, 2, 3), 0.0)
    with pytest.raises(ParameterError, match="finite"):
        move_rigidly(clip, (np.nan, 0, 0))
    with pytest.raises(ParameterError, match="no frame 5; the clip has frames 0 to 4"):
        placement_of(clip, 5)
    with pytest.raises(ParameterError, match="about must be one of start, origin"):
        MoveParameters(about="there")  # type: ignore[arg-type]


# real recordings


@lru_cache(maxsize=1)
def recordings(corpus: Path) -> tuple[Path, ...]:
    return (
        *sorted(corpus.glob("cmu-bvh/*.bvh")),
        *sorted(corpus.glob("bvh-other/*.bvh")),
        *sorted(corpus.glob("noncommercial/*/*.bvh")),
        *sorted(corpus.glob("*asfamc/*.amc")),
    )


def clips(corpus: Path) -> Iterator[Clip]:
    for path in recordings(corpus):
        clip = reenact.load(path)
        skeleton, _ = assign_roles(clip.skeleton)
        yield clip.with_skeleton(skeleton)


@pytest.mark.corpus
def test_every_recording_replays_as_its_moved_self(corpus: Path) -> None:
    rng = np.random.default_rng(5)
    count = 0
    for clip in clips(corpus):
        target = Placement((float(rng.uniform(-9, 9)), float(rng.uniform(-9, 9))), float(rng.uniform(-np.pi, np.pi)))
        again, moved = replay_clip(clip, target), place_at(clip, *target)
        assert np.abs(again.world().positions - moved.world().positions).max() < 1e-4, clip
        assert angle_between(again.rotations[:, 0].astype(float), moved.rotations[:, 0].astype(float)).max() < 1e-4, (
            clip
        )
        found, tilts = factor_heading(clip)
        rotations = clip.rotations.astype(np.float64)
        rotations[:, 0] = tilts
        free = find_headings(replace(clip, rotations=rotations, root=np.zeros_like(clip.root)))
        assert np.abs(wrap(free.angles[found.defined])).max(initial=0) < 1e-6, clip
        count += 1
    assert count > 300


@pytest.mark.corpus
def test_walkers_face_the_way_they_walk(corpus: Path) -> None:
    for name in ("02_01", "07_01", "08_01", "35_01", "16_15"):
        path = corpus / f"cmu-bvh/{name}.bvh"
        if path.exists():
            clip = reenact.load(path)
            skeleton, _ = assign_roles(clip.skeleton)
            forward = root_increments(clip.with_skeleton(skeleton))
            assert np.mean(forward[:, 1]) > 3 * np.abs(np.mean(forward[:, 0])), name
