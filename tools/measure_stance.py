"""Balance and legs through legs: what `clean --balance 0.03 --apart` does to recordings, and to transitions and blends of turning walks.

python tools/measure_stance.py [--clips 40] [--joins 20] [--seed 39] [--json FILE]

The recordings are those of $REENACT_DATA, else ../shared/data. Clips: any of the CMU folder, the first 20 s of each. Joins: pairs of walks
that turn, veer or go in a curve (by their descriptions in index.csv), one half joined by `transition`, the other by `blend`; pairs that
these refuse are counted. Each row compares the plain clean-up with the one that does both: frames in which the feet or shins of both
legs overlap, seconds of rest with the weight beside the feet and the worst distance, the hardest push of a joint as a multiple of its own
hardest before, slip of planted feet.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import reenact
from reenact.blend.blend import BlendParameters, blend
from reenact.blend.clean import CleanParameters, clean
from reenact.core.clip import Clip
from reenact.core.cutting import CutParameters, cut
from reenact.core.foot_plants import FootPlants
from reenact.core.made import Made
from reenact.edit.transition import transition
from reenact.errors import ReenactError
from reenact.loading import LoadOptions

ASKED = CleanParameters(balance=0.03, apart=True)
LONGEST = 20.0  # seconds


def recordings(folder: Path) -> tuple[list[Path], list[Path]]:
    """All recordings of the CMU folder, and those of walks that turn."""
    with (folder / "index.csv").open(newline="", encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["path"].startswith("cmu-bvh/")]
    rows.sort(key=lambda row: row["path"])
    turning = [row for row in rows if re.search(r"walk.*(turn|veer|circle|curve)", row["description"].casefold())]
    return [folder / row["path"] for row in rows], [folder / row["path"] for row in turning]


def read(path: Path) -> Clip:
    """The first seconds of a recording."""
    clip = reenact.load(path, LoadOptions(fps="auto"))
    return clip if clip.seconds <= LONGEST else cut(clip, CutParameters(0, round(LONGEST * clip.fps)))


def measure(name: str, clip: Clip, plants: FootPlants | None = None) -> dict[str, Any]:
    """One row of the table."""
    plain, made = clean(clip, None, plants).report, clean(clip, ASKED, plants).report
    row: dict[str, Any] = {"name": name, "frames": len(clip), "recorded": plain["overlap"]["overlapping"]["before"]}
    for key, report in (("plain", plain), ("asked", made)):
        balance = report["balance"]
        row[key] = {
            "overlapping": report["overlap"]["overlapping"]["after"],
            "both_planted": report["overlap"]["both_planted"],
            "least_mm": report["overlap"]["least_mm"]["after"],
            "out_s": balance["out_s"]["after"],
            "worst_mm": balance["worst_mm"]["after"],
            "acceleration": report["quality"]["acceleration"],
            "slip_mm": report["quality"]["slip_mm"],
        }
    return row | {"push_mm": made["overlap"]["push_mm"], "shift_mm": made["balance"]["shift_mm"]}


def print_row(row: dict[str, Any]) -> None:
    """One line of the table."""
    plain, asked = row["plain"], row["asked"]
    worst = "      -      -" if plain["worst_mm"] is None else f"{plain['worst_mm']:7.1f}{asked['worst_mm']:7.1f}"
    print(
        f"{row['name']:28}{row['frames']:6d} |{row['recorded']:5d}{plain['overlapping']:5d}{asked['overlapping']:5d}"
        f"{plain['least_mm']:7.1f}{asked['least_mm']:7.1f}{row['push_mm']:6.1f} |{plain['out_s']:6.2f}{asked['out_s']:6.2f}{worst}"
        f"{row['shift_mm']:6.1f} |{plain['acceleration']:6.2f}{asked['acceleration']:6.2f} |{plain['slip_mm']:5.2f}{asked['slip_mm']:5.2f}",
        flush=True,
    )


def summarise(title: str, rows: list[dict[str, Any]]) -> None:
    """What some rows say together."""
    if not rows:
        return

    def total(key: str, name: str) -> float:
        return sum(row[key][name] for row in rows)

    wrong = sum(row["plain"]["overlapping"] > 0 for row in rows)
    left = sum(row["asked"]["overlapping"] > 0 for row in rows)
    beside = [row for row in rows if row["plain"]["out_s"] > 0]
    harder = [row["asked"]["acceleration"] / max(row["plain"]["acceleration"], 1e-9) for row in rows]
    over = sum(row["asked"]["acceleration"] > max(1.2, 1.02 * row["plain"]["acceleration"]) for row in rows)
    slips = max(row["asked"]["slip_mm"] - row["plain"]["slip_mm"] for row in rows)
    print(f"\n{title}: {len(rows)} motions, {sum(row['frames'] for row in rows)} frames")
    print(
        f"  legs overlap in {sum(row['recorded'] for row in rows)} frames as they came, {total('plain', 'overlapping')} cleaned"
        f" ({wrong} motions), {total('asked', 'overlapping')} parted ({left} motions),"
        f" {total('asked', 'both_planted')} of these with both feet planted; most pushed {max(r['push_mm'] for r in rows):.0f} mm"
    )
    print(
        f"  rest beside the feet: {len(beside)} motions, {total('plain', 'out_s'):.2f} s cleaned, {total('asked', 'out_s'):.2f} s balanced"
    )
    print(
        f"  hardest push of a joint against the plain clean-up: median {np.median(harder):.2f}, most {max(harder):.2f};"
        f" {over} beyond 1.2 of its own that were not before; slip at most {slips:.2f} mm more"
    )


def draw(rng: np.random.Generator, paths: list[Path], count: int) -> tuple[list[dict[str, Any]], int]:
    """Rows of joins of pairs of the same subject, and how many were refused."""
    pairs = [(a, b) for a in paths for b in paths if a != b and a.stem.split("_")[0] == b.stem.split("_")[0]]
    ways: tuple[tuple[str, Callable[[list[Clip]], Made]], ...] = (
        ("transition", lambda clips: transition(clips)),
        ("blend", lambda clips: blend(clips, BlendParameters(weights="0.5,0.5"))),
    )
    rows, refused = [], 0
    for number, at in enumerate(rng.permutation(len(pairs))[:count]):
        (a, b), (way, make) = pairs[at], ways[number % 2]
        try:
            made = make([read(a), read(b)])
        except ReenactError as error:
            refused += 1
            print(f"{way} {a.stem} {b.stem}: {str(error)[:100]}", file=sys.stderr)
            continue
        rows.append(measure(f"{way} {a.stem} {b.stem}", made.clip, made.plants))
        print_row(rows[-1])
    return rows, refused


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", type=int, default=40, help="recordings to draw")
    parser.add_argument("--joins", type=int, default=20, help="pairs of turning walks to draw")
    parser.add_argument("--seed", type=int, default=39, help="of the drawing")
    parser.add_argument("--json", type=Path, help="write all rows")
    asked = parser.parse_args()
    folder = Path(os.environ.get("REENACT_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    if not (folder / "index.csv").is_file():
        sys.exit(f"no recordings in {folder}: set REENACT_DATA")
    everything, turning = recordings(folder)
    rng = np.random.default_rng(asked.seed)
    print(
        "motion                      frames | overlap: came cleaned parted, least mm, push | rest outside s, worst mm, shift | push | slip"
    )
    clips = []
    for at in sorted(rng.permutation(len(everything))[: asked.clips]):
        clips.append(measure(everything[at].stem, read(everything[at])))
        print_row(clips[-1])
    joins, refused = draw(rng, turning, asked.joins)
    summarise("recordings", clips)
    summarise(f"joins of turning walks ({refused} refused)", joins)
    if asked.json:
        asked.json.write_text(json.dumps({"clips": clips, "joins": joins}, indent=1) + "\n")


if __name__ == "__main__":
    main()
