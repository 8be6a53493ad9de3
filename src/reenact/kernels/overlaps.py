"""How deep rounded volumes (capsules: all that is nearer to a line from end to end than a radius) are in each other."""

from __future__ import annotations

import math

import numpy as np

from reenact.kernels.compiling import kernel


@kernel
def _depths(starts, ways, radii, pairs, depths):
    for f in range(starts.shape[0]):
        for n in range(len(pairs)):
            i, j = pairs[n, 0], pairs[n, 1]
            a = b = c = d = e = 0.0
            for k in range(3):
                u, v, w = ways[f, i, k], ways[f, j, k], starts[f, i, k] - starts[f, j, k]
                a += u * u
                b += u * v
                c += v * v
                d += u * w
                e += v * w
            # nearest points of both lines, then of both pieces of them (Ericson 2005, section 5.1.9)
            cross = a * c - b * b
            s = min(max((b * e - c * d) / cross, 0.0), 1.0) if cross > 1e-12 * a * c and a > 0.0 else 0.0
            t = (b * s + e) / c if c > 1e-18 else -1.0  # a ball has one point
            if t < 0.0:
                t = 0.0
                s = min(max(-d / a, 0.0), 1.0) if a > 1e-18 else 0.0
            elif t > 1.0:
                t = 1.0
                s = min(max((b - d) / a, 0.0), 1.0) if a > 1e-18 else 0.0
            square = 0.0
            for k in range(3):
                apart = starts[f, i, k] + s * ways[f, i, k] - starts[f, j, k] - t * ways[f, j, k]
                square += apart * apart
            depths[f, n] = radii[i] + radii[j] - math.sqrt(square)


def capsule_depths(starts, ends, radii, pairs):
    """(F, K) metres by which pairs of capsules overlap; below zero how far they are apart.

    Args:
        starts, ends: (F, V, 3) float64 metres, ends of the lines inside the capsules.
        radii: (V,) metres.
        pairs: (K, 2) int32, numbers of capsules.
    """
    depths = np.empty((len(starts), len(pairs)))
    _depths(
        np.ascontiguousarray(starts, np.float64), np.ascontiguousarray(ends - starts, np.float64),
        np.ascontiguousarray(radii, np.float64), np.ascontiguousarray(pairs, np.int32), depths,
    )  # fmt: skip
    return depths
