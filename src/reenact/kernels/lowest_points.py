"""How low points lie that ride on joints: the lowest skin of a body in every frame."""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import kernel


@kernel
def _lowest(positions, rotations, joints, reaches, starts, points, out):
    for f in range(out.shape[0]):
        low = np.inf
        for n in range(joints.shape[0]):
            j = joints[n]
            height = positions[f, j, 1]
            if not height - reaches[n] < low:  # not even its farthest point could be lower
                continue
            w, x, y, z = rotations[f, j, 0], rotations[f, j, 1], rotations[f, j, 2], rotations[f, j, 3]
            a, b, c = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
            for k in range(starts[n], starts[n + 1]):
                low = min(low, height + a * points[k, 0] + b * points[k, 1] + c * points[k, 2])
        out[f] = low


def lowest(positions, rotations, joints, points):
    """(F,) the height of the lowest of some points; infinite without any.

    Args:
        positions: (F, J, 3) float64 metres.
        rotations: (F, J, 4) float64, wxyz.
        joints: (N,) those that points ride on.
        points: for each of them (P, 3) float64 metres in its axes.
    """
    out = np.empty(len(positions))
    starts = np.cumsum([0, *(len(one) for one in points)]).astype(np.int32)
    flat = np.concatenate([np.zeros((0, 3)), *points])
    far = [1.000001 * np.sqrt(np.einsum("pi,pi->p", one, one).max(initial=0.0)) + 1e-9 for one in points]
    _lowest(positions, rotations, np.array(joints, np.int32), np.array(far, np.float64), starts, flat, out)
    return out
