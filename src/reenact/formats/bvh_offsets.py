"""Position channels of a BVH file that are meant on top of a joint's OFFSET, and those that take its place."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_NOTHING = 0.01  # of the longest bone


def guess_added(
    places: NDArray[np.floating], wanted: NDArray[np.floating], offsets: NDArray[np.floating]
) -> bool | None:
    """Whether position channels are added to OFFSET: they are when they hover about zero rather than about the offset.

    None where it makes no difference.

    Args:
        places: (F, P) values of the channels.
        wanted: (P,) what OFFSET says where each of them is.
        offsets: (J, 3) of all joints, which tell how large the body is.
    """
    size = max(float(np.abs(offsets[1:]).max(initial=0.0)), 1e-9)
    if not len(wanted) or not len(places) or np.abs(wanted).max() < _NOTHING * size:
        return None
    typical = np.median(places, axis=0)
    return bool(np.abs(typical).sum() < 0.5 * np.abs(typical - wanted).sum())
