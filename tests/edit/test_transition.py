"""Transitions: exact where they must be, no glide, no slip, no jerk; bad input is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.cutting import CutParameters, cut
from reenact.core.derivatives import angular_velocities, differentiate, differentiate_twice
from reenact.core.foot_plants import FootPlants
from reenact.core.mirror import mirror
from reenact.core.placement import headings, move_rigidly
from reenact.core.resample import ResampleParameters, resample
from reenact.core.skeleton import Skeleton
from reenact.edit.transition import TransitionParameters, make_transition, transition
from reenact.errors import ParameterError, SkeletonError
from reenact.solve.feet import find_feet, track_foot
from reenact.solve.joint_pushes import joint_accelerations
from reenact.solve.planted_points import measure_slips

Planted = Callable[[str], tuple[Clip, FootPlants]]
METHODS = ("crossfade", "inertial", "dead", "one_sided")


def other_tree() -> Clip:
    skeleton = Skeleton(("pelvis", "leg"), np.array([-1, 0]), np.zeros((2, 3)) + [0, 0.5, 0])
    return Clip(skeleton, R.identity(90, 2), np.zeros((90, 3)), 60.0, "stick")


def test_bad_input_is_named(planted: Planted) -> None:
    walk, plants = planted("walk_normal")
    with pytest.raises(SkeletonError, match=r"differ \(22 joints against 2; only the first has Hips.*cannot be mapped"):
        make_transition(walk, other_tree())
    with pytest.raises(ParameterError, match="at 420 is not a frame of 'walk_normal', which has frames 0 to 419"):
        make_transition(walk, walk, TransitionParameters(at=420), plants, plants)
    with pytest.raises(ParameterError, match="into -421 is not a frame"):
        make_transition(walk, walk, TransitionParameters(into=-421), plants, plants)
    with pytest.raises(ParameterError, match="at least 4 frames, this has 3"):
        make_transition(walk, cut(walk, CutParameters(0, 3)))
    with pytest.raises(ParameterError, match="no room for a blend at frame 0"):
        make_transition(walk, walk, TransitionParameters(at=0, into=200), plants, plants)
    with pytest.raises(ParameterError, match="the plants have 10 frames, the clip 420"):
        make_transition(walk, walk, None, plants.cut(0, 10), plants)
    with pytest.raises(ParameterError, match="window must be above 0 and at most 30 s, not 0"):
        TransitionParameters(window=0)
    with pytest.raises(ParameterError, match="method must be one of crossfade, inertial, dead, one_sided, not 'fade'"):
        TransitionParameters(method="fade")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="two clips, 1 given"):
        transition([walk])


def test_clips_shorter_than_the_window_shorten_it(planted: Planted) -> None:
    walk, plants = planted("walk_normal")
    short, few = cut(walk, CutParameters(100, 120)), plants.cut(100, 120)
    made = make_transition(short, walk, TransitionParameters(window=2.0), few, plants)
    assert made.report["shortened_to_s"] < 20 / 60
    assert np.isfinite(made.clip.rotations).all()


def test_a_skeleton_without_feet_is_blended_and_says_so() -> None:
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.zeros((2, 3)) + [0, 0.5, 0])
    turn = R.from_axis_angle(np.array([1.0, 0, 0]), np.linspace(0, 2, 90))
    clip = Clip(skeleton, np.stack([R.identity(90), turn], axis=1), np.zeros((90, 3)), 60.0, "stick")
    made = make_transition(clip, clip, TransitionParameters(at=45, into=45))
    assert "not held" in made.report["feet"]
    assert made.plants is None
    np.testing.assert_allclose(made.clip.rotations, clip.rotations, atol=1e-6)


@pytest.mark.parametrize("feet", ["hold", "free"])
def test_a_clip_into_itself_is_itself(planted: Planted, feet: str) -> None:
    for name in ("walk_normal", "run", "walk_circle_tight_left", "kick_right"):
        clip, plants = planted(name)
        frame = len(clip) // 2
        made = make_transition(clip, clip, TransitionParameters(at=frame, into=frame, feet=feet), plants, plants)  # type: ignore[arg-type]
        assert len(made.clip) == len(clip)
        gap = np.abs(made.clip.world(np.float64).positions - clip.world(np.float64).positions).max()
        assert gap < 1e-9
        assert np.array_equal(made.plants.left.heel, plants.left.heel)


def test_frames_outside_are_those_of_the_clips(planted: Planted) -> None:
    (a, plants_a), (b, plants_b) = planted("walk_normal"), planted("kick_right")
    made = make_transition(a, b, TransitionParameters(at=180, into=60), plants_a, plants_b)
    start, end = made.report["changed_frames"]
    assert np.array_equal(made.clip.rotations[:start], a.rotations[:start])
    assert np.array_equal(made.clip.root[:start], a.root[:start])
    tail = b.rotations[len(b) - (len(made.clip) - end) :]
    np.testing.assert_array_equal(made.clip.rotations[end:, 1:], tail[:, 1:])
    np.testing.assert_allclose(made.clip.root[end:, 1], b.root[len(b) - len(tail) :, 1], atol=1e-6)


def on_grid(clip: Clip) -> Clip:
    """The clip with places on a grid of 2^-14 m, which stay exact in float32 when it is moved by whole metres."""
    return replace(clip, root=np.round(clip.root * 16384) / 16384)


def blend_with_a_copy_elsewhere(clip: Clip, turn: float, root: str) -> float:
    """Metres by which a walk blended into a copy of itself, recorded elsewhere, leaves its own way."""
    clip = on_grid(clip)
    away, frame = move_rigidly(clip, (10.0, 0.0, 3.0), turn), len(clip) // 2
    asked = TransitionParameters(at=frame, into=frame, root=root, feet="free")  # type: ignore[arg-type]
    made = make_transition(clip, away, asked)
    return float(np.abs(made.clip.world(np.float64).positions - clip.world(np.float64).positions).max())


@pytest.mark.parametrize("degrees", [90, 180, -37])
def test_place_and_direction_of_the_recording_do_not_matter(planted: Planted, degrees: float) -> None:
    """A copy moved by 10 m and turned blends to the same path; blending recorded places glides far away."""
    clip, _ = planted("walk_normal")
    assert blend_with_a_copy_elsewhere(clip, np.radians(degrees), "relative") < 1e-6
    assert blend_with_a_copy_elsewhere(clip, np.radians(degrees), "absolute") > 1.0


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["16_15", "02_01", "16_11"])
def test_recorded_walks_go_on_their_way(recorded: Planted, name: str) -> None:
    clip, plants = recorded(name)
    assert blend_with_a_copy_elsewhere(clip, np.pi / 2, "relative") < 1e-6
    assert blend_with_a_copy_elsewhere(clip, np.pi / 2, "absolute") > 1.0
    frame = len(clip) // 2
    itself = make_transition(clip, clip, TransitionParameters(at=frame, into=frame), plants, plants).clip
    assert np.abs(itself.world(np.float64).positions - clip.world(np.float64).positions).max() < 1e-9


def turn_and_length(clip: Clip, start: int, end: int) -> tuple[float, float]:
    """Degrees a body turns and metres it travels in frames [start, end)."""
    turned = np.unwrap(headings(clip)[start:end].astype(np.float64))
    steps = np.diff(clip.root[start:end, [0, 2]].astype(np.float64), axis=0)
    return float(np.degrees(turned[-1] - turned[0])), float(np.hypot(*steps.T).sum())


def check_that_turns_cancel(clip: Clip, middle: int, cycle: int) -> None:
    """A walk to one side blended into its mirror image, half a cycle later so that steps agree: straight on, as long as both."""
    other = mirror(clip)
    asked = TransitionParameters(
        at=middle, into=middle + cycle // 2, window=2 * cycle / clip.fps, weight="linear", feet="free"
    )
    made = make_transition(clip, other, asked)
    start, end = made.report["window_frames"]
    turned, length = turn_and_length(made.clip, start, end)
    own, long = turn_and_length(clip, middle - cycle, middle + cycle + 1)
    assert abs(own) > 10
    assert abs(turned) < 2 * 2  # over two cycles
    assert abs(length / long - 1) < 0.05


def test_turns_to_both_sides_cancel(planted: Planted) -> None:
    check_that_turns_cancel(planted("walk_circle_medium_left")[0], 210, 68)


def check_that_it_never_goes_back(made) -> None:
    start, end = made.report["window_frames"]
    speed = differentiate(made.clip.root.astype(np.float64), made.clip.fps)[start:end]
    heading = headings(made.clip)[start:end]
    assert (speed[:, 0] * np.sin(heading) + speed[:, 2] * np.cos(heading)).min() > 0


def test_walks_never_go_backwards(planted: Planted) -> None:
    (a, plants_a), (b, plants_b) = planted("walk_slow"), planted("walk_brisk")
    for into in range(60, 130, 9):
        check_that_it_never_goes_back(
            make_transition(a, b, TransitionParameters(at=150, into=into), plants_a, plants_b)
        )


@pytest.mark.corpus
@pytest.mark.parametrize(("first", "second"), [("16_15", "02_01"), ("08_01", "16_31"), ("16_47", "07_01")])
def test_recorded_walks_never_go_backwards(recorded: Planted, first: str, second: str) -> None:
    """Also where they are joined out of step, at any frame of a stride."""
    (a, plants_a), (b, plants_b) = recorded(first), recorded(second)
    for into in range(60, 180, 24):
        check_that_it_never_goes_back(
            make_transition(a, b, TransitionParameters(at=130, into=into), plants_a, plants_b)
        )


@pytest.mark.parametrize("method", METHODS)
def test_ends_are_met_by_every_method(planted: Planted, method: str) -> None:
    (a, plants_a), (b, plants_b) = planted("walk_normal"), planted("walk_brisk")
    asked = TransitionParameters(at=200, into=100, method=method, feet="free")  # type: ignore[arg-type]
    made = make_transition(a, b, asked, plants_a, plants_b)
    start, end = made.report["window_frames"]
    rotations = made.clip.rotations.astype(np.float64)
    assert R.angle_between(rotations[start, 1:], a.rotations[start, 1:].astype(np.float64)).max() < 1e-5
    steps = R.angle_between(rotations[start : end + 1], rotations[start - 1 : end])
    usual = max(
        R.angle_between(c.rotations[1:].astype(np.float64), c.rotations[:-1].astype(np.float64)).max() for c in (a, b)
    )
    assert steps.max() < 1.5 * usual
    if method == "inertial":  # keeps velocity: no jump where the first clip is left
        turning = angular_velocities(made.clip)
        push = np.linalg.norm(np.diff(turning[start - 2 : start + 3], axis=0), axis=-1).max()
        allowed = max(np.linalg.norm(np.diff(angular_velocities(c), axis=0), axis=-1).max() for c in (a, b))
        assert push < 1.5 * allowed


def turned_hard(clip: Clip) -> np.ndarray:
    """(F,) rad/s^2, the largest angular acceleration of any joint; ends, where differences are one-sided, left out."""
    pushed = np.linalg.norm(differentiate(angular_velocities(clip), clip.fps), axis=2).max(axis=1)
    pushed[[0, 1, -2, -1]] = 0.0
    return pushed


def jerks(clip: Clip) -> np.ndarray:
    """(F,) m/s^3, the largest jerk of any joint in the world; ends left out."""
    places = clip.world(np.float64).positions
    jerked = np.linalg.norm(differentiate(differentiate_twice(places, clip.fps), clip.fps), axis=2).max(axis=1)
    jerked[[0, 1, 2, -3, -2, -1]] = 0.0
    return jerked


def check_that_nothing_is_jerked(made, *sources: Clip) -> None:
    """World accelerations, angular accelerations and jerks of a blend are at most half as large again as the sources' largest."""
    start, end = made.report["changed_frames"]
    for measure in (joint_accelerations, turned_hard, jerks):
        most = max(measure(clip).max() for clip in sources)
        assert measure(made.clip)[max(start - 1, 0) : end + 2].max() <= 1.5 * most, measure.__name__


