"""Arms that are inside the body after a motion was brought onto it: how deep, and how often, beyond what the recording has.

Arms keep the directions of their bones, and hands that touch something are led; nothing leads an arm that swings past a body which is wider
than the source's. `adapt` (which knows bodies as volumes) takes it out.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reenact.core.arrays import Float
from reenact.core.foot_plants import SIDES
from reenact.solve.body_parts import ThickLine

_TRUNK = ("hips", "trunk", "left_thigh", "right_thigh")
_SHARES = (0.35, 0.7, 1.0)  # of the way along a forearm at which it is looked at
_DEEP = 0.015  # of the leg's length that a forearm is deeper than in the recording before it counts


def arms_inside(
    source: Mapping[str, ThickLine], target: Mapping[str, ThickLine], legs: tuple[float, float]
) -> dict[str, float]:
    """Side -> per cent of the frames in which a forearm is inside the trunk or a thigh, deeper than in the recording.

    Args:
        source, target: their parts.
        legs: metres, lengths of their legs.
    """
    found: dict[str, float] = {}
    for side in SIDES:
        arm = f"{side}_forearm"
        if arm not in source or arm not in target:
            continue
        theirs, own = (_depth(lines, arm) / leg for lines, leg in zip((source, target), legs, strict=True))
        found[side] = round(100.0 * float(np.mean(own > np.maximum(theirs, 0.0) + _DEEP)), 1)
    return found


def _depth(lines: Mapping[str, ThickLine], arm: str) -> Float:
    """(F,) metres that the deepest place along a forearm is below the skin of trunk and thighs; negative outside."""
    one, deepest = lines[arm], np.full(len(lines[arm].start), -np.inf)
    for share in _SHARES:
        point = one.start + share * (one.end - one.start)
        for part in _TRUNK:
            if part in lines:
                deepest = np.maximum(deepest, -lines[part].nearest(point)[2])
    return deepest
