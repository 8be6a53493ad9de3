"""Automatic grafts of the CMU recordings: arms against legs, slip, collisions, refusals, and the ways to hold an upper body side by side.

python tools/measure_grafts.py [--pairs 120] [--seed 2009] [--json FILE]

The recordings are those of $REENACT_DATA, else ../shared/data: every BVH file of the CMU folder that index.csv lists. They are
classified; `other` ones and those under a second are left out. Two sets of pairs are drawn with a seeded generator: walk and run in both
directions (swing of the arms, beside the same pairs pasted frame by frame from the start), and pairs of all types that the rules allow
(collisions, screens, scores). Phase: the lag of each arm behind the opposite leg (`graft.swing_phase`), as a share of a cycle.
"""

from __future__ import annotations

import argparse
import collections
import csv
import json
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import reenact
from reenact.analysis.plants import detect_plants
from reenact.analysis.quality import check_clip
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.errors import ReenactError
from reenact.graft.believability import find_collisions, measure_believability
from reenact.graft.composition_rules import CLASSES, allowed_pairs, count_allowed
from reenact.graft.graft_parameters import KEEPS
from reenact.graft.graft_report import Graft
from reenact.graft.grafting import GraftParameters, build_graft
from reenact.graft.swing_phase import lag_error, measure_lags
from reenact.graft.torso_screen import SAFE_SHARE, find_safe_frames

SHORTEST = 1.0  # seconds


def data_folder() -> Path:
    """Where the recordings are."""
    return Path(os.environ.get("REENACT_DATA") or Path(__file__).parents[2] / "shared" / "data")


@cache
def recording(name: str) -> tuple[Clip, FootPlants]:
    """A recording and its plants."""
    clip = reenact.load(data_folder() / "cmu-bvh" / f"{name}.bvh")
    return clip, detect_plants(clip)


def classified() -> dict[str, str]:
    """Types of all recordings that the index lists, by name."""
    with (data_folder() / "index.csv").open(encoding="utf-8") as stream:
        names = sorted(
            Path(row["path"]).stem
            for row in csv.DictReader(stream)
            if row["path"].startswith("cmu-bvh/") and row["path"].endswith(".bvh")
        )
    if not names:
        sys.exit(f"no recordings in {data_folder()}: set REENACT_DATA")
    types = {}
    for name in names:
        try:
            clip, plants = recording(name)
            types[name] = reenact.classify(clip, plants=plants).type if clip.seconds >= SHORTEST else "short"
        except ReenactError:
            types[name] = "unread"
    return types


def swing(graft: Graft) -> dict[str, float | None]:
    """Lags of a graft's arms: against the opposite leg, and against the lag that they have in the source."""
    plants = graft.base.plants
    assert plants is not None
    alone = graft.made.frames[graft.made.shares >= 0.8]
    lags = measure_lags(graft.made.clip, plants, span=(int(alone[0]), int(alone[-1]) + 1))
    own = None if graft.source.plants is None else measure_lags(graft.source.clip, graft.source.plants)
    known = own is not None and own.known().any()
    return {"in_step": lag_error(lags), "like_source": lag_error(lags, own) if known else None}


def skate(clip: Clip, plants: FootPlants | None) -> float:
    """Millimetres that planted feet slip at most."""
    return float(check_clip(clip, None, plants).measures["skate_mm_max"] or 0.0)


def measure_locomotion(pairs: list[tuple[str, str]], types: dict[str, str]) -> list[dict[str, Any]]:
    """One row for every pair of walk and run."""
    rows = []
    for base, source in pairs:
        (a, pa), (b, pb) = recording(base), recording(source)
        kinds = types[base], types[source]
        row: dict[str, Any] = {"base": base, "source": source, "types": kinds}
        try:
            graft = build_graft(a, b, GraftParameters(map=True), pa, pb, types=kinds)
        except ReenactError as error:
            rows.append({**row, "refused": str(error)})
            continue
        count = min(len(a), round(len(b) * a.fps / b.fps))
        taken = min(round(count * b.fps / a.fps), len(b))
        plain = GraftParameters(map=True, base_range=f"0:{count}", source_range=f"0:{taken}")
        pasted = build_graft(a, b, plain, pa, pb, types=kinds)
        kept = [joint for joint in range(len(a.skeleton)) if joint not in graft.chosen.joints]
        exact = np.array_equal(graft.made.clip.rotations[:, kept], a.rotations[:, kept])
        rows.append(
            {
                **row,
                "graft": swing(graft),
                "paste": swing(pasted),
                "legs_exact": bool(exact and np.array_equal(graft.made.clip.root, a.root)),
                "skate_mm": [skate(a, pa), skate(graft.made.clip, pa)],
                "cover": len(graft.made.frames) / len(a),
                "speeds": graft.time.map.speeds,
            }
        )
    return rows


