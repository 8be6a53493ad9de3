"""How a mesh looks: materials of the metallic-roughness model, their textures and images."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from reenact.errors import ParameterError

AlphaMode = Literal["opaque", "mask", "blend"]
Wrap = Literal["repeat", "clamp", "mirror"]
MagFilter = Literal["", "nearest", "linear"]
MinFilter = Literal[
    "",
    "nearest",
    "linear",
    "nearest_mipmap_nearest",
    "linear_mipmap_nearest",
    "nearest_mipmap_linear",
    "linear_mipmap_linear",
]


@dataclass(frozen=True, slots=True)
class Image:
    """A picture as its file holds it; the bytes are never encoded anew.

    Attributes:
        data: the bytes of a PNG, JPEG or other file.
        mime: its type, such as `image/png`.
        name: for people.
    """

    data: bytes = field(repr=False)
    mime: str
    name: str = ""

    def __post_init__(self) -> None:
        if not self.data:
            raise ParameterError(f"the image {self.name!r} holds no bytes", where="data")
        if not self.mime.startswith("image/"):
            raise ParameterError(f"an image has a type such as image/png, not {self.mime!r}", where="mime")


@dataclass(frozen=True, slots=True)
class Texture:
    """An image laid over a mesh.

    A point of the image is read at `offset + turned(scale * uv)`, turned counter-clockwise by `turn` as KHR_texture_transform does.

    Attributes:
        image: the picture.
        uv_set: which of the character's texture coordinates place it, 0 for `uvs`, 1 and more for `more_uvs`.
        wrap: what lies beyond the image, along u and v.
        mag_filter, min_filter: how it is sampled near and far; empty leaves it to the viewer.
        offset, turn, scale: transform of the texture coordinates; `turn` in radians.
    """

    image: Image
    uv_set: int = 0
    wrap: tuple[Wrap, Wrap] = ("repeat", "repeat")
    mag_filter: MagFilter = ""
    min_filter: MinFilter = ""
    offset: tuple[float, float] = (0.0, 0.0)
    turn: float = 0.0
    scale: tuple[float, float] = (1.0, 1.0)

    def __post_init__(self) -> None:
        if self.uv_set < 0:
            raise ParameterError(f"a set of texture coordinates counts from 0, not {self.uv_set}", where="uv_set")
        if not all(map(math.isfinite, (*self.offset, self.turn, *self.scale))):
            raise ParameterError("the transform of a texture holds values that are not finite", where="texture")

    @property
    def is_moved(self) -> bool:
        """Whether its texture coordinates are transformed."""
        return (self.offset, self.turn, self.scale) != ((0.0, 0.0), 0.0, (1.0, 1.0))


@dataclass(frozen=True, slots=True)
class Material:
    """What a part of a mesh is made of; colours are linear.

    Attributes:
        name: for people.
        base_color: RGBA 0..1, multiplied with the texture and the vertex colours.
        base_color_texture: sRGB colour and linear alpha.
        metallic, roughness: 0..1, multiplied with the texture.
        metallic_roughness_texture: roughness in green, metal in blue.
        normal_texture: normals in tangent space.
        normal_scale: how much they bend.
        occlusion_texture: shade of ambient light in red.
        occlusion_strength: how much of it.
        emissive: RGB of light given off, multiplied with the texture.
        emissive_texture: sRGB.
        emissive_strength: brightness of that light.
        alpha_mode: whether alpha is ignored, cuts holes or mixes.
        alpha_cutoff: below this alpha there is a hole ("mask").
        double_sided: whether backs of faces are seen.
        unlit: shown in its base colour whatever the light.
        extensions: JSON of further glTF extensions (clear coat, sheen, ...), kept as it came; a texture in it is
            `{"texture": n}` for the n-th of `extension_textures`.
        extension_textures: textures of `extensions`.
    """

    name: str = ""
    base_color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    base_color_texture: Texture | None = None
    metallic: float = 0.0
    roughness: float = 0.8
    metallic_roughness_texture: Texture | None = None
    normal_texture: Texture | None = None
    normal_scale: float = 1.0
    occlusion_texture: Texture | None = None
    occlusion_strength: float = 1.0
    emissive: tuple[float, float, float] = (0.0, 0.0, 0.0)
    emissive_texture: Texture | None = None
    emissive_strength: float = 1.0
    alpha_mode: AlphaMode = "opaque"
    alpha_cutoff: float = 0.5
    double_sided: bool = False
    unlit: bool = False
    extensions: str = ""
    extension_textures: tuple[Texture, ...] = ()

    def __post_init__(self) -> None:
        for name, count in (("base_color", 4), ("emissive", 3)):
            values = tuple(float(part) for part in getattr(self, name))
            if len(values) != count or not all(0 <= part <= 1 for part in values):
                raise ParameterError(f"{name} must be {count} numbers from 0 to 1, not {values}", where=name)
            object.__setattr__(self, name, values)
        for name in ("metallic", "roughness", "occlusion_strength"):
            if not 0 <= getattr(self, name) <= 1:
                raise ParameterError(f"{name} must be from 0 to 1, not {getattr(self, name):g}", where=name)
        for name in ("alpha_cutoff", "emissive_strength"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise ParameterError(f"{name} must be a number of at least 0, not {value:g}", where=name)
        if not math.isfinite(self.normal_scale):
            raise ParameterError(f"normal_scale must be finite, not {self.normal_scale:g}", where="normal_scale")

    def textures(self) -> Iterator[tuple[str, Texture]]:
        """The textures it has, with the names of their fields."""
        for name in TEXTURE_FIELDS:
            texture = getattr(self, name)
            if texture is not None:
                yield name, texture
        for texture in self.extension_textures:
            yield "extension_textures", texture


TEXTURE_FIELDS = tuple(one.name for one in fields(Material) if one.name.endswith("_texture"))
"""The fields of a material that hold a texture."""


def images_of(materials: tuple[Material, ...]) -> tuple[Image, ...]:
    """The images of some materials, each once, in the order of their use."""
    return tuple(dict.fromkeys(texture.image for material in materials for _, texture in material.textures()))


def materials_to_json(materials: tuple[Material, ...]) -> tuple[list[dict[str, Any]], tuple[Image, ...]]:
    """A JSON form of materials, in which a texture names its image by number, and those images."""
    images = images_of(materials)
    number = {image: at for at, image in enumerate(images)}

    def plain(value: Any) -> Any:
        if isinstance(value, Texture):
            found = {one.name: plain(getattr(value, one.name)) for one in fields(Texture)}
            return {**found, "image": number[value.image]}
        return [plain(one) for one in value] if isinstance(value, tuple) else value

    return [{one.name: plain(getattr(made, one.name)) for one in fields(Material)} for made in materials], images


def materials_from_json(described: list[dict[str, Any]], images: tuple[Image, ...]) -> tuple[Material, ...]:
    """Materials from their JSON form and their images.

    Raises:
        ParameterError, TypeError, LookupError: it is no such form.
    """

    def texture(value: Mapping[str, Any] | None) -> Texture | None:
        if value is None:
            return None
        listed: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in value.items()}
        return Texture(**{**listed, "image": images[value["image"]]})

    found = []
    for one in described:
        plain: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in one.items()
        }
        plain |= {name: texture(one.get(name)) for name in TEXTURE_FIELDS}
        plain["extension_textures"] = tuple(filter(None, map(texture, one.get("extension_textures", ()))))
        found.append(Material(**plain))
    return tuple(found)


def extensions_of(material: Material) -> dict[str, Any]:
    """The further glTF extensions of a material as JSON."""
    return json.loads(material.extensions) if material.extensions else {}
