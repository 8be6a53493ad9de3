"""Distances of frames and their alignments: known answers, invariance, the grid and single pairs alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from reenact.analysis.metrics.point_clouds import PointCloudFeatures, PointCloudMetric, PointCloudParameters
from reenact.blend.alignment_curve import turn_floor
from reenact.blend.distance_grid import (
    align_clouds,
    describe_samples,
    marker_points,
    marker_weights,
    measure_grid,
    sample_frames,
)
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.heading import wrap
from reenact.core.placement import move_rigidly
from reenact.core.resample import ResampleParameters, resample, sample_at
from reenact.core.rotations import multiply
from reenact.errors import ParameterError

Find = Callable[[str], Clip]
SINGLE = PointCloudMetric(PointCloudParameters(frames=1, span=0.0))


def features_of(points: np.ndarray, weights: np.ndarray | None = None) -> PointCloudFeatures:
    return SINGLE.describe_points(points, 30.0, weights)


def placed(points: np.ndarray, turn: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Clouds (N, P, 3) turned by (N,) and shifted by (N, 2)."""
    out = points.copy()
    out[:, :, [0, 2]] = turn_floor(points[:, :, [0, 2]], turn[:, None]) + shift[:, None]
    return out


@pytest.mark.parametrize("weighted", [False, True])
def test_alignment_of_random_clouds(weighted: bool) -> None:
    rng = np.random.default_rng(4)
    clouds = rng.normal(size=(1000, 12, 3))
    turn, shift = rng.uniform(-np.pi, np.pi, 1000), rng.uniform(-100, 100, (1000, 2))
    weights = rng.random(12) + 0.05 if weighted else None
    target, source = features_of(placed(clouds, turn, shift), weights), features_of(clouds, weights)
    every = np.arange(1000)
    found = SINGLE.align_cells(target, source, every, every)
    assert np.abs(wrap(found.turn - turn)).max() < 1e-8
    assert np.abs(found.shift - shift).max() < 1e-8
    np.testing.assert_allclose(found.confidence, 1, atol=1e-9)


def test_alignment_under_noise() -> None:
    rng = np.random.default_rng(5)
    clouds = rng.normal(scale=0.3, size=(200, 190, 3))
    turn, shift = rng.uniform(-np.pi, np.pi, 200), rng.uniform(-5, 5, (200, 2))
    noisy = placed(clouds, turn, shift) + rng.normal(scale=0.01, size=clouds.shape)
    every = np.arange(200)
    found = SINGLE.align_cells(features_of(noisy), features_of(clouds), every, every)
    assert np.median(np.abs(wrap(found.turn - turn))) < 0.01
    assert np.abs(wrap(found.turn - turn)).max() < 0.02


def test_no_angle_of_a_scan_is_better() -> None:
    rng = np.random.default_rng(6)
    for _ in range(20):
        a, b = rng.normal(size=(2, 1, 9, 3))
        weights = rng.random(9)
        weights /= weights.sum()
        one, other = features_of(a, weights), features_of(b, weights)
        d = float(SINGLE.tile(one, other, slice(None), slice(None))[0, 0])
        angles = np.linspace(0, 2 * np.pi, 3600, endpoint=False)
        turned = turn_floor(b[0, :, [0, 2]].T[None], angles[:, None])
        gaps = a[0, :, [0, 2]].T[None] - turned
        gaps -= (gaps * weights[:, None]).sum(axis=1, keepdims=True)
        scan = ((gaps**2).sum(axis=2) * weights).sum(axis=1) + np.sum(weights * (a[0, :, 1] - b[0, :, 1]) ** 2)
        assert d <= np.sqrt(scan.min()) + 1e-6
        assert d == pytest.approx(np.sqrt(scan.min()), abs=1e-4)


def test_distances_do_not_depend_on_where_clouds_stand() -> None:
    rng = np.random.default_rng(7)
    a, b = rng.normal(size=(2, 30, 11, 3))
    moved = [placed(p, rng.uniform(-3, 3, 30), rng.uniform(-9, 9, (30, 2))) for p in (a, b)]

    def squares(p: np.ndarray, q: np.ndarray) -> np.ndarray:  # float64, as single precision hides what is asked here
        one, other = features_of(p), features_of(q)
        every = np.arange(30)
        found = SINGLE.align_cells(one, other, every, every)
        gap = p - placed(q, found.turn, found.shift)
        return np.mean(np.sum(gap**2, axis=2), axis=1)

    np.testing.assert_allclose(squares(a, b), squares(*moved), atol=1e-9)


@pytest.mark.corpus
def test_grid_and_single_pairs(recording: Find) -> None:
    clips = [resample(cut_frames(recording(name), 0, 160), ResampleParameters(fps=30)) for name in ("16_11", "16_13")]
    at = [np.arange(len(clip), dtype=float) for clip in clips]
    described = [describe_samples(clip, a, 30.0) for clip, a in zip(clips, at, strict=True)]
    grid = measure_grid(described[0][0], described[0][1], described[1][1])
    points = [marker_points(clip) for clip in clips]
    rng = np.random.default_rng(8)
    for i, j in rng.integers(0, min(grid.shape), (40, 2)).tolist():
        window = np.arange(-2, 3)
        p, q = (x[np.clip(n + window, 0, len(x) - 1)].reshape(1, -1, 3) for x, n in zip(points, (i, j), strict=True))
        d = float(SINGLE.tile(features_of(p), features_of(q), slice(None), slice(None))[0, 0])
        assert grid.distances[i, j] == pytest.approx(d, abs=1e-6)
        cell = grid.align_cells(np.array([[i, j]]))
        assert cell.turn[0] == pytest.approx(grid.turn[i, j], abs=1e-9)
        np.testing.assert_allclose(cell.shift[0], grid.shift[i, j], atol=1e-9)
        assert cell.confidence[0] == pytest.approx(grid.confidence[i, j], abs=1e-9)
        gap = p[0] - placed(q, cell.turn, cell.shift)[0]
        assert np.sqrt(np.mean(np.sum(gap**2, axis=1))) == pytest.approx(d, abs=1e-6)


