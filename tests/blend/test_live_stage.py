"""Going over from one set of motions to another while they play."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.blend.live import LiveBlend
from reenact.blend.live_stage import LiveStage
from reenact.blend.preparing import bring_together
from reenact.blend.registration import RegistrationParameters, register
from reenact.blend.travel import chain, invert, mean_placement
from reenact.core.resample import ResampleParameters, resample
from reenact.errors import ParameterError, SkeletonError
from reenact.samples import make_sample

WHOLE = RegistrationParameters(gate="off", trim="off")
RATE = 60


def _clips(*names):
    return [make_sample(name).clip for name in names]


@pytest.fixture(scope="module")
def walks():
    return register(_clips("walk_normal", "walk_circle_wide_left", "walk_brisk"), WHOLE)


@pytest.fixture(scope="module")
def runs():
    return register(_clips("jog", "run"), WHOLE)


@pytest.fixture
def stage(walks, runs):
    return LiveStage({"walk": walks, "run": runs, "jump": make_sample("jump_forward").clip}, once=["jump"])


def play(stage, seconds, asked=None, rate=RATE):
    """A clip of the play, with requests {step: (name, weights, within)}; and the steps in which a set was entered."""
    like = next(iter(stage.players.values())).curve.clips[0]
    rotations, roots, entered = [], [], []
    for n in range(round(seconds * rate)):
        if asked and n in asked:
            stage.request(*asked[n])
        before = stage.moved
        step = stage.step(1 / rate)
        if stage.moved > before:
            entered.append(n)
        rotations.append(step.rotations.copy())
        roots.append(step.root.copy())
    clip = replace(like, rotations=np.array(rotations), root=np.array(roots), fps=float(rate), translations=None)
    return clip, entered


def accelerations(clip):
    """(J,) m/s^2, the largest of each joint."""
    places = clip.world(np.float64).positions
    return np.linalg.norm(np.diff(places, 2, axis=0), axis=2).max(axis=0) * clip.fps**2


class TestBadInput:
    def test_sets(self, walks):
        with pytest.raises(ParameterError, match="one set of motions at least"):
            LiveStage({})
        with pytest.raises(ParameterError, match="no set 'run'; there are walk"):
            LiveStage({"walk": walks}, once=["run"])
        with pytest.raises(ParameterError, match="no set 'run'"):
            LiveStage({"walk": walks}, start="run")
        with pytest.raises(ParameterError, match=r"crossing must be 0\.05 to 5 s"):
            LiveStage({"walk": walks}, crossing=0)

    def test_other_skeletons(self, walks):
        clip = make_sample("run").clip
        longer = clip.with_skeleton(replace(clip.skeleton, offsets=1.1 * clip.skeleton.offsets))
        with pytest.raises(SkeletonError, match="bones of other lengths"):
            LiveStage({"walk": walks, "run": longer})
        named = replace(clip.skeleton, names=tuple(f"x{name}" for name in clip.skeleton.names))
        with pytest.raises(SkeletonError, match="differ"):
            LiveStage({"walk": walks, "run": clip.with_skeleton(named)})

    def test_requests(self, stage):
        with pytest.raises(ParameterError, match="no set 'swim'; there are walk, run, jump"):
            stage.request("swim")
        with pytest.raises(ParameterError, match="within must be 0 to 60 s"):
            stage.request("run", within=-1)
        with pytest.raises(ParameterError, match="2 motions need 2 weights"):
            stage.request("run", [1, 1, 1])
        with pytest.raises(ParameterError, match="no set 'swim'"):
            stage.steer("swim", [1])
        assert stage.waiting is None


def test_transforms_and_their_mean():
    rng = np.random.default_rng(1)
    some = rng.normal(size=(5, 3))
    assert np.allclose(chain(some, invert(some))[:, 1:], 0, atol=1e-12)
    assert np.allclose(mean_placement(np.repeat(some[:1], 3, axis=0), rng.normal(size=2), np.full(3, 1 / 3)), some[0])


def test_without_a_request_a_set_plays_as_it_does_alone(walks, runs):
    stage, alone = LiveStage({"walk": walks, "run": runs}), LiveBlend(walks)
    stage.steer("walk", [0.2, 0.5, 0.3])
    for _ in range(900):
        ours, wanted = stage.step(1 / RATE), alone.step(1 / RATE, [0.2, 0.5, 0.3])
        assert np.array_equal(ours.root, wanted.root)
        assert np.array_equal(ours.rotations, wanted.rotations)


@pytest.mark.parametrize("within", [0.0, 0.2, 1.0, 3.0])
def test_a_request_is_honoured_in_time(stage, within):
    """Also when it comes while a passage goes over into the next: that is ended first."""
    for at in range(30, 600, 45):
        before = stage.moved
        plan = stage.request("run" if stage.playing == "walk" else "walk", within=within)
        assert 0 <= plan.wait <= within + 1e-9 + 1 / 30
        waited = 0
        while stage.moved == before:
            stage.step(1 / RATE)
            waited += 1
            assert waited <= (max(within, 0.35) + 0.4) * RATE, "a crossing may be under way, of 0.35 s"
        if plan.wait > 0.35:
            assert abs(waited / RATE - plan.wait) < 0.1
        assert stage.waiting is None
        for _ in range(at % 60 + 25):
            stage.step(1 / RATE)


def test_the_body_goes_on_where_it_is(stage, walks, runs):
    clip, entered = play(
        stage,
        14,
        {120: ("run", [1, 0]), 300: ("walk", [0, 1, 0]), 480: ("jump",), 700: ("walk", [1, 0, 0]), 760: ("run",)},
    )
    assert len(entered) == 5
    sources = [*walks.clips, *runs.clips, make_sample("jump_forward").clip]
    usual = np.max(
        [accelerations(resample(one, ResampleParameters(fps=float(RATE), method="smooth"))) for one in sources], axis=0
    )
    assert (accelerations(clip) / usual).max() < 1.5
    speed = np.linalg.norm(np.diff(clip.world(np.float64).positions, axis=0), axis=2).max() * RATE
    own = max(
        np.linalg.norm(np.diff(one.world(np.float64).positions, axis=0), axis=2).max() * one.fps for one in sources
    )
    assert speed < 1.2 * own


def test_waiting_finds_a_better_moment(stage):
    """A body that is to stop and jump waits for the end of its step; what may be waited for is never far worse than what is at hand."""
    better = 0
    for _ in range(20):
        for _ in range(13):
            stage.step(1 / RATE)
        at_once, later = (stage.request("jump", within=within) for within in (0.0, 1.5))
        assert at_once.wait == 0
        assert later.distance <= 1.1 * at_once.distance
        better += later.distance < 0.95 * at_once.distance
        stage.request("walk")  # taken back
        assert stage.waiting is None
    assert better >= 4


def test_an_action_is_entered_early_played_once_and_held(stage):
    jump = stage.players["jump"]
    stage.request("jump", within=0.5)
    while stage.playing != "jump":
        stage.step(1 / RATE)
    assert jump.u < 0.5 * jump.curve.length
    for _ in range(round(jump.curve.length / jump.curve.fps * RATE) + 60):
        last = stage.step(1 / RATE).root.copy()
    assert np.allclose(stage.step(1 / RATE).root, last, atol=1e-9)
    stage.request("walk", within=0.5)
    for _ in range(180):
        last = stage.step(1 / RATE).root.copy()
    assert stage.playing == "walk"


def test_the_last_request_counts(stage):
    stage.step(1 / RATE)
    stage.request("run", within=2.0)
    plan = stage.request("jump", within=0.0)
    assert plan.wait == 0
    stage.step(1 / RATE)
    assert stage.playing == "jump"
    stage.request("run", within=0.0)  # while the crossing into the jump is under way
    assert stage.waiting == "run"
    for _ in range(30):
        stage.step(1 / RATE)
    assert stage.playing == "run"


@pytest.mark.corpus
def test_recordings(recording):
    names = ("16_11", "16_12", "16_13", "16_35", "16_36", "16_03")
    clips, plants = bring_together([recording(name) for name in names])
    walks = register(clips[:3], WHOLE, plants[:3])
    runs = register(clips[3:5], WHOLE, plants[3:5])
    stage = LiveStage({"walk": walks, "run": runs, "jump": clips[5]}, once=["jump"])
    clip, entered = play(
        stage, 25, {200: ("run",), 500: ("walk", [1, 0, 0]), 1100: ("jump",), 1800: ("walk",), 2300: ("run",)}, rate=120
    )
    assert len(entered) == 5
    usual = np.max([accelerations(one) for one in clips], axis=0)
    assert (accelerations(clip) / usual).max() < 1.2
