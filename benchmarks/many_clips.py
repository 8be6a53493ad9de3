"""Libraries of many short clips: how time and memory grow with their number, in import, check and cluster graph.

    python benchmarks/many_clips.py [--clips 300 1000 3000 10000] [--executor processes:2] [--json FILE] [--plot FILE.png]

The clips are 1.5 s at 30 Hz of the built-in samples from other moments on, turned, mirrored, and with noise of half a degree, each by a
number of its own; as npz files, so that the text of a format counts little. CPU seconds of this process and its workers; memory is the
largest resident set of this process, and that of its largest worker.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZES = (300, 1000, 3000, 10_000)
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
FRAMES = 45


def write_clips(folder: Path, count: int) -> None:
    """Write the files."""
    from dataclasses import replace

    import numpy as np

    from reenact.core import rotations as R
    from reenact.core.cutting import CutParameters, cut
    from reenact.core.mirror import mirror
    from reenact.loading import save
    from reenact.samples import make_sample

    rng = np.random.default_rng(0)
    names = ("walk_normal", "walk_fast", "walk_slow", "jog", "run", "stand")
    clips = [make_sample(name, 30.0).clip for name in names]
    clips += [mirror(clip) for clip in clips]
    for number in range(count):
        clip = clips[number % len(clips)].with_plants(None)
        start = int(rng.integers(0, len(clip) - FRAMES))
        part = cut(clip, CutParameters(start, start + FRAMES))
        noise = R.exp(np.radians(0.5) * rng.normal(size=(1, len(part.skeleton), 3)))
        turned = R.multiply(part.rotations.astype(np.float64), noise)
        varied = replace(part, rotations=R.unit_float32(turned), name=f"clip_{number:05d}")
        save(varied, folder / f"clip_{number:05d}.npz")


def used() -> float:
    """CPU seconds of this process and of its workers that have ended."""
    return sum(
        one.ru_utime + one.ru_stime
        for one in (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def resident() -> tuple[float, float]:
    """Peak MiB of this process, and of its largest worker that has ended."""
    return tuple(resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))  # type: ignore[return-value]


def measure(step: str, folder: Path, executor: str) -> dict[str, float]:
    """One step on a library; in a process of its own."""
    from reenact.library import Library
    from reenact.library.import_folder import ImportOptions, import_paths
    from reenact.operations.library_graph import library_graph

    begun, told = time.monotonic(), {}
    library = Library(folder / "library")
    if step == "import":
        report = import_paths(library, [folder / "clips"], ImportOptions(executor=executor))
        assert not report.unreadable
        told["clips"] = len(report.added)
    elif step == "check":
        from reenact.analysis.plant_choice import PlantChoice
        from reenact.analysis.quality import QualityLimits
        from reenact.cli.check import check_many
        from reenact.cli.workers import WorkerOptions
        from reenact.loading import LoadOptions

        jobs = int(executor.partition(":")[2] or 1)
        work = WorkerOptions(scheduler=executor) if "://" in executor else WorkerOptions(jobs=jobs)
        told["over"] = 0
        for _, rows, error in check_many(
            [folder / "library"], LoadOptions(), QualityLimits(), PlantChoice(), work, hidden=True
        ):
            assert error is None
            told["over"] += sum(not report.ok for *_, report in rows)
    else:
        made = library_graph(library, executor=executor)
        told.update(frames=made.graph.frames, nodes=made.graph.nodes, kept=not made.unkept)
    own, worker = resident()
    return {**told, "wall_s": time.monotonic() - begun, "cpu_s": used(), "mib": own, "worker_mib": worker}


def draw(rows: list[dict], path: Path) -> None:
    """CPU seconds and memory over the number of clips."""
    from reenact.render.plot import Curve, PlotParameters, save_plot

    steps = list(dict.fromkeys(row["step"] for row in rows))
    curves = []
    for step in steps:
        mine = [row for row in rows if row["step"] == step]
        counts = [row["count"] for row in mine]
        curves.append(Curve(f"{step}, CPU s", counts, [row["cpu_s"] for row in mine]))
        held = [(row["mib"] + 2 * row["worker_mib"]) / 10 for row in mine]
        curves.append(Curve(f"{step}, memory of all processes, 10 MiB", counts, held, dashed=True))
    save_plot(curves, path, PlotParameters(title="Many short clips", x_label="clips", from_zero=True))


def main() -> None:
    """Measure every size and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--clips", type=int, nargs="*", default=SIZES)
    parser.add_argument("--executor", default="processes:2")
    parser.add_argument("--steps", nargs="*", default=["import", "check", "graph"])
    parser.add_argument("--json", type=Path, help="write the figures there")
    parser.add_argument(
        "--plot", type=Path, nargs=2, help="draw the figures of such a file into an SVG, and measure nothing"
    )
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is not None:
        print(json.dumps(measure(given.one[0], Path(given.one[1]), given.executor)))
        return
    if given.plot is not None:
        draw(json.loads(given.plot[0].read_text()), given.plot[1])
        return
    rows = []
    print("| clips | step | wall s | CPU s | MiB | MiB of a worker |\n|---|---|---|---|---|---|", flush=True)
    for count in given.clips:
        with tempfile.TemporaryDirectory(prefix="reenact-many-") as name:
            folder = Path(name)
            (folder / "clips").mkdir()
            write_clips(folder / "clips", count)
            subprocess.run(
                [sys.executable, "-m", "reenact", "library", "init", str(folder / "library")],
                check=True,
                capture_output=True,
            )
            for step in given.steps:
                done = subprocess.run(
                    [sys.executable, __file__, "--one", step, name, "--executor", given.executor],
                    env={**os.environ, **ONE_THREAD}, stdout=subprocess.PIPE, text=True, check=True,
                )  # fmt: skip
                row = {"count": count, "step": step, **json.loads(done.stdout)}
                rows.append(row)
                print(
                    f"| {count} | {step} | {row['wall_s']:.1f} | {row['cpu_s']:.1f} | {row['mib']:.0f} | {row['worker_mib']:.0f} |",
                    flush=True,
                )
                if given.json is not None:
                    given.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
