"""Draw the pictures of `docs/adapting.md`: bodies before and after, corrections and balance over time.

python tools/draw_adapt.py

Recordings are those of $REENACT_DATA, else ../shared/data; the body is the generated one.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from PIL import Image

import reenact
from reenact.adapt.adaptation import adapt_clip
from reenact.adapt.forearm_surface import forearm_surface
from reenact.adapt.parameters import AdaptParameters
from reenact.render import Curve, PlotParameters, save_plot
from reenact.render.adapt_page import before_and_after
from reenact.render.adapt_studies import reach_map, surface_picture

IMAGES = Path(__file__).parents[1] / "docs" / "images"
DATA = Path(os.environ.get("REENACT_DATA") or Path(__file__).parents[2] / "shared" / "data") / "cmu-bvh"
ALL = "arms,forearms,legs,collisions,feet,balance"


def main() -> None:
    """Write all pictures."""
    person = reenact.humanoid(girth=1.0)
    for name, clip, girth in (("adapt-walk", "08_01", 1.5), ("adapt-jump", "83_42", 1.4)):
        made = adapt_clip(reenact.load(DATA / f"{clip}.bvh"), person, AdaptParameters(girth=girth, stages=ALL))
        sheet = before_and_after(made, poses=8, height=250)
        sheet.quantize(96, dither=Image.Dither.NONE).save(IMAGES / f"{name}.png", optimize=True)
    made = adapt_clip(reenact.load(DATA / "07_01.bvh"), person, AdaptParameters(girth=1.5, stages=ALL))
    times = np.arange(len(made.clip)) / made.clip.fps
    curves = [
        Curve(word, times, np.asarray(100 * one.distances, np.float64))
        for word, one in zip(("recorded", "fitted", "balanced"), made.balance, strict=True)
    ]
    save_plot(
        curves,
        IMAGES / "adapt-balance.svg",
        PlotParameters("Zero-moment point to soles", "seconds", "cm", from_zero=True),
    )
    made = adapt_clip(reenact.load(DATA / "79_25.bvh"), person, AdaptParameters(girth=1.5, stages="arms"))
    size = sum(
        np.linalg.norm(layer.turns["LeftArm"], axis=1) for layer in made.corrections.layers if "LeftArm" in layer.turns
    )
    surface = forearm_surface(made.clip, made.body, "left", int(np.argmax(size)), made.source.world(np.float64))
    surface_picture(surface).quantize(64).save(IMAGES / "adapt-forearm.png", optimize=True)
    reach_map((-0.42, 0.12), (-0.40, -0.16), 300).quantize(16).save(IMAGES / "adapt-reach.png", optimize=True)


if __name__ == "__main__":
    main()
