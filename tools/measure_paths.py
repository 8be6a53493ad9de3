"""Walks bent to curves: the recordings of `measure_walks`, times six paths.

    python tools/measure_paths.py [--seed 11] [--count 40] [--clips 16_15 ...] [--json FILE]

Measured on the results, here and not by the method: how far the hips are beside the curve more than they were beside the recorded way at
the same moment (`beside_m`: sway and zigzags of the recording do not count), and how far their low-passed way is from the curve with all
of that (`away_m`); slips and knees that bend backwards. Results over a limit of `walk_limits` are counted, those whose report says so in
words and silent ones. By the report: slip of carried plants, how far the body is turned off its direction where the
recording walks straight, knees and joints against the recording.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

import numpy as np
from measure_walks import find_clips
from walk_limits import backward_degrees, over, slips_mm


def cases():
    """Name and parameters of every path."""
    from reenact.walk.path_following import PathParameters

    for radius in (3.0, -3.0, 2.0, -1.5):
        yield f"radius {radius:g}", PathParameters(radius=radius)
    yield "s-curve", "s"
    yield "quarter turn", "turn"


def curve(kind: str, start: np.ndarray, direction: float) -> str:
    """Points ahead of a body, as text: an S of 6 m, or straight on and round a corner of 1.5 m."""
    points = {
        "s": [(0.5, 1.5), (0.0, 3.0), (-0.5, 4.5), (0.0, 6.0)],
        "turn": [(0.0, 1.0), (0.2, 1.8), (0.8, 2.5), (1.7, 2.7), (4.0, 2.7)],
    }
    ahead, left = (np.array([np.sin(direction + turn), np.cos(direction + turn)]) for turn in (0.0, np.pi / 2))
    places = [start + aside * left + far * ahead for aside, far in points[kind]]
    return ";".join(f"{x},{z}" for x, z in places)


def beside(place: np.ndarray, points: np.ndarray, along: np.ndarray, near: float) -> float:
    """Metres to the left of the nearest part of a line, within 0.6 m of where it is passed."""
    part = np.flatnonzero(np.abs(along - near) < 0.6)
    part = part[np.concatenate([[True], np.linalg.norm(np.diff(points[part], axis=0), axis=1) > 1e-6])]
    if len(part) < 2:
        return 0.0
    starts, ways = points[part[:-1]], np.diff(points[part], axis=0)
    share = np.einsum("ni,ni->n", place - starts, ways) / np.einsum("ni,ni->n", ways, ways)
    low, high = np.zeros(len(share)), np.ones(len(share))
    low[0], high[-1] = -np.inf, np.inf
    share = np.clip(share, low, high)
    off = place - starts - share[:, None] * ways
    best = int(np.argmin(np.linalg.norm(off, axis=1)))
    way = ways[best] / np.linalg.norm(ways[best])
    return float(off[best] @ np.array([way[1], -way[0]]))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--clips", nargs="*", default=[], help="only these of the recordings")
    parser.add_argument("--json", type=Path, help="every report")
    asked = parser.parse_args()
    from reenact.errors import ReenactError
    from reenact.loading import load
    from reenact.walk.path_following import PathParameters, follow_path
    from reenact.walk.travel_path import find_path, to_the_left, unit
    from reenact.walk.walk_study import study_walk
    from reenact.walk.ways import circle, curve_through

    named = os.environ.get("REENACT_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    found: dict[str, list[tuple[str, dict]]] = {}
    refused: list[str] = []
    for file in find_clips(folder, asked.seed, asked.count):
        if asked.clips and file.stem not in asked.clips:
            continue
        clip = load(file)
        path = study_walk(clip).path
        for name, parameters in cases():
            text = ""
            if isinstance(parameters, str):
                text = curve(parameters, path.points[0], float(path.directions[0]))
                parameters = PathParameters(through=text)
            try:
                made = follow_path(clip, parameters)
            except ReenactError as error:
                refused.append(f"{file.stem} {name}: {error}")
                continue
            walked, started = find_path(made.clip), study_walk(clip)
            if parameters.radius is not None:
                way = circle(path.points[0], float(path.directions[0]), parameters.radius, path.length + 3)
            else:
                way = curve_through(
                    [tuple(path.points[0]), *[tuple(map(float, p.split(","))) for p in text.split(";")]]
                )
            points = walked.points[:: max(len(walked.points) // 100, 1)]
            inside = points[: np.searchsorted(walked.along[:: max(len(walked.points) // 100, 1)], way.along[-1]) or 1]
            away = [float(np.min(np.linalg.norm(way.points - point, axis=1))) for point in inside]
            hips = clip.skeleton.roles.get("hips", 0)
            own, new = (one.world(np.float64).positions[:, hips][:, [0, 2]] for one in (started.base, made.clip))
            gone = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(walked.points, axis=0), axis=1))])
            frames = np.arange(0, len(new), max(len(new) // 200, 1))
            aside = np.einsum("fi,fi->f", own - path.points, to_the_left(unit(path.directions)))
            more = [
                beside(new[f], way.points, way.along, gone[f]) - aside[f] for f in frames if gone[f] < way.along[-1]
            ]
            figures = {"away_m": float(np.percentile(away, 95)), "beside_m": float(np.percentile(np.abs(more), 95))}
            report = {**made.report, **figures, "case": name, "clip": file.stem}
            assert made.plants is not None
            report["slip_mm"] = max(report["slip_mm"], slips_mm(made.clip, made.plants))
            report["backward_degrees"] = backward_degrees(made.clip, started.clip)
            report["said"], report["silent"] = over(report, report["doubts"])
            found.setdefault(name, []).append((file.stem, report))
    columns = ("beside_m", "away_m", "off_direction_degrees", "slip_mm", "knee_acceleration", "acceleration")
    print("| path | made | over, said | over, silent | no doubt | " + " | ".join(columns) + " |")
    print("|" + "---|" * (len(columns) + 5))
    for name, rows in found.items():
        cells = []
        for column in columns:
            values = [row[column] for _, row in rows if column in row]
            cells.append(f"{np.percentile(values, 95):.3g} / {max(values):.3g}" if values else "")
        said = sum(1 for _, row in rows if row["said"] and not row["silent"])
        silent = sum(1 for _, row in rows if row["silent"])
        quiet = sum(1 for _, row in rows if not row["doubts"])
        print(f"| {name} | {len(rows)} | {said} | {silent} | {quiet} | " + " | ".join(cells) + " |")
        for clip, row in rows:
            if row["said"] or row["silent"]:
                print("over", name, clip, "said:", row["said"], "silent:", row["silent"], file=sys.stderr)
        for column in ("beside_m", "away_m", "knee_acceleration", "acceleration"):
            worst = sorted(rows, key=lambda one: -one[1][column])[:4]
            print(name, column, ", ".join(f"{clip} {row[column]:.3g}" for clip, row in worst), file=sys.stderr)
    if asked.json:
        asked.json.write_text(json.dumps([row for rows in found.values() for _, row in rows], indent=1))
    for reason in refused:
        print("refused", reason, file=sys.stderr)


if __name__ == "__main__":
    main()
