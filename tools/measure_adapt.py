"""The report of `reenact adapt` over many recordings, bodies and girths: cuts in the skin (by FCL), slides of planted feet, balance, how
far joints are turned and how hard they are pulled.

    python tools/measure_adapt.py CHARACTER.glb --clips 30 --girths 0.8,1,1.2,1.4,1.6 --rows rows.jsonl

Needs python-fcl and the recordings (REENACT_DATA). Clips are drawn by a fixed seed; what is refused is said. Rows are written as they come,
and those that are in the file already are not worked out again. Nothing is set by hand for any clip.
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

from reenact.adapt.adaptation import adapt_mapped
from reenact.adapt.balance import measure_balance
from reenact.adapt.contact_body import contact_body
from reenact.adapt.parameters import AdaptParameters
from reenact.analysis.plants import find_plants
from reenact.body.growth import GrowthParameters, grow
from reenact.body.standing import standing_still
from reenact.core import rotations as R
from reenact.core.role_finding import assign_roles
from reenact.errors import ReenactError
from reenact.loading import load, load_all
from reenact.solve.feet import find_feet
from reenact.solve.planted_points import measure_slips
from reenact.solve.skeleton_map import map_with_plants

SEED = 14
LONGEST, SHORTEST = 1500, 90  # frames
FLIGHT = 0.15  # seconds without a planted foot, from which on a clip is said to hold flight
ALL = "arms,forearms,legs,collisions,feet,balance"


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
    parser.add_argument("--every", type=int, default=1, help="only every n-th of them")
    parser.add_argument("--girths", default="0.8,1,1.2,1.4,1.6")
    parser.add_argument("--still-joints", action="store_true")
    parser.add_argument("--stages", default=ALL)
    parser.add_argument("--method", default="space-time")
    parser.add_argument("--poses", type=int, default=40, help="poses of each clip in which cuts are counted")
    parser.add_argument("--file", action="append", type=Path, help="these clips instead")
    parser.add_argument("--rows", type=Path, help="rows as JSON, one in a line; added to")
    asked = parser.parse_args()
    folder = Path(os.environ.get("REENACT_DATA", "shared/data"))
    files = (asked.file or draw_clips(folder, asked.clips))[:: asked.every]
    rows = [json.loads(line) for line in asked.rows.read_text().splitlines()] if _there(asked.rows) else []
    known = {(row["body"], row["clip"], row["girth"]) for row in rows}
    slim = next(one for one in load_all(asked.character).characters if len(one.faces))
    slim_still = standing_still(assigned(slim))
    girths = [float(word) for word in asked.girths.split(",")]
    how = AdaptParameters(method=asked.method, stages=asked.stages)
    for girth in girths:
        missing = [file for file in files if (asked.character.stem, file.stem, girth) not in known]
        if not missing:
            continue
        body = assigned(grow(slim, GrowthParameters(girth=girth, joints=not asked.still_joints)))
        tools = (body, contact_body(body), SkinCuts(body), standing_still(body), assigned(slim), slim_still)
        for file in missing:
            row: dict = {"body": asked.character.stem, "clip": file.stem, "girth": girth}
            try:
                row |= measure(file, tools, how, asked.poses)
            except ReenactError as error:
                row["refused"] = str(error)
            rows.append(row)
            print(told(row), flush=True)
            if asked.rows:
                with asked.rows.open("a") as out:
                    out.write(json.dumps(row) + "\n")
    here = [row for row in rows if row["body"] == asked.character.stem]
    for girth in girths:
        summary([row for row in here if row["girth"] == girth], f"girth {girth}")
    summary(here, "all")
    return 0


def _there(path: Path | None) -> bool:
    return path is not None and path.exists()


def assigned(character):
    """A character whose joints have roles."""
    from dataclasses import replace

    return replace(character, skeleton=assign_roles(character.skeleton)[0])


def measure(file, tools, asked, poses) -> dict:
    """What one adaptation does."""
    body, contact, cuts, still, slim, slim_still = tools
    clip = load(file)
    plants = find_plants(clip)
    source, held = map_with_plants(clip, still, plants)
    there, there_held = map_with_plants(clip, slim_still, plants)
    recorded = measure_balance(there, slim, there_held) if there_held is not None else None
    begin = time.process_time()
    made = adapt_mapped(source, body, contact, asked, held, recorded)
    spent = time.process_time() - begin
    frames = np.linspace(0, len(source) - 1, min(poses, len(source))).astype(int)
    both = [cuts.count(one, frames) for one in (source, made.clip)]
    row = {
        "frames": len(source),
        "flight": longest_flight(plants),
        "cuts": [sum(v[0] for v in one.values()) for one in both],
        "folds": [sum(v[1] for v in one.values()) for one in both],
        "pairs": {name: [one[name][0] for one in both] for name in both[0] if any(one[name][0] for one in both)},
        "finite": bool(np.isfinite(made.clip.rotations).all() and np.isfinite(made.clip.root).all()),
        "ms_per_frame": round(1000 * spent / len(source), 2),
    }
    row |= joints(source, made)
    if made.plants is not None:
        free, _ = map_with_plants(clip, still, None)  # the motion as it is, without anything that holds a foot
        off = made.corrections.without(*{layer.name for layer in made.corrections.layers if layer.name == "feet"})
        row |= slides({"free": free, "held": source, "limbs": off.apply(source), "fitted": made.clip}, made.plants)
        row["planted"] = round(float(np.mean(made.plants.left.plant | made.plants.right.plant)), 3)
        if held is not None:
            shares = [float(sum(p.foot(side).plant.sum() for side in ("left", "right"))) for p in (held, made.plants)]
            row["plants_kept"] = round(shares[1] / max(shares[0], 1.0), 4)
    if made.balance:
        row["balance_cm"] = [round(100 * one.mean, 3) for one in made.balance]
    return row


def longest_flight(plants) -> float:
    """Seconds in which no foot is planted."""
    if plants is None:
        return 0.0
    stands = np.flatnonzero(np.concatenate([[True], plants.left.plant | plants.right.plant, [True]]))
    return round(float(np.diff(stands).max() - 1) / plants.fps, 2)


def slides(clips, plants) -> dict:
    """Of each motion, millimetres: how far planted points get in their plants, and what way they go, both summed; the farthest of one."""
    found = {}
    for name, clip in clips.items():
        rows = measure_slips(clip, plants, feet=find_feet(clip.skeleton, clip))
        found[name] = [round(sum(r[key] for r in rows), 1) for key in ("slip_mm", "way_mm")]
        found[name].append(max((r["slip_mm"] for r in rows), default=0.0))
    return {"slides": found}


def joints(source, made) -> dict:
    """How far joints are turned, which are untouched, and how hard they are accelerated against the motion as it was."""
    names = source.skeleton.names
    named = set(made.corrections.joints())
    turned, untouched = {}, True
    for joint, name in enumerate(names):
        here, there = source.rotations[:, joint], made.clip.rotations[:, joint]
        if np.array_equal(here, there):
            continue
        untouched &= name in named
        angles = R.angle_between(here.astype(np.float64), there.astype(np.float64))
        turned[name] = round(float(np.degrees(np.sqrt(np.mean(angles**2)))), 3)
    hard = {}
    worlds = [clip.world(np.float64).positions for clip in (source, made.clip)]
    for role in ("hand", "lower_arm", "lower_leg", "foot"):
        for side in ("left", "right"):
            if f"{side}_{role}" in source.skeleton.roles:
                joint = source.skeleton.roles[f"{side}_{role}"]
                pulls = [
                    np.linalg.norm(np.diff(one[:, joint], 2, axis=0), axis=1) * source.fps**2
                    if len(one) > 2
                    else np.zeros(1)
                    for one in worlds
                ]
                hard[f"{side}_{role}"] = [
                    round(float(f(one)), 2) for f in (np.max, lambda p: np.sqrt(np.mean(p**2))) for one in pulls
                ]
    return {"turned": turned, "untouched_are_same": bool(untouched), "pulls": hard}


def told(row: dict) -> str:
    """A row for people."""
    if "refused" in row:
        return f"{row['clip']:8s} {row['girth']:.1f}  refused: {row['refused']}"
    most = max(row["turned"].items(), key=lambda item: item[1], default=("", 0.0))
    worst = max(row["pairs"].items(), key=lambda item: item[1][1], default=("", [0, 0]))
    ways = "  slip " + " ".join(f"{name} {one[0]:.0f}" for name, one in row.get("slides", {}).items())
    weigh = "  balance " + " ".join(f"{one:.2f}" for one in row.get("balance_cm", ()))
    pull = max((one[1] / max(one[0], 20.0) for one in row["pulls"].values()), default=0.0)
    return (
        f"{row['clip']:8s} {row['girth']:.1f} {row['frames']:5d} frames  cuts {row['cuts'][0]:6d} -> {row['cuts'][1]:5d}{ways}{weigh}"
        f"  {most[0]} {most[1]:.1f} deg  pulls x{pull:.1f}  {row['ms_per_frame']:.1f} ms  left: {worst[0]} {worst[1][1]}"
    )


def summary(rows: list[dict], name: str) -> None:
    """What rows come to."""
    done = [row for row in rows if "refused" not in row]
    if not done:
        return
    cuts = np.array([row["cuts"] for row in done]).sum(axis=0)
    angles = np.array([angle for row in done for angle in row["turned"].values()])
    rms = float(np.sqrt(np.mean(angles**2))) if len(angles) else 0.0
    clip_rms = [float(np.sqrt(np.mean(np.square(list(row["turned"].values()))))) for row in done if row["turned"]]
    lines = [
        f"== {name}: {len(done)} done, {len(rows) - len(done)} refused, {sum(row['flight'] > FLIGHT for row in done)} with flight",
        f"   cuts {cuts[0]} -> {cuts[1]} (down {_down(*cuts)})",
        f"   turned joints rms {rms:.2f} degrees, worst clip {max(clip_rms, default=0):.1f}, "
        f"{100 * np.mean(angles > 10) if len(angles) else 0:.0f} % more than 10; "
        f"others the same to the bit: {all(row['untouched_are_same'] for row in done)}; all finite: {all(row['finite'] for row in done)}",
    ]
    slid = [row["slides"] for row in done if "slides" in row]
    if slid:
        keys = ("free", "held", "limbs", "fitted")
        slip, way = ({key: sum(one[key][n] for one in slid) for key in keys} for n in (0, 1))
        far = {key: max(one[key][2] for one in slid) for key in keys}
        lines.append(
            "   planted feet slide "
            + ", ".join(
                f"{key} {slip[key] / 1000:.2f} m (way {way[key] / 1000:.2f} m, worst {far[key]:.1f} mm)" for key in keys
            )
            + f"; down {_down(slip['free'], slip['fitted'])} (way {_down(way['free'], way['fitted'])})"
            + f"; plants kept {min(row.get('plants_kept', 1.0) for row in done):.3f} at least, "
            + f"{np.mean([row.get('plants_kept', 1.0) for row in done]):.4f} on average"
        )
    known = np.array([row["balance_cm"] for row in done if "balance_cm" in row])
    if len(known):
        mean = known.mean(axis=0)
        lines.append(
            f"   balance recorded {mean[0]:.2f} cm, limbs apart {mean[1]:.2f}, balanced {mean[2]:.2f}; farther out than recorded "
            f"by more than 1 mm in {int(np.sum(known[:, 2] > known[:, 0] + 0.1))} of {len(known)}"
        )
    pulls = np.array([one for row in done for one in row["pulls"].values()])
    if len(pulls):
        ratio = pulls[:, 1] / np.maximum(pulls[:, 0], 20.0)
        lines.append(
            f"   hardest accelerations of hands, elbows, knees, feet: median x{np.median(ratio):.2f}, "
            f"95 % below x{np.quantile(ratio, 0.95):.2f}, worst x{ratio.max():.1f}; "
            f"median {np.median([row['ms_per_frame'] for row in done]):.2f} ms a frame"
        )
    print("\n".join(lines))


def _down(before: float, after: float) -> str:
    return f"{100 * (1 - after / before) if before else 0:.1f} %"


if __name__ == "__main__":
    raise SystemExit(main())
