"""Registration against dtaidistance, in one run.

    python benchmarks/registration.py [--repeats N]

1 000 x 1 000 frames: from 93 coordinates (31 joints) to the cheapest path with a slope limit of 3, by point clouds over windows of five
frames, each pair aligned; dtaidistance's compiled `dtw_ndim.warping_paths_fast` on the same coordinates aligns nothing, has no slope limit
and traces no path. 300 x 300 samples: all of `register`, plants included. CPU time of one thread, best of several, in turns.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

Task = Callable[[], object]
FRAMES, SHORT, STEP = 1000, 300, 4


def write_coordinates(path: str, folder: Path) -> tuple[Path, Path]:
    """Coordinates (1000, 93) of two stretches of a clip at 30 Hz, as files that both sides read."""
    import reenact

    positions = reenact.load(path).world(np.float64).positions[::STEP]
    late = len(positions) - FRAMES
    files = folder / "first.npy", folder / "second.npy"
    for file, start in zip(files, (0, late), strict=True):
        np.save(file, positions[start : start + FRAMES].reshape(FRAMES, -1))
    return files


def warping(first: str, second: str) -> Task:
    """Coordinates to the grid of distances and the exact slope-limited path."""
    from reenact.analysis.metrics.point_clouds import PointCloudMetric, PointCloudParameters
    from reenact.blend.distance_grid import measure_grid
    from reenact.blend.warp_path import find_path

    points = [np.load(file).reshape(FRAMES, -1, 3) for file in (first, second)]
    metric = PointCloudMetric(PointCloudParameters(frames=5, span=0))

    def task() -> object:
        grid = measure_grid(metric, *(metric.describe_points(p, 30.0) for p in points))
        return find_path(grid.distances, 3)

    task()  # compiled code comes from a cache that may be cold
    return task


def registration(path: str) -> Task:
    """Two stretches of a clip, 300 samples each at 30 Hz, to their registration curve."""
    import reenact
    from reenact.blend.registration import RegistrationParameters, register
    from reenact.core.cutting import cut_frames

    clip = reenact.load(path)
    frames = STEP * (SHORT - 1) + 1
    clips = [cut_frames(clip, start, start + frames) for start in (0, len(clip) - frames)]
    parameters = RegistrationParameters(trim="off", gate="off")
    register(clips, parameters)  # compiled code comes from a cache that may be cold
    return lambda: register(clips, parameters)


def main() -> None:
    """Measure and print the two rows."""
    import run

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repeats", type=int, default=5, help="turns of each task (default 5)")
    options = parser.parse_args()
    data = run.find_data()
    python = run.make_environment()
    workers = {"ours": run.Worker(sys.executable, "ours.py")}
    if python:
        workers["peers"] = run.Worker(python, "peers.py")
    with tempfile.TemporaryDirectory(prefix="reenact-bench-") as name:
        clip = data / "cmu-bvh" / "15_01.bvh" if data else run.make_clip(Path(name), 5000)
        print(run.format_table(run.measure_registration(workers, clip, Path(name), options.repeats)))
    for worker in workers.values():
        worker.close()


if __name__ == "__main__":
    main()
