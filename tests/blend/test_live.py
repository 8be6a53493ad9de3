"""Blending while it plays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.blend.live import LiveBlend
from reenact.blend.loop_points import find_loop_point
from reenact.blend.plant_matching import match_plants
from reenact.blend.playing import play, schedule_curve
from reenact.blend.preparing import bring_together
from reenact.blend.registration import RegistrationParameters, register
from reenact.blend.weights import constant_weights
from reenact.core.cutting import cut_frames
from reenact.core.resample import ResampleParameters, resample
from reenact.errors import ParameterError
from reenact.solve.joint_pushes import joint_accelerations

WALKS = ("walk_normal", "walk_circle_wide_left", "walk_brisk")


@pytest.fixture(scope="module")
def curve():
    from reenact.samples import make_sample

    clips, plants = bring_together([make_sample(name).clip for name in WALKS])
    return register(clips, RegistrationParameters(gate="off", trim="off"), plants)


def played(player, like, count, dt, weights):
    """A clip of so many steps, the first of no time; weights of each step."""
    rotations, root = np.empty((count, len(like.skeleton), 4)), np.empty((count, 3))
    for n in range(count):
        step = player.step(dt if n else 0.0, weights(n))
        rotations[n], root[n] = step.rotations, step.root
    return replace(like, rotations=rotations, root=root, fps=1 / dt if dt else like.fps, translations=None)


@pytest.mark.parametrize(
    ("dt", "weights", "message"),
    [
        (-0.1, [1, 1, 1], "dt must be 0 to 1 s"),
        (2.0, [1, 1, 1], "dt must be 0 to 1 s"),
        (np.nan, [1, 1, 1], "dt must be 0 to 1 s"),
        (0.01, [1, 1], "3 motions need 3 weights"),
        (0.01, [0, 0, 0], "more than 0"),
        (0.01, [1, -1, 0], "more than 0"),
        (0.01, [2, -1, 0], "-0.2 to 1.2"),
    ],
)
def test_bad_steps_are_refused(curve, dt, weights, message):
    with pytest.raises(ParameterError, match=message):
        LiveBlend(curve, loop=False).step(dt, weights)


def test_bad_smoothing_is_refused(curve):
    with pytest.raises(ParameterError, match="smoothing must be 0 to 60 s"):
        LiveBlend(curve, smoothing=-1)


def test_motions_too_short_for_a_loop_say_so(curve):
    short = [cut_frames(clip, 0, 50) for clip in curve.clips]
    with pytest.raises(ParameterError, match="a loop needs"):
        find_loop_point(register(short, RegistrationParameters(gate="off", trim="off")))


@pytest.mark.parametrize("motion", range(3))
def test_all_weight_on_one_motion_plays_that_clip(curve, distance, motion):
    clip = curve.clips[motion]
    found = played(LiveBlend(curve, loop=False), clip, len(clip), 1 / clip.fps, lambda _: np.eye(3)[motion])
    assert distance(found, clip) < 1e-5


@pytest.mark.parametrize("weights", [[0.2, 0.5, 0.3], [1.2, -0.1, -0.1], [-0.2, 0.0, 1.2]])
def test_constant_weights_give_what_the_whole_blend_gives(curve, weights):
    """The blend made at once is the twin of the steps."""
    plan = constant_weights(weights, 3)
    matched, _ = match_plants(curve)
    whole = play(matched, schedule_curve(matched, plan, "blended", curve.fps), "incremental", curve.fps, refined=False)
    player = LiveBlend(curve, loop=False)
    dt = whole.schedule.rate / curve.fps
    places = whole.clip.world(np.float64).positions
    contacts = np.column_stack([getattr(whole.plants.foot(s), p) for s in ("left", "right") for p in ("heel", "ball")])
    agree = 0
    for n in range(len(whole.clip)):
        step = player.step(dt if n else 0.0, weights)
        one = replace(whole.clip, rotations=step.rotations[None], root=step.root[None], translations=None)
        most = 1e-3 if n < 0.95 * len(whole.clip) else 3e-3  # the two fill in otherwise where a clip ends
        assert np.abs(one.world(np.float64).positions[0] - places[n]).max() < most
        assert player.u == pytest.approx(whole.schedule.u[n], abs=1e-6)
        agree += int(np.array_equal(step.contacts, contacts[n]))
    assert agree > 0.97 * len(whole.clip)


def test_the_last_pose_is_held_without_a_loop(curve):
    player = LiveBlend(curve, loop=False)
    for _ in range(40):
        player.step(1.0, [1, 1, 1])
    before = player.step(1.0, [1, 1, 1]).root.copy()
    assert player.u == curve.length
    assert np.allclose(player.step(1.0, [1, 1, 1]).root, before, atol=1e-12, rtol=0)


def test_weights_come_to_what_was_asked_for_and_stay_weights(curve):
    player = LiveBlend(curve)
    player.step(1 / 60, [1, 0, 0])
    assert np.array_equal(player.weights, [1, 0, 0])
    seen = []
    for _ in range(120):
        player.step(1 / 60, [0, 0, 5])
        seen.append(player.weights)
    seen = np.array(seen)
    assert np.all(seen >= 0)
    assert np.allclose(seen.sum(axis=1), 1)
    assert np.all(np.diff(seen[:, 2]) >= 0)
    assert seen[-1, 2] > 0.9999
    assert 0.2 < seen[8, 2] < 0.45, "about a quarter after one time constant"


def _play_at_random(curve, seconds, rate, seed):
    rng = np.random.default_rng(seed)
    player = LiveBlend(curve)
    u, passages = [], []
    weights = rng.dirichlet(np.full(3, 0.3))

    def at(n):
        nonlocal weights
        u.append(player.u)
        passages.append(player.passages)
        if n % (rate // 2) == 0:
            weights = rng.dirichlet(np.full(3, 0.3))
        return weights

    clip = played(player, curve.clips[0], seconds * rate, 1 / rate, at)
    return player, clip, np.array(u), np.array(passages)


def _check_a_minute_of_play(curve, seed):
    player, clip, u, passages = _play_at_random(curve, 60, 60, seed)
    assert np.isfinite(clip.root).all()
    assert np.isfinite(clip.rotations).all()
    assert player.passages > 5
    same = passages[1:] == passages[:-1]
    assert np.all(np.diff(u)[same] >= 0), "u only falls where a passage begins"
    inputs = max(
        joint_accelerations(resample(one, ResampleParameters(fps=60.0, method="smooth"))).max() for one in curve.clips
    )
    assert joint_accelerations(clip).max() < 1.5 * inputs


def test_a_minute_of_changing_weights(curve):
    _check_a_minute_of_play(curve, 1)


def test_a_minute_of_changing_weights_on_recordings(recording):
    clips, plants = bring_together([recording(name) for name in ("16_11", "16_12", "16_13")])
    found = register(clips, RegistrationParameters(gate="off", trim="off"), plants)
    _check_a_minute_of_play(found, 2)


def test_reset_starts_again(curve):
    player = LiveBlend(curve)
    first = player.step(0.0, [1, 1, 1]).root.copy()
    for _ in range(500):
        player.step(1 / 60, [0, 1, 0])
    player.reset()
    assert np.array_equal(player.step(0.0, [1, 1, 1]).root, first)
