"""Meshes of characters side by side, as they stand or with the weights of their skins as colours."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

from reenact.body.character import Character
from reenact.body.skinning import Method, skin
from reenact.core.arrays import Float
from reenact.core.clip import World
from reenact.render.camera import Camera, fit_orthographic, view_axes
from reenact.render.canvas import Canvas
from reenact.render.lettering import write
from reenact.render.mesh_paint import FlatPaint, paint_of
from reenact.render.mesh_painter import draw_mesh
from reenact.render.palette import find_palette
from reenact.render.view import View

_MARGIN = 0.05  # of the height, around each
_LABEL = 30  # pixels below, where there are labels
_BONE, _JOINT = (20, 20, 24), (255, 255, 255)
_GOLDEN = 0.61803  # of the circle of hues between joints in a row
SIDES = (0.0, 90.0, 180.0)


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A character in a picture.

    Attributes:
        character: whose mesh.
        world: its joints; the first frame is shown. None: the bind pose.
        azimuth: degrees round it, see `View`.
        label: below it.
        method: how the skin follows.
    """

    character: Character
    world: World | None = None
    azimuth: float = 0.0
    label: str = ""
    method: Method = "linear"

    @property
    def pose(self) -> World:
        """The joints that are shown."""
        return self.character.bind_world() if self.world is None else self.world


def weight_colours(character: Character) -> Float:
    """(T, 3) 0..255: each joint has a colour, neighbours far apart; faces have those of the joints they follow, mixed by their weights."""
    shades = [
        colorsys.hsv_to_rgb((n * _GOLDEN + 0.02) % 1.0, 0.75 if n % 2 else 0.5, 0.95 if n % 3 else 0.8)
        for n in range(len(character.skeleton))
    ]
    mixed = np.einsum("vk,vkc->vc", character.weights.astype(np.float64), np.array(shades)[character.weight_joints])
    return 255 * mixed[character.faces].mean(axis=1)


def paint_weights(character: Character, height: int = 720) -> Image.Image:
    """The mesh in its bind pose from the front, the right side and the back, coloured by its weights, with its bones."""
    return paint_meshes([Shown(character, azimuth=side) for side in SIDES], height, weights=True)


def paint_meshes(
    shown: Sequence[Shown],
    height: int = 720,
    *,
    weights: bool = False,
    low: float | None = None,
    high: float | None = None,
) -> Image.Image:
    """Characters side by side, at one scale and on one level.

    Args:
        shown: from left to right.
        height: pixels.
        weights: colour skins by their weights, and draw the bones over them.
        low, high: metres that the picture goes from and to; default: where the lowest and the highest vertex are.
    """
    skins = [skin(one.character, one.pose, 0, one.method).vertices[0].astype(np.float64) for one in shown]
    low = min(float(points[:, 1].min()) for points in skins) if low is None else low
    high = max(float(points[:, 1].max()) for points in skins) if high is None else high
    margin = _MARGIN * (high - low)
    below = _LABEL if any(one.label for one in shown) else 0
    scale = (height - below) / (high - low + 2 * margin)
    palette = find_palette("light")
    pieces = []
    for one, points in zip(shown, skins, strict=True):
        axes = view_axes(View(one.azimuth, 0), 0.0)
        across = points @ axes[0]
        span = np.array([across.min() - margin, across.max() + margin])
        size = (int(scale * (span[1] - span[0])) + 1, height)
        corners = np.array(
            [[x, y, z] for x in span for y in (low - margin, high + margin) for z in (points @ axes[2])[[0]]]
        )
        camera = fit_orthographic(corners @ axes, axes, size, (0, 0, 0, below), pad=0.0, scale=scale)
        canvas = Canvas(*size, palette.background)
        faces = one.character.faces
        draw_mesh(
            canvas,
            camera,
            points,
            faces,
            FlatPaint(weight_colours(one.character)) if weights else paint_of(one.character),
        )
        if one.label:
            write(canvas, one.label, (size[0] / 2, height - 0.7 * below), 14, palette.quiet, "middle")
        picture = canvas.picture()
        if weights:
            _draw_bones(picture, one, camera)
        pieces.append(picture)
    whole = Image.new("RGB", (sum(piece.width for piece in pieces), height), palette.background)
    at = 0
    for piece in pieces:
        whole.paste(piece, (at, 0))
        at += piece.width
    return whole


def _draw_bones(picture: Image.Image, shown: Shown, camera: Camera) -> None:
    draw = ImageDraw.Draw(picture)
    places, _, _ = camera.project(shown.pose.positions[0])
    for joint, parent in enumerate(shown.character.skeleton.parents):
        if parent >= 0:
            draw.line([tuple(places[parent]), tuple(places[joint])], fill=_BONE, width=2)
    for x, y in places:
        draw.ellipse((x - 2.5, y - 2.5, x + 2.5, y + 2.5), fill=_JOINT, outline=_BONE)
