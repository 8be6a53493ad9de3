"""The mobility map: how time and memory grow with the poses, and how much quicker the search for edges is than brute force.

    python benchmarks/mobility.py [--json FILE]

Poses are those of the CMU recordings of walking, running, standing and turning in `$REENACT_DATA` or `../shared/data` at 30 Hz on one
skeleton, with their mirror images; without them those of generated motions. CPU seconds of all threads and seconds of the clock; memory is
the peak of a process of its own for each size. Brute force is `search_edges_plainly`: NumPy in blocks, every pair of poses, in the same run
on the same poses; both give the same edges, which is checked.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZES = (5_000, 10_000, 20_000, 33_404, 40_000)
"""Poses; the thesis had 33 404."""

PLAIN = 5_000
"""Poses of the comparison with brute force."""

TAKEN = re.compile(r"walk|run|jog|stand|turn|step|march|navigate|stride|stop|wander|creep|sneak|limp", re.IGNORECASE)
LEFT_OUT = re.compile(
    r"stairs|dance|jump|ladder|uneven|slope|kick|pick up|roll|duck|leap|hop|soccer|basket|sit |punch|box|cart|up and over|step on|"
    r"up object|steop|arm|stool|hold|carry|russian|scramble|salsa|tool",
    re.IGNORECASE,
)


def load_walks():
    """Recordings of going and standing."""
    from reenact.loading import load

    named = os.environ.get("REENACT_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    if (folder / "index.csv").is_file():
        with open(folder / "index.csv", newline="") as stream:
            rows = [row for row in csv.DictReader(stream) if row["path"].startswith("cmu-bvh")]
        words = [(row["path"], row["description"]) for row in rows]
        return [load(folder / path) for path, text in words if TAKEN.search(text) and not LEFT_OUT.search(text)]
    from reenact.samples import sample_library

    return [sample.clip for sample in sample_library() if sample.type in ("walk", "run", "stand")]


def first_poses(database, count: int):
    """Whole clips, spread evenly over the library, that hold about `count` poses, half of them mirror images."""
    import numpy as np

    from reenact.mobility.pose_database import keep_clips

    clips = len(database.names) // 2
    lengths = np.diff(database.starts)[:clips]
    order = np.random.default_rng(1).permutation(clips)
    chosen = np.sort(order[: int(np.searchsorted(2 * np.cumsum(lengths[order]), count)) + 1])
    return keep_clips(database, np.concatenate([chosen, chosen + clips]))


def measure(file: Path, count: int, profile: str) -> dict:
    """All stages for so many poses."""
    from reenact.mobility.map_building import build_mobility_map
    from reenact.mobility.map_parameters import MapParameters

    database = first_poses(pickle.loads(file.read_bytes()), count)
    build_mobility_map(first_poses(database, 600), MapParameters(options=2, keep=0.01))  # machine code is loaded
    report = build_mobility_map(database, MapParameters(profile=profile)).report
    stages = {stage["stage"]: stage for stage in report["stages"]}
    return {
        "poses": database.poses,
        **{f"{name}_s": stages[name]["cpu_s"] for name in ("graph", "sequences", "map")},
        **{name: stages[where][name] for where, name in _COUNTS},
        "cpu_s": report["cpu_s"],
        "wall_s": report["wall_s"],
        "peak_mib": report["peak_bytes"] / 2**20,
    }


_COUNTS = (
    ("graph", "tau_max"),
    ("component", "kept_share"),
    ("actions", "states"),
    ("actions", "actions"),
    ("map", "map_states"),
    ("map", "mean_options"),
    ("map", "bytes"),
)


def compare(file: Path) -> dict:
    """CPU seconds of the search for edges and of brute force on the same poses."""
    import numpy as np

    from reenact.mobility.edge_search import search_edges
    from reenact.mobility.transition_cost import make_metric_table, search_edges_plainly, settle

    table = make_metric_table(first_poses(pickle.loads(file.read_bytes()), PLAIN))
    search_edges(table, 0.5)
    start = time.process_time()
    quick = search_edges(table, 3.0)
    middle = time.process_time()
    plain = settle(table, *search_edges_plainly(table, 3.0), 3.0)
    end = time.process_time()
    same = all(np.array_equal(getattr(quick, name), getattr(plain, name)) for name in ("sources", "targets", "costs"))
    return {
        "poses": len(table),
        "edges": len(quick),
        "same": same,
        "search_s": middle - start,
        "plain_s": end - middle,
        "ratio": (end - middle) / (middle - start),
    }


def main() -> None:
    """Measure every size in a process of its own and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write the figures there")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES, help="poses")
    parser.add_argument("--profile", default="robust", choices=("robust", "thesis"))
    parser.add_argument("--poses", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is not None:
        print(json.dumps(measure(given.poses, given.one, given.profile) if given.one else compare(given.poses)))
        return
    from reenact.mobility.gathering import build_pose_database

    with tempfile.TemporaryDirectory() as folder:
        file = given.poses or Path(folder) / "poses"
        if given.poses is None:
            start = time.process_time()
            clips = load_walks()
            database = build_pose_database(clips)
            file.write_bytes(pickle.dumps(database))
            print(f"{len(clips)} clips, {database.poses} poses gathered in {time.process_time() - start:.1f} CPU s")
        one = _ask(file, 0, given.profile)
        rows = [_ask(file, size, given.profile) for size in given.sizes]
    print(
        "| poses | graph s | sequences s | map s | all CPU s | clock s | peak MiB | dearest | kept | states | of the map | options |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        print(
            f"| {row['poses']} | {row['graph_s']:.1f} | {row['sequences_s']:.1f} | {row['map_s']:.1f} | {row['cpu_s']:.1f} | "
            f"{row['wall_s']:.1f} | {row['peak_mib']:.0f} | {row['tau_max']:.2f} | {row['kept_share']:.1%} | {row['states']} | "
            f"{row['map_states']} | {row['mean_options']:.0f} |"
        )
    print(
        f"brute force takes {one['ratio']:.1f} times as long ({one['plain_s']:.1f} s, {one['search_s']:.2f} s) for {one['edges']} edges of "
        f"{one['poses']} poses, which are {'the same' if one['same'] else 'OTHERS'}"
    )
    if given.json is not None:
        given.json.write_text(json.dumps({"sizes": rows, "brute_force": one}, indent=1))


def _ask(file: Path, size: int, profile: str) -> dict:
    asked = [sys.executable, __file__, "--poses", str(file), "--one", str(size), "--profile", profile]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


if __name__ == "__main__":
    main()
