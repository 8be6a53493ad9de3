"""The mean of several rotations, for whole clips at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reenact import kernels
from reenact.core.arrays import Float, Float64
from reenact.errors import ParameterError

NEARLY_OPPOSITE = np.radians(170.0)
"""Inputs further apart than this have no mean worth the name: the way round may change from one frame to the next."""


@dataclass(frozen=True, slots=True, eq=False)
class MeanRotations:
    """Means of the rotations of several motions.

    Attributes:
        rotations: (F, J, 4) float64 wxyz, signs run on from frame to frame.
        apart: (F, J) radians, the largest angle between two of the inputs that have weight.
    """

    rotations: Float64
    apart: Float64

    def opposed(self, names: tuple[str, ...]) -> list[dict[str, object]]:
        """For each joint whose inputs are nearly half a turn apart: `joint`, worst `frame`, `degrees`, and how many `frames`."""
        bad = self.apart > NEARLY_OPPOSITE
        return [
            {
                "joint": names[joint],
                "frame": int(np.argmax(self.apart[:, joint])),
                "degrees": round(float(np.degrees(self.apart[:, joint].max())), 1),
                "frames": int(bad[:, joint].sum()),
            }
            for joint in np.flatnonzero(bad.any(axis=0))
        ]


def mean_rotations(rotations: ArrayLike, weights: ArrayLike) -> MeanRotations:
    """The rotations that minimise the weighted squares of the angles to the inputs (Karcher mean).

    The signs of the quaternions and the order of the motions do not matter; of two motions it is the slerp the short way round.

    Args:
        rotations: (F, k, J, 4) unit quaternions of k motions.
        weights: (F, k) or (k,), of a sum above 0; scaled to sum 1. Weights below 0 lead beyond the others.
    """
    q = np.ascontiguousarray(rotations, dtype=np.float64)
    w = np.asarray(weights, dtype=np.float64)
    if q.ndim != 4 or q.shape[-1] != 4:
        raise ParameterError(f"rotations must have shape (frames, motions, joints, 4), not {q.shape}")
    if w.shape not in (q.shape[1:2], q.shape[:2]):
        raise ParameterError(f"weights must have shape {q.shape[1:2]} or {q.shape[:2]}, not {w.shape}", where="weights")
    w = np.ascontiguousarray(np.broadcast_to(w, q.shape[:2]))
    if not np.all(np.isfinite(w)) or np.any(w.sum(axis=1) <= 0):
        raise ParameterError("weights must be finite and sum to more than 0", where="weights")
    w = w / w.sum(axis=1, keepdims=True)
    out: Float = np.empty((q.shape[0], *q.shape[2:]))
    apart: Float = np.empty(out.shape[:2])
    kernels.rotation_means.mean_rotations(q, w, out, apart)
    return MeanRotations(out, apart)
