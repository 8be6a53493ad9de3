"""Colours of figures and grounds, on light and dark backgrounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from reenact.core.arrays import Float32
from reenact.errors import ParameterError

Background = Literal["light", "dark"]
Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Tint:
    """Colours of one figure: neutral trunk, left limbs, right limbs (as the character has them)."""

    trunk: Colour
    left: Colour
    right: Colour

    def of(self, side: int) -> Colour:
        """Colour of a side: 0 trunk, 1 left, 2 right, 3 the face, a darker trunk."""
        red, green, blue = self.trunk
        return (self.trunk, self.left, self.right, (red * 3 // 5, green * 3 // 5, blue * 3 // 5))[side]


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of a picture.

    Attributes:
        background: behind everything.
        ground: the floor near the figure.
        line: grid lines.
        axis: grid lines through the world's origin.
        shadow: what the floor turns to under the figure.
        text: captions.
        quiet: less important words.
        dot: joint dots.
        tints: figures in order; the first is the main one.
    """

    background: Colour
    ground: Colour
    line: Colour
    axis: Colour
    shadow: Colour
    text: Colour
    quiet: Colour
    dot: Colour
    tints: tuple[Tint, ...]

    def tint(self, index: int) -> Tint:
        """Colours of the figure with this index; they repeat after the last."""
        return self.tints[index % len(self.tints)]


_TINTS = (
    Tint((168, 174, 184), (52, 124, 232), (240, 118, 44)),  # grey, blue left, orange right
    Tint((126, 170, 146), (18, 150, 118), (150, 176, 32)),  # greens
    Tint((176, 148, 186), (126, 78, 200), (216, 72, 150)),  # violets
    Tint((190, 168, 132), (150, 108, 40), (206, 162, 30)),  # browns
)

PALETTES: dict[str, Palette] = {
    "light": Palette(
        background=(248, 249, 251),
        ground=(233, 236, 241),
        line=(196, 202, 212),
        axis=(158, 166, 180),
        shadow=(96, 104, 120),
        text=(38, 43, 52),
        quiet=(112, 119, 132),
        dot=(250, 250, 252),
        tints=_TINTS,
    ),
    "dark": Palette(
        background=(22, 24, 29),
        ground=(36, 39, 46),
        line=(64, 69, 80),
        axis=(98, 105, 120),
        shadow=(6, 7, 9),
        text=(232, 235, 240),
        quiet=(150, 157, 170),
        dot=(240, 243, 248),
        tints=_TINTS,
    ),
}
"""Palettes by background."""


def find_palette(background: str) -> Palette:
    """The palette of a background, or a `ParameterError` that lists the choices."""
    if background not in PALETTES:
        raise ParameterError(f"background {background!r} is not one of {', '.join(PALETTES)}")
    return PALETTES[background]


def colour_array(colour: Colour) -> Float32:
    """(3, 1, 1) float32, 0..255: to spread over a picture's planes."""
    return np.array(colour, dtype=np.float32)[:, None, None]
