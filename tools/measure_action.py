"""What default transitions and sequences keep of their clips, and which cycles default loops repeat.

python tools/measure_action.py [--pairs 60] [--loops 60] [--sequences 120] [--seed 9] [--search action|anywhere] [--json FILE]

The recordings are those of $REENACT_DATA, else ../shared/data. Transitions: the class of the second clip (by the words of its
description in index.csv) is drawn first, so that jumps, kicks and punches are as frequent as walks; the first clip is any other of the
same tree of joints; both at least 1.5 s long. Lost: the share of a clip's seconds, and of its action, that is not played. Loops: the
class is drawn in the same way; turn and speed of the cycle are compared with the typical turn and speed of the clip, worked out here from
the hips alone: the median over all stretches of the clip as long as the cycle that travel at least half as fast as its fastest.
Sequences: plans through three clips of the cluster graph of 70 recordings drawn in the same way.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import os
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import reenact
from reenact.analysis.action import action_density
from reenact.analysis.plants import detect_plants
from reenact.core.clip import Clip
from reenact.core.placement import headings
from reenact.edit.loop import LoopParameters, make_loop
from reenact.edit.transition import TransitionParameters, make_transition
from reenact.errors import ReenactError
from reenact.graph.building import build_cluster_graph
from reenact.graph.planning import plan_sequence
from reenact.graph.search import waypoint
from reenact.graph.search_parameters import SearchParameters

CLASSES = {
    "jump": r"jump|hop\b|leap",
    "kick": r"kick",
    "punch": r"punch|box",
    "run": r"run|jog",
    "walk": r"walk|march|sneak|creep|limp|stride",
    "dance": r"dance|charleston|lindy|salsa|macarena|twist",
    "other": r".",
}
"""Classes by the words of a description; the first that fits."""


def data_folder() -> Path:
    """The folder of recordings."""
    return Path(os.environ.get("REENACT_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")


def recordings(folder: Path) -> dict[str, list[tuple[Path, str]]]:
    """Recordings of the CMU folder, 1.5 s or longer, by class: (file, description)."""
    found: dict[str, list[tuple[Path, str]]] = {name: [] for name in CLASSES}
    with (folder / "index.csv").open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            if row["path"].startswith("cmu-bvh/") and float(row["seconds"]) >= 1.5:
                words = row["description"].casefold()
                kind = next(name for name, pattern in CLASSES.items() if re.search(pattern, words))
                found[kind].append((folder / row["path"], row["description"]))
    if not any(found.values()):
        sys.exit(f"no recordings in {folder}: set REENACT_DATA")
    return {name: sorted(rows) for name, rows in found.items()}


def draw(classes: dict[str, list[Any]], count: int, rng: np.random.Generator) -> list[tuple[str, Any]]:
    """Recordings, every class as often as any other."""
    names = list(classes)
    drawn = []
    for number in range(count):
        rows = classes[names[number % len(names)]]
        drawn.append((names[number % len(names)], rows[int(rng.integers(len(rows)))]))
    return drawn


def measure_transitions(
    classes: dict[str, list[Any]], count: int, seed: int, options: dict[str, Any]
) -> list[dict[str, Any]]:
    """One row for every pair."""
    rng, rows = np.random.default_rng([seed, 1]), []
    every = [row for some in classes.values() for row in some]
    for kind, (path, words) in draw(classes, count, rng):
        first = path
        while first == path:
            first = every[int(rng.integers(len(every)))][0]
        a, b = reenact.load(first), reenact.load(path)
        row: dict[str, Any] = {"class": kind, "a": first.stem, "b": path.stem, "words": words}
        rows.append(row)
        plants = detect_plants(a), detect_plants(b)
        begun = time.perf_counter()
        try:
            made = make_transition(a, b, TransitionParameters(**options), *plants)
        except ReenactError as error:
            row["error"] = str(error)
            continue
        at, into = made.report["at"], made.report["into"]
        row["seconds"] = time.perf_counter() - begun
        row.update(at=at, into=into, cost=made.report["cost"], ratio=made.report["acceleration_ratio"])
        row.update(lost_first=1 - (at + 1) / len(a), lost_second=into / len(b))
        row["action_first"] = float(action_density(a)[at + 1 :].sum())
        row["action_second"] = float(action_density(b)[: round(into * b.fps / a.fps)].sum())
        row["says"] = made.report.get("lost")
    return rows


def travel(clip: Clip) -> tuple[np.ndarray, np.ndarray]:
    """Way (F,) in metres and heading (F,) in radians, both added up from the start; steps smoothed over half a second."""
    hips = clip.world(np.float64).positions[:, clip.skeleton.roles.get("hips", 0)][:, [0, 2]]
    width = max(3, round(0.5 * clip.fps) | 1)
    padded = np.pad(hips, [(width // 2, width // 2), (0, 0)], mode="reflect", reflect_type="odd")
    smooth = np.stack([np.convolve(x, np.ones(width) / width, "valid") for x in padded.T], axis=1)
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(smooth, axis=0), axis=1))])
    return way, np.unwrap(headings(clip))


def measure_loops(classes: dict[str, list[Any]], count: int, seed: int) -> list[dict[str, Any]]:
    """One row for every clip."""
    rng, rows = np.random.default_rng([seed, 2]), []
    for kind, (path, words) in draw(classes, count, rng):
        clip = reenact.load(path)
        row: dict[str, Any] = {"class": kind, "clip": path.stem, "words": words}
        rows.append(row)
        plants = detect_plants(clip)
        begun = time.perf_counter()
        try:
            report = make_loop(clip, LoopParameters(count=2), plants).report
        except ReenactError as error:
            row["error"] = str(error)
            continue
        row["seconds"] = time.perf_counter() - begun
        start, end = report["start"], report["end"]
        period = (end - start) / clip.fps
        way, turned = travel(clip)
        speeds = (way[end - start :] - way[: start - end]) / period
        turns = np.degrees(turned[end - start :] - turned[: start - end]) / period
        moving = speeds >= 0.5 * speeds.max()
        row.update(
            start=start, end=end, period=period, error_m=report["seam_error_m"], ratio=report["acceleration_ratio"]
        )
        row.update(speed=float(speeds[start]), typical_speed=float(np.median(speeds[moving])))
        row.update(turn=float(turns[start]), typical_turn=float(np.median(turns[moving])))
        row["says"] = report.get("unsteady")
    return rows


def measure_sequences(
    classes: dict[str, list[Any]], count: int, seed: int, options: dict[str, Any]
) -> list[dict[str, Any]]:
    """Plans through three clips of a cluster graph, without making them; one row for every plan."""
    rng, rows = np.random.default_rng([seed, 3]), []
    paths = dict.fromkeys(path for _, (path, _) in draw(classes, 10 * len(classes), rng))
    clips = [reenact.load(path) for path in paths]
    graph = build_cluster_graph(clips)
    action = [action_density(clip) for clip in clips]
    for _ in range(count):
        chosen = [int(n) for n in rng.choice(len(clips), 3, replace=False)]
        points = [waypoint(graph, n) for n in chosen]
        row: dict[str, Any] = {"clips": [clips[n].name for n in chosen]}
        rows.append(row)
        begun = time.perf_counter()
        try:
            plan = plan_sequence(graph, points, SearchParameters(**options))[0]
        except ReenactError as error:
            row["error"] = str(error).split(";")[0]
            continue
        row["seconds"] = time.perf_counter() - begun
        ends = [(0, *plan.options[0].leave[::-1])]
        ends += [(a.enter[1], b.leave[1], b.leave[0]) for a, b in itertools.pairwise(plan.options)]
        ends += [(plan.options[-1].enter[1], graph.clips[chosen[-1]].frames - 1, chosen[-1])]
        row["played"] = [(end + 1 - start) / graph.clips[clip].frames for start, end, clip in ends]
        row["action"] = [float(action[clip][start : end + 1].sum()) for start, end, clip in ends]
        row["switches"], row["cost"] = len(plan.switches), plan.cost
        row["error_m"] = max(switch.error for switch in plan.switches)
        row["says"] = [option.lost for option in plan.options if getattr(option, "lost", "")]
    return rows


def print_sequences(rows: Sequence[dict[str, Any]]) -> None:
    """The table of sequences: what is lost of the first, second and third clip."""
    made = [row for row in rows if "played" in row]
    print(f"\n{len(rows)} sequences of three clips, {len(rows) - len(made)} without a way\n")
    print("| clip | time lost, median | worst | > 50 % | action lost, median | worst | > 50 % |\n|" + "---|" * 7)
    for n, name in enumerate(("first", "second", "third")):
        cells = [name]
        for key in ("played", "action"):
            lost = np.array([1 - row[key][n] for row in made])
            cells += [f"{np.median(lost):.2f}", f"{lost.max():.2f}", str(int((lost > 0.5).sum()))]
        print("| " + " | ".join(cells) + " |")
    switches, errors = [row["switches"] for row in made], [row["error_m"] for row in made]
    print(
        f"\nswitches {np.mean(switches):.2f}, poses apart {1000 * np.median(errors):.0f} mm, "
        f"{1000 * np.median([row['seconds'] for row in made]):.1f} ms a plan, said {sum(bool(row['says']) for row in made)}"
    )


def print_transitions(rows: Sequence[dict[str, Any]]) -> None:
    """The table of transitions."""
    made = [row for row in rows if "at" in row]
    print(f"\n{len(rows)} transitions, {len(rows) - len(made)} refused\n")
    print("| second clip | n | lost of second, median | worst | > 50 % | action lost, median | worst | > 50 % ", end="")
    print("| lost of first, median | worst | > 50 % | action lost, median | worst | > 50 % | cost mm | ms |")
    print("|" + "---|" * 16)
    for kind in (*CLASSES, "all"):
        some = [row for row in made if kind in (row["class"], "all")]
        if not some:
            continue
        cells = [kind, str(len(some))]
        for name in ("lost_second", "action_second", "lost_first", "action_first"):
            values = np.array([row[name] for row in some])
            cells += [f"{np.median(values):.2f}", f"{values.max():.2f}", str(int((values > 0.5).sum()))]
        cells += [f"{1000 * np.median([row['cost'] for row in some]):.0f}"]
        cells += [f"{1000 * np.median([row['seconds'] for row in some]):.0f}"]
        print("| " + " | ".join(cells) + " |")
    for row in made:
        if max(row["lost_second"], row["action_second"], row["lost_first"], row["action_first"]) > 0.5:
            print(
                f"  {row['a']} > {row['b']} ({row['words']}): lost {row['lost_first']:.2f} / {row['lost_second']:.2f}, "
                f"action {row['action_first']:.2f} / {row['action_second']:.2f}; says {row['says']}"
            )
    for row in rows:
        if "error" in row:
            print(f"  refused: {row['a']} > {row['b']}: {row['error']}")


def unsteady(row: dict[str, Any]) -> bool:
    """Whether a cycle turns by 30 degrees a second more or travels by a third (and 0.2 m/s) otherwise than its clip."""
    apart = abs(row["speed"] - row["typical_speed"])
    return abs(row["turn"] - row["typical_turn"]) > 30 or apart > 0.2 + row["typical_speed"] / 3


def print_loops(rows: Sequence[dict[str, Any]]) -> None:
    """The table of loops."""
    made = [row for row in rows if "start" in row]
    print(f"\n{len(rows)} loops, {len(rows) - len(made)} refused\n")
    print(
        "| clip | n | speed off by m/s, median | worst | turn off by deg/s, median | worst | unsteady | ends apart mm | ms |"
    )
    print("|" + "---|" * 9)
    for kind in (*CLASSES, "all"):
        some = [row for row in made if kind in (row["class"], "all")]
        if not some:
            continue
        speed = np.array([abs(row["speed"] - row["typical_speed"]) for row in some])
        turn = np.array([abs(row["turn"] - row["typical_turn"]) for row in some])
        cells = [kind, str(len(some)), f"{np.median(speed):.2f}", f"{speed.max():.2f}", f"{np.median(turn):.1f}"]
        cells += [f"{turn.max():.1f}", str(sum(unsteady(row) for row in some))]
        cells += [f"{1000 * np.median([row['error_m'] for row in some]):.0f}"]
        cells += [f"{1000 * np.median([row['seconds'] for row in some]):.0f}"]
        print("| " + " | ".join(cells) + " |")
    for row in made:
        if unsteady(row):
            print(
                f"  {row['clip']} ({row['words']}) {row['start']}-{row['end']}: {row['speed']:.2f} m/s, "
                f"typical {row['typical_speed']:.2f}; {row['turn']:.0f} deg/s, typical {row['typical_turn']:.0f}; says {row['says']}"
            )
    for row in rows:
        if "error" in row:
            print(f"  refused: {row['clip']} ({row['words']}): {row['error']}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--loops", type=int, default=60)
    parser.add_argument("--sequences", type=int, default=120)
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--search", choices=("action", "anywhere"), help="how frames are chosen; default: the default")
    parser.add_argument("--json", type=Path, help="also write every row there")
    asked = parser.parse_args()
    classes = recordings(data_folder())
    options = {"search": asked.search} if asked.search else {}
    rows = {
        "transitions": measure_transitions(classes, asked.pairs, asked.seed, options) if asked.pairs else [],
        "loops": measure_loops(classes, asked.loops, asked.seed) if asked.loops else [],
        "sequences": measure_sequences(classes, asked.sequences, asked.seed, options) if asked.sequences else [],
    }
    if asked.json:
        asked.json.write_text(json.dumps(rows, indent=1))
    if rows["transitions"]:
        print_transitions(rows["transitions"])
    if rows["loops"]:
        print_loops(rows["loops"])
    if rows["sequences"]:
        print_sequences(rows["sequences"])


if __name__ == "__main__":
    main()
