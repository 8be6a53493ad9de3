"""Every skeleton of the corpus on every character: slip, soles, bones, places of hands and feet; refusals are counted and said.

python tools/measure_retarget_matrix.py [--longest 600] [--json FILE] [--markdown FILE] [--only WORD]

Skeletons: every file in $REENACT_DATA (else ../shared/data) that a reader reads; files with the same joints are one skeleton, of which the
longest clip is taken, its first frames. Characters: every character with a mesh in the corpus, and two generated people. Rows of people on
people, animals on animals and the one on the other stand apart. For each pair:

- slip: mm, the 95th percentile over plants of how far two places of a planted point of the sole lie apart while it is held; of a body
  with legs of 0.85 m (others are scaled to that)
- sole: mm, likewise, how high heel and ball of a planted foot are above the floor: the median, and the 95th percentile of the distance
- bones: degrees between the directions of limbs and those of the source, the median over bones of the mean over frames
- feet: per cent of the leg, how far ankles are from where the source's are, seen from between the hips, scaled by the legs; mean
- hands: likewise wrists, seen from between the shoulders, scaled by the arms, of the arm
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
from retarget_sheet import corpus

from reenact.analysis.carried_plants import known_plants
from reenact.body.character import Character
from reenact.body.humanoid import humanoid
from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip, World
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import FootPlants
from reenact.errors import ReenactError
from reenact.loading import load_all
from reenact.solve.feet import track_foot
from reenact.solve.loose_feet import hang_clip
from reenact.solve.planted_points import measure_slips
from reenact.solve.retargeting import reach_of, retarget_motion, with_feet
from reenact.solve.standing_pose import goes_on_four, standing_pose
from reenact.solve.target_body import TargetBody, body_of_character

_ENDINGS = (".bvh", ".amc", ".glb", ".gltf", ".txt", ".csv", ".npz", ".fbx", ".dae", ".c3d")
_LEG = 0.85  # metres, of the body that millimetres are told for
_BONES = (
    ("upper_arm", "lower_arm"),
    ("lower_arm", "hand"),
    ("upper_leg", "lower_leg"),
    ("lower_leg", "foot"),
)


def skeletons_of(folder: Path, longest: int, only: str = "") -> tuple[list[Clip], int, list[str]]:
    """One clip for each set of joints, how many files were read, and what could not be."""
    found: dict[tuple[str, ...], Clip] = {}
    refused, read = [], 0
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() not in _ENDINGS or not path.is_file() or only not in str(path):
            continue
        try:
            clips = load_all(path).clips
        except (ReenactError, OSError) as error:
            refused.append(f"{path.relative_to(folder)}: {error}"[:160])
            continue
        read += 1
        for clip in clips:
            key = clip.skeleton.names
            if len(clip) >= 2 and (key not in found or len(found[key]) < min(len(clip), longest)):
                stem = path.stem if len(clips) == 1 else f"{path.stem}#{clip.name}"
                found[key] = cut_frames(clip, 0, min(len(clip), longest)).renamed(stem)
    return list(found.values()), read, refused


def characters_of(folder: Path) -> list[tuple[str, Character]]:
    """Characters with a mesh that is a body."""
    found = []
    for path in sorted((folder / "characters").rglob("*")):
        if path.suffix.lower() not in (".glb", ".gltf", ".fbx", ".obj"):
            continue
        try:
            people = load_all(path).characters
        except (ReenactError, OSError):
            continue
        found += [(path.stem, one) for one in people if len(one.vertices) and len(one.skeleton) > 2]
    return [*found, *((f"generated {one}", humanoid(preset=one)) for one in ("adult", "chibi"))]


def measure(clip: Clip, plants: FootPlants | None, body: TargetBody) -> dict[str, Any]:
    """The figures of one pair."""
    made = retarget_motion(clip, body, plants)
    on_legs = made.clip if body.hung is None else hang_clip(made.clip, body.hung)
    source = with_feet(clip)
    scale = _LEG / reach_of(on_legs)
    told: dict[str, Any] = {"sure": made.report["sure"], "frames": len(clip)}
    if made.plants is not None and body.feet:
        slips = [slip["slip_mm"] * scale for slip in measure_slips(on_legs, made.plants, feet=body.feet)]
        heights = _sole_heights(on_legs, made.plants, body) * scale * 1000
        told["slip"] = round(float(np.percentile(slips, 95)), 2) if slips else None
        told["sole"] = round(float(np.median(heights)), 1) if len(heights) else None
        told["sole_95"] = round(float(np.percentile(np.abs(heights), 95)), 1) if len(heights) else None
    worlds = source.world(np.float64), on_legs.world(np.float64)
    skeletons = source.skeleton, on_legs.skeleton
    angles = []
    for side in ("left", "right"):
        for near, far in _BONES:
            if all(one.has_roles(f"{side}_{near}", f"{side}_{far}") for one in skeletons):
                ways = [
                    R.normalize(
                        world.positions[:, one.roles[f"{side}_{far}"]] - world.positions[:, one.roles[f"{side}_{near}"]]
                    )
                    for one, world in zip(skeletons, worlds, strict=True)
                ]
                dots = np.clip(np.einsum("fi,fi->f", *ways), -1, 1)
                angles.append(float(np.degrees(np.arccos(dots)).mean()))
    told["bones"] = round(float(np.median(angles)), 1) if angles else None
    for what, tops, ends in (("feet", "upper_leg", "foot"), ("hands", "upper_arm", "hand")):
        told[what] = _places_off(source, on_legs, worlds, tops, ends)
    return told


def _sole_heights(clip: Clip, plants: FootPlants, body: TargetBody) -> Float:
    """Metres of planted heels and balls above the floor at height 0."""
    world, found = clip.world(np.float64), [np.zeros(0)]
    for foot in body.feet:
        track, contact = track_foot(world, foot), plants.foot(foot.side)
        found += [track.heel[contact.heel, 1], track.ball[contact.ball, 1]]
    return np.concatenate(found)


def _places_off(source: Clip, made: Clip, worlds: tuple[World, World], top: str, end: str) -> float | None:
    """Per cent of the limb's length: mean distance of its end from the source's, seen from between both tops, scaled by the limbs."""
    ways, lengths = [], []
    for clip, world in zip((source, made), worlds, strict=True):
        roles = clip.skeleton.roles
        if not clip.skeleton.has_roles(*(f"{side}_{part}" for side in ("left", "right") for part in (top, end))):
            return None
        middle = 0.5 * (world.positions[:, roles[f"left_{top}"]] + world.positions[:, roles[f"right_{top}"]])
        ends = np.stack([world.positions[:, roles[f"{side}_{end}"]] - middle for side in ("left", "right")], axis=1)
        chain = clip.skeleton.ancestors(roles[f"left_{end}"])
        bones = chain[: chain.index(roles[f"left_{top}"])] if roles[f"left_{top}"] in chain else chain[:2]
        lengths.append(float(np.linalg.norm(clip.skeleton.offsets[list(bones)], axis=1).sum()))
        ways.append(ends)
    off = np.linalg.norm(ways[1] - ways[0] * (lengths[1] / lengths[0]), axis=2)
    return round(100 * float(off.mean()) / lengths[1], 1)


def main() -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--longest", type=int, default=600)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    folder = corpus()
    clips, read, refused = skeletons_of(folder, asked.longest, asked.only)
    people = [(name, body_of_character(one)) for name, one in characters_of(folder)]
    print(
        f"{len(clips)} skeletons in {read} files, {len(people)} characters, {len(refused)} files not read", flush=True
    )
    rows: list[dict[str, Any]] = []
    started = time.perf_counter()
    for clip in clips:
        try:
            plants = known_plants(with_feet(clip), None, wanted=True)
        except ReenactError:
            plants = None
        for name, body in people:
            four = goes_on_four(standing_pose(clip) or clip), goes_on_four(body.clip)
            kinds = "across" if four[0] != four[1] else "animals on animals" if four[0] else "people on people"
            row: dict[str, Any] = {"motion": clip.name, "joints": len(clip.skeleton), "character": name, "kinds": kinds}
            try:
                row |= measure(clip, plants, body)
            except ReenactError as error:
                row["refused"] = str(error)
            rows.append(row)
    done = [row for row in rows if "refused" not in row]
    print(f"{len(done)} of {len(rows)} pairs in {time.perf_counter() - started:.0f} s")
    lines = [
        "| character | pairs | refused | slip | sole | sole 95 % | bones | feet | hands |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    by_who: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_who[row["character"]].append(row)
    by_kind = [
        (kind, [row for row in rows if row["kinds"] == kind])
        for kind in ("people on people", "animals on animals", "across")
    ]
    for name, own in [*by_who.items(), *by_kind, ("all", rows)]:
        kept = [row for row in own if "refused" not in row]
        cells = [_cell(kept, key) for key in ("slip", "sole", "sole_95", "bones", "feet", "hands")]
        lines.append(f"| {name} | {len(own)} | {len(own) - len(kept)} | {' | '.join(cells)} |")
    print("\n".join(lines))
    reasons: dict[str, int] = defaultdict(int)
    for row in rows:
        if "refused" in row:
            reasons[f"{row['motion']}: {row['refused'].partition(';')[0][:150]}"] += 1
    for reason, count in sorted(reasons.items()):
        print(f"refused {count}: {reason}")
    for key in ("slip", "sole_95", "bones", "feet", "hands"):
        worst = sorted((row for row in done if row.get(key) is not None), key=lambda row: -row[key])[:6]
        print(f"worst {key}: " + ", ".join(f"{row['motion']} > {row['character']} {row[key]}" for row in worst))
    if asked.json:
        asked.json.write_text(json.dumps({"rows": rows, "not_read": refused}, indent=1))
    if asked.markdown:
        asked.markdown.write_text("\n".join(lines) + "\n")
    return 0


def _cell(rows: list[dict[str, Any]], key: str) -> str:
    """Median and 95th percentile over the pairs."""
    values = [row[key] for row in rows if row.get(key) is not None]
    return f"{np.median(values):.1f} / {np.percentile(values, 95):.1f}" if values else "-"


if __name__ == "__main__":
    sys.exit(main())
