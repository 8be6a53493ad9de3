"""What a generated body wears: which faces are skin, shirt, trousers, shoes, hair and eyes, cut along clean lines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reenact.body.body_shape import BodyShape
from reenact.body.implicit import Field
from reenact.body.materials import Material
from reenact.body.mesh_cutting import cut_along
from reenact.core.arrays import Bool, Float64, Int32

PARTS = ("skin", "shirt", "trousers", "shoes", "hair", "eyes")
"""What faces are made of, in the order of the materials."""

_SKINS = ("#f1c9a8", "#e0ac86", "#c98e63", "#a56c43", "#7d4c2c", "#583320")
_SHIRTS = ("#3d7fc4", "#d9643a", "#4d9a6a", "#e2b93b", "#8d5fb0", "#d8dbe0", "#b8434e", "#3f8f99", "#586173")
_TROUSERS = ("#35455f", "#4a4f58", "#6b5b4a", "#2d3440", "#7a7f86", "#3f5344")
_SHOES = ("#e9e6e0", "#2b2d33", "#7b4a32", "#c9cdd3")
_HAIRS = ("#3a2a20", "#1d1a1a", "#6d4a2c", "#a9803f", "#8b3f22", "#8f8f8f")
_ROUGH = {"skin": 0.62, "shirt": 0.85, "trousers": 0.88, "shoes": 0.55, "hair": 0.7, "eyes": 0.3}


def outfit(number: int) -> tuple[Material, ...]:
    """Materials of `PARTS`: outfit 0 is the usual one, every other number mixes the colours anew."""
    if number:
        draw = np.random.default_rng([number, 1897])
        skin, shirt, trousers, shoes, hair = (
            colours[int(draw.integers(len(colours)))] for colours in (_SKINS, _SHIRTS, _TROUSERS, _SHOES, _HAIRS)
        )
    else:
        skin, shirt, trousers, shoes, hair = _SKINS[1], _SHIRTS[0], _TROUSERS[0], _SHOES[0], _HAIRS[0]
    named = zip(PARTS, (skin, shirt, trousers, shoes, hair, "#231d1b"), strict=True)
    return tuple(Material(part, base_color=_linear(colour), roughness=_ROUGH[part]) for part, colour in named)


def _linear(colour: str) -> tuple[float, float, float, float]:
    """Linear RGBA of a web colour."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (round(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4, 5) for c in parts)
    return red, green, blue, 1.0


def dress_mesh(shape: BodyShape, vertices: Float64, faces: Int32) -> tuple[Float64, Int32, Int32]:
    """Vertices, faces cut along the borders of clothes, and the number in `PARTS` of each face."""
    made = np.zeros(len(faces), np.int32)
    for part, border in _Borders(shape).borders():
        values = border(vertices)
        if not (values < 0).any():
            continue
        vertices, faces, origin, inside = cut_along(vertices, faces, values)
        made = made[origin]
        made[inside] = PARTS.index(part)
    return vertices, faces, made


class _Borders:
    """For each garment a function of points that is negative where it is; later ones lie over earlier ones."""

    def __init__(self, shape: BodyShape) -> None:
        self.shape, self.plan, self.points = shape, shape.plan, shape.plan.points
        self.unit = shape.plan.girths.unit

    def borders(self) -> Iterator[tuple[str, Field]]:
        yield "trousers", self.trousers
        yield "shirt", self.shirt
        yield "skin", self.bare_arms
        yield "skin", self.bare_neck
        yield "shoes", self.shoes
        yield "hair", self.hair
        yield "eyes", self.eyes

    def trousers(self, points: Float64) -> Float64:
        return np.where(self._is_arm(points), 1.0, points[:, 1] - self._hem_height(points) - 0.02 * self.unit)

    def shirt(self, points: Float64) -> Float64:
        return np.where(self._is_arm(points), -1.0, self._hem_height(points) - points[:, 1])

    def bare_arms(self, points: Float64) -> Float64:
        past = (_left(points) - self.points["upper_arm"]) @ self.plan.arm - self.shape.sleeve
        return np.where(self._is_arm(points), -past, 1.0)

    def bare_neck(self, points: Float64) -> Float64:
        unit, thick = self.unit, self.plan.girths.neck
        own = (points - self.points["neck"] - (0.0, 0.030 * unit, 0.022 * unit)) / unit
        down = np.minimum(own[:, 1], 0.0)
        ring = np.hypot(own[:, 0] / (0.082 * thick), own[:, 2] / (0.088 * thick))
        round_neck = np.hypot(ring, down / np.where(own[:, 2] > 0, 0.085, 0.055)) - 1
        high = points[:, 1] > self.points["upper_arm"][1] - 0.12 * unit
        head = (points[:, 1] > self.points["chin"][1]) & (np.abs(points[:, 0]) < 0.1 * self.shape.head_unit)
        return np.where(head, -1.0, np.where(high & ~self._is_arm(points), round_neck, 1.0))

    def shoes(self, points: Float64) -> Float64:
        left = _left(points)
        low = points[:, 1] < 2.2 * self.points["foot"][1]
        return np.where(low, self.shape.shoe(left) - self.shape.trouser_leg(left), 1.0)

    def hair(self, points: Float64) -> Float64:
        left = _left(points)
        high = points[:, 1] > self.points["neck"][1] - 0.25 * self.unit
        hair = self.shape.hair(left)
        others = np.minimum(self.shape.face(left), self.shape.trunk(left))
        return np.where(high, np.maximum(hair - others, hair - 0.02 * self.unit), 1.0)

    def eyes(self, points: Float64) -> Float64:
        unit, chin = self.shape.head_unit, self.shape.chin
        own = (_left(points) - chin) / unit
        oval = np.hypot((own[:, 0] - 0.031) / 0.0088, (own[:, 1] - 0.118) / 0.0125) - 1
        return np.where((own[:, 2] > 0.03) & (own[:, 1] > 0.05), oval, 1.0)

    def _hem_height(self, points: Float64) -> Float64:
        """The lower end of the shirt, a little lower behind."""
        return self.shape.shirt_hem + 0.06 * (points[:, 2])

    def _is_arm(self, points: Float64) -> Bool:
        return self.shape.is_arm(_left(points))


def _left(points: Float64) -> Float64:
    return np.abs(points) * (1.0, 0.0, 0.0) + points * (0.0, 1.0, 1.0)