PAIRS = (
    ("walk_normal", "run"),
    ("walk_normal", "kick_right"),
    ("walk_normal", "sit_down"),
    ("run", "stand"),
    ("stand", "walk_normal"),
    ("stand", "stand_shift"),
    ("walk_circle_tight_left", "walk_circle_tight_right"),
    ("sneak", "march"),
)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_feet_do_not_slip_and_joints_are_not_jerked(planted: Planted, first: str, second: str) -> None:
    (a, plants_a), (b, plants_b) = planted(first), planted(second)
    made = make_transition(a, b, None, plants_a, plants_b)
    start, end = made.report["window_frames"]
    slips = measure_slips(made.clip, made.plants, start, end)
    assert max((slip["slip_mm"] for slip in slips), default=0.0) <= 5.0
    assert max((slip["step_mm"] for slip in slips), default=0.0) <= 2.0
    check_that_nothing_is_jerked(made, a, b)
    plain = make_transition(
        a,
        b,
        TransitionParameters(at=made.report["at"], into=made.report["into"], feet="free", weight="linear"),
        plants_a,
        plants_b,
    )
    assert plain.report["slip_mm"] > 3 * made.report["slip_mm"]
    free = make_transition(
        a, b, replace(TransitionParameters(), at=made.report["at"], into=made.report["into"], feet="free")
    )
    moved = made.clip.world(np.float64).positions - free.clip.world(np.float64).positions
    pushed = np.linalg.norm(differentiate_twice(moved, a.fps), axis=2)[start - 1 : end + 1].max()
    assert pushed <= 1.5 * max(joint_accelerations(clip).max() for clip in (a, b))
    assert made.plants.source == "carried"
    assert len(made.plants) == len(made.clip)
    world = made.clip.world(np.float64)
    assert world.positions[start:end, :, 1].min() > -0.005
    for foot in find_feet(made.clip.skeleton, made.clip):
        track = track_foot(world, foot)
        assert min(track.heel[start:end, 1].min(), track.ball[start:end, 1].min()) > -0.005


