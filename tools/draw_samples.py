"""Draw the picture of `docs/samples.md`: pose strips of a few samples.

python tools/draw_samples.py
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PIL import Image

from reenact.render import StripParameters, render_strip
from reenact.samples import make_sample

ROWS = (
    ("walk_normal", 7, 75),
    ("run", 6, 44),
    ("jump_forward", 66, 190),
    ("sneak", 0, 100),
    ("kick_right", 66, 140),
    ("sit_down", 70, 180),
)
STYLE = StripParameters(count=12, mode="row", view="side", width=1900, height=140, floor=0.0, traces=False)


def main() -> None:
    """Write `docs/images/samples.png`."""
    strips = []
    for name, first, last in ROWS:
        clip = make_sample(name).clip
        strips.append(
            render_strip(
                replace(clip, rotations=clip.rotations[first:last], root=clip.root[first:last]), STYLE
            ).convert("RGB")
        )
    size = max(strip.width for strip in strips), sum(strip.height for strip in strips)
    picture = Image.new("RGB", size, strips[0].getpixel((0, 0)))
    top = 0
    for strip in strips:
        picture.paste(strip, (0, top))
        top += strip.height
    path = Path(__file__).parents[1] / "docs" / "images" / "samples.png"
    picture.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main()
