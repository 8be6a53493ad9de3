"""MTL files: the materials of an OBJ, with their maps as textures."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reenact.body.materials import Image, Material, Texture
from reenact.formats.image_files import image_damage, image_type
from reenact.formats.reading_notes import ReadingNotes

_ARGUMENTS = {"-o": 3, "-s": 3, "-t": 3, "-mm": 2, "-bm": 1, "-boost": 1, "-texres": 1, "-clamp": 1, "-blendu": 1}
_ARGUMENTS |= {"-blendv": 1, "-imfchan": 1, "-type": 1, "-cc": 1}
_MAPS = {"map_kd", "map_ka", "map_ke", "map_d", "map_pr", "map_pm", "map_bump", "bump", "norm", "map_kn"}
_OTHER_MAPS = {"map_ks", "map_ns", "disp", "decal", "refl", "map_ps", "map_disp", "map_tr"}
_MOST_PIXELS = 1 << 26
_MOST_MATERIALS = 4096


@dataclass(eq=False)
class _Map:
    """A map of a material as the file names it."""

    file: str
    line: int
    offset: tuple[float, float] = (0.0, 0.0)
    scale: tuple[float, float] = (1.0, 1.0)
    clamp: bool = False
    strength: float = 1.0


def read_materials(libraries: Sequence[str], names: Sequence[str], notes: ReadingNotes) -> tuple[Material, ...]:
    """The materials of some names from the files of materials that an OBJ names; what is missing is plain, with a finding."""
    known: dict[str, Material] = {}
    for library in dict.fromkeys(libraries):
        file = _beside(notes.path, library)
        if file is None:
            listed = f"the file of materials {library[:80]!r} is not there; its materials are plain"
            notes.note("missing-materials", "warning", listed)
            continue
        known = {**_Mtl(file, notes).read(), **known}
    lost = [name for name in names if name not in known]
    if lost and libraries:
        shown = ", ".join(map(repr, lost[:5])) + (f" and {len(lost) - 5} more" if len(lost) > 5 else "")
        notes.note("missing-materials", "warning", f"nothing says what {shown} looks like; plain")
    return tuple(known.get(name, Material(name)) for name in names)


def _beside(path: Path, named: str) -> Path | None:
    """A file that another names: in its folder or below, else of that name in its folder; None when there is none."""
    tidy = Path(named.strip().strip('"').replace("\\", "/"))
    for one in (path.parent / tidy, path.parent / tidy.name):
        try:
            inside = one.resolve().is_relative_to(path.parent.resolve())
            if tidy.name and inside and one.is_file():
                return one
        except (OSError, ValueError):  # names that no system takes
            continue
    return None


class _Mtl:
    def __init__(self, file: Path, notes: ReadingNotes) -> None:
        self._file, self._notes = file, notes
        self._images: dict[str, Image | None] = {}

    def read(self) -> dict[str, Material]:
        """Every material of the file by its name."""
        found: dict[str, tuple[dict[str, list[float]], dict[str, _Map]]] = {}
        values: dict[str, list[float]] = {}
        maps: dict[str, _Map] = {}
        text = self._file.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")
        for number, line in enumerate(text.splitlines(), 1):
            words = line.partition("#")[0].split(None, 1)
            if not words:
                continue
            word, rest = words[0].lower(), words[1].strip() if len(words) > 1 else ""
            if word == "newmtl":
                values, maps = {}, {}
                if len(found) < _MOST_MATERIALS:
                    found[rest] = (values, maps)
            elif word in _MAPS:
                maps[word] = self._parse_map(rest, number)
            elif word in _OTHER_MAPS:
                self._notes.note("map", "info", f"{words[0]} has no place here; left out", number, self._file)
            else:
                values[word] = self._parse_values(word, rest, number)
        return {name: self._material(name, *said) for name, said in found.items()}

    def _parse_values(self, word: str, rest: str, number: int) -> list[float]:
        try:
            found = [float(part) for part in rest.split()]
        except ValueError:
            found = [math.nan]
        if not found or not all(map(math.isfinite, found)):
            if word in _VALUES:
                self._notes.damage("material", f"{word} needs numbers, found {rest[:40]!r}", number, self._file)
            return []
        return found

    def _parse_map(self, rest: str, number: int) -> _Map:
        made, words = _Map("", number), rest.split()
        at = 0
        while at < len(words) and words[at].lower() in _ARGUMENTS:
            option, at = words[at].lower(), at + 1
            given: list[str] = []
            while at < len(words) and len(given) < _ARGUMENTS[option] and (_is_plain(words[at]) or not given):
                given.append(words[at])
                at += 1
            numbers = [float(one) for one in given if _is_plain(one)]
            if option == "-o" and numbers:
                made.offset = (numbers[0], numbers[1] if len(numbers) > 1 else 0.0)
            elif option == "-s" and numbers:
                made.scale = (numbers[0], numbers[1] if len(numbers) > 1 else 1.0)
            elif option == "-bm" and numbers:
                made.strength = numbers[0]
            elif option == "-clamp":
                made.clamp = given[:1] == ["on"]
        made.file = " ".join(words[at:])
        return made

    def _material(self, name: str, values: dict[str, list[float]], maps: dict[str, _Map]) -> Material:
        def shade(word: str, default: tuple[float, ...]) -> tuple[float, ...]:
            given = values.get(word, [])
            given = given * 3 if len(given) == 1 else given
            return tuple(min(max(one, 0.0), 1.0) for one in given[:3]) if len(given) >= 3 else default

        def single(word: str, default: float) -> float:
            given = values.get(word, [])
            return min(max(given[0], 0.0), 1.0) if given else default

        alpha = single("d", 1.0 - single("tr", 0.0))
        glow = values.get("ke", [])
        strength = max(1.0, *glow[:3]) if len(glow) >= 3 else 1.0
        shine = values.get("ns", [])
        rough = math.sqrt(2 / (max(shine[0], 0.0) + 2)) if shine else 1.0
        color, alpha_map = maps.get("map_kd"), maps.get("map_d")
        base = self._texture(color, alpha_map)
        shadow = maps.get("map_ka")
        surface = self._surface(maps)
        bumps = maps.get("norm") or maps.get("map_kn") or maps.get("map_bump") or maps.get("bump")
        emissive = self._texture(maps.get("map_ke"))
        see_through = alpha < 1 or (base is not None and alpha_map is not None)
        red, green, blue = shade("kd", (1.0, 1.0, 1.0) if base else (0.8, 0.8, 0.8))
        lit = [one / strength for one in glow[:3]] if len(glow) >= 3 else [1.0] * 3 if emissive else [0.0] * 3
        return Material(
            name,
            base_color=(red, green, blue, alpha),
            base_color_texture=base,
            metallic=single("pm", 1.0 if surface and "map_pm" in maps else 0.0),
            roughness=single("pr", 1.0 if surface and "map_pr" in maps else rough),
            metallic_roughness_texture=surface,
            normal_texture=self._texture(bumps),
            normal_scale=bumps.strength if bumps is not None and math.isfinite(bumps.strength) else 1.0,
            occlusion_texture=self._texture(shadow)
            if shadow and (color is None or shadow.file != color.file)
            else None,
            emissive=(min(max(lit[0], 0.0), 1.0), min(max(lit[1], 0.0), 1.0), min(max(lit[2], 0.0), 1.0)),
            emissive_texture=emissive,
            emissive_strength=strength,
            alpha_mode="blend" if see_through else "opaque",
        )

    def _surface(self, maps: dict[str, _Map]) -> Texture | None:
        """Roughness in green and metal in blue, of the one map or the two that say them."""
        rough, metal = maps.get("map_pr"), maps.get("map_pm")
        if rough is None and metal is None:
            return None
        if rough is not None and metal is not None and rough.file == metal.file:
            return self._texture(rough)
        one = rough or metal
        assert one is not None
        images = [None if each is None else self._image(each) for each in (rough, metal)]
        if all(image is None for image in images):
            return None
        return self._placed(one, _put_together(None, images[0], images[1], "surface"))

    def _texture(self, named: _Map | None, alpha: _Map | None = None) -> Texture | None:
        image = None if named is None else self._image(named)
        if named is None or image is None:
            return None
        if alpha is not None and alpha.file != named.file:
            mask = self._image(alpha)
            if mask is not None:
                image = _with_alpha(image, mask)
        return self._placed(named, image)

    def _placed(self, named: _Map, image: Image) -> Texture:
        (left, low), (wide, high) = named.offset, named.scale
        offset = (left, 1.0 - low - high)  # ours counts from the upper left
        values = (*offset, wide, high)
        moved = all(map(math.isfinite, values)) and (named.offset, named.scale) != ((0.0, 0.0), (1.0, 1.0))
        texture = Texture(image, wrap=("clamp", "clamp") if named.clamp else ("repeat", "repeat"))
        return replace(texture, offset=offset, scale=(wide, high)) if moved else texture

    def _image(self, named: _Map) -> Image | None:
        if named.file not in self._images:
            self._images[named.file] = self._read_image(named)
        return self._images[named.file]

    def _read_image(self, named: _Map) -> Image | None:
        file = _beside(self._file, named.file)
        label = f"the texture {named.file[:80]!r}"
        if file is None:
            told = f"{label} is not there; the material is shown without it"
            self._notes.note("missing-image", "warning", told, named.line, self._file)
            return None
        try:
            data = file.read_bytes()
        except OSError as error:
            told = f"{label} cannot be read ({error.strerror})"
            self._notes.note("missing-image", "warning", told, named.line, self._file)
            return None
        problem = ""
        if not image_type(data):
            again = _as_png(data)
            data, problem = (again, "") if again else (data, "it is no picture that can be read")
        problem = problem or image_damage(data)
        if problem:
            told = f"{label} is damaged: {problem}; the material is shown without it"
            self._notes.note("damaged-image", "warning", told, named.line, self._file)
            return None
        return Image(data, image_type(data), file.stem)


_VALUES = frozenset({"kd", "ke", "ka", "ks", "ns", "d", "tr", "pr", "pm"})


def _is_plain(word: str) -> bool:
    try:
        return math.isfinite(float(word))
    except ValueError:
        return False


def _opened(data: bytes) -> Any:
    """A picture of Pillow; None where it is none, or too large."""
    import PIL.Image

    try:
        picture = PIL.Image.open(io.BytesIO(data))
        if picture.width * picture.height > _MOST_PIXELS:
            return None
        picture.load()
    except Exception:  # Pillow's readers raise whatever they meet
        return None
    return picture


def _as_png(data: bytes) -> bytes:
    """A picture of another kind (TGA, BMP, TIFF) as PNG; empty when it cannot be read."""
    picture = _opened(data)
    return (
        b""
        if picture is None
        else _png_of(picture if picture.mode in ("L", "RGB", "RGBA") else picture.convert("RGBA"))
    )


def _png_of(picture: Any) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, "PNG")
    return stream.getvalue()


def _with_alpha(image: Image, mask: Image) -> Image:
    color, alpha = _opened(image.data), _opened(mask.data)
    if color is None or alpha is None:
        return image
    holes = (alpha.getchannel("A") if alpha.mode in ("LA", "RGBA") else alpha.convert("L")).resize(color.size)
    color = color.convert("RGBA")
    color.putalpha(holes)
    return Image(_png_of(color), "image/png", image.name)


def _put_together(red: Image | None, green: Image | None, blue: Image | None, name: str) -> Image:
    """One picture of grey ones as its channels; white where there is none."""
    import PIL.Image

    opened = [None if one is None else _opened(one.data) for one in (red, green, blue)]
    size = next((one.size for one in opened if one is not None), (1, 1))

    def grey(one: Any) -> Any:
        return PIL.Image.new("L", size, 255) if one is None else one.convert("L").resize(size)

    return Image(_png_of(PIL.Image.merge("RGB", [grey(one) for one in opened])), "image/png", name)
