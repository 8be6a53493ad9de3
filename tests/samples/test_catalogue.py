"""The sample library as a whole: what is in it, and that every sample keeps its word."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from reenact.core import rotations as R
from reenact.errors import ParameterError
from reenact.samples import make_sample, sample_names, sample_skeleton
from reenact.samples.skeleton import foot_points
from reenact.samples.truth import LABELS, Sample

SIDES = ("left", "right")
NAMES = sample_names()
STILL_MM = 0.5
KINDS = (
    "stand",
    "walk",
    "circle",
    "start",
    "stop",
    "turn",
    "side",
    "backwards",
    "run",
    "jog",
    "jump",
    "hop",
    "march",
    "sneak",
)
ACTIONS = ("wave", "punch", "kick", "reach", "carry", "drink", "sit")


def points(sample: Sample, side: str) -> dict[str, np.ndarray]:
    """Heel, ball and toe tip of a foot in the world, (F, 3) each, in double precision from the stored clip."""
    world = sample.clip.world(np.float64)
    return {name: world.point(joint, place) for name, (joint, place) in foot_points(side).items()}


def knee_bend(sample: Sample, side: str) -> np.ndarray:
    """(F,) degrees about the knee's own axis, positive backwards of the thigh as a knee bends."""
    joint = sample.clip.skeleton.joint(f"{side}_lower_leg")
    return np.degrees(R.log(sample.clip.rotations[:, joint].astype(np.float64))[:, 0])


def test_unknown_names_and_rates_are_refused() -> None:
    with pytest.raises(ParameterError, match="no sample 'flight_of_stairs'; there are stand, "):
        make_sample("flight_of_stairs")
    for fps in (0.0, -60.0, 5.0, 1000.0, float("nan")):
        with pytest.raises(ParameterError, match="fps must lie in 20 to 480"):
            make_sample("stand", fps)


def test_size_and_kinds(library: dict[str, Sample]) -> None:
    assert len(library) >= 40
    assert sum(len(sample.clip) for sample in library.values()) >= 15_000
    tags = {tag for sample in library.values() for tag in sample.tags}
    assert tags >= {*KINDS, *ACTIONS}
    assert {sample.type for sample in library.values()} == {*LABELS}
    for action in ("wave", "reach", "carry", "drink"):
        done = [sample.tags for sample in library.values() if action in sample.tags]
        assert any("stand" in tags for tags in done), action
        assert any("walk" in tags for tags in done), action
    for sample in library.values():
        assert sample.clip.skeleton is sample_skeleton()
        assert sample.description
        assert set(sample.truth.labels) <= {*LABELS}
        assert len(sample.truth.labels) == len(sample.clip) == len(sample.truth.centre_of_mass)


def test_same_bytes_every_time(library: dict[str, Sample]) -> None:
    for name in ("walk_normal", "run_circle_left", "jump_up", "hop_right", "drink_walking", "stand_look", "kick_left"):
        again, before = make_sample(name), library[name]
        assert again.clip.rotations.tobytes() == before.clip.rotations.tobytes()
        assert again.clip.root.tobytes() == before.clip.root.tobytes()
        assert again.truth.centre_of_mass.tobytes() == before.truth.centre_of_mass.tobytes()


def test_left_and_right_are_not_copies(library: dict[str, Sample]) -> None:
    roots = {name: sample.clip.root.tobytes() for name, sample in library.items()}
    assert len(set(roots.values())) == len(roots)


@pytest.mark.parametrize("name", NAMES)
def test_planted_points_stay(library: dict[str, Sample], name: str) -> None:
    sample = library[name]
    for side in SIDES:
        foot, at = sample.truth.foot(side), points(sample, side)
        for part, planted, place in (("heel", foot.heel, foot.heel_place), ("ball", foot.ball, foot.ball_place)):
            assert np.array_equal(planted, np.isfinite(place).all(axis=1))
            assert planted.any(), f"the {side} {part} never touches the floor"
            off = 1000 * np.linalg.norm(at[part] - place, axis=1)[planted]
            assert off.max() < STILL_MM, f"{side} {part}"
            assert np.abs(place[planted][:, 1]).max() < 1e-9
            # the place itself may only change when the point has left the floor in between
            both = planted[1:] & planted[:-1]
            assert np.abs(np.diff(place, axis=0)[both]).max(initial=0) < 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_feet_stay_above_the_floor_and_leave_it_when_not_planted(library: dict[str, Sample], name: str) -> None:
    sample = library[name]
    for side in SIDES:
        at = points(sample, side)
        lowest = np.min([p[:, 1] for p in at.values()], axis=0)
        assert lowest.min() > -0.001
        swing = ~sample.truth.foot(side).planted
        inside = swing.copy()
        for _ in range(4):  # frames well within a swing
            inside = inside & np.roll(inside, 1) & np.roll(inside, -1)
        assert lowest[inside].min(initial=1.0) > 0.003


