"""The report itself: bad input, limits, measures, comparison."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.analysis.plants import detect_plants
from reenact.analysis.quality import QualityLimits, check_clip, compare_reports
from reenact.analysis.quality.examined import mean_around, widened
from reenact.analysis.quality.jitter import joint_noise
from reenact.analysis.quality.overlap import segment_distances
from reenact.analysis.quality.skate import extent, slide_steps
from reenact.core.clip import Clip, JointTranslations
from reenact.core.resample import ResampleParameters, resample
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError
from reenact.samples import make_sample


@pytest.fixture(scope="module")
def walk() -> Clip:
    return make_sample("walk_normal").clip


def frames_of(clip: Clip, count: int) -> Clip:
    return replace(clip, rotations=clip.rotations[:count], root=clip.root[:count])


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 9, 20])
def test_few_frames(walk: Clip, count: int) -> None:
    report = check_clip(frames_of(walk, count))
    assert report.ok
    assert ("clip.short" in {finding.code for finding in report.findings}) == (count < 8)


def test_no_frames(walk: Clip) -> None:
    assert [finding.code for finding in check_clip(frames_of(walk, 0)).findings] == ["clip.empty"]


def test_no_feet_one_foot_and_no_roles(walk: Clip) -> None:
    roles = dict(walk.skeleton.roles)
    without = {role: joint for role, joint in roles.items() if "foot" not in role and "toes" not in role}
    report = check_clip(walk.with_skeleton(walk.skeleton.with_roles(without)))
    assert "feet.none" in {finding.code for finding in report.findings}
    assert report.measures["skate_mm_max"] is None
    one = {role: joint for role, joint in roles.items() if not role.startswith("left_")}
    report = check_clip(walk.with_skeleton(walk.skeleton.with_roles(one)))
    assert report.ok
    assert report.measures["skate_mm_max"] is not None
    check_clip(walk.with_skeleton(walk.skeleton.with_roles({})))


def test_numbers_that_are_none(walk: Clip) -> None:
    root = walk.root.copy()
    root[30:33] = np.nan
    report = check_clip(replace(walk, root=root))
    (finding,) = report.findings
    assert (finding.code, finding.severity, finding.frames) == ("numbers.not-finite", "error", (30, 33))
    zeros = check_clip(replace(walk, rotations=np.zeros_like(walk.rotations), root=np.zeros_like(walk.root)))
    assert [f.code for f in zeros.findings] == ["numbers.not-a-rotation"]
    infinite = walk.rotations.copy()
    infinite[7, 3, 1] = np.inf
    (finding,) = check_clip(replace(walk, rotations=infinite)).findings
    assert finding.joint == walk.skeleton.names[3]


def test_still_body(body: Skeleton) -> None:
    rotations = np.tile(np.array([1, 0, 0, 0], np.float32), (60, len(body), 1))
    report = check_clip(Clip(body, rotations, np.tile([0, 0.93, 0], (60, 1)), 30.0))
    assert report.ok
    flat = Skeleton(("a", "b"), np.array([-1, 0]), np.zeros((2, 3)))
    check_clip(Clip(flat, rotations[:, :2], np.zeros((60, 3)), 30.0))


@given(st.integers(1, 40), st.floats(1, 500), st.integers(0, 2**32 - 1))
def test_never_raises_on_noise(frames: int, fps: float, seed: int) -> None:
    skeleton = make_sample("stand", 20.0).clip.skeleton
    rng = np.random.default_rng(seed)
    rotations = rng.normal(size=(frames, len(skeleton), 4))
    rotations /= np.linalg.norm(rotations, axis=2, keepdims=True)
    report = check_clip(Clip(skeleton, rotations, rng.normal(size=(frames, 3)) * 10, fps))
    for finding in report.findings:
        assert finding.frames is None or 0 <= finding.frames[0] < finding.frames[1] <= frames
    assert all(value is None or math.isfinite(value) for value in report.measures.values())


def test_findings_say_value_limit_and_reason(walk: Clip) -> None:
    root = walk.root.copy()
    root[100] += 0.1
    (finding,) = check_clip(replace(walk, root=root)).over
    assert finding.value is not None
    assert finding.limit is not None
    assert finding.value > finding.limit
    assert finding.reason
    assert finding.reason in finding.message
    assert f"{finding.limit:.3g}" in finding.message
    assert finding.where == "frame 100 (Hips)"
    assert {"code", "severity", "where", "message", "fixed", "frames", "value", "limit"} <= set(finding.as_dict())


def test_limits() -> None:
    limits = QualityLimits()
    assert all(limits.reason(field.name) for field in fields(limits))
    assert limits.changed({"skate_mm": 5.0}).skate_mm == 5.0
    with pytest.raises(ParameterError, match="did you mean skate_mm"):
        limits.changed({"skate_m": 5.0})
    with pytest.raises(ParameterError, match="skate_mm must be above 0"):
        limits.changed({"skate_mm": 0.0})


def test_stricter_limits_find_more(walk: Clip) -> None:
    strict = check_clip(walk, QualityLimits(penetration_mm=0.01, jitter_mm=1e-6))
    assert {"floor.penetration", "jitter.noise"} <= {finding.code for finding in strict.over}


def test_plants_must_fit(walk: Clip) -> None:
    with pytest.raises(ParameterError, match="the plants have"):
        check_clip(walk, plants=detect_plants(frames_of(walk, 50)))


def test_measures_do_not_depend_on_place_rate_or_size(walk: Clip) -> None:
    from reenact.core.placement import move_rigidly

    base = check_clip(walk).measures
    moved = check_clip(move_rigidly(walk, (5, 0, 3), 1.0)).measures
    for name in ("skate_mm_max", "penetration_mm_max", "overlap_mm_max", "bent_back_deg_max"):
        assert moved[name] == pytest.approx(base[name], abs=0.6), name
    tall = replace(walk, skeleton=walk.skeleton.scaled(1.4), root=walk.root * 1.4, fps=walk.fps / math.sqrt(1.4))
    assert check_clip(tall).ok
    small = replace(walk, skeleton=walk.skeleton.scaled(0.6), root=walk.root * 0.6, fps=walk.fps / math.sqrt(0.6))
    assert check_clip(small).ok
    assert check_clip(resample(walk, ResampleParameters(fps=120))).ok


def test_bones(walk: Clip) -> None:
    values = np.repeat(walk.skeleton.offsets[None, [4]], len(walk), 0)
    steady = check_clip(replace(walk, translations=JointTranslations(np.array([4]), values.astype(np.float32))))
    assert steady.ok
    assert steady.measures["bone_change_mm_max"] == pytest.approx(0, abs=1e-3)


def test_comparison(walk: Clip) -> None:
    root = walk.root.copy()
    root[100] += 0.1
    root += np.random.default_rng(0).normal(0, 0.003, root.shape).astype(np.float32)
    before, after = check_clip(walk), check_clip(replace(walk, root=root))
    worse = compare_reports(before, after)
    assert not worse.ok
    assert {"jitter.noise", "pop.root"} <= {finding.code for finding in worse.new}
    assert {"jitter_mm", "pop_mm_max", "jerk_spikes"} <= {change.name for change in worse.worse}
    better = compare_reports(after, before)
    assert better.ok
    assert {finding.code for finding in better.gone} == {finding.code for finding in worse.new}
    same = compare_reports(before, before)
    assert {change.verdict for change in same.changes} == {"same"}


@given(st.integers(0, 2**32 - 1))
def test_segment_distances(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a0, a1, b0, b1 = rng.normal(size=(4, 3, 3))
    a1[0], b1[1] = a0[0], b0[1]  # a point among the segments
    b1[2] = b0[2] + 2 * (a1[2] - a0[2])  # parallel
    t = np.linspace(0, 1, 201)
    for n, found in enumerate(segment_distances(a0, a1, b0, b1)):
        p = a0[n] + t[:, None] * (a1[n] - a0[n])
        q = b0[n] + t[:, None] * (b1[n] - b0[n])
        brute = np.linalg.norm(p[:, None] - q[None], axis=2).min()
        assert found <= brute + 1e-9
        assert found == pytest.approx(brute, abs=0.03)


def test_noise_of_known_size() -> None:
    rng = np.random.default_rng(0)
    t = np.arange(600) / 60
    smooth = np.stack([np.sin(3 * t), np.cos(5 * t), 0.3 * t], axis=1)[:, None]
    assert joint_noise(smooth)[0] < 1e-6
    assert joint_noise(smooth + rng.normal(0, 0.002, smooth.shape))[0] == pytest.approx(0.002, rel=0.15)


def test_small_helpers() -> None:
    assert extent(np.array([[0.0, 0.0], [3.0, 4.0]])) == pytest.approx(5, rel=0.02)
    values = np.arange(9.0)
    np.testing.assert_allclose(mean_around(values, 2, 0)[4], (2 + 3 + 5 + 6) / 4)
    np.testing.assert_allclose(mean_around(values, 2, 0)[0], (1 + 2) / 2)
    mask = np.zeros(9, bool)
    mask[4] = True
    assert widened(mask, 2).sum() == 5
    floor = np.zeros((3, 2, 2))
    floor[1:, 0, 0] = 0.1  # the heel moves, the ball does not
    planted = np.ones(3, bool)
    assert np.all(slide_steps(floor, planted, planted) == 0)
    assert slide_steps(floor, planted, ~planted)[0, 0] == pytest.approx(0.1)
