"""Poses shown one after another: recordings come out as they are, jumps die out, planted feet stand."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.core import rotations as R
from reenact.core.placement import Placement
from reenact.errors import ParameterError
from reenact.kernels import playing_twins
from reenact.kernels.pose_playing import FARTHEST
from reenact.mobility.performance import Take, joint_steps, own_steps, recorded_steps, slips
from reenact.mobility.pose_database import PoseDatabase
from reenact.mobility.pose_player import PlayingParameters, PosePlayer, stage_of

PLAIN = PlayingParameters(feet=False)


def span(database: PoseDatabase, name: str) -> tuple[int, int]:
    clip = database.names.index(name)
    return int(database.starts[clip]), int(database.starts[clip + 1])


def play(player: PosePlayer, poses: list[int]) -> Take:
    take = Take(player.database)
    for n, pose in enumerate(poses):
        take.add(player.step(pose, poses[n + 1 :]))
    return take


def with_jumps(database: PoseDatabase, seed: int, count: int = 8, run: int = 25) -> list[int]:
    """Stretches of clips, one after another."""
    rng = np.random.default_rng(seed)
    starts = [int(s) for s in rng.integers(2, database.poses - run - 2, count)]
    inner = ~database.is_first
    return [p for s in starts if inner[s : s + run + 1].all() for p in range(s, s + run)]


def test_a_pose_that_is_not_there_is_refused(walking: PoseDatabase) -> None:
    with pytest.raises(ParameterError, match="no pose"):
        PosePlayer(walking, walking.poses)
    player = PosePlayer(walking, 5)
    with pytest.raises(ParameterError, match="no pose -1"):
        player.step(-1)
    with pytest.raises(ParameterError, match="begins a clip"):
        player.step(int(walking.starts[1]))


def test_parameters_are_checked() -> None:
    with pytest.raises(ParameterError, match="inertial, one_sided, none"):
        PlayingParameters(blend="smooth")  # type: ignore[arg-type]
    with pytest.raises(ParameterError):
        PlayingParameters(blend_time=0.0)


def test_a_recording_plays_as_it_was_moved_to_where_the_character_stands(walking: PoseDatabase) -> None:
    first, last = span(walking, "walk_normal")
    place = Placement((3.0, -2.0), 1.2)
    player = PosePlayer(walking, first, place, PLAIN)
    take = play(player, list(range(first + 1, last)))
    wanted = walking.play(np.arange(first, last), place)
    made = take.clip()
    np.testing.assert_allclose(made.root, wanted.root[1:], atol=1e-4)
    angles = np.linalg.norm(R.log(R.multiply(R.conjugate(made.rotations), wanted.rotations[1:])), axis=-1)
    assert angles.max() < 1e-3
    assert player.jumps == 0
    assert not any(take.blending)


def test_it_shows_the_pose_it_was_put_in_before_it_goes_on(walking: PoseDatabase) -> None:
    first, _ = span(walking, "walk_normal")
    place = Placement((3.0, -2.0), 1.2)
    player = PosePlayer(walking, first + 9, place)
    wanted = walking.play([first + 9], place)
    np.testing.assert_allclose(player.shown().root, wanted.root[0], atol=1e-4)
    assert np.abs(np.einsum("ji,ji->j", player.shown().rotations, wanted.rotations[0])).min() > 1 - 1e-5
    np.testing.assert_array_equal(player.shown().contacts, walking.contacts[first + 9])


def test_jumps_agree_with_plain_numpy(walking: PoseDatabase) -> None:
    motion = stage_of(walking).motion
    poses = with_jumps(walking, 3)
    player = PosePlayer(walking, poses[0], Placement((1.0, 2.0), -0.7), PLAIN)
    take = play(player, poses[1:])
    roots, turned = playing_twins.play_inertially(
        motion, poses, (1.0, 2.0, -0.7), 8.0 / PLAIN.blend_time, 1.0 / walking.fps
    )
    made = take.clip()
    np.testing.assert_allclose(made.root, roots, atol=2e-4)
    far = np.linalg.norm(R.log(R.multiply(R.conjugate(made.rotations.astype(float)), turned)), axis=-1)
    assert far.max() < 5e-3
    assert player.jumps >= 4


@pytest.mark.parametrize("blend", ["inertial", "one_sided"])
def test_blends_take_the_jump_out(walking: PoseDatabase, blend: str) -> None:
    poses = with_jumps(walking, 7, count=20)
    usual = recorded_steps(walking)
    steps = {}
    for name in (blend, "none"):
        player = PosePlayer(walking, poses[0], None, PlayingParameters(blend=name, feet=False))  # type: ignore[arg-type]
        steps[name] = joint_steps(play(player, poses[1:]), usual).max()
    assert steps[blend] < 0.6 * steps["none"]


def test_one_sided_blends_end_at_the_pose_ahead(walking: PoseDatabase) -> None:
    first, last = span(walking, "walk_normal")
    other, _ = span(walking, "walk_slow")
    parameters = PlayingParameters(blend="one_sided", blend_time=8 / 30, feet=False)
    player = PosePlayer(walking, first + 10, None, parameters)
    poses = list(range(other + 20, other + 32))
    take = Take(walking)
    for n, pose in enumerate(poses):
        take.add(player.step(pose, poses[n + 1 :]))
        assert player.reaching == (n + 1 < 8)
    alone = PosePlayer(walking, first + 10, None, PlayingParameters(blend="none", feet=False))
    wanted = play(alone, poses).clip()
    made, aim = take.clip().rotations[7:], wanted.rotations[7:]
    assert np.abs(np.einsum("fji,fji->fj", made, aim)).min() > 1 - 1e-5
    np.testing.assert_allclose(take.clip().root[7:], wanted.root[7:], atol=1e-4)
    assert last > first


def test_an_interrupted_blend_is_at_the_nearest_of_its_poses(walking: PoseDatabase) -> None:
    first, _ = span(walking, "walk_normal")
    other, _ = span(walking, "walk_slow")
    player = PosePlayer(walking, first + 10, None, PlayingParameters(blend="one_sided", blend_time=8 / 30))
    poses = list(range(other + 20, other + 40))
    for n, pose in enumerate(poses[:4]):
        player.step(pose, poses[n + 1 :])
    before = player.shown().rotations.copy()
    found = player.interrupt()
    assert other + 20 <= found < other + 40
    assert not player.reaching
    np.testing.assert_array_equal(player.shown().rotations, before)
    after = player.step(found + 1, poses)
    gap = np.linalg.norm(R.log(R.multiply(R.conjugate(before.astype(float)), after.rotations.astype(float))), axis=-1)
    assert gap.max() < 0.6


def test_planted_feet_stand_still_through_jumps(walking: PoseDatabase) -> None:
    poses = with_jumps(walking, 11, count=30)
    held = play(PosePlayer(walking, poses[0], None, PlayingParameters()), poses[1:])
    loose = play(PosePlayer(walking, poses[0], None, PLAIN), poses[1:])
    assert np.percentile(slips(held), 95) < 0.006
    assert slips(held).max() < 0.03
    assert np.percentile(slips(loose), 95) > 5 * np.percentile(slips(held), 95)
    assert own_steps(loose) == 0


def test_a_foot_too_far_off_makes_a_step_of_its_own_and_says_so(walking: PoseDatabase) -> None:
    first, last = span(walking, "walk_normal")
    both = [p for p in range(first + 5, last - 40) if walking.contacts[p, 1] and walking.contacts[p + 12, 1]]
    assert both
    start = both[0]
    left = np.array([walking.contacts[p, 0] or walking.contacts[p, 1] for p in range(first, last)])
    # into the other half of the step: the same foot is planted, elsewhere under the body
    stands = np.flatnonzero(left)
    runs = np.split(stands, np.flatnonzero(np.diff(stands) > 1) + 1)
    early, late = first + int(runs[1][1]), first + int(runs[1][-2])
    player = PosePlayer(walking, early, Placement(), PlayingParameters())
    poses = list(range(late, min(late + 20, last)))
    take = play(player, poses)
    assert start >= first
    assert own_steps(take) >= 1
    assert slips(take).max(initial=0.0) < FARTHEST


def test_heights_of_the_root_do_not_drift_over_thousands_of_jumps(walking: PoseDatabase) -> None:
    rng = np.random.default_rng(2)
    inner = np.flatnonzero(~walking.is_first)
    player = PosePlayer(walking, int(inner[0]), None, PlayingParameters(feet=False))
    highest, lowest = walking.positions[:, 1].max(), walking.positions[:, 1].min()
    for pose in rng.choice(inner, 3000):
        shown = player.step(int(pose))
        assert np.isfinite(shown.rotations).all()
        assert lowest - 0.2 < shown.root[1] < highest + 0.2
    assert player.bytes < 4096 * 2
