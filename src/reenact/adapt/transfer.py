"""When within a frame the weight passes from one point to the next, and where both are then (Lyard 2008, section 3.1.2).

Speeds are cubics through four frames (Catmull and Rom 1974); where they cross is a cubic equation, solved in closed form (Nickalls 1993).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reenact.core.arrays import Float

_NOTHING = 1e-12


def cubic_through(four: ArrayLike) -> Float:
    """Coefficients (4, ...) by rising power, of the uniform Catmull-Rom cubic between the second and the third of four values (4, ...)."""
    before, first, second, after = np.asarray(four, np.float64)
    return 0.5 * np.stack(
        [
            2 * first,
            second - before,
            2 * before - 5 * first + 4 * second - after,
            3 * first - before - 3 * second + after,
        ]
    )


def value_at(coefficients: Float, q: float) -> Float:
    """A cubic at `q`."""
    a, b, c, d = coefficients
    return a + q * (b + q * (c + q * d))


def integral(coefficients: Float, q: float) -> float:
    """Of a cubic from 0 to `q`."""
    a, b, c, d = coefficients
    return float(q * (a + q * (b / 2 + q * (c / 3 + q * d / 4))))


def real_roots(coefficients: ArrayLike) -> Float:
    """Real roots of d + c x + b x^2 + a x^3, given by rising power, in rising order; empty where there are none, or all numbers are."""
    d, c, b, a = (float(one) for one in np.asarray(coefficients, np.float64))
    size = max(abs(a), abs(b), abs(c), abs(d))
    if size < _NOTHING:
        return np.empty(0)
    if abs(a) < 1e-10 * size:
        return _quadratic_roots(d, c, b, size)
    middle = -b / (3 * a)
    height = ((a * middle + b) * middle + c) * middle + d
    reach = (b * b - 3 * a * c) / (9 * a * a)
    turn = 4 * a * a * reach**3
    if height * height > turn:
        root = np.sqrt(height * height - turn)
        found = np.array([middle + np.cbrt((-height + root) / (2 * a)) + np.cbrt((-height - root) / (2 * a))])
    elif turn <= 0:
        found = np.array([middle])
    else:
        angle = np.arccos(np.clip(-height / (2 * a * reach**1.5), -1, 1)) / 3
        found = middle + 2 * np.sqrt(reach) * np.cos(angle + np.arange(3) * 2 * np.pi / 3)
    for _ in range(2):  # Newton's step takes away what rounding left
        slope = (3 * a * found + 2 * b) * found + c
        off = ((a * found + b) * found + c) * found + d
        found = np.where(np.abs(slope) > 1e-14 * size, found - off / np.where(slope == 0, 1, slope), found)
    return np.sort(found)


def _quadratic_roots(d: float, c: float, b: float, size: float) -> Float:
    if abs(b) < 1e-10 * size:
        return np.array([-d / c]) if abs(c) > 1e-10 * size else np.empty(0)
    inside = c * c - 4 * b * d
    if inside < 0:
        return np.empty(0)
    half = -0.5 * (c + np.copysign(np.sqrt(inside), c))
    found = [half / b] + ([d / half] if half != 0 else [])
    return np.sort(np.array(found))


def crossing_time(leaving: ArrayLike, arriving: ArrayLike) -> float:
    """When between the second and the third of four frames the leaving point becomes faster than the arriving one, 0 to 1.

    Of several such moments the one nearest to the middle; the middle where there is none.

    Args:
        leaving, arriving: (4,) speeds of both points.
    """
    difference = cubic_through(leaving) - cubic_through(arriving)
    roots = real_roots(difference)
    roots = roots[(roots >= 0) & (roots <= 1)]
    slopes = difference[1] + roots * (2 * difference[2] + roots * 3 * difference[3])
    rising = roots[slopes > 0]
    found = rising if len(rising) else roots
    return float(found[np.abs(found - 0.5).argmin()]) if len(found) else 0.5


def travelled_share(speeds: ArrayLike, q: float) -> float:
    """Share of the way between two frames that is done at time `q`, by four speeds; `q` itself where nothing moves."""
    curve = cubic_through(speeds)
    whole = integral(curve, 1.0)
    return float(np.clip(integral(curve, q) / whole, 0, 1)) if whole > _NOTHING else q
