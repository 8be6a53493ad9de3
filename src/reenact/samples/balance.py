"""Where the body's centre goes over given feet.

A body whose angular momentum hardly changes falls away from the point it stands on like an inverted pendulum:
x'' = (g + y'') / y (x - p), with x the horizontal centre of mass, y its height and p the centre of pressure (Kajita 2003). Given the
height and the pressure point over time this is a boundary value problem with one quiet solution. In flight g + y'' = 0 and the centre
goes straight on, so walking, running and jumping need no separate rules.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_banded

from reenact.core.arrays import Float
from reenact.samples.gait import GRAVITY


def solve_balance(pressure: Float, height: Float, fps: float) -> Float:
    """Horizontal centre of mass (F, 2) in metres for a centre of pressure (F, 2) and a height (F,) of the centre of mass.

    The centre rests over the pressure point at both ends, so the plan should begin and end with a stand, or with a few seconds that
    are cut off.
    """
    rise = np.gradient(np.gradient(height, 1 / fps), 1 / fps)
    stiffness = np.maximum(GRAVITY + rise, 0) / height
    count = len(pressure)
    bands = np.zeros((3, count))
    bands[0, 2:] = bands[2, :-2] = -1.0
    bands[1] = 2.0 + stiffness / fps**2
    bands[1, [0, -1]] = 1.0
    right = pressure * (stiffness / fps**2)[:, None]
    right[[0, -1]] = pressure[[0, -1]]
    return solve_banded((1, 1), bands, right)
