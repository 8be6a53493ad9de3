"""Transitions, loops, blends and clean-ups of recordings nobody chose by hand, measured joint by joint: one command, one table.

python tools/measure_results.py [--kinds transition loop blend clean] [--every 1] [--seed 9] [--judge PROGRAM] [--json FILE]
                                [--rows FILE] [--worst 8] [--keep FOLDER] [--workers 2]

The recordings are the CMU files of $REENACT_DATA, else ../shared/data, as their headers say. The cases are drawn by a seed: 320
transitions (half between subjects, half of one class; the first clip's class in turn walk, run, jump, other by the words of the index),
160 loops, 110 blends of one class (half between subjects), 260 clean-ups. Refusals are counted and listed; a walk backwards or up stairs is
of the class of walks, so those of one manner are counted besides: pairs for which the index has the same further words. Results over a
limit, by our figures or the judge's, that say nothing are listed. The figures are those of `reenact.solve.result_quality`; with a judge, an
independent program, its own stand beside them. `--every 5` takes each fifth case. With `--rows` a run that was stopped goes on where it
was; the file belongs to one state of the code.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np

import reenact
from reenact.blend.blend import blend
from reenact.blend.clean import clean
from reenact.core.made import Made
from reenact.edit.loop import make_loop
from reenact.edit.transition import make_transition
from reenact.errors import ReenactError

KINDS = ("transition", "loop", "blend", "clean")
COUNTS = {"transition": 320, "loop": 160, "blend": 110, "clean": 260}
CLASSES = {
    "jump": re.compile(r"jump|hop\b|leap", re.I),
    "run": re.compile(r"run|jog", re.I),
    "walk": re.compile(r"walk|march|strid|sneak|creep|limp", re.I),
}
MANNERS = re.compile(
    r"backward|sideways|side|stair|up and over|uneven|slope|roll|dive|duck|underneath|kick|stop|hop|180|limp|hurt|march|creep|sneak"
    r"|carry|pick up|shake|evasive|jump",
    re.I,
)
"""Words of the index that make another motion of a walk, a run or a jump."""
OURS = (
    "acceleration",
    "slides_s",
    "unsupported_s",
    "hurry_ms",
    "sinks_mm",
    "whips_ms",
    "height_mm",
    "floor_mm",
    "pitch_degrees",
    "yaw_degrees",
    "slip_mm",
    "legs_mm",
)
JUDGES = {"transition": ("acceleration", "slides_s", "held_height_mm", "floor_mm", "lost_of_second")}
LEAST = 1.2  # seconds of a clip


@dataclass(frozen=True)
class Case:
    """One thing to make; `same_manner`: of one class, and the index has the same further words for both, none as a rule."""

    number: int
    kind: str
    names: tuple[str, ...]
    same_class: bool
    same_subject: bool

    @property
    def same_manner(self) -> bool:
        """Whether the words of the index tell no difference but turns."""
        manners = [frozenset(word.lower() for word in MANNERS.findall(words_of(name))) for name in self.names]
        return self.same_class and all(manner == manners[0] for manner in manners)


def folder() -> Path:
    """Where the recordings are."""
    return Path(os.environ.get("REENACT_DATA") or Path(__file__).parents[2] / "shared" / "data")


def path_of(name: str) -> Path:
    """The file of a clip."""
    return folder() / "cmu-bvh" / f"{name}.bvh"


@cache
def descriptions() -> dict[str, str]:
    """Name of every recording that is long enough -> the words of the index."""
    index = folder() / "index.csv"
    if not index.is_file():
        sys.exit(f"no recordings in {folder()}: set REENACT_DATA")
    with index.open(newline="") as stream:
        found = {
            Path(row["path"]).stem: row["description"]
            for row in csv.DictReader(stream)
            if row["path"].startswith("cmu-bvh/") and int(row["frames"]) * float(row["frame_time"]) >= LEAST
        }
    return dict(sorted(found.items()))


def words_of(name: str) -> str:
    """What the index says of a recording."""
    return descriptions()[name]


@cache
def recordings() -> dict[str, str]:
    """Name of every recording that is long enough -> its class by the words of the index."""
    return {
        name: next((kind for kind, pattern in CLASSES.items() if pattern.search(words)), "other")
        for name, words in descriptions().items()
    }


def draw_cases(seed: int) -> list[Case]:
    """All cases, in a fixed order."""
    rng, known = np.random.default_rng(seed), recordings()
    names = list(known)
    cases: list[Case] = []

    def pair(first_class: str, same_class: bool, same_subject: bool) -> tuple[str, str]:
        while True:
            a, b = (names[int(n)] for n in rng.choice(len(names), 2, replace=False))
            if (
                known[a] == first_class
                and (known[a] == known[b]) == same_class
                and (_subject(a) == _subject(b)) == same_subject
            ):
                return a, b

    for n in range(COUNTS["transition"]):
        kind = ("walk", "run", "jump", "other")[n // 4 % 4]
        same_class, same_subject = n % 4 < 2, n % 2 == 0
        cases.append(Case(n, "transition", pair(kind, same_class, same_subject), same_class, same_subject))
    for kind in ("loop", "clean"):
        for n, at in enumerate(rng.permutation(len(names))[: COUNTS[kind]]):
            cases.append(Case(n, kind, (names[int(at)],), True, True))
    for n in range(COUNTS["blend"]):
        kind = ("walk", "run", "walk", "jump")[n // 2 % 4]
        cases.append(Case(n, "blend", pair(kind, True, n % 2 == 0), True, n % 2 == 0))
    return cases


def _subject(name: str) -> str:
    return name.split("_")[0]


@cache
def _load(name: str) -> reenact.Clip:
    return reenact.load(path_of(name))


def make(case: Case) -> Made:
    """The result of a case, by default parameters."""
    clips = [_load(name) for name in case.names]
    if case.kind == "transition":
        return make_transition(clips[0], clips[1])
    if case.kind == "loop":
        return make_loop(clips[0])
    if case.kind == "blend":
        return blend(clips)
    return clean(clips[0])


def measure(case: Case, judge: str | None, keep: Path | None) -> dict[str, Any]:
    """One row."""
    row: dict[str, Any] = {"kind": case.kind, "number": case.number, "clips": "+".join(case.names)}
    row |= {"same_class": case.same_class, "same_subject": case.same_subject, "same_manner": case.same_manner}
    begun = time.perf_counter()
    try:
        made = make(case)
    except ReenactError as error:
        return row | {"refused": str(error)}
    row["seconds"] = time.perf_counter() - begun
    row["ours"] = made.report.get("quality", {})
    row["doubts"] = made.report.get("doubts", [])
    if judge is not None:
        row["judge"] = ask_judge(judge, case, made, keep)
    return row


def ask_judge(judge: str, case: Case, made: Made, keep: Path | None) -> dict[str, Any]:
    """What the independent program says about a result."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) if keep is None else keep
        stem = f"{case.kind}_{case.number:03d}"
        result, report = place / f"{stem}.bvh", place / f"{stem}.json"
        reenact.save(made.clip, result)
        report.write_text(json.dumps({"report": made.report}))
        files = [str(path_of(name)) for name in case.names]
        asked = (
            ["transition", *files, str(result), str(report)]
            if case.kind == "transition"
            else ["made", str(result), *files]
        )
        done = subprocess.run([sys.executable, judge, *asked], capture_output=True, text=True, check=False)
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[-1:] or ["no answer"]}
    return json.loads(done.stdout)


