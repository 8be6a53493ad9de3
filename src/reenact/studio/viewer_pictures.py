"""Files of pictures by the studio's viewer: pose strips, GIF and MP4."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.made import Made, clip_of
from reenact.core.placement import move_rigidly
from reenact.formats.atomic import atomic_write
from reenact.render.animation import AnimationParameters, video_times, write_moving_picture
from reenact.render.caption import describe
from reenact.render.cast import Cast, gather
from reenact.render.lettering import shorten
from reenact.render.palette import find_palette
from reenact.render.people import shown_as
from reenact.render.strip import StripParameters
from reenact.studio.capture import capture_pictures
from reenact.studio.messages import RenderRequest


def save_viewer_picture(
    clips: Sequence[Clip | Made],
    target: Path,
    strip: StripParameters | None = None,
    animation: AnimationParameters | None = None,
    browser: str | None = None,
) -> None:
    """Write a strip of poses (`.png`) or a moving picture (`.gif`, `.mp4`) as the studio shows it.

    Args:
        clips: laid over one another.
        target: the file; it appears whole or not at all.
        strip: how a strip looks. The height of a body is that of the plain renderer, the picture at most twice as high.
        animation: how a moving picture looks.
        browser: command of a Chromium.

    Raises:
        CaptureError: there is no browser, or it failed.
    """
    if target.suffix.lower() == ".png":
        _save_strip(clips, target, strip or StripParameters(), browser)
    else:
        _save_moving(clips, target, animation or AnimationParameters(), browser)


def viewer_can_draw(strip: StripParameters | None, animation: AnimationParameters | None) -> bool:
    """Whether the viewer does all that is asked for: it leaves poses where they are, and strips are traces and bones."""
    if strip is not None:
        return strip.mode in ("auto", "path") and strip.traces and strip.figure == "sticks"
    return animation is None or not animation.orthographic


def _on_the_ground(given: Sequence[Clip | Made], floor: float | None, background: str) -> tuple[list[Clip], Cast]:
    """The clips with their floor at height 0, where the viewer's ground is, and their cast for captions."""
    clips = [clip_of(one) for one in given]
    cast = gather(clips, find_palette(background), floor)
    return [move_rigidly(clip, (0.0, -cast.floor, 0.0)).renamed(clip.name) for clip in clips], cast


def _caption(picture: Image.Image, cast: Cast, facts: str) -> Image.Image:
    """Name and facts in the upper left corner."""
    draw = ImageDraw.Draw(picture)
    names = " + ".join(subject.clip.name or "clip" for subject in cast.subjects)
    for text, size, place, colour in (
        (names, 18, (14, 8), cast.palette.text),
        (facts, 13, (14, 32), cast.palette.quiet),
    ):
        shade = tuple(round(255 * part) if part <= 1 else round(part) for part in colour)
        draw.text(place, shorten(text, size, picture.width - 28), fill=shade, font=ImageFont.load_default(size))
    return picture


def _save_strip(given: Sequence[Clip | Made], target: Path, looks: StripParameters, browser: str | None) -> None:
    clips, cast = _on_the_ground(given, looks.floor, looks.background)
    longest = max(clips, key=lambda clip: clip.seconds)
    times: tuple[float, ...] = ()
    if looks.count is not None:
        frames = np.linspace(0, len(longest) - 1, min(looks.count, len(longest))).round()
        times = tuple((frames / longest.fps).tolist())
    size = looks.width, min(2 * looks.height, 4000)
    request = RenderRequest((), times, *size, looks.view, looks.background, "trace", looks.every or 0, False)
    (picture,) = capture_pictures(clips, request, browser)
    if looks.caption:
        picture = _caption(picture.convert("RGB"), cast, describe(cast, np.zeros(0, np.intp), 1.0))
    with atomic_write(target) as stream:
        picture.save(stream, format="PNG")


def _save_moving(given: Sequence[Clip | Made], target: Path, looks: AnimationParameters, browser: str | None) -> None:
    people = [shown_as(one, looks.figure) for one in given]
    clips, cast = _on_the_ground(given, looks.floor, looks.background)
    longest = max(clips, key=lambda clip: clip.seconds)
    rate = looks.rate(longest.fps)
    times = video_times(longest.seconds, rate, looks.speed)
    follow = looks.follow is not False
    request = RenderRequest(
        (), tuple(times.tolist()), looks.width, looks.height, looks.view, looks.background, "animation", 0, follow
    )

    def shot() -> Iterator[Image.Image]:
        for time, picture in zip(times, capture_pictures(clips, request, browser, people), strict=True):
            facts = f"frame {round(time * longest.fps)} / {len(longest) - 1}  ·  {time:.2f} s"
            yield _caption(picture.convert("RGB"), cast, facts) if looks.caption else picture

    if target.suffix.lower() == ".mp4":
        write_moving_picture(target, lambda _: shot(), times, rate)
        return
    # A GIF looks at its pictures twice, for the colours first: they are kept, packed.
    packed = [_pack(picture) for picture in shot()]

    def unpack(shown: Float) -> Iterator[Image.Image]:
        for time in shown:
            yield Image.open(io.BytesIO(packed[int(np.abs(times - time).argmin())])).convert("RGB")

    write_moving_picture(target, unpack, times, rate)


def _pack(picture: Image.Image) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, "PNG", compress_level=1)
    return stream.getvalue()
