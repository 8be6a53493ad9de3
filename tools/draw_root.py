"""Draw the picture of `docs/root-motion.md`.

python tools/draw_root.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from reenact.core.root_motion import find_trajectory, take_out
from reenact.render import Curve, PlotParameters, save_plot
from reenact.samples import make_sample

IMAGES = Path(__file__).parents[1] / "docs" / "images"


def main() -> None:
    """The way of the hips of a walk in a circle, the smooth trajectory, and what stays when it is taken out."""
    clip = make_sample("walk_circle_tight_left").clip
    hips = clip.skeleton.roles["hips"]
    way = find_trajectory(clip)
    still = take_out(clip, way)
    curves = []
    for name, one, colour in (("hips, as recorded", clip, "#6c7a89"), ("hips, in place", still, "#e8702a")):
        path = one.world(np.float64).positions[:, hips]
        curves.append(Curve(name, path[:, 2], path[:, 0], colour))
    curves.append(Curve("trajectory", way.places[:, 1], way.places[:, 0], "#2f7de1"))
    save_plot(
        curves,
        IMAGES / "root-motion.svg",
        PlotParameters(title="Seen from above", x_label="z (m)", y_label="x (m)", height=520, equal=True),
    )


if __name__ == "__main__":
    main()
