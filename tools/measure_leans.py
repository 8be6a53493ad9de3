"""How far recorded walks and runs lean in their curves: hips beside the feet, and trunks, against what would balance the curve.

    python tools/measure_leans.py

Each cycle of two steps in every CMU recording whose description says walk, run or jog: the curve by how far the way of the hips turns
in it, what balances it at that speed, how far the hips are to the inside of the planted feet on the average, and how far the neck is to the
inside of the hips.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np

from reenact.core.clip import Clip
from reenact.errors import ReenactError
from reenact.loading import load
from reenact.walk.travel_path import to_the_left, unit
from reenact.walk.walk_study import study_walk

CLASSES = ((0, 1), (1, 2), (2, 4), (4, 6), (6, 9), (9, 13), (13, 20), (20, 40))
"""Degrees of balance."""


def measure(clip: Clip) -> list[tuple[float, float, float]]:
    """Degrees for each cycle: balance, hips over the feet, trunk; positive to the left."""
    study = study_walk(clip)
    roles, places = study.clip.skeleton.roles, study.world.positions
    hips, neck = places[:, roles["hips"]], places[:, roles.get("neck", roles.get("head", 0))]
    under, count = np.zeros((len(places), 2)), np.zeros(len(places))
    for side, track in study.tracks.items():
        down = study.plants.foot(side).plant
        under[down] += track.ball[down][:, [0, 2]]
        count += down
    left = to_the_left(unit(study.path.directions))
    stands = count > 0
    legs = np.full(len(places), np.nan)
    legs[stands] = np.einsum("fi,fi->f", hips[stands][:, [0, 2]] - under[stands] / count[stands, None], left[stands])
    legs = np.degrees(np.arctan(legs / hips[:, 1].mean()))
    trunk = np.degrees(np.arctan2(np.einsum("fi,fi->f", (neck - hips)[:, [0, 2]], left), (neck - hips)[:, 1]))
    found = []
    for a, b, c in zip(study.prints, study.prints[1:], study.prints[2:], strict=False):
        halves = (slice(a.middle, b.middle), slice(b.middle, c.middle))
        if a.side == b.side or b.side == c.side or c.along - a.along < 0.8:
            continue
        if any(half.stop - half.start < 5 or np.isnan(legs[half]).all() for half in halves):
            continue
        way = study.path.along[c.middle] - study.path.along[a.middle]
        speed = way / (c.middle - a.middle) * clip.fps
        turn = study.path.directions[c.middle] - study.path.directions[a.middle]
        balance = np.degrees(np.arctan(speed**2 * turn / max(way, 1e-6) / 9.81))
        found.append(
            (
                balance,
                float(np.mean([np.nanmean(legs[half]) for half in halves])),
                float(trunk[a.middle : c.middle].mean()),
            )
        )
    return found


def main() -> None:
    """Print medians."""
    named = os.environ.get("REENACT_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    rows = []
    with (folder / "index.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            said = row["description"].lower()
            if row["path"].startswith("cmu-bvh/") and any(word in said for word in ("walk", "run", "jog")):
                try:
                    rows += measure(load(folder / row["path"]))
                except ReenactError:
                    continue
    table = np.array(rows)
    table *= np.sign(table[:, :1])
    print("| balance, degrees | cycles | hips over the feet | trunk |\n|---|---|---|---|")
    for low, high in CLASSES:
        here = table[(table[:, 0] >= low) & (table[:, 0] < high)]
        if len(here):
            cells = [
                f"{np.median(here[:, k]):.1f} ({np.percentile(here[:, k], 25):.1f} to {np.percentile(here[:, k], 75):.1f})"
                for k in (1, 2)
            ]
            print(f"| {low} to {high} | {len(here)} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
