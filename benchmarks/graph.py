"""The cluster graph: how time and memory grow with the frames, and how quick a query is.

    python benchmarks/graph.py [--json FILE]

CPU seconds of one thread; memory is the peak of a process of its own for each size. The frames are those of the CMU recordings in
`$REENACT_DATA` or `../shared/data` in the order of their names; without them generated motions, repeated with noise.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

SIZES = (5_000, 10_000, 20_000, 40_000, 0)
"""Frames; 0 stands for all there are."""

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def load_clips():
    """All clips on one skeleton."""
    from reenact.loading import load

    named = os.environ.get("REENACT_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    files = sorted((folder / "cmu-bvh").rglob("*.bvh"))
    if files:
        return [load(file) for file in files]
    from reenact.samples import sample_library

    return [sample.clip for sample in sample_library(120.0)]


def first_frames(clips, count: int):
    """The first clips that hold `count` frames, the last one cut; all when `count` is 0."""
    from reenact.core.cutting import CutParameters, cut

    if count == 0:
        return clips
    chosen = []
    for clip in clips:
        left = count - sum(map(len, chosen))
        if left <= 0:
            break
        chosen.append(clip if len(clip) <= left else cut(clip, CutParameters(0, left)))
    return chosen


def peak() -> float:
    """Peak memory of this process so far, MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(count: int) -> dict[str, float]:
    """Build the graph of `count` frames step by step."""
    import numpy as np

    from reenact.graph.building import describe_clip, graph_of_described
    from reenact.graph.cluster_graph import graph_from_tree
    from reenact.graph.cluster_tree import build_cluster_tree
    from reenact.graph.features import frame_metric
    from reenact.graph.graph_parameters import GraphParameters
    from reenact.samples import make_sample

    warm = make_sample("walk_normal").clip
    metric = frame_metric(warm.skeleton)
    graph_of_described([describe_clip(warm, metric)], metric, GraphParameters())
    clips = first_frames(load_clips(), count)
    metric = frame_metric(clips[0].skeleton)
    loaded = peak()
    start = time.process_time()
    described = [describe_clip(clip, metric) for clip in clips]
    features = np.concatenate([one.features for one in described])
    states = np.concatenate([one.states for one in described])
    features_took, start = time.process_time() - start, time.process_time()
    before = peak()
    tree = build_cluster_tree(features, states)
    tree_took, tree_peak, start = time.process_time() - start, peak(), time.process_time()
    parameters = GraphParameters(error=0.09)
    graph = graph_from_tree([one.about for one in described], metric, features, states, tree, 0.09, parameters)
    return {
        "frames": len(features),
        "features_s": features_took,
        "clustering_s": tree_took,
        "cut_and_align_s": time.process_time() - start,
        "loaded_mib": loaded,
        "clustering_mib": tree_peak - before,
        "peak_mib": peak(),
        "nodes": graph.nodes,
        "sequences": len(graph.sequence_starts),
    }


def queries(mirrored: bool) -> dict[str, float]:
    """Milliseconds of queries between random clips of the graph of all frames, with their mirror images or without."""
    import numpy as np

    from reenact.graph.building import build_cluster_graph
    from reenact.graph.graph_parameters import GraphParameters
    from reenact.graph.search import find_options, waypoint
    from reenact.graph.search_parameters import SearchParameters

    graph = build_cluster_graph(load_clips(), GraphParameters(mirrored=mirrored))
    rng, names = np.random.default_rng(0), sorted({clip.name for clip in graph.clips})
    found: dict[str, float] = {"frames": graph.frames}
    for name, via in (("direct or through others", "auto"), ("through others too", "any")):
        parameters, took = SearchParameters(via=via), []
        find_options(graph, waypoint(graph, 0), waypoint(graph, 1), SearchParameters(via="any"), 1)
        for _ in range(400):
            a, b = (str(n) for n in rng.choice(names, 2, replace=False))
            start = time.process_time()
            find_options(graph, waypoint(graph, a), waypoint(graph, b), parameters, 1)
            took.append(1e3 * (time.process_time() - start))
        found[f"{name}: median ms"], found[f"{name}: 99 % below ms"] = np.median(took), np.percentile(took, 99)
        found[f"{name}: longest ms"] = max(took)
    return {key: float(value) for key, value in found.items()}


def main() -> None:
    """Measure every size in a process of its own and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write the figures there")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is not None:
        asked = {"queries": False, "mirrored queries": True}
        print(json.dumps(queries(asked[given.one]) if given.one in asked else measure(int(given.one))))
        return
    rows = [_ask(str(size)) for size in SIZES]
    asked = {f"{what}, {name}": value for what in ("queries", "mirrored queries") for name, value in _ask(what).items()}
    print("| frames | features s | clustering s | cut, align s | clustering MiB | peak MiB | nodes | sequences |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        print(
            f"| {row['frames']:.0f} | {row['features_s']:.2f} | {row['clustering_s']:.2f} | {row['cut_and_align_s']:.2f} | "
            f"{row['clustering_mib']:.0f} | {row['peak_mib']:.0f} | {row['nodes']:.0f} | {row['sequences']:.0f} |"
        )
    for name, value in asked.items():
        print(f"{name}: {value:.1f}")
    if given.json is not None:
        given.json.write_text(json.dumps({"sizes": rows, "queries": asked}, indent=1))


def _ask(what: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, __file__, "--one", what],
        env={**os.environ, **ONE_THREAD},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


if __name__ == "__main__":
    main()