def _measure(job: tuple[Case, str | None, Path | None]) -> dict[str, Any]:
    return measure(*job)


def figures(rows: Sequence[dict[str, Any]], who: str, name: str) -> np.ndarray:
    """One column of the rows that have it."""
    return np.array([row[who][name] for row in rows if name in row.get(who, {})], dtype=np.float64)


def print_tables(rows: Sequence[dict[str, Any]], worst: int) -> None:
    """Refusals, figures and the worst cases of every kind."""
    for kind in KINDS:
        ours = [row for row in rows if row["kind"] == kind]
        if not ours:
            continue
        made, refused = [row for row in ours if "refused" not in row], [row for row in ours if "refused" in row]
        alike = [row for row in ours if row["same_class"]]
        plain = [row for row in ours if row["same_manner"]]
        said = sum(bool(row["doubts"]) for row in made)
        print(
            f"\n{kind}: {len(ours)} cases, {len(refused)} refused ({sum('refused' in row for row in alike)} of {len(alike)} of one class, "
            f"{sum('refused' in row for row in plain)} of {len(plain)} of one class and manner), "
            f"{said} with doubts said; {1000 * np.median([row['seconds'] for row in made] or [0]):.0f} ms each\n"
        )
        even = [row for row in made if row["ours"].get("uneven_mm", 0.0) <= 12.0]
        print(f"| {'figure':22} | median |   95 % |  worst | over | worst case |\n|---|---|---|---|---|---|")
        for who, names in (("ours", OURS), ("judge", JUDGES.get(kind, ("acceleration", "drift_mm")))):
            for name in names:
                values = figures(made, who, name)
                if len(values):
                    print_row(made, who, name, values)
        if len(even) < len(made):
            print(f"\nwithout the {len(made) - len(even)} whose recordings do not stand on one floor, which is said\n")
            for name in ("held_height_mm", "floor_mm"):
                values = figures(even, "judge", name)
                if len(values):
                    print_row(even, "judge", name, values)
        beyond = [beyond_uneven(row) for row in made if "held_height_mm" in row.get("judge", {})]
        if beyond:
            print("\nof all, what is left of them beyond what the feet of the recordings disagree by (uneven_mm)\n")
            for name in ("held_height_mm", "floor_mm"):
                print_row(beyond, "judge", name, figures(beyond, "judge", name))
        silent = [row for row in made if not row["doubts"] and over_limit(row)]
        print(f"\nover a limit without a word: {len(silent)}")
        for row in silent:
            print(f"  {row['number']:3d} {row['clips']:16} {over_limit(row)}")
        for row in sorted(made, key=lambda row: -row["ours"].get("acceleration", 0))[:worst]:
            judged = row.get("judge", {})
            print(f"  {row['number']:3d} {row['clips']:16} {row['ours']} judge {judged}")
        for row in refused:
            print(f"  refused {row['number']:3d} {row['clips']:16} {row['refused'][:150]}")


