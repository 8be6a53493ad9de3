"""Draw the pictures of `docs/registration.md`.

python tools/draw_registration.py

Recordings are those of $REENACT_DATA, else ../shared/data.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from measure_registration import recording
from PIL import Image

from reenact.blend.registration import RegistrationParameters, register
from reenact.blend.registration_curve import RegistrationCurve
from reenact.blend.warp_path import find_greedy_path, find_path
from reenact.core.clip import Clip
from reenact.core.resample import sample_at
from reenact.core.rotations import about_y, multiply, rotate
from reenact.render import Curve, PlotParameters, StripParameters, render_strip, save_plot
from reenact.render.registration_pictures import draw_alignment_stages, draw_grid, draw_slope_cells

IMAGES = Path(__file__).parents[1] / "docs" / "images"
WHOLE = RegistrationParameters(trim="off", gate="off")


def save(picture: Image.Image, name: str) -> None:
    """A PNG with few colours."""
    picture.quantize(128, dither=Image.Dither.NONE).save(IMAGES / name, optimize=True)


def side_by_side(*pictures: Image.Image) -> Image.Image:
    """Pictures in a row, their lower edges level."""
    high = max(picture.height for picture in pictures)
    row = Image.new("RGB", (sum(picture.width for picture in pictures), high), pictures[0].getpixel((0, 0)))
    left = 0
    for picture in pictures:
        row.paste(picture, (left, high - picture.height))
        left += picture.width
    return row


def laid_on_each_other(curve: RegistrationCurve) -> list[Clip]:
    """The motions of a registration in its common time, each laid on the reference."""
    u = np.arange(0, curve.length, 1.0)
    frames, placements = curve.warp.frames_at(u), curve.alignment.placements_at(u)
    found = []
    for j, clip in enumerate(curve.clips):
        sampled = sample_at(clip, frames[:, j], curve.fps)
        turn = about_y(placements[:, j, 0])
        root = rotate(turn, sampled.root.astype(np.float64))
        root[:, [0, 2]] += placements[:, j, 1:]
        rotations = sampled.rotations.astype(np.float64)
        rotations[:, 0] = multiply(turn, rotations[:, 0])
        found.append(replace(sampled, root=root.astype(np.float32), rotations=rotations.astype(np.float32)))
    return found


def draw_cells() -> None:
    """The part of a grid where the greedy rule breaks its limit, beside the exact path."""
    grid = register([recording("16_17"), recording("16_19")], WHOLE).grids[1]
    assert grid is not None
    exact, greedy = find_path(grid.distances, 3), find_greedy_path(grid.distances, 3)
    runs = np.all(np.lib.stride_tricks.sliding_window_view(np.diff(greedy, axis=0)[:, 1], 4) == 0, axis=1)
    row, column = greedy[int(np.argmax(runs))]
    start = np.array([max(int(row) - 5, 0), max(int(column) - 4, 0)])
    part = grid.distances[start[0] : start[0] + 26, start[1] : start[1] + 16]
    titles = ("exact: at most 3 steps in a row", "greedy: breaks its own limit of 3")
    paths = [(title, path - start) for title, path in zip(titles, (exact, greedy), strict=True)]
    draw_slope_cells(part, paths, 3, cell=15).save(IMAGES / "registration-slope-cells.png", optimize=True)


def main() -> None:
    """All pictures."""
    veering = register([recording("16_11"), recording("16_13")], WHOLE)
    save(draw_grid(veering), "registration-grid.png")
    save(draw_alignment_stages(veering), "registration-stages.png")
    draw_cells()
    pair = [recording("07_01"), recording("77_28[580:730]")]
    save(side_by_side(draw_grid(register(pair, WHOLE)), draw_grid(register(pair))), "registration-steps.png")
    strip = StripParameters(count=8, width=1500, height=220)
    save(render_strip(laid_on_each_other(register(pair)), strip), "registration-walks.png")
    jog = register([recording("16_15"), recording("16_35")])
    save(render_strip(laid_on_each_other(jog), strip), "registration-jog.png")
    u = np.linspace(0, veering.length, 400)
    slopes = veering.warp.slopes_at(u)
    curves = [Curve(clip.name, u / veering.fps, slopes[:, j]) for j, clip in enumerate(veering.clips)]
    style = PlotParameters(
        title="Pace of each motion along the curve", x_label="u (s)", y_label="frames per frame of u"
    )
    save_plot(curves, IMAGES / "registration-pace.svg", style)


if __name__ == "__main__":
    main()
