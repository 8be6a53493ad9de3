"""Drop-out repair of contact masks (Shanbhag, 3.1.1: de-bouncing)."""

from __future__ import annotations

import numpy as np

from reenact.core.arrays import Bool


def debounce(mask: Bool, half: int) -> Bool:
    """Mark every frame that has a marked one within `half` frames on both sides.

    Decided from the mask as given, so that repairs do not cascade; nothing is ever removed, and gaps longer than 2 x half - 1 frames
    keep their middle.

    Args:
        mask: (F,) or (F, P).
        half: frames.
    """
    count = len(mask)
    if not count or half < 1:
        return mask.copy()
    total = np.concatenate([np.zeros((1, *mask.shape[1:]), np.int64), np.cumsum(mask, axis=0)])
    frame = np.arange(count)
    before = total[frame] - total[np.maximum(0, frame - half)]
    after = total[np.minimum(count, frame + half + 1)] - total[frame + 1]
    return mask | ((before > 0) & (after > 0))