def test_rates_and_sizes_may_differ(planted: Planted) -> None:
    (a, plants_a), b = planted("walk_normal"), planted("walk_brisk")[0]
    slow = resample(b, ResampleParameters(fps=30.0))
    small = replace(slow, skeleton=slow.skeleton.scaled(0.8), root=slow.root * np.float32(0.8))
    made = make_transition(a, small, TransitionParameters(at=200), plants_a)
    assert made.clip.skeleton is a.skeleton
    assert made.clip.fps == a.fps
    assert abs(made.clip.root[-30:, 1].mean() - b.root[-30:, 1].mean()) < 0.03
    assert made.report["slip_mm"] <= 5.0


def test_several_clips_come_one_after_the_other(planted: Planted) -> None:
    clips = [planted(name)[0] for name in ("walk_normal", "run", "walk_normal")]
    made = transition(clips, TransitionParameters(window=0.5))
    assert made.clip.name == "walk_normal>run>walk_normal"
    assert len(made.report["before"]) == 1
    assert made.report["at"] > made.report["before"][0]["window_frames"][1]


def test_a_mirrored_second_clip_is_taken_when_it_fits_better(planted: Planted) -> None:
    walk, plants = planted("walk_circle_tight_left")
    other, other_plants = planted("walk_circle_tight_right")
    asked = TransitionParameters(at=200, mirrored=True)
    made = make_transition(walk, other, asked, plants, other_plants)
    assert made.report.get("mirrored")
    assert (
        made.report["cost"]
        < make_transition(walk, other, replace(asked, mirrored=False), plants, other_plants).report["cost"]
    )


