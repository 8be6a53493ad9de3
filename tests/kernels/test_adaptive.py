"""The one kernel of the default detector against the same steps taken one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.analysis.floor import floor_limits
from reenact.core.foot_plants import intervals_of
from reenact.kernels import adaptive, contacts, floor_plane, point_paths

LIMITS = adaptive.ContactLimits(
    speed=0.22, share=0.22, height=0.055, leave=1.15, gap=3, least=3.0, smoothing=2, travel=6, core=0.3, window=6,
    slow=0.12, noise=0.5, noisy=0.002, roll=60.0, unknown_drift=0.0015, tolerance=0.0004, least_tolerance=0.03,
    deviations=1.6, lift=0.0715, high=0.09, fast=0.4, raised=6, below_hips=0.35, spread=9, most_sure=1.0,
)  # fmt: skip
FPS, LEG = 60.0, 0.82


def walk_on(seed: int, frames: int, stairs: bool, noise: float = 0.001) -> np.ndarray:
    """Feet that stand and move by turns, on one level or on steps, and hips over them."""
    rng = np.random.default_rng(seed)
    paths = np.zeros((frames, 5, 3), np.float32)
    for foot in range(2):
        place, f, stands = np.array([0.1 - 0.2 * foot, 0.0, 0.0]), 0, bool(foot)
        while f < frames:
            last = min(frames, f + int(rng.integers(8, 40)))
            goal = place + [0, rng.choice([0.0, 0.17]) if stairs else 0, 0.6]
            for g in range(f, last):
                share = 0.0 if stands else (g - f) / (last - f)
                at = place + share * (goal - place) + [0, 0.1 * np.sin(np.pi * share), 0]
                paths[g, 2 * foot], paths[g, 2 * foot + 1] = at, at + [0, 0, 0.15]
            place, f, stands = place if stands else goal, last, not stands
    paths[:, 4] = paths[:, :4].mean(axis=1) + [0, 0.85, 0]
    return (paths + rng.normal(0, noise, paths.shape)).astype(np.float32)


def raised_ground(paths: np.ndarray, speeds: np.ndarray, travel: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """Levels of raised contacts, as sentences."""
    ground = np.zeros(speeds.shape, np.float32)
    still = speeds < (LIMITS.speed + LIMITS.share * travel)[:, None]
    below = paths[:, 4:, 1] - paths[:, :4, 1] > LIMITS.below_hips * LEG
    for n in range(4):
        moving = ~still[:, 2:4].any(axis=1) if n < 2 else ~still[:, 0:2].any(axis=1)
        for a, b in intervals_of(still[:, n] & (heights[:, n] > LIMITS.height) & below[:, n]):
            flat = np.ptp(heights[a:b, n]) <= LIMITS.height
            if b - a >= LIMITS.raised and np.count_nonzero(moving[a:b]) >= LIMITS.raised and flat:
                ground[max(0, a - LIMITS.spread) : b + LIMITS.spread, n] = np.median(heights[a:b, n])
    return ground


def running_means(points: np.ndarray, half: int) -> np.ndarray:
    """Means over `half` frames on both sides, at the ends over as many as there are on the nearer one."""
    reach = [min(half, f, len(points) - 1 - f) for f in range(len(points))]
    return np.array([points[f - r : f + r + 1].mean(axis=0, dtype=float) for f, r in enumerate(reach)], np.float32)


def step_by_step(paths: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    feet = np.ascontiguousarray(paths[:, :4])
    speeds = point_paths.slope_speeds(feet, FPS, LIMITS.smoothing)
    travel = point_paths.travel_speeds(np.ascontiguousarray(paths[:, 4]), FPS, LIMITS.travel)
    offsets = np.zeros(4)
    normal, height, _, _ = floor_plane.fit_plane(feet, speeds, floor_limits(0.35, 1.0), offsets)
    plane = (normal, height, offsets)
    limits = (LIMITS.speed, LIMITS.share, LIMITS.height)
    ground = np.zeros(speeds.shape, np.float32)
    scores, heights, _ = contacts.contact_scores(feet, speeds, travel, *plane, ground, *limits)
    ground = raised_ground(paths, speeds, travel, heights)
    scores, heights, _ = contacts.contact_scores(feet, speeds, travel, *plane, ground, *limits)
    shake, spread = contacts.stillness(feet, speeds, LIMITS.slow, LIMITS.window)
    drift = max(0.0, spread - LIMITS.noise * shake) if np.isfinite(spread) else LIMITS.unknown_drift
    seen = running_means(feet, LIMITS.smoothing) if shake > LIMITS.noisy else feet
    mask = contacts.hold_contacts(
        scores, heights, seen, enter=1.0, leave=LIMITS.leave, gap=LIMITS.gap, lift=LIMITS.lift, core=LIMITS.core,
        window=LIMITS.window, tolerance=max(LIMITS.tolerance + LIMITS.roll * drift, LIMITS.least_tolerance),
        deviations=LIMITS.deviations, least=LIMITS.least,
    )  # fmt: skip
    at = np.arange(len(feet))
    a, b = np.maximum(0, at - 1), np.minimum(len(feet) - 1, at + 1)
    fast = FPS * np.linalg.norm(feet[b] - feet[a], axis=2) / np.maximum(1, b - a)[:, None] > LIMITS.fast
    mask &= ~((heights + ground + offsets > LIMITS.high) & fast)
    sure = np.stack([contacts.contact_confidences(scores, mask, n, LIMITS.most_sure) for n in (0, 2)])
    return mask.T, sure, normal, height


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 3, 5, 40, 400]), st.booleans(), st.sampled_from([2e-4, 1e-3]))
def test_one_kernel_gives_what_its_steps_give(seed: int, frames: int, stairs: bool, noise: float) -> None:
    paths = walk_on(seed, frames, stairs, noise)
    states, sure, normal, height, _ = adaptive.detect_contacts(paths, 2, FPS, LEG, LIMITS, floor_limits(0.35, 1.0))
    plain_states, plain_sure, plain_normal, plain_height = step_by_step(paths)
    np.testing.assert_array_equal(states, plain_states)
    np.testing.assert_allclose(sure, plain_sure, atol=1e-6)
    np.testing.assert_allclose(normal, plain_normal, atol=1e-9)
    assert height == pytest.approx(plain_height, abs=1e-9)


def test_stairs_are_ground_too() -> None:
    raised = 0
    for seed in range(8):
        paths = walk_on(seed, 400, True)
        states, *_ = adaptive.detect_contacts(paths, 2, FPS, LEG, LIMITS, floor_limits(0.35, 1.0))
        raised += np.count_nonzero(states.T & (paths[:, :4, 1] > 0.15))
    assert raised > 100
