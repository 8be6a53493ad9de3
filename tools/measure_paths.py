"""Walks bent to curves: the recordings of `measure_walks`, times six paths.

    python tools/measure_paths.py [--seed 11] [--count 40]

Measured on the results: slip of carried plants, how far the low-passed way of the hips is from the curve (measured here, not by the
method), how far the body is turned off its direction where the recording walks straight, knees and joints against the recording.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import numpy as np
from measure_walks import find_clips


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


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--count", type=int, default=40)
    asked = parser.parse_args()
    from reenact.errors import ReenactError
    from reenact.loading import load
    from reenact.walk.path_following import PathParameters, follow_path
    from reenact.walk.travel_path import find_path
    from reenact.walk.walk_study import study_walk
    from reenact.walk.ways import circle, curve_through

    named = os.environ.get("REENACT_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    found: dict[str, list[tuple[str, dict]]] = {}
    refused: list[str] = []
    for file in find_clips(folder, asked.seed, asked.count):
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
            walked = find_path(made.clip)
            if parameters.radius is not None:
                way = circle(path.points[0], float(path.directions[0]), parameters.radius, path.length + 3)
            else:
                way = curve_through(
                    [tuple(path.points[0]), *[tuple(map(float, p.split(","))) for p in text.split(";")]]
                )
            points = walked.points[:: max(len(walked.points) // 100, 1)]
            inside = points[: np.searchsorted(walked.along[:: max(len(walked.points) // 100, 1)], way.along[-1]) or 1]
            away = [float(np.min(np.linalg.norm(way.points - point, axis=1))) for point in inside]
            found.setdefault(name, []).append((file.stem, {**made.report, "away_m": float(np.percentile(away, 95))}))
    columns = ("away_m", "off_direction_degrees", "slip_mm", "knee_acceleration", "acceleration")
    print("| path | made | silent | " + " | ".join(columns) + " |")
    print("|" + "---|" * (len(columns) + 3))
    for name, rows in found.items():
        cells = []
        for column in columns:
            values = [row[column] for _, row in rows if column in row]
            cells.append(f"{np.percentile(values, 95):.3g} / {max(values):.3g}" if values else "")
        print(f"| {name} | {len(rows)} | {sum(not row['doubts'] for _, row in rows)} | " + " | ".join(cells) + " |")
        for column in ("away_m", "knee_acceleration", "acceleration"):
            worst = sorted(rows, key=lambda one: -one[1][column])[:4]
            print(name, column, ", ".join(f"{clip} {row[column]:.3g}" for clip, row in worst), file=sys.stderr)
    for reason in refused:
        print("refused", reason, file=sys.stderr)


if __name__ == "__main__":
    main()
