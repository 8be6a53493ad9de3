"""Foot-skate clean-up over every walk, run and jump of the recordings: drift, knees, changes; one line a clip and a summary.

python tools/measure_clean.py [--only TEXT] [--json FILE] [--worst 12]

The recordings are those of $REENACT_DATA, else ../shared/data, at corrected frame rates. The rule: every BVH and AMC file with a leg
that is classified as a walk, run or jump, or whose description or name speaks of one. Drift: the farthest two places of a held point lie
apart on the ground within its interval, worst interval of the clip. Knee: the largest angular acceleration of either knee after, over
that before. Push: the hardest of a joint against itself (`solve.result_quality`). Change: mean over all joints and frames. Again: the
farthest a joint moves when the result is cleaned once more.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from reenact.analysis.classify import classify
from reenact.analysis.plants import detect_plants
from reenact.blend.clean import clean
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.errors import ReenactError
from reenact.loading import LoadOptions, load
from reenact.solve.feet import find_feet

WORDS = re.compile(r"walk|run|jog|jump|hop|march|strid|leap|skip|sneak|dash")
KINDS = ("walk", "run", "jump")
STILL_MM, KNEE_RATIO = 2.0, 1.5


def chosen_clips(only: str) -> Iterator[tuple[str, str, Clip, FootPlants]]:
    """Path, kind, clip and plants of every recording that the rule names."""
    folder = Path(os.environ.get("REENACT_DATA") or Path(__file__).parents[2] / "shared" / "data")
    index = folder / "index.csv"
    if not index.is_file():
        sys.exit(f"no recordings in {folder}: set REENACT_DATA")
    with index.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        path = row["path"]
        if not path.endswith((".bvh", ".amc")) or only not in path:
            continue
        try:
            clip = load(folder / path, LoadOptions(fps="auto"))
            if len(clip) < 3 or not find_feet(clip.skeleton, clip):
                continue
            kind = classify(clip).type
        except ReenactError as error:
            print(f"{path}: {error}", file=sys.stderr)
            continue
        if kind in KINDS or WORDS.search(f"{row['description']} {path}".lower()):
            yield path, kind, clip, detect_plants(clip)


def measure(path: str, kind: str, clip: Clip, plants: FootPlants) -> dict[str, Any]:
    """One row of the table."""
    begun = time.process_time()
    made = clean(clip, None, plants)
    spent = time.process_time() - begun
    again = clean(made.clip, None, made.plants)
    away = again.clip.world(np.float64).positions - made.clip.world(np.float64).positions
    report = made.report
    return {
        "path": path,
        "kind": kind,
        "frames": len(clip),
        "plants": report["plants"],
        "before_mm": report["drift_mm"]["before"],
        "after_mm": report["drift_mm"]["after"],
        "knee": report["knee_acceleration"]["ratio"],
        "knee_before": report["knee_acceleration"]["before"],
        "root_mm": report["root_mm"],
        "change_mm": report["joint_change"]["mean_mm"],
        "change_degrees": report["joint_change"]["mean_degrees"],
        "unreachable": len(report["unreachable"]),
        "push": report["quality"]["acceleration"],
        "held": report["held_share"],
        "again_mm": 1000 * float(np.abs(away).max(initial=0.0)),
        "seconds": spent,
    }


def print_row(row: dict[str, Any]) -> None:
    """One line of the table."""
    print(
        f"{row['path'][-44:]:44} {row['kind']:6} {row['frames']:5d} {row['plants']:4d} {row['before_mm']:7.1f} {row['after_mm']:6.2f}"
        f" {row['knee']:6.2f} {row['root_mm']:6.1f} {row['change_mm']:6.2f} {row['change_degrees']:6.2f} {row['unreachable']:3d}"
        f" {row['push']:5.2f} {row['again_mm']:6.2f}"
    )


def summarise(rows: list[dict[str, Any]], worst: int) -> None:
    """What all rows say together, and the rows with the worst knees."""

    def column(name: str) -> np.ndarray:
        return np.array([row[name] for row in rows], dtype=np.float64)

    after, knee = column("after_mm"), column("knee")
    print(f"\n{len(rows)} clips, {int(column('frames').sum())} frames, {int(column('plants').sum())} intervals held")
    print(
        f"drift before: median of the worst {np.median(column('before_mm')):.1f} mm, most {column('before_mm').max():.1f} mm"
    )
    print(
        f"drift after:  median of the worst {np.median(after):.2f} mm, most {after.max():.2f} mm, {int((after >= STILL_MM).sum())} over"
    )
    print(
        f"knees: median ratio {np.median(knee):.2f}, 95 % {np.quantile(knee, 0.95):.2f}, {int((knee > KNEE_RATIO).sum())} over {KNEE_RATIO}"
    )
    print(
        f"joint change: mean {column('change_mm').mean():.2f} mm and {column('change_degrees').mean():.2f} degrees;"
        f" body moved by at most {np.median(column('root_mm')):.1f} mm in the median clip, {column('root_mm').max():.1f} mm in the worst"
    )
    print(
        f"plants out of reach: {int(column('unreachable').sum())}; cleaned once more: at most {column('again_mm').max():.3f} mm"
    )
    print(f"speed: {column('frames').sum() / column('seconds').sum():.0f} frames a second of CPU time, report included")
    print(f"\nthe {worst} clips whose knees changed most:")
    for row in sorted(rows, key=lambda row: -row["knee"])[:worst]:
        print_row(row)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only files whose path holds this text")
    parser.add_argument("--json", type=Path, help="write all rows")
    parser.add_argument("--worst", type=int, default=12, help="how many of the worst knees to list again")
    asked = parser.parse_args()
    print(f"{'file':44} kind   frames held  before  after   knee   root change   turn out  push  again")
    rows = []
    for found in chosen_clips(asked.only):
        rows.append(measure(*found))
        print_row(rows[-1])
    if not rows:
        sys.exit("no clips")
    summarise(rows, asked.worst)
    if asked.json:
        asked.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
