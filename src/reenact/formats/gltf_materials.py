"""Materials of a glTF file, with their textures; what cannot be used is a finding, never the end of the character."""

from __future__ import annotations

import json
from typing import Any

from reenact.body.materials import Material, Texture
from reenact.errors import FormatError, ParameterError
from reenact.formats.gltf_document import Document, Json, is_number
from reenact.formats.gltf_images import ImageReader

WRAPS = {10497: "repeat", 33071: "clamp", 33648: "mirror"}
MAG_FILTERS = {9728: "nearest", 9729: "linear"}
MIN_FILTERS = {
    **MAG_FILTERS,
    9984: "nearest_mipmap_nearest",
    9985: "linear_mipmap_nearest",
    9986: "nearest_mipmap_linear",
    9987: "linear_mipmap_linear",
}
TEXTURE_SOURCES = {
    "image/webp": "EXT_texture_webp",
    "image/ktx2": "KHR_texture_basisu",
    "image/avif": "EXT_texture_avif",
}
TRANSFORM, STRENGTH, UNLIT = "KHR_texture_transform", "KHR_materials_emissive_strength", "KHR_materials_unlit"
_GLOSS = "KHR_materials_pbrSpecularGlossiness"
_MODES = {"OPAQUE": "opaque", "MASK": "mask", "BLEND": "blend"}
_MOST_SETS = 8  # sets of texture coordinates that are read

GLTF_DEFAULT = Material(metallic=1.0, roughness=1.0)
"""What a primitive without a material is made of."""


