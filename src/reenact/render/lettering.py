"""Words in a picture, in the font that comes with Pillow."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from reenact.render.canvas import Canvas
from reenact.render.palette import Colour


@lru_cache(maxsize=16)
def text_font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font at a size in pixels."""
    return ImageFont.load_default(size)


def text_width(text: str, size: int) -> float:
    """Pixels that a line of text takes."""
    return text_font(size).getlength(text)


def shorten(text: str, size: int, room: float) -> str:
    """The text, cut in its middle when it is wider than `room` pixels."""
    if text_width(text, size) <= room:
        return text
    keep = len(text) - 1
    while keep > 2 and text_width(text[: (keep + 1) // 2] + "…" + text[-(keep // 2) :], size) > room:
        keep -= 1
    return text[: (keep + 1) // 2] + "…" + text[-(keep // 2) :]


def write(
    canvas: Canvas, text: str, place: tuple[float, float], size: int, colour: Colour, align: str = "left"
) -> float:
    """Write a line with its top at `place`; `align` says which of its left, middle or right lies there. Gives its width in pixels."""
    line = text.replace("\n", " ")
    font = text_font(size)
    wide = font.getlength(line)
    left = place[0] - {"left": 0.0, "middle": wide / 2, "right": wide}[align]
    mask = Image.new("L", (int(wide) + 4, int(size * 1.5) + 2))
    ImageDraw.Draw(mask).text((1, 0), line, fill=255, font=font)
    canvas.paint(np.asarray(mask, np.float32) / 255, colour, round(left) - 1, round(place[1]))
    return wide
