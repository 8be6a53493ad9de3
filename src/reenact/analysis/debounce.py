"""Drop-out repair of contact masks (Shanbhag, 3.1.1: de-bouncing)."""

from __future__ import annotations

import numpy as np

from reenact.core.arrays import Bool


def debounce(mask: Bool, half: int) -> Bool:
    """Mark every frame that has a marked one within `half` frames on both sides, until nothing changes.

    That closes every gap of up to 2 x half - 1 frames between marked ones and leaves longer ones as they are. Once over, as the source
    has it, a gap of more than `half` frames would be filled in its middle alone, and the two slivers beside it only the next time.
    Nothing is ever removed.

    Args:
        mask: (F,) or (F, P).
        half: frames.
    """
    count = len(mask)
    if not count or half < 1:
        return mask.copy()
    frame = np.arange(count).reshape(-1, *([1] * (mask.ndim - 1)))
    before = np.maximum.accumulate(np.where(mask, frame, -4 * half - count), axis=0)
    after = np.minimum.accumulate(np.where(mask, frame, 4 * half + 2 * count)[::-1], axis=0)[::-1]
    return mask | (after - before <= 2 * half)
