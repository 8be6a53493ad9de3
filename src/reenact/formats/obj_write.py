"""Writing Wavefront OBJ: the mesh of a character with its materials, textures, skeleton and weights in files beside it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from reenact.body.character import Character
from reenact.body.materials import Image, Material, Texture, images_of
from reenact.body.skinning import skin
from reenact.core import rotations
from reenact.core.arrays import Float, Float64, Int32
from reenact.core.clip import Clip, World
from reenact.core.space import up_rotation
from reenact.errors import FormatError
from reenact.formats.atomic import atomic_write
from reenact.formats.loaded import WriteOptions
from reenact.formats.skin_json import SKELETON_ENDING, write_skin

_ENDINGS = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/webp": ".webp",
    "image/ktx2": ".ktx2",
    "image/avif": ".avif",
}


STATED = "# written by reenact: one unit is {unit:.9g} m, {up} is up\n"
"""The first line of our files, as the format itself says neither units nor axes."""


def write(clips: Sequence[Clip], path: Path, options: WriteOptions | None = None) -> None:
    """Write `options.character`; its materials as NAME.mtl, their images, and NAME.mhskel with NAME.mhw when it has a skeleton.

    A clip of one frame is the pose that the mesh is written in. The format holds no motion, morph targets or tangents.
    """
    options = WriteOptions() if options is None else options
    path = Path(path)
    character = options.character
    if character is None or not len(character.faces):
        raise FormatError("OBJ holds a mesh, and there is none: no character comes with the motion", path=path)
    if len(clips) > 1 or any(len(clip) != 1 for clip in clips):
        hint = "take one pose of it (`reenact pose --at`), or write .glb"
        raise FormatError(f"OBJ holds a mesh in one pose and no motion: {hint}", path=path)
    world = clips[0].world(np.float64) if clips else None
    posed = None if world is None else skin(character, world, normals=True)
    vertices = character.vertices if posed is None else posed.vertices[0]
    normals = character.normals if posed is None else posed.normals
    normals = normals[0] if normals is not None and normals.ndim == 3 else normals
    turn = rotations.to_matrix(rotations.conjugate(up_rotation(options.up or "y"))) / (options.unit or 1.0)
    decimals = options.decimals
    text = _Text(
        character, vertices @ turn.T, None if normals is None else rotations.normalize(normals @ turn.T), decimals
    )
    materials = character.materials or (Material(character.name or "body", character.color),)
    names = _unique([one.name or f"material{number}" for number, one in enumerate(materials)])
    body = STATED.format(unit=options.unit or 1.0, up=options.up or "y") + text.make(
        path.with_suffix(".mtl").name, names
    )
    _write_materials(materials, names, path)
    if len(character.skeleton) > 1 or path.with_suffix(SKELETON_ENDING).exists():  # of what was written here before
        _write_skeleton(character, world, turn, path, text.numbers)
    with atomic_write(path) as stream:
        stream.write(body.encode("utf-8", "replace"))


def _unique(names: Sequence[str]) -> list[str]:
    """Names without spaces, each once."""
    found: list[str] = []
    for name in names:
        tidy = re.sub(r"[\s#/\\]+", "_", name.strip()) or "material"
        known, number = tidy, 1
        while tidy in found:
            number += 1
            tidy = f"{known}.{number:03}"
        found.append(tidy)
    return found


class _Text:
    """The lines of the file; vertices at one place that follow the same joints are one in it."""

    def __init__(self, character: Character, points: Float, normals: Float | None, decimals: int) -> None:
        self._character, self._decimals = character, decimals
        self.numbers, self._points = _merged(np.round(np.asarray(points, np.float64), decimals), character)
        self._normals = None if normals is None else np.unique(np.round(normals, 4), axis=0, return_inverse=True)
        uvs = character.uvs
        self._uvs = None
        if uvs is not None:
            self._uvs = np.unique(np.round(uvs.astype(np.float64) * (1, -1) + (0, 1), 6), axis=0, return_inverse=True)

    def make(self, library: str, names: Sequence[str]) -> str:
        """The whole text."""
        made = self._character
        lines = [f"mtllib {library}"]
        colors = None
        if made.vertex_colors is not None:
            colors = np.ones((len(self._points), 3))
            colors[self.numbers] = made.vertex_colors[:, :3]
        rows = self._points if colors is None else np.hstack([self._points, colors])
        lines += [f"v {self._row(row)}" for row in rows]
        if self._uvs is not None:
            lines += [f"vt {row[0]:.6f} {row[1]:.6f}" for row in self._uvs[0]]
        if self._normals is not None:
            lines += [f"vn {row[0]:.4f} {row[1]:.4f} {row[2]:.4f}" for row in self._normals[0]]
        of_parts = np.zeros(len(made.vertices), np.int32) if made.vertex_parts is None else made.vertex_parts
        of_faces = np.zeros(len(made.faces), np.int32) if made.face_materials is None else made.face_materials
        parts = made.parts or (made.name or "mesh",)
        face_parts = of_parts[made.faces[:, 0]]
        for part, title in enumerate(_unique(parts)):
            inside = np.flatnonzero(face_parts == part)
            if len(inside):
                lines.append(f"o {title}")
            for number in np.unique(of_faces[inside]):
                lines.append(f"usemtl {names[number]}")
                lines += self._faces(made.faces[inside[of_faces[inside] == number]])
        return "\n".join(lines) + "\n"

    def _row(self, values: Float64) -> str:
        return " ".join(f"{value:.{self._decimals}f}" for value in values)

    def _faces(self, faces: Int32) -> list[str]:
        points = self.numbers[faces] + 1
        uvs = None if self._uvs is None else self._uvs[1].reshape(-1)[faces] + 1
        normals = None if self._normals is None else self._normals[1].reshape(-1)[faces] + 1
        if uvs is None and normals is None:
            return [f"f {a} {b} {c}" for a, b, c in points.tolist()]
        empty = np.full(points.shape, "", object)
        second, third = (empty if one is None else one for one in (uvs, normals))
        slots = zip(points.tolist(), second.tolist(), third.tolist(), strict=True)
        ending = "/" if normals is not None else ""
        return [
            "f " + " ".join(f"{p}/{u}{ending}{n}" for p, u, n in zip(*corners, strict=True))  # p/u, p//n or p/u/n
            for corners in slots
        ]


def _merged(points: Float64, character: Character) -> tuple[Int32, Float64]:
    """The number of each vertex (V,) among those that are written, and their places."""
    joints, weights = character.weight_joints, np.round(character.weights, 4)
    order = np.argsort(joints, axis=1, kind="stable")
    follows = np.hstack([np.take_along_axis(joints, order, 1), np.take_along_axis(weights, order, 1)])
    parts = np.zeros(len(points)) if character.vertex_parts is None else character.vertex_parts
    _, first, numbers = np.unique(
        np.hstack([points, follows, parts[:, None]]), axis=0, return_index=True, return_inverse=True
    )
    rank = np.argsort(np.argsort(first))  # in the order of the mesh
    return rank[numbers.reshape(-1)].astype(np.int32), points[np.sort(first)]


def _write_materials(materials: Sequence[Material], names: Sequence[str], path: Path) -> None:
    files = _write_images(images_of(tuple(materials)), path)
    lines = ["# written by reenact"]
    for name, made in zip(names, materials, strict=True):
        red, green, blue, alpha = made.base_color
        glow = [one * made.emissive_strength for one in made.emissive]
        lines += [
            f"newmtl {name}",
            f"Kd {red:.6f} {green:.6f} {blue:.6f}",
            f"Ke {glow[0]:.6f} {glow[1]:.6f} {glow[2]:.6f}",
            f"Ns {max(2 / max(made.roughness, 0.04) ** 2 - 2, 0):.6f}",
            f"d {alpha:.6f}",
            f"Pr {made.roughness:.6f}",
            f"Pm {made.metallic:.6f}",
            "illum 2",
        ]
        maps: list[tuple[str, Texture | None]] = [
            ("map_Kd", made.base_color_texture),
            ("map_Pr", made.metallic_roughness_texture),
            ("map_Pm", made.metallic_roughness_texture),
            ("norm", made.normal_texture),
            ("map_Ka", made.occlusion_texture),
            ("map_Ke", made.emissive_texture),
        ]
        if made.alpha_mode != "opaque":
            maps.append(("map_d", made.base_color_texture))
        for word, texture in maps:
            if texture is not None:
                bump = made.normal_scale if word == "norm" else 1.0
                lines.append(f"{word} {_map_options(texture, bump)}{files[texture.image]}")
    with atomic_write(path.with_suffix(".mtl")) as stream:
        stream.write(("\n".join(lines) + "\n").encode("utf-8", "replace"))


def _map_options(texture: Texture, bump: float) -> str:
    words = [f"-bm {bump:g}"] if not math.isclose(bump, 1.0) else []
    if texture.is_moved:
        (left, top), (wide, high) = texture.offset, texture.scale
        words += [f"-o {left:g} {1 - top - high:g} 0", f"-s {wide:g} {high:g} 1"]
    if texture.wrap == ("clamp", "clamp"):
        words.append("-clamp on")
    return "".join(f"{word} " for word in words)


def _write_images(images: Sequence[Image], path: Path) -> dict[Image, str]:
    names = _unique([f"{path.stem}_{image.name or number}" for number, image in enumerate(images)])
    found = {image: f"{name}{_ENDINGS.get(image.mime, '.png')}" for image, name in zip(images, names, strict=True)}
    for image, name in found.items():
        with atomic_write(path.parent / name) as stream:
            stream.write(image.data)
    return found


def _write_skeleton(character: Character, world: World | None, turn: Float, path: Path, numbers: Int32) -> None:
    world = character.bind_world() if world is None else world
    size = float(np.cbrt(np.linalg.det(turn)))
    whole = rotations.from_matrix(turn / size)
    places, axes = world.positions[0] @ turn.T, rotations.multiply(whole, world.rotations[0])
    ends, skeleton = places.copy(), character.skeleton
    for joint, children in enumerate(skeleton.children):
        if children:
            ends[joint] = places[list(children)].mean(axis=0)
    for joint, offset in zip(skeleton.end_joints, skeleton.end_offsets, strict=True):
        ends[joint] = places[joint] + size * rotations.rotate(axes[joint], offset)
    write_skin(character, path, places, axes, ends, numbers)