@pytest.mark.corpus
def test_a_clip_against_itself_and_the_other_way_round(recording: Find) -> None:
    a, b = (cut_frames(recording(name), 0, 200) for name in ("16_11", "16_13"))
    described = [describe_samples(clip, sample_frames(len(clip), clip.fps, 30.0), 30.0) for clip in (a, b)]
    metric = described[0][0]
    own = measure_grid(metric, described[0][1], described[0][1])
    assert np.abs(np.diag(own.distances)).max() < 1e-6
    there = measure_grid(metric, described[0][1], described[1][1])
    back = measure_grid(metric, described[1][1], described[0][1])
    np.testing.assert_allclose(there.distances, back.distances.T, atol=1e-6)
    np.testing.assert_allclose(there.transposed().turn, -there.turn.T, atol=1e-9)
    far = describe_samples(move_rigidly(b, (900.0, 0.0, 500.0), 2.0), sample_frames(len(b), b.fps, 30.0), 30.0)[1]
    np.testing.assert_allclose(measure_grid(metric, described[0][1], far).distances, there.distances, atol=1e-4)


def test_shown_runs_from_nought_to_one(sample: Find) -> None:
    clip = cut_frames(sample("walk_normal"), 0, 120)
    metric, features = describe_samples(clip, sample_frames(len(clip), clip.fps, 30.0), 30.0)
    shown = measure_grid(metric, features, features).shown()
    assert shown.min() == 0
    assert shown.max() == 1


def test_samples_cover_the_clip() -> None:
    np.testing.assert_allclose(sample_frames(121, 120, 30), np.arange(0, 121, 4))
    at = sample_frames(316, 120, 30)
    assert (len(at), at[0], at[-1]) == (80, 0, 315)
    assert len(sample_frames(316, 120, 30, samples=70)) == 70
    np.testing.assert_array_equal(sample_frames(1, 120, 30), [0])


def test_sampling_between_frames(sample: Find) -> None:
    clip = cut_frames(sample("walk_normal"), 0, 40)
    whole = sample_at(clip, np.arange(40, dtype=float), clip.fps)
    np.testing.assert_array_equal(whole.rotations, clip.rotations)
    np.testing.assert_array_equal(whole.root, clip.root)
    half = sample_at(clip, np.arange(39) + 0.5, clip.fps)
    np.testing.assert_allclose(half.root, (clip.root[:-1] + clip.root[1:]) / 2, atol=1e-6)
    p, q, middle = (marker_points(c) for c in (clip, clip, half))
    between = np.linalg.norm(middle - (p[:-1] + q[1:]) / 2, axis=2)
    assert between.max() < 0.005


def test_weights(sample: Find) -> None:
    skeleton = sample("walk_normal").skeleton
    count = len(skeleton) + len(skeleton.end_joints)
    equal, lower, mass = (marker_weights(skeleton, name) for name in ("equal", "lower-body", "mass"))
    for weights in (equal, lower, mass):
        assert weights.shape == (count,)
        assert weights.sum() == pytest.approx(1)
    np.testing.assert_allclose(equal, 1 / count)
    knee, hand = skeleton.roles["left_lower_leg"], skeleton.roles["left_hand"]
    assert lower[knee] == pytest.approx(4 * lower[hand])
    assert mass[knee] > mass[hand] > 0
    with pytest.raises(ParameterError, match="weights must be equal, lower-body, mass, not 'all'"):
        marker_weights(skeleton, "all")  # type: ignore[arg-type]


def test_twist_of_a_bone_shows_with_points_about_joints(sample: Find) -> None:
    clip = cut_frames(sample("walk_normal"), 0, 20)
    end = int(clip.skeleton.end_joints[0])  # nothing but its end site moves with this joint
    axis = clip.skeleton.end_offsets[0] / np.linalg.norm(clip.skeleton.end_offsets[0])
    twisted = clip.rotations.astype(np.float64)
    twisted[:, end] = multiply(twisted[:, end], np.concatenate([[np.cos(0.5)], np.sin(0.5) * axis]))
    other = replace(clip, rotations=twisted.astype(np.float32))
    at = np.arange(20, dtype=float)
    found = {}
    for markers in ("joints", "bones"):
        (metric, a), (_, b) = (describe_samples(c, at, clip.fps, markers=markers) for c in (clip, other))
        assert a.points.shape[1] == 3 * len(marker_weights(clip.skeleton, "equal", markers))
        found[markers] = float(np.diag(measure_grid(metric, a, b).distances).mean())
    assert found["joints"] < 1e-3
    assert found["bones"] > 2e-3


def test_one_alignment_of_whole_motions(sample: Find) -> None:
    clip = cut_frames(sample("walk_normal"), 0, 60)
    moved = move_rigidly(clip, (4.0, 0.0, -2.0), 1.2)
    found = align_clouds(*(marker_points(c).reshape(-1, 3) for c in (moved, clip)))
    assert found.turn[0] == pytest.approx(1.2, abs=1e-5)
    back = move_rigidly(clip, (float(found.shift[0, 0]), 0.0, float(found.shift[0, 1])), float(found.turn[0]))
    np.testing.assert_allclose(back.root, moved.root, atol=1e-4)
