"""What an adaptation did, as a page: poses before and after, overlaps over time, balance, where the weight presses, turned joints."""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape

import numpy as np
import PIL.Image

from reenact.adapt.adaptation import Adapted, describe, overlap_over_time
from reenact.adapt.balance import BalanceOf, measure_balance
from reenact.adapt.corrections import Corrections
from reenact.adapt.forearm_surface import forearm_surface
from reenact.core.clip import Clip, World
from reenact.formats.atomic import atomic_write
from reenact.render.adapt_studies import surface_picture
from reenact.render.html_page import html_page, png_image, svg_image, tile
from reenact.render.mesh_picture import Shown, paint_meshes
from reenact.render.plot import COLOURS, Curve, PlotParameters, draw_plot

_POSES = 7
_MOST_PAIRS = 6
_OUTLINES = 14  # soles drawn below a way


def save_adapt_page(made: Adapted, path: str | os.PathLike[str], title: str = "") -> None:
    """Write the page; the file appears whole or not at all."""
    with atomic_write(path) as file:
        file.write(adapt_page(made, title).encode())


def adapt_page(made: Adapted, title: str = "") -> str:
    """The page as HTML."""
    title = title or f"{made.source.name or 'Motion'} on {made.character.name or 'a body'}"
    told = describe(made)
    before, after = told["overlap_mm"]
    tiles = [tile("overlap before", f"{before:.1f}", "mm"), tile("overlap after", f"{after:.1f}", "mm")]
    if "slip_mm_after" in told:
        tiles.append(tile("worst slip of a planted foot", f"{told['slip_mm_after']:.1f}", "mm"))
    most = max(told["turned_degrees"].values(), default=0.0)
    tiles.append(tile("most turned joint, rms", f"{most:.1f}", "°"))
    parts = [f"<h1>{escape(title)}</h1>", f"<div class=tiles>{''.join(tiles)}</div>"]
    parts += [f"<p class=doubt>{escape(doubt)}</p>" for doubt in told["doubts"]]
    sheet = before_and_after(made)
    parts.append("<h2>Before and after</h2>" + png_image(sheet, "poses before, above, and after, below"))
    parts.append("<h2>Overlaps</h2>" + _overlaps(made))
    balance = made.balance or _measured(made)
    if balance:
        parts.append("<h2>Balance</h2>" + _balance(balance, made))
    parts.append("<h2>Turned joints</h2>" + _turned(told["turned_degrees"]))
    parts.append("<h2>Corrections</h2>" + _corrections(made))
    parts += _surfaces(made)
    return html_page(title, parts)


def before_and_after(made: Adapted, poses: int = _POSES, height: int = 300, turn: float = 25.0) -> PIL.Image.Image:
    """Poses of the motion before (above) and after (below), seen from the front and a little from the side."""
    frames = np.linspace(0, len(made.clip) - 1, poses).round().astype(int).tolist()
    tall = [clip.world(np.float64).positions[frames][..., 1] for clip in (made.source, made.clip)]
    high = max(float(one.max()) for one in tall)
    span = (min(float(one.min()) for one in tall) - 0.04 * high, 1.12 * high)
    rows = [_row(made, clip, frames, height, turn, span) for clip in (made.source, made.clip)]
    whole = PIL.Image.new(
        "RGB", (max(row.width for row in rows), sum(row.height for row in rows)), rows[0].getpixel((0, 0))
    )
    top = 0
    for row in rows:
        whole.paste(row, (0, top))
        top += row.height
    return whole


def _row(
    made: Adapted, clip: Clip, frames: Sequence[int], height: int, turn: float, span: tuple[float, float]
) -> PIL.Image.Image:
    world = clip.world(np.float64)
    left, right = clip.skeleton.require_roles("left_upper_leg", "right_upper_leg")
    shown = []
    for frame in frames:
        across = world.positions[frame, left] - world.positions[frame, right]
        heading = float(np.degrees(np.arctan2(-across[2], across[0])))
        pose = World(world.positions[frame : frame + 1], world.rotations[frame : frame + 1])
        shown.append(Shown(made.character, pose, azimuth=turn - heading))
    return paint_meshes(shown, height, low=span[0], high=span[1])


def _overlaps(made: Adapted) -> str:
    frames, times = len(made.clip), np.arange(len(made.clip)) / made.clip.fps
    both = [
        overlap_over_time(made.body, frames, made.body.contacts(clip.world(np.float64), reach=0.0))
        for clip in (made.source, made.clip)
    ]
    worst = [n for n in np.argsort(both[0].mean(axis=0))[::-1][:_MOST_PAIRS] if both[0][:, n].any()]
    if not worst:
        return "<p>No limbs overlap.</p>"
    curves = []
    for place, n in enumerate(worst):
        colour = COLOURS[place % len(COLOURS)]
        name = made.body.pair_name(int(n)).replace("_", " ")
        curves.append(Curve(name, times, 1000 * both[0][:, n], colour, dashed=True))
        curves.append(Curve("", times, 1000 * both[1][:, n], colour))
    plot = draw_plot(
        curves,
        PlotParameters("Deepest overlap of the skin: before dashed, after drawn", "seconds", "mm", from_zero=True),
    )
    return svg_image(plot, "overlaps of limbs over time")


