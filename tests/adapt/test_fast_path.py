"""The fast way: circle splines, smoothed corrections, limbs kept apart frame by frame."""

from __future__ import annotations

import numpy as np
import pytest
from tests.capsule_body import capsule_body

from reenact import kernels
from reenact.adapt.adaptation import adapt_clip
from reenact.adapt.circle_splines import curve_at, smooth_corrections
from reenact.adapt.parameters import AdaptParameters
from reenact.kernels import circle_twins
from reenact.samples import make_sample


def some_points(seed: int, count: int = 9) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.column_stack([np.cumsum(rng.uniform(4, 12, count)), rng.normal(0, 0.3, (count, 2))])


@pytest.mark.parametrize("seed", range(4))
def test_the_kernel_is_its_twin(seed):
    points = some_points(seed)
    times = np.linspace(points[0, 0], points[-1, 0], 200)
    np.testing.assert_allclose(
        kernels.circle_splines.curve_at(points, times), circle_twins.curve_at(points, times), atol=1e-9
    )


def test_the_curve_goes_through_its_points_without_a_corner():
    points = some_points(7)
    np.testing.assert_allclose(curve_at(points, points[:, 0]), points[:, 1:], atol=1e-6)
    for time in points[1:-1, 0]:
        step = 1e-4
        left, at, right = curve_at(points, np.array([time - step, time, time + step]))
        assert np.abs((right - at) - (at - left)).max() < 1e-2 * max(np.abs(right - left).max(), 1e-9)


def test_a_circle_stays_a_circle():
    angles = np.linspace(0, 2, 7)
    points = np.column_stack(
        [10 * angles, np.cos(angles)]
    )  # time and value of no circle, so pieces themselves are asked
    ring = np.column_stack([np.sin(angles), np.cos(angles)])
    places = circle_twins.piece(ring[1], ring[2], ring[3], ring[4], np.linspace(0, 1, 20))
    np.testing.assert_allclose(np.linalg.norm(places, axis=1), 1, atol=1e-12)
    assert curve_at(points, points[:, 0]).shape == (7, 1)


def test_smoothed_corrections_are_enough_at_every_peak():
    rng = np.random.default_rng(1)
    frames = np.arange(120.0)
    need = np.maximum(0, np.sin(frames / 11) + 0.3 * rng.normal(size=120) - 0.4)
    raw = np.column_stack([0.2 * need, -0.1 * need])
    smooth = smooth_corrections(raw, frames, frames)
    size, asked = np.linalg.norm(smooth, axis=1), np.linalg.norm(raw, axis=1)
    assert np.mean(size >= asked - 0.03) > 0.9  # the rest lies right beside a higher peak
    assert np.mean(np.diff(smooth, 3, axis=0) ** 2) < 0.5 * np.mean(np.diff(raw, 3, axis=0) ** 2)
    np.testing.assert_array_equal(smooth_corrections(0 * raw, frames, frames), 0)
    same = np.tile((0.1, 0.05), (120, 1))
    np.testing.assert_allclose(smooth_corrections(same, frames, frames), same, atol=1e-9)


def test_a_limb_swung_past_a_round_obstacle():
    """What is left after one and two passes, of a limb that turns about the origin and must keep a distance."""
    for depth, far, radius in ((0.02, 0.3, 0.08), (0.05, 0.3, 0.1)):
        place = np.array([far, radius - depth])
        left = []
        for _ in range(2):
            turn = np.arctan2(radius - place[1], far)
            place = np.array(
                [place[0] * np.cos(turn) - place[1] * np.sin(turn), place[0] * np.sin(turn) + place[1] * np.cos(turn)]
            )
            left.append(abs(radius - place[1]) / depth)
        assert left[0] < 0.1
        assert left[1] < 0.01


def test_limbs_come_free_smoothly():
    body = capsule_body()
    clip = make_sample("walk_normal").clip
    asked = AdaptParameters(girth=1.2, trunk=1.3, joints=False, method="fast", stages="arms,legs")
    made = adapt_clip(clip, body, asked)
    assert made.overlap[1].sum() < 0.5 * made.overlap[0].sum()
    limbs = [
        made.source.skeleton.roles[f"{side}_{part}"]
        for side in ("left", "right")
        for part in ("upper_arm", "upper_leg")
    ]
    assert set(made.corrections.joints()) <= {made.source.skeleton.names[joint] for joint in limbs}
    hand = made.source.skeleton.roles["left_hand"]
    pushes = [
        np.abs(np.diff(one.world(np.float64).positions[:, hand], 2, axis=0)).max() for one in (made.source, made.clip)
    ]
    assert pushes[1] < 3 * pushes[0]
