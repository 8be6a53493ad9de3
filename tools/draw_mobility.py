"""Draw the pictures of docs/mobility.md.

    python tools/draw_mobility.py MAP [--figures FILE] [--out docs/images]

MAP is a map of recordings (`reenact mobility build`), the figures are those of `benchmarks/mobility.py --json`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from reenact.mobility.joined_poses import find_jumps, play_blended
from reenact.mobility.least_cost import smoothest_sequence
from reenact.mobility.map_file import load_map
from reenact.mobility.mobility_map import MobilityMap
from reenact.operations.library_mobility import save_fan, widest_state
from reenact.render import StripParameters, save_picture
from reenact.render.plot import Curve, PlotParameters, save_plot


def longest_way(made: MobilityMap) -> np.ndarray:
    """Poses of a smoothest sequence that jumps a few times, out of some between random states."""
    rng, states = np.random.default_rng(3), np.flatnonzero(made.is_map_state)
    ways = []
    for source, target in rng.choice(states, (30, 2)):
        found = smoothest_sequence(made.graph, int(source), int(target))
        poses = np.concatenate([[made.state_pose[source]], made.graph.poses_of(found.actions)])
        turned = float(np.abs(np.sum(made.database.increments[poses, 2])))
        if 90 <= len(poses) <= 240 and len(find_jumps(made.database, poses)) >= 3:
            ways.append((turned, poses))
    return max(ways, key=lambda way: way[0])[1]


def main() -> None:
    """Draw them all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("map", type=Path)
    parser.add_argument("--figures", type=Path)
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parents[1] / "docs" / "images")
    given = parser.parse_args()
    made = load_map(given.map)
    save_fan(made, widest_state(made), given.out / "mobility-fan.svg")
    clip = play_blended(made.database, longest_way(made), name="the smoothest sequence between two states")
    save_picture(clip, given.out / "mobility-way.png", StripParameters())
    if given.figures is not None:
        rows = json.loads(given.figures.read_text())["sizes"]
        poses = [row["poses"] for row in rows]
        save_plot(
            [Curve(words, poses, [row[key] for row in rows]) for key, words in _STAGES],
            given.out / "mobility-growth.svg",
            PlotParameters(title="", x_label="poses", y_label="CPU seconds", from_zero=True),
        )


_STAGES = (("graph_s", "pose graph"), ("sequences_s", "least-cost sequences"), ("map_s", "map"))


if __name__ == "__main__":
    main()
