"""Materials, textures, samplers and images as glTF's JSON; the bytes of images go into the buffer as they are."""

from __future__ import annotations

from typing import Any

from reenact.body.materials import Image, Material, Texture, extensions_of
from reenact.formats.gltf_buffer import BufferPlan
from reenact.formats.gltf_materials import MIN_FILTERS, STRENGTH, TEXTURE_SOURCES, TRANSFORM, UNLIT, WRAPS

_WRAP_CODES = {name: code for code, name in WRAPS.items()}
_FILTER_CODES = {name: code for code, name in MIN_FILTERS.items()}


class MaterialWriter:
    """Puts materials into a tree, each image, sampler and texture once."""

    def __init__(self, tree: dict[str, Any], plan: BufferPlan) -> None:
        self._tree = tree
        self._plan = plan
        self._images: dict[Image, int] = {}
        self._samplers: dict[tuple[int | str, ...], int] = {}
        self._textures: dict[tuple[int, int], int] = {}

    def add(self, material: Material) -> int:
        """Append a material; its index."""
        looks = _without(
            {
                "baseColorFactor": (list(material.base_color), [1.0] * 4),
                "baseColorTexture": (self._lay(material.base_color_texture), None),
                "metallicFactor": (material.metallic, 1.0),
                "roughnessFactor": (material.roughness, 1.0),
                "metallicRoughnessTexture": (self._lay(material.metallic_roughness_texture), None),
            }
        )
        masked = material.alpha_mode == "mask"
        entry = _without(
            {
                "name": (material.name, ""),
                "pbrMetallicRoughness": (looks, {}),
                "normalTexture": (self._lay(material.normal_texture, scale=material.normal_scale), None),
                "occlusionTexture": (self._lay(material.occlusion_texture, strength=material.occlusion_strength), None),
                "emissiveFactor": (list(material.emissive), [0.0] * 3),
                "emissiveTexture": (self._lay(material.emissive_texture), None),
                "alphaMode": (material.alpha_mode.upper(), "OPAQUE"),
                "alphaCutoff": (material.alpha_cutoff if masked else 0.5, 0.5),
                "doubleSided": (material.double_sided, False),
                "extensions": (self._extensions(material), {}),
            }
        )
        return self._append("materials", entry)

    def _append(self, key: str, entry: dict[str, Any]) -> int:
        self._tree.setdefault(key, []).append(entry)
        return len(self._tree[key]) - 1

    def _extensions(self, material: Material) -> dict[str, Any]:
        def walk(value: Any) -> Any:
            if isinstance(value, dict):
                if "texture" in value:
                    rest = {name: one for name, one in value.items() if name != "texture"}
                    return {**(self._lay(material.extension_textures[value["texture"]]) or {}), **rest}
                return {name: walk(one) for name, one in value.items()}
            return [walk(one) for one in value] if isinstance(value, list) else value

        found = walk(extensions_of(material))
        if material.emissive_strength != 1:
            found[STRENGTH] = {"emissiveStrength": material.emissive_strength}
        if material.unlit:
            found[UNLIT] = {}
        for name in found:
            self._use(name)
        return found

    def _use(self, extension: str, *, required: bool = False) -> None:
        for key in ("extensionsUsed", *(("extensionsRequired",) if required else ())):
            if extension not in self._tree.setdefault(key, []):
                self._tree[key].append(extension)

    def _lay(self, texture: Texture | None, **factors: float) -> dict[str, Any] | None:
        """What a material says of a texture; factors of 1 go without saying."""
        if texture is None:
            return None
        found: dict[str, Any] = {"index": self._texture(texture)}
        if texture.uv_set:
            found["texCoord"] = texture.uv_set
        found |= {name: value for name, value in factors.items() if value != 1}
        if texture.is_moved:
            moved = {
                "offset": (list(texture.offset), [0.0, 0.0]),
                "rotation": (texture.turn, 0.0),
                "scale": (list(texture.scale), [1.0, 1.0]),
            }
            found["extensions"] = {TRANSFORM: _without(moved)}
            self._use(TRANSFORM)
        return found

    def _texture(self, texture: Texture) -> int:
        image, sampler = self._image(texture.image), self._sampler(texture)
        if (image, sampler) not in self._textures:
            entry: dict[str, Any] = {"sampler": sampler}
            extension = TEXTURE_SOURCES.get(texture.image.mime)
            if extension is None:
                entry["source"] = image
            else:
                entry["extensions"] = {extension: {"source": image}}
                self._use(extension, required=True)
            self._textures[image, sampler] = self._append("textures", entry)
        return self._textures[image, sampler]

    def _sampler(self, texture: Texture) -> int:
        key = (*texture.wrap, texture.mag_filter, texture.min_filter)
        if key not in self._samplers:
            entry = {
                "magFilter": (_FILTER_CODES.get(texture.mag_filter), None),
                "minFilter": (_FILTER_CODES.get(texture.min_filter), None),
                "wrapS": (_WRAP_CODES[texture.wrap[0]], _WRAP_CODES["repeat"]),
                "wrapT": (_WRAP_CODES[texture.wrap[1]], _WRAP_CODES["repeat"]),
            }
            self._samplers[key] = self._append("samplers", _without(entry))
        return self._samplers[key]

    def _image(self, image: Image) -> int:
        if image not in self._images:
            entry = {"mimeType": image.mime, "bufferView": self._plan.add_bytes(image.data)}
            self._images[image] = self._append("images", {**({"name": image.name} if image.name else {}), **entry})
        return self._images[image]


def _without(described: dict[str, tuple[Any, Any]]) -> dict[str, Any]:
    """The values that differ from what is meant without them."""
    return {name: value for name, (value, default) in described.items() if value != default}
