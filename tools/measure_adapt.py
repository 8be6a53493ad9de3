"""Figures of `reenact adapt`: what is left of cuts in the skin (by FCL), slips of planted feet, and how far joints are turned.

    python tools/measure_adapt.py CHARACTER.glb --clips 30 --girths 1,1.2,1.4,1.6,1.8

Needs python-fcl and the recordings (REENACT_DATA). Clips are drawn by a fixed seed; what is left out is said.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from skin_cuts import SkinCuts

import reenact
from reenact.adapt.adaptation import adapt_mapped, turned
from reenact.adapt.contact_body import contact_body
from reenact.adapt.parameters import AdaptParameters
from reenact.analysis.plants import find_plants
from reenact.body.growth import GrowthParameters, grow
from reenact.body.standing import standing_still
from reenact.errors import ReenactError
from reenact.loading import load, load_all
from reenact.solve.feet import find_feet
from reenact.solve.planted_points import measure_slips
from reenact.solve.skeleton_map import map_with_plants

SEED = 14
LONGEST, SHORTEST = 1500, 90  # frames


def draw_clips(folder: Path, count: int) -> list[Path]:
    """Clips of the corpus, drawn by a fixed seed among those of some length."""
    rows = [row for row in csv.DictReader((folder / "index.csv").open()) if row["path"].startswith("cmu-bvh/")]
    fit = [row["path"] for row in rows if SHORTEST <= int(row["frames"] or 0) <= LONGEST]
    picked = np.random.default_rng(SEED).permutation(len(fit))[:count]
    return [folder / fit[n] for n in sorted(picked)]


def main() -> int:
    """Print a row for each clip and girth, and what they come to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("character", type=Path)
    parser.add_argument("--clips", type=int, default=30)
    parser.add_argument("--girths", default="1,1.2,1.4,1.6,1.8")
    parser.add_argument("--still-joints", action="store_true")
    parser.add_argument("--stages", default="")
    parser.add_argument("--method", default="space-time")
    parser.add_argument("--poses", type=int, default=40, help="poses of each clip in which cuts are counted")
    parser.add_argument("--file", action="append", type=Path, help="these clips instead")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    folder = Path(os.environ.get("REENACT_DATA", "shared/data"))
    character = next(one for one in load_all(asked.character).characters if len(one.faces))
    files = asked.file or draw_clips(folder, asked.clips)
    rows = []
    for girth in map(float, asked.girths.split(",")):
        body = grow(character, GrowthParameters(girth=girth, joints=not asked.still_joints))
        contact, cuts, still = contact_body(body), SkinCuts(body), standing_still(body)
        how = {"method": asked.method} | ({"stages": asked.stages} if asked.stages else {})
        for file in files:
            try:
                rows.append(measure(file, girth, body, contact, cuts, still, AdaptParameters(**how), asked.poses))
            except ReenactError as error:
                rows.append({"clip": file.stem, "girth": girth, "refused": str(error)})
            print(told(rows[-1]), flush=True)
        summary([row for row in rows if row["girth"] == girth], f"girth {girth}")
    summary(rows, "all")
    if asked.json:
        asked.json.write_text(json.dumps(rows, indent=1))
    return 0


def measure(file, girth, body, contact, cuts, still, asked, poses) -> dict:
    """What one adaptation does."""
    clip = load(file)
    plants = find_plants(clip)
    source, held = map_with_plants(clip, still, plants)
    begin = time.process_time()
    made = adapt_mapped(source, body, contact, asked, held)
    spent = time.process_time() - begin
    frames = np.linspace(0, len(source) - 1, min(poses, len(source))).astype(int)
    both = [cuts.count(one, frames) for one in (source, made.clip)]
    feet = find_feet(made.clip.skeleton, made.source)
    slips = [0.0, 0.0]
    if made.plants is not None:
        slips = [
            max((s["slip_mm"] for s in measure_slips(c, made.plants, feet=feet)), default=0.0)
            for c in (source, made.clip)
        ]
    return {
        "clip": file.stem,
        "girth": girth,
        "frames": len(source),
        "cuts": [sum(v[0] for v in one.values()) for one in both],
        "folds": [sum(v[1] for v in one.values()) for one in both],
        "pairs": {name: [one[name][0] for one in both] for name in both[0] if any(one[name][0] for one in both)},
        "slip_mm": [round(s, 2) for s in slips],
        "turned": turned(source, made.clip),
        "ms_per_frame": round(1000 * spent / len(source), 2),
    }


def told(row: dict) -> str:
    """A row for people."""
    if "refused" in row:
        return f"{row['clip']:8s} {row['girth']:.1f}  refused: {row['refused']}"
    most = max(row["turned"].items(), key=lambda item: item[1], default=("", 0.0))
    worst = max(row["pairs"].items(), key=lambda item: item[1][1], default=("", [0, 0]))
    return (
        f"{row['clip']:8s} {row['girth']:.1f} {row['frames']:5d} frames  cuts {row['cuts'][0]:6d} -> {row['cuts'][1]:5d}"
        f"  folds {row['folds'][0]:5d} -> {row['folds'][1]:5d}  slip {row['slip_mm'][0]:5.1f} -> {row['slip_mm'][1]:5.1f} mm"
        f"  {most[0]} {most[1]:.1f} deg  {row['ms_per_frame']:.1f} ms  left: {worst[0]} {worst[1][1]}"
    )


def summary(rows: list[dict], name: str) -> None:
    """Sums over rows."""
    done = [row for row in rows if "refused" not in row]
    if not done:
        return
    sums = np.array([[*row["cuts"], *row["folds"]] for row in done]).sum(axis=0)
    angles = np.array([angle for row in done for angle in row["turned"].values()])
    down = 1 - sums[1] / sums[0] if sums[0] else 0.0
    print(
        f"== {name}: {len(done)} done, {len(rows) - len(done)} refused; cuts {sums[0]} -> {sums[1]} (down {100 * down:.1f} %), "
        f"folds {sums[2]} -> {sums[3]}; joints turned by rms {np.sqrt(np.mean(angles**2)) if len(angles) else 0:.1f} degrees, "
        f"{100 * np.mean(angles > 10) if len(angles) else 0:.0f} % of them more than 10; "
        f"worst slip {max(row['slip_mm'][1] for row in done):.1f} mm; "
        f"median {np.median([row['ms_per_frame'] for row in done]):.2f} ms a frame"
    )


if __name__ == "__main__":
    assert reenact.__version__
    raise SystemExit(main())
