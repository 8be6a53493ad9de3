"""Transitions between random recordings: slip of planted feet and joint accelerations, beside plain linear blending.

python tools/measure_transitions.py [--pairs 200] [--seed 1] [--frames best|random] [--window 0.8] [--json FILE]

The recordings are those of $REENACT_DATA, else ../shared/data. The rule: every BVH recording of the CMU folder with feet, at least 2 s
long; a pair is two different recordings with the same tree of joints, drawn with a seeded generator; the frames are the best pair the
method finds, or drawn, too. Slip: the farthest two places of a planted point (heel in heel intervals, ball in ball intervals) lie apart
within the blend, over plants carried from the sources. Acceleration: the hardest push of a joint within the blend as a multiple of the
same joint's in both recordings (`solve.result_quality`).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import reenact
from reenact.analysis.plants import detect_plants
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.edit.transition import TransitionParameters, make_transition
from reenact.errors import ReenactError

WAYS: dict[str, dict[str, Any]] = {
    "crossfade, feet held": {},
    "inertial, feet held": {"method": "inertial"},
    "dead blend, feet held": {"method": "dead"},
    "one-sided, feet held": {"method": "one_sided"},
    "linear, thesis' cases": {"weight": "linear", "contradiction": "slip"},
    "linear, relative root": {"weight": "linear", "feet": "free"},
    "linear, absolute root": {"weight": "linear", "feet": "free", "root": "absolute"},
}


def corpus_files() -> list[Path]:
    """BVH recordings of the CMU folder, sorted by name."""
    folder = Path(os.environ.get("REENACT_DATA") or Path(__file__).parents[2] / "shared" / "data")
    files = sorted(folder.glob("cmu*/**/*.bvh")) or sorted(folder.glob("**/*.bvh"))
    if not files:
        sys.exit(f"no recordings in {folder}: set REENACT_DATA")
    return files


class Recordings:
    """Recordings and their plants, loaded when first asked for."""

    def __init__(self, files: Sequence[Path], shortest: float) -> None:
        self.files, self.shortest = list(files), shortest
        self._known: dict[int, tuple[Clip, FootPlants] | None] = {}

    def get(self, index: int) -> tuple[Clip, FootPlants] | None:
        """A recording with its plants; None when it is too short or has no feet."""
        if index not in self._known:
            self._known[index] = self._load(self.files[index])
        return self._known[index]

    def _load(self, path: Path) -> tuple[Clip, FootPlants] | None:
        clip = reenact.load(path)
        if clip.seconds < self.shortest or not clip.skeleton.has_roles("left_foot", "right_foot"):
            return None
        return clip, detect_plants(clip)


def draw_pairs(recordings: Recordings, count: int, seed: int) -> list[tuple[int, int]]:
    """Pairs of different recordings with one tree of joints."""
    rng, pairs = np.random.default_rng(seed), []
    while len(pairs) < count:
        i, j = (int(n) for n in rng.choice(len(recordings.files), 2, replace=False))
        first, second = recordings.get(i), recordings.get(j)
        if first is None or second is None or not first[0].skeleton.same_tree(second[0].skeleton):
            continue
        pairs.append((i, j))
    return pairs


def measure(
    recordings: Recordings, pairs: Sequence[tuple[int, int]], frames: str, window: float, seed: int, ways: Sequence[str]
) -> list[dict[str, Any]]:
    """One row for every pair and way."""
    rows, rng = [], np.random.default_rng([seed, 7])
    for number, (i, j) in enumerate(pairs):
        (a, plants_a), (b, plants_b) = recordings.get(i) or (None, None), recordings.get(j) or (None, None)
        assert a is not None
        assert b is not None
        chosen: dict[str, int | None] = {"at": None, "into": None}
        if frames == "random":
            margin = window / 2
            chosen = {
                "at": int(rng.uniform(margin, a.seconds - margin) * a.fps),
                "into": int(rng.uniform(margin, b.seconds - margin) * b.fps),
            }
        for way in ways:
            asked = TransitionParameters(window=window, **WAYS[way], **chosen)  # type: ignore[arg-type]
            begun = time.perf_counter()
            try:
                made = make_transition(a, b, asked, plants_a, plants_b)
            except ReenactError as error:
                rows.append({"pair": number, "way": way, "error": str(error), "a": a.name, "b": b.name})
                continue
            report = made.report
            if frames == "best" and way == ways[0]:
                chosen = {"at": report["at"], "into": report["into"]} if asked.method == "crossfade" else chosen
            feet = report["feet"].get("plants", [])
            rows.append(
                {
                    "pair": number,
                    "way": way,
                    "a": a.name,
                    "b": b.name,
                    "at": report["at"],
                    "into": report["into"],
                    "cost": report["cost"],
                    "slips": [plant["slip_mm"] for plant in report["plants"]],
                    "slip": report["slip_mm"],
                    "ratio": report["acceleration_ratio"],
                    "answers": [plant["answer"] for plant in feet if plant["case"] == 4],
                    "pelvis": report["feet"].get("pelvis_mm", 0.0),
                    "residual": report["feet"].get("residual_mm", 0.0),
                    "seconds": time.perf_counter() - begun,
                }
            )
        if sys.stderr.isatty():
            print(f"\r{number + 1}/{len(pairs)}", end="", file=sys.stderr)
    return rows


def print_table(rows: Sequence[dict[str, Any]]) -> None:
    """The table of the documentation."""
    head = ("way", "plants", "slip mm", "p95", "max", "> 5 mm", "acc ratio", "p95", "max", "> 1.5", "ms")
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for way in dict.fromkeys(row["way"] for row in rows):
        good = [row for row in rows if row["way"] == way and "slips" in row]
        slips = np.array([slip for row in good for slip in row["slips"]] or [0.0])
        ratios = np.array([row["ratio"] for row in good])
        cells = (
            way,
            len(slips),
            f"{np.median(slips):.2f}",
            f"{np.percentile(slips, 95):.2f}",
            f"{slips.max():.2f}",
            f"{int((slips > 5).sum())}",
            f"{np.median(ratios):.2f}",
            f"{np.percentile(ratios, 95):.2f}",
            f"{ratios.max():.2f}",
            f"{int((ratios > 1.5).sum())}",
            f"{1000 * np.median([row['seconds'] for row in good]):.0f}",
        )
        print("| " + " | ".join(str(cell) for cell in cells) + " |")
    answers = [answer for row in rows if row["way"] == rows[0]["way"] for answer in row.get("answers", [])]
    counted = {answer or "no contradiction": answers.count(answer) for answer in dict.fromkeys(answers)}
    print(f"\nplants of case 4 ({rows[0]['way']}): " + ", ".join(f"{name} {n}" for name, n in counted.items()))
    failed = [row for row in rows if "error" in row]
    for row in failed:
        print(f"failed: {row['a']} > {row['b']}: {row['error']}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--frames", choices=("best", "random"), default="best")
    parser.add_argument("--window", type=float, default=0.8, help="seconds")
    parser.add_argument("--ways", nargs="*", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--json", type=Path, help="also write every row there")
    asked = parser.parse_args()
    recordings = Recordings(corpus_files(), shortest=2.0)
    pairs = draw_pairs(recordings, asked.pairs, asked.seed)
    rows = measure(recordings, pairs, asked.frames, asked.window, asked.seed, asked.ways)
    if asked.json:
        asked.json.write_text(json.dumps(rows, indent=1))
    print(f"{len(pairs)} pairs, seed {asked.seed}, frames {asked.frames}, window {asked.window:g} s\n")
    print_table(rows)


if __name__ == "__main__":
    main()
