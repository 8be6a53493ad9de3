"""Colours of meshes: those of their materials, textures and vertices, wherever a picture shows them."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PIL import Image as Picture

from reenact.body.character import Character
from reenact.body.materials import Image, Texture
from reenact.core.arrays import Float, Float32, Int
from reenact.render.palette import Colour

_LARGEST = 1024  # pixels of an image along its longer side: a picture shows no more


@dataclass(frozen=True, slots=True, eq=False)
class MeshPaint:
    """The colours of a character's mesh.

    Attributes:
        character: whose.
        faces_of: (T,) the material of each face.
        plain: (M, 4) linear RGBA of the materials without their textures.
        images: of each material its base colour (H, W, 4) linear; None without a texture.
    """

    character: Character
    faces_of: Int
    plain: Float
    images: tuple[Float32 | None, ...]

    def at(self, faces: Int, shares: Float) -> tuple[Float, Float]:
        """((N, 3) colours 0..255, (N,) opacity) of points: `faces` (N,) and the `shares` (N, 3) of their corners."""
        material = self.faces_of[faces]
        rgba = self.plain[material]
        body = self.character
        corners = body.faces[faces]
        if body.vertex_colors is not None:
            rgba = rgba * np.einsum("nk,nkc->nc", shares, body.vertex_colors[corners].astype(np.float64))
        for number, image in enumerate(self.images):
            rows = np.flatnonzero(material == number) if image is not None else ()
            if image is None or not len(rows):
                continue
            texture = body.materials[number].base_color_texture
            assert texture is not None
            uvs = _coordinates(body, texture)
            if uvs is not None:
                places = np.einsum("nk,nkc->nc", shares[rows], uvs[corners[rows]].astype(np.float64))
                rgba[rows] *= _read(image, texture, places)
        return 255 * _to_screen(rgba[:, :3]), self._opacity(material, rgba[:, 3])

    def _opacity(self, material: Int, alpha: Float) -> Float:
        found = np.ones(len(alpha))
        for number, made in enumerate(self.character.materials):
            if made.alpha_mode != "opaque":  # a picture shows what is more there than not
                limit = made.alpha_cutoff if made.alpha_mode == "mask" else 0.5
                rows = material == number
                found[rows] = alpha[rows] >= limit
        return found


@dataclass(frozen=True, slots=True, eq=False)
class FlatPaint:
    """One colour for each face: `colours` (T, 3), 0..255."""

    colours: Float

    def at(self, faces: Int, shares: Float) -> tuple[Float, Float]:
        """As that of `MeshPaint`."""
        return self.colours[faces], np.ones(len(faces))


def paint_of(character: Character, shirt: Colour | None = None) -> MeshPaint:
    """The colours of a character; its shirt, where it wears one, in another colour (0..255)."""
    materials = character.materials
    plain = np.array([made.base_color for made in materials] or [character.color], dtype=np.float64)
    if shirt is not None:
        for row, made in enumerate(materials):
            if made.name == "shirt":
                plain[row, :3] = _to_linear(np.asarray(shirt, np.float64) / 255)
    images = tuple(
        None if made.base_color_texture is None else _pixels(made.base_color_texture.image) for made in materials
    ) or (None,)
    faces_of = character.face_materials
    return MeshPaint(character, np.zeros(len(character.faces), int) if faces_of is None else faces_of, plain, images)


@lru_cache(maxsize=32)
def _pixels(image: Image) -> Float32 | None:
    """(H, W, 4) linear RGBA; None of an image that cannot be read, which then shows its material's plain colour."""
    try:
        with Picture.open(io.BytesIO(image.data)) as picture:
            picture.thumbnail((_LARGEST, _LARGEST))
            shown = np.asarray(picture.convert("RGBA"), np.float32) / 255
    except (OSError, ValueError, Picture.DecompressionBombError):
        return None
    linear = np.concatenate([_to_linear(shown[..., :3]), shown[..., 3:]], axis=-1).astype(np.float32)
    linear.flags.writeable = False
    return linear


def _coordinates(body: Character, texture: Texture) -> Float32 | None:
    if texture.uv_set == 0:
        return body.uvs
    return body.more_uvs[texture.uv_set - 1] if texture.uv_set <= len(body.more_uvs) else None


def _read(image: Float32, texture: Texture, uv: Float) -> Float:
    """(N, 4) the image at texture coordinates (N, 2), from its nearest pixels."""
    if texture.is_moved:
        scaled = uv * texture.scale
        cos, sin = np.cos(texture.turn), np.sin(texture.turn)
        uv = np.column_stack([cos * scaled[:, 0] + sin * scaled[:, 1], -sin * scaled[:, 0] + cos * scaled[:, 1]])
        uv = uv + texture.offset
    tall, wide = image.shape[:2]
    u, v = (_wrapped(uv[:, axis], texture.wrap[axis]) for axis in (0, 1))
    columns = np.minimum((u * wide).astype(int), wide - 1)
    rows = np.minimum((v * tall).astype(int), tall - 1)
    return image[rows, columns].astype(np.float64)


def _wrapped(values: Float, how: str) -> Float:
    values = np.nan_to_num(values)
    if how == "clamp":
        return np.clip(values, 0.0, 1.0)
    if how == "mirror":
        return 1 - np.abs(1 - values % 2)
    return values % 1.0


def _to_screen(linear: Float) -> Float:
    linear = np.clip(linear, 0.0, 1.0)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def _to_linear(shown: Float) -> Float:
    return np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)
