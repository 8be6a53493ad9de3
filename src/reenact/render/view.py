"""From where a motion is looked at: named views and free angles, relative to where the character faces or goes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from reenact.errors import ParameterError


@dataclass(frozen=True, slots=True)
class View:
    """A direction to look from.

    Attributes:
        azimuth: degrees round the character: 0 in front, 90 at its right side (so that it goes to the right of the picture), 180 behind.
        elevation: degrees above the horizon, -90..90.
    """

    azimuth: float
    elevation: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.azimuth):
            raise ParameterError(f"azimuth must be a number of degrees, not {self.azimuth}")
        if not -90 <= self.elevation <= 90:
            raise ParameterError(f"elevation must lie between -90 and 90 degrees, not {self.elevation}")


VIEWS = {
    "three-quarter": View(52, 14),
    "side": View(90, 7),
    "front": View(0, 8),
    "back": View(180, 8),
    "top": View(90, 90),
}
"""The named views; `side` is the character's right side."""


def parse_view(text: str | View) -> View:
    """A view from its name, or from `AZIMUTH,ELEVATION` in degrees such as "30,15"."""
    if isinstance(text, View):
        return text
    if text in VIEWS:
        return VIEWS[text]
    parts = text.split(",")
    try:
        azimuth, elevation = (float(part) for part in parts)
    except ValueError:
        raise ParameterError(
            f"view {text!r} is not one of {', '.join(VIEWS)}, nor two angles in degrees such as 30,15"
        ) from None
    return View(azimuth, elevation)
