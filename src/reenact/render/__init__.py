"""Plain pictures of motion without a browser: pose strips, GIF and MP4, and curves as SVG.

Names are imported when first used, so that a plot never loads Pillow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reenact.callable_package import make_callable
from reenact.lazy_names import lazy_names

_HOME = {
    "AnimationParameters": "reenact.render.animation",
    "render_frames": "reenact.render.animation",
    "save_animation": "reenact.render.animation",
    "PICTURE_ENDINGS": "reenact.render.picture",
    "save_picture": "reenact.render.picture",
    "Curve": "reenact.render.plot",
    "PlotParameters": "reenact.render.plot",
    "draw_plot": "reenact.render.plot",
    "save_plot": "reenact.render.plot",
    "StripParameters": "reenact.render.strip",
    "render_strip": "reenact.render.strip",
    "VIEWS": "reenact.render.view",
}

__all__ = [
    "PICTURE_ENDINGS",
    "VIEWS",
    "AnimationParameters",
    "Curve",
    "PlotParameters",
    "StripParameters",
    "draw_plot",
    "render_frames",
    "render_strip",
    "save_animation",
    "save_picture",
    "save_plot",
]

if TYPE_CHECKING:
    from reenact.render.animation import AnimationParameters, render_frames, save_animation
    from reenact.render.picture import PICTURE_ENDINGS, save_picture
    from reenact.render.plot import Curve, PlotParameters, draw_plot, save_plot
    from reenact.render.strip import StripParameters, render_strip
    from reenact.render.view import VIEWS


__getattr__ = lazy_names(__name__, _HOME)
make_callable(__name__)
