"""Print the tables of docs/classification.md: types of plainly named recordings, of parts cut from them, and of other recordings.

    python tools/measure_types.py [FOLDER OF THE DATA]

Which recordings are plainly one gait, and which half a person belongs to, is told by `plain_gaits`. Every miss is listed by name.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from plain_gaits import FOLDERS, GAITS, SEED, PlainClip, data_folder, plain_clips, true_rate

from reenact.analysis.classify import CLASSIFIERS, classify
from reenact.analysis.segments import Classification
from reenact.core.clip import Clip
from reenact.errors import SkeletonError
from reenact.loading import LoadOptions, load

KINDS = ("walk", "run", "jump")
PARTS = 6
"""How many parts are cut from every plain recording."""

_STEPPING = frozenset((*GAITS, "march", "marching", "sneak", "limp", "limping", "creep", "creeping", "moonwalk"))
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@dataclass
class Row:
    """What was found of clips of one gait: how often each type, and how many frames were right."""

    types: Counter[str] = field(default_factory=Counter)
    right: int = 0
    frames: int = 0

    def add(self, found: Classification, gait: str, start: int, end: int) -> None:
        """Count a clip whose frames [start, end) hold the gait."""
        self.types[found.type] += 1
        self.right += int(np.count_nonzero(found.labels[start:end] == gait))
        self.frames += end - start

    def text(self, gait: str) -> str:
        """The cells of its line."""
        counts = " | ".join(str(self.types[kind]) for kind in (*KINDS, "stand", "other"))
        share = self.types[gait] / max(1, self.types.total())
        return f"{counts} | {share:.1%} | {self.right / max(1, self.frames):.3f}"


def spell(found: Classification, fps: float) -> str:
    """Type and segments, in seconds."""
    return f"{found.type}: " + ", ".join(f"{part.type} {len(part) / fps:.2f}" for part in found.segments)


def whole_rows(plain: list[PlainClip]) -> None:
    """Every classifier on the plain recordings, with the misses of the default."""
    for classifier in CLASSIFIERS:
        table = {(half, gait): Row() for half in ("tune", "test") for gait in KINDS}
        for one in plain:
            found = classify(one.clip, classifier=classifier)
            table[one.half, one.gait].add(found, one.gait, one.start, one.end)
            if classifier == CLASSIFIERS[0] and found.type != one.gait:
                print(f"miss: {one.name} {one.description!r} ({one.half}): {spell(found, one.clip.fps)}")
        print(f"\n{classifier}\n| half | name says | walk | run | jump | stand | other | right | frames right |")
        for (half, gait), row in table.items():
            print(f"| {half} | {gait} | {row.text(gait)} |")


def cut(clip: Clip, start: int, end: int, step: int) -> Clip:
    """Every `step`-th frame of [start, end)."""
    part = slice(start, end, step)
    moved = None if clip.translations is None else clip.translations[part]
    return replace(clip, rotations=clip.rotations[part], root=clip.root[part], translations=moved, fps=clip.fps / step)


def part_rows(plain: list[PlainClip]) -> None:
    """Parts of 1.2 to 4 seconds of the plain recordings, also at 60 and 30 Hz; of jumps with more or less of what is around them."""
    rng = np.random.default_rng(SEED)
    table = {(half, gait): Counter() for half in ("tune", "test") for gait in KINDS}
    print()
    for one in plain:
        fps, long = one.clip.fps, one.end - one.start
        for _ in range(PARTS):
            step = int(rng.choice([s for s in (1, 2, 4) if fps / s >= 29]))
            if one.gait == "jump":
                start = max(0, one.start - int(rng.uniform(0, 0.5) * fps))
                end = min(len(one.clip), one.end + int(rng.uniform(-0.6, 0.5) * fps))
            else:
                some = min(long, int(rng.uniform(1.2, 4) * fps))
                start = one.start + int(rng.integers(0, long - some + 1))
                end = start + some
            part = cut(one.clip, start, end, step)
            found = classify(part)
            table[one.half, one.gait][found.type] += 1
            if found.type != one.gait:
                where = f"frames {start} to {end} at {part.fps:g} Hz"
                print(f"miss: {one.name} {one.description!r} ({one.half}), {where}: {spell(found, part.fps)}")
    print("\nparts\n| half | name says | walk | run | jump | stand | other | right |")
    for (half, gait), row in table.items():
        counts = " | ".join(str(row[kind]) for kind in (*KINDS, "stand", "other"))
        print(f"| {half} | {gait} | {counts} | {row[gait] / row.total():.1%} |")


def other_rows(data: Path) -> None:
    """Recordings whose names tell of no gait, and which of them get one."""
    clips, named = 0, []
    with (data / "index.csv").open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            path, words = row["path"], {word.casefold() for word in _WORD.findall(row["description"])}
            if not path.startswith(FOLDERS) or not path.endswith((".bvh", ".amc")) or words & _STEPPING:
                continue
            rate = true_rate(Path(path).stem) if path.startswith("cmu") else None
            clip = load(data / path, LoadOptions() if rate is None else LoadOptions(fps=rate))
            try:
                kind = classify(clip).type
            except SkeletonError:
                continue
            clips += 1
            named += [f"{Path(path).stem} {row['description']!r} {kind}"] if kind in KINDS else []
    print(f"\nof {clips} recordings named after something else {len(named)} get a gait: {'; '.join(named)}")


if __name__ == "__main__":
    recordings = plain_clips(data_folder())
    whole_rows(recordings)
    part_rows(recordings)
    other_rows(data_folder())
