"""What is written in a picture: the clip's name and length, a legend, frame numbers and times."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reenact.render.canvas import Canvas, Capsules
from reenact.render.cast import Cast
from reenact.render.lettering import shorten, text_width, write
from reenact.render.palette import Colour, Palette

CAPTION_HEIGHT = 54
LABEL_HEIGHT = 34

_LEGEND = 0.66  # of the width, at most for the legend
_MARK = 36.0  # pixels of the marks before a name and the gap after it
_LEAST_NAME = 44.0  # pixels that a name must have


def write_frame_label(canvas: Canvas, palette: Palette, frame: int, time: float, x: float, y: float) -> None:
    """A pose's frame number over its time, centred at `x`."""
    write(canvas, str(frame), (x, y), 13, palette.text, "middle")
    write(canvas, f"{time:.2f} s", (x, y + 15), 11, palette.quiet, "middle")


def write_caption(canvas: Canvas, cast: Cast, shown: NDArray[np.integer], step: float) -> None:
    """Name and facts at the upper left, the legend at the upper right."""
    palette = cast.palette
    legend = _write_legend(canvas, cast)
    room = canvas.width - legend - 40
    names = " + ".join(subject.clip.name or "clip" for subject in cast.subjects)
    facts = describe(cast, shown, step)
    if len(cast.subjects) > 1 and len(cast.longest.clip) == 1:  # single poses: the legend names them
        names, facts = f"{len(cast.subjects)} poses", f"grid {step:g} m"
    if len(cast.subjects) > 1 and text_width(names, 18) > room:  # the legend names them
        names = f"{len(cast.subjects)} clips"
    write(canvas, shorten(names, 18, room), (14, 8), 18, palette.text)
    write(canvas, shorten(facts, 13, room), (14, 31), 13, palette.quiet)


def describe(cast: Cast, shown: NDArray[np.integer], step: float) -> str:
    """Facts on the longest clip: frames, rate, duration, way, and what the picture shows of it."""
    clip = cast.longest.clip
    _, _, path = cast.longest.travel()
    parts = [f"{len(clip)} frames", f"{clip.fps:.5g} fps", f"{clip.seconds:.2f} s"]
    if path > 0.5 * cast.size:
        parts.append(f"travels {path:.1f} m")
    gaps = np.diff(shown)
    if len(gaps) and np.ptp(gaps) == 0:
        parts.append("every frame" if gaps[0] == 1 else f"every {gaps[0]} frames")
    parts.append(f"grid {step:g} m")
    return "  ·  ".join(parts)


def legend_room(width: int, count: int) -> tuple[int, float]:
    """How many of so many motions the legend names, and pixels for each name, so that it keeps to the right of the clip's own name."""
    most = _LEGEND * width - 14.0 - 50.0
    room = most / count - _MARK
    if room >= _LEAST_NAME:
        return count, min(room, 160.0)
    return max(int(most / (_LEAST_NAME + _MARK)), 1), _LEAST_NAME


def _write_legend(canvas: Canvas, cast: Cast) -> float:
    """The colours' meaning, set from the right; gives its width in pixels."""
    entries: list[tuple[Colour, str]] = []
    if len(cast.subjects) > 1:
        count, room = legend_room(canvas.width, len(cast.subjects))
        for index, subject in enumerate(cast.subjects[:count]):
            tint = cast.palette.tint(index)
            entries.append((tint.left, ""))
            entries.append((tint.right, shorten(subject.clip.name or "clip", 13, room)))
    elif any(cast.lead.figure.sides):
        tint = cast.palette.tint(0)
        entries = [(tint.left, "left"), (tint.right, "right")]
    x = canvas.width - 14.0
    left_out = max(len(cast.subjects) - len(entries) // 2, 0) if len(cast.subjects) > 1 else 0
    if left_out:
        word = f"+ {left_out}"
        x -= text_width(word, 13)
        write(canvas, word, (x, 12), 13, cast.palette.quiet)
        x -= 16
    for index in reversed(range(len(entries))):
        colour, word = entries[index]
        x -= text_width(word, 13)
        write(canvas, word, (x, 12), 13, cast.palette.quiet)
        x -= 11 if word else 9
        ends = np.full((1, 2, 2), (x + 2.0, 20.0))
        ones = np.ones((1, 2))
        canvas.draw_capsules(Capsules(ends, 4.6 * ones, 0 * ones, 0 * ones, np.array([colour], np.float32), np.ones(1)))
        x -= 2 if index and not entries[index - 1][1] else 16
    return canvas.width - x


def write_running_caption(canvas: Canvas, cast: Cast, frame: int, time: float, speed: float) -> None:
    """Along the lower edge of a moving picture: names at the left, frame and time at the right."""
    palette = cast.palette
    size = 13 if canvas.height >= 300 else 10
    y = canvas.height - round(1.7 * size)
    last = len(cast.longest.clip) - 1
    pace = "" if speed == 1 else f"{speed:g}x   "
    # set from a fixed place for each number: otherwise the line would tremble as digits of different widths come and go
    edge = canvas.width - 10
    after = text_width(f"{cast.longest.clip.seconds:.2f} s", size)
    between = text_width(f" / {last}   ", size)
    write(canvas, f"{time:.2f} s", (edge, y), size, palette.quiet, "right")
    write(canvas, f" / {last}", (edge - after - between, y), size, palette.quiet)
    write(canvas, str(frame), (edge - after - between, y), size, palette.quiet, "right")
    label = edge - after - between - text_width(str(last), size) - 6
    taken = canvas.width - label + write(canvas, f"{pace}frame", (label, y), size, palette.quiet, "right")
    names = " + ".join(subject.clip.name or "clip" for subject in cast.subjects)
    write(canvas, shorten(names, size, canvas.width - taken - 40), (10, y), size, palette.text)
