"""Twelve characters and twenty recordings: what retargeted motions are worth, by the figures of `reenact check --against`.

python tools/measure_retarget_people.py [--clips 20] [--seed 13] [--longest 8] [--markdown FILE] [--json FILE]

Characters: the five humanoid ones of the corpus and seven generated presets. Recordings: BVH files of the CMU folder in $REENACT_DATA (else
../shared/data) that are at least 1 s long and have planted feet, drawn with a seeded generator; the first seconds of long ones. The
figures:

- slip: mm, farthest two places of a point of the target's sole lie apart while it is held, of every plant: median, 95th percentile, worst
- sole: mm, planted heels and balls above the floor, every frame: the 5th and 95th percentiles, and the share within 5 mm
- held: per cent of the planted time of the recording in which feet are held
- acceleration: the hardest push of a joint as a multiple of the same joint's where the bones of that body are turned as the recording's
  and nothing else is done (`check --against`): median, 95th percentile, worst over the pairs, and the share of pairs up to 1.3. Against
  the recording itself a body with long arms or a large head is pushed harder by as much as they are longer, whatever is done
- deep: mm, how deep the skin but for feet and hands goes into the floor
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from retarget_sheet import CHARACTERS, corpus

import reenact
from reenact.analysis.carried_plants import known_plants
from reenact.body.character import Character
from reenact.body.humanoid import HumanoidParameters, humanoid
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import FootPlants
from reenact.loading import load_all
from reenact.solve.feet import track_foot
from reenact.solve.loose_feet import hang_clip
from reenact.solve.planted_points import measure_slips
from reenact.solve.resting import BODY
from reenact.solve.result_matching import measure_against
from reenact.solve.retargeting import flesh_of_body, reach_of, retarget_motion
from reenact.solve.target_body import TargetBody, body_of_character

PRESETS = ("adult", "woman", "child", "toddler", "heavy", "giant", "chibi")


def drawn_clips(folder: Path, count: int, seed: int, longest: float) -> list[tuple[Clip, FootPlants]]:
    """Recordings with planted feet, drawn with a seed."""
    files = sorted((folder / "cmu-bvh").glob("*.bvh"))
    found: list[tuple[Clip, FootPlants]] = []
    for place in np.random.default_rng(seed).permutation(len(files)):
        clip = reenact.load(files[place])
        if clip.seconds < 1.0:
            continue
        clip = cut_frames(clip, 0, min(len(clip), round(longest * clip.fps))).renamed(files[place].stem)
        plants = known_plants(clip, None, wanted=True)
        if plants is not None and plants.left.plant.any() and plants.right.plant.any():
            found.append((clip, plants))
        if len(found) == count:
            break
    return found


def people(folder: Path) -> list[tuple[str, Character]]:
    """The characters."""
    known = [(Path(name).stem, load_all(folder / name).characters[0]) for name in CHARACTERS]
    return known + [(f"generated {one}", humanoid(HumanoidParameters(preset=one))) for one in PRESETS]


def measure(clip: Clip, plants: FootPlants, body: TargetBody) -> dict[str, Any]:
    """The figures of one pair."""
    made = retarget_motion(clip, body, plants)
    on_legs = made.clip if body.hung is None else hang_clip(made.clip, body.hung)
    assert made.plants is not None
    world = on_legs.world(np.float64)
    heights = [np.zeros(0)]
    for foot in body.feet:
        track, contact = track_foot(world, foot), made.plants.foot(foot.side)
        heights += [track.heel[contact.heel, 1], track.ball[contact.ball, 1]]
    held = sum(int(made.plants.foot(foot.side).plant.sum()) for foot in body.feet)
    planted = sum(int(plants.foot(foot.side).plant.sum()) for foot in body.feet)
    low = flesh_of_body(body, reach_of(on_legs)).lowest(world, BODY)
    carried = retarget_motion(clip, body, None, floor=False, hands="off").clip
    carried = carried if body.hung is None else hang_clip(carried, body.hung)
    against = measure_against(on_legs, None, [carried])
    return {
        "slips": [slip["slip_mm"] for slip in measure_slips(on_legs, made.plants, feet=body.feet)],
        "heights": (1000 * np.concatenate(heights)).round(2).tolist(),
        "held": 100 * held / max(planted, 1),
        "acceleration": against.acceleration,
        "joint": against.joint,
        "deep": float(max(0.0, -1000 * low.min())),
    }


def main() -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clips", type=int, default=20)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--longest", type=float, default=8.0)
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    folder = corpus()
    clips = drawn_clips(folder, asked.clips, asked.seed, asked.longest)
    print(", ".join(clip.name for clip, _ in clips), flush=True)
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    started, frames = time.perf_counter(), 0
    for name, person in people(folder):
        body = body_of_character(person)
        for clip, plants in clips:
            rows[name].append({"clip": clip.name, **measure(clip, plants, body)})
            frames += len(clip)
    print(f"{sum(map(len, rows.values()))} pairs, {frames} frames in {time.perf_counter() - started:.0f} s")
    lines = [
        "| character | slip mm: median / 95 % / worst | sole mm: 5 % / 95 %, within 5 mm | held % "
        "| acceleration: median / 95 % / worst, up to 1.3 | deep mm |",
        "|---|---|---|---|---|---|",
    ]
    for name, own in [*rows.items(), ("all", [row for every in rows.values() for row in every])]:
        slips = np.concatenate([row["slips"] for row in own])
        heights = np.concatenate([row["heights"] for row in own])
        pushes = np.array([row["acceleration"] for row in own])
        cells = [
            " / ".join(f"{value:.1f}" for value in (np.median(slips), np.percentile(slips, 95), slips.max())),
            f"{np.percentile(heights, 5):.1f} / {np.percentile(heights, 95):.1f}, {100 * np.mean(np.abs(heights) <= 5):.1f} %",
            f"{np.mean([row['held'] for row in own]):.0f}",
            " / ".join(f"{value:.2f}" for value in (np.median(pushes), np.percentile(pushes, 95), pushes.max()))
            + f", {100 * np.mean(pushes <= 1.3):.0f} %",
            f"{max(row['deep'] for row in own):.0f}",
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    print("\n".join(lines))
    worst = sorted(
        ((row["acceleration"], row["joint"], name, row["clip"]) for name, own in rows.items() for row in own)
    )
    print("hardest: " + ", ".join(f"{clip} > {name} {ratio:.2f} ({joint})" for ratio, joint, name, clip in worst[-12:]))
    if asked.markdown:
        asked.markdown.write_text("\n".join(lines) + "\n")
    if asked.json:
        asked.json.write_text(json.dumps(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
