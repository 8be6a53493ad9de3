"""Corrections that are known in some frames only: they leave with the velocity they have and fade to nothing beside them."""

from __future__ import annotations

import numpy as np

from reenact import kernels
from reenact.core import filters
from reenact.core.arrays import Bool, Float

_LOOK = 0.05  # seconds inside a known range that tell the velocity and the acceleration at its end
_STOP, _CALM = 0.12, 0.03  # seconds in which that velocity and that acceleration are given up


def fade_between(values: Float, known: Bool, ramp: float, fps: float, grain: float) -> Float:
    """Values (F, D) as they are in known frames (F,), fading beside them to zero within `ramp` seconds; exactly zero farther away.

    A range of known frames goes on with its value, velocity and acceleration while the weights of these fall from 1 to 0 by quintics, so
    that there is no jump in either. Where two ranges are closer to each other than the ramp their weights share the gap. A velocity
    carries a value no farther than about half of itself and `grain` (in the unit of the values): noise does not swing.
    """
    frames = max(ramp * fps, 1.0)
    look = max(round(_LOOK * fps), 3)
    stop, calm = max(_STOP * fps, 1.0), max(_CALM * fps, 1.0)
    return kernels.fading.fade(
        np.ascontiguousarray(values), np.ascontiguousarray(known), frames, look, stop, calm, grain
    )


def faded_frames(known: Bool, ramp: float, fps: float) -> Bool:
    """(F,) the frames that `fade_between` does not leave at zero: the known ones and those within the ramp."""
    reach = max(int(np.ceil(ramp * fps)) - 1, 0)
    return filters.maximum(known, 2 * reach + 1, edge="constant")
