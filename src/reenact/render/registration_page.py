"""One registration as an HTML page: the verdict, the grid with its path, the curves, the plants, and the blend beside a linear one."""

from __future__ import annotations

import os
from html import escape

import numpy as np

from reenact.blend.blend import BlendParameters, blend_curve
from reenact.blend.blend_quality import floor_way, slide_speed
from reenact.blend.linear import blend_linearly
from reenact.blend.plant_matching import PlantMatching, match_plants
from reenact.blend.registration_curve import RegistrationCurve
from reenact.blend.weights import constant_weights
from reenact.core.made import Made
from reenact.formats.atomic import atomic_write
from reenact.render.html_page import html_page, png_image, svg_image, tile
from reenact.render.plant_bars import draw_plant_bars
from reenact.render.plot import COLOURS, Curve, PlotParameters, draw_plot
from reenact.render.registration_pictures import draw_alignment_stages, draw_grid
from reenact.render.strip import StripParameters, render_strip

_PILLS = {"good": "ok", "doubtful": "warning", "refused": "error"}
_POINTS = 400  # of a curve
_STRIP = StripParameters(count=9, width=1140, height=170, mode="row", caption=False, figure="sticks")


def registration_page(curve: RegistrationCurve, title: str = "", *, blends: bool = True) -> str:
    """The page as HTML.

    Args:
        curve: the registration.
        title: of the page; default: the names of the clips.
        blends: also show the even blend of all clips beside the linear one, with measures of both.
    """
    names = [clip.name or f"clip {number}" for number, clip in enumerate(curve.clips)]
    title = title or " and ".join(names)
    curve, matching = match_plants(curve)
    parts = [_header(curve, title), _clips(curve, names)]
    parts += [_pair(curve, motion, names) for motion in range(curve.motions) if motion != curve.reference]
    parts += [_curves(curve, names), _plants(curve, matching, names)]
    if blends:
        parts.append(_blends(curve))
    return html_page(title, parts)


def save_registration_page(
    curve: RegistrationCurve, path: str | os.PathLike[str], title: str = "", *, blends: bool = True
) -> None:
    """Write the page, whole or not at all."""
    text = registration_page(curve, title, blends=blends)
    with atomic_write(path) as stream:
        stream.write(text.encode("utf-8"))


def _header(curve: RegistrationCurve, title: str) -> str:
    quality = curve.quality
    told = [*quality.reasons, *(finding.message for finding in curve.findings)]
    words = "".join(f"<li>{escape(word)}</li>" for word in told)
    tiles = (
        tile("distance on the path, of the mean", f"{quality.q:.2f}")
        + tile("mean distance", f"{100 * quality.mean_distance:.1f}", "cm")
        + tile("worst distance", f"{100 * quality.worst_distance:.1f}", f"cm, at {quality.worst_at / curve.fps:.2f} s")
        + tile("common time", f"{curve.length / curve.fps:.2f}", "s")
    )
    return (
        f'<header><p class="kicker">reenact register</p><h1>{escape(title)}</h1>'
        f'<p class="lead"><span class="pill {_PILLS[quality.verdict]}">{quality.verdict}</span></p></header>'
        f'<div class="tiles">{tiles}</div>' + (f"<ul>{words}</ul>" if words else "")
    )


def _clips(curve: RegistrationCurve, names: list[str]) -> str:
    rows = "".join(
        f"<tr><td>{escape(name)}{' (reference)' if motion == curve.reference else ''}</td>"
        f"<td class=n>{start} to {end}</td><td class=n>{(end - start) / curve.fps:.2f}</td><td class=n>{_each(curve, motion)}</td></tr>"
        for motion, (name, (start, end)) in enumerate(zip(names, curve.ranges, strict=True))
    )
    return (
        '<section class="card"><h2>Clips</h2><table><tr><th>clip</th><th class=n>frames used</th><th class=n>seconds</th>'
        f"<th class=n>q</th></tr>{rows}</table></section>"
    )


