"""Draw the pictures of `docs/blending.md`.

python tools/draw_blends.py

Recordings are those of $REENACT_DATA, else ../shared/data.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from PIL import Image

import reenact
from reenact.blend.blend import BlendParameters, blend
from reenact.blend.plant_matching import match_plants
from reenact.blend.registration import RegistrationParameters, register
from reenact.core.clip import Clip
from reenact.core.made import Made
from reenact.core.placement import place_at
from reenact.render import Curve, PlotParameters, StripParameters, render_strip, save_plot
from reenact.render.plant_bars import draw_plant_bars
from reenact.solve.feet import find_feet, track_foot

IMAGES = Path(__file__).parents[1] / "docs" / "images"
DATA = Path(os.environ.get("REENACT_DATA") or Path(__file__).parents[2] / "shared" / "data") / "cmu-bvh"
STRIP = StripParameters(count=8, width=1300, height=330, mode="path")


def recording(name: str) -> Clip:
    """A clip of the CMU folder."""
    return reenact.load(DATA / f"{name}.bvh")


def save_stacked(clips: list[Clip], name: str) -> None:
    """Strips one above the other, with few colours."""
    strips = [render_strip(clip, STRIP).convert("RGB") for clip in clips]
    picture = Image.new("RGB", (max(strip.width for strip in strips), sum(strip.height for strip in strips)), "white")
    top = 0
    for strip in strips:
        picture.paste(strip, (0, top))
        top += strip.height
    picture.quantize(128, dither=Image.Dither.NONE).save(IMAGES / name, optimize=True)


def draw_paths(clips: list[Clip], blends: dict[str, Clip]) -> None:
    """The way of the hips seen from above, all from one place."""
    colours = ("#6c7a89", "#b08a1e", "#2f7de1", "#e8702a")
    shown = {**{clip.name: clip for clip in clips}, **blends}
    curves = []
    for (name, clip), colour in zip(shown.items(), colours, strict=True):
        root = place_at(clip, (0, 0), 0.0).root.astype(np.float64)
        curves.append(Curve(name, root[:, 2], root[:, 0], colour, name in [clip.name for clip in clips]))
    save_plot(
        curves,
        IMAGES / "blend-paths.svg",
        PlotParameters(title="Way over the floor seen from above", x_label="z (m)", y_label="x (m)"),
    )


def draw_feet(ours: Made, linear: Made) -> None:
    """Speed of the lower ball point over the floor: a walk always has a foot that stands."""
    curves = []
    for name, made, colour in (("registration", ours, "#2f7de1"), ("linear", linear, "#e8702a")):
        world = made.clip.world(np.float64)
        balls = [track_foot(world, foot).ball[:, [0, 2]] for foot in find_feet(made.clip.skeleton, made.clip)]
        speeds = [np.linalg.norm(np.gradient(ball, axis=0), axis=1) * made.clip.fps for ball in balls]
        curves.append(Curve(name, np.linspace(0, 1, len(made.clip)), np.min(speeds, axis=0), colour))
    save_plot(
        curves,
        IMAGES / "blend-feet.svg",
        PlotParameters(title="Speed of the slower foot", x_label="share of the blend", y_label="m/s"),
    )


def main() -> None:
    """All pictures."""
    clips = [recording("16_17").renamed("left turn"), recording("16_19").renamed("right turn")]
    ours = blend(clips)
    linear = blend(clips, BlendParameters(method="linear-normalised"))
    save_stacked([ours.clip.renamed("registration, 50:50"), linear.clip.renamed("linear, 50:50")], "blend-strips.png")
    draw_paths(clips, {"registration, 50:50": ours.clip, "linear, 50:50": linear.clip})
    draw_feet(ours, linear)
    pair = [recording("16_15").renamed("walk"), recording("16_17").renamed("turn")]
    curve, matching = match_plants(register(pair, RegistrationParameters(trim="off")))
    bars = draw_plant_bars(matching, [clip.name for clip in curve.clips], curve.length, curve.fps)
    (IMAGES / "blend-plants.svg").write_text(bars, encoding="utf-8")


if __name__ == "__main__":
    main()