@pytest.mark.parametrize("name", NAMES)
def test_no_joint_pops_and_knees_bend_one_way(library: dict[str, Sample], name: str) -> None:
    sample = library[name]
    q = sample.clip.rotations.astype(np.float64)
    spin = R.log(R.multiply(R.conjugate(q[:-1]), q[1:])) * sample.clip.fps
    change = np.linalg.norm(np.diff(spin, axis=0), axis=-1) * sample.clip.fps
    limit = 1300.0 if sample.truth.flight.any() or "kick" in sample.tags else 650.0
    worst = np.unravel_index(change.argmax(), change.shape)
    assert change.max() < limit, f"{sample.clip.skeleton.names[worst[1]]} at frame {worst[0]}"
    assert np.abs(np.diff(spin, axis=0))[:, :6].max() * sample.clip.fps < 80  # pelvis, spine and head move calmly
    for side in SIDES:
        bend = knee_bend(sample, side)
        assert bend.min() > 4.0
        assert bend.max() < 135.0
        flips = np.einsum("fk,fk->f", q[1:].reshape(-1, 4), q[:-1].reshape(-1, 4))
        assert flips.min() > 0


@pytest.mark.parametrize("name", NAMES)
def test_bones_keep_their_lengths_and_hips_stay_over_the_floor(library: dict[str, Sample], name: str) -> None:
    sample = library[name]
    world, skeleton = sample.clip.world(np.float64), sample.clip.skeleton
    parents = skeleton.parents[1:]
    bones = np.linalg.norm(world.positions[:, 1:] - world.positions[:, parents], axis=-1)
    assert np.abs(bones - np.linalg.norm(skeleton.offsets[1:], axis=-1)).max() < 1e-6
    assert world.positions[:, 0, 1].min() > 0.4
    speed = np.linalg.norm(np.diff(sample.clip.root.astype(np.float64), axis=0), axis=1) * sample.clip.fps
    assert np.abs(np.diff(speed)).max() * sample.clip.fps < 45  # m/s^2


@pytest.mark.parametrize(
    "name", [n for n in NAMES if n.startswith(("walk_", "march", "sneak")) or n.endswith("_walking")]
)
def test_walks_alternate_with_double_support(library: dict[str, Sample], name: str) -> None:
    sample = library[name]
    walking = sample.truth.labels == "walk"
    left, right = sample.truth.left.planted, sample.truth.right.planted
    assert not (sample.truth.flight & walking).any()
    double, single = (left & right & walking).sum(), ((left ^ right) & walking).sum()
    assert double > 0.08 * walking.sum()
    assert single > 0.4 * walking.sum()
    events = sorted([(f, s) for s, p in (("l", left), ("r", right)) for f in np.flatnonzero(p[1:] & ~p[:-1])])
    sides = [side for _, side in events]
    assert len(sides) >= 4
    assert all(a != b for a, b in itertools.pairwise(sides))


