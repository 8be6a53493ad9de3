"""The default detector of foot contacts as one kernel: speeds, floor, scores, raised ground, contacts, confidences."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reenact.kernels.compiling import kernel
from reenact.kernels.contacts import _blur, _confidences, _contact_scores, _hold, _stillness
from reenact.kernels.floor_plane import _fit_plane
from reenact.kernels.medians import median
from reenact.kernels.point_paths import _slope_speeds, _travel


class ContactLimits(NamedTuple):
    """Metres, metres per second and frames; what each is for is told in `analysis.plants_adaptive`."""

    speed: float
    share: float
    height: float
    leave: float
    gap: int
    least: float
    smoothing: int
    travel: int
    core: float
    window: int
    slow: float
    noise: float
    noisy: float
    roll: float
    unknown_drift: float
    tolerance: float
    least_tolerance: float
    deviations: float
    lift: float
    high: float
    fast: float
    raised: int
    below_hips: float
    spread: int
    most_sure: float


@kernel
def _raise_ground(paths, speeds, travel, heights, limits, leg, ground):
    """Write the level of raised contacts into `ground` (F, 4); False when there are none.

    A foot stands raised while it is slow, high and well below the hips, keeps its level, and the other foot moves meanwhile.
    """
    frames, count = speeds.shape
    still, room = np.empty((frames, count), np.bool_), np.empty(frames, np.float64)
    for f in range(frames):
        limit = np.float32(limits.speed + limits.share * travel[f])
        for i in range(count):
            still[f, i] = speeds[f, i] < limit
    some = False
    for i in range(count):
        other = 2 if i < 2 else 0
        f = 0
        while f < frames:
            a, moving = f, 0
            low, top = np.inf, -np.inf
            while (
                f < frames
                and still[f, i]
                and heights[f, i] > limits.height
                and (paths[f, count, 1] - paths[f, i, 1] > limits.below_hips * leg)
            ):
                moving += not (still[f, other] or still[f, other + 1])
                low, top = min(low, heights[f, i]), max(top, heights[f, i])
                f += 1
            if f - a >= limits.raised and moving >= limits.raised and top - low <= limits.height:
                for g in range(a, f):
                    room[g - a] = heights[g, i]
                ground[max(0, a - limits.spread) : min(frames, f + limits.spread), i] = median(room, f - a)
                some = True
            f = max(f, a + 1)
    return some


@kernel
def _detect(paths, fps, leg, limits, floor, states, sure, normal):
    frames, count = paths.shape[0], states.shape[0]
    speeds, travel = np.empty((frames, count), np.float32), np.empty(frames, np.float32)
    _slope_speeds(paths, fps, limits.smoothing, speeds)
    _travel(paths[:, count], fps, limits.travel, travel)
    offsets = np.zeros(count, np.float64)
    height, confidence, _ = _fit_plane(paths, speeds, floor, offsets, normal)
    ground = np.zeros((frames, count), np.float32)
    scores, heights = np.empty((frames, count), np.float32), np.empty((frames, count), np.float32)
    longest = _contact_scores(
        paths,
        speeds,
        travel,
        normal,
        height,
        offsets,
        ground,
        limits.speed,
        limits.share,
        limits.height,
        scores,
        heights,
    )
    if count == 4 and longest >= limits.raised and _raise_ground(paths, speeds, travel, heights, limits, leg, ground):
        _contact_scores(
            paths, speeds, travel, normal, height, offsets, ground, limits.speed, limits.share, limits.height, scores,
            heights,
        )  # fmt: skip
    shake, spread = _stillness(paths, speeds, limits.slow, limits.window)
    drift = max(0.0, spread - limits.noise * shake) if np.isfinite(spread) else limits.unknown_drift
    tolerance = max(limits.tolerance + limits.roll * drift, limits.least_tolerance)
    mask = np.zeros((frames, count), np.bool_)
    seen = paths
    if shake > limits.noisy:
        # a point that shakes by more than it moves as it lands and lifts shows its place in means over some frames only
        seen = np.empty((frames, count, 3), paths.dtype)
        _blur(paths, limits.smoothing, seen)
    _hold(
        scores, heights, seen, 1.0, limits.leave, limits.gap, limits.lift, limits.core, limits.window, tolerance,
        limits.deviations, limits.least, mask,
    )  # fmt: skip
    for f in range(frames):
        for i in range(count):
            if mask[f, i] and heights[f, i] + ground[f, i] + offsets[i] > limits.high:
                # beyond both limits nothing is planted, whatever its neighbours are
                a, b = max(0, f - 1), min(frames - 1, f + 1)
                total = 0.0
                for k in range(3):
                    step = paths[b, i, k] - paths[a, i, k]
                    total += step * step
                mask[f, i] = not fps * np.sqrt(total) / max(1, b - a) > limits.fast
    for i in range(count):
        for f in range(frames):
            states[i, f] = mask[f, i]
    for n in range(count // 2):
        _confidences(scores, mask, 2 * n, limits.most_sure, sure[n])
    return height, confidence


def detect_contacts(paths, feet, fps, leg, limits, floor):
    """Contacts of the points of the feet, and the floor.

    Args:
        paths: (F, 2 S + 1 or more, 3) float32 metres, C-contiguous: heel and ball of each foot, then the hips; more does not matter.
        feet: how many feet there are, S.
        fps: frames per second.
        leg: metres.
        limits: `ContactLimits`.
        floor: `FloorLimits`.

    Returns:
        states (2 S, F) bool, confidences (S, F) float32, and the floor's normal (3,), height along it and confidence.
    """
    frames = len(paths)
    states, sure = np.empty((2 * feet, frames), np.bool_), np.empty((feet, frames), np.float32)
    normal = np.empty(3)
    height, confidence = _detect(paths, float(fps), float(leg), limits, floor, states, sure, normal)
    return states, sure, normal, height, confidence
