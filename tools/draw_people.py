"""Draw the pictures of people: the sheets of presets and of heights and girths of `docs/humanoid.md`, and the picture of the README.

python tools/draw_people.py
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

import reenact
from reenact.body.character import Character
from reenact.body.humanoid import PRESETS
from reenact.core.arrays import Float
from reenact.render import StripParameters, render_strip
from reenact.render.camera import fit_orthographic, view_axes
from reenact.render.canvas import Canvas
from reenact.render.lettering import write
from reenact.render.mesh_paint import paint_of
from reenact.render.mesh_painter import draw_mesh
from reenact.render.palette import find_palette
from reenact.render.people import skin_in_frame
from reenact.render.view import View
from reenact.samples import make_sample

IMAGES = Path(__file__).parents[1] / "docs" / "images"
ACTIONS = (
    ("walk_normal", 100),
    ("run", 60),
    ("march", 100),
    ("jump_up", 0.34),
    ("kick_right", 107),
    ("wave_standing", 150),
)
HEIGHTS, GIRTHS = (1.5, 1.7, 1.9), (0.8, 1.0, 1.2, 1.4, 1.6)


def cell(person: Character, skin: Float, size: tuple[int, int], scale: float, label: str, azimuth: float) -> Canvas:
    """A person on a floor, with a label below."""
    palette = find_palette("light")
    canvas = Canvas(*size, palette.background)
    low = (np.arange(4) % 2 * 2 - 1.0)[:, None] * np.array([0.5 * size[0] / scale, 0.0, 0.0])
    low[2:, 1] = size[1] / scale
    middle = 0.5 * (skin.min(axis=0) + skin.max(axis=0)) * (1.0, 0.0, 1.0)
    axes = view_axes(View(azimuth, 5), 0.0)
    points = low @ np.diag([1.0, 1.0, 0.0]) @ axes - (0.0, 34 / scale, 0.0) + middle
    camera = fit_orthographic(points, axes, size, (0, 0, 0, 0), pad=0.0, scale=scale)
    draw_mesh(canvas, camera, skin, person.faces, paint_of(person))
    write(canvas, label, (size[0] / 2, size[1] - 24), 14, palette.quiet, "middle")
    return canvas


def acting(person: Character, name: str, frame: float) -> Float:
    """The skin of a person in a frame of a sample, on the floor."""
    clip = make_sample(name).clip
    at = round(frame * len(clip)) if frame < 1 else int(frame)
    skin = skin_in_frame(person, clip.with_skeleton(person.skeleton).world(), at).astype(np.float64)
    return skin - (0.0, float(skin[:, 1].min()), 0.0)


def sheet(cells: Iterator[Canvas], columns: int) -> Image.Image:
    """Cells side by side, in rows."""
    pictures = [one.picture() for one in cells]
    width, height = pictures[0].size
    whole = Image.new("RGB", (columns * width, -(-len(pictures) // columns) * height))
    for number, picture in enumerate(pictures):
        row, column = divmod(number, columns)
        whole.paste(picture, (column * width, row * height))
    return whole


def presets() -> Iterator[Canvas]:
    """Every preset as it was modelled, and below in an action."""
    people = [reenact.humanoid(preset=preset, outfit=number) for number, preset in enumerate(PRESETS)]
    for person, preset in zip(people, PRESETS, strict=True):
        yield cell(person, person.vertices.astype(np.float64), (190, 330), 104, preset, 24)
    for number, person in enumerate(people):
        name, frame = ACTIONS[number % len(ACTIONS)]
        yield cell(person, acting(person, name, frame), (190, 330), 104, name, 48)


def girths() -> Iterator[Canvas]:
    """Heights down, girths across."""
    for height in HEIGHTS:
        for girth in GIRTHS:
            person = reenact.humanoid(height=height, girth=girth, outfit=0)
            yield cell(person, person.vertices.astype(np.float64), (250, 330), 140, f"{height} m, girth {girth}", 20)


def save(picture: Image.Image, name: str) -> None:
    """Write one of the documentation's pictures."""
    picture.convert("RGB").quantize(200, dither=Image.Dither.NONE).save(IMAGES / name, optimize=True)


def main() -> None:
    """Write the pictures."""
    save(sheet(presets(), len(PRESETS)), "humanoid-presets.png")
    save(sheet(girths(), len(GIRTHS)), "humanoid-girths.png")
    run = make_sample("run").clip
    part = replace(run, rotations=run.rotations[:150], root=run.root[:150]).renamed("run")
    save(render_strip(part, StripParameters(count=9, width=1600, height=260, caption=False)), "hero.png")


if __name__ == "__main__":
    main()
