"""A mesh of 20 000 vertices that follow four of 60 joints each: what every side of the benchmark of skinning is given."""

from __future__ import annotations

import numpy as np

VERTICES, JOINTS, FRAMES = 20_000, 60, 60


def make_skin(seed: int = 1) -> dict[str, np.ndarray]:
    """Vertices, weights and joints in the world, of rigid joints whose bind pose is the identity."""
    rng = np.random.default_rng(seed)
    first = np.sort(rng.integers(0, JOINTS - 4, VERTICES))  # vertices near each other follow the same joints
    weights = rng.dirichlet(np.ones(4), VERTICES)
    rotations = rng.normal(size=(FRAMES, JOINTS, 4))
    normals = rng.normal(size=(VERTICES, 3))
    return {
        "vertices": rng.normal(size=(VERTICES, 3)).astype(np.float32),
        "normals": (normals / np.linalg.norm(normals, axis=1, keepdims=True)).astype(np.float32),
        "joints": (first[:, None] + np.arange(4)).astype(np.int32),
        "weights": weights.astype(np.float32),
        "rotations": rotations / np.linalg.norm(rotations, axis=2, keepdims=True),
        "positions": rng.normal(size=(FRAMES, JOINTS, 3)),
    }
