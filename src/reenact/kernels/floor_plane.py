"""The plane under the slow samples of points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reenact.kernels.compiling import kernel
from reenact.kernels.medians import median, quantile


class FloorLimits(NamedTuple):
    """Of the floor's fit; see `fit_floor`. `few`: with fewer slow samples the slowest fifth is used."""

    speed: float
    few: int
    most: int
    bands: np.ndarray
    below: float
    stiff: float
    steepest: float
    standing: float


@kernel
def _fit_floor(points, speeds, limit, most, bands, below, stiff, steepest, standing, offsets, middle):
    frames, count = speeds.shape
    slow = 0
    for f in range(frames):
        for i in range(count):
            slow += speeds[f, i] < limit
    every = max(1, -(-slow // most))
    room = slow // every + 2
    which, place = np.empty(room, np.int64), np.empty((room, 3), np.float64)
    found, seen = 0, 0
    for f in range(frames):
        for i in range(count):
            if speeds[f, i] < limit:
                x, y, z = points[f, i, 0], points[f, i, 1], points[f, i, 2]
                if np.isfinite(x) and np.isfinite(y) and np.isfinite(z):
                    if seen % every == 0:
                        place[found, 0], place[found, 1], place[found, 2] = x, y, z
                        which[found] = i
                        found += 1
                    seen += 1
    for k in range(3):
        middle[k] = 0.0
    if found == 0:
        return 0.0, 0.0, 0.0, 0, 0
    for n in range(found):
        for k in range(3):
            middle[k] += place[n, k]
    for k in range(3):
        middle[k] /= found
    for n in range(found):
        for k in range(3):
            place[n, k] -= middle[k]
    over, mine = np.empty((count, found), np.float64), np.empty(count, np.int64)
    for n in range(found):
        over[0, n] = place[n, 1]
    level = quantile(over[0], found, 0.1)
    a, b = 0.0, 0.0
    kept = found
    near = np.empty(found, np.bool_)
    for band in bands:
        kept = 0
        sx, sz, sxx, sxz, szz, sy, sxy, szy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for n in range(found):
            x, y, z = place[n, 0], place[n, 1] - offsets[which[n]], place[n, 2]
            off = y - level - a * x - b * z
            near[n] = off < band and off > -below * band
            if near[n]:
                kept += 1
                sx += x
                sz += z
                sxx += x * x
                sxz += x * z
                szz += z * z
                sy += y
                sxy += x * y
                szy += z * y
        if kept < 4:
            break
        cx, cz, cy = sx / kept, sz / kept, sy / kept
        # centred normal equations; the ridge acts on the slopes alone
        vxx, vxz, vzz = sxx / kept - cx * cx + stiff, sxz / kept - cx * cz, szz / kept - cz * cz + stiff
        vxy, vzy = sxy / kept - cx * cy, szy / kept - cz * cy
        determinant = vxx * vzz - vxz * vxz
        a = min(max((vxy * vzz - vzy * vxz) / determinant, -steepest), steepest)
        b = min(max((vzy * vxx - vxy * vxz) / determinant, -steepest), steepest)
        level = cy - a * cx - b * cz
        mine[:] = 0
        for n in range(found):
            if near[n]:
                i = which[n]
                over[i, mine[i]] = place[n, 1] - level - a * place[n, 0] - b * place[n, 2]
                mine[i] += 1
        lowest = 1e9
        for i in range(count):
            if mine[i]:
                offsets[i] = min(max(median(over[i], mine[i]), -standing), standing)
            lowest = min(lowest, offsets[i])
        for i in range(count):
            offsets[i] -= lowest
        level += lowest
    return level, a, b, kept, found


def fit_floor(points, speeds, limit, *, most, bands, below, stiff, steepest, standing):
    """A plane under the slow samples of points, by trimmed least squares in a band that narrows.

    Args:
        points: (F, P, 3).
        speeds: (F, P).
        limit: samples slower than this are used.
        most: of them, thinned evenly.
        bands: (B,) heights over the plane that still count, pass by pass.
        below: as many times the band may lie below it.
        stiff: ridge on the slopes, square metres.
        steepest: largest slope along an axis.
        standing: largest height of a point over the plane while it stands.

    Returns:
        middle (3,), level, slope along x, slope along z, offsets (P,), samples on the plane, samples: the plane is
        y = middle y + level + slope x (x - middle x) + slope z (z - middle z).
    """
    offsets, middle = np.zeros(speeds.shape[1], np.float64), np.empty(3)
    level, a, b, kept, found = _fit_floor(
        points, speeds, limit, most, bands, below, stiff, steepest, standing, offsets, middle
    )
    return middle, level, a, b, offsets, kept, found


@kernel
def _slowest_fifth(speeds):
    """A limit that a fifth of the known speeds (F, P) lies below; 0 when none is known."""
    known, count = np.empty(speeds.size, np.float64), 0
    for f in range(speeds.shape[0]):
        for i in range(speeds.shape[1]):
            if np.isfinite(speeds[f, i]):
                known[count] = speeds[f, i]
                count += 1
    return quantile(known, count, 0.2) * (1 + 1e-6) + 1e-9 if count else 0.0


@kernel
def _fit_plane(points, speeds, limits, offsets, normal):
    """As `fit_plane`, the normal written into `normal` (3,): what gives an array back to Python has Numba imported to make it."""
    slow = 0
    for f in range(speeds.shape[0]):
        for i in range(speeds.shape[1]):
            slow += speeds[f, i] < limits.speed
    limit = limits.speed if slow >= limits.few else _slowest_fifth(speeds)
    middle = np.empty(3)
    level, a, b, kept, found = _fit_floor(
        points, speeds, limit, limits.most, limits.bands, limits.below, limits.stiff, limits.steepest, limits.standing,
        offsets, middle,
    )  # fmt: skip
    normal[0], normal[1], normal[2] = 0.0, 1.0, 0.0
    if found == 0:
        return 0.0, 0.0, 0
    long = np.sqrt(a * a + 1 + b * b)
    normal[0], normal[1], normal[2] = -a / long, 1 / long, -b / long
    for n in range(len(offsets)):
        offsets[n] /= long
    height = (middle[1] + level - a * middle[0] - b * middle[2]) / long
    return height, kept / found * min(1.0, kept / 20), kept


def fit_plane(points, speeds, limits, offsets):
    """The floor under slow samples as (normal (3,), height along it, confidence, samples on it); `offsets` (P,) of points are filled in."""
    normal = np.empty(3)
    return normal, *_fit_plane(points, speeds, limits, offsets, normal)
