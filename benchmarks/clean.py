"""Foot-skate clean-up: frames a second on one core, with plants given and with plants detected.

    python benchmarks/clean.py [--repeat 20]

CPU time of one thread, best of the repeats, warm; everything `clean` does is counted, its report included. The clips are CMU recordings
of 120 Hz and 31 joints from `$REENACT_DATA` or `../shared/data`; without them a sample at 120 Hz.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

CLIPS = ("02_01", "16_15", "35_02", "09_01", "14_21", "77_28")


def load_clips():
    """The clips to clean."""
    from reenact.loading import load

    named = os.environ.get("REENACT_DATA")
    folder = (Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data") / "cmu-bvh"
    files = [folder / f"{name}.bvh" for name in CLIPS]
    if all(file.is_file() for file in files):
        return [load(file) for file in files]
    from reenact.samples import make_sample

    return [make_sample(name, 120.0).clip for name in ("walk_normal", "run")]


def best(work: Callable[[], object], repeat: int) -> float:
    """The least CPU seconds of some runs, after one to warm up."""
    work()
    spent = []
    for _ in range(repeat):
        begun = time.process_time()
        work()
        spent.append(time.process_time() - begun)
    return min(spent)


def main() -> None:
    """Print the table."""
    from reenact.analysis.plants import detect_plants
    from reenact.blend.clean import clean

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=20)
    repeat = parser.parse_args().repeat
    print(f"{'clip':8} {'frames':>6} {'joints':>6} {'ms':>8} {'frames/s':>9} {'with detection':>15}")
    total = {"frames": 0, "given": 0.0, "detected": 0.0}
    for clip in load_clips():
        plants = detect_plants(clip)
        given = best(lambda clip=clip, plants=plants: clean(clip, None, plants), repeat)
        detected = best(lambda clip=clip: clean(clip), max(repeat // 4, 1))
        total["frames"] += len(clip)
        total["given"] += given
        total["detected"] += detected
        rates = len(clip) / given, len(clip) / detected
        print(
            f"{clip.name:8} {len(clip):6d} {len(clip.skeleton):6d} {1000 * given:8.2f} {rates[0]:9.0f} {rates[1]:15.0f}"
        )
    print(
        f"all: {total['frames'] / total['given']:.0f} frames/s, with detection {total['frames'] / total['detected']:.0f}"
    )


if __name__ == "__main__":
    main()
