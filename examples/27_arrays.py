"""Features, the cluster graph and registrations of many clips as arrays, in parallel: `python 27_arrays.py [FOLDER [MOST]]`.

Without arguments a few samples are taken. Registrations are those of each clip with the next one of its type; the graph is of the
clips with the skeleton that most of them have. What cannot be described (a bird has no feet to tell its gait by) is said and left out.
"""

import itertools
import os
import sys
from collections import Counter
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


def describe(file: Path) -> tuple[str, np.ndarray, str] | str:
    """Name, features of all frames (weighted points of the body), and type of a clip; or why there are none."""
    try:
        clip = reenact.load(file)
        found = describe_clips(PointCloudMetric(), [clip])
        return clip.name, found.points[found.first], reenact.classify(clip).type
    except reenact.ReenactError as error:
        return f"{file.name}: {error}"


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
        answers = dict(zip(files, pool.map(describe, files, chunksize=4), strict=True))
        print(*(f"left out: {answer}" for answer in answers.values() if isinstance(answer, str)), sep="\n")
        described = {file: answer for file, answer in answers.items() if not isinstance(answer, str)}
        order = sorted(described, key=lambda file: described[file][2])
        pairs = [(a, b) for a, b in itertools.pairwise(order) if described[a][2] == described[b][2]]
        curves = list(pool.map(correspond, pairs, chunksize=2))
    clips = {file: reenact.load(file) for file in described}
    usual = Counter(clip.skeleton.names for clip in clips.values()).most_common(1)[0][0]
    alike = [clip for clip in clips.values() if clip.skeleton.names == usual]
    graph = build_cluster_graph(alike, GraphParameters(error=0.1))
    arrays = {f"features/{name}": values for name, values, _ in described.values()}
    arrays |= {
        f"frames/{a.stem}+{b.stem}": curve for (a, b), curve in zip(pairs, curves, strict=True) if curve is not None
    }
    types = np.array([kind for _, _, kind in described.values()])
    np.savez("arrays.npz", node_of_frame=graph.node_of_frame, starts=graph.starts, types=types, **arrays)
    good = sum(curve is not None for curve in curves)
    print(
        f"{len(described)} clips, {graph.nodes} nodes of {graph.frames} frames of {len(alike)} of them, "
        f"{good} of {len(pairs)} pairs registered"
    )


if __name__ == "__main__":
    if sys.argv[1:]:
        every = sorted(Path(sys.argv[1]).rglob("*.bvh"))
        main(every[: int(sys.argv[2]) if sys.argv[2:] else None])
    else:
        for name in SAMPLES:
            reenact.save(make_sample(name, 30.0).clip, f"{name}.npz")
        main([Path(f"{name}.npz") for name in SAMPLES])
