"""How well skate that was put into recordings is found, and how many plants of untouched ones are called skating.

python tools/measure_skate.py [FOLDER OF THE DATA]

Subjects with an even number are the half on which limits are set, the others are looked at only. Into every recording a skate of 30, 45
or 60 mm is put, to the side or forward, into one plant at a time (the first, the middle and the last): the body slides while the foot
stands, and stays there. Plants that skate before count as alarms and are not tried. The plants are carried from the untouched clip.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from plain_gaits import data_folder, true_rate

from reenact.analysis.plants import detect_plants
from reenact.analysis.quality import QualityLimits
from reenact.analysis.quality.examined import Examined
from reenact.analysis.quality.skate import check_skate
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.heading import headings
from reenact.loading import LoadOptions, load

SLIDES = (30.0, 45.0, 60.0)
WAYS = {"to the side": 0.5 * np.pi, "forward": 0.0}
LEAST = 0.25  # seconds: shorter plants are mostly landing and lifting


def slide(clip: Clip, start: int, end: int, millimetres: float, heading: float) -> Clip:
    """The clip with the whole body slid towards a heading, smoothly, in the middle of frames [start, end)."""
    share = np.clip((np.arange(len(clip)) - start - 0.2 * (end - start)) / (0.6 * (end - start)), 0, 1)
    way = share * share * (3 - 2 * share) * millimetres / 1000
    towards = np.array([np.sin(heading), 0.0, np.cos(heading)])
    return replace(clip, root=clip.root + (way[:, None] * towards).astype(np.float32))


def skating(clip: Clip, plants: FootPlants) -> list[tuple[int, int]]:
    """Frames of the plants that are found to skate."""
    part = check_skate(Examined(clip, plants, np.zeros(len(clip), np.bool_)), QualityLimits())
    return [f.frames for f in part.findings if f.code == "skate.plant" and f.frames is not None]


def chosen_plants(plants: FootPlants) -> list[tuple[int, int]]:
    """The first, the middle and the last plant of either foot."""
    spans = sorted(span for side in ("left", "right") for span in plants.foot(side).intervals())
    spans = [span for span in spans if span[1] - span[0] >= LEAST * plants.fps]
    return [spans[n] for n in sorted({0, len(spans) // 2, len(spans) - 1})] if spans else []


def main() -> None:
    """Measure every CMU recording and print the table."""
    counts: dict[str, Counter] = {"set on": Counter(), "looked at": Counter()}
    for path in sorted((data_folder() / "cmu-bvh").glob("*.bvh")):
        clip = load(path, LoadOptions(fps=true_rate(path.stem)))
        row = counts["set on" if int(path.stem.split("_")[0]) % 2 == 0 else "looked at"]
        plants, facing = detect_plants(clip), np.asarray(headings(clip))
        before = skating(clip, plants)
        row["clips"] += 1
        row["alarmed"] += bool(before)
        row["alarms"] += len(before)
        row["plants"] += sum(len(plants.foot(side).intervals()) for side in ("left", "right"))
        for start, end in chosen_plants(plants):
            if (start, end) in before:
                continue
            row["tried"] += 1
            for way, turn in WAYS.items():
                for far in SLIDES:
                    broken = slide(clip, start, end, far, float(facing[(start + end) // 2]) + turn)
                    row[f"{way} {far:g}"] += (start, end) in skating(broken, plants)
    print("| half | clips with an alarm | plants | skate put in | 30 mm | 45 mm | 60 mm |")
    for half, row in counts.items():
        for way in WAYS:
            shares = " | ".join(f"{row[f'{way} {far:g}'] / row['tried']:.0%}" for far in SLIDES)
            alarms = f"{row['alarmed']} of {row['clips']} | {row['alarms']} of {row['plants']}"
            print(f"| {half} | {alarms} | {way}, {row['tried']} plants | {shares} |")


if __name__ == "__main__":
    main()
