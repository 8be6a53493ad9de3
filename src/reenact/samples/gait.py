"""The averaged gait: body and feet as functions of the phase of the stride and the speed.

The numbers are in `gait_table`, written by `tools/measure_gait.py` from many strides of many people. Each row is a value at a middle
speed and its change per unit of the dimensionless speed u = v / sqrt(g L) (Alexander 1989), L the length of the leg. Phase 0 is the
strike of the left foot, 0.5 that of the right.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from reenact.core.arrays import Float
from reenact.samples import gait_table
from reenact.samples.skeleton import LEG

GRAVITY = 9.81
"""Metres per second squared."""

_TIP_LATER = {
    "walk": 0.02,
    "run": 0.02,
}  # share of the stride from the ball's first motion to the tip of the toes leaving
_SPEED_UNIT = np.sqrt(GRAVITY * LEG)


class Gait:
    """Walking or running by the table.

    Attributes:
        kind: "walk" or "run".
        slowest, fastest: metres per second within which the table was measured; beyond, its ends are kept.
    """

    def __init__(self, kind: str) -> None:
        table = {"walk": gait_table.WALK, "run": gait_table.RUN}[kind]
        self.kind = kind
        self._rows = {name: np.array(row[1]).reshape(row[0]) for name, row in table.items() if isinstance(row, tuple)}
        self._centre = table["centre"]
        self.slowest, self.fastest = table["slowest"] * _SPEED_UNIT, table["fastest"] * _SPEED_UNIT

    def _over(self, speed: ArrayLike) -> Float:
        return np.clip(np.asarray(speed, dtype=np.float64), self.slowest, self.fastest) / _SPEED_UNIT - self._centre

    def frequency(self, speed: float) -> float:
        """Strides per second; extrapolated beyond the measured speeds, since a slow walk has short and slow steps."""
        middle, slope = self._rows["frequency"]
        return float(middle + slope * (speed / _SPEED_UNIT - self._centre)) / np.sqrt(LEG / GRAVITY)

    def duty(self, speed: float) -> float:
        """Share of the stride a foot is on the floor."""
        middle, slope = self._rows["duty"]
        return float(middle + slope * self._over(speed))

    def width(self) -> float:
        """Metres between the ankles of the left and the right steps."""
        return float(self._rows["width"][0]) * LEG

    def curve(self, name: str, phase: ArrayLike, speed: ArrayLike) -> Float:
        """(F, D) values of a quantity at phases (F,) and speeds () or (F,).

        Names: pelvis, chest, head (rotation vectors in the frame of the heading), arm (rotation vector of the left upper arm from the
        T-pose, in the chest's frame), elbow (bend), com (sideways, forward about the mean path, and up, in metres), knee (bend),
        pitch (of the left foot, toes up positive).
        """
        rows = self._rows[name]
        phase = np.asarray(phase, dtype=np.float64)
        over = np.broadcast_to(self._over(speed), phase.shape)
        harmonics = np.arange(1, (rows.shape[1] - 1) // 2 + 1)
        angle = 2 * np.pi * phase[:, None] * harmonics
        basis = np.empty((len(phase), rows.shape[1]))
        basis[:, 0] = 1
        basis[:, 1::2], basis[:, 2::2] = np.cos(angle), np.sin(angle)
        values = basis @ rows[0] + over[:, None] * (basis @ rows[1])
        return values * LEG if name == "com" else values

    def swing_terms(self, speed: float) -> Float:
        """(K, 3) amplitudes of sin(k pi s), k = 1..K, s the share of the swing: forward progress (share), height (m), pitch (rad).

        Each is counted from the straight line between its values at lift and strike.
        """
        rows = self._rows["swing"]
        return (rows[0] + self._over(speed) * rows[1])[2:] * np.array([1.0, LEG, 1.0])

    def strike_pitch(self, speed: float) -> float:
        """Radians, toes up, when the foot lands."""
        return float(self.curve("pitch", np.zeros(1), speed)[0, 0])

    def lift_pitch(self, speed: float) -> float:
        """Radians (negative: heel up) when the toes leave the floor; the ball itself starts to move a little earlier."""
        return float(self.curve("pitch", np.array([self.duty(speed) + _TIP_LATER[self.kind]]), speed)[0, 0])


@cache
def gait(kind: str) -> Gait:
    """The averaged "walk" or "run"."""
    return Gait(kind)
