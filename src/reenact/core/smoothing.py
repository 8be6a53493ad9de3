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
    reach = int(4 * sigma + 0.5)
    return filters.weigh(_mirrored(values, reach), filters.bell(float(sigma), reach))


def _mirrored(values: Float, reach: int) -> Float:
    """(reach + F + reach, ...) the values going on as their mirror images in their first and last ones."""
    count = len(values)
    if reach >= count:
        return np.pad(values, [(reach, reach), *[(0, 0)] * (values.ndim - 1)], mode="reflect", reflect_type="odd")
    out = np.empty((count + 2 * reach, *values.shape[1:]))
    out[reach : reach + count] = values
    np.subtract(2 * values[:1], values[reach:0:-1], out=out[:reach])
    np.subtract(2 * values[-1:], values[-2 : -2 - reach : -1], out=out[reach + count :])
    return out