def measure_kinds(pairs: list[tuple[str, str]], types: dict[str, str]) -> list[dict[str, Any]]:
    """One row for every pair of any types: figures of every way to hold the upper body, and collisions of exchanged arms."""
    rows = []
    for base, source in pairs:
        (a, pa), (b, pb) = recording(base), recording(source)
        kinds = types[base], types[source]
        row: dict[str, Any] = {"base": base, "source": source, "types": kinds}
        try:
            for keep in KEEPS:
                graft = build_graft(a, b, GraftParameters(map=True, keep=keep), pa, pb, types=kinds)
                row[keep] = measure_believability(graft).describe()
            row["how"] = graft.time.map.how
            arms = build_graft(a, b, GraftParameters(map=True, keep="local", chains="arms"), pa, pb, types=kinds)
        except ReenactError as error:
            rows.append({**row, "refused": str(error)})
            continue
        safe, hit = find_safe_frames(arms), find_collisions(arms)
        row["arms"] = {
            "frames": len(hit),
            "hit": int(hit.sum()),
            "safe": int(safe.sum()),
            "safe_hit": int((hit & safe).sum()),
        }
        rows.append(row)
    return rows


def draw(pairs: list[tuple[str, str]], count: int, rng: np.random.Generator) -> list[tuple[str, str]]:
    """Some of the pairs."""
    chosen = rng.choice(len(pairs), min(count, len(pairs)), replace=False)
    return [pairs[int(n)] for n in sorted(chosen)]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=120, help="of each set")
    parser.add_argument("--seed", type=int, default=2009)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    found = classified()
    counts = collections.Counter(found.values())
    types = {name: kind for name, kind in found.items() if kind in CLASSES}
    print(f"{len(found)} recordings: {dict(counts)}; {count_allowed(counts)} pairs allowed")
    rng = np.random.default_rng(asked.seed)
    pairs = allowed_pairs(types)
    crossed = [(a, b) for a, b in pairs if {types[a], types[b]} == {"walk", "run"}]
    loco = measure_locomotion(draw(crossed, asked.pairs, rng), types)
    kinds = measure_kinds(draw(pairs, asked.pairs, rng), types)
    used = {row[end] for row in (*loco, *kinds) for end in ("base", "source")}
    print(f"{len(used)} recordings in {len(loco) + len(kinds)} pairs")
    good = [row for row in loco if "refused" not in row]
    print(f"walk and run: {len(loco)} pairs, {len(loco) - len(good)} refused")
    for what in ("in_step", "like_source"):
        both = [row for row in good if row["graft"][what] is not None and row["paste"][what] is not None]
        medians = {way: 100 * float(np.median([row[way][what] for row in both])) for way in ("graft", "paste")}
        print(
            f"  arms {what}: median {medians['graft']:.1f} % of a cycle, pasted {medians['paste']:.1f} %, the same {len(both)} pairs"
        )
    worse = sum(row["skate_mm"][1] > row["skate_mm"][0] + 1e-6 for row in good)
    exact = sum(row["legs_exact"] for row in good)
    print(f"  legs and root to the last bit: {exact} of {len(good)}; slip increased in {worse}")
    print(f"  replaced: median {100 * float(np.median([row['cover'] for row in good])):.0f} % of the base")
    fine = [row for row in kinds if "refused" not in row]
    print(f"all types: {len(kinds)} pairs, {len(kinds) - len(fine)} refused")
    for reason, count in collections.Counter(
        row["refused"] for row in (*loco, *kinds) if "refused" in row
    ).most_common():
        print(f"  refused {count}: {reason}")
    for keep in KEEPS:
        named = ("score", "lean_degrees", "balance_mm", "push", "collision")
        figures = "  ".join(f"{name} {np.median([row[keep][name] for row in fine]):.3g}" for name in named)
        mean = np.mean([row[keep]["collision"] for row in fine])
        print(f"  {keep:6s} medians: {figures}; mean collision {100 * mean:.2f} %")
    best = collections.Counter(max(KEEPS, key=lambda keep: row[keep]["score"]) for row in fine)
    print(f"  best score: {dict(best)}")
    for keep in KEEPS:
        passed = [row[keep]["collision"] for row in fine if row[keep]["safe"] >= SAFE_SHARE]
        every = [row[keep]["collision"] for row in fine]
        print(
            f"  {keep:6s} collisions: {100 * np.mean(every):.2f} % of the frames of all {len(every)} grafts, "
            f"{100 * np.mean(passed):.2f} % of the {len(passed)} that pass the screen"
        )
    total = {name: sum(row["arms"][name] for row in fine) for name in ("frames", "hit", "safe", "safe_hit")}
    print(
        f"  exchanged arms: limbs collide in {100 * total['hit'] / total['frames']:.2f} % of all frames, "
        f"in {100 * total['safe_hit'] / max(total['safe'], 1):.2f} % of the {total['safe']} safe ones"
    )
    if asked.json:
        asked.json.write_text(json.dumps({"locomotion": loco, "kinds": kinds}, indent=1))


if __name__ == "__main__":
    main()
