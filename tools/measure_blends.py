"""Measure blends on recordings: the pairs of the registration specification, then pairs chosen by rule from the whole corpus.

    python tools/measure_blends.py [--pairs pilot|corpus|all] [--json FILE]

Recordings are those of $REENACT_DATA, else ../shared/data. Exit code 1 when a pair misses what is asked of it.

Pilot pairs: for each pair whose q is below 0.6 (after automatic trimming where the whole clips do not correspond) planted points must slide
by no more than 0.01 m/s in the 50:50 blend after clean-up, and the path must be 0.97 to 1.03 times the mean of the clips' paths.

Corpus pairs are chosen by description alone, before anything is measured:

- walk: the first plain walk of every subject with the next subject's;
- style: every walk with a manner (slow, brisk, fast, stiff, sad, happy, bouncy, stride, casual) with a plain walk of its subject, or of the
  next subject that has one;
- run: every plain run or jog with the next one in the list;
- sneak: every sneak, creep and careful walk with a plain walk, of its own subject or the next that has one;
- march: every march with the next one;
- turn: the n-th left turn (veering, 90 degrees, smooth) with the n-th right turn of the same kind and subject, walking and running;
- punch: of every boxing clip 0.6 s to either side of the three highest speeds of a hand, 2 s apart; each with the next.

Ours is the 50:50 blend after clean-up, compared with linear blending by frame number and by share of the time, the better of the two for
each measure, on the same frames (those left after trimming), over plants carried from the clips (linear: frames planted in both; fewer
than ten count as sliding without end). Ours counts as worse when

- slide (m/s over carried plants) is more than 0.002 above linear's;
- the path ratio is farther from 1 than linear's, and by more than 0.03;
- mean jerk exceeds linear's by more than a tenth, and also that of the clips themselves: before clean-up the mean of the clips, after it
  the mean of the clips with their feet held in the same way (legs blended out of step are smooth because the motion is lost, and a foot
  that is held stops at once), and that at the mean tempo of the clips: jerk grows with the third power of the tempo;
- feet sink into the floor more than 2 mm deeper than linear's, and than the clips' own.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import os
import re
import sys
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np

from reenact.blend.blend import BlendParameters, blend_curve
from reenact.blend.blend_quality import floor_way, mean_jerk, slide_speed, toe_slide, worst_sinking
from reenact.blend.clean import CleanParameters, clean
from reenact.blend.linear import blend_linearly
from reenact.blend.preparing import bring_together
from reenact.blend.registration import RegistrationParameters, register
from reenact.blend.weights import constant_weights
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import SIDES, Floor
from reenact.core.made import Made
from reenact.errors import ParameterError, ReenactError
from reenact.loading import load

DATA = Path(os.environ.get("REENACT_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
HALF = constant_weights([1, 1], 2)
FREE = BlendParameters(enforce=False)
PILOT = (
    ("16_11", "16_13"),
    ("16_17", "16_19"),
    ("16_15", "16_17"),
    ("16_15", "77_28[2320:2920]"),
    ("07_01", "08_01"),
    ("07_01", "16_15"),
    ("07_01", "77_28[2320:2920]"),
    ("16_15", "16_35"),
)
SLIDE, PATH, JERK, SINK = 0.002, 0.03, 1.1, 0.002
SHORTEST, LONGEST = 100, 3000  # frames of a clip


@cache
def clip_of(name: str) -> Clip:
    """A clip of the CMU folder, or a part of it: NAME[start:end]."""
    found = re.fullmatch(r"(\w+)\[(\d+):(\d+)\]", name)
    if found:
        return cut_frames(clip_of(found[1]), int(found[2]), int(found[3])).renamed(name)
    return load(DATA / "cmu-bvh" / f"{name}.bvh")


@dataclass
class Row:
    """What was measured on a pair."""

    kind: str
    a: str
    b: str
    q: float = float("nan")
    distance: float = float("nan")
    ranges: list[list[int]] = field(default_factory=list)
    slide: float = float("nan")
    slide_before: float = float("nan")
    slide_linear: float = float("nan")
    path: float = float("nan")
    path_linear: float = float("nan")
    jerk: float = float("nan")
    jerk_linear: float = float("nan")
    jerk_clips: float = float("nan")
    jerk_before: float = float("nan")
    jerk_held: float = float("nan")
    sink: float = float("nan")
    sink_linear: float = float("nan")
    sink_clips: float = float("nan")
    worse: list[str] = field(default_factory=list)
    refused: str = ""


def measure_pair(kind: str, a: str, b: str) -> Row:
    """Ours against linear."""
    row = Row(kind, a, b)
    try:
        clips, plants = bring_together([clip_of(a), clip_of(b)])
        curve = register(clips, RegistrationParameters(), plants)
    except ReenactError as error:
        row.refused = str(error)
        return row
    row.q, row.distance = curve.quality.q, curve.quality.mean_distance
    row.ranges = [list(kept) for kept in curve.ranges]
    made = blend_curve(curve, BlendParameters())
    linear = [blend_linearly(curve.clips, HALF, pairing, curve.plants) for pairing in ("index", "normalised")]
    assert made.plants is not None
    floor = Floor(made.plants.floor.height)
    ways = float(np.mean([floor_way(clip) for clip in curve.clips]))
    row.slide, row.slide_before = made.report["slide_m_s"], made.report["slide_before_clean_up_m_s"]
    row.slide_linear = min(slide_over(one) for one in linear)
    row.path = made.report["path_ratio"] if made.report["path_ratio"] is not None else 1.0
    if made.report["path_ratio"] is not None:
        row.path_linear = min((floor_way(one.clip) / ways for one in linear), key=lambda ratio: abs(ratio - 1))
    else:
        row.path_linear = 1.0
    row.jerk, row.jerk_linear = mean_jerk(made.clip), min(mean_jerk(one.clip) for one in linear)
    row.jerk_before = mean_jerk(blend_curve(curve, FREE).clip)
    row.jerk_clips = float(np.mean([mean_jerk(clip) for clip in curve.clips]))
    held = [clean(clip, CleanParameters(), own).clip for clip, own in zip(curve.clips, curve.plants, strict=True)]
    row.jerk_held = float(np.mean([mean_jerk(clip) for clip in held]))
    row.sink, row.sink_linear = worst_sinking(made.clip, floor), min(worst_sinking(one.clip, floor) for one in linear)
    row.sink_clips = max(worst_sinking(clip, floor) for clip in curve.clips)
    # rates are blended, so a blend of a slow and a fast motion lasts less than their mean
    tempo = min((len(made.clip) / np.mean([len(clip) for clip in curve.clips])) ** 3, 1.0)
    row.worse = [
        name
        for name, bad in (
            ("slide", row.slide > row.slide_linear + SLIDE),
            ("path", abs(row.path - 1) > max(abs(row.path_linear - 1), PATH)),
            ("jerk", tempo * row.jerk > JERK * max(row.jerk_linear, row.jerk_held)),
            ("jerk before clean-up", tempo * row.jerk_before > JERK * max(row.jerk_linear, row.jerk_clips)),
            ("sinking", row.sink > max(row.sink_linear, row.sink_clips) + SINK),
        )
        if bad
    ]
    return row


def slide_over(made: Made) -> float:
    """Slide of a linear blend over its plants; endless when both clips are hardly ever planted together."""
    assert made.plants is not None
    planted = sum(int(getattr(made.plants.foot(side), point).sum()) for side in SIDES for point in ("heel", "ball"))
    return slide_speed(made.clip, made.plants) if planted >= 10 else float("inf")


def measure_pilot() -> bool:
    """The table of the specification, our figures; True when every pair that corresponds does what is asked."""
    print(
        "pilot pairs: slide in m/s (smaller ball speed per frame), then over carried plants after clean-up; path in m"
    )
    print(
        f"{'pair':32} {'mean d':>6} {'q':>5} {'RC':>6} {'LB ix':>6} {'LB nm':>6} {'trans':>6} {'carried':>8} {'ratio':>6}  path"
    )
    fine = True
    for a, b in PILOT:
        clips, plants = bring_together([clip_of(a), clip_of(b)])
        whole = register(clips, RegistrationParameters(gate="off", trim="off"), plants)
        curves = [("", whole)]
        if whole.quality.q >= 0.6:
            try:
                curves.append((" trimmed", register(clips, RegistrationParameters(gate="off", trim="steps"), plants)))
            except ParameterError as error:
                print(f"{a} x {b}: cannot be trimmed: {error}")
        for label, curve in curves:
            free = blend_curve(curve, FREE)
            held = blend_curve(curve, BlendParameters())
            across = blend_curve(curve, replace(FREE, mode="transition"))
            linear = [blend_linearly(curve.clips, HALF, pairing).clip for pairing in ("index", "normalised")]
            ways = [floor_way(clip) for clip in (*curve.clips, held.clip, *linear)]
            slides = [toe_slide(clip) for clip in (free.clip, *linear, across.clip)]
            carried, ratio, q = held.report["slide_m_s"], held.report["path_ratio"], curve.quality.q
            good = q >= 0.6 or (carried <= 0.01 and 0.97 <= ratio <= 1.03)
            fine &= good
            print(
                f"{f'{a} x {b}{label}':32} {curve.quality.mean_distance:6.3f} {q:5.2f} "
                + " ".join(f"{slide:6.3f}" for slide in slides)
                + f" {carried:8.4f} {ratio:6.3f}  {ways[0]:.2f}, {ways[1]:.2f} -> {ways[2]:.2f} / {ways[3]:.2f} / {ways[4]:.2f}"
                + ("" if good else "  MISSED")
                + (f"  frames {[list(kept) for kept in curve.ranges]}" if label else "")
            )
            if q >= 0.6:
                print(f"{'':32} reasons: {'; '.join(curve.quality.reasons)}")
    return fine


def choose_pairs() -> list[tuple[str, str, str]]:
    """(kind, a, b) by the rule of the module."""
    with (DATA / "index.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["path"].startswith("cmu-bvh/")]
    known = {
        Path(row["path"]).stem: row["description"].casefold()
        for row in rows
        if SHORTEST <= int(row["frames"] or 0) <= LONGEST
    }
    names = sorted(known, key=lambda name: tuple(map(int, name.split("_"))))
    plain = ("walk", "walk forward", "normal walk", "neutral male walk, exact footfalls")
    walks: dict[str, str] = {}
    for name in names:
        if known[name] in plain:
            walks.setdefault(name.split("_")[0], name)
    subjects = list(walks)
    pairs = [("walk", walks[x], walks[y]) for x, y in itertools.pairwise(subjects)]

    def partner(name: str) -> str:
        subject = name.split("_")[0]
        after = [other for other in subjects if int(other) >= int(subject)] or subjects
        return walks[after[0]]

    manner = re.compile(
        r"(slow|brisk|stiff|bouncy|casual) ?walk|(sad|happy or fast) walk forward|walk fast|walk, exaggerated stride|walk/stride"
    )
    pairs += [("style", partner(name), name) for name in names if manner.fullmatch(known[name])]
    runs = [name for name in names if known[name] in ("run", "run/jog", "jogthrough", "careful run")]
    pairs += [("run", x, y) for x, y in itertools.pairwise(runs)]
    quiet = [name for name in names if re.search(r"sneak|creep|careful walk", known[name])]
    pairs += [("sneak", partner(name), name) for name in quiet]
    marches = [name for name in names if "march" in known[name]]
    pairs += [("march", x, y) for x, y in itertools.pairwise(marches)]
    turns: dict[tuple[str, str], dict[str, list[str]]] = {}
    for name in names:
        found = re.fullmatch(
            r"(walk|walk forward|run/jog|run)[, ]+(veer|90.degree|90.degree smooth) (left|right)( turn)?", known[name]
        )
        if found:
            sides = turns.setdefault((name.split("_")[0], f"{found[1]} {found[2]}"), {"left": [], "right": []})
            sides[found[3]].append(name)
    for sides in turns.values():
        pairs += [("turn", x, y) for x, y in zip(sides["left"], sides["right"], strict=False)]
    fights = [name for name in names if re.search(r"^boxing$|punch", known[name])]
    blows = [blow for name in fights for blow in find_blows(name)]
    pairs += [("punch", x, y) for x, y in itertools.pairwise(blows)]
    return pairs


def find_blows(name: str) -> list[str]:
    """The parts of a clip round the highest speeds of a hand, 0.6 s to either side, in order."""
    clip = clip_of(name)
    hands = [clip.skeleton.roles[f"{side}_hand"] for side in ("left", "right")]
    places = clip.world(np.float64).positions[:, hands]
    speed = np.linalg.norm(np.diff(places, axis=0), axis=2).max(axis=1)
    wide, apart = round(0.6 * clip.fps), round(2 * clip.fps)
    speed[:wide] = speed[len(speed) - wide :] = 0
    found = []
    for _ in range(3):
        peak = int(np.argmax(speed))
        if speed[peak] == 0:
            break
        found.append(peak)
        speed[max(peak - apart, 0) : peak + apart] = 0
    return [f"{name}[{peak - wide}:{peak + wide}]" for peak in sorted(found)]


def measure_corpus() -> tuple[bool, list[Row]]:
    """All pairs by rule; True when none that was blended is worse than linear."""
    pairs = choose_pairs()
    print(f"\n{len(pairs)} pairs by rule; ours / linear (clips): slide m/s, path ratio, jerk m/s^3, sinking mm")
    rows = []
    for kind, a, b in pairs:
        row = measure_pair(kind, a, b)
        rows.append(row)
        if row.refused:
            continue
        print(
            f"{kind:6} {a:20} {b:20} q {row.q:4.2f}  slide {row.slide:6.4f} ({row.slide_before:5.3f}) / {row.slide_linear:6.4f}  "
            f"path {row.path:5.3f} / {row.path_linear:5.3f}  jerk {row.jerk_before:4.0f}, held {row.jerk:4.0f} / {row.jerk_linear:4.0f} "
            f"({row.jerk_clips:4.0f}, {row.jerk_held:4.0f})  "
            f"sink {1000 * row.sink:5.1f} / {1000 * row.sink_linear:5.1f} ({1000 * row.sink_clips:5.1f})"
            + (f"  WORSE: {', '.join(row.worse)}" if row.worse else ""),
            flush=True,
        )
    blended = [row for row in rows if not row.refused]
    print(f"\nrefused, {len(rows) - len(blended)}:")
    for row in rows:
        if row.refused:
            print(f"{row.kind:6} {row.a} x {row.b}: {row.refused}")
    bad = [row for row in blended if row.worse]
    print(f"\n{len(blended)} blended, {len(bad)} worse than linear in something")
    for name in ("slide", "jerk"):
        ours, other = (np.median([getattr(row, key) for row in blended]) for key in (name, f"{name}_linear"))
        print(f"median {name}: {ours:.4g} against {other:.4g}")
    return not bad, rows


def main() -> int:
    """Print the tables."""
    options = argparse.ArgumentParser(description="Measure blends on recordings.")
    options.add_argument("--pairs", choices=("pilot", "corpus", "all"), default="all")
    options.add_argument("--json", type=Path, help="also write the corpus figures there")
    asked = options.parse_args()
    if not (DATA / "index.csv").is_file():
        print("the recordings are not here: set REENACT_DATA to their folder", file=sys.stderr)
        return 2
    fine = measure_pilot() if asked.pairs != "corpus" else True
    if asked.pairs != "pilot":
        good, rows = measure_corpus()
        fine &= good
        if asked.json:
            asked.json.write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
