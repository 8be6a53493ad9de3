"""Cameras, perspective and orthographic, and the framing that makes a motion fill the picture."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from reenact.core.arrays import Float, Float64
from reenact.render.view import View

NEAREST = 1e-12  # metres: nearer points, and those behind the camera, are taken to lie so near


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A camera looking along `-axes[2]`.

    Attributes:
        eye: (3,) metres; for an orthographic camera any point of its image plane's normal through the picture's centre.
        axes: (3, 3) rows right, up, back: orthonormal world directions.
        width: picture width in pixels.
        height: picture height in pixels.
        scale: focal length in pixels (perspective) or pixels per metre (orthographic).
        centre: pixel that the eye's axis meets.
        perspective: whether far things look small.
    """

    eye: Float
    axes: Float
    width: int
    height: int
    scale: float
    centre: tuple[float, float]
    perspective: bool = True

    def project(self, points: ArrayLike) -> tuple[Float64, Float64, Float64]:
        """Pixels (..., 2), depth (...,) in metres along the view, and size (...,) in pixels of one metre there.

        Pixel (0, 0) is the upper left corner of the upper left pixel; a pixel's middle lies at a half.
        """
        local = (np.asarray(points, dtype=np.float64) - self.eye) @ self.axes.T
        depth = -local[..., 2]
        if self.perspective:
            size = self.scale / np.maximum(depth, NEAREST)
        else:
            size = np.full(depth.shape, self.scale)
        pixels = np.stack([self.centre[0] + size * local[..., 0], self.centre[1] - size * local[..., 1]], axis=-1)
        return pixels, depth, size

    def rays(self) -> tuple[Float64, Float64]:
        """Starts relative to the eye and directions, both (H, W, 3) or broadcastable, of the ray through every pixel's middle."""
        x = (np.arange(self.width) + 0.5 - self.centre[0]) / self.scale
        y = (self.centre[1] - np.arange(self.height) - 0.5) / self.scale
        across = x[None, :, None] * self.axes[0] + y[:, None, None] * self.axes[1]
        if self.perspective:
            return np.zeros((1, 1, 3)), across - self.axes[2]
        return across, -self.axes[2][None, None]

    def moved(self, by: ArrayLike) -> Camera:
        """The same camera, shifted in the world by (3,) metres."""
        return replace(self, eye=self.eye + np.asarray(by, dtype=np.float64))


def view_axes(view: View, heading: float) -> Float64:
    """(3, 3) rows right, up, back of a camera at `view` of a character that faces `heading` (radians, 0 = +Z)."""
    angle = heading - math.radians(view.azimuth)
    elevation = math.radians(view.elevation)
    right = np.array([math.cos(angle), 0.0, -math.sin(angle)])
    level = np.array([math.sin(angle), 0.0, math.cos(angle)])
    back = math.cos(elevation) * level + np.array([0.0, math.sin(elevation), 0.0])
    return np.stack([right, np.cross(back, right), back])


def fit_perspective(
    points: Float,
    axes: Float,
    size: tuple[int, int],
    margins: tuple[float, float, float, float],
    *,
    pad: float,
    field_of_view: float = 28.0,
) -> Camera:
    """The nearest perspective camera with these axes whose picture holds every point with a ball of radius `pad` around it.

    The four sides of the view's pyramid are pushed until they touch the balls; the eye lies where opposite sides meet, in closed form.

    Args:
        points: (N, 3) metres.
        axes: rows right, up, back.
        size: picture width and height in pixels.
        margins: pixels kept free at left, top, right and bottom.
        pad: metres.
        field_of_view: degrees across the picture's longer side.
    """
    width, height = size
    left, top, right, bottom = margins
    focal = 0.5 * max(width, height) / math.tan(math.radians(field_of_view) / 2)
    half = np.array([max(width - left - right, 2), max(height - top - bottom, 2)]) / (2 * focal)
    local = points @ axes.T
    reach = pad * np.sqrt(1 + half**2)
    high = (local[:, :2] + half * local[:, 2:]).max(axis=0) + reach
    low = (local[:, :2] - half * local[:, 2:]).min(axis=0) - reach
    back = max(float(np.max((high - low) / (2 * half))), float(local[:, 2].max()) + pad)
    eye = np.array([*(high + low) / 2, back]) @ axes
    centre = (left + (width - left - right) / 2, top + (height - top - bottom) / 2)
    return Camera(eye, axes, width, height, focal, centre, True)


def fit_orthographic(
    points: Float,
    axes: Float,
    size: tuple[int, int],
    margins: tuple[float, float, float, float],
    *,
    pad: float,
    scale: float | None = None,
) -> Camera:
    """The orthographic camera with these axes whose picture holds every point; the scale, pixels per metre, may be given instead.

    Args:
        points: (N, 3) metres.
        axes: rows right, up, back.
        size: picture width and height in pixels.
        margins: pixels kept free at left, top, right and bottom.
        pad: radius in metres of a ball around every point that must be seen too.
        scale: pixels per metre; None takes the largest that fits.
    """
    width, height = size
    left, top, right, bottom = margins
    inner = np.array([max(width - left - right, 2), max(height - top - bottom, 2)])
    local = points @ axes.T
    high, low = local.max(axis=0) + pad, local.min(axis=0) - pad
    if scale is None:
        scale = float(np.min(inner / np.maximum(high - low, 1e-9)[:2]))
    eye = np.array([*(high + low)[:2] / 2, high[2] + 1.0]) @ axes
    centre = (left + inner[0] / 2, top + inner[1] / 2)
    return Camera(eye, axes, width, height, scale, centre, False)
