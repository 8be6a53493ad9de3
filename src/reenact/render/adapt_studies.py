"""Pictures of how an adaptation decides: where a limb can reach and with which answer, and what every turn of a forearm would cost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import PIL.Image
import PIL.ImageDraw

from reenact.adapt.forearm_surface import ForearmSurface
from reenact.adapt.planar_limb import solve_plane
from reenact.core.arrays import Float

_AHEAD, _BEHIND, _NOWHERE = (47, 111, 179), (226, 145, 59), (176, 182, 190)
_LOW, _HIGH = np.array((16.0, 42.0, 92.0)), np.array((250.0, 226.0, 148.0))
_SEEN = 0.9  # share of the surface that the colours tell apart: what is higher is one wall


def reach_map(thigh: Sequence[float], shank: Sequence[float], pixels: int = 420) -> PIL.Image.Image:
    """Where the end of a limb of two links can be brought in its plane, and which of the two answers turns the hip less.

    Args:
        thigh, shank: metres (y, z) from hip to knee and from knee to ankle, the pose that is left.
        pixels: of each side; the hip is in the middle.

    Returns:
        Blue where the knee goes to one side, orange where it goes to the other, grey out of reach; the limb as it is drawn in white.
    """
    upper, lower = np.asarray(thigh, np.float64), np.asarray(shank, np.float64)
    far = 1.12 * (np.linalg.norm(upper) + np.linalg.norm(lower))
    line = np.linspace(-far, far, pixels)
    z, y = np.meshgrid(line, -line)
    goals = np.stack([y.ravel(), z.ravel()], axis=1)
    count = len(goals)
    found = solve_plane(np.tile(upper, (count, 1)), np.tile(lower, (count, 1)), goals - upper - lower)
    side = found.picked < 2
    colours = np.where(found.reached[:, None], np.where(side[:, None], _AHEAD, _BEHIND), _NOWHERE).astype(np.uint8)
    picture = PIL.Image.fromarray(colours.reshape(pixels, pixels, 3))
    places = [np.zeros(2), upper, upper + lower]
    dots = [((one[1] + far) / (2 * far) * pixels, (far - one[0]) / (2 * far) * pixels) for one in places]
    pen = PIL.ImageDraw.Draw(picture)
    pen.line(dots, fill=(255, 255, 255), width=4)
    for x, high in dots:
        pen.ellipse((x - 5, high - 5, x + 5, high + 5), fill=(255, 255, 255))
    return picture


def surface_picture(surface: ForearmSurface, pixels: int = 6) -> PIL.Image.Image:
    """The objective over the turns of a forearm: dark is low; a cross where nothing is turned, a ring at the least.

    The twist of the upper arm goes from left to right, the bend of the elbow from below to above.
    """
    costs = surface.costs.T[::-1]
    picture = PIL.Image.fromarray(_colours(costs)).resize(
        (costs.shape[1] * pixels, costs.shape[0] * pixels), PIL.Image.Resampling.BICUBIC
    )
    pen = PIL.ImageDraw.Draw(picture)

    def place(twist: float, elbow: float) -> tuple[float, float]:
        column, row = (np.abs(side - at).argmin() for side, at in ((surface.twist, twist), (surface.elbow, elbow)))
        return (column + 0.5) * pixels, (len(surface.elbow) - row - 0.5) * pixels

    x, y = place(0.0, 0.0)
    for a, b in (((x - 7, y - 7), (x + 7, y + 7)), ((x - 7, y + 7), (x + 7, y - 7))):
        pen.line((a, b), fill=(255, 255, 255), width=3)
    x, y = place(*surface.least)
    pen.ellipse((x - 8, y - 8, x + 8, y + 8), outline=(255, 90, 70), width=3)
    return picture


def _colours(values: Float) -> np.ndarray:
    low, high = values.min(), np.quantile(values, _SEEN)
    share = np.clip((values - low) / max(float(high - low), 1e-12), 0, 1) ** 0.5
    share = np.floor(share * 16) / 16  # lines of equal cost
    return (_LOW + share[..., None] * (_HIGH - _LOW)).astype(np.uint8)