def _each(curve: RegistrationCurve, motion: int) -> str:
    return "" if motion == curve.reference else f"{curve.quality.each[motion]:.2f}"


def _pair(curve: RegistrationCurve, motion: int, names: list[str]) -> str:
    """The grid of one pair: dark where frames are alike, the path and the fitted curve over it."""
    told = f"{names[curve.reference]} against {names[motion]}: dark is alike"
    stages = f"{names[motion]} laid on {names[curve.reference]}: as recorded, corresponding frames, clouds of points, aligned"
    return (
        f'<section class="card"><h2>{escape(told)}</h2>{png_image(draw_grid(curve, motion), told)}'
        f'<p class="quiet">{escape(stages)}</p>{png_image(draw_alignment_stages(curve, motion), stages)}</section>'
    )


def _curves(curve: RegistrationCurve, names: list[str]) -> str:
    u = np.linspace(0.0, curve.length, _POINTS)
    seconds = u / curve.fps
    frames, slopes = curve.warp.frames_at(u) / curve.fps, curve.warp.slopes_at(u)
    turns = np.degrees(curve.alignment.turns_at(u))
    offsets = 100 * np.linalg.norm(curve.alignment.offsets_at(u), axis=2)
    others = [motion for motion in range(curve.motions) if motion != curve.reference]
    shown = (
        ("Time of each clip", "seconds", frames, range(curve.motions)),
        ("Speed of each clip's time", "seconds per second", slopes, range(curve.motions)),
        ("Turn onto the reference", "degrees", turns, others),
        ("Hips from the reference's, on the floor", "cm", offsets, others),
    )
    images = [
        svg_image(
            draw_plot(
                [
                    Curve(names[motion], seconds, values[:, motion], COLOURS[motion % len(COLOURS)])
                    for motion in motions
                ],
                PlotParameters(title, "seconds of the common time", unit, 560, 260),
            ),
            title,
        )
        for title, unit, values, motions in shown
    ]
    return f'<section class="card"><h2>Curves</h2><div class="plots">{"".join(images)}</div></section>'


def _plants(curve: RegistrationCurve, matching: PlantMatching, names: list[str]) -> str:
    if not any(any(lists) for lists in matching.intervals.values()):
        return '<section class="card"><h2>Foot plants</h2><p class="quiet">None are known.</p></section>'
    told = "foot plants as recorded and as matched"
    bars = svg_image(draw_plant_bars(matching, names, curve.length, curve.fps), told)
    return f'<section class="card"><h2>Foot plants</h2><div class="bars">{bars}</div></section>'


def _blends(curve: RegistrationCurve) -> str:
    """The even blend of all clips, and the linear ones beside it."""
    even = constant_weights([1.0] * curve.motions, curve.motions)
    made: list[tuple[str, Made]] = [
        ("registration", blend_curve(curve, BlendParameters(), even)),
        ("linear, frame by frame", blend_linearly(curve.clips, even, "index", curve.plants)),
        ("linear, by shares of the time", blend_linearly(curve.clips, even, "normalised", curve.plants)),
    ]
    rows = "".join(_row(name, one) for name, one in made)
    strips = "".join(
        f'<p class="quiet">{escape(name)}</p><div class="strip">{png_image(render_strip(one.clip.renamed(name), _STRIP), name)}</div>'
        for name, one in made[:2]
    )
    return (
        '<section class="card"><h2>Even blend</h2><table><tr><th>method</th><th class=n>slide<small>m/s</small></th>'
        "<th class=n>way over the floor<small>m</small></th><th class=n>seconds</th></tr>"
        f"{rows}</table>{strips}</section>"
    )


def _row(name: str, made: Made) -> str:
    clip = made.clip
    slide = "" if made.plants is None else f"{slide_speed(clip, made.plants):.3f}"
    return (
        f"<tr><td>{escape(name)}</td><td class=n>{slide}</td><td class=n>{floor_way(clip):.2f}</td>"
        f"<td class=n>{clip.seconds:.2f}</td></tr>"
    )
