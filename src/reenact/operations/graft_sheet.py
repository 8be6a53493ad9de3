"""The contact sheet of graft candidates: a strip of poses of each with its figures, as one picture or as a page to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from reenact.core.cutting import cut_frames
from reenact.errors import ParameterError
from reenact.formats.atomic import atomic_write
from reenact.operations.library_grafts import Candidate, make_candidate
from reenact.render.html_page import html_page, png_image, tile
from reenact.render.picture import stack_pictures
from reenact.render.strip import StripParameters, render_strip

if TYPE_CHECKING:
    from PIL import Image

    from reenact.library.store import Library

_LOOK = StripParameters(mode="row", count=9, height=150, width=1200, view="side", figure="sticks")


def save_sheet(library: Library, candidates: Sequence[Candidate], path: Path) -> None:
    """Draw candidates, the first at the top (.png or .html).

    Raises:
        ParameterError: another ending, or nothing to draw.
    """
    drawn = [one for one in candidates if one.status != "refused"]
    if not drawn:
        raise ParameterError("there is no candidate to draw", where=str(path))
    if path.suffix.lower() not in (".png", ".html"):
        raise ParameterError(
            f"unknown ending {path.suffix!r} for a contact sheet; known are .png, .html", where=str(path)
        )
    pictures = [_picture(library, one) for one in drawn]
    if path.suffix.lower() == ".png":
        sheet = stack_pictures(pictures)
        with atomic_write(path) as stream:
            sheet.save(stream, format="PNG")
        return
    parts = ["<h1>Grafts</h1>", *(_part(one, picture) for one, picture in zip(drawn, pictures, strict=True))]
    with atomic_write(path) as stream:
        stream.write(html_page("Grafts", parts).encode())


def _picture(library: Library, one: Candidate) -> Image.Image:
    clip = make_candidate(library, replace(one, parameters=replace(one.parameters, cut=False))).clip
    shown = cut_frames(clip, *one.report["domain"])
    return render_strip([shown.renamed(f"{one.name}  score {one.score:.2f}  {one.status}")], _LOOK)


def _part(one: Candidate, picture: Image.Image) -> str:
    tiles = "".join(
        tile(name.replace("_", " "), "-" if value is None else f"{value:g}") for name, value in one.figures.items()
    )
    doubts = "".join(f"<li>{escape(words)}</li>" for words in one.report["doubts"])
    return (
        f"<section><h2>{escape(one.name)}</h2><p>{escape(one.status)}; {escape(one.report['masked'].partition(':')[0])} of "
        f"{escape(one.source)} ({escape(one.report['types']['source'])}) on {escape(one.base)} "
        f"({escape(one.report['types']['base'])})</p>{png_image(picture, one.name)}<div class=tiles>{tiles}</div>"
        f"<ul>{doubts}</ul></section>"
    )
