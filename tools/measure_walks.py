"""Walks reshaped: 40 recordings, drawn by a seed, times a grid of strides, lifts, slopes, stairs, terrain and goals.

    python tools/measure_walks.py [--seed 11] [--count 40] [--only "stride 1.3" stairs] [--clips 16_15 ...] [--json FILE]

Recordings are CMU walks by the words of the corpus' index, those that go backwards, sideways or over stairs and uneven ground left out.
Refusals are counted, and so are results over a limit of `walk_limits`: those whose report says so in words, and silent ones. Slips and
knees that bend backwards are measured here as well as by the report, and the worse of both counts. Every figure is measured on the
result: stride and lift against what was asked for, slip of carried plants, soles against the ground, the angular acceleration of knees
against the recording (on stairs and over obstacles against what the lift needs at least, where that is more), the hardest push of any
joint against its own, and how far a goal is missed.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
from walk_limits import backward_degrees, over, slips_mm

_OTHERS = ("moonwalk", "sideways", "backward", "stair", "step", "steop", "uneven", "ladder", "slope")


def find_clips(folder: Path, seed: int, count: int) -> list[Path]:
    """The recordings."""
    with (folder / "index.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["path"].startswith("cmu-bvh/")]
    plain = [
        row["path"]
        for row in rows
        if "walk" in row["description"].lower() and not any(word in row["description"].lower() for word in _OTHERS)
    ]
    order = np.random.default_rng(seed).permutation(len(plain))[:count]
    return [folder / plain[n] for n in sorted(order)]


def hills(folder: Path) -> Path:
    """A file of ground that goes up and down by 7 cm, at most by 18 degrees."""
    at = np.arange(-12.0, 12.0, 0.1)
    np.save(folder / "hills.npy", 0.07 * np.sin(at / 0.45)[None] + 0.07 * np.sin(at / 0.6)[:, None])
    return folder / "hills.npy"


def cases(seed: int, folder: Path):
    """Name and parameters of every case; `folder` is where files of ground are put."""
    from reenact.walk.walk import WalkParameters

    for stride in (0.6, 0.8, 0.9, 1.1, 1.2, 1.3):
        yield f"stride {stride}", WalkParameters(stride=stride)
    yield "stride 1.2 to 0.7", WalkParameters(stride=1.2, stride_end=0.7)
    for lift in (0.7, 1.3, 1.6):
        yield f"lift {lift}", WalkParameters(lift=lift)
    yield "stride 1.2, lift 1.3", WalkParameters(stride=1.2, lift=1.3)
    for angle in (-10, 5, 10, 15, 20):
        yield f"incline {angle}", WalkParameters(incline=math.radians(angle))
    yield "stairs up", WalkParameters(stairs="0.17x0.29x4")
    yield "stairs down", WalkParameters(stairs="-0.17x0.29x4")
    yield "obstacle", WalkParameters(obstacle="1.6,0.25,0.15")
    yield "terrain", WalkParameters(terrain=hills(folder))
    rng = np.random.default_rng(seed)
    for n in range(3):
        yield f"goal {n + 1}", WalkParameters(to=float(rng.uniform(1.0, 9.0)))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--only", nargs="*", default=[], help="cases whose names begin so")
    parser.add_argument("--clips", nargs="*", default=[], help="only these of the recordings")
    parser.add_argument("--json", type=Path, help="every report")
    asked = parser.parse_args()
    from reenact.errors import ReenactError
    from reenact.loading import load
    from reenact.walk.walk import walk
    from reenact.walk.walk_study import study_walk

    named = os.environ.get("REENACT_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    found: dict[str, list[tuple[str, dict]]] = {}
    refused: dict[str, list[str]] = {}
    kept = tempfile.TemporaryDirectory()
    every_case = list(cases(asked.seed, Path(kept.name)))
    for path in find_clips(folder, asked.seed, asked.count):
        if asked.clips and path.stem not in asked.clips:
            continue
        clip = load(path)
        for name, parameters in every_case:
            if asked.only and not any(name.startswith(word) for word in asked.only):
                continue
            try:
                made = walk(clip, parameters)
            except ReenactError as error:
                refused.setdefault(name, []).append(f"{path.stem}: {error}")
                continue
            report = {**made.report, "case": name, "clip": path.stem}
            planned, steps = np.array(report["planned_m"]), np.array(report["steps_m"])
            report["step_error"] = float(np.max(np.abs(steps - planned)) / max(np.mean(np.abs(planned)), 1e-6))
            if report["ground"] == "ground":
                report["lift_error"] = abs(report["lift_m"] / max(report["lift_wanted_m"], 1e-6) - 1.0)
            assert made.plants is not None
            report["slip_mm"] = max(report["slip_mm"], slips_mm(made.clip, made.plants))
            report["backward_degrees"] = backward_degrees(made.clip, study_walk(clip).clip)
            report["said"], report["silent"] = over(report, report["doubts"])
            found.setdefault(name, []).append((path.stem, report))
    columns = (
        "step_error",
        "lift_error",
        "slip_mm",
        "sole_mm",
        "through_mm",
        "knee_acceleration",
        "backward_degrees",
        "acceleration",
        "off_goal_mm",
    )
    print("| case | made | refused | over, said | over, silent | no doubt | " + " | ".join(columns) + " |")
    print("|" + "---|" * (len(columns) + 6))
    for name, rows in found.items():
        cells = []
        for column in columns:
            values = [row[column] for _, row in rows if column in row]
            cells.append("" if not values else f"{np.percentile(values, 95):.3g} / {max(values):.3g}")
        said, silent, quiet = (
            sum(1 for _, row in rows if test(row))
            for test in (
                lambda row: row["said"] and not row["silent"],
                lambda row: row["silent"],
                lambda row: not row["doubts"],
            )
        )
        counts = f"{len(rows)} | {len(refused.get(name, []))} | {said} | {silent} | {quiet}"
        print(f"| {name} | {counts} | " + " | ".join(cells) + " |")
    for name, rows in found.items():
        for clip, row in rows:
            if row["said"] or row["silent"]:
                print("over", name, clip, "said:", row["said"], "silent:", row["silent"], file=sys.stderr)
    if asked.json:
        asked.json.write_text(json.dumps([row for rows in found.values() for _, row in rows], indent=1))
    for name, rows in found.items():
        worst = sorted(rows, key=lambda one: -one[1]["knee_acceleration"])[:3]
        pushed = sorted(rows, key=lambda one: -one[1]["acceleration"])[:3]
        print(
            name, "knees:", ", ".join(f"{clip} {row['knee_acceleration']:.2f}" for clip, row in worst), "| joints:",
            ", ".join(f"{clip} {row['acceleration']:.2f} {row['joint']} {row['frame']}" for clip, row in pushed), file=sys.stderr,
        )  # fmt: skip
    for name, reasons in refused.items():
        for reason in reasons:
            print("refused", name, reason, file=sys.stderr)


if __name__ == "__main__":
    main()