def test_one_tempo_keeps_steps_together(planted: Planted) -> None:
    """A slow and a fast walk, blended over two seconds: in one tempo both plant the same foot at the same time."""
    from reenact.edit.tempo import match_tempo

    (a, plants_a), (b, plants_b) = planted("walk_slow"), planted("walk_fast")
    frames_a, frames_b = np.arange(150.0, 271.0), np.arange(100.0, 221.0)
    new_a, new_b = match_tempo(frames_a, frames_b, (plants_a, plants_b), (len(a), len(b)), "smooth")
    assert new_a[0] == frames_a[0]
    assert new_b[-1] == frames_b[-1]
    rates = np.diff(new_a) / np.diff(new_b)
    assert np.ptp(rates) < 1e-6  # one ratio all the way: their strides take the same time
    assert (np.diff(new_a) >= 1 - 1e-9).all()
    made = make_transition(a, b, TransitionParameters(at=210, into=160, window=2.0, tempo=True), plants_a, plants_b)
    assert made.report["slip_mm"] <= 5.0


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("08_01", "08_07"),
        ("08_01", "10_01"),
        ("10_01", "09_01"),
        ("16_15", "75_17"),
        ("79_06", "141_04"),
        ("137_29", "141_25"),
        ("02_01", "02_03"),
    ],
)
def test_recordings_join_without_slip_or_jerk(recorded: Planted, first: str, second: str) -> None:
    """Walk to exaggerated stride, walk to kick, kick to run, walk to sitting, and knees that are stretched through."""
    (a, plants_a), (b, plants_b) = recorded(first), recorded(second)
    made = make_transition(a, b, None, plants_a, plants_b)
    assert made.report["slip_mm"] <= 5.0
    assert max(slip["step_mm"] for slip in made.report["plants"]) <= 2.0
    said = any("times as hard" in doubt for doubt in made.report["doubts"])
    assert made.report["acceleration_ratio"] <= (3.0 if said else 1.5)  # knees of another body, stretched through: said
    check_that_nothing_is_jerked(made, a, b)
    asked = TransitionParameters(at=made.report["at"], into=made.report["into"], feet="free", weight="linear")
    assert make_transition(a, b, asked, plants_a, plants_b).report["slip_mm"] > 3 * made.report["slip_mm"]
