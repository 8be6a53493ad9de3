"""Low-pass filtering without delay."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reenact.core import filters
from reenact.core.arrays import Float


def smooth(values: ArrayLike, sigma: float) -> Float:
    """Gaussian low-pass along the first axis, without delay; a straight line stays itself up to both ends.

    Args:
        values: (F, ...) samples.
        sigma: width in frames.
    """
    values = np.asarray(values, dtype=np.float64)
    if sigma <= 0 or len(values) < 2:
        return values.copy()
    reach = int(np.ceil(4 * sigma))
    padded = np.pad(values, [(reach, reach), *[(0, 0)] * (values.ndim - 1)], mode="reflect", reflect_type="odd")
    return filters.gaussian(padded, sigma, axis=0, edge="nearest")[reach : reach + len(values)]
