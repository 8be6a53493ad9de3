"""Kernels of foot contacts against plain NumPy and Python definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reenact.core.foot_plants import intervals_of
from reenact.kernels import contacts, floor_plane, point_paths, twins

FINITE = st.floats(-2, 2, width=32)


def tree(joints: int, rng: np.random.Generator) -> np.ndarray:
    return np.array([-1, *(rng.integers(0, j) for j in range(1, joints))], np.int32)


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_point_paths_are_those_of_forward_kinematics(seed: int, moving: bool) -> None:
    rng = np.random.default_rng(seed)
    frames, joints = 4, 7
    rotations = rng.normal(size=(frames, joints, 4))
    rotations /= np.linalg.norm(rotations, axis=-1, keepdims=True)
    root, offsets, parents = rng.normal(size=(frames, 3)), rng.normal(size=(joints, 3)), tree(joints, rng)
    moved_joints = np.array([2, 5], np.int32) if moving else None
    moved = rng.normal(size=(frames, 2, 3)) if moving else None
    chosen, places = rng.integers(0, joints, 3), rng.normal(size=(3, 3))
    found = point_paths.point_paths(
        rotations, root, offsets, point_paths.plan_paths(parents, chosen), places, moved_joints, moved
    )
    positions, world = twins.forward_kinematics(rotations, root, offsets, parents, moved_joints, moved)
    for n, joint in enumerate(chosen):
        u, w = world[:, joint, 1:], world[:, joint, :1]
        t = 2 * np.cross(u, places[n])
        np.testing.assert_allclose(found[:, n], positions[:, joint] + places[n] + w * t + np.cross(u, t), atol=1e-10)


@given(arrays(np.float32, st.tuples(st.integers(1, 12), st.just(2), st.just(3)), elements=FINITE), st.integers(1, 4))
def test_slope_speeds_are_least_squares(points: np.ndarray, half: int) -> None:
    found = point_paths.slope_speeds(points, 60.0, half)
    frames = len(points)
    for f in range(frames):
        middle = min(
            max(f, half), max(frames - 1 - half, half)
        )  # at the ends the nearest whole window, or all there is
        a, b = middle - half, min(frames - 1, middle + half)
        times = np.arange(a, b + 1) / 60.0
        for i in range(2):
            slope = np.polyfit(times, points[a : b + 1, i].astype(float), 1)[0] if b > a else np.zeros(3)
            np.testing.assert_allclose(found[f, i], np.linalg.norm(slope), rtol=1e-3, atol=2e-3)


@given(arrays(np.float32, st.tuples(st.integers(1, 30), st.just(3)), elements=FINITE), st.integers(1, 5))
def test_travel_speeds(path: np.ndarray, half: int) -> None:
    path[0, 0] = np.nan
    found = point_paths.travel_speeds(path, 30.0, half)
    at = np.arange(len(path))
    a, b = np.maximum(0, at - half), np.minimum(len(path) - 1, at + half)
    wanted = 30.0 * np.hypot(*(path[b] - path[a])[:, ::2].T) / np.maximum(1, b - a)
    np.testing.assert_allclose(found, np.nan_to_num(wanted), rtol=1e-4, atol=1e-5)


def plain_hold(
    scores: np.ndarray, heights: np.ndarray, enter: float, leave: float, gap: int, lift: float
) -> np.ndarray:
    """Hysteresis and gaps alone, as sentences."""
    mask = np.zeros(scores.shape, bool)
    for i in range(scores.shape[1]):
        for a, b in intervals_of(scores[:, i] < leave):
            mask[a:b, i] = (scores[a:b, i] < enter).any()
        for a, b in intervals_of(~mask[:, i]):
            inside = a > 0 and b < len(mask)
            if inside and b - a <= gap and (heights[a:b, i] < lift).all():
                mask[a:b, i] = True
    return mask


@given(
    arrays(np.float32, st.tuples(st.integers(1, 40), st.just(2)), elements=st.floats(0, 3, width=32)),
    arrays(np.float32, (40, 2), elements=st.floats(0, 0.125, width=32)),
    st.integers(1, 4),
)
def test_contacts_are_held_by_hysteresis_and_over_low_gaps(scores: np.ndarray, heights: np.ndarray, gap: int) -> None:
    heights = heights[: len(scores)]
    points = np.zeros((*scores.shape, 3), np.float32)
    found = contacts.hold_contacts(
        scores, heights, points, enter=0.8, leave=1.2, gap=gap, lift=0.07, core=0.3, window=3, tolerance=1.0,
        deviations=1.0, least=0.0,
    )  # fmt: skip
    np.testing.assert_array_equal(found, plain_hold(scores, heights, 0.8, 1.2, gap, 0.07))


@pytest.mark.parametrize(("free", "wanted"), [(1, (5, 18)), (0, (0, 20))])
def test_ends_are_trimmed_to_the_place_but_not_where_the_clip_cuts_them(free: int, wanted: tuple[int, int]) -> None:
    path = np.zeros((20, 1, 3), np.float32)
    path[:4, 0, 2] = [-0.04, -0.03, -0.02, -0.01]
    path[16:, 0, 1] = [0.001, 0.006, 0.02, 0.05]
    scores = np.full((20, 1), 0.1, np.float32)
    scores[:4], scores[16:] = 0.7, 0.7
    scores = np.pad(scores, ((free, free), (0, 0)), constant_values=3.0)
    path = np.pad(path, ((free, free), (0, 0), (0, 0)), mode="edge")
    held = contacts.hold_contacts(
        scores, path[..., 1].copy(), path, enter=1, leave=1.2, gap=1, lift=1.0, core=0.3, window=6, tolerance=0.005,
        deviations=1.0, least=0.0,
    )  # fmt: skip
    assert intervals_of(held[:, 0]) == [wanted]


@given(arrays(np.float32, st.tuples(st.integers(1, 20), st.just(2)), elements=st.floats(0, 4, width=32)))
def test_confidence_is_between_none_and_all_and_a_half_at_the_limit(scores: np.ndarray) -> None:
    mask = scores < 1
    sure = contacts.contact_confidences(scores, mask, 0, 1.0)
    best = scores.min(axis=1)
    wanted = np.where(best < 1, 1 - 0.5 * best**2, 1 - 0.5 / np.maximum(best, 1) ** 2)
    np.testing.assert_allclose(sure, wanted, atol=1e-5)
    against = contacts.contact_confidences(scores, ~mask & ~mask[:, ::-1], 0, 1.0)
    assert (against[best < 1] <= 0.5 + 1e-6).all()


def test_unknown_scores_have_no_confidence() -> None:
    scores = np.full((3, 2), np.nan, np.float32)
    assert contacts.contact_confidences(scores, np.zeros((3, 2), bool), 0, 1.0).tolist() == [0, 0, 0]


@given(st.integers(0, 2**32 - 1))
def test_floor_is_the_plane_the_points_lie_on(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.uniform(-3, 3, (200, 4, 3))
    a, b, c = rng.uniform(-0.1, 0.1, 3)
    points[..., 1] = c + a * points[..., 0] + b * points[..., 2]
    middle, level, slope_x, slope_z, offsets, kept, found = floor_plane.fit_floor(
        points.astype(np.float32), np.zeros((200, 4), np.float32), 1.0, most=500,
        bands=np.array([0.5, 0.3, 0.1]), below=2.0, stiff=1e-9, steepest=0.2, standing=0.04,
    )  # fmt: skip
    assert kept == found > 200
    np.testing.assert_allclose([slope_x, slope_z], [a, b], atol=1e-4)
    np.testing.assert_allclose(level + middle[1] - slope_x * middle[0] - slope_z * middle[2], c, atol=1e-4)
    np.testing.assert_allclose(offsets, 0, atol=1e-4)


def test_stillness_tells_shaking_from_drifting() -> None:
    rng = np.random.default_rng(5)
    shaking = rng.normal(0, 0.002, (400, 1, 3)).astype(np.float32)
    drifting = np.zeros((400, 1, 3), np.float32)
    drifting[:, 0, 0] = np.linspace(0, 1, 400)
    slow = np.zeros((400, 1), np.float32)
    shake, spread = contacts.stillness(shaking, slow, 1.0, 12)
    assert spread < 0.5 * shake
    shake, spread = contacts.stillness(drifting, slow, 1.0, 12)
    assert spread > 5 * shake
    assert np.isnan(contacts.stillness(drifting, slow + 2, 1.0, 12)[1])


@given(arrays(np.float32, st.tuples(st.integers(1, 20), st.just(4), st.just(3)), elements=FINITE), st.integers(1, 4))
def test_body_signals(paths: np.ndarray, half: int) -> None:
    speed, travelled, forward, upright = point_paths.body_signals(paths, 30.0, half)
    at = np.arange(len(paths))
    a, b = np.maximum(0, at - half), np.minimum(len(paths) - 1, at + half)
    hips = paths[:, 0].astype(float)
    np.testing.assert_allclose(speed, 30 * np.hypot(*(hips[b] - hips[a])[:, ::2].T) / np.maximum(1, b - a), atol=1e-6)
    np.testing.assert_allclose(travelled, np.concatenate([[0], np.cumsum(speed)]), atol=1e-6)
    left = paths[:, 1].astype(float) - paths[:, 2]
    ahead = np.cross(left, [0.0, 1.0, 0.0])[:, ::2]
    wide = np.linalg.norm(ahead, axis=1)
    told = wide > 1e-3
    np.testing.assert_allclose(forward[told], (ahead / np.maximum(wide, 1e-12)[:, None])[told], atol=1e-6)
    trunk = paths[:, 3].astype(float) - (paths[:, 1].astype(float) + paths[:, 2]) / 2
    long = np.linalg.norm(trunk, axis=1)
    told = long > 1e-3
    np.testing.assert_allclose(upright[told], (trunk[:, 1] / np.maximum(long, 1e-12))[told], atol=1e-6)
