"""How a blend rises from one motion to the other, and curves that join two ends smoothly."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from reenact.core.arrays import Float

Shape = Literal["smooth", "cubic", "linear"]
SHAPES = ("smooth", "cubic", "linear")


def rise(t: ArrayLike, shape: Shape = "smooth") -> Float:
    """Weight 0..1 at times `t` (0..1, held outside).

    "smooth" has no jump in velocity or acceleration (6 t^5 - 15 t^4 + 10 t^3), "cubic" none in velocity (3 t^2 - 2 t^3), "linear" is
    the straight line of the thesis.
    """
    t = np.clip(np.asarray(t, dtype=np.float64), 0.0, 1.0)
    if shape == "linear":
        return t
    if shape == "cubic":
        return t * t * (3 - 2 * t)
    return t * t * t * (t * (6 * t - 15) + 10)


def bridge(t: ArrayLike, start: Float, start_slope: Float, end: Float, end_slope: Float) -> Float:
    """Quintic between two values with given slopes and no acceleration at either end.

    Args:
        t: (N,) 0..1.
        start, end: (D,) values at 0 and 1.
        start_slope, end_slope: (D,) derivatives by `t` there.

    Returns:
        (N, D) values.
    """
    t = np.asarray(t, dtype=np.float64)[:, None]
    t3 = t**3
    keep = 1 - t3 * (10 - 15 * t + 6 * t * t)
    leave = t - t3 * (6 - 8 * t + 3 * t * t)
    arrive = -t3 * (4 - 7 * t + 3 * t * t)
    return keep * start + leave * start_slope + (1 - keep) * end + arrive * end_slope


def coast(t: ArrayLike, speed: Float) -> Float:
    """Way (N, D) of what leaves 0 at t = 0 with a speed (D,), turns back and is at rest at 0 again from t = 1 on.

    With it a change of speed dies out in a time of its own, however far away the next thing that is known lies.
    """
    none = np.zeros_like(speed)
    return bridge(np.clip(np.asarray(t, dtype=np.float64), 0.0, 1.0), none, speed, none, none)


def bump(t: ArrayLike) -> Float:
    """0 at both ends of 0..1, 1 in the middle, smooth to the second derivative."""
    t = np.clip(np.asarray(t, dtype=np.float64), 0.0, 1.0)
    return 64 * (t * (1 - t)) ** 3
