"""How hard joints are pushed: the sizes of their accelerations."""

from __future__ import annotations

import math

import numpy as np

from reenact.kernels.compiling import kernel


@kernel
def _sizes(places, joints, square, out):
    frames, count = places.shape[0], joints.shape[0]
    for f in range(frames):
        ends = f == 0 or f == frames - 1
        for n in range(count):
            if ends:
                out[f, n] = 0.0
                continue
            j = joints[n]
            x = (places[f + 1, j, 0] - 2.0 * places[f, j, 0] + places[f - 1, j, 0]) * square
            y = (places[f + 1, j, 1] - 2.0 * places[f, j, 1] + places[f - 1, j, 1]) * square
            z = (places[f + 1, j, 2] - 2.0 * places[f, j, 2] + places[f - 1, j, 2]) * square
            out[f, n] = math.sqrt(x * x + y * y + z * z)


def sizes(places, joints, fps):
    """(F, N) m/s^2, the sizes of second differences; none in the first and the last frame.

    Args:
        places: (F, J, 3) float64 metres.
        joints: (N,) int32, those that are asked for.
        fps: frames per second.
    """
    out = np.empty((len(places), len(joints)))
    _sizes(places, joints, float(fps) * float(fps), out)
    return out