def beyond_uneven(row: dict[str, Any]) -> dict[str, Any]:
    """A row with the judge's heights lessened by what the recordings' own feet disagree by about the floor.

    The judge counts the height of each foot from its own lowest frames. Where a foot of the second recording is lower against the other
    foot than in the first, no height of the body brings both to theirs: half of the difference stays, whatever is done.
    """
    uneven = row["ours"].get("uneven_mm", 0.0)
    left = {name: max(row["judge"][name] - uneven, 0.0) for name in ("held_height_mm", "floor_mm")}
    return row | {"judge": row["judge"] | left}


LIMITS = {
    "acceleration": 1.5,
    "slides_s": 0.1,
    "height_mm": 12,
    "held_height_mm": 12,
    "floor_mm": 10,
    "pitch_degrees": 6,
    "yaw_degrees": 20,
    "slip_mm": 4,
    "legs_mm": 25,
    "unsupported_s": 0.12,
    "hurry_ms": 0.6,
    "sinks_mm": 40,
    "whips_ms": 1.2,
    "drift_mm": 4,
    "lost_of_second": 0.5,
}


def over_limit(row: dict[str, Any]) -> dict[str, float]:
    """The figures of a result, ours and the judge's, that are over their limit."""
    return {
        f"{who} {name}": value
        for who in ("ours", "judge")
        for name, value in row.get(who, {}).items()
        if name in LIMITS and value > LIMITS[name]
    }


def print_row(rows: Sequence[dict[str, Any]], who: str, name: str, values: np.ndarray) -> None:
    """One line of a table."""
    at = max((row for row in rows if name in row.get(who, {})), key=lambda row: row[who][name])
    over = int((values > LIMITS[name]).sum())
    print(
        f"| {who + ' ' + name:22} | {np.median(values):6.3f} | {np.percentile(values, 95):6.3f} | {values.max():6.3f} "
        f"| {over:4d} | {at['number']} {at['clips']} |"
    )


def chosen(seed: int, kinds: Sequence[str], every: int, only: Sequence[int]) -> Iterator[Case]:
    """The cases to do."""
    for case in draw_cases(seed):
        if case.kind in kinds and case.number % every == 0 and (not only or case.number in only):
            yield case


def measure_all(
    cases: Sequence[Case], judge: str | None, keep: Path | None, kept: Path | None, workers: int
) -> list[dict[str, Any]]:
    """The rows of all cases, in their order; each is added to the file `kept` as it is done, and those found there are not done again."""
    done: dict[tuple[str, int, str], dict[str, Any]] = {}
    if kept is not None and kept.exists():
        known = [json.loads(line) for line in kept.read_text().splitlines()]
        done = {(row["kind"], row["number"], row["clips"]): row for row in known}
    names = {(case.kind, case.number, "+".join(case.names)): case for case in cases}
    jobs = [(case, judge, keep) for name, case in names.items() if name not in done]
    with Pool(workers) as pool:
        for row in pool.imap_unordered(_measure, jobs):
            done[row["kind"], row["number"], row["clips"]] = row
            if kept is not None:
                with kept.open("a") as stream:
                    stream.write(json.dumps(row) + "\n")
    return [done[name] for name in names]


def main() -> None:
    """Make, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", type=int, nargs="*", default=[], help="numbers of cases")
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--judge", help="path of the judge, a Python program")
    parser.add_argument("--json", type=Path, help="also write every row there")
    parser.add_argument("--rows", type=Path, help="add every row to this file as it is done, and go on from there")
    parser.add_argument("--keep", type=Path, help="keep results and reports in this folder")
    parser.add_argument("--worst", type=int, default=8)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    if asked.keep is not None:
        asked.keep.mkdir(parents=True, exist_ok=True)
    cases = list(chosen(asked.seed, asked.kinds, asked.every, asked.only))
    rows = measure_all(cases, asked.judge, asked.keep, asked.rows, asked.workers)
    if asked.json:
        asked.json.write_text(json.dumps(rows, indent=1))
    print_tables(rows, asked.worst)


if __name__ == "__main__":
    main()
