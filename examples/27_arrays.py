"""Features, the cluster graph and registrations of many clips as arrays, in parallel: `python 27_arrays.py [FOLDER [MOST]]`.

Without arguments a few samples are taken. Registrations are those of each clip with the next one of its type.
"""

import itertools
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import reenact
from reenact.analysis.metrics import PointCloudMetric, describe_clips
from reenact.blend.registration import register
from reenact.graph.building import build_cluster_graph
from reenact.graph.graph_parameters import GraphParameters
from reenact.samples import make_sample

SAMPLES = ("walk_slow", "walk_normal", "walk_fast", "jog", "run", "stand")


def describe(file: Path) -> tuple[str, np.ndarray, str]:
    """Name, features of all frames (weighted points of the body), and type of a clip."""
    clip = reenact.load(file)
    found = describe_clips(PointCloudMetric(), [clip])
    return clip.name, found.points[found.first], reenact.classify(clip).type


def correspond(pair: tuple[Path, Path]) -> np.ndarray | None:
    """(N, 2) frames of two clips that belong together, or None where they do not correspond."""
    try:
        curve = register([reenact.load(file) for file in pair])
    except reenact.ReenactError:
        return None
    return curve.warp.frames_at(np.linspace(0, curve.length, 100))


def main(files: list[Path]) -> None:
    """Work on all files and write arrays.npz."""
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        described = list(pool.map(describe, files, chunksize=4))
        types = [kind for _, _, kind in described]
        order = sorted(range(len(files)), key=lambda n: types[n])
        pairs = [(files[a], files[b]) for a, b in itertools.pairwise(order) if types[a] == types[b]]
        curves = list(pool.map(correspond, pairs, chunksize=2))
    clips = [reenact.load(file) for file in files]
    graph = build_cluster_graph(clips, GraphParameters(error=0.1))
    arrays = {f"features/{name}": values for name, values, _ in described}
    arrays |= {
        f"frames/{a.stem}+{b.stem}": curve for (a, b), curve in zip(pairs, curves, strict=True) if curve is not None
    }
    np.savez("arrays.npz", node_of_frame=graph.node_of_frame, starts=graph.starts, types=np.array(types), **arrays)
    good = sum(curve is not None for curve in curves)
    print(f"{len(files)} clips, {graph.nodes} nodes of {graph.frames} frames, {good} of {len(pairs)} pairs registered")


if __name__ == "__main__":
    if sys.argv[1:]:
        every = sorted(Path(sys.argv[1]).rglob("*.bvh"))
        main(every[: int(sys.argv[2]) if sys.argv[2:] else None])
    else:
        for name in SAMPLES:
            reenact.save(make_sample(name, 30.0).clip, f"{name}.npz")
        main([Path(f"{name}.npz") for name in SAMPLES])
