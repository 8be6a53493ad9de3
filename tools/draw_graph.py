"""Draw the pictures of docs/cluster-graph.md and docs/sequencing.md from the CMU recordings: python tools/draw_graph.py DATA OUT [FIGURES].

DATA is the folder of recordings, OUT where pictures go, FIGURES the JSON of `benchmarks/graph.py` for the plot of times.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from reenact.graph.joining import join_segments
from reenact.graph.planning import plan_sequence
from reenact.library import Library
from reenact.operations.graph_pictures import node_poses, save_switch_pictures
from reenact.operations.library_graph import clip_waypoint, library_graph
from reenact.operations.mapped_source import library_source
from reenact.render import Curve, PlotParameters, StripParameters, save_picture, save_plot

WANTED = {
    "walk-to-stride": ("08_01", "08_07"),
    "walk-to-kick": ("02_01", "11_01"),
}


def main(data: Path, out: Path, figures: Path | None) -> None:
    """Build the graph of all recordings in a folder of its own and draw."""
    with tempfile.TemporaryDirectory() as place, Library.create(Path(place) / "lib") as library:
        library.import_folder([data / "cmu-bvh"])
        graph = library_graph(library).graph
        print(graph)
        for name, clips in WANTED.items():
            points = [clip_waypoint(library, graph, clip, first=n == 0) for n, clip in enumerate(clips)]
            plan = plan_sequence(graph, points)[0]
            made = join_segments(graph, plan.segments(graph), lambda clip: library_source(library, clip))
            print(name, plan.as_dict(graph), [row.get("slip_mm") for row in made.report["transitions"]])
            save_picture(made.clip.renamed(name), out / f"{name}.png", StripParameters(height=200))
            drawn = save_switch_pictures(library, graph, plan, Path(place) / "pose.bvh")
            (out / f"{name}-poses.png").write_bytes(drawn[0].read_bytes())
        shared = _node_of(graph, "08_01", "08_07")
        look = StripParameters(mode="row", count=1, height=420, traces=False, caption=False)
        save_picture(node_poses(library, graph, shared, 6), out / "cluster-node.png", look)
        print("node", shared, graph.sequences_of(shared)[:6])
    if figures is not None:
        rows = json.loads(figures.read_text())["sizes"]
        frames = np.array([row["frames"] for row in rows])
        curves = [
            Curve(name, frames / 1000, np.array([row[key] for row in rows]))
            for name, key in (
                ("features", "features_s"),
                ("clustering", "clustering_s"),
                ("cut and alignment", "cut_and_align_s"),
            )
        ]
        save_plot(
            curves, out / "cluster-growth.svg", PlotParameters("", "thousand frames", "CPU seconds", from_zero=True)
        )


def _node_of(graph, first: str, second: str) -> int:
    """The smallest node that several clips share, among them both of these."""
    from reenact.graph.search import shared_nodes

    nodes = shared_nodes(graph, first, second)
    return min(nodes, key=lambda node: (len(graph.sequences_of(node)) < 6, len(graph.sequences_of(node))))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)