@pytest.mark.parametrize(
    "name", [n for n in NAMES if n.startswith(("walk_", "run", "jog")) and "corner" not in n and "few" not in n]
)
def test_steady_gaits_keep_the_speed_asked_for(library: dict[str, Sample], name: str) -> None:
    sample = library[name]
    cycles, centre = sample.truth.cycles, sample.truth.centre_of_mass.astype(np.float64)
    assert len(cycles) >= 3
    if "circle" not in sample.tags:
        way = np.linalg.norm((centre[cycles[-1]] - centre[cycles[0]])[[0, 2]])
    else:  # along the arc: the places a stride apart, chord to arc by the angle the body turned
        way = 0.0
        heading = np.unwrap([2 * np.arctan2(q[2], q[0]) for q in sample.clip.rotations[cycles, 0]], period=2 * np.pi)
        for k, (a, b) in enumerate(itertools.pairwise(cycles)):
            chord, turn = np.linalg.norm((centre[b] - centre[a])[[0, 2]]), abs(heading[k + 1] - heading[k])
            way += chord * (turn / 2) / np.sin(turn / 2)
    seconds = (cycles[-1] - cycles[0]) / sample.clip.fps
    assert way / seconds == pytest.approx(sample.truth.speed, rel=0.03)


@pytest.mark.parametrize("name", [n for n in NAMES if n.startswith(("run", "jog", "jump", "hop"))])
def test_flight_is_free_fall(library: dict[str, Sample], name: str) -> None:
    sample = library[name]
    flight = sample.truth.flight
    assert flight.sum() >= 10
    inside = flight[1:-1] & flight[2:] & flight[:-2]
    centre = sample.truth.centre_of_mass.astype(np.float64)
    second = np.diff(centre, 2, axis=0)[inside] * sample.clip.fps**2
    assert np.abs(second.mean(axis=0) - [0, -9.81, 0]).max() < 0.1
    assert np.abs(second - [0, -9.81, 0]).max() < 1.0
    assert np.median(np.diff(centre[:, 1], 2)[~flight[1:-1]]) * sample.clip.fps**2 > -5


def test_stands_are_balanced(library: dict[str, Sample]) -> None:
    for sample in library.values():
        if sample.type != "stand":
            continue
        truth = sample.truth
        feet = np.stack(
            [place[:, [0, 2]] for side in SIDES for place in (truth.foot(side).heel_place, truth.foot(side).ball_place)]
        )
        centre = truth.centre_of_mass[:, [0, 2]]
        assert (centre > feet.min(axis=0)).all(), sample.name
        assert (centre < feet.max(axis=0)).all(), sample.name
        assert truth.left.heel.all()
        assert truth.right.ball.all()


def test_arms_swing_against_the_legs(library: dict[str, Sample]) -> None:
    for name in ("walk_normal", "walk_fast", "run"):
        sample = library[name]
        world, skeleton = sample.clip.world(np.float64), sample.clip.skeleton
        hands, ankles = (
            [world.positions[:, skeleton.joint(f"{s}_{part}")][:, 2] for s in SIDES] for part in ("hand", "foot")
        )
        assert np.corrcoef(hands[0] - hands[1], ankles[0] - ankles[1])[0, 1] < -0.6


def test_the_body_rises_twice_a_stride(library: dict[str, Sample]) -> None:
    for name in ("walk_normal", "walk_brisk", "jog"):
        sample = library[name]
        first, last = sample.truth.cycles[0], sample.truth.cycles[-1]
        up = sample.truth.centre_of_mass[first:last, 1]
        strides = len(sample.truth.cycles) - 1
        power = np.abs(np.fft.rfft(up - up.mean()))
        assert power[2 * strides] > 3 * power[strides]
        assert 0.01 < np.ptp(up) < 0.15


def test_cycles_begin_where_the_left_foot_lands(library: dict[str, Sample]) -> None:
    for sample in library.values():
        if sample.type not in ("walk", "run"):
            continue
        planted = sample.truth.left.planted
        cycles = sample.truth.cycles
        assert planted[cycles].all(), sample.name
        assert not planted[cycles[cycles > 0] - 1].any(), sample.name


def test_another_rate_is_the_same_motion() -> None:
    slow, fast = make_sample("walk_normal", 30.0), make_sample("walk_normal", 120.0)
    assert len(fast.clip) == 4 * len(slow.clip)
    gap = np.linalg.norm(slow.clip.world().positions - fast.clip.world().positions[::4], axis=-1)
    assert gap.max() < 0.03
    side = np.linalg.norm(points(fast, "left")["heel"] - fast.truth.left.heel_place, axis=1)[fast.truth.left.heel]
    assert 1000 * side.max() < STILL_MM
