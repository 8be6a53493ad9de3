"""A picture being painted: colours, depth, and the shaded capsules that figures are made of.

A capsule is the hull of two balls. Its picture is taken to be the hull of the balls' pictures, whose exact distance field gives
smooth edges without supersampling, a surface normal for the light and a depth for every pixel.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from PIL import Image

from reenact.core.arrays import Float, Float32
from reenact.render.palette import Colour, colour_array

_LIGHT = np.array([-0.42, -0.72, 0.55]) / math.sqrt(
    0.42**2 + 0.72**2 + 0.55**2
)  # in the picture: right, down, towards the eye
_AMBIENT, _DIFFUSE = 0.62, 0.62
_SHEEN = 26.0  # strength of the highlight, of 255


@dataclass(frozen=True, slots=True, eq=False)
class Capsules:
    """Tapered capsules in the picture.

    Attributes:
        ends: (N, 2, 2) pixels of both ends.
        radii: (N, 2) pixels.
        depths: (N, 2) metres along the view.
        bulge: (N, 2) radii in metres: how much nearer the surface lies than the axis.
        colours: (N, 3) 0..255.
        roundness: (N,) 0..1, how much the light shows the curve: 1 for limbs, less for the parts of a trunk, which then look like one.
    """

    ends: Float
    radii: Float
    depths: Float
    bulge: Float
    colours: Float
    roundness: Float


def join_capsules(groups: Sequence[Capsules]) -> Capsules:
    """All capsules of several groups."""
    return Capsules(*(np.concatenate([getattr(group, field.name) for group in groups]) for field in fields(Capsules)))


class Canvas:
    """Colours (3, H, W) float32 0..255, plane by plane because that is quicker to paint, and depth (H, W) metres of a picture."""

    def __init__(self, width: int, height: int, background: Colour) -> None:
        self.colours: Float32 = np.empty((3, height, width), np.float32)
        self.colours[:] = colour_array(background)
        self.depth: Float32 = np.full((height, width), np.inf, np.float32)

    @property
    def width(self) -> int:
        """Pixels across."""
        return self.colours.shape[2]

    @property
    def height(self) -> int:
        """Pixels down."""
        return self.colours.shape[1]

    def paint(self, mask: Float, colour: Colour, left: int = 0, top: int = 0) -> None:
        """Blend a colour in where `mask` (h, w), 0..1, says; its corner may lie outside the picture."""
        y0, y1 = max(top, 0), min(top + mask.shape[0], self.height)
        x0, x1 = max(left, 0), min(left + mask.shape[1], self.width)
        if y0 >= y1 or x0 >= x1:
            return
        part = self.colours[:, y0:y1, x0:x1]
        cut = mask[y0 - top : y1 - top, x0 - left : x1 - left].astype(np.float32, copy=False)
        change = colour_array(colour) - part
        change *= cut
        part += change

    def copy(self) -> Canvas:
        """The same picture, to be painted on."""
        other = object.__new__(Canvas)
        other.colours, other.depth = self.colours.copy(), self.depth.copy()
        return other

    def clear(self, colour: Colour, top: int) -> None:
        """Fill everything from a row downwards."""
        self.colours[:, top:] = colour_array(colour)

    def place(self, other: Canvas, left: int, top: int) -> None:
        """Copy another picture in; it must lie inside this one."""
        self.colours[:, top : top + other.height, left : left + other.width] = other.colours

    def draw_capsules(self, capsules: Capsules) -> None:
        """Paint capsules, far ones first; where they cross, the depth decides pixel by pixel."""
        for index in np.argsort(-capsules.depths.mean(axis=1), kind="stable"):
            self._draw_capsule(
                capsules.ends[index].tolist(),
                capsules.radii[index].tolist(),
                capsules.depths[index].tolist(),
                capsules.bulge[index].tolist(),
                capsules.colours[index],
                float(capsules.roundness[index]),
            )

    def _draw_capsule(
        self, ends: list, radii: list, depths: list, bulge: list, colour: Float, roundness: float
    ) -> None:
        (ax, ay), (bx, by) = ends
        ra, rb = radii
        x0, x1 = math.floor(min(ax - ra, bx - rb)) - 1, math.ceil(max(ax + ra, bx + rb)) + 2
        y0, y1 = math.floor(min(ay - ra, by - rb)) - 1, math.ceil(max(ay + ra, by + rb)) + 2
        x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, self.width), min(y1, self.height)
        if x0 >= x1 or y0 >= y1:
            return
        x = np.arange(x0, x1, dtype=np.float32) + np.float32(0.5 - ax)
        y = (np.arange(y0, y1, dtype=np.float32) + np.float32(0.5 - ay))[:, None]
        dx, dy = bx - ax, by - ay
        length = math.hypot(dx, dy)
        sine = (ra - rb) / length if length > 0 else math.inf
        if abs(sine) >= 0.999:  # seen end on: the larger ball hides the other
            along = 0.0 if ra >= rb else 1.0
            nx, ny = x - np.float32(along * dx), y - np.float32(along * dy)
            radius = max(ra, rb)
        else:
            ux, uy = dx / length, dy / length
            u = x * np.float32(ux) + y * np.float32(uy)
            v = np.abs(y * np.float32(ux) - x * np.float32(uy))
            # the ball that reaches farthest towards the pixel: where d/dt (distance to its centre - its radius) is zero
            v *= np.float32(sine / math.sqrt(1 - sine * sine))
            u -= v
            u *= np.float32(1 / length)
            along = np.clip(u, 0, 1, out=u)
            nx, ny = x - along * np.float32(dx), y - along * np.float32(dy)
            radius = np.float32(ra) + along * np.float32(rb - ra)
        square = nx * nx + ny * ny
        distance = np.sqrt(square)
        cover = radius - distance
        cover += np.float32(0.5)
        np.clip(cover, 0, 1, out=cover)
        inverse = 1 / np.maximum(radius, np.float32(1e-6))
        nz = np.sqrt(np.maximum(1 - square * (inverse * inverse), 0))
        outward = depths[0] + along * np.float32(depths[1] - depths[0])
        depth = outward - nz * (bulge[0] + along * np.float32(bulge[1] - bulge[0]))
        seen = self.depth[y0:y1, x0:x1]
        cover *= depth < seen
        light = nx * np.float32(_LIGHT[0]) + ny * np.float32(_LIGHT[1])
        light *= inverse * np.float32(roundness)
        facing = nz if roundness == 1 else np.sqrt(1 - np.float32(roundness**2) * (1 - nz * nz))
        light += facing * np.float32(_LIGHT[2])
        np.maximum(light, 0, out=light)
        sheen = light**12 * np.float32(_SHEEN)
        light *= np.float32(_DIFFUSE)
        light += np.float32(_AMBIENT)
        rim = np.float32(0.28 * roundness**2)  # a darker rim makes limbs stand out from limbs
        light *= (1 - rim) + rim * np.minimum(nz * np.float32(2.2), 1)
        part = self.colours[:, y0:y1, x0:x1]
        shade = light * colour.astype(np.float32)[:, None, None]
        shade += sheen
        np.minimum(shade, 255, out=shade)
        shade -= part
        shade *= cover
        part += shade
        np.copyto(seen, depth, where=cover > 0.5)

    def picture(self) -> Image.Image:
        """The painted picture, 8-bit RGB."""
        planes = (self.colours + np.float32(0.5)).astype(np.uint8)  # painting only mixes colours, so none leaves 0..255
        return Image.merge("RGB", [Image.fromarray(plane) for plane in planes])
