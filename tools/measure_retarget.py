"""Motions of one subject on the skeleton of another: floor, planted heights, foot pitch, accelerations, slip and knees of the results.

python tools/measure_retarget.py [--pairs 120] [--seed 9] [--longest 15] [--json FILE] [--worst 5]

The recordings are the BVH files of the CMU folder in $REENACT_DATA, else ../shared/data. The rule: a pair is two recordings of different
subjects (and so with other offsets), each at least 1 s long and with both feet planted at some time, drawn with a seeded generator; the
first is brought onto the skeleton of the second. Of longer sources the first seconds are taken.

What is measured, for every pair (floor, acceleration, knees) or every plant (the others):

- floor: the level of the balls (the height that 5 % of a clip's frames stay below) in the result against that in the target, mm
- height: median height of a planted ball or heel above how it stands (`analysis.foot_stance`), against the source's, mm
- pitch: median pitch of a planted foot (ankle to ball) against the pitch it stands with, in the result and in the source, degrees. What a
  foot stands with is told three times: as the mapping takes it (`analysis.foot_stance`); by the stillest tenth of the frames in which its
  ball is low, which a motion on tiptoe misleads; and by the median of those over all other recordings of the subject, whose markers sat
  elsewhere on other days
- acceleration: the largest of a joint over the largest of the same joint in the source, scaled; glitches of the source are allowed where
  they are played (`solve.joint_pushes`), or anywhere
- slip: farthest two places of a point lie apart while it is held, mm; a plant that cannot be held without a jolt is cut short, which is
  counted
- leg: change of the directions of thighs and shanks, mean of a clip, degrees
- body: farthest the hips are from the scaled way of the source's over the floor, mm
- knee: change of the knees' angles, degrees: the largest of a clip, and the median
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import reenact
from reenact.analysis.carried_plants import known_plants
from reenact.analysis.foot_stance import find_stances
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames, leg_length
from reenact.core.foot_plants import FootPlants, intervals_of
from reenact.solve.bringing import bring_onto
from reenact.solve.feet import Foot, FootTrack, find_feet, track_foot
from reenact.solve.joint_pushes import LEAST_PUSH, around, joint_pushes, usual_pushes
from reenact.solve.planted_points import measure_slips

_SHORTEST = 1.0  # seconds
_LEVEL = 5.0  # per cent
_LEAST_PLANT = 0.05  # seconds


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """A clip with its feet."""

    clip: Clip
    plants: FootPlants
    feet: tuple[Foot, ...]
    tracks: dict[str, FootTrack]

    @classmethod
    def of(cls, clip: Clip, plants: FootPlants, like: Clip | None = None) -> Motion:
        """A clip seen with the foot points of `like` (itself)."""
        feet, world = find_feet(clip.skeleton, clip if like is None else like), clip.world(np.float64)
        return cls(clip, plants, feet, {foot.side: track_foot(world, foot) for foot in feet})

    def level(self, side: str, point: str) -> float:
        """Metres, the height above which a point of the feet mostly stays."""
        return float(np.percentile(getattr(self.tracks[side], point)[:, 1], _LEVEL))

    def pitch(self, side: str) -> Float:
        """(F,) degrees that the way from ankle to ball rises."""
        way = self.tracks[side].ball - self.tracks[side].ankle
        return np.degrees(np.arcsin(np.clip(way[:, 1] / np.linalg.norm(way, axis=1), -1, 1)))

    def standing_pitch(self, side: str) -> float:
        """Degrees, the pitch of a foot where it is stillest while its ball is low."""
        track = self.tracks[side]
        speed = sum(np.linalg.norm(np.gradient(path, axis=0), axis=1) for path in (track.ankle, track.ball))
        low = np.flatnonzero(track.ball[:, 1] < np.percentile(track.ball[:, 1], 35) + 0.01)
        still = low[np.argsort(np.asarray(speed)[low])[: max(5, len(low) // 10)]]
        return float(np.median(self.pitch(side)[still]))

    def knees(self) -> Float:
        """(F, feet) degrees."""
        places = self.clip.world(np.float64).positions
        found = []
        for foot in self.feet:
            thigh, shank = (
                places[:, foot.leg.mid] - places[:, foot.leg.root],
                places[:, foot.leg.end] - places[:, foot.leg.mid],
            )
            cosine = np.einsum("fi,fi->f", thigh, shank) / (
                np.linalg.norm(thigh, axis=1) * np.linalg.norm(shank, axis=1)
            )
            found.append(np.degrees(np.arccos(np.clip(cosine, -1, 1))))
        return np.stack(found, axis=1)

    def leg_bones(self) -> Float:
        """(F, feet, 2, 3) unit directions of thighs and shanks."""
        places = self.clip.world(np.float64).positions
        chains = np.array([(foot.leg.root, foot.leg.mid, foot.leg.end) for foot in self.feet])
        ways = np.diff(places[:, chains], axis=2)
        return ways / np.linalg.norm(ways, axis=3, keepdims=True)


class Recordings:
    """Recordings by number, loaded when first asked for, and how the feet of every subject stand."""

    def __init__(self, files: list[Path]) -> None:
        self.files = files
        self._known: dict[int, Motion | None] = {}
        self._standing: dict[tuple[str, str], list[tuple[int, float]]] | None = None

    def subject(self, number: int) -> str:
        """The part of the name that tells who moves."""
        return self.files[number].stem.split("_")[0]

    def get(self, number: int) -> Motion | None:
        """A recording; None for one that is too short or never plants a foot."""
        if number not in self._known:
            clip = reenact.load(self.files[number])
            found = None
            if clip.seconds >= _SHORTEST and clip.skeleton.has_roles("left_foot", "right_foot"):
                plants = known_plants(clip, None)
                if plants is not None and plants.left.plant.any() and plants.right.plant.any():
                    found = Motion.of(clip, plants)
            self._known[number] = found
        return self._known[number]

    def standing_pitch(self, number: int, side: str) -> float:
        """Degrees: how a subject's foot stands in the subject's other recordings; in this one where there are fewer than three others."""
        if self._standing is None:
            self._standing = defaultdict(list)
            for other in range(len(self.files)):
                motion = self.get(other)
                for foot in () if motion is None else motion.feet:
                    assert motion is not None
                    self._standing[self.subject(other), foot.side].append((other, motion.standing_pitch(foot.side)))
        others = [pitch for other, pitch in self._standing[self.subject(number), side] if other != number]
        own = self.get(number)
        assert own is not None
        return float(np.median(others)) if len(others) >= 3 else own.standing_pitch(side)


def corpus_files() -> list[Path]:
    """BVH recordings of the CMU folder, sorted by name."""
    folder = Path(os.environ.get("REENACT_DATA") or Path(__file__).parents[2] / "shared" / "data")
    files = sorted(folder.glob("cmu-bvh/*.bvh"))
    if not files:
        sys.exit(f"no recordings in {folder}: set REENACT_DATA")
    return files


def draw_pairs(recordings: Recordings, count: int, seed: int) -> list[tuple[int, int]]:
    """Pairs of recordings of different subjects."""
    rng, pairs = np.random.default_rng(seed), []
    while len(pairs) < count:
        i, j = (int(n) for n in rng.choice(len(recordings.files), 2, replace=False))
        if recordings.subject(i) == recordings.subject(j):
            continue
        if recordings.get(i) is not None and recordings.get(j) is not None:
            pairs.append((i, j))
    return pairs


def allowed_pushes(source: Motion) -> Float:
    """(F, J) m/s^2 that a joint is pushed by in the source: its hardest anywhere but for glitches, and a glitch where it is played."""
    return np.maximum(usual_pushes([source.clip]), around(joint_pushes(source.clip)))


def measure(source: Motion, target: Motion, result: Motion, standing: dict[str, tuple[float, float]]) -> dict[str, Any]:
    """The figures of one pair; `standing` has for each side the pitch of source and target as other recordings tell it."""
    scale = leg_length(target.clip) / leg_length(source.clip)
    sides = [foot.side for foot in result.feet]
    floor = np.mean([result.level(side, "ball") - target.level(side, "ball") for side in sides])
    heights: dict[str, list[float]] = {"ball": [], "heel": []}
    stands = find_stances(source.clip, source.plants), find_stances(target.clip, target.plants)
    pitches, own_pitches, others = [], [], []
    for side in sides:
        contact = source.plants.foot(side)
        for point in ("ball", "heel"):
            for start, end in intervals_of(getattr(contact, point)):
                if end - start < _LEAST_PLANT * source.clip.fps:
                    continue
                ours, theirs = (
                    float(np.median(getattr(motion.tracks[side], point)[start:end, 1])) for motion in (result, source)
                )
                floors = [of[side].level + (of[side].heel_above if point == "heel" else 0.0) for of in stands]
                heights[point].append(1000 * abs((ours - floors[1]) - (theirs - floors[0])))
        before, after = source.pitch(side), result.pitch(side)
        flat = stands[1][side].pitch - stands[0][side].pitch
        own = target.standing_pitch(side) - source.standing_pitch(side)
        told = standing[side][1] - standing[side][0]
        for start, end in contact.intervals():
            if end - start >= _LEAST_PLANT * source.clip.fps:
                change = float(np.median(after[start:end]) - np.median(before[start:end]))
                pitches.append(abs(change - np.degrees(flat)))
                own_pitches.append(abs(change - own))
                others.append(abs(change - told))
    here = joint_pushes(result.clip) / scale
    ratios = here / allowed_pushes(source)
    raw = here.max(axis=0) / np.maximum(joint_pushes(source.clip).max(axis=0), LEAST_PUSH)
    worst = int(np.argmax(ratios.max(axis=0)))
    turned = np.einsum("flbi,flbi->flb", result.leg_bones(), source.leg_bones())
    legs = np.degrees(np.arccos(np.clip(turned, -1, 1)))
    knees = np.abs(result.knees() - source.knees())
    slips = [slip["slip_mm"] for slip in measure_slips(result.clip, result.plants, feet=result.feet)]
    kept, were = (
        sum(int(getattr(of.plants.foot(side), point).sum()) for side in sides for point in ("heel", "ball"))
        for of in (result, source)
    )
    slips_before = [slip["slip_mm"] for slip in measure_slips(source.clip, source.plants, feet=source.feet)]
    return {
        "floor": 1000 * abs(float(floor)),
        "height": heights["ball"],
        "heel_height": heights["heel"],
        "pitch": pitches,
        "pitch_of_stillest": own_pitches,
        "pitch_by_others": others,
        "acceleration": float(ratios.max()),
        "joint": result.clip.skeleton.names[worst],
        "acceleration_raw": float(raw.max()),
        "slip": slips,
        "slip_before": slips_before,
        "let_go": 100.0 * (1.0 - kept / max(were, 1)),
        "leg": float(legs.mean()),
        "body": float(1000 * body_shift(source, result, scale)),
        "knee": float(knees.max()),
        "knee_median": float(np.median(knees)),
    }


def body_shift(source: Motion, result: Motion, scale: float) -> float:
    """Metres, the farthest that the body is from the scaled way of the source's over the floor, both taken from their means."""
    ways = []
    for motion, factor in ((source, scale), (result, 1.0)):
        hips = motion.clip.world(np.float64).positions[:, [foot.leg.root for foot in motion.feet]].mean(axis=1)
        ways.append(factor * (hips - hips.mean(axis=0))[:, [0, 2]])
    return float(np.linalg.norm(ways[1] - ways[0], axis=1).max())


