"""`save_picture`: the right kind of picture for a file name."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from PIL import Image

from reenact.core.clip import Clip
from reenact.core.made import Made
from reenact.errors import ParameterError
from reenact.formats.atomic import atomic_write
from reenact.render.animation import AnimationParameters, save_animation
from reenact.render.strip import StripParameters, render_strip

PICTURE_ENDINGS = (".png", ".gif", ".mp4")
"""Endings of files that `save_picture` writes: a pose strip, and two kinds of moving picture."""


def save_picture(
    clips: Clip | Made | Sequence[Clip | Made],
    path: str | PathLike[str],
    strip: StripParameters | None = None,
    animation: AnimationParameters | None = None,
) -> None:
    """Write a pose strip (`.png`) or a moving picture (`.gif`, `.mp4`) of a motion, or of several laid over one another.

    Args:
        clips: one motion, or several to compare; what was made with a character is drawn with it.
        path: where to; the file appears whole or not at all.
        strip: how a strip looks.
        animation: how a moving picture looks.
    """
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in PICTURE_ENDINGS:
        raise ParameterError(
            f"unknown ending {target.suffix!r} for a picture; known are {', '.join(PICTURE_ENDINGS)}", where=str(target)
        )
    if ending == ".png":
        picture = render_strip(clips, strip)
        with atomic_write(target) as stream:
            picture.save(stream, format="PNG", optimize=False, compress_level=6)
    else:
        save_animation(clips, target, animation)


def stack_pictures(pictures: Sequence[Image.Image]) -> Image.Image:
    """Pictures below one another, on the ground of the first."""
    if not pictures:
        raise ParameterError("there is no picture to stack")
    solid = [one.convert("RGB") for one in pictures]
    width, height = max(one.width for one in solid), sum(one.height for one in solid)
    whole, top = Image.new("RGB", (width, height), solid[0].getpixel((0, 0)) or 0), 0
    for one in solid:
        whole.paste(one, (0, top))
        top += one.height
    return whole
