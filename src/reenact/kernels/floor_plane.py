"""The plane under the slow samples of points."""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import kernel


@kernel
def _fit_floor(points, speeds, limit, every, bands, below, stiff, steepest, standing, offsets, which, place, rest):
    frames, count = speeds.shape
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
    middle = np.zeros(3, np.float64)
    if found == 0:
        return middle, 0.0, 0.0, 0.0, 0, 0
    for n in range(found):
        for k in range(3):
            middle[k] += place[n, k]
    middle /= found
    for n in range(found):
        rest[n] = place[n, 1] - middle[1]
    level = np.percentile(rest[:found], 10)
    a, b = 0.0, 0.0
    kept = found
    for band in bands:
        kept = 0
        s1, sx, sz, sxx, sxz, szz, sy, sxy, szy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for n in range(found):
            x, z = place[n, 0] - middle[0], place[n, 2] - middle[2]
            y = place[n, 1] - middle[1] - offsets[which[n]]
            off = y - level - a * x - b * z
            if off < band and off > -below * band:
                kept += 1
                s1 += 1.0
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
        old = level + 0.0, a + 0.0, b + 0.0
        cx, cz, cy = sx / s1, sz / s1, sy / s1
        # centred normal equations; the ridge acts on the slopes alone
        vxx, vxz, vzz = sxx / s1 - cx * cx + stiff, sxz / s1 - cx * cz, szz / s1 - cz * cz + stiff
        vxy, vzy = sxy / s1 - cx * cy, szy / s1 - cz * cy
        determinant = vxx * vzz - vxz * vxz
        a = min(max((vxy * vzz - vzy * vxz) / determinant, -steepest), steepest)
        b = min(max((vzy * vxx - vxy * vxz) / determinant, -steepest), steepest)
        level = cy - a * cx - b * cz
        lowest = 1e9
        for i in range(count):
            mine = 0
            for n in range(found):
                if which[n] != i:
                    continue
                x, z = place[n, 0] - middle[0], place[n, 2] - middle[2]
                over = place[n, 1] - middle[1] - level - a * x - b * z
                was = place[n, 1] - middle[1] - offsets[i] - old[0] - old[1] * x - old[2] * z
                if was < band and was > -below * band:
                    rest[mine] = over
                    mine += 1
            if mine:
                offsets[i] = min(max(np.median(rest[:mine]), -standing), standing)
            lowest = min(lowest, offsets[i])
        for i in range(count):
            offsets[i] -= lowest
        level += lowest
    return middle, level, a, b, kept, found


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
    count = speeds.shape[1]
    slow = int(np.count_nonzero(speeds < limit))
    every = max(1, -(-slow // most))
    room = slow // every + 2
    offsets = np.zeros(count, np.float64)
    middle, level, a, b, kept, found = _fit_floor(
        points, speeds, limit, every, bands, below, stiff, steepest, standing, offsets,
        np.empty(room, np.int64), np.empty((room, 3), np.float64), np.empty(room, np.float64),
    )  # fmt: skip
    return middle, level, a, b, offsets, kept, found
