"""What the gate of registration lets through and what it refuses, on pairs of recordings drawn by a fixed seed.

    python tools/measure_gate.py [--list] [--part tune|test] [--json FILE]

Recordings are those of $REENACT_DATA, else ../shared/data. Their class comes from the description in index.csv alone (`CLASSES`), and the
pairs are drawn before anything is measured, so many of each kind (`KINDS`), by `SEED`; every second pair is for tuning, the others are for
the test. Exit code 1 when a pair of two different things is let through, or more than a tenth of the pairs of one class is refused.

- same: one class, of one subject or of two. They should be let through.
- wrong: things that have no in-between, such as a backward and a forward walk. They must be refused.
- related: gaits of different kinds. Nothing is asked of them; they are listed.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import os
import random
import re
import sys
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from plain_gaits import plain_gait, true_rate

from reenact.blend.preparing import bring_together
from reenact.blend.registration import RegistrationParameters, register
from reenact.core.clip import Clip
from reenact.errors import ReenactError
from reenact.loading import LoadOptions, load

DATA = Path(os.environ.get("REENACT_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
SEED = 20260116
SHORTEST, LONGEST = 100, 2000  # frames of a clip

CLASSES = {
    "backward": r"(normal )?walk(ing)? backwards",
    "sideways": r"walk sideways( and turn.*|,.*)?|.*sidestep.*",
    "march": r".*march.*",
    "sneak": r".*(sneak|creep|careful walk).*",
    "jump": r"((high|forward|long) )?jump( forward)?|jumpforward",
    "standing": r"boxing|hand shake|answering the phone|drinking water|washing a window|hammering a nail|wav(e|ing)( hello)?|punching"
    r"|punch/strike|tpose|(medium|high|low) sit|turn in place.*|sit on stool.*|range of motion",
    "acrobatics": r"cartwheel|side flip|hand spring|.*roll.*|jump kick|russian dance",
}
"""Class by description, in this order; after them come the plain walks and runs of `plain_gaits`. Two ways of going sideways, or of
sneaking, are not one class: some go to the left and some to the right, or there and back."""

KINDS = (
    *(("same", (kind, kind), whose, 20) for kind in ("walk", "run", "jump") for whose in ("same", "other")),
    *(("same", (kind, kind), "any", 12) for kind in ("backward", "march")),
    ("wrong", ("walk", "backward"), "any", 16),
    ("wrong", ("run", "backward"), "any", 8),
    ("wrong", ("walk", "sideways"), "any", 12),
    ("wrong", ("backward", "sideways"), "any", 8),
    ("wrong", ("walk", "jump"), "any", 14),
    ("wrong", ("run", "jump"), "any", 10),
    ("wrong", ("walk", "standing"), "any", 14),
    ("wrong", ("run", "standing"), "any", 8),
    ("wrong", ("jump", "standing"), "any", 8),
    ("wrong", ("walk", "acrobatics"), "any", 8),
    ("related", ("walk", "run"), "any", 16),
    ("related", ("walk", "march"), "any", 8),
    ("related", ("walk", "sneak"), "any", 10),
    ("related", ("sneak", "sneak"), "any", 6),
    ("related", ("sideways", "sideways"), "any", 8),
)
"""What is drawn: the kind, the two classes, whether of one subject, and how many at most."""


@dataclass
class Row:
    """One pair and what became of it."""

    kind: str
    classes: str
    subjects: str
    part: str
    a: str
    b: str
    verdict: str = ""
    figures: dict[str, object] | None = None
    said: str = ""


def read_classes() -> dict[str, str]:
    """The class of every clip that has one."""
    found = {}
    with (DATA / "index.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if not row["path"].startswith("cmu-bvh/") or not SHORTEST <= int(row["frames"] or 0) <= LONGEST:
                continue
            told = row["description"].casefold()
            kind = next((name for name, rule in CLASSES.items() if re.fullmatch(rule, told)), None)
            if kind is None and (gait := plain_gait(row["description"])) != "jump":
                kind = gait
            if kind is not None:
                found[Path(row["path"]).stem] = kind
    return found


def draw_pairs(seed: int = SEED) -> list[Row]:
    """The pairs of a seed: always the same ones."""
    classes = read_classes()
    chance, rows = random.Random(seed), []
    for kind, (first, second), subjects, count in KINDS:
        own, other = ([name for name in sorted(classes) if classes[name] == one] for one in (first, second))
        pairs = list(itertools.combinations(own, 2) if first == second else itertools.product(own, other))
        subject = {name: name.split("_")[0] for name in (*own, *other)}
        if subjects != "any":
            pairs = [(a, b) for a, b in pairs if (subject[a] == subject[b]) == (subjects == "same")]
        for n, (a, b) in enumerate(chance.sample(pairs, min(count, len(pairs)))):
            whose = "same" if subject[a] == subject[b] else "other"
            rows.append(Row(kind, f"{first} x {second}", whose, ("tune", "test")[n % 2], a, b))
    return rows


@cache
def clip_of(name: str) -> Clip:
    """A recording at the rate at which it was made."""
    return load(DATA / "cmu-bvh" / f"{name}.bvh", LoadOptions(fps=true_rate(name)))


def measure(row: Row) -> Row:
    """Register a pair as `blend` would."""
    try:
        clips, plants = bring_together([clip_of(row.a), clip_of(row.b)])
        curve = register(clips, RegistrationParameters(gate="warn"), plants)
    except ReenactError as error:
        row.verdict, row.said = "refused", str(error)
        return row
    row.verdict, row.said = curve.quality.verdict, "; ".join(curve.quality.reasons)
    row.figures = curve.quality.as_dict()
    row.figures["kept"] = [
        round((end - start) / len(clip), 2) for (start, end), clip in zip(curve.ranges, clips, strict=True)
    ]
    return row


def main() -> int:
    """Draw, measure, print."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    options.add_argument("--list", action="store_true", help="print the pairs alone")
    options.add_argument("--part", choices=("tune", "test"), help="only these pairs")
    options.add_argument("--seed", type=int, default=SEED, help="draw other pairs")
    options.add_argument("--json", type=Path, help="also write what was found there")
    asked = options.parse_args()
    if not (DATA / "index.csv").is_file():
        print("the recordings are not here: set REENACT_DATA to their folder", file=sys.stderr)
        return 2
    rows = [row for row in draw_pairs(asked.seed) if asked.part in (None, row.part)]
    if asked.list:
        for row in rows:
            print(f"{row.kind:8} {row.classes:22} {row.subjects:6} {row.part} {row.a} {row.b}")
        return 0
    for row in rows:
        measure(row)
        figures = row.figures or {}
        shown = " ".join(f"{key} {value}" for key, value in figures.items() if key not in ("verdict", "reasons"))
        print(
            f"{row.kind:8} {row.classes:22} {row.subjects:6} {row.part} {row.a} x {row.b}: {row.verdict} | {shown} | {row.said}"
        )
    counts: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for row in rows:
        for key in ((row.kind, row.classes, row.subjects), (row.kind, "all", row.part), (row.kind, "all", "both")):
            counts[key][row.verdict] += 1
    print(f"\n{'kind':8} {'classes':22} {'':6} good doubtful refused")
    for (kind, classes, whose), found in sorted(counts.items()):
        print(
            f"{kind:8} {classes:22} {whose:6} {found['good']:4} {found['doubtful']:8} {found['refused']:7}"
            f"   {100 * found['refused'] / found.total():.0f} % refused"
        )
    if asked.json:
        asked.json.write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")
    same = [row for row in rows if row.kind == "same"]
    wrong = [row for row in rows if row.kind == "wrong"]
    refused = sum(row.verdict == "refused" for row in same)
    return int(refused > 0.1 * len(same) or any(row.verdict != "refused" for row in wrong))


if __name__ == "__main__":
    sys.exit(main())
