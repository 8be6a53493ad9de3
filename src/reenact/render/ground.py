"""The ground: a metre grid that fades with distance, soft shadows and foot traces on it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from reenact.core.arrays import Float
from reenact.render.camera import Camera
from reenact.render.canvas import Canvas
from reenact.render.palette import Colour, Palette

_COARSE = 2  # shadows are painted at this fraction of the resolution: they are soft anyway
_FINE = 2  # lines are painted at this multiple of the resolution
_OUTSIDE = 30_000.0  # pixels: what lies farther out is pulled in, as drawing takes no larger numbers
_CORNERS = 16  # of the outline of a bone's shadow


def grid_step(size: float) -> float:
    """Metres between grid lines: 1 for people, a rounded decade for anything much smaller or larger than one."""
    return 10.0 ** math.floor(math.log10(max(size, 1e-6) / 0.45)) if not 0.45 <= size <= 6 else 1.0


class Ground:
    """The part of the floor that a camera sees; made once, painted for every frame in which the camera keeps its height."""

    def __init__(self, camera: Camera, floor: float) -> None:
        start, way = camera.rays()
        below = floor - camera.eye[1]
        fall = np.broadcast_to(way[..., 1], (camera.height, camera.width))
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = (below - start[..., 1]) / fall
        self._seen = np.isfinite(steps) & (steps > 0) & (fall < -1e-9)
        steps = np.where(self._seen, steps, 0.0)
        self._x = (start[..., 0] + steps * way[..., 0]).astype(np.float32)
        self._z = (start[..., 2] + steps * way[..., 2]).astype(np.float32)
        below_horizon = np.flatnonzero(self._seen.any(axis=1))
        self._rows = slice(int(below_horizon[0]), int(below_horizon[-1]) + 1) if len(below_horizon) else slice(0, 0)
        self._blur_x, self._blur_z = (_pixel_width(values) for values in (self._x, self._z))

    def paint(
        self, canvas: Canvas, camera: Camera, palette: Palette, step: float, centre: Float, reach: tuple[float, float]
    ) -> None:
        """Paint the floor with its grid.

        Args:
            canvas: an empty picture.
            camera: where the camera is now; its axes, scale and height as when this was made.
            palette: colours.
            step: metres between lines.
            centre: (3,) where the floor is clearest.
            reach: metres from there at which it starts to fade, and at which it is gone.
        """
        rows = self._rows
        x = self._x[rows] - np.float32(centre[0] - camera.eye[0])
        z = self._z[rows] - np.float32(centre[2] - camera.eye[2])
        far = x * x
        far += z * z
        np.sqrt(far, out=far)
        fade = np.clip((np.float32(reach[1]) - far) * np.float32(1 / (reach[1] - reach[0])), 0, 1)
        fade *= fade * (3 - 2 * fade)
        fade *= self._seen[rows]
        canvas.paint(fade, palette.ground, 0, rows.start)
        lines = [
            _line_cover(values, float(offset), blur[rows], step)
            for values, offset, blur in ((x, centre[0], self._blur_x), (z, centre[2], self._blur_z))
        ]
        canvas.paint(np.maximum(*lines) * fade, palette.line, 0, rows.start)
        axes = [
            _line_cover(values, float(offset), blur[rows], 0.0)
            for values, offset, blur in ((x, centre[0], self._blur_x), (z, centre[2], self._blur_z))
            if abs(offset) < reach[1]
        ]
        for cover in axes:
            canvas.paint(cover * fade, palette.axis, 0, rows.start)


def _pixel_width(values: Float) -> Float:
    """How far apart neighbouring pixels lie on the ground."""
    across = np.abs(np.diff(values, axis=1, append=values[:, -1:]))
    down = np.abs(np.diff(values, axis=0, append=values[-1:]))
    across[:, -1] = across[:, -2] if values.shape[1] > 1 else 0
    down[-1] = down[-2] if values.shape[0] > 1 else 0
    return np.maximum(np.hypot(across, down), 1e-9)


def _line_cover(values: Float, offset: float, blur: Float, step: float) -> Float:
    """How much of each pixel grid lines cover, 0..1. A step of 0 asks for the line through the origin alone, a little wider."""
    if step > 0:
        position = values + np.float32(offset % step)
        position -= np.float32(step) * np.round(position * np.float32(1 / step))
        dense = np.clip(2.2 - np.float32(8 / step) * blur, 0, 1)  # far away lines would melt into one another
    else:
        position, dense = values + np.float32(offset), np.float32(1)
    np.abs(position, out=position)
    position /= blur
    cover = np.clip(np.float32(1.05 if step > 0 else 1.35) - position, 0, 1, out=position)
    return cover * dense


def paint_shadows(
    canvas: Canvas, camera: Camera, palette: Palette, ends: Float, radii: Float, floor: float, size: float
) -> None:
    """Soft shadows straight below a body: darker and sharper the nearer a part is to the floor.

    Args:
        canvas: with the ground painted.
        camera: the camera.
        palette: colours.
        ends: (S, 2, 3) metres of the body's capsules.
        radii: (S, 2) metres.
        floor: height of the ground.
        size: about the body's height in metres.
    """
    if not len(ends):
        return
    outline = _shadow_outlines(ends, radii, floor)
    pixels, depth, scale = camera.project(outline)
    height = np.maximum(ends[:, :, 1] - floor, 0).mean(axis=1) / size
    low = height < 0.14
    per_metre = float(np.median(scale))
    for chosen, strength, blur in ((~low, 0.34, 0.030), (low, 0.72, 0.009)):
        dark = (255 * strength * np.clip(1 - height / 1.5, 0.2, 1)).astype(int)
        rows = np.flatnonzero(chosen & (depth.min(axis=1) > 0))
        _paint_soft(canvas, pixels, dark, rows[np.argsort(dark[rows])], blur * size * per_metre, palette.shadow)


def _shadow_outlines(ends: Float, radii: Float, floor: float) -> Float:
    """(S, corners, 3): convex outlines on the floor of capsules seen from straight above."""
    level = ends[:, :, [0, 2]]
    along = level[:, 1] - level[:, 0]
    angle = np.arctan2(along[:, 1], along[:, 0])[:, None]
    half = np.linspace(-np.pi / 2, np.pi / 2, _CORNERS // 2)
    around = [angle + half + np.pi, angle + half]
    rims = [
        level[:, k, None] + radii[:, k, None, None] * np.stack([np.cos(around[k]), np.sin(around[k])], axis=-1)
        for k in (0, 1)
    ]
    flat = np.concatenate(rims, axis=1)
    return np.stack([flat[..., 0], np.full(flat.shape[:2], floor), flat[..., 1]], axis=-1)


def _paint_soft(
    canvas: Canvas, pixels: Float, dark: NDArray[np.integer], rows: NDArray[np.integer], blur: float, colour: Colour
) -> None:
    if not len(rows):
        return
    room = 3 * blur + _COARSE
    pixels = np.clip(pixels, -_OUTSIDE, _OUTSIDE)
    flat = pixels[rows].reshape(-1, 2)
    x0, y0 = np.maximum(np.floor(flat.min(axis=0) - room), 0).astype(int)
    x1, y1 = np.minimum(np.ceil(flat.max(axis=0) + room), (canvas.width, canvas.height)).astype(int)
    if x0 >= x1 or y0 >= y1:
        return
    mask = Image.new("L", (-(-(x1 - x0) // _COARSE), -(-(y1 - y0) // _COARSE)))
    draw = ImageDraw.Draw(mask)
    local = (pixels - (x0, y0)) / _COARSE
    for row in rows:
        draw.polygon(local[row].ravel().tolist(), fill=int(dark[row]))
    mask = mask.filter(ImageFilter.GaussianBlur(blur / _COARSE))
    mask = mask.resize((mask.width * _COARSE, mask.height * _COARSE), Image.Resampling.BILINEAR)
    canvas.paint(np.asarray(mask, np.float32)[: y1 - y0, : x1 - x0] / 255, colour, int(x0), int(y0))


def paint_lines(canvas: Canvas, lines: list[Float], colour: Colour, width: float, strength: float = 1.0) -> None:
    """Smooth polylines.

    Args:
        canvas: the picture.
        lines: (N, 2) pixels each; a single point gives a dot.
        colour: of all.
        width: pixels.
        strength: 0..1.
    """
    lines = [line for line in lines if len(line) and np.isfinite(line).all()]
    if not lines:
        return
    lines = [np.clip(line, -_OUTSIDE, _OUTSIDE) for line in lines]
    flat = np.concatenate(lines)
    room = width + 2
    x0, y0 = np.clip(np.floor(flat.min(axis=0) - room), 0, (canvas.width, canvas.height)).astype(int)
    x1, y1 = np.clip(np.ceil(flat.max(axis=0) + room), 0, (canvas.width, canvas.height)).astype(int)
    if x0 >= x1 or y0 >= y1:
        return
    mask = Image.new("L", ((x1 - x0) * _FINE, (y1 - y0) * _FINE))
    draw = ImageDraw.Draw(mask)
    thick = max(1, round(width * _FINE))
    for line in lines:
        local = (line - (x0, y0)) * _FINE
        if len(local) > 1:
            draw.line(local.ravel().tolist(), fill=255, width=thick, joint="curve")
        if thick > 2:
            for x, y in (local[0], local[-1]):
                draw.ellipse((x - thick / 2, y - thick / 2, x + thick / 2, y + thick / 2), fill=255)
    mask = mask.reduce(_FINE)
    canvas.paint(np.asarray(mask, np.float32) * np.float32(strength / 255), colour, int(x0), int(y0))
