"""Where the weight of a body must press on the floor for it to move as it does: the rules of `analysis.balance` in one pass."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reenact.kernels.compiling import kernel
from reenact.kernels.medians import median, quantile


class BalanceLimits(NamedTuple):
    """Limits of the rules in metres, samples and shares; the meaning of each is told in `analysis.balance`."""

    half: int
    gravity: float
    light: float
    beyond: float
    error: float
    ankle: float
    ball: float
    stays: float
    still: float
    near: float
    step: float
    least_step: int
    aside: float
    firm: int
    few: int


@kernel
def _press(points, masses, feet, fps, limits, mass, joints, parts):
    """Smoothed centre of mass (n, 3) and joints of the feet (n, 4, 3); `parts` (n, 7): the weight, and x and z of three sums.

    The sums are of (g + y'') x, y x'' and x'' over the masses: pressure and floor follow from them.
    """
    half, count = limits.half, len(mass)
    width = 2 * half + 1
    square = np.empty(width)
    mean = 0.0
    for n in range(width):
        apart = (n - half) / fps
        square[n] = apart * apart
        mean += square[n] / width
    norm = 0.0
    for n in range(width):
        square[n] -= mean
        norm += square[n] * square[n]
    for n in range(width):
        square[n] *= 2 / norm
    columns = points.shape[1]
    place, pull = np.empty(columns), np.empty(columns)  # x, y and z of every joint, one after the other
    for f in range(count):
        for c in range(columns):
            place[c] = pull[c] = 0.0
        for n in range(width):
            bend = square[n]
            for c in range(columns):
                value = points[f + n, c]
                place[c] += value
                pull[c] += bend * value
        for c in range(columns):
            place[c] /= width
        mass[f] = 0.0
        parts[f] = 0.0
        parts[f, 0] = limits.gravity
        for k in range(len(masses)):
            share = masses[k]
            if share == 0:
                continue
            x, y, z = 3 * k, 3 * k + 1, 3 * k + 2
            mass[f, 0] += share * place[x]
            mass[f, 1] += share * place[y]
            mass[f, 2] += share * place[z]
            parts[f, 0] += share * pull[y]
            parts[f, 1] += share * (limits.gravity + pull[y]) * place[x]
            parts[f, 2] += share * (limits.gravity + pull[y]) * place[z]
            parts[f, 3] += share * place[y] * pull[x]
            parts[f, 4] += share * place[y] * pull[z]
            parts[f, 5] += share * pull[x]
            parts[f, 6] += share * pull[z]
        for k in range(4):
            for i in range(3):
                joints[f, k, i] = place[3 * feet[k] + i]


@kernel
def _low_tenth(joints, room):
    for f in range(len(joints)):
        lowest = joints[f, 0, 1]
        for k in range(1, joints.shape[1]):
            lowest = min(lowest, joints[f, k, 1])
        room[f] = lowest
    return quantile(room, len(joints), 0.1)


@kernel
def _moved(points, before, after, k):
    total = 0.0
    for i in range(3):
        apart = points[after, k, i] - points[before, k, i]
        total += apart * apart
    return np.sqrt(total)


@kernel
def _stand(joints, floor, limits, stands):
    """Whether each foot (n, 2) stands: an ankle or a ball is low and goes nowhere within the window."""
    count, half = len(joints), limits.half
    way = np.empty((count + 1, 4))
    for k in range(4):
        way[0, k] = 0.0
        for f in range(1, count):
            way[f, k] = way[f - 1, k] + _moved(joints, f - 1, f, k)
        way[count, k] = way[count - 1, k]
    for f in range(count):
        first, last = max(f - half, 0), min(f + half, count)
        stands[f, 0] = stands[f, 1] = False
        for k in range(4):
            high = limits.ankle if k < 2 else limits.ball
            gone = (way[last, k] - way[first, k]) / (last - first) * 2 * half
            if joints[f, k, 1] < floor + high and gone < limits.stays:
                stands[f, k % 2] = True


@kernel
def _load(away, mass, joints, stands, parts, limits, room):
    """Shares of the way to the end of the feet at which the pressure is, put into `room`; their number."""
    found = 0
    for f in range(len(away)):
        if not parts[f, 0] > limits.light * limits.gravity:
            continue
        far = np.sqrt(away[f, 0] ** 2 + away[f, 1] ** 2)
        reach = -np.inf
        for k in range(4):
            if stands[f, k % 2]:
                end = (joints[f, k, 0] - mass[f, 0]) * away[f, 0] + (joints[f, k, 2] - mass[f, 2]) * away[f, 1]
                reach = max(reach, end / max(far, 1e-9))
        if reach > -limits.beyond:
            room[found] = far / (max(reach, 0.0) + limits.beyond + limits.error)
            found += 1
    return found


@kernel
def _lean(away, mass, joints, limits, leans, room):
    """For each step on one foot, how far the pressure is from below the mass towards the foot; the number of steps."""
    count, found = len(away), 0
    feet = np.empty((count, 2, 3))
    for f in range(count):
        for k in range(2):
            for i in range(3):
                feet[f, k, i] = (joints[f, k, i] + joints[f, k + 2, i]) / 2
    low = _low_tenth(feet, room) + limits.near
    moves = np.empty((count + 2, 2))
    for k in range(2):
        for f in range(1, count):
            moves[f, k] = _moved(feet, f - 1, f, k)
        moves[0, k] = moves[1, k]
        moves[count, k] = moves[count + 1, k] = moves[count - 1, k]
    for foot in range(2):
        begin = -1
        for f in range(count + 1):
            carries = False
            if f < count:
                mine = moves[f, foot] + moves[f + 1, foot] + moves[f + 2, foot]
                other = moves[f, 1 - foot] + moves[f + 1, 1 - foot] + moves[f + 2, 1 - foot]
                carries = mine < limits.still * other and feet[f, foot, 1] < low
            if carries:
                begin = f if begin < 0 else begin
                continue
            if begin >= 0 and f - begin >= limits.least_step and _moved(feet, begin, f - 1, 1 - foot) >= limits.step:
                long = f - begin
                for n in range(long):
                    room[n] = feet[begin + n, foot, 0]
                x = median(room, long)
                for n in range(long):
                    room[n] = feet[begin + n, foot, 2]
                z = median(room, long)
                square, along = 0.0, 0.0
                for g in range(begin, f):
                    over_x, over_z = x - mass[g, 0], z - mass[g, 2]
                    square += over_x * over_x + over_z * over_z
                    along += over_x * away[g, 0] + over_z * away[g, 1]
                if square >= limits.aside * limits.aside * long:
                    leans[found] = along / square
                    found += 1
            begin = -1
    return found


@kernel
def _plunge(mass, stands, fps, firm):
    """Largest vertical speed of the mass at samples with both feet standing, and `firm` samples before and after."""
    count, last, fastest = len(mass), -1, 0.0
    for f in range(count):
        if not (stands[f, 0] and stands[f, 1]):
            last = f
        at = f - firm  # its neighbours on both sides are known by now
        if at >= firm and at - firm > last:
            fastest = max(fastest, abs(mass[at + 1, 1] - mass[at - 1, 1]) / 2 * fps)
    return fastest


@kernel
def _find_balance(points, masses, feet, fps, limits, leans, numbers):
    count = len(points) - 2 * limits.half
    mass, joints, parts = np.empty((count, 3)), np.empty((count, 4, 3)), np.empty((count, 7))
    _press(points, masses, feet, fps, limits, mass, joints, parts)
    room = np.empty(count)
    floor = _low_tenth(joints, room)
    away, stands = np.empty((count, 2)), np.empty((count, 2), np.bool_)
    for f in range(count):
        weight = max(parts[f, 0], limits.light * limits.gravity)
        for n in range(2):
            turning = parts[f, 1 + n] - parts[f, 3 + n] + floor * parts[f, 5 + n]
            away[f, n] = turning / weight - mass[f, 2 * n]
    _stand(joints, floor, limits, stands)
    found = _load(away, mass, joints, stands, parts, limits, room)
    numbers[:] = 0.0
    if found >= limits.few:
        numbers[0], numbers[1] = quantile(room, found, 0.75), quantile(room, found, 0.9)
        numbers[2] = found / fps
    numbers[3] = _plunge(mass, stands, fps, limits.firm)
    return _lean(away, mass, joints, limits, leans, room)


def find_balance(points, masses, feet, fps, limits):
    """How a body keeps its balance.

    Args:
        points: (F, K, 3) joints, finite, F >= 2 half + 2.
        masses: (K,) share of the mass at each, sum 1.
        feet: (4,) places of both ankles and both balls among the joints.
        fps: samples per second.
        limits: of the rules.

    Returns:
        leans (N,) of the steps, left foot first, and (4,): load of three quarters and of nine tenths of the time, seconds, plunge.
    """
    leans, numbers = np.empty(2 * len(points)), np.empty(4)
    feet = np.asarray(feet, np.int64)
    flat = np.ascontiguousarray(points).reshape(len(points), -1)
    found = _find_balance(flat, np.asarray(masses, np.float64), feet, float(fps), limits, leans, numbers)
    return leans[:found], numbers