MEASURES = {
    "floor": "floor mm",
    "height": "planted ball's height mm",
    "heel_height": "planted heel's height mm",
    "pitch": "pitch degrees",
    "pitch_of_stillest": "pitch, by the stillest frames",
    "pitch_by_others": "pitch, by the subjects' other recordings",
    "acceleration": "acceleration",
    "acceleration_raw": "acceleration, glitches allowed anywhere",
    "slip": "slip mm",
    "slip_before": "slip mm in the source",
    "let_go": "planted time that is not held, per cent",
    "leg": "directions of leg bones, mean degrees",
    "body": "way of the body over the floor, largest mm",
    "knee": "knee degrees, largest",
    "knee_median": "knee degrees, median",
}


def print_table(rows: list[dict[str, Any]], worst: int) -> None:
    """The table of the documentation, and the pairs that are worst."""
    print("| measure | median | 95 % | worst | n |\n|---|---|---|---|---|")
    for name, title in MEASURES.items():
        values = np.array([value for row in rows for value in np.atleast_1d(row[name]) if np.isfinite(value)] or [0.0])
        middle, high = np.percentile(values, [50, 95])
        print(f"| {title} | {middle:.2f} | {high:.2f} | {values.max():.2f} | {len(values)} |")
    for name in ("floor", "height", "heel_height", "pitch", "pitch_by_others", "acceleration") if worst else ():
        ranked = sorted(rows, key=lambda row: -float(np.max(row[name], initial=0.0)))[:worst]
        told = ", ".join(
            f"{row['source']} on {row['target']} {float(np.max(row[name], initial=0.0)):.2f}"
            + (f" ({row['joint']})" if name == "acceleration" else "")
            for row in ranked
        )
        print(f"\nworst {MEASURES[name]}: {told}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--pairs", type=int, default=120)
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--longest", type=float, default=15.0, help="seconds of a source that are taken")
    parser.add_argument("--worst", type=int, default=5, help="how many of the worst pairs are named for each measure")
    parser.add_argument("--json", type=Path, help="also write every row there")
    asked = parser.parse_args()
    recordings = Recordings(corpus_files())
    rows, begun = [], time.perf_counter()
    for i, j in draw_pairs(recordings, asked.pairs, asked.seed):
        source, target = recordings.get(i), recordings.get(j)
        assert source is not None
        assert target is not None
        taken = min(len(source.clip), round(asked.longest * source.clip.fps))
        source = Motion.of(cut_frames(source.clip, 0, taken), source.plants.cut(0, taken), source.clip)
        brought = bring_onto(source.clip, target.clip, source.plants, target.plants)
        result = Motion.of(brought.clip, brought.plants or source.plants, target.clip)
        standing = {
            foot.side: (recordings.standing_pitch(i, foot.side), recordings.standing_pitch(j, foot.side))
            for foot in result.feet
        }
        rows.append(
            {"source": source.clip.name, "target": target.clip.name, **measure(source, target, result, standing)}
        )
        if sys.stderr.isatty():
            print(f"\r{len(rows)}/{asked.pairs}", end="", file=sys.stderr)
    if asked.json:
        asked.json.write_text(json.dumps(rows, indent=1))
    print(f"{len(rows)} pairs, seed {asked.seed}, {time.perf_counter() - begun:.0f} s\n")
    print_table(rows, asked.worst)


if __name__ == "__main__":
    main()
