"""Draw the pictures of `docs/motion-spaces.md`, from samples.

python tools/draw_spaces.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from reenact.blend.motion_parameters import floor_path
from reenact.blend.motion_space import MotionSpace
from reenact.render import Curve, PlotParameters, StripParameters, render_strip, save_plot
from reenact.samples import make_sample

IMAGES = Path(__file__).parents[1] / "docs" / "images"
STYLE = StripParameters(count=12, width=1800, height=150)


def draw_speeds() -> None:
    """Walks of three speeds that were not recorded, and what blends of neighbours measure."""
    names = ("walk_slow", "walk_normal", "walk_brisk", "walk_fast")
    space = MotionSpace.build([make_sample(name).clip for name in names], "speed")
    strips = []
    for speed in (0.95, 1.3, 1.65):
        made = space.motion(speed)
        strips.append(render_strip(made.clip.renamed(f"{speed} m/s"), STYLE).convert("RGB"))
    width = max(strip.width for strip in strips)
    whole = Image.new("RGB", (width, sum(strip.height for strip in strips)), strips[0].getpixel((0, 0)))
    y = 0
    for strip in strips:
        whole.paste(strip, (0, y))
        y += strip.height
    whole.quantize(128, dither=Image.Dither.NONE).save(IMAGES / "space-speeds.png", optimize=True)
    order = np.argsort(space.values[:, 0])
    place = (space.weights @ np.argsort(np.argsort(space.values[: len(names), 0])))[order]
    save_plot(
        [Curve("measured", place, space.values[order, 0])],
        IMAGES / "space-samples.svg",
        PlotParameters("Speed of blends between four walks", "clip (0 slow, 3 fast)", "m/s"),
    )


def draw_radii() -> None:
    """Paths seen from above for several turning radii."""
    names = (
        "walk_circle_tight_left",
        "walk_circle_medium_left",
        "walk_circle_wide_left",
        "walk_normal",
        "walk_circle_wide_right",
        "walk_circle_medium_right",
    )
    space = MotionSpace.build([make_sample(name).clip for name in names], "radius")
    curves = []
    for radius in (1.5, 3.0, 7.0, 1e6, -7.0, -3.0):
        path = floor_path(space.motion(space.parameter.asked(radius)).clip)
        path = path - path[0]
        early = np.arange(round(len(path) / 2))
        way = [np.polyfit(early, path[: len(early), axis], 2)[1] for axis in (0, 1)]  # all set out along +z
        turn = np.arctan2(way[0], way[1])
        x = np.cos(turn) * path[:, 0] - np.sin(turn) * path[:, 1]
        z = np.sin(turn) * path[:, 0] + np.cos(turn) * path[:, 1]
        curves.append(Curve("straight" if abs(radius) > 1e3 else f"{radius:g} m", -x, z))
    shape = PlotParameters("Turning radii asked of six walks, seen from above", "m", "m", 760, 520)
    save_plot(curves, IMAGES / "space-radii.svg", shape)


if __name__ == "__main__":
    draw_speeds()
    draw_radii()