class MaterialReader:
    """Reads materials, each once."""

    def __init__(self, doc: Document) -> None:
        self._doc = doc
        self._images = ImageReader(doc)
        self._read: dict[int, Material] = {}

    def read(self, index: int) -> Material:
        """A material; -1 is that of a primitive without one."""
        if index < 0:
            return GLTF_DEFAULT
        if index not in self._read:
            where = f"materials[{index}]"
            entry = self._doc.objects("materials")[index]
            name = self._doc.text(entry, "name")
            try:
                self._read[index] = self._parse(entry, name, where)
            except (FormatError, ParameterError, RecursionError) as error:
                said = "its JSON is nested too deep" if isinstance(error, RecursionError) else error.message
                self._doc.quirk("material", where, f"cannot be used and is shown plain: {said}")
                self._read[index] = Material(name)
        return self._read[index]

    def _parse(self, entry: Json, name: str, where: str) -> Material:
        doc = self._doc
        extensions = doc.object(entry, "extensions", where) or {}
        looks = doc.object(entry, "pbrMetallicRoughness", where) or {}
        mode = entry.get("alphaMode", "OPAQUE")
        if mode not in _MODES:
            doc.quirk("alpha-mode", where, f"the alpha mode {str(mode)[:40]!r} is not known; taken as OPAQUE")
        emission = doc.object(extensions, STRENGTH, where) or {}
        more, textures = self._other_extensions(extensions, where)
        about: dict[str, Any] = {
            "base_color": self._color(looks, "baseColorFactor", (1.0, 1.0, 1.0, 1.0), where),
            "base_color_texture": self._texture(looks, "baseColorTexture", where),
            "metallic": self._number(looks, "metallicFactor", 1.0, where, high=1.0),
            "roughness": self._number(looks, "roughnessFactor", 1.0, where, high=1.0),
            "metallic_roughness_texture": self._texture(looks, "metallicRoughnessTexture", where),
        }
        if _GLOSS in extensions and not looks:
            about |= self._from_gloss(doc.object(extensions, _GLOSS, where) or {}, where)
        bumps = doc.object(entry, "normalTexture", where) or {}
        shade = doc.object(entry, "occlusionTexture", where) or {}
        return Material(
            name=name,
            **about,
            normal_texture=self._texture(entry, "normalTexture", where),
            normal_scale=self._number(bumps, "scale", 1.0, where, low=-1e6),
            occlusion_texture=self._texture(entry, "occlusionTexture", where),
            occlusion_strength=self._number(shade, "strength", 1.0, where, high=1.0),
            emissive=self._color(entry, "emissiveFactor", (0.0, 0.0, 0.0), where),  # type: ignore[arg-type]
            emissive_texture=self._texture(entry, "emissiveTexture", where),
            emissive_strength=self._number(emission, "emissiveStrength", 1.0, where),
            alpha_mode=_MODES.get(mode, "opaque"),  # type: ignore[arg-type]
            alpha_cutoff=self._number(entry, "alphaCutoff", 0.5, where),
            double_sided=entry.get("doubleSided") is True,
            unlit=UNLIT in extensions,
            extensions=more,
            extension_textures=textures,
        )

    def _from_gloss(self, gloss: Json, where: str) -> dict[str, Any]:
        """The colours of the older specular-glossiness model, which has no metal."""
        self._doc.note(
            "specular-glossiness", "info", where, f"{_GLOSS} was turned into a material without metal", fixed=True
        )
        return {
            "base_color": self._color(gloss, "diffuseFactor", (1.0, 1.0, 1.0, 1.0), where),
            "base_color_texture": self._texture(gloss, "diffuseTexture", where),
            "metallic": 0.0,
            "roughness": 1 - self._number(gloss, "glossinessFactor", 1.0, where, high=1.0),
        }

    def _color(self, holder: Json, key: str, default: tuple[float, ...], where: str) -> tuple[float, ...]:
        return tuple(min(max(float(part), 0.0), 1.0) for part in self._doc.numbers(holder, key, default, where))

    def _number(
        self, holder: Json, key: str, default: float, where: str, *, low: float = 0.0, high: float = 1e6
    ) -> float:
        found = holder.get(key, default)
        if not is_number(found):
            self._doc.fail(f"{key} is not a finite number")
        return min(max(float(found), low), high)

    def _texture(self, holder: Json, key: str, where: str) -> Texture | None:
        described = self._doc.object(holder, key, where)
        return None if described is None else self._laid(described, f"{where}.{key}")

    def _laid(self, described: Json, where: str) -> Texture | None:
        """A texture as a material lays it, or None where it has no usable image."""
        doc = self._doc
        index = doc.reference(described, "index", "textures", where)
        if index is None:
            doc.fail(f"{where}: names no texture")
        spot = f"textures[{index}]"
        entry = doc.objects("textures")[index]
        image = next((one for one in map(self._images.read, self._sources(entry, spot)) if one is not None), None)
        if image is None:
            return None
        chosen = doc.reference(entry, "sampler", "samplers", spot)
        sampler = {} if chosen is None else doc.objects("samplers")[chosen]
        uv_set = doc.integer(described, "texCoord", where, 0)
        moved = doc.object(doc.object(described, "extensions", where) or {}, TRANSFORM, where) or {}
        uv_set = doc.integer(moved, "texCoord", where, uv_set)
        if uv_set >= _MOST_SETS:
            doc.fail(f"{where}: the set of texture coordinates {uv_set} is beyond the {_MOST_SETS} that are read")
        offset, scale = (
            doc.numbers(moved, name, default, where).tolist()
            for name, default in (("offset", (0.0, 0.0)), ("scale", (1.0, 1.0)))
        )
        return Texture(
            image,
            uv_set,
            (self._choice(sampler, "wrapS", WRAPS, "repeat"), self._choice(sampler, "wrapT", WRAPS, "repeat")),
            self._choice(sampler, "magFilter", MAG_FILTERS, ""),
            self._choice(sampler, "minFilter", MIN_FILTERS, ""),
            (offset[0], offset[1]),
            self._number(moved, "rotation", 0.0, where, low=-1e6),
            (scale[0], scale[1]),
        )

    def _sources(self, entry: Json, where: str) -> list[int]:
        """The images a texture may be read from, the one every viewer knows first."""
        doc = self._doc
        extensions = doc.object(entry, "extensions", where) or {}
        holders = [entry, *(doc.object(extensions, name, where) or {} for name in TEXTURE_SOURCES.values())]
        found = [doc.reference(holder, "source", "images", where) for holder in holders]
        return [one for one in found if one is not None]

    def _choice(self, sampler: Json, key: str, known: dict[int, str], default: str) -> Any:
        code = sampler.get(key)
        if code is not None and code not in known:
            self._doc.quirk("sampler", "samplers", f"{key} {str(code)[:40]} is not known; left to the viewer")
        return known.get(code, default) if isinstance(code, int) else default

    def _other_extensions(self, extensions: Json, where: str) -> tuple[str, tuple[Texture, ...]]:
        """JSON of the material extensions that this model does not have, and their textures, for which it has numbers."""
        textures: list[Texture] = []

        def walk(value: Any, key: str) -> Any:
            if isinstance(value, dict):
                if key.endswith("Texture") and "index" in value:
                    texture = self._laid(value, where)
                    if texture is None:
                        return None
                    rest = {name: one for name, one in value.items() if name not in ("index", "texCoord", "extensions")}
                    textures.append(texture)
                    return {"texture": len(textures) - 1, **rest}
                walked = {name: walk(one, name) for name, one in value.items()}
                return {name: one for name, one in walked.items() if one is not None}
            return [walk(one, key) for one in value] if isinstance(value, list) else value

        kept = {
            name: walk(value, name)
            for name, value in extensions.items()
            if name.startswith(("KHR_materials_", "EXT_materials_")) and name not in (STRENGTH, UNLIT, _GLOSS)
        }
        try:
            return (json.dumps(kept, separators=(",", ":"), allow_nan=False) if kept else ""), tuple(textures)
        except ValueError:
            self._doc.fail("an extension holds numbers that are not finite")
