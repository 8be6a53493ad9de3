"""Pictures of docs/paths.md: one recorded walk on three paths, seen from above, with its footprints.

python tools/draw_paths.py      # needs the recordings; writes docs/images/paths.svg
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

import reenact
from reenact.render.plot import Curve, PlotParameters, save_plot
from reenact.walk.travel_path import find_path
from reenact.walk.walk_study import study_walk

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
DATA = Path(os.environ.get("REENACT_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data") / "cmu-bvh"


def main() -> None:
    """Write the picture."""
    walk = reenact.load(DATA / "16_15.bvh")
    start = find_path(walk).points[0]
    through = ";".join(f"{start[0] + x},{start[1] + z}" for x, z in ((0.4, 1.4), (-0.3, 3.0), (0.3, 4.8)))
    made = {
        "recorded": reenact.clean(walk),
        "radius 3 m": reenact.path(walk, radius=3.0),
        "radius -1.5 m": reenact.path(walk, radius=-1.5),
        "through three points": reenact.path(walk, through=through),
    }
    curves = []
    for name, one in made.items():
        study = study_walk(one.clip, one.plants)
        path = study.path
        curves.append(Curve(name, path.points[:, 1], path.points[:, 0]))
        for n, foot in enumerate(study.prints):  # a short line from heel to toes
            ahead = 0.12 * np.array([np.sin(foot.heading), np.cos(foot.heading)])
            place = foot.place[[0, 2]]
            line = np.stack([place - ahead, place + 0.5 * ahead])
            curves.append(
                Curve("footprints" if not n and name == "recorded" else "", line[:, 1], line[:, 0], "#888888")
            )
    save_plot(
        curves,
        IMAGES / "paths.svg",
        PlotParameters(
            title="One walk on other paths, from above", x_label="z (m)", y_label="x (m)", height=420, equal=True
        ),
    )


if __name__ == "__main__":
    main()
