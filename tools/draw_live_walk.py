"""Draw the picture of `docs/live-walk.md`.

python tools/draw_live_walk.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from reenact.core.foot_plants import FootContact, FootPlants
from reenact.render import StripParameters, render_strip
from reenact.samples import make_sample
from reenact.walk.live_walk import LiveWalk, WalkTargets

IMAGES = Path(__file__).parents[1] / "docs" / "images"
STYLE = StripParameters(count=14, width=1500, height=190)


def main() -> None:
    """A generated walk as it is, with longer and shorter steps, and uphill."""
    sample = make_sample("walk_normal")
    feet = [FootContact(foot.heel, foot.ball) for foot in (sample.truth.left, sample.truth.right)]
    plants = FootPlants(feet[0], feet[1], sample.clip.fps)
    walk = LiveWalk(sample.clip.skeleton, sample.clip, plants)
    asked = (WalkTargets(), WalkTargets(1.25), WalkTargets(0.6), WalkTargets(incline=np.radians(10)))
    strips = [render_strip(walk.run(sample.clip, plants, one).clip, STYLE).convert("RGB") for one in asked]
    size = max(strip.width for strip in strips), sum(strip.height for strip in strips)
    whole = Image.new("RGB", size, "white")
    top = 0
    for strip in strips:
        whole.paste(strip, (0, top))
        top += strip.height
    whole.quantize(128, dither=Image.Dither.NONE).save(IMAGES / "live-walk.png", optimize=True)


if __name__ == "__main__":
    main()
