"""Clips added to a cluster graph against a graph built anew: agreement of their nodes, time, and which of the two was done.

python tools/measure_graph.py [--clips 100] [--splits 5] [--seed 200]

The CMU recordings of $REENACT_DATA, else ../shared/data. For each split as many clips are drawn by the seed; 1, 3, 6, 12, 25 and 50 % of
them are added to a graph of the others. Agreement is the adjusted Rand index over all frames: of the graph as `extend_cluster_graph`
makes it (error chosen anew), and of one that is always extended, cut at the error of the graph built anew. Noise is what that index is
between two graphs that are both built anew, one of them of features with a tenth of a millimetre of noise: how far the partition is
determined at all. Time is that of the extension over that of building anew from features that are there.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np

from reenact.analysis.agreement import adjusted_rand
from reenact.analysis.plants import detect_plants
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.errors import ReenactError
from reenact.graph.building import DescribedClip, build_cluster_graph, describe_clip, graph_of_described
from reenact.graph.cluster_tree import build_cluster_tree
from reenact.graph.extending import extend_cluster_graph
from reenact.graph.features import FrameMetric
from reenact.graph.graph_parameters import GraphParameters
from reenact.loading import LoadOptions, load
from reenact.solve.skeleton_map import map_with_plants

SHARES = (0.01, 0.03, 0.06, 0.12, 0.25, 0.5)
MOST_FRAMES = 4000


def described_clips() -> tuple[list[DescribedClip], FrameMetric]:
    """Every CMU recording as a graph sees it."""
    folder = Path(os.environ.get("REENACT_DATA") or Path(__file__).parents[2] / "shared" / "data") / "cmu-bvh"
    found: list[DescribedClip] = []
    metric: FrameMetric | None = None
    first: Clip | None = None
    for file in sorted(folder.rglob("*.bvh")):
        try:
            clip = load(file, LoadOptions(fps="auto"))
            first = first or clip
            metric = metric or build_cluster_graph([clip]).metric
            if len(clip) <= MOST_FRAMES:
                found.append(describe_clip(*_on_body(clip, first, metric)))
        except ReenactError as error:
            print(f"{file.name}: {error}", file=sys.stderr)
    if metric is None:
        sys.exit(f"no recordings in {folder}: set REENACT_DATA")
    return found, metric


def _on_body(clip: Clip, first: Clip, metric: FrameMetric) -> tuple[Clip, FrameMetric, FootPlants | None]:
    """The clip on the skeleton of the first, as a graph takes it."""
    brought, plants = map_with_plants(clip, first, detect_plants(clip))
    return brought, metric, plants


def main() -> None:
    """Print a line for every extension and a summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", type=int, default=100)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--seed", type=int, default=200)
    asked = parser.parse_args()
    clips, metric = described_clips()
    rows: list[tuple[float, ...]] = []
    for split in range(asked.splits):
        order = np.random.default_rng(asked.seed + split).permutation(len(clips))[: asked.clips]
        chosen = [clips[place] for place in order]
        began = time.process_time()
        whole = graph_of_described(chosen, metric, GraphParameters())
        anew = time.process_time() - began
        noise = np.random.default_rng(asked.seed).normal(0, 1e-4, whole.features.shape)
        shaken = build_cluster_tree(whole.features + noise.astype(np.float32), whole.states).cut(whole.error)
        ceiling = adjusted_rand(shaken, whole.node_of_frame)
        print(
            f"split {split}: {whole.frames} frames, {whole.nodes} nodes, {anew:.2f} s, error {whole.error} m, noise {ceiling:.3f}"
        )
        for share in SHARES:
            new = max(1, round(share * len(chosen)))
            graph = graph_of_described(chosen[:-new], metric, GraphParameters())
            began = time.process_time()
            made = extend_cluster_graph(graph, chosen[-new:])
            took = time.process_time() - began
            always = extend_cluster_graph(graph, chosen[-new:], 1.0).graph
            agreed = adjusted_rand(made.graph.node_of_frame, whole.node_of_frame)
            fixed = adjusted_rand(always.tree.cut(whole.error), whole.node_of_frame)
            added = 1 - graph.frames / whole.frames
            rows.append((agreed, fixed, ceiling, made.disturbed, float(made.rebuilt), took / anew))
            done = "rebuilt " if made.rebuilt else "extended"
            print(
                f"  {new:3d} clips, {added:6.1%} of the frames: {done} disturbed {made.disturbed:6.1%}"
                f"  agreement {agreed:.3f}  always extended, same error {fixed:.3f}  time {took / anew:.2f}",
                flush=True,
            )
    table = np.array(rows)
    kept = table[table[:, 4] == 0]
    print(f"{len(table)} extensions, {len(table) - len(kept)} of them rebuilt")
    print(
        f"agreement: least {table[:, 0].min():.3f}, median {np.median(table[:, 0]):.3f}; noise alone {table[:, 2].min():.3f}"
    )
    print(
        f"extended ones: agreement least {kept[:, 0].min():.3f}, time median {np.median(kept[:, 5]):.2f} of building anew"
    )
    print(f"always extended, same error: least {table[:, 1].min():.3f}, median {np.median(table[:, 1]):.3f}")


if __name__ == "__main__":
    main()