def _measured(made: Adapted) -> tuple[BalanceOf, ...]:
    if made.plants is None:
        return ()
    return tuple(measure_balance(clip, made.character, made.plants) for clip in (made.source, made.clip))


def _balance(balance: Sequence[BalanceOf], made: Adapted) -> str:
    names = ("recorded", "adapted", "balanced") if len(balance) == 3 else ("before", "after")
    rows = "".join(
        f"<tr><td>{name}</td><td>{one.row()['mean_cm']:.2f}</td><td>{one.row()['sd_cm']:.2f}</td></tr>"
        for name, one in zip(names, balance, strict=True)
    )
    table = f"<table><tr><th>zero-moment point to soles</th><th>mean, cm</th><th>sd, cm</th></tr>{rows}</table>"
    times = np.arange(len(made.clip)) / made.clip.fps
    curves = [
        Curve(name, times, np.asarray(100 * one.distances, np.float64))
        for name, one in zip(names, balance, strict=True)
    ]
    over_time = draw_plot(curves, PlotParameters("Distance from the soles", "seconds", "cm", from_zero=True))
    return (
        table
        + svg_image(over_time, "distance from the soles over time")
        + svg_image(_floor_plan(balance, names), "the zero-moment point on the floor")
    )


def _floor_plan(balance: Sequence[BalanceOf], names: Sequence[str]) -> str:
    """Ways of the zero-moment point over the soles of the last motion."""
    curves = []
    areas = balance[-1].areas
    for frame in np.unique(np.linspace(0, len(areas.stands) - 1, _OUTLINES * 3).astype(int)):
        outline = areas.polygon(int(frame))
        if len(outline) > 2:
            closed = np.concatenate([outline, outline[:1]]).astype(np.float64)
            curves.append(Curve("", closed[:, 0], closed[:, 1], "#8a94a4"))
    for name, one, colour in zip(names, balance, COLOURS, strict=False):
        points = np.where(np.isfinite(one.distances)[:, None], one.moment.points, np.nan).astype(np.float64)
        curves.append(Curve(name, points[:, 0], points[:, 1], colour))
    return draw_plot(
        curves, PlotParameters("Zero-moment point over the soles", "metres", "metres", height=420, equal=True)
    )


def _turned(turned: dict[str, float]) -> str:
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{angle:.2f}</td></tr>"
        for name, angle in sorted(turned.items(), key=lambda row: -row[1])
    )
    return f"<table><tr><th>joint</th><th>turned by, rms degrees</th></tr>{rows}</table><p>All other joints are untouched.</p>"


def _corrections(made: Adapted) -> str:
    times = np.arange(len(made.clip)) / made.clip.fps
    curves = [
        Curve(f"{layer.name}: {joint}", times, np.degrees(np.linalg.norm(turn, axis=1)))
        for layer in made.corrections.layers
        if layer.on
        for joint, turn in layer.turns.items()
        if np.degrees(np.abs(turn).max()) > 2.0
    ][:10]
    if not curves:
        return "<p>None is larger than two degrees.</p>"
    plot = draw_plot(
        curves, PlotParameters("Turns by layer and joint", "seconds", "degrees", height=380, from_zero=True)
    )
    return svg_image(plot, "corrections over time")


def _surfaces(made: Adapted) -> list[str]:
    """For each arm that was parted from the trunk: what turns of its forearm would cost, in the frame in which it was parted farthest."""
    parts = []
    for side in ("left", "right"):
        layers = [layer for layer in made.corrections.layers if layer.name == f"{side} arm" and not layer.empty]
        if not layers:
            continue
        size = np.linalg.norm(sum(next(iter(layer.turns.values())) for layer in layers), axis=1)
        parted = Corrections(len(made.source), tuple(layers)).apply(made.source)
        surface = forearm_surface(parted, made.body, side, int(size.argmax()), made.source.world(np.float64))
        twist, elbow = np.degrees(surface.least)
        told = (
            f"{side.capitalize()} forearm at {size.argmax() / made.clip.fps:.2f} s: its objective over the twist of the upper arm "
            f"(left to right) and the bend of the elbow (upwards). Cross: not turned. Ring: the least, {twist:.0f}° and {elbow:.0f}°."
        )
        parts.append(png_image(surface_picture(surface), told) + f"<p>{escape(told)}</p>")
    return ["<h2>What a forearm would cost</h2>", *parts] if parts else []
