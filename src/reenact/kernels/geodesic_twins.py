"""Plain NumPy twin of the kernel in `kernels.geodesics`: the readable definition, and the reference of its test."""

from __future__ import annotations

import numpy as np


def spread(neighbours, steps, slowness, start):
    """Distances of all cells: ways are lengthened by one step until none gets shorter; see `kernels.geodesics.spread`."""
    far = np.append(np.array(start, np.float64), np.inf)
    slow = np.append(slowness, 0.0)
    while True:
        ways = far[neighbours] + steps * 0.5 * (slowness[:, None] + slow[neighbours])
        shorter = np.minimum(far[:-1], ways.min(axis=1))
        if np.allclose(shorter, far[:-1], rtol=0, atol=1e-12):
            return far[:-1]
        far[:-1] = shorter
