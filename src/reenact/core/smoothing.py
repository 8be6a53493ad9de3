"""Low-pass filtering without delay."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reenact.core.arrays import Float


def smooth(values: ArrayLike, sigma: float) -> Float:
    """Gaussian low-pass along the first axis, without delay; a straight line stays itself up to both ends.

    Args:
        values: (F, ...) samples.
        sigma: width in frames.
    """
    from scipy.ndimage import gaussian_filter1d

    values = np.asarray(values, dtype=np.float64)
    reach = min(int(np.ceil(4 * sigma)), len(values) - 1)
    if sigma <= 0 or reach < 1:
        return values.copy()
    before = 2 * values[:1] - values[reach:0:-1]
    after = 2 * values[-1:] - values[-2 : -reach - 2 : -1]
    padded = np.concatenate([before, values, after])
    return gaussian_filter1d(padded, sigma, axis=0, mode="nearest", truncate=4.0)[reach : reach + len(values)]
