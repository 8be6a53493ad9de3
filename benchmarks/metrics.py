"""Distance matrices of 5 000 x 5 000 frames against the float32 matrix products that the closed form needs window by window.

    OPENBLAS_NUM_THREADS=1 python benchmarks/metrics.py

Windows of 10 frames of 30 points: products of inner size 600, 600 and 300. One thread, CPU time, best of several, in turns.
"""

from __future__ import annotations

import json

import numpy as np
from timing import measure

FRAMES, POINTS, WINDOW = 5000, 30, 10
TURNS = 5


def measure_metrics() -> dict[str, float]:
    """CPU seconds: the bare products, the general and the symmetric matrix (features included), and the other two metrics."""
    from reenact.analysis.metrics import (
        AngleMetric,
        EffectorMetric,
        PointCloudMetric,
        PointCloudParameters,
        distance_matrix,
    )
    from reenact.samples import make_sample

    rng = np.random.default_rng(0)
    wide, high = 2 * POINTS * WINDOW, POINTS * WINDOW
    a, b, c = (rng.standard_normal((FRAMES, wide), np.float32) for _ in range(3))
    d, e = (rng.standard_normal((FRAMES, high), np.float32) for _ in range(2))
    out = np.empty((FRAMES, FRAMES), np.float32)

    def bare() -> None:
        for left, right in ((a, b), (a, c), (d, e)):
            np.matmul(left, right.T, out=out)

    way = np.cumsum(rng.standard_normal((2, FRAMES, 1, 3)) * 0.01, axis=1)
    points = way + rng.standard_normal((2, 1, POINTS, 3)) * 0.4 + rng.standard_normal((2, FRAMES, POINTS, 3)) * 0.02
    clouds = PointCloudMetric(PointCloudParameters(frames=WINDOW, span=0))
    walk = make_sample("walk_normal").clip
    repeats = -(-FRAMES // len(walk))

    def describe(metric):
        return metric.join([metric.describe(walk)] * repeats)

    effectors, angles = EffectorMetric(), AngleMetric()
    described, turned = describe(effectors), describe(angles)
    tasks = {
        "bare": bare,
        "general": lambda: distance_matrix(
            clouds, clouds.describe_points(points[0], 60), clouds.describe_points(points[1], 60), out=out
        ),
        "symmetric": lambda: distance_matrix(clouds, clouds.describe_points(points[0], 60), out=out),
        "effectors": lambda: distance_matrix(effectors, described, described),
        "angles": lambda: distance_matrix(angles, turned, turned),
    }
    best: dict[str, float] = {}
    for _ in range(TURNS):
        for task, run in tasks.items():
            best[task] = min(measure(run, most=1), best.get(task, float("inf")))
    return best


if __name__ == "__main__":
    print(json.dumps(measure_metrics()))
