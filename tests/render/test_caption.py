"""Words in pictures keep out of each other's way."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.render.canvas import Canvas
from reenact.render.caption import _write_legend, legend_room
from reenact.render.cast import gather
from reenact.render.palette import find_palette
from reenact.samples import make_sample


@pytest.mark.parametrize("width", [560, 620, 700, 1600])
@pytest.mark.parametrize("count", [2, 3, 6, 12])
def test_a_legend_of_many_long_names_leaves_room_for_the_title(width: int, count: int) -> None:
    clip = make_sample("walk_normal").clip
    clips = [clip.renamed(f"a_rather_long_name_of_a_recording_{n}") for n in range(count)]
    palette = find_palette("light")
    canvas = Canvas(width, 60, palette.background)
    before = canvas.picture()
    taken = _write_legend(canvas, gather(clips, palette, None))
    assert 0 < taken <= 0.7 * width
    changed = np.any(np.asarray(canvas.picture()) != np.asarray(before), axis=(0, 2))
    assert np.flatnonzero(changed).min() >= 0.28 * width
    assert np.flatnonzero(changed).max() < width


def test_few_names_are_shown_whole() -> None:
    assert legend_room(1600, 2) == (2, 160.0)
    assert legend_room(620, 20)[0] < 20
