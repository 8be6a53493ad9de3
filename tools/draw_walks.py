"""Draw the pictures of `docs/walking.md`: figure 6.11 of the thesis anew, stairs and an obstacle, and the ways of an ankle.

python tools/draw_walks.py

Recordings are those of $REENACT_DATA, else ../shared/data.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from draw_grafts import IMAGES, load
from PIL import Image

import reenact
from reenact.core.made import Made
from reenact.render import Curve, PlotParameters, StripParameters, render_strip, save_plot
from reenact.render.picture import stack_pictures
from reenact.solve.feet import find_feet

STYLE = StripParameters(count=14, width=1500, height=200, view="side")


def save_strips(made: Sequence[tuple[str, object]], name: str) -> None:
    """Strips below one another with few colours."""
    strips = [
        render_strip(one.clip.renamed(title) if isinstance(one, Made) else one.renamed(title), STYLE)
        for title, one in made
    ]  # type: ignore[attr-defined]
    stack_pictures(strips).quantize(128, dither=Image.Dither.NONE).save(IMAGES / name, optimize=True)


def ankle_ways(one) -> tuple[np.ndarray, np.ndarray]:
    """Metres along +Z turned into the way, and the height of the left ankle."""
    clip = one.clip if isinstance(one, Made) else one
    places = clip.world(np.float64).positions
    foot = find_feet(clip.skeleton, clip)[0]
    hips = places[:, clip.skeleton.roles["hips"]][:, [0, 2]]
    ahead = (hips[-1] - hips[0]) / np.linalg.norm(hips[-1] - hips[0])
    return (places[:, foot.leg.end][:, [0, 2]] - hips[0]) @ ahead, places[:, foot.leg.end, 1]


def main() -> None:
    """Write the pictures."""
    walk = load("08_04")
    made = [
        ("a recorded (08_04)", walk),
        ("b shorter steps: --stride 0.6", reenact.walk(walk, stride=0.6)),
        ("c shorter and shorter: --stride 1 --stride-end 0.35", reenact.walk(walk, stride=1.0, stride_end=0.35)),
        ("d longer and longer: --stride 0.45 --stride-end 1.1", reenact.walk(walk, stride=0.45, stride_end=1.1)),
        ("e higher feet: --lift 2", reenact.walk(walk, lift=2.0)),
        ("f uphill: --incline 12", reenact.walk(walk, incline=np.radians(12.0))),
    ]
    save_strips(made, "walks-strides.png")
    uneven = [
        ("up stairs: --stairs 0.17x0.29x4", reenact.walk(walk, stairs="0.17x0.29x4")),
        ("down stairs: --stairs -0.17x0.29x4", reenact.walk(walk, stairs="-0.17x0.29x4")),
        ("over a box: --obstacle 1.8,0.3,0.2", reenact.walk(walk, obstacle="1.8,0.3,0.2")),
    ]
    save_strips(uneven, "walks-stairs.png")
    curves = []
    for title, one in (made[0], made[4], made[5], uneven[0]):
        x, y = ankle_ways(one)
        curves.append(Curve(title.split(":")[0].removeprefix("a ").removeprefix("e ").removeprefix("f "), x, y))
    save_plot(
        curves,
        IMAGES / "walks-ankles.svg",
        PlotParameters(
            title="The left ankle on its way", x_label="along the way (m)", y_label="height (m)", height=320
        ),
    )


if __name__ == "__main__":
    main()
