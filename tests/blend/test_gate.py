"""The gate of registration: lengths by the leg, the worst third of a second, the direction of travel, limits that can be set."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from reenact.analysis.plants import detect_plants
from reenact.blend.blend import BlendParameters, blend
from reenact.blend.gate import GateLimits
from reenact.blend.registration import RegistrationParameters, register
from reenact.blend.travel_direction import angles_apart, course_in_words, local_velocity
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.placement import move_rigidly
from reenact.errors import ParameterError

Find = Callable[[str], Clip]
WARN = RegistrationParameters(gate="warn", trim="off")


def backwards(clip: Clip) -> Clip:
    """The clip played from its end to its start: a walk becomes a walk backwards."""
    return replace(clip, rotations=clip.rotations[::-1].copy(), root=clip.root[::-1].copy(), name="backwards")


def scaled(clip: Clip, factor: float) -> Clip:
    skeleton = clip.skeleton
    bigger = replace(
        skeleton,
        offsets=factor * skeleton.offsets,
        end_offsets=[factor * np.asarray(at) for at in skeleton.end_offsets],
    )
    return replace(clip.with_skeleton(bigger), root=(factor * clip.root).astype(np.float32))


def raise_an_arm(clip: Clip, start: int, end: int, angle: float = 1.2) -> Clip:
    """The clip with one arm lifted away for a while."""
    arm = clip.skeleton.roles["left_upper_arm"]
    turned = clip.rotations.astype(np.float64)
    lift = R.exp(np.array([0.0, 0.0, angle]))
    turned[start:end, arm] = R.multiply(np.broadcast_to(lift, turned[start:end, arm].shape), turned[start:end, arm])
    return replace(clip, rotations=turned.astype(np.float32))


class TestLimits:
    def test_every_parameter_class_has_them_all(self):
        for owner in (RegistrationParameters, BlendParameters):
            own = {one.name: one for one in fields(owner)}
            for limit in fields(GateLimits):
                assert own[limit.name].default == limit.default
                assert own[limit.name].metadata == limit.metadata
        asked = BlendParameters(most_stretch=0.2, most_astray=0.5).registration()
        assert (asked.most_stretch, asked.most_astray) == (0.2, 0.5)

    @pytest.mark.parametrize(("name", "value"), [("most_q", -0.1), ("most_astray", 1.5), ("astray_angle", 4.0)])
    def test_out_of_range(self, name, value):
        with pytest.raises(ParameterError, match=name):
            RegistrationParameters(**{name: value})

    @pytest.mark.parametrize(("limit", "value"), [("most_q", 0.01), ("most_distance", 0.001), ("most_stretch", 0.001)])
    def test_a_lower_limit_refuses_and_is_named(self, sample, limit, value):
        clips = [cut_frames(sample(name), 0, 300) for name in ("walk_normal", "walk_brisk")]
        assert register(clips, WARN).quality.verdict != "refused"
        asked = {limit: value, "near": 0.0, "gate": "refuse", "trim": "off"}
        if limit == "most_q":
            asked["most_q_in_step"] = value
        with pytest.raises(ParameterError, match=f"above the limit {limit}(_in_step)?={value:g}"):
            register(clips, RegistrationParameters(**asked))

    def test_the_command_line_has_them(self):
        from reenact.cli.main import app

        for verb in ("register", "blend"):
            told = CliRunner(env={"COLUMNS": "300"}).invoke(app, [verb, "--help"]).output
            for limit in fields(GateLimits):
                assert f"--{limit.name.replace('_', '-')}" in told


class TestDirection:
    def test_words_and_angles(self):
        assert course_in_words(np.array([1.0, 0.1])) == "forwards"
        assert course_in_words(np.array([-1.0, 0.1])) == "backwards"
        assert course_in_words(np.array([0.1, -1.0])) == "to the right"
        assert course_in_words(np.array([0.7, 0.7])) == "forwards and to the left"
        ways = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.1, 0.0]])
        assert np.allclose(np.degrees(angles_apart(ways, np.tile([1.0, 0.0], (4, 1)), 0.9)), [0, 90, 180, 0])

    @pytest.mark.parametrize("turn", [0.0, 2.0])
    def test_it_is_seen_from_the_body(self, sample, turn):
        clip = move_rigidly(sample("walk_normal"), (3, 0, 1), turn)
        ahead, back = local_velocity(clip), local_velocity(backwards(clip))
        assert ahead[:, 0].mean() > 1
        assert np.abs(ahead[:, 1]).mean() < 0.15
        assert np.allclose(back, -ahead[::-1], atol=0.05)

    def test_a_walk_does_not_blend_with_a_backward_one(self, sample):
        clip = cut_frames(sample("walk_normal"), 0, 300)
        other = backwards(clip)
        with pytest.raises(
            ParameterError, match=r"travels forwards where backwards travels backwards, \d+ % .*most_astray=0\.15"
        ):
            blend([clip, other])
        curve = register([clip, other], WARN)
        assert curve.quality.pairs[0].astray > 0.9
        assert {"most_astray"} <= {one["limit"] for one in curve.quality.as_dict()["exceeded"]}

    def test_a_few_backward_steps_in_between_are_enough(self, sample):
        """Where the bodies go apart for a third of the way the whole is refused, and the frames are named."""
        clip = sample("walk_normal")
        part = cut_frames(clip, 0, 360)
        back = backwards(cut_frames(clip, 0, 120))
        step = part.root[239] - back.root[0]
        mixed = replace(
            part,
            rotations=np.concatenate([part.rotations[:240], back.rotations]),
            root=np.concatenate([part.root[:240], back.root + step * np.float32([1, 0, 1])]),
            name="mixed",
        )
        pair = register([part, mixed], WARN).quality.pairs[0]
        assert 0.15 < pair.astray < 0.45
        assert pair.astray_at is not None
        assert pair.astray_at[1][0] >= 200


class TestSize:
    @pytest.mark.parametrize("factor", [0.3, 4.0])
    def test_a_giant_is_judged_like_a_child(self, sample, factor):
        clips = [cut_frames(sample(name), 0, 300) for name in ("walk_normal", "walk_slow")]
        usual = register(clips, WARN).quality
        other = register([scaled(clip, factor) for clip in clips], WARN).quality
        for name in ("q", "distance", "stretch"):
            assert getattr(other.pairs[0], name) == pytest.approx(getattr(usual.pairs[0], name), rel=0.02)
        assert other.pairs[0].leg == pytest.approx(factor * usual.pairs[0].leg)
        assert other.mean_distance == pytest.approx(factor * usual.mean_distance, rel=0.02)

    def test_near_is_measured_by_the_leg(self, sample):
        """Two ways of standing of a giant differ by more than 5 cm, and correspond as before."""
        clips = [scaled(sample(name), 6.0) for name in ("stand", "stand_look")]
        found = register(clips, WARN).quality
        assert found.mean_distance > 0.05
        assert found.verdict == "good"


class TestWorstStretch:
    def test_one_bad_moment_is_not_hidden_by_the_mean(self, sample):
        clip = cut_frames(sample("stand"), 0, 600)
        other = raise_an_arm(sample("stand"), 300, 340, 2.5)
        other = replace(cut_frames(other, 0, 600), name="waving")
        found = register([clip, other], replace(WARN, most_stretch=0.2)).quality
        assert found.mean_distance < 0.05
        assert found.verdict == "refused"
        (start, end), (other_start, other_end) = found.pairs[0].stretch_at
        assert 280 <= other_start < other_end <= 360
        assert f"frames {start} to {end} ({start / clip.fps:.1f} to" in " ".join(found.reasons)
        assert register([clip, clip], WARN).quality.verdict == "good"

    def test_frames_count_in_the_clips_as_given(self, sample):
        """After cutting to steps too."""
        clips = [sample("walk_normal"), sample("walk_brisk")]
        curve = register(clips, RegistrationParameters(gate="warn", trim="steps"))
        for span, (start, end) in zip(curve.quality.pairs[0].stretch_at, curve.ranges, strict=True):
            assert start <= span[0] < span[1] <= end


class TestUnevenGround:
    def test_a_body_on_a_step_does_not_stand_where_one_on_the_floor_does(self, sample):
        clip = cut_frames(sample("stand"), 0, 600)
        root = clip.root.copy()
        root[300:, 1] += np.float32(0.2)
        plants = [detect_plants(clip)] * 2
        higher = replace(clip, root=root, name="on a step")
        found = register([clip, higher], WARN, plants).quality
        assert found.pairs[0].uneven * found.pairs[0].leg == pytest.approx(0.2, abs=0.01)
        assert found.verdict == "refused"
        assert "stands 20 cm higher where both stand; above the limit most_uneven=0.1" in " ".join(found.reasons)
        assert "most_uneven" not in " ".join(
            register([clip, higher], replace(WARN, most_uneven=0.4), plants).quality.reasons
        )
        assert register([clip, clip], WARN, plants).quality.pairs[0].uneven < 0.01


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("a", "b", "limit"),
    [
        ("137_29", "143_39", "most_astray"),  # forward x backward
        ("104_02", "136_25", "most_astray"),
        ("39_01", "141_32", "most_astray"),  # forward x sideways
        ("35_02", "90_08", "most_stretch"),  # walk x side flip
        ("118_09", "69_16", "most_squeezed"),  # jump x turn in place
        ("20_06", "143_17", "most_uneven"),  # march x down the stairs
        ("132_29", "16_07", "most_leap"),  # a bouncy walk x a jump
    ],
)
def test_recordings_of_different_things_are_refused(recording, a, b, limit):
    tool = _tool()
    with pytest.raises(ParameterError, match=f"above the limit {limit}"):
        register([tool.clip_of(a), tool.clip_of(b)])


@pytest.mark.corpus
@pytest.mark.parametrize(("a", "b"), [("16_11", "16_13"), ("16_37", "16_44"), ("07_01", "08_01"), ("13_39", "16_01")])
def test_recordings_of_one_thing_correspond(recording, a, b):
    assert register([recording(a), recording(b)]).quality.verdict == "good"


@pytest.mark.corpus
def test_a_frame_that_jumps_is_cut_off(recording):
    """07_12 begins 2.4 m away from its second frame; equal steps without it are at hand."""
    curve = register([recording("07_12"), recording("104_19")])
    assert curve.quality.pairs[0].stretch < 0.3
    assert curve.ranges[0][0] > 0


def _tool():
    file = Path(__file__).parents[2] / "tools" / "measure_gate.py"
    spec = importlib.util.spec_from_file_location("measure_gate", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.corpus
def test_the_pairs_of_the_tool_are_always_the_same(corpus):
    tool = _tool()
    pairs = tool.draw_pairs()
    assert [(row.a, row.b) for row in pairs] == [(row.a, row.b) for row in tool.draw_pairs()]
    assert len(pairs) >= 150
    assert {row.kind for row in pairs} == {"same", "wrong", "related"}
    assert {row.subjects for row in pairs if row.kind == "same"} == {"same", "other"}
