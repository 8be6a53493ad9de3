"""Pages that stand alone: one HTML file, pictures inside, no scripts, no addresses; light or dark as the reader has it."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from html import escape

from PIL import Image

from reenact.render.page_style import STYLE


def html_page(title: str, parts: Sequence[str]) -> str:
    """A whole page.

    Args:
        title: of the window.
        parts: HTML, one below the other.
    """
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width,initial-scale=1">',
            f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><main>",
            *parts,
            "</main></body></html>\n",
        ]
    )


def svg_image(svg: str, told: str) -> str:
    """A drawing as an image of the page; `told` describes it to those who do not see it."""
    return _image(svg.encode(), "svg+xml", told)


def png_image(picture: Image.Image, told: str) -> str:
    """A picture as an image of the page."""
    stream = io.BytesIO()
    picture.save(stream, format="PNG", compress_level=6)
    return _image(stream.getvalue(), "png", told)


def _image(data: bytes, kind: str, told: str) -> str:
    return f'<img alt="{escape(told)}" src="data:image/{kind};base64,{base64.b64encode(data).decode()}">'


def tile(label: str, value: str, unit: str = "") -> str:
    """A number with what it is."""
    return f"<div class=tile><span>{escape(label)}</span><b>{escape(value)}</b> <small>{escape(unit)}</small></div>"
