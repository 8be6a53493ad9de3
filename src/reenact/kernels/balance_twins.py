"""Plain NumPy twin of the kernel in `kernels.balance`: the readable definition, and the reference of its tests."""

from __future__ import annotations

import numpy as np


def find_balance(points, masses, feet, fps, limits):
    """Leans (N,) and (4,) loads, seconds and plunge; see `kernels.balance.find_balance`."""
    place, pull = _smooth(points, limits.half, fps)
    mass = np.einsum("fki,k->fi", place, masses)
    joints = place[:, np.asarray(feet)]
    floor = np.percentile(joints[..., 1].min(axis=1), 10)
    weight = limits.gravity + pull[..., 1] @ masses
    turning = np.einsum("fk,fki->fi", (limits.gravity + pull[..., 1]) * masses, place[..., ::2])
    turning -= np.einsum("fk,fki->fi", (place[..., 1] - floor) * masses, pull[..., ::2])
    least = limits.light * limits.gravity
    away = turning / np.maximum(weight, least)[:, None] - mass[:, ::2]  # of the pressure from below the mass
    stands = _standing(joints, floor, limits)
    shares = _loads(away, mass, joints, stands & (weight > least)[:, None], limits)
    numbers = np.zeros(4)
    if len(shares) >= limits.few:
        numbers[:3] = *np.percentile(shares, [75, 90]), len(shares) / fps
    numbers[3] = _plunge(mass[:, 1], stands.all(axis=1), fps, limits.firm)
    return _leans(away, mass, joints, limits), numbers


def _smooth(points, half, fps):
    """Places and accelerations by a parabola through the samples around each."""
    times = np.arange(-half, half + 1) / fps
    curve = times**2 - np.mean(times**2)
    curve *= 2 / (curve @ curve)
    around = np.lib.stride_tricks.sliding_window_view(points.astype(np.float64), len(times), axis=0)
    return around.mean(axis=-1), around @ curve


def _standing(joints, floor, limits):
    count = len(joints)
    moves = np.zeros((count + 1, 4))
    moves[1:count] = np.cumsum(np.linalg.norm(np.diff(joints, axis=0), axis=2), axis=0)
    moves[count] = moves[count - 1]
    at = np.arange(count)
    first, last = np.maximum(at - limits.half, 0), np.minimum(at + limits.half, count)
    way = (moves[last] - moves[first]) / (last - first)[:, None] * 2 * limits.half
    low = joints[..., 1] < floor + np.array([limits.ankle, limits.ankle, limits.ball, limits.ball])
    still = low & (way < limits.stays)
    return still[:, :2] | still[:, 2:]


def _loads(away, mass, joints, stands, limits):
    far = np.linalg.norm(away, axis=1)
    towards = away / np.maximum(far, 1e-9)[:, None]
    ends = np.einsum("fki,fi->fk", joints[..., ::2] - mass[:, None, ::2], towards)
    reach = np.where(np.tile(stands, 2), ends, -np.inf).max(axis=1)
    carried = reach > -limits.beyond
    return far[carried] / (np.maximum(reach[carried], 0.0) + limits.beyond + limits.error)


def _leans(away, mass, joints, limits):
    feet = (joints[:, :2] + joints[:, 2:]) / 2
    moves = np.linalg.norm(np.diff(feet, axis=0), axis=2)
    moves = np.concatenate([moves[:1], moves, moves[-1:], moves[-1:]])
    moves = moves[:-2] + moves[1:-1] + moves[2:]
    low = feet[..., 1] < np.percentile(feet[..., 1].min(axis=1), 10) + limits.near
    found = []
    for foot, other in ((0, 1), (1, 0)):
        carries = (moves[:, foot] < limits.still * moves[:, other]) & low[:, foot]
        edges = np.flatnonzero(np.diff(np.concatenate([[False], carries, [False]])))
        for begin, end in zip(edges[::2], edges[1::2], strict=True):
            carried = np.linalg.norm(feet[end - 1, other] - feet[begin, other])
            if end - begin < limits.least_step or carried < limits.step:
                continue
            over = np.median(feet[begin:end, foot, ::2], axis=0) - mass[begin:end, ::2]
            square = np.sum(over**2)
            if square >= limits.aside**2 * (end - begin):
                found.append(np.sum(away[begin:end] * over) / square)
    return np.array(found)


def _plunge(height, both, fps, firm):
    if len(both) <= 2 * firm:
        return 0.0
    sums = np.concatenate([[0], np.cumsum(both)])
    firmly = sums[2 * firm + 1 :] - sums[: -2 * firm - 1] == 2 * firm + 1
    speed = np.abs(np.gradient(height))[firm : len(height) - firm][firmly] * fps
    return speed.max() if len(speed) else 0.0
