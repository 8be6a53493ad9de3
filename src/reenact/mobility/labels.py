"""What the body does in a pose, as bits: its gait, and which way it goes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reenact.analysis.classify import classify
from reenact.analysis.segments import TYPES
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.smoothing import smooth

LABELS = (*TYPES, "turn_left", "turn_right", "backward", "sideways")
"""Names of the bits: bit k is `1 << k`. The first are gaits, of which a pose has one."""

_WIDTH = 0.25  # seconds (sigma) over which speed and turning are looked at: the sway of a step is neither
_TURNS = np.radians(45.0)  # per second: faster is turning
_GOES = 0.3  # metres per second: slower goes nowhere
_ASIDE = np.radians(45.0)  # off the facing direction: farther is going sideways, and more than its opposite backwards


def label_bit(name: str) -> int:
    """The bit of a label.

    Raises:
        ValueError: no such label.
    """
    return 1 << LABELS.index(name)


def find_labels(clip: Clip, plants: FootPlants | None, increments: ArrayLike) -> NDArray[np.uint32]:
    """(F,) labels of a clip's poses.

    Args:
        clip: the motion.
        plants: its foot plants; without feet every pose is "other" by gait.
        increments: (F, 3) steps on the floor, see `core.placement.RootMotion`.
    """
    gaits = np.full(len(clip), "other") if plants is None else classify(clip, plants).labels
    bits = np.zeros(len(clip), np.uint32)
    for name in TYPES:
        bits[gaits == name] |= np.uint32(label_bit(name))
    return bits | label_ways(increments, clip.fps)


def label_ways(increments: ArrayLike, fps: float) -> NDArray[np.uint32]:
    """(F,) the bits that say which way the body goes and turns."""
    rates: Float = smooth(np.asarray(increments, dtype=np.float64) * fps, _WIDTH * fps)
    left, forward, turning = rates.T
    goes = np.hypot(left, forward) > _GOES
    aside = np.abs(np.arctan2(left, forward))
    bits = np.zeros(len(rates), np.uint32)
    for name, mask in (
        ("turn_left", turning > _TURNS),
        ("turn_right", turning < -_TURNS),
        ("backward", goes & (aside > np.pi - _ASIDE)),
        ("sideways", goes & (aside > _ASIDE) & (aside <= np.pi - _ASIDE)),
    ):
        bits[mask] |= np.uint32(label_bit(name))
    return bits
